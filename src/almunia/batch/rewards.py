"""Rewards: the conventions of batches and of all environments for frameworks.

A position has a *potential* for each seat, which is 0.0 before the play begins. The reward of a decision is the change
of the potential until the seat's next decision or the end. The potential is that of the positions as the seat sees
them, so rewards do not depend on hidden information. The rewards of a seat add up to the potential at the end.
"""

import numpy as np
import numpy.typing as npt

from ..core.kernels import scoring
from ..core.loaded import LoadedGame
from ..errors import SetupError
from ..play.position import Position
from ..validation import check_one_of

DESCRIPTIONS = {
    "rank": "at the end 1 for the first, -1 for the last, evenly spaced between; equals share. The sum is 0",
    "win": "at the end 1 for the winner, shared among equals, and 0 for all others. The sum is 1",
    "points": "the points won or lost since the last decision",
    "lead": "the change of the points ahead of the best other seat; for one player alone, of the points",
}
CODES = {"rank": scoring.RANK, "win": scoring.WIN, "points": scoring.POINTS, "lead": scoring.LEAD}
TERMINAL_ONLY = ("rank", "win")


def checked_reward(reward: str | None, seats: int) -> str:
    """Return the name of a convention. The default is "rank" for several seats and "points" for one seat.

    Raise SetupError for an unknown name, or for one seat and a convention that compares seats.
    """
    if reward is None:
        return "rank" if seats > 1 else "points"
    check_one_of("reward", reward, CODES)
    if seats == 1 and reward in TERMINAL_ONLY:
        raise SetupError(f"The reward {reward!r} compares seats, and there is only one; choose 'points' or 'lead'.")
    return reward


class Rewards:
    """A reward convention for plays of a game with a number of seats. One thread may use an instance at a time.

    Args:
        game: the game of the plays.
        seats: the number of players; by default the fewest that the game allows.
        reward: "rank", "win", "points" or "lead"; by default "rank" for several seats and "points" for one seat.

    Raises:
        SetupError: an invalid number of seats, an unknown convention, or "rank" or "win" for one seat.
    """

    def __init__(self, game: LoadedGame, seats: int | None = None, reward: str | None = None) -> None:
        self.game, self.seats = game, game.check_seats(seats)
        self.reward = checked_reward(reward, self.seats)
        low, high = map(float, game.meta.points)
        lead = (low - high, high - low) if self.seats > 1 else (low, high)
        bounds = {"rank": (-1.0, 1.0), "win": (0.0, 1.0), "points": (low, high), "lead": lead}
        self.bounds = bounds[self.reward]  # the smallest and largest possible return of a seat
        self._terminal_only = self.reward in TERMINAL_ONLY
        self._code, self._potential = CODES[self.reward], game.kernel(scoring).state_potential
        table, ranks = np.zeros((self.seats, len(game.rules.SCORES)), np.int64), np.zeros(self.seats, np.int8)
        self._scratch = game.wrap(table), game.wrap(ranks)

    def potential(self, position: Position, seat: int) -> float:
        """Return the potential of a position for a seat.

        Before the end, pass an observation of that seat, because the points of a play may reveal hidden information.
        """
        if self._terminal_only and not position.over:
            return 0.0
        return float(self._potential(self.game.wrap(position.array), self._code, seat, *self._scratch))

    def returns(self, position: Position) -> npt.NDArray[np.float64]:
        """Return the potential for each seat, float64 (seats,): at the end, the sum of the seat's rewards."""
        return np.array([self.potential(position, seat) for seat in range(self.seats)])
