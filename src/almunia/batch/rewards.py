"""Rewards: the conventions that batches and every adapter to a framework share.

A position has a *worth* to each seat, 0.0 before the play begins. The reward of a decision is how much the worth of the
positions that its seat sees has changed by the time that seat is asked again, or the play is over. So the rewards of
a seat add up to what the end is worth to it, and none depends on what the seat may not know.
"""

import numpy as np
import numpy.typing as npt

from ..core.kernels import scoring
from ..core.loaded import LoadedGame
from ..errors import SetupError, one_of
from ..play.position import Position
from ..validation import is_name

MEANING = {
    "rank": "at the end 1 for the first, -1 for the last, evenly spaced between; equals share. The sum is 0",
    "win": "at the end 1 for the winner, shared among equals, and 0 for all others. The sum is 1",
    "points": "the points won or lost since the last decision",
    "lead": "the change of the points ahead of the best other seat; for one player alone, of the points",
}
KINDS = {"rank": scoring.RANK, "win": scoring.WIN, "points": scoring.POINTS, "lead": scoring.LEAD}
AT_THE_END = ("rank", "win")


def checked_reward(reward: str | None, seats: int) -> str:
    """The name of a convention; if none is given, "rank" among several seats and "points" for one alone.

    SetupError for another name, or for one that means nothing to one player.
    """
    if reward is None:
        return "rank" if seats > 1 else "points"
    if not is_name(reward, KINDS):
        raise SetupError(f"There is no reward {reward!r}. There are: {one_of(KINDS, str(reward))}")
    if seats == 1 and reward in AT_THE_END:
        raise SetupError(f"The reward {reward!r} compares seats, and there is only one; choose 'points' or 'lead'.")
    return reward


def bounds_of(reward: str, points: tuple[int, int], seats: int) -> tuple[float, float]:
    """Return the least and the largest worth of an end at which a seat has from the first to the second of `points`."""
    low, high = points
    if reward == "lead" and seats > 1:
        return float(low - high), float(high - low)
    return {"rank": (-1.0, 1.0), "win": (0.0, 1.0)}.get(reward, (float(low), float(high)))


class Rewards:
    """A reward convention for plays of a game with so many seats. One thread may use it at a time.

    SetupError for a seat count or a convention that does not exist.
    """

    def __init__(self, game: LoadedGame, seats: int | None = None, reward: str | None = None) -> None:
        self.game, self.seats = game, game.checked_seats(seats)
        self.reward = checked_reward(reward, self.seats)
        self.bounds = bounds_of(self.reward, game.meta.points, self.seats)  # of the worth of an end
        self._ends = self.reward in AT_THE_END
        self._kind, self._worth = KINDS[self.reward], game.kernel(scoring).worth_in
        table, ranks = np.zeros((self.seats, len(game.rules.SCORES)), np.int64), np.zeros(self.seats, np.int8)
        self._scratch = game.lend(table), game.lend(ranks)

    def worth(self, position: Position, seat: int) -> float:
        """What a position is worth to a seat.

        While the play runs, ask it of an observation of that seat: the points of a play itself may tell more
        than the seat knows.
        """
        if self._ends and not position.over:
            return 0.0
        return float(self._worth(self.game.lend(position.array), self._kind, seat, *self._scratch))

    def worths(self, position: Position) -> npt.NDArray[np.float64]:
        """What a position is worth to each seat, float64 of shape (seats,): at the end, the sums of all rewards."""
        return np.array([self.worth(position, seat) for seat in range(self.seats)])
