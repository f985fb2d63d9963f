"""Batch: many plays of a game for learners. One call applies an action in each play."""

import copy
import weakref
from collections import deque
from collections.abc import Callable, Mapping, Sequence
from concurrent.futures import Future
from contextlib import suppress
from dataclasses import dataclass
from functools import partial
from itertools import pairwise
from threading import Lock
from typing import Any, Literal, Self

import numpy as np
import numpy.typing as npt

from ..core.english import pluralize
from ..core.kernels import batch_step
from ..core.kernels.batch_step import ALL_LEGAL, BEGIN, OPPONENT_STEP, RESET, RESUME, STEP
from ..core.loaded import LoadedGame
from ..core.workspaces import resolve_overload, wrap_all
from ..engine.pool import WorkerPool, check_threads, results_of
from ..engine.state_dtype import copy_states
from ..errors import IllegalAction, SetupError, busy
from ..play.play import Observation, Play
from ..validation import check_flag, check_int, check_one_of, check_seed, fits_float32, is_int
from .buffers import CONFIG, allocate_batch, allocate_scratch, as_array
from .opponents import Opponents, checked_seat
from .python_opponents import BatchRunner, OpponentRunner, ThreadRunner, allocate_memories, row_label
from .rewards import CODES, checked_reward
from .states import RowState, StateReader, as_raw, row_numbers

LEGAL_FORMATS = ("masks", "bits", "lists")
ILLEGAL = {"error": batch_step.ERROR, "penalty": batch_step.PENALTY, "random": batch_step.RANDOM}
MAX_GAMES = 2**24
MIN_ROWS_FOR_THREADS = 2
MAX_SHOWN = 3  # legal actions in the message on an illegal one


@dataclass(frozen=True)
class BatchSettings:
    """The arguments of `Game.batch` except `device`. Raise SetupError for values that no batch accepts."""

    n: int
    seats: int | None
    seed: int
    threads: int
    opponents: Any
    seat: int | Literal["random"] | None
    reward: str | None
    legal_as: str
    observe: bool
    illegal: str
    penalty: float
    autoreset: bool
    final_observations: bool
    options: Mapping[str, Any]

    def __post_init__(self) -> None:
        check_int("games", self.n, 1, MAX_GAMES)
        check_seed(self.seed)
        check_threads(self.threads)
        check_one_of("format of legal actions", self.legal_as, LEGAL_FORMATS)
        check_illegal(self.illegal, self.penalty)
        check_flag("observe", self.observe)
        check_flag("autoreset", self.autoreset)
        if check_flag("final_observations", self.final_observations) and not (self.observe and self.autoreset):
            raise SetupError(
                "final_observations=True stores the last observation of a game before the next game replaces it: "
                "leave out observe=False and autoreset=False, or final_observations=True."
            )


def check_illegal(illegal: str, penalty: float) -> None:
    """Raise SetupError for an unknown effect of illegal actions, or a penalty that is not a number or too large."""
    check_one_of("effect of illegal actions", illegal, ILLEGAL)
    if not fits_float32(penalty):
        raise SetupError(f"A penalty is a number from -2**40 to 2**40, such as -1, not {penalty!r}.")


