"""People whom whoever runs the site has given another name, or whose account is kept out."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    """Add the table; nobody was renamed or kept out before."""
    op.create_table(
        "moderated",
        sa.Column("guest", sa.String(64), primary_key=True),
        sa.Column("was", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("out", sa.Boolean, nullable=False),
    )


def downgrade() -> None:
    """Remove it again."""
    op.drop_table("moderated")
