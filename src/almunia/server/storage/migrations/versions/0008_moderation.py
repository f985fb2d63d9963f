"""Add moderation of chat: hidden messages, silenced guests and resolved reports."""

import sqlalchemy as sa
from alembic import op

revision = "0008"
down_revision = "0007"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("message", sa.Column("hidden", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_index("message_by_hidden", "message", ["room", "hidden"])
    op.add_column("report", sa.Column("resolved", sa.Float))
    op.create_table(
        "silence",
        sa.Column("guest", sa.String(64), primary_key=True),
        sa.Column("until", sa.Float, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("silence")
    with op.batch_alter_table("report") as batch:
        batch.drop_column("resolved")
    op.drop_index("message_by_hidden", "message")
    with op.batch_alter_table("message") as batch:
        batch.drop_column("hidden")
