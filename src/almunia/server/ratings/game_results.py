"""What is left of a game that is over: places and points, and whose ratings it moves.

All of it is written in the transaction that ends the game, so every game is counted once, in the order of their ends.
A rated game moves ratings one after the other: whoever rates locks the row that numbers them. Everything can be
computed again from what is written here (`recompute`).

What is rated, and what not, goes by what comparable sites do:

- A table is rated from its start or never: without hints, chosen seed or deal, lesson, challenge or position to go
  on from, for two or more players, of whom nobody holds two seats. Whoever opens it may choose that it is not rated.
- With open seats it is dealt when the last one is taken (`TableService.write`), so nobody sees the deal and then
  chooses whom to invite.
- The game begins with the deal. Whoever resigns, loses on time, or lets it expire after that, is last; so is whoever
  gives up among several, or lets a bot move for them, whatever the bot made of it.
- Whoever does so before their fifth move of their own raises nobody: the others are rated among themselves.
- If a game ends early, those who stayed are rated against those who gave it up, and not against each other.
- Whoever has fewer than five rated games in a title against bots, or against different people who are no newcomers
  there, is a newcomer, and moves no rating of anybody who is not. Leaderboards list no newcomers.
- Whoever is no newcomer any more is rated afresh from their games against those who were none: what newcomers have won
  from each other is forgotten.
- A game in which nothing moved a player's rating is none of their rated games.
- Of the games in which two people meet within 30 days, the first weighs 1, the second 1/2, the third 1/4.
- A game that went back by consent of all, ended by consent, or lost a bot to a fault, moves no rating.

What of that decided how a game was rated is written into its results, so that they are computed again as they were.
"""

from collections import Counter
from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import groupby
from math import sqrt
from typing import Any, NamedTuple

from sqlalchemy import (
    ColumnElement,
    Connection,
    Engine,
    Row,
    bindparam,
    case,
    delete,
    exists,
    func,
    insert,
    literal,
    or_,
    select,
    update,
)

from ..clock import DAY
from ..storage import schema
from ..tables.model import (
    ACT,
    BACK,
    BOT,
    FAIL,
    JOIN,
    LEAVE,
    OPEN,
    PERSON,
    RESIGN,
    REWIND,
    STAND_IN,
    UNDO,
    Table,
    TableEvent,
)
from ..tokens import new_guest_id
from . import ratings
from .ratings import Rating

PAIR = 2
EARLY_MOVES = 5  # of one's own: whoever gives up before the last of them raises nobody
REPEAT_SECONDS = 30 * DAY  # in which each further game of the same two people weighs half as much as the one before
r = schema.result.c


class Place(NamedTuple):
    """How a seat ended."""

    rank: int | None
    whole: bool  # was it played to the end, here by this player alone?
    early: bool = False  # was it given up after few moves?


# --- what may be rated -----------------------------------------------------------------------------


def may_be_rated(table: Table) -> bool:
    """May a table be rated that is opened so?"""
    people = [table.seats[p].player for p in table.people]
    plain = not (table.hints or table.deal_known or table.lesson or table.challenge)
    return plain and len(table.seats) >= PAIR and len(people) == len(set(people))


def is_decided(table: Table) -> bool:
    """Whether somebody has won a game that is over: it was played to its end, or a seat gave it up."""
    return not table.ended or table.gave_up is not None


def moves_ratings(before: Table, after: Table, entries: Sequence[TableEvent]) -> bool:
    """Whether a game moves ratings that was not over `before`, and is over now."""
    kinds = {entry.kind for entry in entries}
    counts = after.rated and may_be_rated(after) and not before.undealt
    return counts and is_decided(after) and not kinds & {REWIND, FAIL}


