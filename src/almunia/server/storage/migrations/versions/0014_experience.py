"""Add whether the lobby shows the experience of a player."""

import sqlalchemy as sa
from alembic import op

revision = "0014"
down_revision = "0013"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("profile", sa.Column("lobby", sa.Boolean, nullable=False, server_default=sa.false()))


def downgrade() -> None:
    with op.batch_alter_table("profile") as batch:
        batch.drop_column("lobby")
