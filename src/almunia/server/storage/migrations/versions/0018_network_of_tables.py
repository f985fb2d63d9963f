"""Add the network from which a running table was opened, as a keyed hash."""

import sqlalchemy as sa
from alembic import op

revision = "0018"
down_revision = "0017"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("table", sa.Column("network", sa.String(16), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("table") as batch:
        batch.drop_column("network")