def places(
    table: Table, entries: Sequence[TableEvent], ranks: Sequence[int] | None, quitters: Collection[int]
) -> list[Place]:
    """Return how every seat ended; `ranks` are those of a game that was played to its end.

    Last are the `quitters`, and those for whom a bot has moved, however the game ended.
    """
    whole, count = not table.ended, len(table.seats)
    reached = ranks if whole else [1] * count if is_decided(table) else None  # nobody is ahead of others who stayed
    if reached is None:
        return [Place(None, whole=False)] * count
    out = helped(entries).union(quitters)
    stayed = [rank for seat, rank in enumerate(reached) if seat not in out]
    last = len(stayed) + 1 if stayed else count  # where nobody stayed, nobody has won
    return [
        Place(last, whole=False, early=is_early(entries, seat))
        if seat in out
        else Place(1 + sum(other < rank for other in stayed), whole)
        for seat, rank in enumerate(reached)
    ]


def is_early(entries: Sequence[TableEvent], seat: int) -> bool:
    """Whether the person in a seat, who has given up, had made few moves by then."""
    return own_moves(entries)[seat] < EARLY_MOVES


def own_moves(entries: Sequence[TableEvent]) -> Counter[int]:
    """The number of standing moves by seat that were chosen there, and not by a bot in its person's place."""
    away: set[int] = set()
    moves: list[tuple[int, bool]] = []  # seat of each standing act, and whether its person has chosen it
    for entry in entries:
        if entry.kind == ACT:
            moves.append((entry.seat, not entry.follows and entry.seat not in away))
        elif entry.kind == UNDO:
            moves.pop()
        elif entry.kind in (STAND_IN, RESIGN, LEAVE):
            away.add(entry.seat)
        elif entry.kind in (BACK, JOIN):
            away.discard(entry.seat)
    return Counter(seat for seat, own in moves if own)


def helped(entries: Sequence[TableEvent]) -> set[int]:
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
    before: Table, after: Table, entries: Sequence[TableEvent], ranks: Sequence[int] | None
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
    entries: Sequence[TableEvent],
    ranks: Sequence[int] | None,
    quitters: Sequence[int],
    db: Connection,
) -> None:
    now = entries[-1].time
    for seat in quitters:
        facts = _facts(after, seat, now) | {"kind": PERSON, "player": before.seats[seat].player, "points": None}
        db.execute(insert(schema.result), {**facts, "rank": None, "whole": False, "early": False})
    if before.finished or not after.finished:
        return
    gone = set(db.execute(select(r.seat).where(r.table == after.id)).scalars())
    quitting = gone if after.gave_up is None else {*gone, after.gave_up}
    found = places(after, entries, ranks, quitting)
    for seat in gone:
        facts = {"rank": found[seat].rank, "early": found[seat].early}
        db.execute(update(schema.result).where(r.table == after.id, r.seat == seat), facts)
    staying = [seat for seat, sitter in enumerate(after.seats) if sitter.kind != OPEN and seat not in gone]
    if staying:
        rows = [_facts(after, seat, now) | found[seat]._asdict() for seat in staying]
        db.execute(insert(schema.result), rows)
    _end_try(db, after, found, now)
    if moves_ratings(before, after, entries):
        _rate(db, after.id, now)


def _facts(table: Table, seat: int, now: float) -> dict[str, Any]:
    people = [table.seats[p].player for p in table.people]
    plain = not (table.challenge or table.lesson or table.deal_known) and len(people) == len(set(people))
    sitter, points = table.seats[seat], table.result[seat] if table.result and is_decided(table) else None
    facts = {"table": table.id, "seat": seat, "kind": sitter.kind, "player": sitter.player, "game": table.game}
    facts |= {"newcomer": False, "weight": 1.0}
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
    .values(
        {
            name: bindparam(f"its_{name}")
            for name in ("number", "mu_before", "sigma_before", "mu", "sigma", "newcomer", "weight")
        }
    )
)
NAMED = "its_number", "its_mu_before", "its_sigma_before", "its_mu", "its_sigma", "its_newcomer", "its_weight"
OWN, OTHER = schema.result.alias("own"), schema.result.alias("other")


class FinalResult(NamedTuple):
    """How somebody comes to a game that is rated, and out of it."""

    before: Rating
    rank: int
    newcomer: bool = False  # moves only the ratings of other newcomers
    early: bool = False  # gave up after few moves, and so moves nobody's rating
    weight: float = 1.0  # of this game for their rating
    whole: bool = True  # played to the end; else nothing is known between them and others of the same rank


