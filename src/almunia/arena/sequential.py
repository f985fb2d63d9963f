"""When to stop a pairing early: Wald's sequential probability ratio test on the share of wins.

The shares of the deals are taken as normal with the variance seen so far, as chess engines are
tested (the "generalised" test). It asks whether the true share is nearer to `fair` or to
`fair + margin`, with five chances in a hundred to be wrong either way.
"""

from collections.abc import Sequence
from dataclasses import dataclass
from math import log
from statistics import fmean, pvariance

WRONG = 0.05  # the chance of either error
LEAST = 20  # deals before anything is decided


@dataclass(frozen=True)
class Rule:
    """Stop once it is clear whether a bot's share of wins beats the fair one by `margin`."""

    margin: float  # 0.1 is ten wins in a hundred plays more than fair


def evidence(shares: Sequence[float], fair: float, margin: float) -> float:
    """The logarithm of how much more likely these shares are under `fair + margin` than under `fair`."""
    variance = max(pvariance(shares), 1e-6)
    return len(shares) * margin * (fmean(shares) - fair - margin / 2) / variance


def decided(shares: Sequence[float], fair: float, rule: Rule) -> bool:
    """Is the evidence strong enough to stop?"""
    bound = log((1 - WRONG) / WRONG)
    return len(shares) >= LEAST and abs(evidence(shares, fair, rule.margin)) >= bound
