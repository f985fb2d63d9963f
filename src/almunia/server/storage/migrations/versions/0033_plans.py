"""Add the plans of seats: moves and answers that players set in advance."""

import sqlalchemy as sa
from alembic import op

revision = "0033"
down_revision = "0032"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "plan",
        sa.Column("table", sa.String(32), sa.ForeignKey("game_table.id"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("guest", sa.String(64), nullable=False),
        sa.Column("lines", sa.JSON, nullable=False),
        sa.Column("answers", sa.JSON, nullable=False),
    )
    op.create_index("ix_plan_guest", "plan", ["guest"])


def downgrade() -> None:
    op.drop_table("plan")
