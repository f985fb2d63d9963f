"""Ratings: a player's strength in a game and its uncertainty, from the ranks of any number of players.

They are computed by openskill's Plackett-Luce model (Weng and Lin, 2011) with its default settings. Bots are fixed
points, taken from the ladder of `docs/results.md`: `python -m tools.bot_ratings` writes them into `bot_ratings.json`.
People see them on the scale of chess: 400 points more are odds of 10 to 1 in a game for two, and the default bot has
1500.
"""

import json
from collections.abc import Sequence
from functools import cache
from importlib.resources import files
from math import log, sqrt
from typing import Any, NamedTuple

INITIAL_MU, INITIAL_SIGMA = 25.0, 25.0 / 3  # of a new player
BETA = 25.0 / 6  # variation of results
POINTS_AT_INITIAL, POINTS_PER_MU = 1500, 400 / (sqrt(2) * BETA * log(10))  # on the scale that people see
NEWCOMER_GAMES = 5  # and opponents, until a player is no newcomer


class Rating(NamedTuple):
    """A player's strength in a game."""

    mu: float = INITIAL_MU
    sigma: float = INITIAL_SIGMA

    @property
    def ordinal(self) -> float:
        """The strength that a player almost certainly has, by which leaderboards are sorted."""
        return self.mu - 3 * self.sigma

    @property
    def points(self) -> int:
        """The rating on the scale that people see."""
        return round(POINTS_AT_INITIAL + POINTS_PER_MU * (self.mu - INITIAL_MU))

    @property
    def uncertainty(self) -> int:
        """The half-width of the 95% interval on that scale."""
        return round(2 * POINTS_PER_MU * self.sigma)

    def __str__(self) -> str:
        """Return the rating as people see it."""
        return f"{self.points} ± {self.uncertainty}"


def rate(before: Sequence[Rating], ranks: Sequence[int]) -> list[Rating]:
    """Return the ratings after a game; 1 is the best rank, and equal ranks share a place."""
    teams = [[_model().rating(mu=one.mu, sigma=one.sigma)] for one in before]
    after = _model().rate(teams, ranks=[float(rank) for rank in ranks])
    return [Rating(float(team[0].mu), float(team[0].sigma)) for team in after]


@cache
def _model() -> Any:
    from openskill.models import PlackettLuce

    return PlackettLuce(mu=INITIAL_MU, sigma=INITIAL_SIGMA, beta=BETA)


@cache
def _bot_ratings() -> dict[str, Any]:
    found: dict[str, Any] = json.loads(files(__package__).joinpath("bot_ratings.json").read_text("utf-8"))
    return found


def bot_rating(game: str, spec: str) -> Rating | None:
    """Return the fixed rating of a bot in a game; None if the ladder has none."""
    found = _bot_ratings().get(game, {}).get("levels", {}).get(spec)
    return Rating(*found) if found else None


def bot_ratings(game: str) -> dict[str, Rating]:
    """Return the fixed ratings of all rated bots in a game, the strongest first."""
    levels = {spec: Rating(*found) for spec, found in _bot_ratings().get(game, {}).get("levels", {}).items()}
    return dict(sorted(levels.items(), key=lambda one: -one[1].mu))
