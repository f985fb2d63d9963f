"""Add games that continue a position of another game."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("table", sa.Column("played_on", sa.Integer))


def downgrade() -> None:
    with op.batch_alter_table("table") as batch:
        batch.drop_column("played_on")
