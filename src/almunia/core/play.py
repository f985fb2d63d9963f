"""Play: one play of a game, and the border where legality is checked."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass
from typing import TYPE_CHECKING, Any, Self

import numpy as np

from ..errors import IllegalAction, MissingExtra, SetupError, UndoRefused
from . import layout
from .arguments import checked_seed, index_of, is_whole
from .contract import NONE, SPECTATOR, Line
from .describing import as_data, as_text
from .guidance import Scoring
from .kernels.play import ILLEGAL
from .kernels.rng import shake
from .pasted import folded
from .plain import CheckedRecord, reading
from .record import Record
from .serialization import loaded, saved, state_of, version
from .using import in_use
from .words import count_of

if TYPE_CHECKING:
    import numpy.typing as npt

    from .game import Game


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
    """A state with its game: the part that plays and observations share. One thread may use it at a time."""

    def __init__(self, game: "Game", array: "layout.States") -> None:
        self.game = game
        self.array = array  # the state as NumPy keeps it, of shape (1,)
        self._lent = game.lend(array)
        self._turn, self._over = array["turn"], array["over"]
        self._turns, self._reveals = array["turns"], array["reveals"]

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
    def turns(self) -> int:
        """How many turns have been finished."""
        return self._turns.item()

    @property
    def reveals(self) -> int:
        """How often something new has come to light."""
        return self._reveals.item()

    def score_table(self) -> "npt.NDArray[np.int64]":
        """Points and tie-breaks so far, as an int64 array (seats, len(rules.SCORES))."""
        table = np.zeros((self.seats, len(self.game.rules.SCORES)), np.int64)
        self.game.loops.scores(self._lent, self.game.lend(table))
        return table

    @property
    def points(self) -> tuple[int, ...]:
        """The points of all seats so far."""
        return tuple(self.score_table()[:, 0].tolist())

    def ranks(self) -> tuple[int, ...]:
        """Ranks so far, by seat: 1 is best, and equals share."""
        table = np.zeros((self.seats, len(self.game.rules.SCORES)), np.int64)
        found = np.zeros(self.seats, np.int8)
        self.game.loops.ranks(self._lent, self.game.lend(table), self.game.lend(found))
        return tuple(found.tolist())

    def tie_breaks(self, seat: int) -> tuple[tuple[str, int], ...]:
        """Return the columns of `score_table` that tell a seat from those with as many points, by name and value.

        That is all up to the one in which the last of them differs, and none if no seat has as many points.
        """
        table = self.score_table().tolist()
        mine, rivals = table[seat], [row for other, row in enumerate(table) if other != seat]
        apart = [
            next((column for column, value in enumerate(row) if value != mine[column]), len(row) - 1)
            for row in rivals
            if row[0] == mine[0]
        ]
        columns = range(1, max(apart, default=0) + 1)
        return tuple((self.game.rules.SCORES[column], mine[column]) for column in columns)

    def to_state(self) -> bytes:
        """The bytes of the state alone."""
        return self.array.tobytes()


class Observation(Position):
    """What one seat knows of a play. Nothing in it depends on what that seat may not know."""

    def __init__(self, game: "Game", array: "layout.States", seat: int) -> None:
        super().__init__(game, array)
        self.seat = seat
        game.loops.mask(self._lent, seat)

    @classmethod
    def of_masked(cls, game: "Game", array: "layout.States", seat: int) -> Self:
        """The observation of a state that has been masked for this seat already."""
        observation = cls.__new__(cls)
        Position.__init__(observation, game, array)
        observation.seat = seat
        return observation

    def __reduce__(self) -> tuple[Any, ...]:
        """An observation travels as its masked bytes and its seat: nothing else is in a pickle or a deep copy."""
        return Observation.unpickled, (self.game, version(self.game), self.to_state(), self.seat)

    @classmethod
    def unpickled(cls, game: "Game", found: Mapping[str, Any], masked: bytes, seat: int) -> Self:
        """An observation from its pickle; RecordError if it was made of other rules or components."""
        return cls.of_masked(game, state_of(game, masked, found), seat)

    @property
    def legal(self) -> tuple[int, ...]:
        """The legal actions, ascending, if it is this seat's turn; else none."""
        if self.turn != self.seat or self.over:
            return ()
        out = np.zeros(self.game.rules.ACTIONS, np.int32)
        return tuple(out[: self.game.loops.listing(self._lent, self.game.lend(out))].tolist())

    def action_mask(self) -> "npt.NDArray[np.bool_]":
        """Which action codes are legal, bool of shape (game.rules.ACTIONS,).

        At the end it is all True, for a policy that chooses from nothing computes NaN.
        """
        out = np.full(self.game.rules.ACTIONS, self.over)
        out[list(self.legal)] = True
        return out

    def tensor(self) -> "npt.NDArray[np.float32]":
        """The observation as numbers, float32 of shape (game.tensor_size,): the parts of `observe.TENSOR` in a row."""
        out = np.zeros(self.game.tensor_size, np.float32)
        self.game.loops.tensor(self._lent, self.seat, self.game.lend(out.view(self.game.tensor_parts)))
        return out

    def parts(self) -> "dict[str, npt.NDArray[np.float32]]":
        """The observation as numbers, float32: each part of `observe.TENSOR` under its name and in its shape."""
        record = self.tensor().view(self.game.tensor_parts)[0]
        return {name: record[name] for name in self.game.observe.TENSOR}

    def tell(self, action: int, after: Self) -> list[Line]:
        """What this seat is told of an action that led to what it saw `after`: log lines."""
        return list(self.game.text.tell(self.state, self._known(action), after.state))

    def scoring(self, action: int, after: Self) -> Scoring | None:
        """The scoring that an action brought about, which led to what this seat saw `after`; None if there was none."""
        text: Any = self.game.text
        if not hasattr(text, "scoring"):
            return None
        found: Scoring | None = text.scoring(self.state, self._known(action), after.state)
        return found

    def _known(self, action: int) -> int:
        """An action of the seat to move, or NONE where this seat may not know it."""
        return action if self.game.may_see(self.state, self.seat) else NONE

    def board(self) -> str:
        """The position as text."""
        return self.game.text.board(self.state, self.seat)

    def to_dict(self) -> dict[str, Any]:
        """What this seat knows as plain data for JSON: standing, question, legal actions, the fields of the state.

        Seats count from 1, but inside "state", where the game's rules number everything from 0.
        """
        return as_data(self)

    def describe(self) -> str:
        """What this seat knows in words: the board, and if it is asked the question and each legal action's effect."""
        return as_text(self)

    def svg(self, choose: bool = False) -> str:
        """The position as an SVG picture, with what may be clicked if `choose` is true; MissingExtra without svg.py."""
        from .picture import standalone

        return standalone(self, self.legal if choose else ())

    def redeal(self, seed: int) -> "Play":
        """A play that this seat could not tell from the true one, its secrets guessed from `seed`.

        The same seed guesses the same. SetupError if it is no whole number from 0 to 2**63 - 1.
        """
        rng = np.zeros(4, np.int64)
        shake(rng, checked_seed(seed))
        array = layout.copied(self.array)
        out = np.zeros(self.game.rules.ACTIONS, np.int32)
        lend = self.game.lend
        self.game.loops.redeal(lend(array), self.seat, lend(rng), lend(out))
        return Play(self.game, array)

    def __repr__(self) -> str:
        who = "a spectator" if self.seat == SPECTATOR else f"seat {self.seat}"
        state = "over" if self.over else f"turn {self.turn}"
        return f"<{type(self).__name__} of {self.game.name} by {who}, {count_of(self.seats, 'seat')}, {state}>"

    def _repr_svg_(self) -> str | None:
        try:
            return self.svg()
        except MissingExtra:
            return None  # a notebook shows the repr


