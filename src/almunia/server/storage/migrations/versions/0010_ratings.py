"""Add results of finished games, ratings, profiles, notes and daily deals."""

from itertools import groupby

import sqlalchemy as sa
from alembic import op

revision = "0010"
down_revision = "0009"
branch_labels = None
depends_on = None

CHOICES = ("page", "results", "opponents", "boards", "daily")
NEW = ("result", "rating_order", "rating", "profile", "game_note", "daily_try", "daily_bot")

TABLE = sa.table(
    "table",
    *(sa.column(name) for name in ("id", "game", "seats", "status", "ended", "gave_up", "changed", "challenge")),
    *(sa.column(name, kind) for name, kind in (("lesson", sa.Boolean), ("played_on", sa.Integer), ("result", sa.JSON))),
)
SEAT = sa.table("seat", *(sa.column(name) for name in ("table", "seat", "kind", "player")))
RESULT = sa.table(
    "result",
    *(sa.column(name) for name in ("table", "seat", "kind", "player", "game", "seats", "points", "rank")),
    *(sa.column(name, kind) for name, kind in (("counts", sa.Boolean), ("whole", sa.Boolean), ("at", sa.Float))),
)


def upgrade() -> None:
    op.add_column("table", sa.Column("rated", sa.Boolean, nullable=False, server_default=sa.false()))
    op.add_column("table", sa.Column("daily", sa.String(96), nullable=False, server_default=""))
    make_results()
    make_ratings()
    make_daily()
    fill_results()


def make_results() -> None:
    op.create_table(
        "result",
        sa.Column("table", sa.String(32), sa.ForeignKey("table.id"), primary_key=True),
        sa.Column("seat", sa.Integer, primary_key=True),
        sa.Column("kind", sa.String(16), nullable=False),
        sa.Column("player", sa.String(64), nullable=False),
        sa.Column("game", sa.String(64), nullable=False),
        sa.Column("seats", sa.Integer, nullable=False),
        sa.Column("points", sa.Integer),
        sa.Column("rank", sa.Integer),
        sa.Column("counts", sa.Boolean, nullable=False),
        sa.Column("whole", sa.Boolean, nullable=False),
        sa.Column("at", sa.Float, nullable=False),
        sa.Column("number", sa.Integer),
        *(sa.Column(name, sa.Float) for name in ("mu_before", "sigma_before", "mu", "sigma")),
    )
    op.create_index("result_by_player", "result", ["player", "game"])
    op.create_index("result_by_number", "result", ["number"])
    op.create_table(
        "game_note",
        sa.Column("table", sa.String(32), sa.ForeignKey("table.id"), primary_key=True),
        sa.Column("guest", sa.String(64), primary_key=True),
        sa.Column("words", sa.String(500), nullable=False),
        sa.Column("hidden", sa.Boolean, nullable=False),
    )
    op.create_index("game_note_by_guest", "game_note", ["guest"])


def make_ratings() -> None:
    op.create_table(
        "rating_order",
        sa.Column("id", sa.Integer, primary_key=True),
        sa.Column("last", sa.Integer, nullable=False),
    )
    op.execute("INSERT INTO rating_order (id, last) VALUES (1, 0)")
    op.create_table(
        "rating",
        sa.Column("guest", sa.String(64), primary_key=True),
        sa.Column("game", sa.String(64), primary_key=True),
        *(sa.Column(name, sa.Float, nullable=False) for name in ("mu", "sigma", "ordinal")),
        sa.Column("games", sa.Integer, nullable=False),
    )
    op.create_index("rating_by_game", "rating", ["game", "ordinal"])
    op.create_table(
        "profile",
        sa.Column("guest", sa.String(64), primary_key=True),
        sa.Column("handle", sa.String(32), nullable=False),
        sa.Column("name", sa.String(64), nullable=False),
        *(sa.Column(name, sa.Boolean, nullable=False) for name in CHOICES),
    )
    op.create_index("profile_by_handle", "profile", ["handle"])


def make_daily() -> None:
    op.create_table(
        "daily_try",
        sa.Column("deal", sa.String(96), primary_key=True),
        sa.Column("guest", sa.String(64), primary_key=True),
        sa.Column("table", sa.String(32), sa.ForeignKey("table.id"), nullable=False),
        sa.Column("finished", sa.Float),
        sa.Column("points", sa.Integer),
        sa.Column("rank", sa.Integer),
    )
    op.create_index("daily_try_by_table", "daily_try", ["table"])
    op.create_table(
        "daily_bot",
        sa.Column("deal", sa.String(96), primary_key=True),
        sa.Column("bot", sa.String(64), primary_key=True),
        sa.Column("points", sa.Integer, nullable=False),
        sa.Column("rank", sa.Integer, nullable=False),
    )


def fill_results() -> None:
    """Add the results of finished games.

    Unless a seat has given up, equal points give equal ranks, since tie-breaks were not stored.
    """
    db = op.get_bind()
    table, seat, result = TABLE, SEAT, RESULT
    t, s = table.c, seat.c
    joined = seat.join(table, s.table == t.id)
    wanted = sa.select(s.table, s.seat, s.kind, s.player, t.game, t.seats, t.ended, t.gave_up, t.changed)
    plain = (t.challenge == "") & t.lesson.is_(False) & t.played_on.is_(None)
    wanted = wanted.add_columns(t.result.label("points"), plain.label("plain"))
    over = (t.status == "finished") & t.ended.in_(("", "resigned", "time")) & s.kind.in_(("person", "bot"))
    ended = db.execute(wanted.select_from(joined).where(over).order_by(s.table, s.seat)).all()
    rows = [row for _, sitters in groupby(ended, lambda one: one.table) for row in results_of([*sitters])]
    if rows:
        db.execute(sa.insert(result), rows)


def results_of(sitters: list[sa.Row]) -> list[dict[str, object]]:
    points = sitters[0].points
    if points is None:
        return []
    people = [one.player for one in sitters if one.kind == "person"]
    counts = bool(sitters[0].plain) and len(people) == len(set(people))
    rows = []
    for one in sitters:
        own = points[one.seat]
        rank = 1 + sum(other > own for other in points) if one.gave_up is None else 1 + (one.seat == one.gave_up)
        facts = {"table": one.table, "seat": one.seat, "kind": one.kind, "player": one.player, "game": one.game}
        facts |= {"seats": one.seats, "points": own, "rank": rank, "counts": counts, "whole": one.ended == ""}
        rows.append({**facts, "at": one.changed})
    return rows


def downgrade() -> None:
    for name in reversed(NEW):
        op.drop_table(name)
    with op.batch_alter_table("table") as batch:
        batch.drop_column("daily")
        batch.drop_column("rated")
