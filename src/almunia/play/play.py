"""`Play`, one session of a game, and `Observation`, a play as one seat or a spectator knows it."""

from collections.abc import Mapping, Sequence
from difflib import get_close_matches
from typing import Any, Self

import numpy as np
import numpy.typing as npt

from ..core.contract import NONE, SPECTATOR, RichLine
from ..core.english import pluralize
from ..core.loaded import LoadedGame
from ..core.optional import Scoring
from ..core.options import read_options
from ..engine.kernels.rng import seed_rng
from ..engine.state_dtype import States, copy_states
from ..errors import IllegalAction, MissingExtra, RecordError, SetupError, UndoRefused, busy
from ..validation import MAX_SEED, as_index, check_seed, is_int, random_seed
from .cursor import Cursor
from .describe import SeatView
from .panels import compose_svg
from .position import Outcome
from .record import Record, fold_blanks
from .serialization import compat_key, dump_play, load_play, load_state

REFUSAL_AFTER_LOADING = "This play was saved and loaded, so the actions before that cannot be undone."


class Observation(SeatView):
    """A play as one seat or a spectator knows it, independent of all information that is hidden from the seat.

    `array` is masked in place for the seat, unless `masked` says that it has been masked before.
    """

    def __init__(self, game: LoadedGame, array: States, seat: int, masked: bool = False) -> None:
        super().__init__(game, array)
        self.seat = seat
        if not masked:
            game.loops.mask(self._wrapped, seat)

    def __reduce__(self) -> tuple[Any, ...]:
        """Let pickles contain the state of the observation, and nothing else of the play."""
        return type(self).unpickled, (self.game, compat_key(self.game), self.to_state(), self.seat)

    @classmethod
    def unpickled(cls, game: LoadedGame, versions: Mapping[str, Any], state: bytes, seat: int) -> Self:
        """Return the observation of a pickle. Raise RecordError unless the pickle's `compat_key` is the current one."""
        return cls(game, load_state(game, state, versions), seat, masked=True)

    def action_mask(self) -> npt.NDArray[np.bool_]:
        """Return which action codes are legal, bool of shape (game.rules.ACTIONS,).

        During the play, all entries are False unless this seat is to move. At the end all entries are True, since a
        policy over no actions computes NaN.
        """
        out = np.full(self.game.rules.ACTIONS, self.over)
        out[list(self.legal_actions)] = True
        return out

    def tensor(self) -> npt.NDArray[np.float32]:
        """Return the observation as a float32 array (game.tensor_size,): all parts of `observe.TENSOR_SHAPES`."""
        out = np.zeros(self.game.tensor_size, np.float32)
        self.game.loops.tensor(self._wrapped, self.seat, self.game.wrap(out.view(self.game.tensor_dtype)))
        return out

    def parts(self) -> dict[str, npt.NDArray[np.float32]]:
        """Return the observation as float32 arrays by name, one for each part of `observe.TENSOR_SHAPES`."""
        record = self.tensor().view(self.game.tensor_dtype)[0]
        return {name: record[name] for name in self.game.observe.TENSOR_SHAPES}

    def log_lines(self, action: int, after: Self) -> list[RichLine]:
        """Return the log lines of an action for this seat. `after` is the observation after the action."""
        return list(self.game.text.log_lines(self.state, self._known(action), after.state))

    def scoring(self, action: int, after: Self) -> Scoring | None:
        """Return the scoring that an action caused, or None. `after` is the observation after the action."""
        return self.game.text.scoring(self.state, self._known(action), after.state)

    def _known(self, action: int) -> int:
        return action if self.game.may_see(self.state, self.seat) else NONE

    def board(self) -> str:
        """Return the position as text."""
        return self.game.text.board(self.state, self.seat)

    def svg(self, choose: bool = False) -> str:
        """Return the position as SVG, with clickable actions if `choose`. Raise MissingExtra without svg.py."""
        return compose_svg(self, self.legal_actions if choose else ())

    def determinize(self, seed: int) -> "Play":
        """Return a determinization: a play in which guesses that fit the observation fill the hidden parts.

        The play has no seed, and so no record. The same `seed` gives the same guess. Raise SetupError if `seed` is not
        an integer from 0 to 2**63 - 1.
        """
        rng = np.zeros(4, np.int64)
        seed_rng(rng, check_seed(seed))
        array = copy_states(self.array)
        out = np.zeros(self.game.rules.ACTIONS, np.int32)
        wrap = self.game.wrap
        self.game.loops.determinize(wrap(array), self.seat, wrap(rng), wrap(out))
        return Play(self.game, array)

    def __repr__(self) -> str:
        who = "a spectator" if self.seat == SPECTATOR else f"seat {self.seat}"
        state = "over" if self.over else f"turn {self.turn}"
        return f"<{type(self).__name__} of {self.game.name} by {who}, {pluralize(self.seats, 'seat')}, {state}>"

    def _repr_svg_(self) -> str | None:
        try:
            return self.svg()
        except MissingExtra:
            return None  # a notebook shows the repr


