"""Play: one play of a game, and the border where legality is checked; Observation: what a seat knows of it."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..core.contract import NONE, SPECTATOR, RichLine
from ..core.english import count_of
from ..core.loaded import LoadedGame
from ..core.optional import Scoring
from ..core.options import read_options
from ..engine import state_dtype
from ..engine.kernels.rng import shake
from ..errors import IllegalAction, MissingExtra, RecordError, SetupError, UndoRefused
from ..validation import checked_seed, fresh_seed, index_of, is_whole
from .cursor import Cursor
from .describe import Description, to_dict, to_text
from .panels import standalone
from .pasted import folded
from .position import Outcome, Position
from .record import Record
from .serialization import PlayData, compat_key, dump_play, load_play, load_state


class Observation(Position):
    """The view that one seat has of a play. Nothing in it depends on what that seat may not know."""

    def __init__(self, game: LoadedGame, array: state_dtype.States, seat: int) -> None:
        super().__init__(game, array)
        self.seat = seat
        game.loops.mask(self._lent, seat)

    @classmethod
    def from_masked(cls, game: LoadedGame, array: state_dtype.States, seat: int) -> Self:
        """Return the observation of a state that has been masked for this seat already."""
        observation = cls.__new__(cls)
        Position.__init__(observation, game, array)
        observation.seat = seat
        return observation

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the masked bytes and the seat: nothing else is in a pickle or a deep copy."""
        return Observation.unpickled, (self.game, compat_key(self.game), self.to_state(), self.seat)

    @classmethod
    def unpickled(cls, game: LoadedGame, found: Mapping[str, Any], masked: bytes, seat: int) -> Self:
        """Return an observation from its pickle; RecordError if it was made of other rules or components."""
        return cls.from_masked(game, load_state(game, masked, found), seat)

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """The legal actions, ascending, if it is this seat's turn; else none."""
        if self.turn != self.seat or self.over:
            return ()
        out = np.zeros(self.game.rules.ACTIONS, np.int32)
        return tuple(out[: self.game.loops.listing(self._lent, self.game.lend(out))].tolist())

    def action_mask(self) -> npt.NDArray[np.bool_]:
        """Return which action codes are legal, bool of shape (game.rules.ACTIONS,).

        At the end it is all True, for a policy that chooses from nothing computes NaN.
        """
        out = np.full(self.game.rules.ACTIONS, self.over)
        out[list(self.legal_actions)] = True
        return out

    def tensor(self) -> npt.NDArray[np.float32]:
        """Return the observation as numbers, float32 of shape (game.tensor_size,): all parts of `observe.TENSOR`."""
        out = np.zeros(self.game.tensor_size, np.float32)
        self.game.loops.tensor(self._lent, self.seat, self.game.lend(out.view(self.game.tensor_parts)))
        return out

    def parts(self) -> dict[str, npt.NDArray[np.float32]]:
        """Return the observation as numbers, float32: each part of `observe.TENSOR` under its name and in its shape."""
        record = self.tensor().view(self.game.tensor_parts)[0]
        return {name: record[name] for name in self.game.observe.TENSOR_SHAPES}

    def log_lines(self, action: int, after: Self) -> list[RichLine]:
        """Return the log lines that this seat reads about an action which led to what it saw `after`."""
        return list(self.game.text.log_lines(self.state, self._known(action), after.state))

    def scoring(self, action: int, after: Self) -> Scoring | None:
        """Return the scoring of an action which led to what this seat saw `after`; None if nothing was scored."""
        text: Any = self.game.text
        if not hasattr(text, "scoring"):
            return None
        found: Scoring | None = text.scoring(self.state, self._known(action), after.state)
        return found

    def _known(self, action: int) -> int:
        """Return an action of the seat to move, or NONE if this seat may not know it."""
        return action if self.game.may_see(self.state, self.seat) else NONE

    def board(self) -> str:
        """Return the position as text."""
        return self.game.text.board(self.state, self.seat)

    def to_dict(self) -> dict[str, Any]:
        """Return what this seat knows as plain data for JSON: scores, question, legal actions, the fields of the state.

        Seats count from 1, but inside "state", where the game's rules number everything from 0.
        """
        return to_dict(self._described())

    def describe(self) -> str:
        """Return the board in words, and if this seat is to move the question and each legal action's effect."""
        return to_text(self._described())

    def _described(self) -> Description:
        scores = tuple(self.score_table()[:, 0].tolist())
        return Description(self.game, self.state, self.array[0], self.seat, self.legal_actions, scores, self.ranks())

    def svg(self, choose: bool = False) -> str:
        """Draw the position as SVG, with clickable actions if `choose` is true; MissingExtra without svg.py."""
        return standalone(self, self.legal_actions if choose else ())

    def determinize(self, seed: int) -> "Play":
        """Return a play that this seat could not tell from the true one, its secrets guessed from `seed`.

        The same seed guesses the same. SetupError if it is no whole number from 0 to 2**63 - 1.
        """
        rng = np.zeros(4, np.int64)
        shake(rng, checked_seed(seed))
        array = state_dtype.copied(self.array)
        out = np.zeros(self.game.rules.ACTIONS, np.int32)
        lend = self.game.lend
        self.game.loops.determinize(lend(array), self.seat, lend(rng), lend(out))
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


