"""Add the turn that each seat sees, when it last noticed a change, and whether a table's seed is public."""

import sqlalchemy as sa
from alembic import op

revision = "0002"
down_revision = "0001"
branch_labels = None
depends_on = None

CHOSEN = 2**40  # a seed below was typed by a player: of those drawn at random, one in eight million is as small


def upgrade() -> None:
    op.add_column("table", sa.Column("seed_known", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("seat", sa.Column("asked", sa.Integer, nullable=False, server_default="0"))
    op.add_column("seat", sa.Column("noticed", sa.Float, nullable=False, server_default="0"))
    table = sa.table("table", *map(sa.column, ("id", "seed", "seed_known", "turn", "changed")))
    seat = sa.table("seat", *map(sa.column, ("table", "asked", "noticed")))
    op.execute(table.update().where(table.c.seed < CHOSEN).values(seed_known=sa.true()))
    for new, old in (("asked", "turn"), ("noticed", "changed")):
        found = sa.select(table.c[old]).where(table.c.id == seat.c.table).scalar_subquery()
        op.execute(seat.update().values({new: found}))


def downgrade() -> None:
    with op.batch_alter_table("seat") as batch:
        batch.drop_column("noticed")
        batch.drop_column("asked")
    with op.batch_alter_table("table") as batch:
        batch.drop_column("seed_known")
