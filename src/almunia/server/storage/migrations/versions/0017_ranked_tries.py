"""Add whether an attempt is at the ranked daily deal or at that of guests."""

import sqlalchemy as sa
from alembic import op

revision = "0017"
down_revision = "0016"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("daily_try", sa.Column("ranked", sa.Boolean, nullable=False, server_default=sa.true()))


def downgrade() -> None:
    with op.batch_alter_table("daily_try") as batch:
        batch.drop_column("ranked")
