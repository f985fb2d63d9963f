"""Play: one play of a game, and the border where legality is checked."""

from collections.abc import Sequence
from dataclasses import dataclass
from operator import index
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..errors import IllegalAction, RecordError, UndoRefused
from . import layout
from .checked import CheckedRecord, reading
from .contract import NONE, SPECTATOR
from .loops import ILLEGAL

if TYPE_CHECKING:
    from .game import Game
    from .record import Record

MAGIC = b"ALMU1"


@dataclass(frozen=True)
class Outcome:
    """How a play ended."""

    ranks: tuple[int, ...]  # by seat; 1 is best, and equals share
    scores: tuple[int, ...]  # points by seat
    reason: str  # a sentence

    @property
    def winners(self) -> tuple[int, ...]:
        """The seats that won or shared the win."""
        return tuple(seat for seat, rank in enumerate(self.ranks) if rank == 1)


class Position:
    """A state with its game: the part that plays and observations share."""

    def __init__(self, game: "Game", array: np.ndarray) -> None:
        self.game = game
        self.array = array  # the state as NumPy keeps it, of shape (1,)
        self._lent = game.lend(array)
        self._turn, self._over, self._reveals = array["turn"], array["over"], array["reveals"]

    @property
    def state(self) -> CheckedRecord:
        """The state, to be read as `state.field`; changing it is at your own risk."""
        return reading(self.array)

    @property
    def seats(self) -> int:
        """How many play."""
        return int(self.array["seats"].item())

    @property
    def turn(self) -> int:
        """The seat to move."""
        return self._turn.item()

    @property
    def phase(self) -> int:
        """The question that seat is being asked, a number of the game's own."""
        return self.array["phase"].item()

    @property
    def over(self) -> bool:
        """Has the play ended?"""
        return self._over.item() != layout.RUNNING

    @property
    def reveals(self) -> int:
        """How often something new has come to light."""
        return self._reveals.item()

    def standing(self) -> np.ndarray:
        """Points and tie-breaks so far, as an int64 array (seats, len(rules.SCORES))."""
        table = np.zeros((self.seats, len(self.game.rules.SCORES)), np.int64)
        self.game.loops.scores(self._lent, self.game.lend(table))
        return table

    def to_state(self) -> bytes:
        """The bytes of the state alone."""
        return self.array.tobytes()


class Observation(Position):
    """What one seat knows of a play. Nothing in it depends on what that seat may not know."""

    def __init__(self, game: "Game", array: np.ndarray, seat: int) -> None:
        super().__init__(game, array)
        self.seat = seat
        game.loops.mask(self._lent, seat)

    @property
    def legal(self) -> tuple[int, ...]:
        """The legal actions, if it is this seat's turn."""
        if self.turn != self.seat or self.over:
            return ()
        out = np.zeros(self.game.rules.ACTIONS, np.int32)
        return tuple(out[: self.game.loops.listing(self._lent, self.game.lend(out))].tolist())

    def tensor(self) -> np.ndarray:
        """The observation as numbers: float32, the parts of `observe.TENSOR` one after the other."""
        out = np.zeros(tensor_size(self.game), np.float32)
        self.game.loops.tensor(self._lent, self.seat, self.game.lend(out))
        return out

    def board(self) -> str:
        """The position as text."""
        return self.game.text.board(self.state, self.seat)

    def svg(self, choose: bool = False) -> str:
        """The position as one picture, with what may be clicked if `choose` is true."""
        from .picture import standalone

        return standalone(self, self.legal if choose else ())

    def redeal(self, seed: int) -> "Play":
        """A play that this seat could not tell from the true one, its secrets guessed from `seed`."""
        from .chance import shake

        rng = np.zeros(4, np.int64)
        shake(rng, seed)
        cell = layout.copied(self.array)
        out = np.zeros(self.game.rules.ACTIONS, np.int32)
        lend = self.game.lend
        self.game.loops.redeal(lend(cell), self.seat, lend(rng), lend(out))
        return Play(self.game, cell)

    def _repr_svg_(self) -> str:
        return self.svg()


