"""Tuning: finds settings with which a searching bot does best against a fixed opponent.

The trials are proposed by Optuna (tree-structured Parzen estimators); each is a match on the same
deals, so that settings are compared and not deals.
"""

from collections.abc import Callable, Mapping
from contextlib import suppress
from dataclasses import dataclass
from functools import cached_property
from typing import TYPE_CHECKING, Any

from ..bots.factory import parsed
from ..bots.search import LIMITS
from ..bots.spec import fits
from ..errors import MissingExtra, SetupError, one_of
from .engines import Engine
from .match import Match, run
from .seeds import drawn_seed
from .standings import Estimate, by_deal, margin, share

if TYPE_CHECKING:
    from ..library import Game

USUAL = "greedy"  # opponent


@dataclass(frozen=True)
class Trial:
    """One choice of settings, and how it did: share of wins, or points for a bot alone."""

    spec: str
    result: Estimate


@dataclass(frozen=True)
class Tuning:
    """What is to be tuned: settings of `bot`, each between two bounds, against an opponent."""

    game: "Game"
    bot: str
    ranges: Mapping[str, tuple[float, float]]
    seats: int
    deals: int
    against: str | None = None
    seed: int | None = None

    @property
    def everybody(self) -> list[str]:
        """The bot, and the one that it meets."""
        return [self.bot, *([self.against] if self.against else [])]

    @cached_property
    def drawn(self) -> int:
        """The seed that settles deals and proposals: as given, or drawn."""
        return drawn_seed(self.seed, self.everybody)

    def __post_init__(self) -> None:
        """SetupError for a bot that has no settings, a setting that does not exist, or bounds it does not take."""
        if parsed(self.bot).kind != "search":
            raise SetupError(f"Only a search can be tuned, such as search:200: not {self.bot!r}.")
        if self.seats == 1 and self.against is not None:
            raise SetupError(
                f"A bot alone meets nobody: to tune it against {self.against!r} say how many seats there are."
            )
        for name, (low, high) in self.ranges.items():
            if low >= high:
                raise SetupError(
                    f"Give the bounds of {name} as two numbers, the lower one first: not {low:g} and {high:g}."
                )
            if name not in LIMITS:
                raise SetupError(f"A search has no setting {name!r}. It has: {one_of(LIMITS, name)}")
            least, most = LIMITS[name]
            if not (least <= low <= high <= most and fits(low, least) and fits(high, least)):
                whole = " in whole numbers" if isinstance(least, int) else ""
                raise SetupError(
                    f"{name} can be tuned{whole} between {least:g} and {most:g}, not from {low:g} to {high:g}."
                )
            if name in parsed(self.bot).settings:
                raise SetupError(
                    f"{name} is to be tuned, and the bot {self.bot!r} sets it: leave it out of one of them."
                )

    def tried(self, settings: Mapping[str, float], engine: Engine | None = None) -> Trial:
        """Play with these settings."""
        spec = ",".join([self.bot, *(f"{name}={value:.6g}" for name, value in settings.items())])
        against = None if self.seats == 1 else self.against or USUAL
        match = Match(self.game, [spec], self.seats, self.deals, self.drawn, against=against)
        rows = run(match, engine=engine)
        if self.seats == 1:
            return Trial(spec, Estimate.of(by_deal(rows, spec, margin)))
        return Trial(spec, Estimate.of_shares(by_deal(rows, spec, share)))


def tune(
    tuning: Tuning, trials: int, engine: Engine | None = None, progress: Callable[[int], None] = lambda _done: None
) -> list[Trial]:
    """Try so many settings, and return them all, the best first; the bot as it is takes part.

    An interruption ends it with those tried so far.
    """
    try:
        import optuna
    except ImportError:
        raise MissingExtra.named("Tuning needs", "optuna", "arena") from None
    optuna.logging.set_verbosity(optuna.logging.WARNING)
    found = [tuning.tried({}, engine)]
    sampler = optuna.samplers.TPESampler(seed=tuning.drawn % 2**32)
    study = optuna.create_study(direction="maximize", sampler=sampler)

    def objective(trial: Any) -> float:
        found.append(
            tuning.tried({name: suggested(trial, name, *bounds) for name, bounds in tuning.ranges.items()}, engine)
        )
        progress(len(found) - 1)
        return found[-1].result.value

    with suppress(KeyboardInterrupt):
        study.optimize(objective, n_trials=trials)
    return sorted(found, key=lambda trial: -trial.result.value)


def suggested(trial: Any, name: str, low: float, high: float) -> float:
    """A value between two bounds, by their ratio where that makes sense."""
    if isinstance(LIMITS[name][0], int):
        return float(trial.suggest_int(name, int(low), int(high), log=low > 0))
    return float(trial.suggest_float(name, low, high, log=low > 0))
