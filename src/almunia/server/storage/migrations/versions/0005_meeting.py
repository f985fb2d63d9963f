"""Add the lobby, reserved seats and chat."""

import sqlalchemy as sa
from alembic import op

revision = "0005"
down_revision = "0004"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "listing",
        sa.Column("table", sa.String(32), sa.ForeignKey("table.id"), primary_key=True),
        sa.Column("handle", sa.String(32), nullable=False),
        sa.Column("offered", sa.Boolean, nullable=False),
        sa.Column("watched", sa.Boolean, nullable=False),
        sa.Column("open_chat", sa.Boolean, nullable=False),
    )
    op.create_index("listing_by_handle", "listing", ["handle"])
    op.create_table(
        "kept_seat",
        sa.Column("table", sa.String(32), sa.ForeignKey("table.id"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("guest", sa.String(64), nullable=False),
        sa.Column("after", sa.String(32), nullable=False),
    )
    op.create_index("kept_seat_by_guest", "kept_seat", ["guest"])
    op.create_index("kept_seat_by_after", "kept_seat", ["after"])
    op.create_table(
        "message",
        sa.Column("room", sa.String(32), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("guest", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("words", sa.String(300), nullable=False),
        sa.Column("said", sa.Float, nullable=False),
    )
    op.create_index("message_by_time", "message", ["room", "said"])
    op.create_table(
        "mute",
        sa.Column("guest", sa.String(64), primary_key=True),
        sa.Column("other", sa.String(64), primary_key=True),
        sa.Column("handle", sa.String(32), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
    )
    op.create_table(
        "report",
        sa.Column("guest", sa.String(64), primary_key=True),
        sa.Column("room", sa.String(32), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("author", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("words", sa.String(300), nullable=False),
        sa.Column("said", sa.Float, nullable=False),
        sa.Column("reported", sa.Float, nullable=False),
    )


def downgrade() -> None:
    for name in ("report", "mute", "message", "kept_seat", "listing"):
        op.drop_table(name)
