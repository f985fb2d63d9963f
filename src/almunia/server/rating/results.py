"""What is left of a game that is over: places and points, and whose ratings it moves.

All of it is written in the transaction that ends the game, so every game is counted once, in the order of their ends.
A rated game moves ratings one after the other: whoever rates locks the row that numbers them. Everything can be
computed again from what is written here (`recompute`).

What is rated, and what not, goes by what comparable sites do:

- A table is rated from its start or never: without hints, chosen seed, lesson, challenge or position to go on from,
  for two or more players, of whom nobody holds two seats. Whoever opens it may choose that it is not rated.
- With open seats it is dealt when the last one is taken (`Tables.write`), so nobody looks at the deal before inviting.
- Who resigns, or loses on time, has lost. If somebody has not moved by then, nobody's rating moves.
- Who has given up among several, or let a bot move for them, is last, whatever the bot made of it.
- Who has fewer than five rated games in a title is new there, and moves no rating of anybody who is not.
- A game that went back by consent of all, ended by consent, or lost a bot to a fault, moves no rating.
"""

from collections.abc import Callable, Sequence
from functools import partial
from itertools import groupby
from typing import Any, NamedTuple

from sqlalchemy import Connection, Engine, Row, bindparam, delete, insert, select, update

from ..secret import guest_token
from ..storage import schema
from ..storage.store import ACT, BACK, BOT, FAIL, OPEN, PERSON, RESIGNED, REWIND, STAND_IN, TIMED_OUT, Entry, Table
from . import ratings
from .ratings import Rating

PAIR = 2
LOST = ("", RESIGNED, TIMED_OUT)  # the ends after which somebody has won
r = schema.result.c


class Place(NamedTuple):
    """How a seat ended."""

    rank: int | None
    whole: bool  # was it played to the end, here by this player alone?


# --- what may be rated -----------------------------------------------------------------------------


def may_be_rated(table: Table) -> bool:
    """May a table be rated that is opened so?"""
    people = [table.seats[p].player for p in table.people]
    plain = not (table.hints or table.seed_known or table.lesson or table.challenge) and table.played_on is None
    return plain and len(table.seats) >= PAIR and len(people) == len(set(people))


def moves_ratings(table: Table, entries: Sequence[Entry]) -> bool:
    """Does a game that has ended so move ratings?"""
    kinds, moved = {entry.kind for entry in entries}, {entry.seat for entry in entries if entry.kind == ACT}
    begun = not table.ended or moved == set(range(len(table.seats)))
    return table.rated and may_be_rated(table) and table.ended in LOST and begun and not kinds & {REWIND, FAIL}


def places(table: Table, entries: Sequence[Entry], ranks: Sequence[int] | None, quitters: set[int]) -> list[Place]:
    """How every seat ended; `ranks` are those of a game that was played to its end, `quitters` have given up."""
    if table.gave_up is not None:
        return [Place(1 + (seat == table.gave_up), whole=False) for seat in range(len(table.seats))]
    if ranks is None or table.ended:
        return [Place(None, whole=False)] * len(table.seats)
    out = quitters | helped(entries)
    stayed = [rank for seat, rank in enumerate(ranks) if seat not in out]
    last = len(stayed) + 1
    return [
        Place(last, whole=False) if seat in out else Place(1 + sum(other < rank for other in stayed), whole=True)
        for seat, rank in enumerate(ranks)
    ]


def helped(entries: Sequence[Entry]) -> set[int]:
    """The seats of people for whom a bot has moved."""
    away: set[int] = set()
    found: set[int] = set()
    for entry in entries:
        if entry.kind == STAND_IN:
            away.add(entry.seat)
        elif entry.kind == BACK:
            away.discard(entry.seat)
        elif entry.kind == ACT and entry.seat in away:
            found.add(entry.seat)
    return found


# --- writing it ------------------------------------------------------------------------------------


def left_by(
    before: Table, after: Table, entries: Sequence[Entry], ranks: Sequence[int] | None
) -> Callable[[Connection], None] | None:
    """What is to be written with what has happened at a table; None if nothing is."""
    pairs = enumerate(zip(before.seats, after.seats, strict=True))
    quitters = [seat for seat, (was, now) in pairs if (was.kind, now.kind) == (PERSON, BOT)]
    if not quitters and (before.finished or not after.finished):
        return None
    return partial(_write, before, after, entries, ranks, quitters)


def _write(
    before: Table,
    after: Table,
    entries: Sequence[Entry],
    ranks: Sequence[int] | None,
    quitters: Sequence[int],
    db: Connection,
) -> None:
    now = entries[-1].time
    for seat in quitters:
        facts = _facts(after, seat, now) | {"kind": PERSON, "player": before.seats[seat].player, "points": None}
        db.execute(insert(schema.result), {**facts, "rank": None, "whole": False})
    if before.finished or not after.finished:
        return
    gone = set(db.execute(select(r.seat).where(r.table == after.id)).scalars())
    found = places(after, entries, ranks, gone)
    for seat in gone:
        db.execute(update(schema.result).where(r.table == after.id, r.seat == seat), {"rank": found[seat].rank})
    staying = [seat for seat, sitter in enumerate(after.seats) if sitter.kind != OPEN and seat not in gone]
    if staying:
        rows = [_facts(after, seat, now) | found[seat]._asdict() for seat in staying]
        db.execute(insert(schema.result), rows)
    _end_try(db, after, found, now)
    if moves_ratings(after, entries):
        _rate(db, after.id)


