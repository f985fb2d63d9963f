"""Ratings from the rows of a match: the strength of every bot on one scale.

There are two kinds of ratings. `openskill` rates plays in order, for any number of seats (Weng and Lin, 2011). The
Bradley-Terry model fits all pairs at once, on the Elo scale, with a bootstrap interval over the deals.
"""

from collections import defaultdict
from collections.abc import Sequence
from dataclasses import dataclass
from itertools import combinations
from math import log
from statistics import fmean
from typing import Any

import numpy as np

from ..errors import MissingExtra
from .ledger import Row
from .standings import Estimate

ELO = 400 / log(10)  # points on the Elo scale per unit of a Bradley-Terry fit
REGULARIZATION = 0.1  # wins added in both directions for each pair, so that ratings are finite if a bot won all plays
RESAMPLES = 200
INTERVAL_DEVIATIONS = 2.0  # half-width of openskill's interval


@dataclass(frozen=True)
class Rating:
    bot: str
    openskill: Estimate
    bradley_terry: Estimate  # 0 is the mean of all bots


def ratings(rows: Sequence[Row], seed: int = 0) -> list[Rating]:
    """Return the ratings of all bots, the strongest first; empty if no bot played against another.

    `seed` seeds the bootstrap. Raise MissingExtra without the extra `arena`.
    """
    names = sorted({bot for row in rows for bot in row["bots"]})
    if all(len(set(row["bots"])) == 1 for row in rows):
        return []
    skills, strengths = openskill(rows), bradley_terry(rows, names, seed)
    result = [Rating(bot, skills[bot], strengths[bot]) for bot in names]
    return sorted(result, key=lambda rating: -rating.bradley_terry.value)


def openskill(rows: Sequence[Row]) -> dict[str, Estimate]:
    """Return the OpenSkill rating and interval of each bot that played against another bot.

    Plays are rated in the order of their deals.

    Raise MissingExtra without openskill.
    """
    try:
        from openskill.models import PlackettLuce
    except ImportError:
        raise MissingExtra.named("Ratings need", "openskill", "arena") from None
    model = PlackettLuce()
    current: dict[str, Any] = defaultdict(model.rating)
    for row in sorted(rows, key=lambda row: (row["deal"], row["bots"])):
        if len(set(row["bots"])) < 2:
            continue
        teams = [[current[bot]] for bot in row["bots"]]
        rated = model.rate(teams, ranks=[float(rank) for rank in row["ranks"]])
        for bot in set(row["bots"]):
            updated = [team[0] for name, team in zip(row["bots"], rated, strict=True) if name == bot]
            current[bot] = model.rating(mu=fmean(r.mu for r in updated), sigma=fmean(r.sigma for r in updated))
    reach = {bot: INTERVAL_DEVIATIONS * r.sigma for bot, r in current.items()}
    return {bot: Estimate(r.mu, r.mu - reach[bot], r.mu + reach[bot]) for bot, r in current.items()}


def bradley_terry(rows: Sequence[Row], names: Sequence[str], seed: int) -> dict[str, Estimate]:
    """Return each bot's strength on the Elo scale, with a 95% interval from resampled deals.

    The samples are drawn from the deals and an additional deal, in which every bot beats every other bot once. Without
    the additional deal, the interval of a bot that won all plays would shrink to a point.
    """
    deals: dict[int, np.ndarray] = defaultdict(lambda: np.zeros((len(names), len(names))))
    for row in rows:
        deals[row["deal"]] += wins_between(row, names)
    tables = np.stack([1 - np.eye(len(names)), *(deals[deal] for deal in sorted(deals))])
    rng = np.random.default_rng(seed)
    samples = rng.integers(0, len(tables), (RESAMPLES, len(tables)))
    fits = np.stack([fit(tables[sample].sum(axis=0)) for sample in samples])
    low, high = np.percentile(fits, [2.5, 97.5], axis=0)
    value = fit(tables[1:].sum(axis=0))
    low, high = np.minimum(low, value), np.maximum(high, value)
    return {bot: Estimate(float(value[i]), float(low[i]), float(high[i])) for i, bot in enumerate(names)}


def wins_between(row: Row, names: Sequence[str]) -> np.ndarray:
    """Return the wins of each bot (row) against each other bot (column) in a play, (bots, bots). A draw counts half."""
    table = np.zeros((len(names), len(names)))
    places = [(names.index(bot), rank) for bot, rank in zip(row["bots"], row["ranks"], strict=True)]
    for (one, one_rank), (other, other_rank) in combinations(places, 2):
        if one != other:
            half = 0.5 if one_rank == other_rank else float(one_rank < other_rank)
            table[one, other] += half
            table[other, one] += 1 - half
    return table


def fit(wins: np.ndarray) -> np.ndarray:
    """Return the strengths of bots on the Elo scale, with mean 0, from a table of wins (bots, bots).

    Raise MissingExtra without choix.
    """
    try:
        from choix import ilsr_pairwise_dense
    except ImportError:
        raise MissingExtra.named("Ratings need", "choix", "arena") from None
    strengths = ilsr_pairwise_dense(wins + REGULARIZATION * (1 - np.eye(len(wins))))
    return (strengths - strengths.mean()) * ELO
