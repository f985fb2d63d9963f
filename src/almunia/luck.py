"""Luck and choices apart: how far the draws of a play moved what each seat could expect.

A draw is the deal, or an action after which the seat that acted learns something. Its luck for a seat is the mean
result from the position after it, less the mean over what could have been drawn. Both are means over determinizations
of the seat's observation, which greedy bots play to the end. Over many games luck is 0 on average, unless the choices
of other seats tell what they hide.

A result is the sum of the mean result between greedy bots, the luck of all draws, and what all choices changed.
"""

from collections.abc import Sequence
from math import sqrt
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from .core.kernels import expectation
from .core.kernels.expectation import ANYTHING
from .core.kernels.policies import GREEDY
from .core.loaded import LoadedGame
from .core.workspaces import allocate, wrap_all
from .engine.kernels.rng import seed_rng
from .engine.state_dtype import States
from .play.play import Play

DEFAULT_SAMPLES = 100  # determinizations of a position
MAX_MEASURED_DECISIONS = 200  # of a play; in longer ones the intervals are wider than the luck
HALF_INTERVAL = 1.96  # standard errors: half of a 95% interval
MIN_SAMPLES = 10  # that allow an action, for its expected value
DEAL = 0  # the number of the deal among the draws

Floats = npt.NDArray[np.float64]


class Draw(NamedTuple):
    """The luck of a draw by seat."""

    number: int  # of the action, from 1, or DEAL
    points: tuple[float, ...]
    chances: tuple[float, ...]  # to win, with the sum 0; empty if no seat affects another


class Balance(NamedTuple):
    """A result as a sum, in points or as a share of the win. An error is half of a 95% interval."""

    expected: float  # mean result between greedy bots
    expected_error: float
    luck: float  # of all draws
    luck_error: float
    result: float | None  # None while the play goes on

    @property
    def choices(self) -> float | None:
        """The effect of the choices of all seats: the rest of the result."""
        return None if self.result is None else self.result - self.expected - self.luck

    @property
    def choices_error(self) -> float:
        """Less than that of the luck, because the luck of the deal contains the expected result, too."""
        return sqrt(max(0.0, self.luck_error**2 - self.expected_error**2))


class SeatLuck(NamedTuple):
    """The balances of a seat."""

    points: Balance
    chance: Balance | None  # None if no seat affects another


class Luck(NamedTuple):
    """The luck of a play."""

    seats: tuple[SeatLuck, ...]
    draws: tuple[Draw, ...]  # in order of play


class Mean(NamedTuple):
    """The means of points and shares of the win, (2,) or (2, seats), and their variances."""

    value: Floats
    variance: Floats

    def of(self, seat: int) -> "Mean":
        return Mean(self.value[:, seat], self.variance[:, seat])


def has_measurable_luck(game: LoadedGame) -> bool:
    """Whether a game is so short that play by greedy bots to its end tells what a draw is worth."""
    return game.meta.decisions <= MAX_MEASURED_DECISIONS