class ClairvoyantObservation(Observation):
    """The whole truth, as if nothing were hidden from a seat: only to measure what not knowing costs."""

    def __init__(self, game: LoadedGame, array: np.ndarray, seat: int) -> None:
        Position.__init__(self, game, array)
        self.seat = seat

    def determinize(self, seed: int) -> "Play":
        """Raise SetupError, for there is nothing to guess; `play` goes on from the truth."""
        raise SetupError("Nothing is hidden in this observation, so there is nothing to redeal.")

    def play(self) -> "Play":
        """Return a play in this position."""
        return Play(self.game, state_dtype.copied(self.array))


class Play(Cursor):
    """One play of a game. Start one with `game.new(...)`.

    A play that was started from a seed keeps its actions, and so can give its record.
    """

    def __init__(
        self,
        game: LoadedGame,
        array: state_dtype.States,
        seed: int | None = None,
        options: dict[str, str] | None = None,
    ) -> None:
        super().__init__(game, array, seed, options)
        self._undo: list[bytes] = []  # states of this turn since the last reveal
        self._stays = "Nothing has been done yet, so there is nothing to undo."
        self.refresh()

    @classmethod
    def start(cls, game: LoadedGame, seats: int | None, seed: int | None, options: Mapping[str, Any]) -> Self:
        """Start a play; `Game.new` says what its arguments are."""
        seats = game.checked_seats(seats)
        seed = fresh_seed() if seed is None else checked_seed(seed)
        chosen = read_options(game.meta.options, options)
        array = game.blank(chosen)
        game.loops.begin(game.lend(array), seats, seed, game.lend(np.zeros(game.rules.ACTIONS, np.int32)))
        return cls(game, array, seed, chosen)

    # --- what may be done, and doing it -------------------------------------------------

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """The legal actions of the seat to move, ascending; empty when the play is over."""
        return tuple(self.legal_codes.tolist())

    def apply(self, action: int) -> None:
        """Do an action. If it is not legal, IllegalAction says why, and nothing has changed.

        SetupError while another thread is doing one.
        """
        code = number_of(action)
        before = self.array.tobytes()
        turn, turns, reveals = self._turn.item(), self._turns.item(), self._reveals.item()
        if not self._advance(code):
            raise IllegalAction(self._complaint(action))
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
        """The game and the number of the action, for the head of an error message."""
        return f"{self.game.meta.title}, action {len(self.actions) + 1}"

    def _complaint(self, action: Any) -> str:
        if self.over:
            return f"{self._place}: the game is over, so nothing can be done."
        try:
            words = f"{action} ({self.action_to_string(action)})"
        except Exception:  # noqa: BLE001 - an invalid action may have no words, and fail in any way
            words = repeated(action)
        first = self.legal_actions[0]
        return (
            f"{self._place}: seat {self.turn + 1} may not choose {words}. "
            f"It has {count_of(self._count, 'legal action')}, such as {self.action_to_string(first)!r} ({first})."
        )

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
        """Whether the seat to move can undo the last action."""
        return bool(self._undo)

    @property
    def undo_depth(self) -> int:
        """The number of actions that the seat to move can undo."""
        return len(self._undo)

    def _keep(self, why: str) -> None:
        """Forbid undoing what led here, for this reason."""
        self._undo.clear()
        self._stays = why

    # --- words --------------------------------------------------------------------------

    def action_to_string(self, action: int) -> str:
        """Return an action in words; IllegalAction if this number is invalid."""
        code, actions = number_of(action), self.game.rules.ACTIONS
        if not 0 <= code < actions:
            raise IllegalAction(f"{self._place}: {action!r} is an invalid action; valid ones are 0 to {actions - 1}.")
        return self.game.text.action_to_string(self.state, code)

    def string_to_action(self, words: str) -> int:
        """Return the legal action that these words name; IllegalAction lists the nearest if there is none."""
        if not isinstance(words, str):
            raise IllegalAction(f"{self._place}: an action is named by words, not by {words!r}.")
        wanted = normalized(words)
        spoken = {normalized(self.action_to_string(action)): action for action in self.legal_actions}
        if wanted not in spoken:
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
        return Outcome(self.ranks(), tuple(self.score_table()[:, 0].tolist()), self.game.text.end_reason(self.state))

    # --- views, copies, records -----------------------------------------------------------

    def observe(self, seat: int = SPECTATOR) -> Observation:
        """Return what a seat (from 0), or a spectator (-1), knows; SetupError if there is no such seat."""
        if not is_whole(seat) or not SPECTATOR <= seat < self.seats:
            raise SetupError(f"Seats are 0 to {self.seats - 1} here, and {SPECTATOR} for a spectator, not {seat!r}.")
        return Observation(self.game, state_dtype.copied(self.array), int(seat))

    def copy(self) -> "Play":
        """Return an independent play in the same position."""
        twin = Play(self.game, state_dtype.copied(self.array), self.seed, dict(self.options))
        twin.actions = list(self.actions)
        return twin.undoing(list(self._undo), self._stays)

    def to_bytes(self) -> bytes:
        """Save the state and what led to it, to be read by `game.from_bytes`."""
        return dump_play(self.game, PlayData(self.seed, self.options, self.actions, self.array))

    @classmethod
    def from_bytes(cls, game: LoadedGame, data: bytes) -> Self:
        """Return the play that `to_bytes` saved; RecordError if these bytes are something else."""
        saved = load_play(game, data)
        play = cls(game, saved.states, saved.seed, saved.options)
        play.actions = saved.actions
        play._stays = "What was done before this play was saved stays."
        return play

    @classmethod
    def unpickled(cls, game: LoadedGame, data: bytes, undo: list[bytes], stays: str) -> Self:
        """Return a play from its pickle: as saved, with its undo stack."""
        return cls.from_bytes(game, data).undoing(undo, stays)

    def undoing(self, undo: list[bytes], stays: str) -> Self:
        """Set the undo stack, and the reason why no more can be undone; return the play."""
        self._undo, self._stays = undo, stays
        return self

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the saved bytes and the undo stack, for pickles and deep copies."""
        return Play.unpickled, (self.game, self.to_bytes(), list(self._undo), self._stays)

    def record(self, players: Sequence[str] = (), seed_known: bool = False) -> Record:
        """Write the log of this play, with the names of its players, and whether somebody knew the seed.

        RecordError if it was not started from a seed, or was changed by hand.
        """
        if self.seed is None:
            raise RecordError("This play was not started from a seed, so it has no record.")
        again = Play.start(self.game, self.seats, self.seed, self.options)
        spoken = []
        for action in self.actions:
            spoken.append((again.turn, again.action_to_string(action)))
            again.apply(action)
        if again.to_state() != self.to_state():
            raise RecordError("This play was changed by hand, so its actions do not lead to where it is.")
        return Record(
            game=self.game.name,
            rules=self.game.meta.rules_version,
            components=self.game.components,
            seats=self.seats,
            seed=self.seed,
            options={name: value for name, value in self.options.items() if value},
            actions=tuple(spoken),
            players=tuple(" ".join(name.split()) for name in players),
            result=self.outcome.scores if self.outcome else (),
            seed_known=seed_known,
        )

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
    """Quote an action for a message, with its type if that is what is wrong with it."""
    return f"{action!r} ({type(action).__name__}, not int)" if index_of(action) is None else f"{action!r}"


def normalized(words: str) -> str:
    """Return words without regard to capitals and blanks, nor to how quotes and hyphens are drawn."""
    return " ".join(folded(words).lower().split())
