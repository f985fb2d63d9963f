"""Add analyses of finished games."""

import sqlalchemy as sa
from alembic import op

revision = "0026"
down_revision = "0025"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "analysis",
        sa.Column("table", sa.String(32), sa.ForeignKey("game_table.id"), primary_key=True),
        sa.Column("version", sa.String(12), nullable=False),
        sa.Column("network", sa.String(16), nullable=False),
        sa.Column("attempts", sa.Integer, nullable=False),
        sa.Column("done", sa.Integer, nullable=False),
        sa.Column("result", sa.JSON),
        sa.Column("requested_at", sa.Float, nullable=False),
        sa.Column("finished_at", sa.Float),
    )
    op.create_index("ix_analysis_finished_at", "analysis", ["finished_at"])


def downgrade() -> None:
    op.drop_table("analysis")
