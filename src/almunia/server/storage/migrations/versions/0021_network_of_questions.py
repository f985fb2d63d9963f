"""Add the network from which a hint is requested, as a keyed hash."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("question", sa.Column("network", sa.String(16), nullable=False, server_default=""))


def downgrade() -> None:
    with op.batch_alter_table("question") as batch:
        batch.drop_column("network")
