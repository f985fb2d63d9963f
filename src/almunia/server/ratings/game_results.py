"""Results of finished games, and the ratings they change.

All of it is written in the transaction that ends the game, so every game counts once, in the order of the ends. Rated
games change ratings one after the other: each locks the row with the last number. Everything can be computed again from
the results (`recompute`).

The rules of rating follow comparable sites:

- A table is rated from its start or never: without hints, chosen seed or deal, lesson, challenge or fork, for two or
more players, of whom nobody holds two seats. The host may choose an unrated table.
- With open seats it is dealt when the last one is taken (`TableService.commit`), so no host sees the deal and then
chooses whom to invite.
- The game begins with the deal. A player who resigns, loses on time or lets it expire after that is last. So is a
player who gives up among several, or lets a bot move for them, whatever the bot's result.
- A player who does so before their fifth own move raises no rating: the others are rated among themselves.
- If a game ends early, those who stayed are rated against those who gave it up, and not against each other.
- A newcomer to a title has fewer than five rated games against bots, or against different people who are not
newcomers. A newcomer changes only ratings of newcomers. Leaderboards list no newcomers.
- A player who is no longer a newcomer is rated again, by their games against players who were not newcomers: points
that newcomers have won from each other are dropped.
- A game in which nothing changed a player's rating is not one of their rated games.
- Of the games between the same two people within 30 days, the first weighs 1, the second 1/2, the third 1/4.
- A game with a takeback by consent, an end by consent or a failed bot changes no rating.

Results store what decided about the rating, so that computing them again gives the same.
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
    BOT,
    BOT_FAILED,
    MOVE,
    OPEN,
    PERSON,
    PLAYER_JOINED,
    PLAYER_LEFT,
    RESIGN,
    RETURNED,
    SUBSTITUTED,
    TAKEBACK,
    UNDO,
    Table,
    TableEvent,
)
from ..tokens import new_guest_id
from . import ratings
from .ratings import Rating

MIN_PLAYERS = 2
EARLY_MOVES = 5  # own moves: a player who gives up before the last of them raises no rating
REPEAT_SECONDS = 30 * DAY  # in which each further game of the same two people weighs half the one before
r = schema.result.c


class SeatResult(NamedTuple):
    """The result of a seat."""

    rank: int | None
    played_to_end: bool  # by this player alone
    gave_up_early: bool = False  # after few moves


# --- what may be rated -----------------------------------------------------------------------------


def may_be_rated(table: Table) -> bool:
    """Return whether a table with these settings and seats may be rated."""
    people = [table.seats[p].player for p in table.human_seats]
    plain = not (table.hints or table.is_deal_public or table.lesson or table.challenge)
    return plain and len(table.seats) >= MIN_PLAYERS and len(people) == len(set(people))


def is_decided(table: Table) -> bool:
    """Return whether a finished game has a winner: it was played to its end, or a seat gave it up."""
    return not table.end_reason or table.resigned_seat is not None


def changes_ratings(before: Table, after: Table, entries: Sequence[TableEvent]) -> bool:
    """Return whether a game that is over now, and was not `before`, changes ratings."""
    kinds = {entry.kind for entry in entries}
    counts = after.rated and may_be_rated(after) and not before.awaits_deal
    return counts and is_decided(after) and not kinds & {TAKEBACK, BOT_FAILED}


def seat_results(
    table: Table, entries: Sequence[TableEvent], ranks: Sequence[int] | None, quitters: Collection[int]
) -> list[SeatResult]:
    """Return the result of every seat; `ranks` are those of a game that was played to its end.

    The `quitters` are last, and so are players for whom a bot has moved, however the game ended.
    """
    whole, count = not table.end_reason, len(table.seats)
    reached = ranks if whole else [1] * count if is_decided(table) else None  # those who stayed are equal
    if reached is None:
        return [SeatResult(None, played_to_end=False)] * count
    out = substituted_seats(entries).union(quitters)
    stayed = [rank for seat, rank in enumerate(reached) if seat not in out]
    last = len(stayed) + 1 if stayed else count  # if no player stayed, none has won
    return [
        SeatResult(last, played_to_end=False, gave_up_early=is_early(entries, seat))
        if seat in out
        else SeatResult(1 + sum(other < rank for other in stayed), whole)
        for seat, rank in enumerate(reached)
    ]


def is_early(entries: Sequence[TableEvent], seat: int) -> bool:
    """Return whether the player in a seat has given up after few moves."""
    return own_moves(entries)[seat] < EARLY_MOVES


def own_moves(entries: Sequence[TableEvent]) -> Counter[int]:
    """Return the number of effective moves by seat that its player chose, not a substitute bot."""
    away: set[int] = set()
    moves: list[tuple[int, bool]] = []  # seat of each effective move, and whether its player chose it
    for entry in entries:
        if entry.kind == MOVE:
            moves.append((entry.seat, not entry.same_choice and entry.seat not in away))
        elif entry.kind == UNDO:
            moves.pop()
        elif entry.kind in (SUBSTITUTED, RESIGN, PLAYER_LEFT):
            away.add(entry.seat)
        elif entry.kind in (RETURNED, PLAYER_JOINED):
            away.discard(entry.seat)
    return Counter(seat for seat, own in moves if own)


def substituted_seats(entries: Sequence[TableEvent]) -> set[int]:
    """Return the seats of people for whom a bot has moved."""
    away: set[int] = set()
    found: set[int] = set()
    for entry in entries:
        if entry.kind == SUBSTITUTED:
            away.add(entry.seat)
        elif entry.kind == RETURNED:
            away.discard(entry.seat)
        elif entry.kind == MOVE and entry.seat in away:
            found.add(entry.seat)
    return found


# --- writing results --------------------------------------------------------------------------------


def result_writer(
    before: Table, after: Table, entries: Sequence[TableEvent], ranks: Sequence[int] | None
) -> Callable[[Connection], None] | None:
    """Return the function that writes the results of a change at a table; None if there are none."""
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
        facts = _result_row(after, seat, now) | {"kind": PERSON, "player": before.seats[seat].player, "points": None}
        db.execute(insert(schema.result), {**facts, "rank": None, "whole": False, "early": False})
    if before.finished or not after.finished:
        return
    gone = set(db.execute(select(r.seat).where(r.table == after.id)).scalars())
    quitting = gone if after.resigned_seat is None else {*gone, after.resigned_seat}
    found = seat_results(after, entries, ranks, quitting)
    for seat in gone:
        facts = {"rank": found[seat].rank, "early": found[seat].gave_up_early}
        db.execute(update(schema.result).where(r.table == after.id, r.seat == seat), facts)
    staying = [seat for seat, sitter in enumerate(after.seats) if sitter.kind != OPEN and seat not in gone]
    if staying:
        rows = [_result_row(after, seat, now) | _seat_columns(found[seat]) for seat in staying]
        db.execute(insert(schema.result), rows)
    _finish_daily_attempt(db, after, found, now)
    if changes_ratings(before, after, entries):
        _rate(db, after.id, now)


def _seat_columns(result: SeatResult) -> dict[str, Any]:
    return {"rank": result.rank, "whole": result.played_to_end, "early": result.gave_up_early}


def _result_row(table: Table, seat: int, now: float) -> dict[str, Any]:
    people = [table.seats[p].player for p in table.human_seats]
    plain = not (table.challenge or table.lesson or table.is_deal_public) and len(people) == len(set(people))
    sitter, points = table.seats[seat], table.result[seat] if table.result and is_decided(table) else None
    facts = {"table": table.id, "seat": seat, "kind": sitter.kind, "player": sitter.player, "game": table.game}
    facts |= {"newcomer": False, "weight": 1.0}
    return {**facts, "seats": len(table.seats), "points": points, "counts": plain and not table.daily, "at": now}


def _finish_daily_attempt(db: Connection, table: Table, found: Sequence[SeatResult], now: float) -> None:
    """Write the result of an attempt at a daily deal."""
    if table.daily and table.result:
        tried, place = schema.daily_try.c, found[0]
        facts = {"finished": now, "points": table.result[0] if place.played_to_end else None, "rank": place.rank}
        db.execute(update(schema.daily_try).where(tried.table == table.id), facts)


# --- ratings ---------------------------------------------------------------------------------------

NEXT_NUMBER = update(schema.rating_order).values(last=schema.rating_order.c.last + 1)
UPDATE_RATING_CHANGE = (
    update(schema.result)
    .where(r.table == bindparam("its_table"), r.seat == bindparam("its_seat"))
    .values(
        {
            name: bindparam(f"its_{name}")
            for name in ("number", "mu_before", "sigma_before", "mu", "sigma", "newcomer", "weight")
        }
    )
)
RATING_CHANGE_PARAMETERS = (
    "its_number",
    "its_mu_before",
    "its_sigma_before",
    "its_mu",
    "its_sigma",
    "its_newcomer",
    "its_weight",
)
OWN, OTHER = schema.result.alias("own"), schema.result.alias("other")


class FinalResult(NamedTuple):
    """A player's result in a rated game, with the rating before."""

    before: Rating
    rank: int
    is_newcomer: bool = False  # changes only ratings of newcomers
    gave_up_early: bool = False  # after few moves: changes no rating of others
    weight: float = 1.0  # of this game for the player's rating
    played_to_end: bool = True  # if not, equal ranks are not compared


