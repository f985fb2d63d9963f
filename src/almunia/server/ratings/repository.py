"""The SQL of results and ratings.

Results store what decided about the ratings, so that `recompute` gives the same ratings.
"""

from collections.abc import Callable, Collection, Sequence
from functools import partial
from itertools import groupby
from statistics import median_low
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

from ...core.english import pluralize
from ..clock import DAY
from ..storage import schema
from ..storage.database import read_connection
from ..tables.model import BOT, FINISHED, OPEN, PERSON, Table, TableEvent, is_deal_fixed
from ..tokens import new_guest_id
from . import ratings
from .game_results import SeatResult, changes_ratings, counts_for_players, is_decided, seat_results
from .ratings import MIN_PLAYERS, FinalResult, Rating

REPEAT_SECONDS = 30 * DAY  # in which each further game of the same two people weighs half the one before
MIN_GAMES = 3  # for a median
r, g, t, s = schema.result.c, schema.rating.c, schema.game_table.c, schema.seat.c
OWN, OTHER = schema.result.alias("own"), schema.result.alias("other")
SAVE_CHANGE = update(schema.result).where(r.table == bindparam("its_table"), r.seat == bindparam("its_seat"))


class PlayerStats(NamedTuple):
    games: int = 0
    median: int = 0
    best: int = 0

    def __str__(self) -> str:
        if not self.games:
            return "new to this game"
        usual = f", usually {self.median}" if self.games >= MIN_GAMES else ""
        return f"{pluralize(self.games, 'game')}{usual}, best {self.best}"


def player_stats(engine: Engine, guests: Collection[str], game: str) -> dict[str, PlayerStats]:
    """Return guests' statistics in a game.

    Only games count that were played to their end, with a secret deal, and in which the guest had one seat. Lessons,
    challenges and daily deals do not count.
    """
    whole = (t.game == game) & (t.status == FINISHED) & (t.end_reason == "")
    whole &= (t.challenge == "") & t.lesson.is_(False) & (t.daily == "")
    whole &= t.seed_is_public.is_(False) & t.forked_at.is_(None)
    wanted = select(t.id, s.player, s.seat, t.result, t.options).join(schema.seat, t.id == s.table)
    with read_connection(engine) as db:
        rows = db.execute(wanted.where(s.kind == PERSON, s.player.in_(guests), whole)).all()
    held: dict[tuple[str, str], list[int]] = {}
    for row in rows:
        if not is_deal_fixed(game, row.options):
            held.setdefault((row.id, row.player), []).append(row.result[row.seat])
    points: dict[str, list[int]] = {guest: [] for guest in guests}
    for (_, guest), results in held.items():
        if len(results) == 1:
            points[guest] += results
    return {guest: PlayerStats(len(p), median_low(p), max(p)) if p else PlayerStats() for guest, p in points.items()}


# --- writing results --------------------------------------------------------------------------------


def result_writer(
    before: Table, after: Table, entries: Sequence[TableEvent], ranks: Sequence[int] | None
) -> Callable[[Connection], None] | None:
    """Return the function that writes the results of a change at a table; None if the change has no results."""
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
    now = entries[-1].created_at
    for seat in quitters:
        own = {"kind": PERSON, "player": before.seats[seat].player, "points": None}
        db.execute(insert(schema.result), _result_row(after, seat, SeatResult(None, played_to_end=False), now) | own)
    if before.finished or not after.finished:
        return
    gone = set(db.execute(select(r.seat).where(r.table == after.id)).scalars())
    quitting = gone if after.resigned_seat is None else {*gone, after.resigned_seat}
    found = seat_results(after, entries, ranks, quitting)
    for seat in gone:
        facts = {"rank": found[seat].rank, "gave_up_early": found[seat].gave_up_early}
        db.execute(update(schema.result).where(r.table == after.id, r.seat == seat), facts)
    staying = [seat for seat, occupant in enumerate(after.seats) if occupant.kind != OPEN and seat not in gone]
    if staying:
        db.execute(insert(schema.result), [_result_row(after, seat, found[seat], now) for seat in staying])
    if after.daily and after.result:
        points = after.result[0] if found[0].played_to_end else None
        facts = {"finished_at": now, "points": points, "rank": found[0].rank}
        db.execute(update(schema.daily_attempt).where(schema.daily_attempt.c.table == after.id), facts)
    if changes_ratings(before, after, entries):
        _rate(db, after.id, now)


def _result_row(table: Table, seat: int, result: SeatResult, now: float) -> dict[str, Any]:
    occupant = table.seats[seat]
    return {
        "table": table.id,
        "seat": seat,
        "kind": occupant.kind,
        "player": occupant.player,
        "game": table.game,
        "seats": len(table.seats),
        "points": table.result[seat] if table.result and is_decided(table) else None,
        "rank": result.rank,
        "played_to_end": result.played_to_end,
        "gave_up_early": result.gave_up_early,
        "counts_in_stats": counts_for_players(table) and not table.daily,
        "is_newcomer": False,
        "weight": 1.0,
        "finished_at": now,
    }