def after_game(players: Sequence[FinalResult]) -> list[Rating]:
    """Return the ratings after a game, each moved by those who may move it.

    A newcomer moves no rating of anybody else: whoever comes again and again as somebody new could raise a rating by
    losing to it. Nor does whoever gives up at once. Those who share a place without having played to the end are not
    compared: neither those who stayed in a game that ended early, nor those who gave it up.
    """
    return [_after_game(players, seat) for seat in range(len(players))]


def _after_game(players: Sequence[FinalResult], seat: int) -> Rating:
    own = players[seat]
    among = [number for number, other in enumerate(players) if number == seat or is_compared(own, other)]
    if len(among) < PAIR:
        return own.before
    after = ratings.rated([players[one].before for one in among], [players[one].rank for one in among])
    return weighed(own.before, after[among.index(seat)], own.weight)


def is_compared(own: FinalResult, other: FinalResult) -> bool:
    """Whether a game between two players moves the rating of the first one."""
    tied = own.rank == other.rank and not own.whole
    return not (tied or other.early or (other.newcomer and not own.newcomer))


def rated_afresh(db: Connection, guest: str, game: str, number: int) -> Rating:
    """Return the rating of somebody after a numbered game, by all that they have played against no newcomers."""
    own, o = OWN.c, OTHER.c
    rows = db.execute(
        select(OTHER)
        .join(OWN, o.table == own.table)
        .where(own.player == guest, own.kind == PERSON, own.game == game, own.number <= number, o.number.is_not(None))
        .order_by(o.number, o.seat)
    )
    rating = Rating()
    for _, sitters in groupby(rows, lambda row: row.number):
        game_rows = list(sitters)
        seat = next(seat for seat, row in enumerate(game_rows) if row.kind == PERSON and row.player == guest)
        players = [
            FinalResult(
                Rating(row.mu_before, row.sigma_before), row.rank, row.newcomer, row.early, row.weight, row.whole
            )
            for row in game_rows
        ]
        players[seat] = players[seat]._replace(before=rating, newcomer=False)
        rating = _after_game(players, seat)
    return rating


def weighed(before: Rating, after: Rating, weight: float) -> Rating:
    """Return the rating on its way from one to another, of which 0 is nothing and 1 all; the variance goes evenly."""
    if weight == 1.0:
        return after
    variance = before.sigma**2 + weight * (after.sigma**2 - before.sigma**2)
    return Rating(before.mu + weight * (after.mu - before.mu), sqrt(variance))


def _rate(db: Connection, table: str, now: float) -> None:
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
    newcomers = newcomers_among(db, people, rows[0].game)
    weights = weights_of(db, people, rows[0].game, now - REPEAT_SECONDS)
    players = [
        FinalResult(fixed[row.seat] or Rating(), row.rank, whole=row.whole)
        if row.kind == BOT
        else FinalResult(
            known.get(row.player, Rating()),
            row.rank,
            row.player in newcomers,
            row.early,
            weights[row.player],
            row.whole,
        )
        for row in rows
    ]
    for row, player, rating in zip(rows, players, _move(db, number, rows, players), strict=True):
        if row.kind == PERSON and rating != player.before:
            _put(db, row.player, row.game, rating)


def _move(db: Connection, number: int, rows: Sequence[Row[Any]], players: Sequence[FinalResult]) -> list[Rating]:
    """Write how a game has moved the ratings of those who played it, and return them."""
    after = after_game(players)
    moved = zip(rows, players, after, strict=True)
    db.execute(MOVED, [_moved(row, player, rating, number) for row, player, rating in moved])
    new = [row.player for row, player in zip(rows, players, strict=True) if player.newcomer]
    known = set(new) - newcomers_among(db, new, rows[0].game, number) if new else set()
    for seat, row in enumerate(rows):
        if row.kind == PERSON and row.player in known:
            after[seat] = rated_afresh(db, row.player, row.game, number)
            db.execute(MOVED, _moved(row, players[seat], after[seat], number))
    return after


