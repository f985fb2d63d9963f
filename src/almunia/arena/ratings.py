"""Ratings from the rows of a match: how strong every bot is on one scale.

Two ways, side by side: `openskill` rates plays one after the other, for any number of seats
(Weng and Lin, 2011); a Bradley-Terry fit looks at all pairs at once, on the scale chess uses,
with an interval from resampling the deals.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log
from typing import Any

import numpy as np

from ..errors import MissingExtra
from .ledger import Row
from .standings import Estimate

ELO = 400 / log(10)  # points on the scale of chess for each unit of a Bradley-Terry fit
DAMPING = 0.1  # of a win each way between any two: keeps a bot that won everything on the scale
RESAMPLES = 200
WIDE = 2.0  # openskill's interval: so many of its own deviations


@dataclass(frozen=True)
class Rating:
    """How strong one bot is."""

    bot: str
    openskill: Estimate
    bradley_terry: Estimate  # 0 is the mean of all


def ratings(rows: Sequence[Row], seed: int = 0) -> list[Rating]:
    """Ratings of all bots that met others, the strongest first."""
    names = sorted({bot for row in rows for bot in row["bots"]})
    if all(len(set(row["bots"])) == 1 for row in rows):
        return []
    skills, strengths = openskill(rows), bradley_terry(rows, names, seed)
    found = [Rating(bot, skills[bot], strengths[bot]) for bot in names]
    return sorted(found, key=lambda rating: -rating.bradley_terry.value)


def openskill(rows: Sequence[Row]) -> dict[str, Estimate]:
    """Each bot's rating after all plays in order of their deals."""
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        raise MissingExtra.named("Ratings need", "openskill", "arena") from None
    model = PlackettLuce()
    known: dict[str, Any] = defaultdict(model.rating)
    for row in sorted(rows, key=lambda row: (row["deal"], row["bots"])):
        if len(set(row["bots"])) < 2:
            continue
        teams = [[known[bot]] for bot in row["bots"]]
        rated = model.rate(teams, ranks=[float(rank) for rank in row["ranks"]])
        for bot in set(row["bots"]):
            fresh = [team[0] for name, team in zip(row["bots"], rated, strict=True) if name == bot]
            known[bot] = model.rating(mu=mean(r.mu for r in fresh), sigma=mean(r.sigma for r in fresh))
    return {bot: Estimate(r.mu, r.mu - WIDE * r.sigma, r.mu + WIDE * r.sigma) for bot, r in known.items()}


def mean(values: Any) -> float:
    """The mean of what an iterator gives."""
    return float(np.mean(list(values)))


def bradley_terry(rows: Sequence[Row], names: Sequence[str], seed: int) -> dict[str, Estimate]:
    """Strengths on the Elo scale, with an interval of 95% from resampled deals.

    Among these is one more in which any two beat each other once, so that a bot that won everything
    is not said to be sure to.
    """
    deals: dict[int, np.ndarray] = defaultdict(lambda: np.zeros((len(names), len(names))))
    for row in rows:
        deals[row["deal"]] += wins_between(row, names)
    tables = np.stack([1 - np.eye(len(names)), *(deals[deal] for deal in sorted(deals))])
    rng = np.random.default_rng(seed)
    samples = rng.integers(0, len(tables), (RESAMPLES, len(tables)))
    fits = np.stack([fitted(tables[sample].sum(axis=0)) for sample in samples])
    low, high = np.percentile(fits, [2.5, 97.5], axis=0)
    value = fitted(tables[1:].sum(axis=0))
    low, high = np.minimum(low, value), np.maximum(high, value)
    return {bot: Estimate(float(value[i]), float(low[i]), float(high[i])) for i, bot in enumerate(names)}


def wins_between(row: Row, names: Sequence[str]) -> np.ndarray:
    """How often each bot was ranked above each other one in a play; equals count half for both."""
    table = np.zeros((len(names), len(names)))
    places = [(names.index(bot), rank) for bot, rank in zip(row["bots"], row["ranks"], strict=True)]
    for (one, one_rank), (other, other_rank) in combinations(places, 2):
        if one != other:
            half = 0.5 if one_rank == other_rank else float(one_rank < other_rank)
            table[one, other] += half
            table[other, one] += 1 - half
    return table


def fitted(wins: np.ndarray) -> np.ndarray:
    """Bradley-Terry strengths from a table of wins, mean 0."""
    try:
        from choix import ilsr_pairwise_dense
    except ImportError:
        raise MissingExtra.named("Ratings need", "choix", "arena") from None
    strengths = ilsr_pairwise_dense(wins + DAMPING * (1 - np.eye(len(wins))))
    return (strengths - strengths.mean()) * ELO
