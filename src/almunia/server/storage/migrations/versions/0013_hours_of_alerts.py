"""Add the hours at which channels may be used."""

import sqlalchemy as sa
from alembic import op

revision = "0013"
down_revision = "0012"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("alert_way", sa.Column("hours", sa.String(64), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("alert_way") as batch:
        batch.drop_column("hours")