def ratings_after(players: Sequence[FinalResult]) -> list[Rating]:
    """Return the ratings after a game, each changed by those who may change it.

    A newcomer changes no rating of others: else a person with ever new guests could raise a rating by losing to it. The
    same holds for players who give up at once. Players who share a place without a full game are not compared: neither
    those who stayed in a game that ended early, nor those who gave it up.
    """
    return [_rating_after(players, seat) for seat in range(len(players))]


def _rating_after(players: Sequence[FinalResult], seat: int) -> Rating:
    own = players[seat]
    among = [number for number, other in enumerate(players) if number == seat or is_compared(own, other)]
    if len(among) < MIN_PLAYERS:
        return own.before
    after = ratings.rate([players[one].before for one in among], [players[one].rank for one in among])
    return weighted(own.before, after[among.index(seat)], own.weight)


def is_compared(own: FinalResult, other: FinalResult) -> bool:
    """Return whether a game between two players changes the rating of the first one."""
    tied = own.rank == other.rank and not own.played_to_end
    return not (tied or other.gave_up_early or (other.is_newcomer and not own.is_newcomer))


def recomputed_rating(db: Connection, guest: str, game: str, number: int) -> Rating:
    """Return a player's rating after a numbered game, from all games against players who were not newcomers."""
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
        players[seat] = players[seat]._replace(before=rating, is_newcomer=False)
        rating = _rating_after(players, seat)
    return rating


