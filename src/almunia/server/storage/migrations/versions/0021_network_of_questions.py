"""From which network a hint is asked for, as a keyed hash."""

import sqlalchemy as sa
from alembic import op

revision = "0021"
down_revision = "0020"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the column. Nobody knows it of the questions that wait, which are gone within a minute."""
    op.add_column("question", sa.Column("network", sa.String(16), nullable=False, server_default=""))


def downgrade() -> None:
    """Remove it again."""
    with op.batch_alter_table("question") as batch:
        batch.drop_column("network")
