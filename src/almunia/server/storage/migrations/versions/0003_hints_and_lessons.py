"""Add hints, tutorials, and actions that belong to the choice before them."""

import sqlalchemy as sa
from alembic import op

revision = "0003"
down_revision = "0002"
branch_labels = None
depends_on = None

COLUMNS = (("table", "hints"), ("table", "lesson"), ("entry", "follows"))


def upgrade() -> None:
    for table, name in COLUMNS:
        op.add_column(table, sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false()))


def downgrade() -> None:
    for table, name in reversed(COLUMNS):
        with op.batch_alter_table(table) as batch:
            batch.drop_column(name)
