"""Leagues on weekly deals: divisions with promotion and relegation; pure functions.

A league is one order of its players, and each division is a part of this order. The order follows from the results of
all weeks, so nothing else is stored.
"""

from collections.abc import Iterable, Mapping, Sequence
from itertools import pairwise
from math import inf
from typing import NamedTuple

DIVISION_SIZE = 8
MOVES = 2  # players who go up from a division in a week, and as many go down to it
MAX_ABSENCES = 4  # weeks in a row without a result, after which a player leaves the league


class Line(NamedTuple):
    """A player in a division, in one week."""

    player: str
    place: int  # in the division
    points: int | None  # None without a result
    change: int  # of the division after the week: -1 for a promotion, 1 for a relegation
    absences: int  # weeks in a row without a result, up to this one


def play_week(league: Sequence[Line], points: Mapping[str, int]) -> list[list[Line]]:
    """Return the divisions of a week, with its results, for a league of players in their order before the week.

    Players who are not in the league join its last division, the best first.
    """
    absences = {line.player: line.absences for line in league}
    joined = sorted(points.keys() - absences.keys(), key=lambda player: (-points[player], player))
    order = [*absences, *joined]
    values = {player: points.get(player, -inf) for player in order}
    divisions = []
    for at in range(0, len(order), DIVISION_SIZE):
        players = order[at : at + DIVISION_SIZE]
        ranked = sorted(players, key=lambda player: -values[player])  # stable: earlier order decides ties
        division = []
        for player in ranked:
            place = 1 + sum(values[other] > values[player] for other in players)
            missed = 0 if player in points else absences[player] + 1
            division.append(Line(player, place, points.get(player), 0, missed))
        divisions.append(division)
    for upper, lower in pairwise(divisions):
        count = min(MOVES, sum(line.points is not None for line in lower))
        for at in range(count):
            lower[at] = lower[at]._replace(change=-1)
            upper[-1 - at] = upper[-1 - at]._replace(change=1)
    return divisions


def next_order(divisions: Sequence[Sequence[Line]]) -> list[Line]:
    """Return the order of a league after a week: by new division, without the players who have left it."""
    lines = [(at + line.change, line) for at, division in enumerate(divisions) for line in division]
    lines.sort(key=lambda one: (one[0], -one[1].change))  # in a division: relegated players first, promoted ones last
    return [line for _, line in lines if line.absences < MAX_ABSENCES]


def play_season(weeks: Iterable[Mapping[str, int]]) -> list[list[Line]]:
    """Return the divisions of the last one of some weeks, given the points of the players of each."""
    divisions: list[list[Line]] = []
    for points in weeks:
        divisions = play_week(next_order(divisions), points)
    return divisions
