"""Early stopping of a pairing: Wald's sequential probability ratio test (SPRT) on the share of wins.

The test assumes that the shares of the deals are normally distributed with the sample variance, as in tests of chess
engines (the generalised SPRT). The test decides whether the true share is nearer to `fair` or to `fair + margin`.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from statistics import fmean, pvariance

ERROR_RATE = 0.05  # for errors of both kinds
MIN_DEALS = 20  # before a decision


@dataclass(frozen=True)
class SprtRule:
    """A rule to stop a pairing when the test decides whether a bot exceeds the fair share of wins by `margin`."""

    margin: float  # 0.1: ten wins more than fair in a hundred plays


def log_likelihood_ratio(shares: Sequence[float], fair: float, margin: float) -> float:
    """Return the log of the likelihood ratio of these shares: `fair + margin` against `fair`."""
    variance = max(pvariance(shares), 1e-6)
    return len(shares) * margin * (fmean(shares) - fair - margin / 2) / variance


def is_decided(shares: Sequence[float], fair: float, rule: SprtRule) -> bool:
    """Return whether the test has a result for these shares, one per deal; False for fewer than MIN_DEALS deals."""
    bound = log((1 - ERROR_RATE) / ERROR_RATE)
    return len(shares) >= MIN_DEALS and abs(log_likelihood_ratio(shares, fair, rule.margin)) >= bound