class Play(Position):
    """One play of a game. Start one with `game.new(...)`.

    A play that was started from a seed keeps its actions, and so can give its record.
    """

    def __init__(self, game: "Game", array: np.ndarray, seed: int | None = None, options: dict[str, str] | None = None):
        super().__init__(game, array)
        self.seed, self.options = seed, options or {}
        self.actions: list[int] = []
        self._undo: list[bytes] = []  # states of this turn since the last reveal
        self._out = np.zeros(game.rules.ACTIONS, np.int32)
        self._lent_out = game.lend(self._out)
        self._count = 0  # how many of `_out` are legal actions
        self.refresh()

    @classmethod
    def start(cls, game: "Game", seats: int, seed: int, options: dict[str, str]) -> Self:
        """Lay out a play from options that have been checked."""
        cell = layout.blank(game.rules.STATE)
        for option in game.meta.options:
            cell[option.name] = option.store(options[option.name])
        game.loops.begin(game.lend(cell), seats, seed, game.lend(np.zeros(game.rules.ACTIONS, np.int32)))
        return cls(game, cell, seed, options)

    # --- what may be done, and doing it -------------------------------------------------

    @property
    def legal(self) -> tuple[int, ...]:
        """The legal actions of the seat to move, ascending; empty when the play is over."""
        return tuple(self._out[: self._count].tolist())

    def apply(self, action: int) -> None:
        """Do an action; IllegalAction says what was wrong, and then nothing has changed."""
        try:
            code = index(action)
        except TypeError:
            raise IllegalAction(self._complaint(action)) from None
        before, turn, reveals = self.array.tobytes(), self._turn.item(), self._reveals.item()
        count = ILLEGAL
        if 0 <= code < len(self._out):
            count = self.game.loops.step(self._lent, code, self._lent_out, self._count)
        if count == ILLEGAL:
            raise IllegalAction(self._complaint(action))
        self._count = count
        self.actions.append(code)
        if self._reveals.item() != reveals:
            self._undo.clear()
        else:
            if self._undo_turn() != turn:
                self._undo.clear()
            self._undo.append(before)

    def refresh(self) -> None:
        """List the legal actions anew, after the state was changed by hand."""
        self._count = self.game.loops.listing(self._lent, self._lent_out)

    def _undo_turn(self) -> int:
        """The seat whose steps can be taken back."""
        return int(np.frombuffer(self._undo[-1], self.array.dtype)["turn"][0]) if self._undo else NONE

    def _complaint(self, action: Any) -> str:
        place = f"{self.game.meta.title}, action {len(self.actions) + 1}"
        if self.over:
            return f"{place}: the play is over, so nothing can be done."
        try:
            words = f"{action} ({self.say(index(action))})"
        except (ValueError, IndexError, TypeError, OverflowError):
            words = f"{action!r}"
        return (
            f"{place}: seat {self.turn} may not choose {words}. "
            f"It has {self._count} legal actions, such as {self.say(self.legal[0])!r}."
        )

    def undo(self) -> None:
        """Take the last action back.

        Raises:
            UndoRefused: it brought something new to light, or another seat has had its say since.
        """
        if not self.can_undo:
            raise UndoRefused(self._why_no_undo())
        self.array[:] = np.frombuffer(self._undo.pop(), self.array.dtype)
        self.actions.pop()
        self.refresh()

    @property
    def can_undo(self) -> bool:
        """Can the last action be taken back by the seat to move?"""
        return bool(self._undo) and (self._undo_turn() == self.turn or self.over)

    def _why_no_undo(self) -> str:
        if not self.actions:
            return "Nothing has been done yet, so there is nothing to take back."
        if self._undo:
            return f"The turn has passed to seat {self.turn}, so the last action stays."
        return "The last action brought something new to light, so it stays."

    # --- words --------------------------------------------------------------------------

    def say(self, action: int) -> str:
        """An action in words."""
        return self.game.text.say(self.state, action)

    def hear(self, words: str) -> int:
        """The legal action that these words name; IllegalAction lists the nearest if there is none."""
        wanted = " ".join(words.lower().split())
        spoken = {" ".join(self.say(action).lower().split()): action for action in self.legal}
        if wanted not in spoken:
            from difflib import get_close_matches

            near = get_close_matches(wanted, spoken, 3, 0.0)
            raise IllegalAction(
                f"{self.game.meta.title}, action {len(self.actions) + 1}: {words!r} is not possible here"
                + (f"; nearest: {'; '.join(near)}." if near else ", for the play is over.")
            )
        return spoken[wanted]

    @property
    def outcome(self) -> Outcome | None:
        """Ranks, scores and reason once the play is over; None while it runs."""
        if not self.over:
            return None
        table = self.standing()
        return Outcome(ranks(table), tuple(table[:, 0].tolist()), self.game.text.ending(self.state))

    # --- views, copies, records -----------------------------------------------------------

    def observe(self, seat: int = SPECTATOR) -> Observation:
        """What a seat, or a spectator, knows."""
        return Observation(self.game, layout.copied(self.array), seat)

    def copy(self) -> "Play":
        """An independent play in the same position."""
        twin = Play(self.game, layout.copied(self.array), self.seed, dict(self.options))
        twin.actions, twin._undo = list(self.actions), list(self._undo)
        return twin

    def to_bytes(self) -> bytes:
        """The play saved: its state and what led to it, to be read by `game.from_bytes`."""
        head = self.record_header()
        return MAGIC + len(head).to_bytes(4, "little") + head + self.to_state()

    def record_header(self) -> bytes:
        """All of a saved play but its state, as JSON."""
        import json

        facts = {
            "game": self.game.name,
            "rules": self.game.meta.rules_version,
            "components": self.game.components,
            "seed": self.seed,
            "options": self.options,
            "actions": self.actions,
        }
        return json.dumps(facts).encode()

    @classmethod
    def from_bytes(cls, game: "Game", saved: bytes) -> "Play":
        """A play as `to_bytes` saved it; RecordError if these bytes are something else."""
        import json

        length = int.from_bytes(saved[len(MAGIC) : len(MAGIC) + 4], "little")
        start = len(MAGIC) + 4
        try:
            if not saved.startswith(MAGIC):
                raise ValueError
            facts = json.loads(saved[start : start + length])
            cell = np.frombuffer(saved[start + length :], game.rules.STATE).copy()
            (_,) = cell
        except ValueError:
            raise RecordError("These bytes are not a saved play, or not a whole one.") from None
        expected = (game.name, game.meta.rules_version, game.components)
        found = (facts["game"], facts["rules"], facts["components"])
        if found != expected:
            raise RecordError(
                "This play was saved for {} with rules {} and components {}; here are {} with rules {} and "
                "components {}.".format(*found, *expected)
            )
        play = cls(game, cell, facts["seed"], facts["options"])
        play.actions = facts["actions"]
        return play

    def record(self, players: Sequence[str] = ()) -> "Record":
        """The written log of this play, with the names of its players if you give them."""
        from .record import Record

        return Record.of(self, players)

    def __repr__(self) -> str:
        state = "over" if self.over else f"seat {self.turn} to move"
        return f"<Play of {self.game.name}, {self.seats} seats, {len(self.actions)} actions, {state}>"

    def _repr_svg_(self) -> str:
        return self.observe(self.turn).svg()


def ranks(table: np.ndarray) -> tuple[int, ...]:
    """Ranks by seat from points and tie-breaks (seats, columns): 1 is best, and equals share."""
    rows = [tuple(row) for row in table.tolist()]
    return tuple(1 + sum(other > row for other in rows) for row in rows)


def tensor_size(game: "Game") -> int:
    """How many numbers an observation has."""
    return sum(int(np.prod(shape)) for shape in game.observe.TENSOR.values())
