"""Luck and choices apart: how far the draws of a play moved what each seat could expect.

A draw is the deal, or an action after which the seat that acted learns something. Its luck for a seat is the mean value
of the position after it, less the mean over what could have been drawn. Both are means over determinizations of the
seat's observation. So luck is 0 on average for any value (White and Bowling, 2009), unless the choices of other seats
tell what they hide. In Oregon they do: hands keep useless cards, so draws are better than determinizations expect. Luck
of greedy bots is 0.5 points on average with four seats.

The value of a position is the result of greedy bots that play on from it. If a game has many draws, that takes too long
and varies too much. Then bots play for a few turns, and the value is a share of the seat's lead by the game's
evaluation (`LUCK_HORIZON`).

A result is the sum of the mean result between greedy bots, the luck of all draws, and what all choices changed.
"""

from collections.abc import Callable, Sequence
from functools import partial
from typing import NamedTuple, TypeVar

import numpy as np
import numpy.typing as npt

from .bots.search.settings import search_settings
from .bots.search.win_chance import WinChance
from .core.kernels import expectation
from .core.kernels.expectation import ANYTHING
from .core.kernels.policies import GREEDY
from .core.loaded import LoadedGame
from .core.workspaces import allocate, wrap_all
from .engine.kernels.rng import seed_rng
from .engine.state_dtype import States
from .play.play import Play

DEFAULT_SAMPLES = 500  # determinizations of a position
HALF_INTERVAL = 1.96  # standard errors: half of a 95% interval
MIN_SAMPLES = 10  # that allow an action, for its expected value
DEAL = 0  # the number of the deal among the draws
TO_THE_END = 1 << 40  # as a number of turns

Floats = npt.NDArray[np.float64]
T = TypeVar("T")


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
    choices_error: float
    result: float | None  # None while the play goes on

    @property
    def choices(self) -> float | None:
        """The effect of the choices of all seats: the rest of the result."""
        return None if self.result is None else self.result - self.expected - self.luck


class SeatLuck(NamedTuple):
    """The balances of a seat."""

    points: Balance
    chance: Balance | None  # None if no seat affects another


class Luck(NamedTuple):
    """The luck of a play."""

    seats: tuple[SeatLuck, ...]
    draws: tuple[Draw, ...]  # in order of play


class Mean(NamedTuple):
    """The means of points and chances by seat, (2, seats), and their covariances, (2, seats, seats)."""

    value: Floats
    covariance: Floats


class LuckMeter:
    """Measures the luck of a play that is played again through `apply`."""

    def __init__(self, play: Play, samples: int = DEFAULT_SAMPLES, seed: int = 0) -> None:
        """Prepare for a play without actions that was started from a seed."""
        self._seats, self._sampler = range(play.seats), Sampler(play.game, play.seats, samples, seed)
        self._draws, self._covariance = list[Draw](), np.zeros((2, play.seats, play.seats))
        deals = [Play.start(play.game, play.seats, seed + number, play.options).array for number in range(samples)]
        self._expected = before = self._sampler.mean_result(np.concatenate(deals))
        if self._sampler.has_horizon:
            before = self._sampler.mean_value(np.concatenate(deals))
        views = self._views(play)
        self._add(
            DEAL, [(before, after) for after in per_view(views, lambda seat: self._sampler.value_of(views[seat], seat))]
        )

    def apply(self, play: Play, action: int) -> None:
        """Apply an action, and measure its luck if the seat that acts learns something."""
        reveals, before = play.reveals, self._views(play)
        play.apply(action)
        if play.reveals != reveals:
            views = list(map(np.concatenate, zip(before, self._views(play), strict=True)))
            self._add(len(play.actions), per_view(views, partial(self._values, views, action)))

    def result(self, play: Play) -> Luck:
        """Return the luck of the play so far."""
        seats = len(self._seats)
        luck = np.zeros((2, seats))
        for draw in self._draws:
            luck += np.array([draw.points, draw.chances or (0.0,) * seats])
        centering = np.stack([np.eye(seats), np.eye(seats) - 1 / seats])  # as in `_add`
        variance = variances(centering @ self._covariance @ centering)
        expected = self._expected.value, variances(self._expected.covariance)
        # Without a horizon, the luck of the deal contains the expected result, so their errors cancel.
        choices_variance = variance + expected[1] * (1 if self._sampler.has_horizon else -1)
        errors = [HALF_INTERVAL * np.sqrt(np.maximum(0, each)) for each in (expected[1], variance, choices_variance)]
        columns = np.stack([expected[0], errors[0], luck, errors[1], errors[2]])
        results = [play.points, win_shares(play.ranks())] if play.over else [[None] * seats] * 2

        def balance(unit: int, seat: int) -> Balance:
            mean, mean_error, drawn, drawn_error, choices_error = columns[:, unit, seat].tolist()
            result = results[unit][seat]
            return Balance(
                mean, mean_error, drawn, drawn_error, choices_error, None if result is None else float(result)
            )

        has_chances = self._sampler.has_chances
        by_seat = [SeatLuck(balance(0, seat), balance(1, seat) if has_chances else None) for seat in self._seats]
        return Luck(tuple(by_seat), tuple(self._draws))

    def _views(self, play: Play) -> list[States]:
        return [play.observe(seat).array for seat in self._seats]

    def _values(self, views: Sequence[States], action: int, seat: int) -> tuple[Mean, Mean] | None:
        """Return the mean values before and after a draw by an action, from the observations before and after it.

        Return None if few determinizations allow the action, or if the seat sees the same after all of them.
        """
        before, after = views[seat][:1], views[seat][1:]
        states = self._sampler.determinize(before, seat, action)
        if len(states) < MIN_SAMPLES or self._sampler.look_alike(states, after, seat):
            return None
        return self._sampler.mean_value(states), self._sampler.value_of(after, seat)

    def _add(self, number: int, by_seat: Sequence[tuple[Mean, Mean] | None]) -> None:
        """Add a draw by the mean values before and after it, as each seat sees them. A seat with None has no luck."""
        before, after = (joint([means and means[i] for means in by_seat]) for i in (0, 1))
        luck = after.value - before.value
        luck[1] -= luck[1].mean()  # the chances of all seats add up to 1, before and after
        self._covariance += before.covariance + after.covariance
        points, chances = (tuple(row.tolist()) for row in luck)
        self._draws.append(Draw(number, points, chances if self._sampler.has_chances else ()))


