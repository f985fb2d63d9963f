"""What the rows of a match say: shares of wins, points, ratings, each with an interval.

Plays of the same deal are no independent evidence, so everything is counted by deal first; the
intervals cover 95% by Student's distribution over the deals.
"""

from collections import defaultdict
from collections.abc import Callable, Sequence
from dataclasses import dataclass
from math import inf, isfinite, nan
from statistics import fmean, stdev

from ..errors import MissingExtra
from .ledger import Row
from .lineups import Lineup, challenger

SURE = 0.975  # an interval of 95% leaves out this much above it


@dataclass(frozen=True)
class Estimate:
    """A mean with its interval of 95%."""

    value: float
    low: float
    high: float

    @classmethod
    def of(cls, values: Sequence[float]) -> "Estimate":
        """The mean of independent values; without any, or an interval without two, nothing is known."""
        mean = fmean(values) if values else nan
        if len(values) < 2:
            return cls(mean, -inf, inf)
        reach = quantile(len(values) - 1) * stdev(values) / len(values) ** 0.5
        return cls(mean, mean - reach, mean + reach)

    @classmethod
    def of_shares(cls, values: Sequence[float]) -> "Estimate":
        """The mean of shares from 0 to 1.

        The interval counts a deal all won and one all lost besides, so that a bot that never lost
        is not said to be sure to win.
        """
        careful = cls.of([*values, 0.0, 1.0])
        mean = fmean(values)
        return cls(mean, max(0.0, min(mean, careful.low)), min(1.0, max(mean, careful.high)))

    def known(self, digits: int = 2) -> list[float | None]:
        """The value and its bounds, rounded; None for what is not known."""
        numbers = (self.value, self.low, self.high)
        return [round(number, digits) if isfinite(number) else None for number in numbers]


def quantile(freedom: int) -> float:
    """How many standard errors an interval reaches."""
    try:
        from scipy.stats import t
    except ImportError:
        raise MissingExtra.named("Intervals need", "scipy", "arena") from None
    return float(t.ppf(SURE, freedom))


@dataclass(frozen=True)
class Standing:
    """How one bot did in one pairing."""

    pairing: str
    bot: str
    seats: int
    plays: int
    deals: int
    share: Estimate  # of wins, a shared one in parts
    points: Estimate  # of the plays in which nobody failed, and so of the next
    margin: Estimate  # points above the mean of the others at the table
    seconds: float  # for a decision with a choice
    faults: tuple[str, ...]


def standings(rows: Sequence[Row]) -> list[Standing]:
    """How the challenger of every pairing did; where all share a table or sit alone, how every bot did."""
    by_pairing: dict[str, list[Row]] = defaultdict(list)
    for row in rows:
        by_pairing[row["pairing"]].append(row)
    return [standing(pairing, bot, found) for pairing, found in by_pairing.items() for bot in measured(pairing, found)]


def measured(pairing: str, rows: Sequence[Row]) -> list[str]:
    """The bots that a pairing measures."""
    one = challenger(Lineup(pairing, tuple(rows[0]["bots"])))
    return [one] if one else sorted({bot for row in rows for bot in row["bots"]})


def standing(pairing: str, bot: str, rows: Sequence[Row]) -> Standing:
    """How one bot did in these plays."""
    mine = [(row, seat) for row in rows for seat, name in enumerate(row["bots"]) if name == bot]
    choices = sum(row["choices"][seat] for row, seat in mine)
    clean = [row for row in rows if not any(row["faults"])]
    return Standing(
        pairing=pairing,
        bot=bot,
        seats=len(rows[0]["bots"]),
        plays=len(mine),
        deals=len({row["deal"] for row, _ in mine}),
        share=Estimate.of_shares(by_deal(rows, bot, share)),
        points=Estimate.of(by_deal(clean, bot, points)),
        margin=Estimate.of(by_deal(clean, bot, margin)),
        seconds=sum(row["seconds"][seat] for row, seat in mine) / max(1, choices),
        faults=tuple(row["faults"][seat] for row, seat in mine if row["faults"][seat]),
    )


def by_deal(rows: Sequence[Row], bot: str, what: Callable[[Row, int], float]) -> list[float]:
    """The mean of something over each deal's plays, for one bot, in order of the deals."""
    found: dict[int, list[float]] = defaultdict(list)
    for row in rows:
        found[row["deal"]] += [what(row, seat) for seat, name in enumerate(row["bots"]) if name == bot]
    return [fmean(found[deal]) for deal in sorted(found) if found[deal]]


def share(row: Row, seat: int) -> float:
    """What a seat won of a play: a whole win, its part of a shared one, or nothing; nobody wins who failed."""
    return 1 / row["ranks"].count(1) if row["ranks"][seat] == 1 and not row["faults"][seat] else 0.0


def points(row: Row, seat: int) -> float:
    """The points of a seat."""
    return float(row["scores"][seat])


def margin(row: Row, seat: int) -> float:
    """How far a seat was above the mean of the others; alone, its points."""
    others = [score for other, score in enumerate(row["scores"]) if other != seat]
    return float(row["scores"][seat]) - (fmean(others) if others else 0.0)
