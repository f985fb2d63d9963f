"""Pairings of rounds for tables of any number of seats; pure functions, deterministic by seed.

A Swiss round puts players with equal scores together and avoids repeated meetings, as the Dutch system of FIDE does for
two seats (C.04.3). Ólafsson (Weighted matching in chess tournaments, 1990) states it as a matching of minimum weight.
With three seats, a partition of minimum weight is NP-hard (Karp 1972: 3-dimensional matching). So a local search swaps
players between tables until no swap lowers the sum of weights of all pairs that meet.

A round-robin of two seats follows the circle method (Schurig's tables): everyone meets everyone once. With more seats,
equal meetings are the social golfer problem, for which a solution need not exist. The same local search, without
scores, then makes meetings as equal as it can.
"""

from collections import Counter
from collections.abc import Mapping, Sequence
from itertools import combinations, permutations
from random import Random
from typing import NamedTuple

REPEAT_WEIGHT = 100.0  # of a repeated meeting: as much as a difference of 10 points
BLOCK_WEIGHT = 1e6  # of two players who are kept apart
RESTARTS = 8  # of the local search
TWO_SEATS = 2


class History(NamedTuple):
    """The rounds before a pairing."""

    scores: Mapping[int, float]  # of the players who may be paired
    tables: Sequence[Sequence[int]] = ()  # players in the order of their seats
    byes: Sequence[int] = ()
    apart: frozenset[frozenset[int]] = frozenset()  # pairs who must not meet if that can be avoided


class Pairing(NamedTuple):
    """A round: the players of each table in the order of their seats, and the players without a table."""

    tables: tuple[tuple[int, ...], ...]
    byes: tuple[int, ...] = ()


def pair_swiss(history: History, seats: int, seed: str) -> Pairing:
    """Return a round of tables with `seats` players of similar scores, who have seldom met."""
    return _pair(history, seats, Random(seed), by_score=True)


def pair_round_robin(history: History, seats: int, seed: str, players: int, number: int) -> Pairing:
    """Return round `number`, from 1, of a round-robin of players 0 to `players` - 1.

    Players who are not in `history.scores` have withdrawn.
    """
    rng = Random(seed)
    if seats != TWO_SEATS:
        return _pair(history, seats, rng, by_score=False)
    pairs = [[p for p in pair if p in history.scores] for pair in circle_round(players, number)]
    tables = tuple(_seat(pair, history.tables, rng) for pair in pairs if len(pair) == TWO_SEATS)
    return Pairing(tables, tuple(pair[0] for pair in pairs if len(pair) == 1))


def circle_round(players: int, number: int) -> list[tuple[int, int]]:
    """Return the pairs of a round by the circle method; with an odd number, `players` itself stands for a bye."""
    count = players + players % 2
    circle = [0, *((number - 1 + i) % (count - 1) + 1 for i in range(count - 1))]
    return [(circle[i], circle[-1 - i]) for i in range(count // 2)]


def round_robin_rounds(players: int, seats: int) -> int:
    """Return the number of rounds: with two seats, all that pair everyone with everyone once."""
    if seats == TWO_SEATS:
        return players - 1 + players % 2
    return -(-(players - 1) // (seats - 1))


def _pair(history: History, seats: int, rng: Random, *, by_score: bool) -> Pairing:
    scores, byes = history.scores, Counter(history.byes)
    order = sorted(scores)
    rng.shuffle(order)
    order.sort(key=lambda p: (byes[p], scores[p] if by_score else 0))
    resting, playing = order[: len(order) % seats], order[len(order) % seats :]
    met = Counter(frozenset(pair) for table in history.tables for pair in combinations(table, 2))

    def weight(a: int, b: int) -> float:
        pair = frozenset((a, b))
        distance = (scores[a] - scores[b]) ** 2 if by_score else 0.0
        return distance + REPEAT_WEIGHT * met[pair] ** 2 + BLOCK_WEIGHT * (pair in history.apart)

    weights = {(a, b): weight(a, b) for a in playing for b in playing if a != b}
    found: list[tuple[float, list[list[int]]]] = []
    for _ in range(RESTARTS):
        rng.shuffle(playing)
        start = sorted(playing, key=lambda p: -scores[p]) if by_score else playing
        tables = [list(start[at : at + seats]) for at in range(0, len(start), seats)]
        _improve(tables, weights)
        found.append((sum(weights[pair] for table in tables for pair in combinations(table, 2)), tables))
    best = min(found, key=lambda one: one[0])[1]
    return Pairing(tuple(_seat(table, history.tables, rng) for table in best), tuple(resting))


def _improve(tables: list[list[int]], weights: Mapping[tuple[int, int], float]) -> None:
    """Swap players of different tables until no swap lowers the sum of weights."""

    def cost(player: int, table: list[int], but: int) -> float:
        return sum(weights[player, other] for other in table if other not in (player, but))

    has_improved = True
    while has_improved:
        has_improved = False
        for one, two in combinations(tables, 2):
            for i in range(len(one)):
                for j in range(len(two)):
                    a, b = one[i], two[j]
                    before, after = cost(a, one, a) + cost(b, two, b), cost(b, one, a) + cost(a, two, b)
                    if after < before - 1e-9:
                        one[i], two[j] = b, a
                        has_improved = True


def _seat(table: Sequence[int], earlier: Sequence[Sequence[int]], rng: Random) -> tuple[int, ...]:
    """Return the players of a table in an order in which each has a seat that they have had least often."""
    had = Counter((player, seat) for one in earlier for seat, player in enumerate(one))
    players = sorted(table)
    rng.shuffle(players)
    orders = permutations(players)
    return min(orders, key=lambda order: sum(had[player, seat] ** 2 for seat, player in enumerate(order)))