class Batch:
    """Many plays of a game, stepped together. `game.batch(...)` makes a batch.

    The arrays of a batch have a row for each play. When a play ends, the next play can begin in the same row. Each call
    of `step` and `reset` overwrites the arrays. Copy values that you need later, and do not write into the arrays.
    NumPy arrays support DLPack, so `torch.from_dlpack(batch.action_masks)` and
    `jax.dlpack.from_dlpack(batch.action_masks)` share the memory. A row depends on its number, the seed and its
    actions, but not on other rows or on `threads`; `Game.batch` names the exceptions. One thread may use a batch at a
    time.
    """

    def __init__(
        self, game: LoadedGame, settings: BatchSettings, states: Sequence[Play | RowState] | None = None
    ) -> None:
        self.game, self._settings = game, settings
        self._make()
        try:
            if states is None:
                self.reset()
            else:
                self.set_state(range(self.n), states)
        except BaseException:
            if self._opponents:
                self._opponents.close()
            raise

    def _make(self) -> None:
        """Initialize everything except the deals. Raise the errors of `Game.batch`."""
        game, settings = self.game, self._settings
        self.n, self.seats = int(settings.n), game.check_seats(settings.seats)
        self.reward = checked_reward(settings.reward, self.seats)
        learner_seat = checked_seat(settings.seat, self.seats, settings.opponents is not None)
        self._opponents = None if settings.opponents is None else Opponents(game, self.seats, settings.opponents)
        self._config = np.zeros(1, CONFIG)
        self._config["seed"], self._config["seats"] = settings.seed, self.seats
        self._config["reward"], self._config["illegal"] = CODES[self.reward], ILLEGAL[settings.illegal]
        self._config["penalty"], self._config["autoreset"] = float(settings.penalty), settings.autoreset
        self._config["random_seat"] = learner_seat == "random"
        self._config["bit_masks"] = settings.legal_as == "bits"
        self._reject_args = ILLEGAL[settings.illegal], settings.autoreset
        self._blank = game.empty_state(settings.options)
        try:
            self._arrays = allocate_batch(
                game, self.n, self.seats, settings.legal_as, settings.observe, settings.final_observations
            )
        except MemoryError:
            raise SetupError(f"{self!r} does not fit into the memory of this machine: take fewer games.") from None
        self._arrays.rows["learner_seat"] = 0 if learner_seat == "random" else learner_seat
        self._actions: Any = np.zeros(self.n, np.int64)
        self._closed, self._in_use = False, Lock()
        self._is_partial = True  # whether the last call may have selected only some of the rows
        self._pending = list[Future[Any]]()  # calls in threads; some may still run after another has failed
        self._pool: WorkerPool | None = None
        self._leaves_loop = bool(self._opponents and not self._opponents.all_inline)
        self._shared_runner: OpponentRunner | None = None
        self._batch_runner: BatchRunner | None = None
        self._thread_runners = list[ThreadRunner]()
        self._memories = allocate_memories(self.n, [])
        self._reader = StateReader(
            *(game, self.seats, settings.options, self.reward, learner_seat),
            thread_specs=self._opponents.thread_specs if self._opponents else (),
            autoreset=settings.autoreset,
        )
        self._set_up(settings.threads)
        if self._opponents:
            self._opponents.prepare()  # last: it starts programs, and a batch that is refused leaves none running

    def _set_up(self, threads: int) -> None:
        """Prepare the kernels, the threads, and the rows and scratch of each thread.

        Threads do not reference the batch, so the batch can be garbage-collected.
        """
        self._kernel = self.game.kernel(batch_step)
        self._wrapped, actions = wrap_all(self.game, self._arrays), self.game.wrap(self._actions)
        num_legal, legal_actions = self._wrapped.num_legal, self._wrapped.legal_actions
        rejecting = *self._reject_args, self._wrapped.selected, actions, num_legal, legal_actions
        self._find_rejected = partial(resolve_overload(self._kernel.first_rejected, *rejecting), *rejecting)
        uniforms, out = self.game.wrap(np.zeros(self.n)), self.game.wrap(np.zeros(self.n, np.int32))
        self._sample_actions = resolve_overload(self._kernel.sample_actions, uniforms, num_legal, legal_actions, out)
        threads = min(threads, self.n)
        ends = [self.n * part // threads for part in range(threads + 1)]
        self._loop_args = [(*rows, actions, self._wrapped, *self._scratch()) for rows in pairwise(ends)]
        self._step_rows = resolve_overload(self._kernel.step_rows, STEP, *self._loop_args[0])
        if threads > 1:
            self._pool = WorkerPool(threads)
            weakref.finalize(self, self._pool.stop)
        if self._leaves_loop and self._opponents:
            self._make_runners(self._opponents)

    def _make_runners(self, opponents: Opponents) -> None:
        """Prepare the runners of opponents outside of the loop.

        One runner serves shared bots, and another one those with `choose_batch`. If threads have their own bots, too,
        each thread has another runner.
        """
        weakref.finalize(self, opponents.close)
        args = [(self.game, self._arrays, self._actions, self._step_rows, part[2:]) for part in self._loop_args]
        if any(bot is not None for bot in opponents.shared_bots):
            self._shared_runner = OpponentRunner(*args[0], opponents.shared_bots)
        if any(bot is not None for bot in opponents.batch_bots):
            self._batch_runner = BatchRunner(self.game, self._arrays, self._actions, opponents.batch_bots)
        bots = [opponents.make_thread_bots() for _ in args]
        if any(bots[0]):
            self._memories = allocate_memories(self.n, bots[0])
            self._thread_runners = [
                ThreadRunner(self._memories, *own, thread_bots) for own, thread_bots in zip(args, bots, strict=True)
            ]

    def _scratch(self) -> tuple[Any, Any]:
        opponents = None if self._opponents is None else wrap_all(self.game, self._opponents.kernel_args())
        return wrap_all(self.game, allocate_scratch(self.game, self._config, self._blank)), opponents

    # --- arrays -----------------------------------------------------------------------------------

    @property
    def observations(self) -> npt.NDArray[np.float32]:
        """The observations of `current_seats`, float32 (n, game.tensor_size). Raise SetupError with `observe=False`."""
        return self._written("observations", self._arrays.observations[: self.n], "observe=True")

    @property
    def final_observations(self) -> npt.NDArray[np.float32]:
        """The last observation of each play that has just ended, float32 (n, game.tensor_size).

        A row is valid only if the row is `done`. Raise SetupError without `final_observations=True`.
        """
        array = self._arrays.observations[self.n :]
        return self._written("final observations", array, "final_observations=True")

    @property
    def action_masks(self) -> npt.NDArray[np.bool_]:
        """The legal actions, bool (n, ACTIONS); all True if the play is over and the next play has not begun.

        Raise SetupError without `legal_as="masks"`.
        """
        return self._masks("masks").view(np.bool_)

    @property
    def packed_masks(self) -> npt.NDArray[np.uint8]:
        """The legal actions as bits, uint8 (n, ceil(ACTIONS / 8)), for np.unpackbits with bitorder="little".

        All actions are set if the play is over and the next play has not begun. Raise SetupError without
        `legal_as="bits"`.
        """
        return self._masks("bits")

    def _masks(self, legal_as: str) -> Any:
        return self._written(
            legal_as, self._arrays.masks if self._settings.legal_as == legal_as else None, f"{legal_as=}"
        )

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
        """The number of legal actions, int64 (n,); 0 if the play is over and the next play has not begun."""
        return self._arrays.num_legal

    @property
    def current_seats(self) -> npt.NDArray[np.int8]:
        """The seats whose observations are written, int8 (n,): the learner's seat, or the seat to move."""
        return self._arrays.current_seats

    @property
    def learner_seats(self) -> npt.NDArray[np.int8]:
        """The learner's seat in each play, int8 (n,); -1 if the learner has all seats.

        With `autoreset`, the seat is that of the next play as soon as a play has ended.
        """
        return self._arrays.learner_seats

    @property
    def rewards(self) -> npt.NDArray[np.float32]:
        """The rewards of the last step by seat, float32 (n, seats), in the convention `reward`.

        During a play only the seat in `current_seats` gets a reward, for the time since its last action. At the end all
        seats get rewards, or only the seat whose illegal action is penalized.
        """
        return self._arrays.rewards

    @property
    def done(self) -> npt.NDArray[np.bool_]:
        """Whether the last step of a row ended its play, bool (n,).

        With `autoreset`, the other arrays then describe the next play, except `rewards` and `final_observations`.
        """
        return self._arrays.done

    @property
    def seeds(self) -> npt.NDArray[np.int64]:
        """The seeds of the deals, int64 (n,), which reveal all hidden information.

        `game.new(seats, seeds[i], **options)` deals the same. A play that was set without a seed has -1.
        """
        return self._arrays.seeds

    @property
    def bot_seeds(self) -> npt.NDArray[np.int64]:
        """The seeds of the opponents' random numbers, int64 (n,). Programs and most objects have seeds of their own."""
        return self._arrays.bot_seeds

    def play(self, row: int) -> Play:
        """Return a play in the position of a row, with all hidden information. Raise SetupError for a wrong row.

        The play does not know its seed and its past actions, so it has no record.
        """
        return Play(self.game, self._copy_state(self._checked(row)))

    def observe(self, row: int) -> Observation:
        """Return the observation of a row's play by its current seat. Raise SetupError for a wrong row."""
        return Observation(self.game, self._copy_state(self._checked(row)), int(self.current_seats[row]))

    def _copy_state(self, row: int) -> Any:
        return copy_states(self._arrays.states[row : row + 1])

    def _checked(self, row: int) -> int:
        if not is_int(row) or not 0 <= row < self.n:
            raise SetupError(f"{self!r} has games 0 to {self.n - 1}, not {row!r}.")
        return int(row)

    def sample(self, rng: np.random.Generator) -> npt.NDArray[np.int32]:
        """Return a uniformly random legal action for each row, int32 (n,); an arbitrary number if no action is legal.

        Raise SetupError if `rng` is no random generator of NumPy.
        """
        uniforms, out = self._uniforms(rng), np.empty(self.n, np.int32)
        num_legal, legal_actions = self._wrapped.num_legal, self._wrapped.legal_actions
        self._sample_actions(self.game.wrap(uniforms), num_legal, legal_actions, self.game.wrap(out))
        return out

    def _uniforms(self, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        if not isinstance(rng, np.random.Generator | np.random.RandomState):
            raise SetupError(f"Random actions take a generator such as np.random.default_rng(0), not {rng!r}.")
        return rng.random(self.n)

    # --- stepping ---------------------------------------------------------------------------------

    def step(self, actions: npt.ArrayLike, where: npt.ArrayLike | None = None) -> None:
        """Apply an action in each row, and let the opponents play until the learner must choose or the play is over.

        With `autoreset`, the next play replaces a play that is over. Errors of an opponent's own code are passed on.

        Args:
            actions: integers, of shape (n,).
            where: the rows to step, bool (n,); by default all. The other rows do not change, and keep the rewards of
                their last step.

        Raises:
            IllegalAction: a wrong shape or type; an illegal action, with `illegal="error"`; a selected play that is
                over, or waits for an opponent that failed. No play has changed.
            BotFailure: an opponent chose an illegal action, or its program failed. Reset the batch, or make another
                batch if the opponent was a program.
            SetupError: `where` has a wrong shape or type; the batch has been closed, or another call is using it.
        """
        self._enter()
        try:
            if where is not None or self._is_partial:
                self._select(where)
            array = self._as_array(actions)
            if array.shape != (self.n,) or array.dtype.kind not in "iu":
                raise IllegalAction(
                    f"{self!r} takes {pluralize(self.n, 'whole number')}, an array of shape ({self.n},), "
                    f"not {array.dtype} of shape {array.shape}."
                )
            self._stage(array, self._actions)
            if self._leaves_loop:
                self._check_none_awaits()
            row = self._first_rejected()
            if row != ALL_LEGAL:
                raise IllegalAction(self._complaint(row))
            self._advance(STEP)
        finally:
            self._in_use.release()

    def _as_array(self, values: Any) -> Any:
        return as_array(values)

    def _stage(self, values: Any, array: Any) -> None:
        if values is not array:
            array[:] = values

    def _first_rejected(self) -> int:
        return int(self._find_rejected())

    def reset(self, seed: int | None = None, where: npt.ArrayLike | None = None) -> None:
        """Begin the next play in each row, or in the rows of `where`.

        Args:
            seed: the seed from which all rows restart; by default, the current seed continues.
            where: the rows to restart, bool (n,); by default all. The other rows do not change, even rows that wait for
                an opponent that failed.

        Raises:
            SetupError: an invalid seed; `where` has a wrong shape or type, or comes with a seed; the batch has been
                closed, or another call is using it.
            BotFailure: an opponent failed before the learner's first turn, as in `step`.
        """
        self._enter()
        try:
            self._select(where)
            if seed is not None:
                if where is not None:
                    raise SetupError("A seed restarts all games: leave out `where`, or the seed.")
                self._config["seed"] = check_seed(seed)
                self._restart_episodes()
            self._advance(RESET)
        finally:
            self._in_use.release()

    def _select(self, where: npt.ArrayLike | None) -> None:
        selected = np.ones(self.n, np.bool_) if where is None else self._as_array(where)
        if selected.shape != (self.n,) or selected.dtype != np.bool_:
            raise SetupError(
                f"`where` is an array of True and False of shape ({self.n},), "
                f"not {selected.dtype} of shape {selected.shape}."
            )
        self._stage(selected, self._arrays.selected)
        self._is_partial = where is not None

    # --- states -----------------------------------------------------------------------------------

    def get_state(self, rows: npt.ArrayLike | None = None) -> list[RowState]:
        """Return the states of rows, by default of all rows, for `set_state` and `Game.batch`.

        Args:
            rows: different row numbers, such as [0, 3] or np.flatnonzero(mask).

        Raises:
            IllegalAction: a row waits for an opponent that failed.
            SetupError: wrong row numbers; the batch has been closed, or another call is using it.
        """
        self._enter()
        try:
            chosen = self._row_numbers(range(self.n) if rows is None else rows)
            records = self._on_host(self._arrays.rows)[chosen]
            waiting = records["awaits_opponent"] != 0
            if waiting.any():
                raise IllegalAction(self._waiting_complaint(int(chosen[waiting.argmax()])))
            memories = self._memories[chosen]
            memories[..., 0] = memories[..., 0] == records["episode"][:, None]  # whether the bot has begun this play
            records["episode"], records["rewards"] = 0, 0
            if self._settings.autoreset:
                records["done"] = 0
            positions = as_raw(self._on_host(self._arrays.states))[chosen]
            terms = self.game, self.reward, self._reader.thread_specs
            return [
                RowState(*terms, position.tobytes(), row.tobytes(), memory.tobytes())
                for position, row, memory in zip(positions, as_raw(records), memories, strict=True)
            ]
        finally:
            self._in_use.release()

    def set_state(self, rows: npt.ArrayLike, states: Sequence[Play | RowState]) -> None:
        """Continue from states in these rows.

        A state from `get_state` continues as it would in its own row, with the learner's seat, the opponents' random
        numbers and memories, and the rewards since the last action. A play begins an episode at its position: rewards
        count from there, opponents have new random numbers, and opponents play until the learner's turn or the end. It
        may be a determinization. In both cases the rewards of these rows are 0 and `done` is False, unless the play is
        over. The games after it are dealt from the batch's seed.

        Args:
            rows: different row numbers, such as [0, 3] or np.flatnonzero(mask).
            states: a play or a state from `get_state` for each of these rows.

        Raises:
            SetupError: wrong row numbers or a wrong number of states; a state of another game, number of seats or other
                options, or that is over although `autoreset` is True; a state of `get_state` from a batch with another
                reward, learner's seat or other opponents with a memory; an observation; the batch has been closed, or
                another call is using it. No play has changed.
            BotFailure: an opponent failed before the learner's first turn, as in `step`.
        """
        self._enter()
        try:
            chosen = self._row_numbers(rows)
            unpacked = self._reader.unpack(states, self._memories.shape[1:])
            if len(unpacked.positions) != len(chosen):
                raise SetupError(
                    f"{pluralize(len(unpacked.positions), 'state')} cannot be set in {pluralize(len(chosen), 'row')}: "
                    "give one for each row."
                )
            resumed, begun = chosen[unpacked.resumes], chosen[~unpacked.resumes]
            records = self._on_host(self._arrays.rows)
            unpacked.rows["episode"] = records["episode"][resumed] + 1
            unpacked.memories[..., 0] *= unpacked.rows["episode"][:, None]
            records["seed"][begun] = unpacked.seeds[~unpacked.resumes]
            as_raw(records)[resumed] = as_raw(unpacked.rows)
            self._memories[resumed] = unpacked.memories
            positions = self._on_host(self._arrays.states)
            as_raw(positions)[chosen] = as_raw(unpacked.positions)
            self._stage(records, self._arrays.rows)
            self._stage(positions, self._arrays.states)
            for op, some in ((RESUME, resumed), (BEGIN, begun)):  # only the second asks opponents, who may fail
                if len(some):
                    self._select(np.isin(np.arange(self.n), some))
                    self._advance(op)
        finally:
            self._in_use.release()

    def clone(self) -> Self:
        """Return an independent batch that continues equally under the same actions. `copy.deepcopy` does the same.

        Opponents that are objects are copied, and programs are started again. Raise SetupError if the batch has been
        closed, or another call is using it.
        """
        self._enter()
        try:
            return copy.deepcopy(self)
        finally:
            self._in_use.release()

    def _row_numbers(self, rows: Any) -> npt.NDArray[np.int64]:
        return row_numbers(rows, self.n, repr(self))

    def _on_host(self, array: Any) -> Any:
        return array

    # --- copies and threads -----------------------------------------------------------------------

    def _restart_episodes(self) -> None:
        self._arrays.rows["episode"] = 0
        self._memories[...] = 0

    def __getstate__(self) -> tuple[Any, ...]:
        return self.game, self._settings, self._config, self._saved_arrays()

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self.game, self._settings, config, arrays = state
        self._make()
        self._config[...] = config
        for array, saved in zip(self._saved_arrays(), arrays, strict=True):
            self._stage(saved, array)

    def _saved_arrays(self) -> tuple[Any, ...]:
        """Return the arrays that hold the plays, without `parts`, which shares the memory of `observations`."""
        return *self._arrays[:-1], self._memories

    def close(self) -> None:
        """Stop the threads, and close opponents that were made from specs. Raise SetupError while another call runs."""
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

    def _advance(self, op: int) -> None:
        self._run_loop(op)
        if self._leaves_loop:
            # In other rows, an opponent that is awaited has failed before: do not ask it again.
            awaits, selected = self._arrays.rows["awaits_opponent"], self._arrays.selected
            while len(rows := (awaits & selected).nonzero()[0]):
                if self._batch_runner:
                    self._run_batch_bots(self._batch_runner, rows)
                if self._thread_runners:
                    self._run_thread_bots(deque(rows.tolist()))
                if self._shared_runner:
                    for row in filter(self._shared_runner.is_mine, rows.tolist()):
                        self._shared_runner.act(row)

    def _run_loop(self, op: int) -> None:
        if self._pool is None:
            self._step_rows(op, *self._loop_args[0])
        else:
            self._run_all([partial(self._step_rows, op, *part) for part in self._loop_args])

    def _run_batch_bots(self, runner: BatchRunner, rows: npt.NDArray[np.int64]) -> None:
        """Let the opponents with `choose_batch` choose in these rows, and step the rows for which they have chosen."""
        chosen, selected = runner.choose(rows), self._arrays.selected
        before = selected.copy()
        try:
            selected[:] = False
            selected[chosen] = True
            self._run_loop(OPPONENT_STEP)
        finally:
            selected[:] = before

    def _run_thread_bots(self, left: deque[int]) -> None:
        """Let the opponents with a bot in each thread act in these rows. A free thread takes the next row."""
        try:
            if self._pool is None or len(left) < MIN_ROWS_FOR_THREADS:
                self._thread_runners[0].run(left)
            else:
                self._run_all([partial(runner.run, left) for runner in self._thread_runners])
        finally:
            left.clear()  # if a thread has failed, the others need not continue

    def _run_all(self, work: list[Callable[[], Any]]) -> None:
        """Run each call in a thread, and wait for all calls. If a call fails, stop the others and raise the error."""
        assert self._pool
        self._pending = [self._pool.submit(part) for part in work]
        try:
            results_of(self._pending)
        except BaseException:  # Ctrl-C, or an opponent that has failed
            self._pool.stop_tasks()
            raise

    # --- refusals ---------------------------------------------------------------------------------

    def _enter(self) -> None:
        """Lock the batch.

        Raise SetupError if the batch has been closed, or if another call or the threads of an interrupted call use it.
        Machine code releases Python's lock, so two threads would overwrite each other's data.
        """
        if self._closed:
            raise SetupError(f"{self!r} has been closed: make another one.")
        if not self._in_use.acquire(blocking=False):
            raise busy(self)
        if not all(future.done() for future in self._pending):
            self._in_use.release()
            raise SetupError(f"{self!r} was interrupted, and its threads are still at work: try again in a moment.")

    def _check_none_awaits(self) -> None:
        awaits = self._arrays.rows["awaits_opponent"] & self._arrays.selected
        if awaits.any():
            raise IllegalAction(self._waiting_complaint(int(awaits.argmax())))

    def _waiting_complaint(self, row: int) -> str:
        return f"{self._label(row)} still waits for an opponent that failed: reset the batch."

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
