"""Add the games whose alerts a guest has turned off."""

import sqlalchemy as sa
from alembic import op

revision = "0027"
down_revision = "0026"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("user_game", sa.Column("alerts_muted", sa.Boolean, nullable=False, server_default=sa.false()))


def downgrade() -> None:
    with op.batch_alter_table("user_game") as batch:
        batch.drop_column("alerts_muted")
