"""Add more inputs of ratings: newcomers, players who give up early, and weights of games."""

from collections import Counter

import sqlalchemy as sa
from alembic import op

revision = "0016"
down_revision = "0015"
branch_labels = None
depends_on = None

ENOUGH = 5  # rated games, after which a player was no newcomer until now
NAMES = ("early", "newcomer", "weight")


def upgrade() -> None:
    for name in ("early", "newcomer"):
        op.add_column("result", sa.Column(name, sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("result", sa.Column("weight", sa.Float, nullable=False, server_default="1"))
    note_newcomers()


def note_newcomers() -> None:
    names = ("table", "seat", "kind", "player", "game", "number")
    result = sa.table("result", *(sa.column(name) for name in names), sa.column("newcomer", sa.Boolean))
    r, db = result.c, op.get_bind()
    rated = sa.select(r.table, r.seat, r.player, r.game).where(r.kind == "person", r.number.is_not(None))
    games: Counter[tuple[str, str]] = Counter()
    for row in db.execute(rated.order_by(r.number, r.seat)).all():
        if games[row.player, row.game] < ENOUGH:
            theirs = (r.table == row.table) & (r.seat == row.seat)
            db.execute(sa.update(result).where(theirs).values(newcomer=True))
        games[row.player, row.game] += 1


def downgrade() -> None:
    with op.batch_alter_table("result") as batch:
        for name in NAMES:
            batch.drop_column(name)
