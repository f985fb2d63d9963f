"""Add clocks, playing hours, vacations, waiting for absent players, substitute bots, and games that end early."""

import sqlalchemy as sa
from alembic import op

revision = "0004"
down_revision = "0003"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("table", sa.Column("ended", sa.String(16), nullable=False, server_default=""))
    op.add_column("table", sa.Column("gave_up", sa.Integer))
    op.add_column("table", sa.Column("patience", sa.Integer, nullable=False, server_default=str(24 * 3600)))
    op.add_column("table", sa.Column("time_control", sa.String(40), nullable=False, server_default=""))
    op.add_column("table", sa.Column("due", sa.Float))
    op.create_index("table_by_due", "table", ["due"])
    op.create_index("table_by_change", "table", ["status", "changed"])
    op.add_column("seat", sa.Column("hours", sa.String(64), nullable=False, server_default=""))
    op.add_column("seat", sa.Column("stand_in", sa.String(64), nullable=False, server_default=""))
    op.create_table(
        "vacation",
        sa.Column("player", sa.String(64), primary_key=True),
        sa.Column("balance", sa.Float, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("since", sa.Float),
    )
    op.add_column("seat", sa.Column("here", sa.Float, nullable=False, server_default="0"))


def downgrade() -> None:
    op.drop_index("table_by_change", "table")
    op.drop_index("table_by_due", "table")
    op.drop_table("vacation")
    ours = (("seat", ("here", "hours", "stand_in")), ("table", ("due", "time_control", "patience", "gave_up", "ended")))
    for table, names in ours:
        with op.batch_alter_table(table) as batch:
            for name in names:
                batch.drop_column(name)