def _facts(table: Table, seat: int, now: float) -> dict[str, Any]:
    people = [table.seats[p].player for p in table.people]
    plain = not (table.challenge or table.lesson or table.seed_known) and table.played_on is None
    plain = plain and len(people) == len(set(people))
    sitter, points = table.seats[seat], table.result[seat] if table.result and table.ended in LOST else None
    facts = {"table": table.id, "seat": seat, "kind": sitter.kind, "player": sitter.player, "game": table.game}
    return {**facts, "seats": len(table.seats), "points": points, "counts": plain and not table.daily, "at": now}


def _end_try(db: Connection, table: Table, found: Sequence[Place], now: float) -> None:
    """Write down what somebody has reached in a daily deal."""
    if table.daily and table.result:
        tried, place = schema.daily_try.c, found[0]
        facts = {"finished": now, "points": table.result[0] if place.whole else None, "rank": place.rank}
        db.execute(update(schema.daily_try).where(tried.table == table.id), facts)


# --- ratings ---------------------------------------------------------------------------------------

NEXT = update(schema.rating_order).values(last=schema.rating_order.c.last + 1)
MOVED = (
    update(schema.result)
    .where(r.table == bindparam("its_table"), r.seat == bindparam("its_seat"))
    .values({name: bindparam(f"its_{name}") for name in ("number", "mu_before", "sigma_before", "mu", "sigma")})
)
NAMED = "its_number", "its_mu_before", "its_sigma_before", "its_mu", "its_sigma"


def after_game(before: Sequence[Rating], ranks: Sequence[int], new: Sequence[bool]) -> list[Rating]:
    """The ratings after a game. Those who are still new move nobody's but their own and each other's.

    Otherwise whoever comes again and again as somebody else could raise a rating by beating them.
    """
    after, known = ratings.rated(before, ranks), [seat for seat, fresh in enumerate(new) if not fresh]
    if len(known) == len(new):
        return after
    among = [before[seat] for seat in known]
    if len(known) >= PAIR:
        among = ratings.rated(among, [ranks[seat] for seat in known])
    for seat, rating in zip(known, among, strict=True):
        after[seat] = rating
    return after


def _rate(db: Connection, table: str) -> None:
    """Number a game, and move the ratings of those who played it."""
    rows = list(db.execute(select(schema.result).where(r.table == table, r.rank.is_not(None)).order_by(r.seat)))
    fixed = {row.seat: ratings.of_bot(row.game, row.player) for row in rows if row.kind == BOT}
    rows = [row for row in rows if row.kind == PERSON or fixed[row.seat]]
    if len(rows) < PAIR or all(row.kind == BOT for row in rows):
        return
    db.execute(NEXT)
    number = db.execute(select(schema.rating_order.c.last)).scalar_one()
    people = [row.player for row in rows if row.kind == PERSON]
    known = ratings_of(db, people, rows[0].game)
    played = games_of(db, people, rows[0].game)
    before = [fixed.get(row.seat) or known.get(row.player, Rating()) for row in rows]
    new = [row.kind == PERSON and played.get(row.player, 0) < ratings.ENOUGH for row in rows]
    after = after_game(before, [row.rank for row in rows], new)
    moved = [(row, was, now) for row, was, now in zip(rows, before, after, strict=True)]
    db.execute(MOVED, [_moved(row, number, was, now) for row, was, now in moved])
    for row, _, now in moved:
        if row.kind == PERSON:
            _put(db, row.player, row.game, now)


def _moved(row: Row[Any], number: int, was: Rating, now: Rating) -> dict[str, Any]:
    """What is written to a result of how its rating has moved; those of bots stay where they are."""
    own = now if row.kind == PERSON else (None, None)
    return {"its_table": row.table, "its_seat": row.seat, **dict(zip(NAMED, (number, *was, *own), strict=True))}


def _put(db: Connection, guest: str, game: str, now: Rating) -> None:
    c = schema.rating.c
    facts = {"mu": now.mu, "sigma": now.sigma, "ordinal": now.ordinal}
    known = update(schema.rating).where(c.guest == guest, c.game == game).values(games=c.games + 1, **facts)
    if not db.execute(known).rowcount:
        db.execute(insert(schema.rating), {"guest": guest, "game": game, "games": 1, **facts})


def ratings_of(db: Connection, guests: Sequence[str], game: str) -> dict[str, Rating]:
    """The ratings of those among some guests who have one in a game."""
    c = schema.rating.c
    rows = db.execute(select(c.guest, c.mu, c.sigma).where(c.guest.in_(guests), c.game == game))
    return {row.guest: Rating(row.mu, row.sigma) for row in rows}


