"""Add guests who were renamed by the administrator, or whose account is blocked."""

import sqlalchemy as sa
from alembic import op

revision = "0019"
down_revision = "0018"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_table(
        "moderated",
        sa.Column("guest", sa.String(64), primary_key=True),
        sa.Column("was", sa.String(64), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        sa.Column("out", sa.Boolean, nullable=False),
    )


def downgrade() -> None:
    op.drop_table("moderated")
