"""Tuning of a search's settings against a fixed opponent.

Optuna proposes the trials (tree-structured Parzen estimators). All trials play the same deals, so that the results can
be compared.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import Any

from ..bots.factory import parse_spec
from ..bots.search import SEARCH_RANGES
from ..errors import MissingExtra, SetupError, one_of
from ..library import Game
from .executors import Executor
from .match import Match, run
from .seeds import resolve_seed
from .standings import Estimate, mean_by_deal, points, win_share

DEFAULT_OPPONENT = "greedy"


@dataclass(frozen=True)
class Trial:
    """Settings and their result: the share of wins, or the points if there is one seat."""

    spec: str
    result: Estimate


@dataclass(frozen=True)
class Tuning:
    """The settings of the search `bot` to tune, each between two bounds, in trials of `deals` deals each.

    The opponent is the spec `against`, by default DEFAULT_OPPONENT. With one seat there is no opponent. Raise
    SetupError if `bot` is not a search, and for an opponent with one seat. An unknown setting, a setting that `bot`
    fixes, and impossible bounds raise SetupError, too.
    """

    game: Game
    bot: str
    ranges: Mapping[str, tuple[float, float]]
    seats: int
    deals: int
    against: str | None = None
    seed: int | None = None

    @property
    def all_bots(self) -> list[str]:
        """The bot, and the opponent if `against` is given."""
        return [self.bot, *([self.against] if self.against else [])]

    @cached_property
    def resolved_seed(self) -> int:
        """The seed of deals and proposals: the given seed, else 0, or a random seed if an external program plays."""
        return resolve_seed(self.seed, self.all_bots)

    def __post_init__(self) -> None:
        if parse_spec(self.bot).kind != "search":
            raise SetupError(f"Only a search can be tuned, such as search:200: not {self.bot!r}.")
        if self.seats == 1 and self.against is not None:
            raise SetupError(
                f"With one seat there are no opponents: to tune against {self.against!r}, give the number of seats."
            )
        for name, (low, high) in self.ranges.items():
            if low >= high:
                raise SetupError(
                    f"Give the bounds of {name} as two numbers, the lower one first: not {low:g} and {high:g}."
                )
            if name not in SEARCH_RANGES:
                raise SetupError(f"A search has no setting {name!r}. It has: {one_of(SEARCH_RANGES, name)}")
            allowed = SEARCH_RANGES[name]
            if not (allowed.accepts(low) and allowed.accepts(high)):
                whole = " in whole numbers" if allowed.whole else ""
                raise SetupError(
                    f"{name} can be tuned{whole} between {allowed.low:g} and {allowed.high:g}, "
                    f"not from {low:g} to {high:g}."
                )
            if name in parse_spec(self.bot).settings:
                raise SetupError(f"{name} is tuned, and the bot {self.bot!r} sets it too: leave it out of one of them.")

    def run_trial(self, settings: Mapping[str, float], executor: Executor | None = None) -> Trial:
        """Play a match with these settings, and return the trial.

        If the bot equals its opponent, play no match: the share is 1 / seats.
        """
        spec = ",".join([self.bot, *(f"{name}={value:.6g}" for name, value in settings.items())])
        against = None if self.seats == 1 else self.against or DEFAULT_OPPONENT
        if spec == against:
            return Trial(spec, Estimate.of_shares([1 / self.seats]))
        match = Match(self.game, [spec], self.seats, self.deals, self.resolved_seed, against=against)
        rows = run(match, executor=executor)
        if self.seats == 1:
            return Trial(spec, Estimate.of(mean_by_deal(rows, spec, points)))
        return Trial(spec, Estimate.of_shares(mean_by_deal(rows, spec, win_share)))


def tune(
    tuning: Tuning, trials: int, executor: Executor | None = None, progress: Callable[[int], None] = lambda _done: None
) -> list[Trial]:
    """Run a trial of the unchanged bot, and `trials` trials with proposed settings. Return all trials, the best first.

    `progress` is called with the number of trials with proposed settings so far. Ctrl-C ends the run with the trials so
    far. Raise MissingExtra without the extra `arena`.
    """
    try:
        import optuna
    except ImportError:
        raise MissingExtra.named("Tuning needs", "optuna", "arena") from None
    optuna.logging.set_verbosity(optuna.logging.ERROR)  # not a traceback of Ctrl-C
    results: list[Trial] = []
    sampler = optuna.samplers.TPESampler(seed=tuning.resolved_seed % 2**32)
    study = optuna.create_study(direction="maximize", sampler=sampler)

    def objective(trial: Any) -> float:
        settings = {name: suggest(trial, name, *bounds) for name, bounds in tuning.ranges.items()}
        results.append(tuning.run_trial(settings, executor))
        progress(len(results) - 1)
        return results[-1].result.value

    with suppress(KeyboardInterrupt):
        results.append(tuning.run_trial({}, executor))
        study.optimize(objective, n_trials=trials)
    return sorted(results, key=lambda trial: -trial.result.value)


def suggest(trial: Any, name: str, low: float, high: float) -> float:
    """Propose and return a value between two bounds, on a log scale if `low` is positive.

    For a setting of integers, the value is a float without a fraction.
    """
    if SEARCH_RANGES[name].whole:
        return float(trial.suggest_int(name, int(low), int(high), log=low > 0))
    return float(trial.suggest_float(name, low, high, log=low > 0))
