"""Position, a state with its game, for reading; and Outcome, the result of a play."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

from ..core.kernels.scoring import rank_reward
from ..core.loaded import LoadedGame
from ..engine.checked import CheckedRecord, checked_record
from ..engine.state_dtype import NOT_OVER, States


@dataclass(frozen=True)
class Outcome:
    """The result of a play."""

    ranks: tuple[int, ...]  # by seat; 1 is best, and ties share a rank
    scores: tuple[int, ...]  # points by seat
    reason: str  # a sentence

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won or shared the win."""
        return tuple(seat for seat, rank in enumerate(self.ranks) if rank == 1)


class Position:
    """A state with its game: the base of plays and observations. Use a position in one thread at a time."""

    def __init__(self, game: LoadedGame, array: States) -> None:
        self.game = game
        self.array = array  # (1,) of the game's dtype, the state
        self._wrapped = game.wrap(array)
        self._turn, self._over = array["turn"], array["over"]
        self._turns, self._reveals = array["turns"], array["reveals"]

    @property
    def state(self) -> CheckedRecord:
        """The state, read as `state.field`. A change bypasses the rules. Call `Play.refresh` after a change."""
        return checked_record(self.array)

    @property
    def seats(self) -> int:
        """The number of seats."""
        return int(self.array["seats"].item())

    @property
    def turn(self) -> int:
        """The seat to move."""
        return self._turn.item()

    @property
    def phase(self) -> int:
        """The question to the seat to move, a number of the game's own."""
        return self.array["phase"].item()

    @property
    def over(self) -> bool:
        """Whether the play has ended."""
        return self._over.item() != NOT_OVER

    @property
    def turns(self) -> int:
        """The number of turns that have ended."""
        return self._turns.item()

    @property
    def reveals(self) -> int:
        """The number of times that the seat that acted learned something new."""
        return self._reveals.item()

    def score_table(self) -> npt.NDArray[np.int64]:
        """Return points and tie-breaks so far, as an int64 array (seats, len(rules.SCORES))."""
        table = np.zeros((self.seats, len(self.game.rules.SCORES)), np.int64)
        self.game.loops.scores(self._wrapped, self.game.wrap(table))
        return table

    @property
    def points(self) -> tuple[int, ...]:
        """The points of all seats so far."""
        return tuple(self.score_table()[:, 0].tolist())

    def ranks(self) -> tuple[int, ...]:
        """Return the ranks so far, by seat: 1 is best, and ties share a rank."""
        table = np.zeros((self.seats, len(self.game.rules.SCORES)), np.int64)
        found = np.zeros(self.seats, np.int8)
        self.game.loops.ranks(self._wrapped, self.game.wrap(table), self.game.wrap(found))
        return tuple(found.tolist())

    def returns(self) -> npt.NDArray[np.float64]:
        """Return each seat's return, float64 (seats,): the sum of its rewards in the default convention.

        With several seats, 1 is for the first, -1 for the last, evenly spaced between, and equal seats share. With one
        seat, the return is the points. Before the end, all returns are 0. `almunia.batch.rewards` has other
        conventions.
        """
        if not self.over:
            return np.zeros(self.seats)
        if self.seats == 1:
            return np.array(self.points, np.float64)
        ranks = np.array(self.ranks())
        return np.asarray(rank_reward(ranks, (ranks[:, None] == ranks).sum(axis=1), self.seats))

    def tie_breaks(self, seat: int) -> tuple[tuple[str, int], ...]:
        """Return the tie-breaks that distinguish a seat from seats with the same points, as (name, value).

        The tie-breaks are the columns of `score_table` up to the last column needed. Return () if no other seat has the
        same points.
        """
        table = self.score_table().tolist()
        mine, needed = table[seat], list[tuple[str, int]]()
        tied = [row for other, row in enumerate(table) if other != seat and row[0] == mine[0]]
        for column, name in enumerate(self.game.rules.SCORES[1:], 1):
            if tied:
                needed.append((name, mine[column]))
            tied = [row for row in tied if row[column] == mine[column]]
        return tuple(needed)

    def to_state(self) -> bytes:
        """Return the bytes of the state alone."""
        return self.array.tobytes()