def _moved(row: Row[Any], player: FinalResult, after: Rating, number: int) -> dict[str, Any]:
    """Return what is written to a result of how its rating has moved; those of bots stay where they are."""
    own = after if row.kind == PERSON else (None, None)
    values = (number, *player.before, *own, player.newcomer, player.weight)
    return {"its_table": row.table, "its_seat": row.seat, **dict(zip(NAMED, values, strict=True))}


def newcomers_among(db: Connection, guests: Sequence[str], game: str, number: int | None = None) -> set[str]:
    """Return those among some guests who are newcomers to the ratings of a game, or were after a numbered one."""
    row = db.execute(select(*(is_counted_in(literal(guest), literal(game), number) for guest in guests))).one()
    return {guest for guest, known in zip(guests, row, strict=True) if not known}


def is_counted_in(
    guest: ColumnElement[str], game: ColumnElement[str], number: int | None = None
) -> ColumnElement[bool]:
    """Return the condition that a guest is no newcomer to the ratings of a game, and so moves those of all others.

    With a number, that they were none any more after the game that has it.

    It takes enough games against enough different opponents who were no newcomers themselves. Else a few guests could
    count each other in. Each game against bots is one against another opponent: bots arrange nothing, and without them
    nobody would be the first. Whoever has been counted in stays so.
    """
    own, o = OWN.c, OTHER.c
    theirs = (own.player == guest) & (own.game == game) & (own.kind == PERSON) & own.number.is_not(None)
    if number is not None:
        theirs &= own.number <= number
    opponent = case((o.kind == BOT, o.table), else_=o.player)
    met = (
        select((func.count(o.table.distinct()) >= ratings.ENOUGH) & (func.count(opponent.distinct()) >= ratings.ENOUGH))
        .select_from(OWN.join(OTHER, (o.table == own.table) & (o.seat != own.seat)))
        .where(theirs, own.early.is_(False))
        .where(o.number.is_not(None), o.early.is_(False), o.newcomer.is_(False))
        .scalar_subquery()
    )
    return or_(exists().where(theirs, own.newcomer.is_(False)), met)


def weights_of(db: Connection, guests: Collection[str], game: str, since: float) -> dict[str, float]:
    """Return how much a game weighs for each of the guests who meet in it: half as much with every game since then.

    If several of them have met, those count who met most often. Bots cannot arrange to lose, so they do not count.
    """
    o = OTHER.c
    met = (
        select(r.player, func.count().label("games"))
        .join(OTHER, (o.table == r.table) & (o.seat != r.seat))
        .where(r.kind == PERSON, r.player.in_(guests), r.game == game, r.number.is_not(None), r.at > since)
        .where(o.kind == PERSON, o.player.in_(guests))
        .group_by(r.player, o.player)
    )
    most: dict[str, int] = dict.fromkeys(guests, 0)
    for row in db.execute(met):
        most[row.player] = max(most[row.player], row.games)
    return {guest: 0.5**games for guest, games in most.items()}


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
    """Rate a game again, with the bots as they were then, and as newcomers and weights were."""
    new = *Rating(), 0
    known = [found.get((row.player, row.game), new) for row in rows]
    players = [
        FinalResult(
            Rating(row.mu_before, row.sigma_before) if row.kind == BOT else Rating(*was[:2]),
            row.rank,
            row.newcomer,
            row.early,
            row.weight,
            row.whole,
        )
        for row, was in zip(rows, known, strict=True)
    ]
    after = _move(db, number, rows, players)
    for row, player, was, now in zip(rows, players, known, after, strict=True):
        if row.kind == PERSON and now != player.before:
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
    c, nobody = schema.rating.c, new_guest_id()
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
    nobody = new_guest_id()
    db.execute(update(schema.result).where(r.kind == PERSON, r.player == guest).values(player=nobody))
    db.execute(update(schema.rating).where(schema.rating.c.guest == guest).values(guest=nobody))
