"""Add the channels of turn notifications, and the notifications that were sent."""

import sqlalchemy as sa
from alembic import op

revision = "0012"
down_revision = "0011"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "alert_way",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("guest", sa.String(64), nullable=False),
        sa.Column("called", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("target", sa.String(1000), nullable=False),
        sa.Column("keys", sa.JSON, nullable=False),
        sa.Column("label", sa.String(300), nullable=False),
        sa.Column("live", sa.Boolean, nullable=False),
        sa.Column("slow", sa.Boolean, nullable=False),
        sa.Column("confirmed", sa.Boolean, nullable=False),
        sa.Column("failures", sa.Integer, nullable=False),
        sa.Column("again", sa.Float, nullable=False),
        sa.Column("made", sa.Float, nullable=False),
    )
    op.create_index("alert_way_by_guest", "alert_way", ["guest"])
    op.create_table(
        "alert_told",
        sa.Column("way", sa.String(16), sa.ForeignKey("alert_way.id"), primary_key=True),
        sa.Column("table", sa.String(32), sa.ForeignKey("table.id"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("noticed", sa.Float, nullable=False),
        sa.Column("told", sa.Float, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("alert_told")
    op.drop_table("alert_way")