class LuckMeter:
    """Measures the luck of a play that is played again through `apply`."""

    def __init__(self, play: Play, samples: int = DEFAULT_SAMPLES, seed: int = 0) -> None:
        """Prepare for a play without actions that was started from a seed."""
        self._game, self._seats, self._samples = play.game, play.seats, samples
        self._has_chances = play.seats > 1 and not play.game.bots.SEATS_INDEPENDENT
        work = allocate(expectation.Workspace, play.game)
        work.kinds[:] = GREEDY
        seed_rng(work.policy.rng, seed)
        self._work, self._sample = wrap_all(play.game, work), play.game.kernel(expectation).sample
        deals = [Play.start(play.game, play.seats, seed + number, play.options).array for number in range(samples)]
        self._expected = mean_of(self._play_out(np.concatenate(deals), ANYTHING, ANYTHING))
        # Its variance counts as it is: its chances have the sum 1, so centering leaves them unchanged.
        self._draws, self._variance = list[Draw](), self._expected.variance.copy()
        exact = self._expected._replace(variance=np.zeros_like(self._variance))
        self._add(DEAL, [exact.of(seat) for seat in range(play.seats)], play)

    def apply(self, play: Play, action: int) -> None:
        """Apply an action, and measure its luck if the seat that acts learns something."""
        reveals = play.reveals
        views = [play.observe(seat).array for seat in range(self._seats)]
        play.apply(action)
        if play.reveals != reveals:
            expected = [self._mean(view, seat, action) for seat, view in enumerate(views)]
            self._add(len(play.actions), expected, play)

    def result(self, play: Play) -> Luck:
        """Return the luck of the play so far."""
        luck = np.zeros((2, self._seats))
        for draw in self._draws:
            luck += np.array([draw.points, draw.chances or (0.0,) * self._seats])
        errors = HALF_INTERVAL * np.sqrt(self._variance)
        expected_errors = HALF_INTERVAL * np.sqrt(self._expected.variance)
        results = [play.points, win_shares(play.ranks())] if play.over else [[None] * self._seats] * 2

        def balance(unit: int, seat: int) -> Balance:
            expected, error = float(self._expected.value[unit, seat]), float(expected_errors[unit, seat])
            result = results[unit][seat]
            own = float(luck[unit, seat]), float(errors[unit, seat])
            return Balance(expected, error, *own, None if result is None else float(result))

        seats = [
            SeatLuck(balance(0, seat), balance(1, seat) if self._has_chances else None) for seat in range(self._seats)
        ]
        return Luck(tuple(seats), tuple(self._draws))

    def _add(self, number: int, expected: Sequence[Mean | None], play: Play) -> None:
        """Add a draw: the values of the position now, less the expected ones by seat.

        A seat without an expected value has no luck, because few of its determinizations allow the action.
        """
        luck, variance = np.zeros((2, self._seats)), np.zeros((2, self._seats))
        for seat, before in enumerate(expected):
            now = self._now(play, seat)
            if before and now:
                luck[:, seat] = now.value - before.value
                variance[:, seat] = now.variance + before.variance
        if self._has_chances:  # the chances of all seats add up to 1, before and after
            luck[1] -= luck[1].mean()
            variance[1] = variance[1] * (1 - 2 / self._seats) + variance[1].sum() / self._seats**2
        self._variance += variance
        self._draws.append(Draw(number, tuple(luck[0].tolist()), tuple(luck[1].tolist()) if self._has_chances else ()))

    def _now(self, play: Play, seat: int) -> Mean | None:
        if not play.over:
            return self._mean(play.observe(seat).array, seat, ANYTHING)
        return Mean(np.array([play.points[seat], win_shares(play.ranks())[seat]], np.float64), np.zeros(2))

    def _mean(self, observation: States, seat: int, action: int) -> Mean | None:
        """Return a seat's mean results over determinizations of its observation; None if few allow the action."""
        rows = self._play_out(np.repeat(observation, self._samples), seat, action)
        return mean_of(rows).of(seat) if rows.shape[1] >= MIN_SAMPLES else None

    def _play_out(self, states: States, seat: int, action: int) -> Floats:
        """Return points and shares of the win at the end, (2, states that allow the action, seats).

        The arguments are those of `expectation.sample`.
        """
        shape, wrap = (len(states), self._seats), self._game.wrap
        is_legal, points, shares = np.zeros(len(states), np.int8), np.zeros(shape, np.int64), np.zeros(shape)
        self._sample(wrap(states), seat, action, self._work, wrap(is_legal), wrap(points), wrap(shares))
        return np.stack([points, shares], dtype=np.float64)[:, is_legal == 1]


def mean_of(rows: Floats) -> Mean:
    """Return the means over the second axis."""
    return Mean(rows.mean(axis=1), rows.var(axis=1, ddof=1) / rows.shape[1])


def win_shares(ranks: Sequence[int]) -> list[float]:
    """Return each seat's share of the win: winners share it equally."""
    winners = ranks.count(1)
    return [1 / winners if rank == 1 else 0.0 for rank in ranks]
