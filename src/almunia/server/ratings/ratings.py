"""Ratings: a player's strength in a game and its uncertainty, from the ranks of any number of players.

The package openskill computes ratings by the Plackett-Luce model (Weng and Lin, 2011), with its default settings. The
ratings of bots are fixed: `python -m tools.bot_ratings` writes them into `bot_ratings.json`. People see ratings on the
Elo scale: 400 points more are odds of 10 to 1 in a game for two, and a new player begins with 1500.
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
MIN_PLAYERS = 2  # of a rated game


class Rating(NamedTuple):
    mu: float = INITIAL_MU
    sigma: float = INITIAL_SIGMA

    @property
    def ordinal(self) -> float:
        """A lower bound of the strength, by which leaderboards are sorted."""
        return self.mu - 3 * self.sigma

    @property
    def points(self) -> int:
        return round(POINTS_AT_INITIAL + POINTS_PER_MU * (self.mu - INITIAL_MU))

    @property
    def uncertainty(self) -> int:
        """The half-width of the 95% interval of `points`."""
        return round(2 * POINTS_PER_MU * self.sigma)

    def __str__(self) -> str:
        return f"{self.points} ± {self.uncertainty}"


class FinalResult(NamedTuple):
    """A player's result in a rated game, with the rating before."""

    before: Rating
    rank: int
    is_newcomer: bool = False  # changes only ratings of newcomers
    gave_up_early: bool = False  # after few moves: changes no rating of others
    weight: float = 1.0  # of this game for the player's rating
    played_to_end: bool = True  # if not, equal ranks are not compared


def ratings_after(players: Sequence[FinalResult]) -> list[Rating]:
    return [rating_after(players, seat) for seat in range(len(players))]


def rating_after(players: Sequence[FinalResult], seat: int) -> Rating:
    """Return the rating of a player after a game, from comparisons that `is_compared` allows."""
    own = players[seat]
    among = [number for number, other in enumerate(players) if number == seat or is_compared(own, other)]
    if len(among) < MIN_PLAYERS:
        return own.before
    after = rate([players[one].before for one in among], [players[one].rank for one in among])
    return weighted(own.before, after[among.index(seat)], own.weight)


def is_compared(own: FinalResult, other: FinalResult) -> bool:
    """Return whether the result of `other` may change the rating of `own`.

    A newcomer changes only ratings of newcomers: else a person could raise a rating with ever new guests that lose.
    Players who give up early change no rating of others. Equal ranks are compared only if `own` played to the end.
    """
    tied = own.rank == other.rank and not own.played_to_end
    return not (tied or other.gave_up_early or (other.is_newcomer and not own.is_newcomer))


def weighted(before: Rating, after: Rating, weight: float) -> Rating:
    """Return the rating between two: `before` for weight 0, `after` for 1; the variance is interpolated."""
    if weight == 1.0:
        return after
    variance = before.sigma**2 + weight * (after.sigma**2 - before.sigma**2)
    return Rating(before.mu + weight * (after.mu - before.mu), sqrt(variance))


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
    """Return the fixed rating of a bot in a game; None if the bot is not rated."""
    return bot_ratings(game).get(spec)


def bot_ratings(game: str) -> dict[str, Rating]:
    """Return the fixed ratings of all rated bots in a game, the strongest first."""
    levels = {spec: Rating(*found) for spec, found in _bot_ratings().get(game, {}).get("levels", {}).items()}
    return dict(sorted(levels.items(), key=lambda one: -one[1].mu))
