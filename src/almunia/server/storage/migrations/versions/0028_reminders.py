"""Add reminders of slow clocks: when a clock expires, whether a channel sends them, and when it did."""

import sqlalchemy as sa
from alembic import op

revision = "0028"
down_revision = "0027"
branch_labels = None
depends_on = None


def upgrade() -> None:
    op.add_column("game_table", sa.Column("expires_at", sa.Float))
    op.add_column("notification_channel", sa.Column("reminders", sa.Boolean, nullable=False, server_default=sa.true()))
    op.add_column("notification_sent", sa.Column("reminded_at", sa.Float))


def downgrade() -> None:
    columns = {"notification_sent": "reminded_at", "notification_channel": "reminders", "game_table": "expires_at"}
    for table, column in columns.items():
        with op.batch_alter_table(table) as batch:
            batch.drop_column(column)
