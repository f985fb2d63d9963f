"""Add arenas, and tournaments with groups and a final."""

import sqlalchemy as sa
from alembic import op

revision = "0031"
down_revision = "0030"
branch_labels = None
depends_on = None
COLUMNS = {
    "minutes": sa.Integer,
    "groups": sa.Integer,
    "finalists": sa.Integer,
    "began_at": sa.Float,
    "ends_at": sa.Float,
}


def upgrade() -> None:
    for name, kind in COLUMNS.items():
        op.add_column("tournament", sa.Column(name, kind, nullable=False, server_default="0"))


def downgrade() -> None:
    with op.batch_alter_table("tournament") as batch:
        for name in COLUMNS:
            batch.drop_column(name)
