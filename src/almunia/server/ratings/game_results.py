"""Results of finished games, and the ratings they change.

The results of a game are written in the transaction that ends the game. A player who leaves for good gets a result at
once.
Rated games change ratings one after the other: each locks the row with the last number. `repository.recompute` computes
all ratings again from the results.

The rules of rating follow comparable sites:

- A table is rated from its start or never: without hints, chosen seed or deal, lesson, challenge, daily deal or fork,
for two or more players, none of whom holds two seats. The host may choose an unrated table.
- A table with open seats is dealt when the last seat is taken (`TableService.commit`). So no host sees the deal before
inviting players.
- The game begins with the deal. A player who resigns, loses on time or lets the game expire after the deal is last. So
is a player who gives up among several, or lets a bot move for them, whatever the bot's result.
- A player who does so before their fifth own move raises no rating: the others are rated among themselves.
- If a game ends early, players who stayed are rated against players who gave up, and not against each other.
- A newcomer to a title has fewer than five rated games against bots, or against different people who are not
newcomers. A newcomer changes only ratings of newcomers. Leaderboards list no newcomers.
- A player who is no longer a newcomer is rated again, by their games against players who were not newcomers: points
that newcomers have won from each other are dropped.
- A game in which nothing changed a player's rating is not one of their rated games.
- Of the games between the same two people within 30 days, the first weighs 1, the second 1/2, the third 1/4, and so on.
- A game with a takeback by consent, an end by consent or a failed bot changes no rating.

Results store what decided about the ratings, so that `recompute` gives the same ratings.
"""

from collections import Counter
from collections.abc import Collection, Sequence
from typing import NamedTuple

from ..tables.model import (
    BOT_FAILED,
    MOVE,
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
from .ratings import MIN_PLAYERS

EARLY_MOVES = 5  # own moves: a player who gives up before the last of them raises no rating


class SeatResult(NamedTuple):
    rank: int | None
    played_to_end: bool  # by this player alone
    gave_up_early: bool = False  # after few moves


def may_be_rated(table: Table) -> bool:
    return counts_for_players(table) and not table.hints and len(table.seats) >= MIN_PLAYERS


def counts_for_players(table: Table) -> bool:
    """Return whether a game counts in players' results.

    Lessons, challenges and games with a public deal do not count, nor games with a person in two seats.
    """
    people = [table.seats[p].player for p in table.human_seats]
    return len(people) == len(set(people)) and not (table.is_deal_public or table.lesson or table.challenge)


def is_decided(table: Table) -> bool:
    """Return whether a finished game has ranks: it was played to its end, or a seat gave it up."""
    return not table.end_reason or table.resigned_seat is not None


def changes_ratings(before: Table, after: Table, entries: Sequence[TableEvent]) -> bool:
    """Return whether a game that has ended since `before` changes ratings."""
    kinds = {entry.kind for entry in entries}
    counts = after.rated and may_be_rated(after) and not before.awaits_deal
    return counts and is_decided(after) and not kinds & {TAKEBACK, BOT_FAILED}


def seat_results(
    table: Table, entries: Sequence[TableEvent], ranks: Sequence[int] | None, quitters: Collection[int]
) -> list[SeatResult]:
    """Return the result of every seat; `ranks` are the ranks of a game that was played to its end.

    If the game is not decided, each seat's rank is None. Else the `quitters` are last, and so are players for whom a
    bot has moved.
    """
    whole, count = not table.end_reason, len(table.seats)
    reached = ranks if whole else [1] * count if is_decided(table) else None  # those who stayed are equal
    if reached is None:
        return [SeatResult(None, played_to_end=False)] * count
    out, moves = substituted_seats(entries).union(quitters), own_moves(entries)
    stayed = [rank for seat, rank in enumerate(reached) if seat not in out]
    last = len(stayed) + 1 if stayed else count  # if no player stayed, none has won
    return [
        SeatResult(last, played_to_end=False, gave_up_early=moves[seat] < EARLY_MOVES)
        if seat in out
        else SeatResult(1 + sum(other < rank for other in stayed), whole)
        for seat, rank in enumerate(reached)
    ]


def own_moves(entries: Sequence[TableEvent]) -> Counter[int]:
    """Return the number of choices by seat that were neither undone nor made by a bot in a player's place."""
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
