"""Add attempts at puzzles."""

import sqlalchemy as sa
from alembic import op

revision = "0029"
down_revision = "0028"
branch_labels = None
depends_on = None

RATINGS = ("mu_before", "sigma_before", "mu", "sigma", "puzzle_mu", "puzzle_sigma")


def upgrade() -> None:
    op.create_table(
        "puzzle_attempt",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("guest", sa.String(64), nullable=False),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("number", sa.Integer, nullable=False),
        sa.Column("day", sa.String(10), nullable=False),
        sa.Column("action", sa.Integer),
        sa.Column("solved", sa.Boolean, nullable=False),
        sa.Column("created_at", sa.Float, nullable=False),
        *(sa.Column(name, sa.Float) for name in RATINGS),
    )
    key = ["guest", "game", "number", "day"]
    op.create_index("ix_puzzle_attempt_guest_game_number_day", "puzzle_attempt", key, unique=True)
    op.create_index("ix_puzzle_attempt_game_number", "puzzle_attempt", ["game", "number"])


def downgrade() -> None:
    op.drop_table("puzzle_attempt")
