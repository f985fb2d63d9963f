"""Position, a state with its game, for reading; SeatView, a masked position; and Outcome, the result of a play."""

from dataclasses import dataclass

import numpy as np
import numpy.typing as npt

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
    """A state with its game: the base of plays and observations. Use it in one thread at a time."""

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
        """The question to that seat, a number of the game's own."""
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
        """The number of times that something hidden was revealed."""
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

    def tie_breaks(self, seat: int) -> tuple[tuple[str, int], ...]:
        """Return the tie-breaks that distinguish a seat from seats with the same points, as (name, value).

        They are the columns of `score_table` up to the last one needed. Empty if no other seat has the same points.
        """
        table = self.score_table().tolist()
        mine, others = table[seat], [row for other, row in enumerate(table) if other != seat]
        apart = [
            next((column for column, value in enumerate(row) if value != mine[column]), len(row) - 1)
            for row in others
            if row[0] == mine[0]
        ]
        columns = range(1, max(apart, default=0) + 1)
        return tuple((self.game.rules.SCORES[column], mine[column]) for column in columns)

    def to_state(self) -> bytes:
        """Return the bytes of the state alone."""
        return self.array.tobytes()


class SeatView(Position):
    """A position as one seat, or a spectator, sees it."""

    seat: int  # or SPECTATOR

    @property
    def is_to_move(self) -> bool:
        """Whether this seat is to move."""
        return self.turn == self.seat and not self.over

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """The legal actions, ascending; empty if it is not this seat's turn."""
        if self.turn != self.seat or self.over:
            return ()
        out = np.zeros(self.game.rules.ACTIONS, np.int32)
        return tuple(out[: self.game.loops.legal_actions(self._wrapped, self.game.wrap(out))].tolist())