class Sampler:
    """Draws determinizations of observations, and values them."""

    def __init__(self, game: LoadedGame, seats: int, samples: int, seed: int) -> None:
        self._game, self._seats, self._samples = game, seats, samples
        self.has_chances = seats > 1 and not game.bots.SEATS_INDEPENDENT
        self.has_horizon = game.bots.LUCK_HORIZON is not None
        self._turns, self._weight = game.bots.LUCK_HORIZON or (TO_THE_END, 1.0)
        self._chance, self._lead_scale = WinChance.of(game, seats), search_settings(game, {})["lead_scale"]
        work = allocate(expectation.Workspace, game)
        work.kinds[:] = GREEDY
        seed_rng(work.policy.rng, seed)
        self._work, self._kernels = wrap_all(game, work), game.kernel(expectation)

    def determinize(self, observation: States, seat: int, action: int = ANYTHING) -> States:
        """Return determinizations of an observation of a seat that allow an action, after the action."""
        states, is_legal = np.repeat(observation, self._samples), np.zeros(self._samples, np.int8)
        self._kernels.advance(self._game.wrap(states), seat, action, self._work, self._game.wrap(is_legal))
        return states[is_legal == 1]

    def look_alike(self, states: States, observation: States, seat: int) -> bool:
        """Whether a seat sees the observation in all states, (n,)."""
        views = states.copy()
        self._kernels.mask(self._game.wrap(views), seat)
        return views.tobytes() == observation.tobytes() * len(views)

    def value_of(self, observation: States, seat: int) -> Mean:
        """Return the mean value over determinizations of an observation of a seat."""
        return self.mean_value(self.determinize(observation, seat))

    def mean_value(self, states: States) -> Mean:
        """Return the mean value of states, (n,), which are changed."""
        if not self.has_horizon:
            return self.mean_result(states)
        points, shares = self._play_on(states, self._turns)
        others = (points.sum(axis=1, keepdims=True) - points) / max(1, self._seats - 1)
        if self.has_chances:
            goes_on = states["over"] == 0
            shares[goes_on] = self._chances(points[goes_on], states["turns"][goes_on])
        return mean_of(self._weight * (points - others), shares)

    def mean_result(self, states: States) -> Mean:
        """Return the mean result of states, (n,), which are played to the end."""
        return mean_of(*self._play_on(states, TO_THE_END))

    def _play_on(self, states: States, turns: int) -> tuple[Floats, Floats]:
        """Play states, (n,), on for some turns; return points by the evaluation, and shares of the win at the end.

        Both have the shape (n, seats).
        """
        shape, wrap = (len(states), self._seats), self._game.wrap
        values, shares = np.zeros(shape, np.int64), np.zeros(shape)
        self._kernels.evaluate(wrap(states), turns, self._work, wrap(values), wrap(shares))
        return values / self._game.bots.VALUE_SCALE, shares

    def _chances(self, points: Floats, turns: npt.NDArray[np.int64]) -> Floats:
        """Return the chances of all seats to win, (n, seats), which add up to 1, by points and finished turns, (n,)."""
        second, first = np.sort(points, axis=1)[:, -2:, None].swapaxes(0, 1)
        leads = points - np.where(points == first, second, first)
        chances = self._chance.at_all(1 / (1 + np.exp(-leads / self._lead_scale)), turns[:, None])
        return np.asarray(chances / chances.sum(axis=1, keepdims=True))


def per_view(views: Sequence[States], measure: Callable[[int], T]) -> list[T]:
    """Return a measure of each seat. Seats with the same views share one measure."""
    found: dict[bytes, T] = {}
    keys = [view.tobytes() for view in views]
    for seat, key in enumerate(keys):
        if key not in found:
            found[key] = measure(seat)
    return [found[key] for key in keys]


def mean_of(points: Floats, chances: Floats) -> Mean:
    """Return the means of points and chances, both (n, seats)."""
    rows = np.stack([points, chances])
    mean, count = rows.mean(axis=1), len(points)
    apart = rows - mean[:, None]
    return Mean(mean, apart.swapaxes(1, 2) @ apart / (count * (count - 1)))


def joint(by_seat: Sequence[Mean | None]) -> Mean:
    """Return the mean that each seat sees, 0 for a seat with None. Only seats with the same mean have covariances."""
    seats = len(by_seat)
    value, covariance = np.zeros((2, seats)), np.zeros((2, seats, seats))
    for seat, mean in enumerate(by_seat):
        if mean:
            value[:, seat] = mean.value[:, seat]
            same = [one is mean for one in by_seat]
            covariance[:, seat, same] = mean.covariance[:, seat, same]
    return Mean(value, covariance)


def variances(covariance: Floats) -> Floats:
    """Return the variances in covariances (2, seats, seats)."""
    return np.diagonal(covariance, axis1=1, axis2=2)


def win_shares(ranks: Sequence[int]) -> list[float]:
    """Return each seat's share of the win: winners share it equally."""
    winners = ranks.count(1)
    return [1 / winners if rank == 1 else 0.0 for rank in ranks]
