"""States of rows: what `Batch.get_state` returns, and what `Batch.set_state` and `Game.batch` take."""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field
from math import prod
from typing import Any, Literal, NamedTuple

import numpy as np
import numpy.typing as npt

from ..core.contract import NONE
from ..core.english import pluralize
from ..core.loaded import LoadedGame
from ..engine.state_dtype import NOT_OVER, States
from ..errors import RecordError, SetupError
from ..play.play import Observation, Play
from ..play.serialization import DAMAGED, compat_key, load_state
from .buffers import as_array, row_dtype

LAYOUT_VERSION = 1  # of a pickled RowState; raise it when `row_dtype` or the memories of bots change
BEGIN_INSTEAD = "Set state.play() instead, to begin a new episode at its position."


@dataclass(frozen=True)
class RowState:
    """The state of a row of a batch. `Batch.get_state` returns such states.

    It has the position with all hidden information, the learner's seat, the points that have been rewarded, and the
    random numbers and memories of opponents that are specs. Equal states continue equally. States can be pickled.
    """

    game: LoadedGame = field(compare=False)  # the game of the batch
    reward: str  # the batch's reward convention
    thread_specs: tuple[str, ...]  # the specs of opponents with a memory, by slot
    position: bytes = field(repr=False)  # the state of the play
    row: bytes = field(repr=False)  # a record of `row_dtype`
    memories: bytes = field(repr=False)  # of the opponents in `thread_specs`

    def play(self) -> Play:
        """Return a play in this position, with all hidden information and without a record."""
        return Play(self.game, np.frombuffer(self.position, self.game.rules.STATE).copy())

    def __reduce__(self) -> tuple[Any, ...]:
        parts = self.reward, self.thread_specs, self.position, self.row, self.memories
        return load_row_state, (LAYOUT_VERSION, self.game, compat_key(self.game), *parts)


def load_row_state(layout: int, game: LoadedGame, versions: Mapping[str, Any], *parts: Any) -> RowState:
    """Return the state of a pickle. Raise RecordError if the game or the layout has another version."""
    if layout != LAYOUT_VERSION:
        raise RecordError(
            f"This state of a row was pickled with layout {layout!r}, and this version of Almunia has layout "
            f"{LAYOUT_VERSION}: save the state again, or load it with the version that pickled it."
        )
    state = RowState(game, *parts)
    load_state(game, state.position, versions)
    if len(state.row) != row_dtype(game).itemsize:
        raise RecordError(DAMAGED)
    return state


def check_states(states: Any) -> list[Play | RowState]:
    """Return states as a list. Raise SetupError unless they are a sequence of plays and row states."""
    if not isinstance(states, Sequence) or isinstance(states, str | bytes):
        raise SetupError(f"States are a list of plays, or of what get_state returned, not {states!r}.")
    for number, state in enumerate(states):
        if isinstance(state, Observation):
            raise SetupError(
                f"State {number} is an observation, which lacks what is hidden: set a guess, "
                "observation.determinize(seed)."
            )
        if not isinstance(state, Play | RowState):
            raise SetupError(f"State {number} is {state!r}, and neither a play nor a state from get_state.")
    return list(states)


def seats_of(state: Play | RowState) -> int:
    return state.seats if isinstance(state, Play) else state.play().seats


class UnpackedStates(NamedTuple):
    """States as arrays, with a row for each state."""

    positions: States  # (k,) of the game's dtype
    resumes: npt.NDArray[np.bool_]  # (k,), whether the state is a RowState
    seeds: npt.NDArray[np.int64]  # (k,), of plays; NONE if unknown
    rows: npt.NDArray[np.void]  # (RowStates,) of `row_dtype`
    memories: npt.NDArray[np.int64]  # (RowStates, ...), as `allocate_memories` returns them


