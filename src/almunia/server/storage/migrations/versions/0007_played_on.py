"""Tables that go on from a position of another one."""

import sqlalchemy as sa
from alembic import op

revision = "0007"
down_revision = "0006"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column; no table was played on so far."""
    op.add_column("table", sa.Column("played_on", sa.Integer))


def downgrade() -> None:
    """Remove it again."""
    with op.batch_alter_table("table") as batch:
        batch.drop_column("played_on")