# --- ratings ---------------------------------------------------------------------------------------


def _rate(db: Connection, table: str, now: float) -> None:
    results = db.execute(select(schema.result).where(r.table == table, r.rank.is_not(None)).order_by(r.seat))
    rows = [row for row in results if row.kind == PERSON or ratings.bot_rating(row.game, row.player)]
    people = [row.player for row in rows if row.kind == PERSON]
    if len(rows) < MIN_PLAYERS or not people:
        return
    game, order = rows[0].game, schema.rating_sequence
    db.execute(update(order).values(last=order.c.last + 1))
    number = db.execute(select(order.c.last)).scalar_one()
    known, newcomers = ratings_of(db, people, game), newcomers_among(db, people, game)
    weights = weights_of(db, people, game, now - REPEAT_SECONDS)
    before = known | ratings.bot_ratings(game)
    players = [
        _final_result(row, before.get(row.player, Rating()))._replace(
            is_newcomer=row.player in newcomers, weight=weights.get(row.player, 1.0)
        )
        for row in rows
    ]
    for guest, rating in _apply_game(db, number, rows, players).items():
        facts = {**_rating_columns(rating), "games": g.games + 1}
        if not db.execute(update(schema.rating).where(g.guest == guest, g.game == game).values(facts)).rowcount:
            db.execute(insert(schema.rating), {**facts, "guest": guest, "game": game, "games": 1})


def _final_result(row: Row[Any], before: Rating) -> FinalResult:
    return FinalResult(before, row.rank, row.is_newcomer, row.gave_up_early, row.weight, row.played_to_end)


def _rating_columns(rating: Rating) -> dict[str, Any]:
    return {"mu": rating.mu, "sigma": rating.sigma, "ordinal": rating.ordinal}


def _apply_game(
    db: Connection, number: int, rows: Sequence[Row[Any]], players: Sequence[FinalResult]
) -> dict[str, Rating]:
    after = ratings.ratings_after(players)
    triples = zip(rows, players, after, strict=True)
    db.execute(SAVE_CHANGE, [_rating_change(row, player, rating, number) for row, player, rating in triples])
    new = [row.player for row, player in zip(rows, players, strict=True) if player.is_newcomer]
    known = set(new) - newcomers_among(db, new, rows[0].game, number) if new else set()
    for seat, row in enumerate(rows):
        if row.kind == PERSON and row.player in known:
            after[seat] = recomputed_rating(db, row.player, row.game, number)
            db.execute(SAVE_CHANGE, _rating_change(row, players[seat], after[seat], number))
    triples = zip(rows, players, after, strict=True)
    return {row.player: now for row, player, now in triples if row.kind == PERSON and now != player.before}


def _rating_change(row: Row[Any], player: FinalResult, after: Rating, number: int) -> dict[str, Any]:
    mu, sigma = after if row.kind == PERSON else (None, None)
    return {
        "its_table": row.table,
        "its_seat": row.seat,
        "number": number,
        "mu_before": player.before.mu,
        "sigma_before": player.before.sigma,
        "mu": mu,
        "sigma": sigma,
        "is_newcomer": player.is_newcomer,
        "weight": player.weight,
    }


def recomputed_rating(db: Connection, guest: str, game: str, number: int) -> Rating:
    """Return a player's rating after the game with a number, as if the player had never been a newcomer."""
    own, o = OWN.c, OTHER.c
    rows = db.execute(
        select(OTHER)
        .join(OWN, o.table == own.table)
        .where(own.player == guest, own.kind == PERSON, own.game == game, own.number <= number, o.number.is_not(None))
        .order_by(o.number, o.seat)
    )
    rating = Rating()
    for _, results in groupby(rows, lambda row: row.number):
        game_rows = list(results)
        seat = next(seat for seat, row in enumerate(game_rows) if row.kind == PERSON and row.player == guest)
        players = [_final_result(row, Rating(row.mu_before, row.sigma_before)) for row in game_rows]
        players[seat] = players[seat]._replace(before=rating, is_newcomer=False)
        rating = ratings.rating_after(players, seat)
    return rating


def newcomers_among(db: Connection, guests: Sequence[str], game: str, number: int | None = None) -> set[str]:
    """Return which guests are newcomers to the ratings of a game, now or after the game with a number."""
    row = db.execute(select(*(is_counted_in(literal(guest), literal(game), number) for guest in guests))).one()
    return {guest for guest, known in zip(guests, row, strict=True) if not known}


