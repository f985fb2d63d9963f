"""Add the state that several processes on one database share."""

import sqlalchemy as sa
from alembic import op

revision = "0011"
down_revision = "0010"
branch_labels = None
depends_on = None
PASSING = ("presence", "hits")  # tables that are valid as long as the database runs


def upgrade() -> None:
    op.create_table(
        "kept_word",
        sa.Column("name", sa.String(32), primary_key=True),
        sa.Column("word", sa.String(200), nullable=False),
    )
    op.create_table(
        "presence",
        sa.Column("process", sa.Integer, primary_key=True),
        sa.Column("place", sa.String(32), primary_key=True),
        sa.Column("guest", sa.String(64), primary_key=True),
    )
    op.create_table(
        "question",
        sa.Column("table", sa.String(32), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("seen", sa.Integer, nullable=False),
        sa.Column("guest", sa.String(64), nullable=False),
        sa.Column("asked", sa.Float, nullable=False),
    )
    op.create_table(
        "hits",
        sa.Column("key", sa.String(64), primary_key=True),
        sa.Column("count", sa.Integer, nullable=False),
        sa.Column("until", sa.Float, nullable=False),
    )
    if op.get_bind().dialect.name == "postgresql":
        for name in PASSING:
            op.execute(f"ALTER TABLE {name} SET UNLOGGED")


def downgrade() -> None:
    for name in ("hits", "question", "presence", "kept_word"):
        op.drop_table(name)
