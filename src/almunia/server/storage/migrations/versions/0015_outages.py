"""Add the table of outages for which some tables are still to be compensated."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "outage",
        sa.Column("since", sa.Float, nullable=False),
        sa.Column("until", sa.Float, primary_key=True),
    )


def downgrade() -> None:
    op.drop_table("outage")
