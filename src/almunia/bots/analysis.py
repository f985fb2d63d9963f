"""Analysis of a position by a search."""

from ..play.play import Observation
from ..validation import check_seed
from .base import check_turn
from .search import ActionAnalysis, SearchBot
from .spec import Budget


def analyse(observation: Observation, budget: str = "1s", seed: int = 0, threads: int = 1) -> list[ActionAnalysis]:
    """Search, and return the analyses of the legal actions that it considered, best first.

    Args:
        observation: the observation of the seat to move.
        budget: a time such as "1s", or a number of simulations such as "2000". With simulations, the same seed gives
            the same result.
        seed: the seed of the search's random numbers.
        threads: the number of trees that are searched in parallel.

    Raises:
        IllegalAction: it is not this seat's turn.
        SetupError: another argument is invalid.
    """
    parsed = Budget.parse(budget)
    check_turn(observation, f"search:{budget}")
    bot = SearchBot(f"search:{budget}", observation.game, check_seed(seed), parsed, {}, threads)
    return bot.analyse(observation)