def games_of(db: Connection, guests: Sequence[str], game: str) -> dict[str, int]:
    """How many rated games those among some guests have who have a rating in a game."""
    c = schema.rating.c
    rows = db.execute(select(c.guest, c.games).where(c.guest.in_(guests), c.game == game))
    return {row.guest: row.games for row in rows}


def recompute(engine: Engine) -> tuple[int, int]:
    """Compute all ratings again from the rated games; how many games those are, and how many ratings it has changed."""
    c = schema.rating.c
    with engine.begin() as db:
        db.execute(update(schema.rating_order).values(last=schema.rating_order.c.last))  # nobody else rates meanwhile
        rows = list(db.execute(select(schema.result).where(r.number.is_not(None)).order_by(r.number, r.seat)))
        old = {(row.guest, row.game): row[2:] for row in db.execute(select(c.guest, c.game, c.mu, c.sigma, c.games))}
        found: dict[tuple[str, str], tuple[float, float, int]] = {}
        games = 0
        for number, sitters in groupby(rows, lambda row: row.number):
            games += 1
            _follow(db, found, number, [*sitters])
        changed = {key for key in old.keys() | found.keys() if old.get(key) != found.get(key)}
        for guest, game in changed:
            db.execute(delete(schema.rating).where(c.guest == guest, c.game == game))
        new = [(key, found[key]) for key in changed if key in found]
        if new:
            db.execute(insert(schema.rating), [_row(key, value) for key, value in new])
    return games, len(changed)


def _row(key: tuple[str, str], value: tuple[float, float, int]) -> dict[str, Any]:
    (guest, game), (mu, sigma, games) = key, value
    facts = {"guest": guest, "game": game, "mu": mu, "sigma": sigma, "games": games}
    return {**facts, "ordinal": Rating(mu, sigma).ordinal}


def _follow(
    db: Connection, found: dict[tuple[str, str], tuple[float, float, int]], number: int, rows: Sequence[Row[Any]]
) -> None:
    """Rate a game again, with the bots as they were then."""
    new = *Rating(), 0
    known = [found.get((row.player, row.game), new) for row in rows]
    before = [
        Rating(row.mu_before, row.sigma_before) if row.kind == BOT else Rating(*was[:2])
        for row, was in zip(rows, known, strict=True)
    ]
    fresh = [row.kind == PERSON and was[2] < ratings.ENOUGH for row, was in zip(rows, known, strict=True)]
    after = after_game(before, [row.rank for row in rows], fresh)
    db.execute(MOVED, [_moved(row, number, *both) for row, *both in zip(rows, before, after, strict=True)])
    for row, was, now in zip(rows, known, after, strict=True):
        if row.kind == PERSON:
            found[row.player, row.game] = *now, was[2] + 1


# --- what a guest may ask for ----------------------------------------------------------------------


def export(db: Connection, guest: str) -> dict[str, list[dict[str, Any]]]:
    """All results and ratings of a guest."""
    own = select(schema.result).where(r.kind == PERSON, r.player == guest).order_by(r.at)
    rated = select(schema.rating).where(schema.rating.c.guest == guest).order_by(schema.rating.c.game)
    found = {"results": own, "ratings": rated}
    return {
        name: [{key: value for key, value in row.items() if key not in ("player", "guest")} for row in rows]
        for name, rows in ((name, db.execute(wanted).mappings()) for name, wanted in found.items())
    }


def move(db: Connection, old: str, new: str) -> None:
    """Let results and ratings belong to another guest, who is the same person.

    Where both have a rating in a game, that of the other guest stays as it is, and so do all others': the rated results
    of the first one are then nobody's. What both have from the same table stays with each, as their seats do.
    """
    c, nobody = schema.rating.c, guest_token()
    rated = select(c.game).where(c.guest == new)
    both = list(db.execute(select(c.game).where(c.guest == old, c.game.in_(rated))).scalars())
    theirs = (r.kind == PERSON, r.player == old)
    db.execute(update(schema.result).where(*theirs, r.number.is_not(None), r.game.in_(both)).values(player=nobody))
    shared = select(r.table).where(r.kind == PERSON, r.player == new)
    db.execute(update(schema.result).where(*theirs, r.table.not_in(shared)).values(player=new))
    db.execute(update(schema.rating).where(c.guest == old, c.game.in_(both)).values(guest=nobody))
    db.execute(update(schema.rating).where(c.guest == old).values(guest=new))


def forget(db: Connection, guest: str) -> None:
    """Forget whose results these are. Others' ratings depend on them, so the results stay, of nobody known."""
    nobody = guest_token()
    db.execute(update(schema.result).where(r.kind == PERSON, r.player == guest).values(player=nobody))
    db.execute(update(schema.rating).where(schema.rating.c.guest == guest).values(guest=nobody))
