"""Standings of a match: shares of wins, and points, each with a confidence interval.

Plays of the same deal are not independent, so shares and points are averaged by deal first. Intervals cover 95% by
Student's t-distribution over the deals.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan
from statistics import fmean, stdev

from ..errors import MissingExtra
from .ledger import Row
from .lineups import challenger

UPPER_TAIL = 0.975  # quantile at the upper end of an interval of 95%


@dataclass(frozen=True)
class Estimate:
    """A mean with its 95% confidence interval."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Estimate":
        """Return the mean of independent values: nan without values, and an infinite interval for fewer than two."""
        mean = fmean(values) if values else nan
        if len(values) < 2:
            return cls(mean, -inf, inf)
        reach = quantile(len(values) - 1) * stdev(values) / len(values) ** 0.5
        return cls(mean, mean - reach, mean + reach)

    @classmethod
    def of_shares(cls, values: Sequence[float]) -> "Estimate":
        """Return the mean of shares from 0 to 1, at least one of them.

        The interval is computed with an additional won deal and an additional lost deal. Without these deals, the
        interval would shrink to a point for a bot that never lost.
        """
        smoothed = cls.of([*values, 0.0, 1.0])
        mean = fmean(values)
        return cls(mean, max(0.0, min(mean, smoothed.low)), min(1.0, max(mean, smoothed.high)))

    def rounded(self, digits: int = 2) -> list[float | None]:
        """Return the value and its bounds, rounded; None instead of nan and infinity."""
        numbers = (self.value, self.low, self.high)
        return [round(number, digits) if isfinite(number) else None for number in numbers]


def quantile(freedom: int) -> float:
    """Return the half-width of a 95% interval, in standard errors, for these degrees of freedom.

    Raise MissingExtra without SciPy.
    """
    try:
        from scipy.stats import t
    except ImportError:
        raise MissingExtra.named("Intervals need", "scipy", "arena") from None
    return float(t.ppf(UPPER_TAIL, freedom))


@dataclass(frozen=True)
class Standing:
    pairing: str
    bot: str
    seats: int
    plays: int  # a play counts once for each seat of the bot
    deals: int
    share: Estimate  # of wins; a shared win counts as a fraction
    points: Estimate  # in plays without faults
    lead_over_mean: Estimate  # over the mean points of the other seats, in plays without faults
    seconds: float  # per decision with more than one legal action
    faults: tuple[str, ...]


def standings(rows: Sequence[Row]) -> list[Standing]:
    """Return the standings of the challenger of every pairing, or of every bot in a pairing without a challenger."""
    by_pairing: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_pairing[row["pairing"]].append(row)
    result: list[Standing] = []
    for pairing, own in by_pairing.items():
        one = challenger(pairing, own[0]["bots"])
        bots = [one] if one else sorted({bot for row in own for bot in row["bots"]})
        result += [standing(pairing, bot, own) for bot in bots]
    return result


def standing(pairing: str, bot: str, rows: Sequence[Row]) -> Standing:
    mine = [(row, seat) for row in rows for seat, name in enumerate(row["bots"]) if name == bot]
    choices = sum(row["choices"][seat] for row, seat in mine)
    clean = [row for row in rows if not any(row["faults"])]
    return Standing(
        pairing=pairing,
        bot=bot,
        seats=len(rows[0]["bots"]),
        plays=len(mine),
        deals=len({row["deal"] for row, _ in mine}),
        share=Estimate.of_shares(mean_by_deal(rows, bot, win_share)),
        points=Estimate.of(mean_by_deal(clean, bot, points)),
        lead_over_mean=Estimate.of(mean_by_deal(clean, bot, lead_over_mean)),
        seconds=sum(row["seconds"][seat] for row, seat in mine) / max(1, choices),
        faults=tuple(row["faults"][seat] for row, seat in mine if row["faults"][seat]),
    )


def mean_by_deal(rows: Sequence[Row], bot: str, figure: Callable[[Row, int], float]) -> list[float]:
    """Return the mean figure of a bot in each deal that it played, in the order of deals."""
    values: dict[int, list[float]] = defaultdict(list)
    for row in rows:
        values[row["deal"]] += [figure(row, seat) for seat, name in enumerate(row["bots"]) if name == bot]
    return [fmean(values[deal]) for deal in sorted(values) if values[deal]]


def win_share(row: Row, seat: int) -> float:
    """Return 1 for a win, a fraction for a shared win, otherwise 0. A bot that failed does not win."""
    return 1 / row["ranks"].count(1) if row["ranks"][seat] == 1 and not row["faults"][seat] else 0.0


def points(row: Row, seat: int) -> float:
    return float(row["scores"][seat])


def lead_over_mean(row: Row, seat: int) -> float:
    """Return the points of a seat less the mean of the other seats; for a single seat, its points."""
    others = [score for other, score in enumerate(row["scores"]) if other != seat]
    return float(row["scores"][seat]) - (fmean(others) if others else 0.0)