@dataclass(frozen=True)
class StateReader:
    """Checks that states fit a batch, and unpacks them."""

    game: LoadedGame
    seats: int
    options: Mapping[str, str]
    reward: str
    learner_seat: int | Literal["random"]  # NONE if the learner has all seats
    thread_specs: tuple[str, ...]
    autoreset: bool

    def unpack(self, given: Any, memory_shape: tuple[int, ...]) -> UnpackedStates:
        """Return states as arrays. Raise SetupError for states that the batch cannot continue."""
        states = check_states(given)
        for number, state in enumerate(states):
            self._check_game(number, state)
            self._check_memories(number, state, memory_shape)
        row_states = [state for state in states if isinstance(state, RowState)]
        resumes = np.array([isinstance(state, RowState) for state in states], np.bool_)
        saved = [state.position if isinstance(state, RowState) else state.to_state() for state in states]
        positions = np.frombuffer(b"".join(saved), self.game.rules.STATE)
        rows = np.frombuffer(b"".join(state.row for state in row_states), row_dtype(self.game)).copy()
        is_over = positions["over"] != NOT_OVER
        is_over[resumes] |= rows["done"] != 0
        self._check_positions(positions, is_over)
        self._check_learners(resumes.nonzero()[0], rows["learner_seat"])
        memories = np.frombuffer(b"".join(state.memories for state in row_states), np.int64)
        seeds = [NONE if isinstance(state, RowState) or state.seed is None else state.seed for state in states]
        return UnpackedStates(
            positions, resumes, np.array(seeds, np.int64), rows, memories.reshape(len(rows), *memory_shape).copy()
        )

    def _check_game(self, number: int, state: Play | RowState) -> None:
        if state.game is not self.game and compat_key(state.game) != compat_key(self.game):
            theirs, ours = (
                "{game} with rules {rules} and components {components}".format(**compat_key(game))
                for game in (state.game, self.game)
            )
            raise SetupError(f"State {number} is of {theirs}, and the batch of {ours}.")
        if not isinstance(state, RowState):
            return
        if state.reward != self.reward:
            raise SetupError(
                f"State {number} is of a batch with reward={state.reward!r}, not {self.reward!r}. {BEGIN_INSTEAD}"
            )
        if state.thread_specs != self.thread_specs:
            raise SetupError(
                f"State {number} has the memory of other opponents, {list(state.thread_specs)} and not "
                f"{list(self.thread_specs)}. {BEGIN_INSTEAD}"
            )

    def _check_memories(self, number: int, state: Play | RowState, shape: tuple[int, ...]) -> None:
        expected = prod(shape) * np.dtype(np.int64).itemsize
        if isinstance(state, RowState) and len(state.memories) != expected:
            raise SetupError(
                f"State {number} is damaged: the memories of its opponents have {len(state.memories)} bytes, and not "
                f"{expected}. {BEGIN_INSTEAD}"
            )

    def _check_positions(self, positions: States, is_over: npt.NDArray[np.bool_]) -> None:
        others = positions["seats"] != self.seats
        if others.any():
            number = int(others.argmax())
            found = pluralize(int(positions["seats"][number]), "seat")
            raise SetupError(f"State {number} has {found}, and each game of the batch {self.seats}.")
        blank = self.game.empty_state(self.options)
        for name, value in self.options.items():
            differs = (positions[name] != blank[name]).reshape(len(positions), -1).any(axis=1)
            if differs.any():
                raise SetupError(
                    f"State {int(differs.argmax())} was not played with {name}={value!r}, as this batch is: make the "
                    "batch with the options of its states."
                )
        if self.autoreset and is_over.any():
            raise SetupError(
                f"State {int(is_over.argmax())} is over, and this batch would deal the next game at once: leave it "
                "out, or make the batch with autoreset=False."
            )

    def _check_learners(self, numbers: npt.NDArray[np.int64], seats: npt.NDArray[np.int8]) -> None:
        differs = seats < 0 if self.learner_seat == "random" else seats != self.learner_seat
        if differs.any():
            theirs = int(seats[differs.argmax()])
            raise SetupError(
                f"State {numbers[differs.argmax()]} is of a batch where the learner has {seats_label(theirs)}, not "
                f"{seats_label(self.learner_seat)}. {BEGIN_INSTEAD}"
            )


def seats_label(learner_seat: int | Literal["random"]) -> str:
    if learner_seat == "random":
        return "a random seat"
    return "all seats" if learner_seat == NONE else f"seat {learner_seat}"


def as_raw(records: npt.NDArray[np.void]) -> npt.NDArray[np.void]:
    """Return a view of records as bytes, which are copied several times faster than fields."""
    return records.view(f"V{records.dtype.itemsize}")


def row_numbers(rows: Any, n: int, label: str) -> npt.NDArray[np.int64]:
    """Return numbers of rows as an array. Raise SetupError unless they are different integers from 0 to n - 1."""
    array = as_array(rows)
    if array.size == 0 and array.ndim == 1:
        return np.zeros(0, np.int64)
    if array.ndim != 1 or array.dtype.kind not in "iu":
        raise SetupError(
            f"Rows are a list of integers, such as [0, 3] or np.flatnonzero(mask), not {array.dtype} of shape "
            f"{array.shape}."
        )
    outside = (array < 0) | (array >= n)
    if outside.any():
        raise SetupError(f"{label} has games 0 to {n - 1}, not {array[outside][0]}.")
    if len(np.unique(array)) < len(array):
        raise SetupError(f"Rows are different games, not {array.tolist()}.")
    return array.astype(np.int64)
