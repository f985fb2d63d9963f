"""Batch: many plays of a game for learners. One call applies an action in each play."""

import weakref
from collections import deque
from collections.abc import Callable, Mapping
from concurrent.futures import Future
from contextlib import suppress
from functools import partial
from itertools import pairwise
from threading import Lock
from typing import Any, Literal

import numpy as np
import numpy.typing as npt

from ..core.english import pluralize
from ..core.kernels import batch_step
from ..core.kernels.batch_step import ALL_LEGAL, RESET, STEP
from ..core.loaded import LoadedGame
from ..core.workspaces import resolve_overload, wrap_all
from ..engine.pool import WorkerPool, check_threads, results_of
from ..engine.state_dtype import copy_states
from ..errors import IllegalAction, SetupError, busy, one_of
from ..play.play import Observation, Play
from ..validation import check_flag, check_int, check_seed, fits_float32, is_int, is_one_of
from .buffers import CONFIG, allocate_batch, allocate_scratch
from .opponents import Opponents, checked_seat
from .python_opponents import OpponentRunner, RowStepper, ThreadRunner, allocate_memories, row_label
from .rewards import CODES, checked_reward

LEGAL_FORMATS = ("masks", "bits", "lists")
ILLEGAL = {"error": batch_step.ERROR, "penalty": batch_step.PENALTY, "random": batch_step.RANDOM}
MAX_GAMES = 2**24
MIN_ROWS_FOR_THREADS = 2
MAX_SHOWN = 3  # legal actions in the message on an illegal one


def check_legal_as(legal_as: str) -> None:
    """Raise SetupError for an unknown format of legal actions."""
    if not is_one_of(legal_as, LEGAL_FORMATS):
        known = one_of(LEGAL_FORMATS, str(legal_as))
        raise SetupError(f"Legal actions cannot be written as {legal_as!r}. There are: {known}")


def check_illegal(illegal: str, penalty: Any) -> None:
    """Raise SetupError for an unknown treatment of illegal actions, or a penalty that is not a number or too large."""
    if not is_one_of(illegal, ILLEGAL):
        ways = one_of(ILLEGAL, str(illegal))
        raise SetupError(f"There is no way {illegal!r} for illegal actions. There are: {ways}")
    if not fits_float32(penalty):
        raise SetupError(f"A penalty is a number from -2**40 to 2**40, such as -1, not {penalty!r}.")


def check_flags(observe: bool, autoreset: bool, final_observations: bool) -> None:
    """Raise SetupError for a flag that is not a bool, and for final observations without `observe` and `autoreset`."""
    check_flag("observe", observe)
    check_flag("autoreset", autoreset)
    if check_flag("final_observations", final_observations) and not (observe and autoreset):
        raise SetupError(
            "final_observations=True writes what was seen last of a game before the next one follows: "
            "leave out observe=False and autoreset=False, or final_observations=True."
        )


def as_array(actions: Any) -> npt.NDArray[Any]:
    """Return actions as an array. If they are not an array of numbers, its dtype is object, which is refused later.

    Examples are rows of several lengths, masked entries of a masked array, and tensors that NumPy cannot read.
    """
    if type(actions) is not np.ndarray and np.ma.is_masked(actions):
        return actions.astype(object).filled(None)
    try:
        return np.asarray(actions)
    except ValueError:
        return np.array([*actions, None], object)[:-1]
    except (TypeError, RuntimeError):
        return np.array(None, object)