def weighted(before: Rating, after: Rating, weight: float) -> Rating:
    """Return the rating on its way from one to another, of which 0 is nothing and 1 all; the variance goes evenly."""
    if weight == 1.0:
        return after
    variance = before.sigma**2 + weight * (after.sigma**2 - before.sigma**2)
    return Rating(before.mu + weight * (after.mu - before.mu), sqrt(variance))


def _rate(db: Connection, table: str, now: float) -> None:
    """Give a game the next number, and update the ratings of its players."""
    rows = list(db.execute(select(schema.result).where(r.table == table, r.rank.is_not(None)).order_by(r.seat)))
    fixed = {row.seat: ratings.bot_rating(row.game, row.player) for row in rows if row.kind == BOT}
    rows = [row for row in rows if row.kind == PERSON or fixed[row.seat]]
    if len(rows) < MIN_PLAYERS or all(row.kind == BOT for row in rows):
        return
    db.execute(NEXT_NUMBER)
    number = db.execute(select(schema.rating_order.c.last)).scalar_one()
    people = [row.player for row in rows if row.kind == PERSON]
    known = ratings_of(db, people, rows[0].game)
    newcomers = newcomers_among(db, people, rows[0].game)
    weights = weights_of(db, people, rows[0].game, now - REPEAT_SECONDS)
    players = [
        FinalResult(fixed[row.seat] or Rating(), row.rank, played_to_end=row.whole)
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
    for row, player, rating in zip(rows, players, _apply_game(db, number, rows, players), strict=True):
        if row.kind == PERSON and rating != player.before:
            _save_rating(db, row.player, row.game, rating)


def _apply_game(db: Connection, number: int, rows: Sequence[Row[Any]], players: Sequence[FinalResult]) -> list[Rating]:
    """Write how a game has changed its players' ratings, and return them."""
    after = ratings_after(players)
    moved = zip(rows, players, after, strict=True)
    db.execute(UPDATE_RATING_CHANGE, [_rating_change_row(row, player, rating, number) for row, player, rating in moved])
    new = [row.player for row, player in zip(rows, players, strict=True) if player.is_newcomer]
    known = set(new) - newcomers_among(db, new, rows[0].game, number) if new else set()
    for seat, row in enumerate(rows):
        if row.kind == PERSON and row.player in known:
            after[seat] = recomputed_rating(db, row.player, row.game, number)
            db.execute(UPDATE_RATING_CHANGE, _rating_change_row(row, players[seat], after[seat], number))
    return after


def _rating_change_row(row: Row[Any], player: FinalResult, after: Rating, number: int) -> dict[str, Any]:
    """Return the columns of a result with its change of rating; ratings of bots do not change."""
    own = after if row.kind == PERSON else (None, None)
    values = (number, *player.before, *own, player.is_newcomer, player.weight)
    return {"its_table": row.table, "its_seat": row.seat, **dict(zip(RATING_CHANGE_PARAMETERS, values, strict=True))}


def newcomers_among(db: Connection, guests: Sequence[str], game: str, number: int | None = None) -> set[str]:
    """Return which guests are newcomers to the ratings of a game, now or after a numbered one."""
    row = db.execute(select(*(is_counted_in(literal(guest), literal(game), number) for guest in guests))).one()
    return {guest for guest, known in zip(guests, row, strict=True) if not known}


def is_counted_in(
    guest: ColumnElement[str], game: ColumnElement[str], number: int | None = None
) -> ColumnElement[bool]:
    """Return the condition that a guest is not a newcomer to the ratings of a game, now or after a numbered one.

    It takes enough games against enough different opponents who were not newcomers. Else a few guests could count each
    other in. Each game against bots counts as another opponent: bots arrange nothing, and without them there would be
    no first player. A player who has been counted in stays so.
    """
    own, o = OWN.c, OTHER.c
    theirs = (own.player == guest) & (own.game == game) & (own.kind == PERSON) & own.number.is_not(None)
    if number is not None:
        theirs &= own.number <= number
    opponent = case((o.kind == BOT, o.table), else_=o.player)
    met = (
        select(
            (func.count(o.table.distinct()) >= ratings.NEWCOMER_GAMES)
            & (func.count(opponent.distinct()) >= ratings.NEWCOMER_GAMES)
        )
        .select_from(OWN.join(OTHER, (o.table == own.table) & (o.seat != own.seat)))
        .where(theirs, own.early.is_(False))
        .where(o.number.is_not(None), o.early.is_(False), o.newcomer.is_(False))
        .scalar_subquery()
    )
    return or_(exists().where(theirs, own.newcomer.is_(False)), met)


def weights_of(db: Connection, guests: Collection[str], game: str, since: float) -> dict[str, float]:
    """Return the weight of a game for each guest in it: half for every game since a time between the same guests.

    For several guests, the pair with the most games counts. Bots cannot arrange to lose, so they do not count.
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


def _save_rating(db: Connection, guest: str, game: str, now: Rating) -> None:
    c = schema.rating.c
    facts = {"mu": now.mu, "sigma": now.sigma, "ordinal": now.ordinal}
    known = update(schema.rating).where(c.guest == guest, c.game == game).values(games=c.games + 1, **facts)
    if not db.execute(known).rowcount:
        db.execute(insert(schema.rating), {"guest": guest, "game": game, "games": 1, **facts})


def ratings_of(db: Connection, guests: Sequence[str], game: str) -> dict[str, Rating]:
    """Return the ratings of guests in a game, without guests who have none."""
    c = schema.rating.c
    rows = db.execute(select(c.guest, c.mu, c.sigma).where(c.guest.in_(guests), c.game == game))
    return {row.guest: Rating(row.mu, row.sigma) for row in rows}


def recompute(engine: Engine) -> tuple[int, int]:
    """Compute all ratings again from the rated games; return the number of games, and of changed ratings."""
    c = schema.rating.c
    with engine.begin() as db:
        db.execute(update(schema.rating_order).values(last=schema.rating_order.c.last))  # locks out other ratings
        rows = list(db.execute(select(schema.result).where(r.number.is_not(None)).order_by(r.number, r.seat)))
        old = {(row.guest, row.game): row[2:] for row in db.execute(select(c.guest, c.game, c.mu, c.sigma, c.games))}
        found: dict[tuple[str, str], tuple[float, float, int]] = {}
        games = 0
        for number, sitters in groupby(rows, lambda row: row.number):
            games += 1
            _replay_game(db, found, number, [*sitters])
        changed = {key for key in old.keys() | found.keys() if old.get(key) != found.get(key)}
        for guest, game in changed:
            db.execute(delete(schema.rating).where(c.guest == guest, c.game == game))
        new = [(key, found[key]) for key in changed if key in found]
        if new:
            db.execute(insert(schema.rating), [_rating_row(key, value) for key, value in new])
    return games, len(changed)


def _rating_row(key: tuple[str, str], value: tuple[float, float, int]) -> dict[str, Any]:
    (guest, game), (mu, sigma, games) = key, value
    facts = {"guest": guest, "game": game, "mu": mu, "sigma": sigma, "games": games}
    return {**facts, "ordinal": Rating(mu, sigma).ordinal}


def _replay_game(
    db: Connection, found: dict[tuple[str, str], tuple[float, float, int]], number: int, rows: Sequence[Row[Any]]
) -> None:
    """Rate a game again, with the bots' ratings, newcomers and weights of that time."""
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
    after = _apply_game(db, number, rows, players)
    for row, player, was, now in zip(rows, players, known, after, strict=True):
        if row.kind == PERSON and now != player.before:
            found[row.player, row.game] = *now, was[2] + 1


# --- personal data ---------------------------------------------------------------------------------


def export(db: Connection, guest: str) -> dict[str, list[dict[str, Any]]]:
    """Return all results and ratings of a guest."""
    own = select(schema.result).where(r.kind == PERSON, r.player == guest).order_by(r.at)
    rated = select(schema.rating).where(schema.rating.c.guest == guest).order_by(schema.rating.c.game)
    found = {"results": own, "ratings": rated}
    return {
        name: [{key: value for key, value in row.items() if key not in ("player", "guest")} for row in rows]
        for name, rows in ((name, db.execute(wanted).mappings()) for name, wanted in found.items())
    }


def merge(db: Connection, old: str, new: str) -> None:
    """Move results and ratings to another guest, who is the same person.

    If both have a rating in a game, that of the other guest stays, and so do the ratings of all others: the rated
    results of the first guest become anonymous. Results of both at the same table stay with each, as their seats do.
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


def erase(db: Connection, guest: str) -> None:
    """Make a guest's results anonymous. Ratings of others depend on them, so they stay."""
    nobody = new_guest_id()
    db.execute(update(schema.result).where(r.kind == PERSON, r.player == guest).values(player=nobody))
    db.execute(update(schema.rating).where(schema.rating.c.guest == guest).values(guest=nobody))
