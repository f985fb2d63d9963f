"""Ratings: how strong somebody is in a game, and how sure that is, from the places of any number of players.

They are computed by openskill's Plackett-Luce model (Weng and Lin, 2011) in its usual settings. Bots are fixed points,
taken from the ladder of `docs/results.md`: `python -m tools.bot_ratings` writes them into `bot_ratings.json`. People
see them on the scale that chess uses: 400 more are odds of 10 to 1 in a game for two, and the usual bot has 1500.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import log, sqrt
from typing import Any, NamedTuple

MIDDLE, DOUBT = 25.0, 25.0 / 3  # the rating of somebody new, and how unsure it is
BETA = 25.0 / 6  # how much results vary beside what ratings say
ZERO, UNIT = 1500, 400 / (sqrt(2) * BETA * log(10))  # of the scale that people see
ENOUGH = 5  # rated games and opponents, before somebody is no newcomer


class Rating(NamedTuple):
    """How strong somebody is in a game."""

    mu: float = MIDDLE
    sigma: float = DOUBT

    @property
    def ordinal(self) -> float:
        """How strong somebody is at least, as good as surely: by this leaderboards go."""
        return self.mu - 3 * self.sigma

    @property
    def points(self) -> int:
        """The rating on the scale that people see."""
        return round(ZERO + UNIT * (self.mu - MIDDLE))

    @property
    def doubt(self) -> int:
        """How much more or less it may be on that scale, in 95 of 100 cases."""
        return round(2 * UNIT * self.sigma)

    def __str__(self) -> str:
        """As people see it."""
        return f"{self.points} ± {self.doubt}"


def rated(before: Sequence[Rating], ranks: Sequence[int]) -> list[Rating]:
    """The ratings after a game, of which 1 is the best rank and equals share."""
    teams = [[_model().rating(mu=one.mu, sigma=one.sigma)] for one in before]
    after = _model().rate(teams, ranks=[float(rank) for rank in ranks])
    return [Rating(float(team[0].mu), float(team[0].sigma)) for team in after]


@cache
def _model() -> Any:
    from openskill.models import PlackettLuce

    return PlackettLuce(mu=MIDDLE, sigma=DOUBT, beta=BETA)


@cache
def _fixed() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files(__package__).joinpath("bot_ratings.json").read_text("utf-8"))
    return found


def of_bot(game: str, spec: str) -> Rating | None:
    """The fixed rating of a bot in a game; None if the ladder says nothing of it."""
    found = _fixed().get(game, {}).get("levels", {}).get(spec)
    return Rating(*found) if found else None


def of_bots(game: str) -> dict[str, Rating]:
    """The fixed ratings of all bots in a game that have one, the strongest first."""
    levels = {spec: Rating(*found) for spec, found in _fixed().get(game, {}).get("levels", {}).items()}
    return dict(sorted(levels.items(), key=lambda one: -one[1].mu))