def true_runs(where: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Return the runs of True in an array as pairs: the first index, and the index after the last."""
    edges = np.flatnonzero(np.diff(where, prepend=False, append=False)).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def clip_runs(runs: list[tuple[int, int]], loop_args: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """Return a thread's loop arguments for each part of the given runs that lies in the thread's rows."""
    start, stop, *rest = loop_args
    cut = [(max(start, first), min(stop, last)) for first, last in runs]
    return [(first, last, *rest) for first, last in cut if first < last]


def run_in_order(step_rows: Callable[..., Any], op: int, calls: list[tuple[Any, ...]]) -> None:
    """Step the runs of one thread one after another, since they share its scratch."""
    for loop_args in calls:
        step_rows(op, *loop_args)


class Batch:
    """Many plays of a game, stepped together. `game.batch(...)` makes a batch.

    Its arrays have a row for each game. They are allocated once, and each call of `step` and `reset` overwrites them.
    Copy values that you need later, and do not write into the arrays. NumPy arrays support DLPack, so
    `torch.from_dlpack(batch.action_masks)` and `jax.dlpack.from_dlpack(batch.action_masks)` share the memory. Only
    `learner_seats`, `seeds` and `bot_seeds` have gaps between their rows, which JAX refuses. A row depends only on the
    seed and its actions, not on other rows or on `threads`. One thread may use a batch at a time.
    """

    def __init__(self, **init_args: Any) -> None:
        self._init_args = init_args
        self._make(**init_args)
        try:
            self.reset()
        except BaseException:
            if self._opponents:
                self._opponents.close()
            raise

    def _make(
        self,
        *,
        game: LoadedGame,
        n: int,
        seats: int | None,
        seed: int,
        threads: int,
        opponents: Any,
        seat: int | Literal["random"] | None,
        reward: str | None,
        legal_as: str,
        observe: bool,
        illegal: str,
        penalty: float,
        autoreset: bool,
        final_observations: bool,
        options: Mapping[str, Any],
    ) -> None:
        """Initialize everything except the deals. `Game.batch` documents the arguments."""
        self.game, self.n, self.seats = game, check_int("games", n, 1, MAX_GAMES), game.checked_seats(seats)
        self.reward = checked_reward(reward, self.seats)
        check_legal_as(legal_as)
        check_illegal(illegal, penalty)
        check_flags(observe, autoreset, final_observations)
        learner_seat = checked_seat(seat, self.seats, opponents)
        self._opponents = None if opponents is None else Opponents(game, self.seats, opponents)
        self._asks_python = self._opponents is not None and self._opponents.has_python
        self._config = np.zeros(1, CONFIG)
        self._config["seed"], self._config["seats"] = check_seed(seed), self.seats
        self._config["reward"], self._config["illegal"] = CODES[self.reward], ILLEGAL[illegal]
        self._config["penalty"], self._config["autoreset"] = float(penalty), bool(autoreset)
        self._config["random_seat"], self._config["bit_masks"] = learner_seat == "random", legal_as == "bits"
        self._reject_args = ILLEGAL[illegal], bool(autoreset)
        self._blank = game.empty_state(options)
        try:
            self._arrays = allocate_batch(game, self.n, self.seats, legal_as, observe, final_observations)
        except MemoryError:
            raise SetupError(f"{self!r} does not fit into the memory of this machine: take fewer games.") from None
        self._arrays.rows["learner_seat"] = 0 if learner_seat == "random" else learner_seat
        self._actions: Any = np.zeros(self.n, np.int64)
        self._legal_as, self._closed, self._in_use = legal_as, False, Lock()
        self._pending = list[Future[Any]]()  # calls in threads; some may still run after another has failed
        self._set_up(check_threads(threads))
        if self._opponents:
            self._opponents.prepare()  # last: it starts programs, and a batch that is refused leaves none running

    def _set_up(self, threads: int) -> None:
        """Prepare the kernels, the scratch of each thread, and the threads."""
        self._kernel = self.game.kernel(batch_step)
        self._wrapped, self._wrapped_actions = wrap_all(self.game, self._arrays), self.game.wrap(self._actions)
        num_legal, legal_actions = self._wrapped.num_legal, self._wrapped.legal_actions
        rejecting = *self._reject_args, self._wrapped_actions, num_legal, legal_actions
        self._find_rejected = partial(resolve_overload(self._kernel.first_rejected, *rejecting), *rejecting)
        uniforms, out = self.game.wrap(np.zeros(self.n)), self.game.wrap(np.zeros(self.n, np.int32))
        self._sample_actions = resolve_overload(self._kernel.sample_actions, uniforms, num_legal, legal_actions, out)
        self._share_out(min(threads, self.n))

    def _share_out(self, threads: int) -> None:
        """Assign rows and scratch to each thread. They do not reference the batch, so it can be garbage-collected."""
        ends = [self.n * part // threads for part in range(threads + 1)]
        arrays = self._wrapped_actions, self._wrapped
        self._loop_args = [(start, stop, *arrays, *self._scratch()) for start, stop in pairwise(ends)]
        self._step_rows = resolve_overload(self._kernel.step_rows, STEP, *self._loop_args[0])
        self._pool = WorkerPool(threads) if threads > 1 else None
        if self._pool:
            weakref.finalize(self, self._pool.stop)
        self._make_runners(self._opponents)

    def _make_runners(self, opponents: Opponents | None) -> None:
        """Prepare the runners of opponents in Python: shared for the caller's thread, and one for each thread."""
        self._shared_runner, self._thread_runners = None, list[ThreadRunner]()
        self._memories = allocate_memories(0, [])
        if opponents is None:
            return
        weakref.finalize(self, opponents.close)
        steppers = [
            RowStepper(self.game, self._arrays, self._actions, self._step_rows, loop_args[2:])
            for loop_args in self._loop_args
        ]
        self._shared_runner = OpponentRunner(steppers[0], opponents.shared_bots)
        if opponents.has_stateful:
            bots = [opponents.make_thread_bots() for _ in steppers]
            self._memories = allocate_memories(self.n, bots[0])
            self._thread_runners = [
                ThreadRunner(stepper, own, self._memories) for stepper, own in zip(steppers, bots, strict=True)
            ]

    def _scratch(self) -> tuple[Any, Any]:
        """Return the scratch of one thread, and its opponents."""
        opponents = None if self._opponents is None else wrap_all(self.game, self._opponents.kernel_args())
        return wrap_all(self.game, allocate_scratch(self.game, self._config, self._blank)), opponents

    # --- arrays -----------------------------------------------------------------------------------

    @property
    def observations(self) -> npt.NDArray[np.float32]:
        """The observations of `current_seats`, float32 (n, game.tensor_size): the parts of the game's tensor."""
        return self._written("observations", self._arrays.observations[: self.n], "observe=True")

    @property
    def final_observations(self) -> npt.NDArray[np.float32]:
        """The last observation of each game that has just ended, float32 (n, game.tensor_size).

        It is valid only in rows with `done`.
        """
        array = self._arrays.observations[self.n :]
        return self._written("final observations", array, "final_observations=True")

    @property
    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions, bool (n, ACTIONS); all True if the game is over and the next has not begun."""
        return self._masks("masks").view(np.bool_)

    @property
    def packed_masks(self) -> npt.NDArray[np.uint8]:
        """`action_masks` as bits, uint8 (n, ceil(ACTIONS / 8)): read them by np.unpackbits with bitorder="little"."""
        return self._masks("bits")

    def _masks(self, legal_as: str) -> Any:
        return self._written(legal_as, self._arrays.masks if self._legal_as == legal_as else None, f"{legal_as=}")

    def _written(self, what: str, array: Any, how: str) -> Any:
        if array is None or not array.size:
            raise SetupError(f"This batch writes no {what}; make it with {how}.")
        return array

    @property
    def legal_actions(self) -> npt.NDArray[np.int32]:
        """The legal actions, ascending, int32 (n, ACTIONS): the first `num_legal[i]` entries of row i."""
        return self._arrays.legal_actions

    @property
    def num_legal(self) -> npt.NDArray[np.int64]:
        """The number of legal actions, int64 (n,); 0 if the game is over and the next has not begun."""
        return self._arrays.num_legal

    @property
    def current_seats(self) -> npt.NDArray[np.int8]:
        """The seats whose observations are written, int8 (n,): the learner's seat, or the seat to move."""
        return self._arrays.current_seats

    @property
    def learner_seats(self) -> npt.NDArray[np.int8]:
        """The learner's seat in each game, int8 (n,); -1 if the learner has all seats.

        With `autoreset`, it is the seat in the next game as soon as a game has ended.
        """
        return self._arrays.rows["learner_seat"]

    @property
    def rewards(self) -> npt.NDArray[np.float32]:
        """The rewards of the last step by seat, float32 (n, seats), in the convention `reward`."""
        return self._arrays.rewards

    @property
    def done(self) -> npt.NDArray[np.bool_]:
        """Whether the last step ended a game, bool (n,).

        With `autoreset`, all other arrays then describe the next game.
        """
        return self._arrays.done

    @property
    def seeds(self) -> npt.NDArray[np.int64]:
        """The seeds of the deals, int64 (n,): `game.new(seats, seeds[i])` deals the same. They reveal all secrets."""
        return self._arrays.rows["seed"]

    @property
    def bot_seeds(self) -> npt.NDArray[np.int64]:
        """The seeds of the opponents that are given as specs, int64 (n,)."""
        return self._arrays.rows["bot_seed"]

    def play(self, row: int) -> Play:
        """Return a copy of the play in a row, with all hidden information.

        Raises:
            SetupError: there is no such row.
        """
        return Play(self.game, self._copy_state(self._checked(row)))

    def observe(self, row: int) -> Observation:
        """Return the observation of the play in a row by its current seat.

        Raises:
            SetupError: there is no such row.
        """
        return Observation(self.game, self._copy_state(self._checked(row)), int(self.current_seats[row]))

    def _copy_state(self, row: int) -> Any:
        return copy_states(self._arrays.states[row : row + 1])

    def _checked(self, row: int) -> int:
        """Return a row as an int; SetupError if it does not exist."""
        if not is_int(row) or not 0 <= row < self.n:
            raise SetupError(f"{self!r} has games 0 to {self.n - 1}, not {row!r}.")
        return int(row)

    def sample(self, rng: np.random.Generator) -> npt.NDArray[np.int32]:
        """Return a uniformly random legal action for each game, int32 (n,); arbitrary if no action is legal."""
        uniforms, out = self._uniforms(rng), np.empty(self.n, np.int32)
        num_legal, legal_actions = self._wrapped.num_legal, self._wrapped.legal_actions
        self._sample_actions(self.game.wrap(uniforms), num_legal, legal_actions, self.game.wrap(out))
        return out

    def _uniforms(self, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        """Return a random number in [0, 1) for each game, float64 (n,)."""
        if not isinstance(rng, np.random.Generator | np.random.RandomState):
            raise SetupError(f"Random actions take a generator such as np.random.default_rng(0), not {rng!r}.")
        return rng.random(self.n)

    # --- stepping ---------------------------------------------------------------------------------

    def step(self, actions: npt.ArrayLike, where: npt.ArrayLike | None = None) -> None:
        """Apply an action in each game, and let the opponents play until the learner must choose again.

        Args:
            actions: integers, of shape (n,).
            where: the games to step, bool (n,); all if not given. The other rows do not change, and keep the rewards of
                their last step.

        Raises:
            IllegalAction: a wrong shape or type; an illegal action, if that is an error; a game that is over. No game
                has changed.
            BotFailure: an opponent chose an illegal action. Reset the batch, or make another batch if the opponent was
                a program.
            SetupError: `where` has a wrong shape or type; the batch has been closed, or another thread is using it.
        """
        self._enter()
        try:
            self._step(actions, None if where is None else self._runs(where))
        finally:
            self._in_use.release()

    def _runs(self, where: npt.ArrayLike) -> list[tuple[int, int]]:
        """Return the runs of rows that a bool array selects."""
        return true_runs(self._selection(where))

    def _step(self, actions: npt.ArrayLike, runs: list[tuple[int, int]] | None) -> None:
        """Check the actions and apply them; IllegalAction if a row rejects its action."""
        array = self._as_array(actions)
        if array.shape != (self.n,) or array.dtype.kind not in "iu":
            raise IllegalAction(
                f"{self!r} takes {pluralize(self.n, 'whole number')}, an array of shape ({self.n},), "
                f"not {array.dtype} of shape {array.shape}."
            )
        self._stage(array)
        if self._asks_python:
            self._check_none_awaits()
        row = self._first_rejected(runs)
        if row != ALL_LEGAL:
            raise IllegalAction(self._complaint(row))
        self._advance(STEP, runs)

    def _as_array(self, values: Any) -> Any:
        """Return the values of all rows as an array."""
        return as_array(values)

    def _stage(self, array: Any) -> None:
        """Copy the values of all rows into the array that the kernel reads."""
        self._actions[:] = array

    def _first_rejected(self, runs: list[tuple[int, int]] | None) -> int:
        """Return the first row whose action is rejected, or ALL_LEGAL."""
        if runs is None:
            return int(self._find_rejected())
        for start, stop in runs:
            arrays = self._actions, self._arrays.num_legal, self._arrays.legal_actions
            cut = (self.game.wrap(array[start:stop]) for array in arrays)
            row = self._kernel.first_rejected(*self._reject_args, *cut)
            if row != ALL_LEGAL:
                return int(start + row)
        return ALL_LEGAL

    def reset(self, seed: int | None = None, where: npt.ArrayLike | None = None) -> None:
        """Begin the next game in each row, or in the rows of `where`.

        Args:
            seed: restart all rows with this seed; the current seed continues if not given.
            where: the games to end, bool (n,); all if not given. The others do not change, also if they wait for an
                opponent that failed.

        Raises:
            SetupError: an invalid seed; a wrong shape or type; both arguments given; the batch has been closed, or
                another thread is using it.
        """
        self._enter()
        try:
            self._reset(seed, where)
        finally:
            self._in_use.release()

    def _reset(self, seed: int | None, where: npt.ArrayLike | None) -> None:
        """Check the arguments and deal the next games."""
        selection = np.ones(self.n, np.bool_) if where is None else self._selection(where)
        if seed is not None:
            if where is not None:
                raise SetupError("A seed begins all games anew: leave out `where`, or the seed.")
            self._config["seed"] = check_seed(seed)
            self._restart_episodes()
        self._stage(selection)
        self._advance(RESET)

    def _selection(self, where: npt.ArrayLike) -> Any:
        """Return `where` as an array; SetupError for a wrong shape or type."""
        selection = self._as_array(where)
        if selection.shape != (self.n,) or selection.dtype != np.bool_:
            raise SetupError(
                f"`where` is an array of True and False of shape ({self.n},), "
                f"not {selection.dtype} of shape {selection.shape}."
            )
        return selection

    def _restart_episodes(self) -> None:
        """Count the games of each row from 0 again, after the seed has changed."""
        self._arrays.rows["episode"] = 0
        self._memories[...] = 0

    def __getstate__(self) -> tuple[Any, ...]:
        """Return the init arguments and the arrays, for pickles and deep copies."""
        return self._init_args, self._config, self._saved_arrays()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._init_args, config, arrays = state
        self._make(**self._init_args)
        self._config[...] = config
        for own, array in zip(self._saved_arrays(), arrays, strict=True):
            own[...] = array

    def _saved_arrays(self) -> tuple[Any, ...]:
        """Return the arrays that hold the games; `parts` shares the memory of observations."""
        return *self._arrays[:-1], self._memories

    def close(self) -> None:
        """Stop the threads and close the opponents. Garbage collection does the same.

        Raises:
            SetupError: another thread is using the batch.
        """
        if not self._in_use.acquire(blocking=False):
            raise busy(self)
        try:
            self._closed = True
            if self._pool:
                self._pool.__exit__()
            if self._opponents:
                self._opponents.close()
        finally:
            self._in_use.release()

    def _advance(self, op: int, runs: list[tuple[int, int]] | None = None) -> None:
        """Do `op` in all rows, or in the rows of `runs`, in all threads, and let opponents in Python play."""
        awaiting = self._arrays.rows["awaiting_python"]
        left_out = awaiting & (self._actions == 0) if op == RESET else 0  # their opponent has failed: do not ask it
        if self._pool is None:
            for loop_args in self._loop_args if runs is None else clip_runs(runs, self._loop_args[0]):
                self._step_rows(op, *loop_args)
        else:
            calls = [[part] if runs is None else clip_runs(runs, part) for part in self._loop_args]
            self._run_all([partial(run_in_order, self._step_rows, op, own) for own in calls if own])
        if self._shared_runner and self._asks_python:
            while rows := (awaiting > left_out).nonzero()[0].tolist():
                self._run_thread_bots(rows)
                for row in filter(self._shared_runner.is_mine, rows):
                    self._shared_runner.act(row)

    def _run_thread_bots(self, rows: list[int]) -> None:
        """Let the opponents with a bot in each thread act in these rows. A free thread takes the next row."""
        left = deque(rows if self._thread_runners else ())
        try:
            if self._pool is None or len(left) < MIN_ROWS_FOR_THREADS:
                for runner in self._thread_runners[:1]:
                    runner.run(left)
            else:
                self._run_all([partial(runner.run, left) for runner in self._thread_runners])
        finally:
            left.clear()  # if a thread has failed, the others need not continue

    def _run_all(self, work: list[Callable[[], Any]]) -> None:
        """Run each call in a thread, and wait for all calls."""
        assert self._pool
        self._pending = [self._pool.submit(part) for part in work]
        try:
            results_of(self._pending)
        except BaseException:  # Ctrl-C, or an opponent that has failed
            self._pool.stop_tasks()
            raise

    # --- refusals ---------------------------------------------------------------------------------

    def _enter(self) -> None:
        """Lock the batch. Machine code releases Python's lock, so two threads would overwrite each other's data.

        Raises:
            SetupError: another thread is using the batch, or the batch has been closed.
        """
        if self._closed:
            raise SetupError(f"{self!r} has been closed: make another one.")
        if not self._in_use.acquire(blocking=False):
            raise busy(self)
        if not all(future.done() for future in self._pending):
            self._in_use.release()
            raise SetupError(f"{self!r} was interrupted, and its threads are still at work: try again in a moment.")

    def _check_none_awaits(self) -> None:
        """Raise IllegalAction if a game still waits for an opponent that failed."""
        awaiting = self._arrays.rows["awaiting_python"]
        if awaiting.any():
            label = self._label(int(awaiting.argmax()))
            raise IllegalAction(f"{label} still waits for an opponent that failed: reset the batch.")

    def _label(self, row: int) -> str:
        return row_label(self.game, row, self.n)

    def _complaint(self, row: int) -> str:
        if not self.num_legal[row]:
            return f"{self._label(row)} is over: begin the next with reset(where=batch.done)."
        play, action = self.play(row), int(self._actions[row])
        words = f"{action}"
        with suppress(Exception):  # an invalid action may have no words, and fail in any way
            words = f"{action} ({play.action_to_string(action)})"
        legal = [f"{code} ({play.action_to_string(code)})" for code in play.legal_actions[:MAX_SHOWN]]
        return (
            f"{self._label(row)}: seat {play.turn + 1} may not choose {words}. "
            f"It has {pluralize(len(play.legal_actions), 'legal action')}, such as {', '.join(legal)}."
        )

    def __repr__(self) -> str:
        games, seats = pluralize(self.n, "game"), pluralize(self.seats, "seat")
        return f"<Batch of {games} of {self.game.name}, {seats}>"
