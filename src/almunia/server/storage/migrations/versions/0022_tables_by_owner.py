"""Index tables by their host."""

from alembic import op

revision = "0022"
down_revision = "0021"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.create_index("table_by_owner", "table", ["owner", "status"])


def downgrade() -> None:
    op.drop_index("table_by_owner", "table")
