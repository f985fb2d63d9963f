"""Comparison of two actions by the points that playouts after each action reach."""

from collections import Counter
from time import perf_counter
from typing import NamedTuple

import numpy as np

from ..core.kernels import policies
from ..core.kernels.play import MAX_DECISIONS
from ..core.loaded import LoadedGame
from ..core.workspaces import allocate_policy_scratch, wrap_all
from ..engine.kernels.rng import seed_rng
from ..play.play import Observation

POLICY_SEED = 0x9E3779B97F4A7C15 >> 1  # differs from the seeds of determinizations in many bits
MAX_PLAYOUTS = 160  # of each action
UNNAMED_SOURCE = ""  # the only source in a game without named sources


class Comparison(NamedTuple):
    """The mean difference in points between a first action and a second."""

    plays: int  # the number of playouts of each action
    gain: float  # of the seat that chooses
    sources: tuple[tuple[str, float], ...]  # (name, points), the largest difference first; they add up to the gain
    opponent_gain: float  # of the best opponent; 0 for a single seat


class Playouts:
    """Playouts of positions with greedy bots in every seat."""

    def __init__(self, game: LoadedGame, seats: int) -> None:
        self._game = game
        self._work = allocate_policy_scratch(game)
        self._wrapped = wrap_all(game, self._work)
        self._kinds = game.wrap(np.full(seats, policies.GREEDY, np.int64))
        self._finish = game.kernel(policies).playout_states

    def final_observation(self, observation: Observation, action: int, seed: int) -> Observation:
        """Draw a determinization with `seed`, apply `action`, and let greedy bots play to the end.

        Return the last observation of the seat.
        """
        play = observation.determinize(seed)
        play.apply(action)
        seed_rng(self._work.rng, seed ^ POLICY_SEED)  # with `seed`, bots would guess the truth
        self._finish(self._game.wrap(play.array), self._kinds, self._wrapped, MAX_DECISIONS)
        return play.observe(observation.seat)


def compare(observation: Observation, best: int, other: int, seconds: float, seed: int = 0) -> Comparison:
    """Play each action to the end repeatedly for `seconds`, and return the comparison of the points.

    Each action gets 1 to MAX_PLAYOUTS playouts. Both actions get the same determinizations and random numbers, which
    reduces the variance.
    """
    start, playouts = perf_counter(), Playouts(observation.game, observation.seats)
    totals: Counter[str] = Counter()
    plays = opponent_gain = 0
    while plays < MAX_PLAYOUTS and (plays == 0 or perf_counter() < start + seconds):
        for action, sign in ((best, 1), (other, -1)):
            end = playouts.final_observation(observation, action, (seed + plays) % 2**63)
            opponent_gain += sign * best_opponent_score(end)
            for name, points in score_by_source(end).items():
                totals[name] += sign * points
        plays += 1
    means = sorted(((name, total / plays) for name, total in totals.items()), key=lambda source: -abs(source[1]))
    return Comparison(plays, sum(totals.values()) / plays, tuple(means), opponent_gain / plays)


def score_by_source(end: Observation) -> dict[str, int]:
    """Return the points of the observation's seat by source; under UNNAMED_SOURCE if the game names no sources."""
    if sources := end.game.text.score_breakdown(end.state):
        return {source.name: source.points[end.seat] for source in sources}
    return {UNNAMED_SOURCE: int(end.score_table()[end.seat, 0])}


def best_opponent_score(end: Observation) -> int:
    points = end.score_table()[:, 0].tolist()
    return max((points[seat] for seat in range(end.seats) if seat != end.seat), default=0)