class ClairvoyantObservation(Observation):
    """The true state in place of an observation, to measure how much hidden information weakens a bot.

    `array` is not masked, unless `masked` is false.
    """

    def __init__(self, game: LoadedGame, array: States, seat: int, masked: bool = True) -> None:
        super().__init__(game, array, seat, masked)

    def determinize(self, seed: int) -> "Play":
        """Raise SetupError, since nothing is hidden. Use `play` to continue from the true state."""
        raise SetupError("Nothing is hidden in this observation, so there is nothing to determinize.")

    def play(self) -> "Play":
        """Return a play in this position, without seed and record."""
        return Play(self.game, copy_states(self.array))


class Play(Cursor):
    """One session of a game. `game.new(...)` starts a play.

    Only a play that was started from a seed has a record.
    """

    def __init__(
        self,
        game: LoadedGame,
        array: States,
        seed: int | None = None,
        options: dict[str, str] | None = None,
        legal: npt.NDArray[np.int32] | None = None,
    ) -> None:
        super().__init__(game, array, seed, options)
        self._undo: list[bytes] = []  # states of this turn since the last reveal
        self._undo_refusal = "Nothing has been done yet, so there is nothing to undo."
        if legal is not None:  # known, which saves a call of the rules
            self._count = len(legal)
            self._codes[: self._count] = legal
        elif array["seats"].item():  # otherwise it is dealt next
            self.refresh()

    @classmethod
    def start(cls, game: LoadedGame, seats: int | None, seed: int | None, options: Mapping[str, Any]) -> Self:
        """Start a play with the arguments of `Game.new`, and return the play. Raise the errors of `Game.new`."""
        seats = game.check_seats(seats)
        seed = random_seed() if seed is None else check_seed(seed)
        chosen = read_options(game.meta.options, options)
        play = cls(game, game.empty_state(chosen), None, chosen)
        play._deal(seats, seed)
        return play

    # --- actions ------------------------------------------------------------------------

    @property
    def legal_actions(self) -> tuple[int, ...]:
        """The legal actions of the seat to move, ascending; empty when the play is over."""
        return tuple(self._codes[: self._count].tolist())

    def apply(self, action: int) -> None:
        """Apply an action to the play. If an error is raised, nothing has changed.

        Raises:
            IllegalAction: the action is not legal.
            SetupError: another thread is doing an action.
        """
        if not self._lock.acquire(False):  # as `_acquire`, without the call
            raise busy(self)
        try:
            before, number = self.array.tobytes(), len(self.actions)
            to_move, finished_turns, reveals = self._turn.item(), self._turns.item(), self._reveals.item()
            try:
                is_legal = self._advance(action if type(action) is int else action_code(action))  # save a call
            except BaseException:  # rules that fail, or Ctrl-C
                self._restore(before, number)
                raise
            if not is_legal:
                raise IllegalAction(self._complaint(action))
            if self._reveals.item() != reveals:
                self._block_undo("The last action brought something new to light, so it stays.")
            elif (turn := self._turn.item()) != to_move:
                self._block_undo(f"The turn has passed to seat {turn + 1}, so the last action stays.")
            elif self._turns.item() != finished_turns:
                self._block_undo("The last action ended a turn, so it stays.")
            else:
                self._undo.append(before)
        finally:
            self._lock.release()

    @property
    def _place(self) -> str:
        return f"{self.game.meta.title}, action {len(self.actions) + 1}"

    def _complaint(self, action: Any) -> str:
        if self.over:
            return f"{self._place}: the game is over, so nothing can be done."
        try:
            words = f"{action} ({self.action_to_string(action)})"
        except Exception:  # noqa: BLE001 - an invalid action may have no words, and fail in any way
            words = f"{action!r}" if as_index(action) is not None else f"{action!r} ({type(action).__name__}, not int)"
        first = self.legal_actions[0]
        return (
            f"{self._place}: seat {self.turn + 1} may not choose {words}. "
            f"It has {pluralize(self._count, 'legal action')}, such as {self.action_to_string(first)!r} ({first})."
        )

    # --- undo ----------------------------------------------------------------------

    def undo(self) -> None:
        """Undo the last action.

        Raises:
            UndoRefused: there is no action, or the last action revealed something, ended a turn, passed the turn on, or
                came before `from_bytes` or `rewind`.
            SetupError: another thread is doing an action.
        """
        self._acquire()
        try:
            if not self._undo:
                raise UndoRefused(self._undo_refusal)
            self._restore(self._undo.pop(), len(self.actions) - 1)
        finally:
            self._lock.release()

    def _restore(self, saved: bytes, number: int) -> None:
        self.array[:] = np.frombuffer(saved, self.array.dtype)
        del self.actions[number:]
        self.refresh()

    def rewind(self, count: int) -> None:
        """Restore the position after the first `count` actions, even if something was revealed since.

        A caller may do this if all players agree. Random events then repeat with the same results.

        Raises:
            UndoRefused: `count` is negative or too large, or the play was not started from a seed.
            SetupError: another thread is doing an action.
        """
        self._acquire()
        try:
            if self.seed is None:
                raise UndoRefused("This play was not started from a seed, so it cannot go back.")
            if not 0 <= count <= len(self.actions):
                raise UndoRefused(f"This play cannot go back to its action {count}: {len(self.actions)} are known.")
            again = Play.start(self.game, self.seats, self.seed, self.options)
            for action in self.actions[:count]:
                again.apply(action)
            self.array[:], self.actions = again.array, again.actions
            self._undo.clear()
            self._undo_refusal = "The play has gone back to this position, so what led to it stays."
            self.refresh()
        finally:
            self._lock.release()

    @property
    def can_undo(self) -> bool:
        """Whether the seat to move can undo the last action."""
        return bool(self._undo)

    @property
    def undo_depth(self) -> int:
        """The number of actions that the seat to move can undo."""
        return len(self._undo)

    def _block_undo(self, why: str) -> None:
        self._undo.clear()
        self._undo_refusal = why

    # --- words --------------------------------------------------------------------------

    def action_to_string(self, action: int) -> str:
        """Return an action in words. Raise IllegalAction if the game has no such action.

        For an action that is not legal, the game may raise any error.
        """
        code, actions = action_code(action), self.game.rules.ACTIONS
        if not 0 <= code < actions:
            raise IllegalAction(f"{self._place}: {action!r} is an invalid action; valid ones are 0 to {actions - 1}.")
        return self.game.text.action_to_string(self.state, code)

    def string_to_action(self, words: str) -> int:
        """Return the legal action with these words. Raise IllegalAction if no legal action has these words.

        Capitals, spacing and typographic characters do not matter.
        """
        if not isinstance(words, str):
            raise IllegalAction(f"{self._place}: an action is named by words, not by {words!r}.")
        wanted = fold_case(words)
        actions = {fold_case(self.action_to_string(action)): action for action in self.legal_actions}
        if wanted not in actions:
            near = get_close_matches(wanted, actions, 3, 0.0)
            raise IllegalAction(
                f"{self._place}: {words!r} is not possible here"
                + (f"; nearest: {'; '.join(near)}." if near else ", for the game is over.")
            )
        return actions[wanted]

    @property
    def outcome(self) -> Outcome | None:
        """The ranks, the points and the reason of the end; None before the end."""
        if not self.over:
            return None
        return Outcome(self.ranks(), self.points, self.game.text.end_reason(self.state))

    # --- observations, copies, records ---------------------------------------------------

    def observe(self, seat: int = SPECTATOR) -> Observation:
        """Return the observation of a seat (from 0) or a spectator (-1). Raise SetupError if there is no such seat."""
        if not is_int(seat) or not SPECTATOR <= seat < self.seats:
            raise SetupError(f"Seats are 0 to {self.seats - 1} here, and {SPECTATOR} for a spectator, not {seat!r}.")
        return Observation(self.game, copy_states(self.array), int(seat))

    def copy(self) -> "Play":
        """Return an independent play in the same position, with the same actions and undo."""
        copy = Play(self.game, copy_states(self.array), self.seed, dict(self.options), self.legal_codes)
        copy.actions, copy._undo, copy._undo_refusal = list(self.actions), list(self._undo), self._undo_refusal
        return copy

    def to_bytes(self) -> bytes:
        """Return the state, seed, options and actions as bytes for `game.from_bytes`."""
        return dump_play(self)

    @classmethod
    def from_bytes(
        cls, game: LoadedGame, data: bytes, undo: Sequence[bytes] = (), refusal: str = REFUSAL_AFTER_LOADING
    ) -> Self:
        """Return the play that `to_bytes` saved.

        `undo` are the states to which the play can go back, and `refusal` says why it cannot go back further. Raise
        RecordError unless the bytes are a saved play of this game and version.
        """
        array, seed, options, actions = load_play(game, data)
        play = cls(game, array, seed, options)
        play.actions, play._undo, play._undo_refusal = actions, list(undo), refusal
        return play

    def __reduce__(self) -> tuple[Any, ...]:
        """Pickle the bytes of `to_bytes` and the states for undo."""
        return Play.from_bytes, (self.game, self.to_bytes(), self._undo, self._undo_refusal)

    def record(self, players: Sequence[str] = (), seed_known: bool = False) -> Record:
        """Return the record of this play.

        Args:
            players: the names of the players, by seat.
            seed_known: whether a player could know the seed, and so the deal.

        Raises:
            RecordError: the play was not started from a seed, or its state was changed directly.
            IllegalAction: an action was legal only because the state was changed directly.
        """
        if self.seed is None:
            raise RecordError("This play was not started from a seed, so it has no record.")
        again = Play.start(self.game, self.seats, self.seed, self.options)
        actions = []
        for action in self.actions:
            actions.append((again.turn, again.action_to_string(action)))
            again.apply(action)
        if again.to_state() != self.to_state():
            raise RecordError("The state of this play was changed directly, so its actions do not lead to it.")
        return Record(
            game=self.game.name,
            rules=self.game.meta.rules_version,
            components=self.game.components_hash,
            seats=self.seats,
            seed=self.seed,
            options={name: value for name, value in self.options.items() if value},
            actions=tuple(actions),
            players=tuple(" ".join(name.split()) for name in players),
            result=self.outcome.scores if self.outcome else (),
            seed_known=seed_known,
        )

    def __repr__(self) -> str:
        state = "over" if self.over else f"turn {self.turn}"
        seats, actions = pluralize(self.seats, "seat"), pluralize(len(self.actions), "action")
        return f"<Play of {self.game.name}, {seats}, {actions}, {state}>"

    def _repr_svg_(self) -> str | None:
        return self.observe(self.turn)._repr_svg_()


def action_code(action: object) -> int:
    """Return the code of an action as an int; NONE if `as_index` refuses the action, or the code exceeds 64 bits."""
    code = as_index(action)
    return NONE if code is None or abs(code) > MAX_SEED else code


def fold_case(words: str) -> str:
    """Return words in lower case, with ASCII quotes and hyphens and single spaces, for comparisons."""
    return fold_blanks(words).lower()
