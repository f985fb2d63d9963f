"""When nobody could reach the site, of which not all tables have been told."""

import sqlalchemy as sa
from alembic import op

revision = "0015"
down_revision = "0014"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; what was before is told at its tables already."""
    op.create_table(
        "outage",
        sa.Column("since", sa.Float, nullable=False),
        sa.Column("until", sa.Float, primary_key=True),
    )


def downgrade() -> None:
    """Remove it again."""
    op.drop_table("outage")
