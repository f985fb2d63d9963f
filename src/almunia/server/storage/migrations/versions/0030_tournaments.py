"""Add tournaments, their entrants and their games."""

import sqlalchemy as sa
from alembic import op

revision = "0030"
down_revision = "0029"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "tournament",
        sa.Column("id", sa.String(32), primary_key=True),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("seats", sa.Integer, nullable=False),
        sa.Column("places", sa.Integer, nullable=False),
        sa.Column("rounds", sa.Integer, nullable=False),
        sa.Column("time_control", sa.String(40), nullable=False),
        sa.Column("bot", sa.String(64), nullable=False),
        sa.Column("is_public", sa.Boolean, nullable=False),
        sa.Column("host", sa.String(64), nullable=False),
        sa.Column("seed", sa.BigInteger, nullable=False),
        sa.Column("status", sa.String(16), nullable=False),
        sa.Column("round", sa.Integer, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
    )
    op.create_table(
        "tournament_entrant",
        sa.Column("tournament", sa.String(32), sa.ForeignKey("tournament.id"), primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("guest", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("bot", sa.String(64), nullable=False),
        sa.Column("has_withdrawn", sa.Boolean, nullable=False),
        sa.Column("hours", sa.String(64), nullable=False),
    )
    op.create_table(
        "tournament_game",
        sa.Column("tournament", sa.String(32), sa.ForeignKey("tournament.id"), primary_key=True),
        sa.Column("round", sa.Integer, primary_key=True),
        sa.Column("number", sa.Integer, primary_key=True),
        sa.Column("players", sa.JSON, nullable=False),
        sa.Column("table", sa.String(32), nullable=False),
        sa.Column("scores", sa.JSON),
    )
    op.create_index("ix_tournament_status", "tournament", ["status"])
    op.create_index("ix_tournament_host", "tournament", ["host"])
    op.create_index("ix_tournament_entrant_guest", "tournament_entrant", ["guest"])


def downgrade() -> None:
    for table in ("tournament_game", "tournament_entrant", "tournament"):
        op.drop_table(table)