def is_counted_in(
    guest: ColumnElement[str], game: ColumnElement[str], number: int | None = None
) -> ColumnElement[bool]:
    """Return the SQL condition that a guest is not a newcomer to a game's ratings, now or after the game with a number.

    Guests stay newcomers until they have played enough games against enough different opponents who were not newcomers.
    Else a few guests could count each other in. Each game against bots counts as another opponent.
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
        .where(theirs, own.gave_up_early.is_(False))
        .where(o.number.is_not(None), o.gave_up_early.is_(False), o.is_newcomer.is_(False))
        .scalar_subquery()
    )
    return or_(exists().where(theirs, own.is_newcomer.is_(False)), met)


def weights_of(db: Connection, guests: Collection[str], game: str, since: float) -> dict[str, float]:
    """Return the weight of a new game for each guest: halved by every rated game since `since` with the same opponent.

    Of several opponents, the one with the most of these games counts. Bots do not count: they cannot arrange to lose.
    """
    o = OTHER.c
    met = (
        select(r.player, func.count().label("games"))
        .join(OTHER, (o.table == r.table) & (o.seat != r.seat))
        .where(r.kind == PERSON, r.player.in_(guests), r.game == game, r.number.is_not(None), r.finished_at > since)
        .where(o.kind == PERSON, o.player.in_(guests))
        .group_by(r.player, o.player)
    )
    most: dict[str, int] = dict.fromkeys(guests, 0)
    for row in db.execute(met):
        most[row.player] = max(most[row.player], row.games)
    return {guest: 0.5**games for guest, games in most.items()}


def ratings_of(db: Connection, guests: Sequence[str], game: str) -> dict[str, Rating]:
    """Return the ratings of guests in a game, without guests who have no rating."""
    rows = db.execute(select(g.guest, g.mu, g.sigma).where(g.guest.in_(guests), g.game == game))
    return {row.guest: Rating(row.mu, row.sigma) for row in rows}


def recompute(engine: Engine) -> tuple[int, int]:
    """Compute all ratings again from the rated games; return the number of games, and of changed ratings."""
    with engine.begin() as db:
        db.execute(update(schema.rating_sequence).values(last=schema.rating_sequence.c.last))  # locks out other ratings
        rows = list(db.execute(select(schema.result).where(r.number.is_not(None)).order_by(r.number, r.seat)))
        ratings_now = db.execute(select(schema.rating))
        old = {(row.guest, row.game): (Rating(row.mu, row.sigma), row.games) for row in ratings_now}
        games = [list(results) for _, results in groupby(rows, lambda row: row.number)]
        found: dict[tuple[str, str], tuple[Rating, int]] = {}
        for results in games:
            _replay_game(db, found, results)
        changed = {key for key in old.keys() | found.keys() if old.get(key) != found.get(key)}
        for guest, game in changed:
            db.execute(delete(schema.rating).where(g.guest == guest, g.game == game))
            if new := found.get((guest, game)):
                facts = {"guest": guest, "game": game, "games": new[1], **_rating_columns(new[0])}
                db.execute(insert(schema.rating), facts)
    return len(games), len(changed)


def _replay_game(db: Connection, found: dict[tuple[str, str], tuple[Rating, int]], rows: Sequence[Row[Any]]) -> None:
    game, new, players = rows[0].game, (Rating(), 0), []
    for row in rows:
        rating, _ = found.get((row.player, game), new)
        players.append(_final_result(row, Rating(row.mu_before, row.sigma_before) if row.kind == BOT else rating))
    for guest, rating in _apply_game(db, rows[0].number, rows, players).items():
        _, games = found.get((guest, game), new)
        found[guest, game] = rating, games + 1


# --- personal data ---------------------------------------------------------------------------------


def export(db: Connection, guest: str) -> dict[str, list[dict[str, Any]]]:
    queries = {
        "results": select(schema.result).where(r.kind == PERSON, r.player == guest).order_by(r.finished_at),
        "ratings": select(schema.rating).where(g.guest == guest).order_by(g.game),
    }
    return {
        name: [{key: row[key] for key in row if key not in ("player", "guest")} for row in db.execute(query).mappings()]
        for name, query in queries.items()
    }


def merge(db: Connection, old: str, new: str) -> None:
    """Move results and ratings to another guest, who is the same person.

    If both have a rating in a game, that of `new` stays, and the rating and rated results of `old` become anonymous.
    Other results of `old` stay at tables where `new` has a result.
    """
    anonymous, rated = new_guest_id(), select(g.game).where(g.guest == new)
    both = list(db.execute(select(g.game).where(g.guest == old, g.game.in_(rated))).scalars())
    theirs = (r.kind == PERSON, r.player == old)
    db.execute(update(schema.result).where(*theirs, r.number.is_not(None), r.game.in_(both)).values(player=anonymous))
    shared = select(r.table).where(r.kind == PERSON, r.player == new)
    db.execute(update(schema.result).where(*theirs, r.table.not_in(shared)).values(player=new))
    db.execute(update(schema.rating).where(g.guest == old, g.game.in_(both)).values(guest=anonymous))
    db.execute(update(schema.rating).where(g.guest == old).values(guest=new))


def erase(db: Connection, guest: str) -> None:
    """Replace a guest in results and ratings by a random id.

    The rows stay, because ratings of others depend on them.
    """
    anonymous = new_guest_id()
    db.execute(update(schema.result).where(r.kind == PERSON, r.player == guest).values(player=anonymous))
    db.execute(update(schema.rating).where(g.guest == guest).values(guest=anonymous))