class Revealed(Observation):
    """The whole truth, as if nothing were hidden from a seat: only to measure what not knowing costs."""

    def __init__(self, game: "Game", array: np.ndarray, seat: int) -> None:
        Position.__init__(self, game, array)
        self.seat = seat

    def redeal(self, seed: int) -> "Play":
        """SetupError, for there is nothing to guess; `play` goes on from the truth."""
        raise SetupError("Nothing is hidden in this observation, so there is nothing to redeal.")

    def play(self) -> "Play":
        """A play in this position."""
        return Play(self.game, layout.copied(self.array))


class Play(Position):
    """One play of a game. Start one with `game.new(...)`.

    A play that was started from a seed keeps its actions, and so can give its record.
    """

    def __init__(
        self, game: "Game", array: "layout.States", seed: int | None = None, options: dict[str, str] | None = None
    ) -> None:
        super().__init__(game, array)
        self.seed, self.options = seed, options or {}
        self.actions: list[int] = []
        self._undo: list[bytes] = []  # states of this turn since the last reveal
        self._stays = "Nothing has been done yet, so there is nothing to undo."
        self._out = np.zeros(game.rules.ACTIONS, np.int32)
        self._lent_out = game.lend(self._out)
        self._count = 0  # how many of `_out` are legal actions
        self._busy = False  # is a thread doing an action?
        self.refresh()

    @classmethod
    def start(cls, game: "Game", seats: int, seed: int, options: dict[str, str]) -> Self:
        """Lay out a play from options that have been checked."""
        array = game.blank(options)
        game.loops.begin(game.lend(array), seats, seed, game.lend(np.zeros(game.rules.ACTIONS, np.int32)))
        return cls(game, array, seed, options)

    # --- what may be done, and doing it -------------------------------------------------

    @property
    def legal(self) -> tuple[int, ...]:
        """The legal actions of the seat to move, ascending; empty when the play is over."""
        return tuple(self._out[: self._count].tolist())

    def apply(self, action: int) -> None:
        """Do an action. If it is not legal, IllegalAction says why, and nothing has changed.

        SetupError while another thread is doing one.
        """
        code = number_of(action)
        before = self.array.tobytes()
        turn, turns, reveals = self._turn.item(), self._turns.item(), self._reveals.item()
        count = ILLEGAL
        if self._busy:
            raise in_use(self)
        self._busy = True
        try:
            if 0 <= code < len(self._out):
                count = self.game.loops.step(self._lent, code, self._lent_out, self._count)
        finally:
            self._busy = False
        if count == ILLEGAL:
            raise IllegalAction(self._complaint(action))
        self._count = count
        self.actions.append(code)
        if self._reveals.item() != reveals:
            self._keep("The last action brought something new to light, so it stays.")
        elif self._turn.item() != turn:
            self._keep(f"The turn has passed to seat {self._turn.item() + 1}, so the last action stays.")
        elif self._turns.item() != turns:
            self._keep("The last action ended a turn, so it stays.")
        else:
            self._undo.append(before)

    @property
    def _place(self) -> str:
        """Where the play stands, at the head of a refusal."""
        return f"{self.game.meta.title}, action {len(self.actions) + 1}"

    def _complaint(self, action: Any) -> str:
        if self.over:
            return f"{self._place}: the game is over, so nothing can be done."
        try:
            words = f"{action} ({self.say(action)})"
        except Exception:  # noqa: BLE001 - an invalid action may have no words, and fail in any way
            words = repeated(action)
        first = self.legal[0]
        return (
            f"{self._place}: seat {self.turn + 1} may not choose {words}. "
            f"It has {count_of(self._count, 'legal action')}, such as {self.say(first)!r} ({first})."
        )

    def refresh(self) -> None:
        """List the legal actions anew, after the state was changed by hand."""
        self._count = self.game.loops.listing(self._lent, self._lent_out)

    # --- undo ----------------------------------------------------------------------

    def undo(self) -> None:
        """Undo the last action.

        Raises:
            UndoRefused: it brought something new to light, ended a turn, or passed the turn on.
        """
        if not self._undo:
            raise UndoRefused(self._stays)
        self.array[:] = np.frombuffer(self._undo.pop(), self.array.dtype)
        self.actions.pop()
        self.refresh()

    def rewind(self, count: int) -> None:
        """Go back to the position after the first `count` actions, whatever has come to light since.

        Players may agree on it. What was seen is not unseen: what was random comes as it came before.

        Raises:
            UndoRefused: there are fewer actions, or the play was not started from a seed.
        """
        if self.seed is None or not 0 <= count <= len(self.actions):
            raise UndoRefused(f"This play cannot go back to its action {count}: {len(self.actions)} are known.")
        again = Play.start(self.game, self.seats, self.seed, self.options)
        for action in self.actions[:count]:
            again.apply(action)
        self.array[:], self.actions = again.array, again.actions
        self._undo.clear()
        self._stays = "The play has gone back to this position, so what led to it stays."
        self.refresh()

    @property
    def can_undo(self) -> bool:
        """Can the last action be undone by the seat to move?"""
        return bool(self._undo)

    @property
    def undoable(self) -> int:
        """How many actions, of the last ones, can be undone by the seat to move."""
        return len(self._undo)

    def _keep(self, why: str) -> None:
        """From here nothing can be undone."""
        self._undo.clear()
        self._stays = why

    # --- words --------------------------------------------------------------------------

    def say(self, action: int) -> str:
        """An action in words; IllegalAction if this number is invalid."""
        code, actions = number_of(action), self.game.rules.ACTIONS
        if not 0 <= code < actions:
            raise IllegalAction(f"{self._place}: {action!r} is an invalid action; valid ones are 0 to {actions - 1}.")
        return self.game.text.say(self.state, code)

    def hear(self, words: str) -> int:
        """The legal action that these words name; IllegalAction lists the nearest if there is none."""
        if not isinstance(words, str):
            raise IllegalAction(f"{self._place}: an action is named by words, not by {words!r}.")
        wanted = normalized(words)
        spoken = {normalized(self.say(action)): action for action in self.legal}
        if wanted not in spoken:
            from difflib import get_close_matches

            near = get_close_matches(wanted, spoken, 3, 0.0)
            raise IllegalAction(
                f"{self._place}: {words!r} is not possible here"
                + (f"; nearest: {'; '.join(near)}." if near else ", for the game is over.")
            )
        return spoken[wanted]

    @property
    def outcome(self) -> Outcome | None:
        """Ranks, scores and reason once the play is over; None while it runs."""
        if not self.over:
            return None
        return Outcome(self.ranks(), tuple(self.score_table()[:, 0].tolist()), self.game.text.ending(self.state))

    # --- views, copies, records -----------------------------------------------------------

    def observe(self, seat: int = SPECTATOR) -> Observation:
        """What a seat (from 0), or a spectator (-1), knows; SetupError if there is no such seat."""
        if not is_whole(seat) or not SPECTATOR <= seat < self.seats:
            raise SetupError(f"Seats are 0 to {self.seats - 1} here, and {SPECTATOR} for a spectator, not {seat!r}.")
        return Observation(self.game, layout.copied(self.array), int(seat))

    def copy(self) -> "Play":
        """An independent play in the same position."""
        twin = Play(self.game, layout.copied(self.array), self.seed, dict(self.options))
        twin.actions = list(self.actions)
        return twin.undoing(list(self._undo), self._stays)

    def to_bytes(self) -> bytes:
        """The play saved: its state and what led to it, to be read by `game.from_bytes`."""
        return saved(self)

    @classmethod
    def from_bytes(cls, game: "Game", data: bytes) -> Self:
        """The play that `to_bytes` saved; RecordError if these bytes are something else."""
        array, facts = loaded(game, data)
        play = cls(game, array, facts["seed"], facts["options"])
        play.actions = facts["actions"]
        play._stays = "What was done before this play was saved stays."
        return play

    @classmethod
    def unpickled(cls, game: "Game", data: bytes, undo: list[bytes], stays: str) -> Self:
        """A play from its pickle: as saved, and what can be undone can still be."""
        return cls.from_bytes(game, data).undoing(undo, stays)

    def undoing(self, undo: list[bytes], stays: str) -> Self:
        """This play, which can go back to these states, and then says why it goes no further."""
        self._undo, self._stays = undo, stays
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """A play travels as its saved bytes and what can be undone, in pickles and in deep copies."""
        return Play.unpickled, (self.game, saved(self), list(self._undo), self._stays)

    def record(self, players: Sequence[str] = (), seed_known: bool = False) -> Record:
        """The written log of this play, with the names of its players, and whether somebody knew the seed."""
        return Record.of(self, players, seed_known)

    def __repr__(self) -> str:
        state = "over" if self.over else f"turn {self.turn}"
        seats, actions = count_of(self.seats, "seat"), count_of(len(self.actions), "action")
        return f"<Play of {self.game.name}, {seats}, {actions}, {state}>"

    def _repr_svg_(self) -> str | None:
        return self.observe(self.turn)._repr_svg_()


def number_of(action: object) -> int:
    """Return the number of an action; NONE for what is no whole number, as True and False are none."""
    code = index_of(action)
    return NONE if code is None else code


def repeated(action: object) -> str:
    """An action without words, as a message repeats it, with its type if that is what is wrong with it."""
    return f"{action!r} ({type(action).__name__}, not int)" if index_of(action) is None else f"{action!r}"


def normalized(words: str) -> str:
    """Return words without regard to capitals and blanks, nor to how quotes and hyphens are drawn."""
    return " ".join(folded(words).lower().split())
