"""What a search finds out about a position."""

from ..play.play import Observation
from ..validation import checked_seed
from .base import check_turn
from .search import Choice, Search
from .spec import Budget


def analyse(observation: Observation, budget: str = "1s", seed: int = 0, threads: int = 1) -> list[Choice]:
    """What a search finds out about the legal actions: value, share of its visits, expected scores.

    `budget` is a time such as "1s", or a number of simulations such as "2000", for which the
    same seed always finds the same. IllegalAction if it is not this seat's turn, SetupError for other arguments.
    """
    asked = Budget.parse(budget)
    check_turn(observation, f"search:{budget}")
    return Search(f"search:{budget}", observation.game, checked_seed(seed), asked, {}, threads).analyse(observation)
