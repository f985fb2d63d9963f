"""Add friends: who follows whom, and mutes that also block a player."""

import sqlalchemy as sa
from alembic import op

revision = "0025"
down_revision = "0024"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "follow",
        sa.Column("guest", sa.String(64), primary_key=True),
        sa.Column("other", sa.String(64), primary_key=True),
        sa.Column("handle", sa.String(32), nullable=False),
        sa.Column("guest_name", sa.String(64), nullable=False),
        sa.Column("other_name", sa.String(64), nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
    )
    op.create_index("ix_follow_other", "follow", ["other"])
    op.add_column("mute", sa.Column("blocked", sa.Boolean, nullable=False, server_default=sa.false()))
    op.create_index("ix_mute_other", "mute", ["other"])


def downgrade() -> None:
    op.drop_index("ix_mute_other", "mute")
    with op.batch_alter_table("mute") as batch:
        batch.drop_column("blocked")
    op.drop_table("follow")
