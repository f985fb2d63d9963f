"""Why one action is better than another: both are played on to the end, and what they earn is compared by source."""

from collections import Counter
from time import perf_counter
from typing import Any, NamedTuple

import numpy as np

from ..core.kernels import policies
from ..core.kernels.play import LIMIT
from ..core.loaded import LoadedGame
from ..core.workspaces import blank_workspace, lent
from ..engine.kernels.rng import shake
from ..play.play import Observation

MOST = 160  # guesses at what is hidden, from each of which both are played on
TOTAL = ""  # the name of the source where a game has but one


class Comparison(NamedTuple):
    """What the first action brings more than the second, in points and on average."""

    plays: int  # how often each was played on
    gain: float  # to whoever chooses
    sources: tuple[tuple[str, float], ...]  # (name, points), the largest difference first; they add up to the gain
    rival: float  # to the best of the others; 0 alone


class Playouts:
    """Plays positions on with greedy bots in every seat."""

    def __init__(self, game: LoadedGame, seats: int) -> None:
        self._game = game
        self._work = blank_workspace(game)
        self._lent = lent(game, self._work)
        self._kinds = game.lend(np.full(seats, policies.GREEDY, np.int64))
        self._finish = game.kernel(policies).finish

    def ending(self, view: Observation, action: int, seed: int) -> Observation:
        """What the seat sees at the end, after this action and from the guess that belongs to a seed."""
        play = view.determinize(seed)
        play.apply(action)
        shake(self._work.rng, seed)
        self._finish(self._game.lend(play.array), self._kinds, self._lent, LIMIT)
        return play.observe(view.seat)


def compare(view: Observation, best: int, other: int, seconds: float, seed: int = 0) -> Comparison:
    """What an action brings more than another, as far as so many seconds of playing on can tell.

    Both meet the same guesses and the same dice, so that most of the luck cancels.
    """
    start, playouts = perf_counter(), Playouts(view.game, view.seats)
    totals: Counter[str] = Counter()
    plays = rival = 0
    while plays < MOST and (plays == 0 or perf_counter() < start + seconds):
        for action, sign in ((best, 1), (other, -1)):
            end = playouts.ending(view, action, (seed + plays) % 2**63)
            rival += sign * best_other(end)
            for name, points in accounts(end).items():
                totals[name] += sign * points
        plays += 1
    means = sorted(((name, total / plays) for name, total in totals.items()), key=lambda one: -abs(one[1]))
    return Comparison(plays, sum(totals.values()) / plays, tuple(means), rival / plays)


def accounts(end: Observation) -> dict[str, int]:
    """What the reader's seat has by source."""
    text: Any = end.game.text
    if not hasattr(text, "score_breakdown"):
        return {TOTAL: int(end.score_table()[end.seat, 0])}
    return {source.name: source.points[end.seat] for source in text.score_breakdown(end.state)}


def best_other(end: Observation) -> int:
    """The most points that another seat has; 0 if there is none."""
    points = end.score_table()[:, 0].tolist()
    return max((points[seat] for seat in range(end.seats) if seat != end.seat), default=0)


def prepare(view: Observation) -> None:
    """Let all that this needs be compiled."""
    legal = view.legal_actions
    compare(view, legal[0], legal[-1], seconds=0)
