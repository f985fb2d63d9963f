"""Add the column `advanced`, the time of a game's last progress, to find abandoned games."""

import sqlalchemy as sa
from alembic import op

revision = "0020"
down_revision = "0019"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("table", sa.Column("advanced", sa.Float, nullable=False, server_default="0"))
    table = sa.table("table", sa.column("changed"), sa.column("advanced"))
    op.execute(sa.update(table).values(advanced=table.c.changed))
    op.create_index("table_by_advance", "table", ["status", "advanced"])


def downgrade() -> None:
    op.drop_index("table_by_advance", "table")
    with op.batch_alter_table("table") as batch:
        batch.drop_column("advanced")
