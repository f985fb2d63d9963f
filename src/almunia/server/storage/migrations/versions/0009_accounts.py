"""Add accounts with passkeys, sessions and one-time links, and players who have left a seat."""

import sqlalchemy as sa
from alembic import op

revision = "0009"
down_revision = "0008"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "former_seat",
        sa.Column("table", sa.String(32), sa.ForeignKey("table.id"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("guest", sa.String(64), primary_key=True),
        sa.Column("name", sa.String(64), primary_key=True),
    )
    op.create_index("former_seat_by_guest", "former_seat", ["guest"])
    op.create_table(
        "account",
        sa.Column("guest", sa.String(64), primary_key=True),
        sa.Column("handle", sa.String(64), nullable=False, unique=True),
        sa.Column("mail", sa.String(254), unique=True),
        sa.Column("password", sa.String(200), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("preferences", sa.JSON, nullable=False),
        sa.Column("made", sa.Float, nullable=False),
    )
    op.create_table(
        "passkey",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("guest", sa.String(64), nullable=False),
        sa.Column("credential", sa.String(1400), nullable=False, unique=True),
        sa.Column("key", sa.LargeBinary, nullable=False),
        sa.Column("signed", sa.BigInteger, nullable=False),
        sa.Column("label", sa.String(64), nullable=False),
        sa.Column("made", sa.Float, nullable=False),
        sa.Column("used", sa.Float),
    )
    op.create_index("passkey_by_guest", "passkey", ["guest"])
    op.create_table(
        "session",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("guest", sa.String(64), nullable=False),
        sa.Column("device", sa.String(64), nullable=False),
        sa.Column("made", sa.Float, nullable=False),
        sa.Column("seen", sa.Float, nullable=False),
        sa.Column("proved", sa.Float),
    )
    op.create_index("session_by_guest", "session", ["guest"])
    op.create_table(
        "link",
        sa.Column("id", sa.String(16), primary_key=True),
        sa.Column("hash", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("guest", sa.String(64), nullable=False),
        sa.Column("facts", sa.JSON, nullable=False),
        sa.Column("made", sa.Float, nullable=False),
        sa.Column("expires", sa.Float, nullable=False),
        sa.Column("used", sa.Float),
    )
    op.create_index("link_by_guest", "link", ["guest", "kind"])
    op.create_index("link_by_end", "link", ["expires"])


def downgrade() -> None:
    for name in ("link", "session", "passkey", "account", "former_seat"):
        op.drop_table(name)
