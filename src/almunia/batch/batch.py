"""Batch: many plays of a game at a time, for learners. One call does an action in each of them."""

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

from ..core.english import count_of
from ..core.kernels import batch_step
from ..core.kernels.batch_step import ALL_LEGAL, DEAL, MOVE
from ..core.loaded import LoadedGame
from ..core.workspaces import direct, lent
from ..engine.pool import WorkerPool, checked_threads, results_of
from ..engine.state_dtype import copied
from ..errors import IllegalAction, SetupError, busy, one_of
from ..play.play import Observation, Play
from ..validation import checked_flag, checked_number, checked_seed, is_moderate, is_name, is_whole
from .buffers import TERMS, blank_games, blank_work
from .opponents import Opponents, checked_seat
from .python_opponents import OpponentRunner, RowStepper, ThreadRunner, blank_memories, named
from .rewards import KINDS, checked_reward

OFFERS = ("masks", "bits", "lists")
ILLEGAL = {"error": batch_step.ERROR, "penalty": batch_step.PENALTY, "random": batch_step.RANDOM}
MOST_GAMES = 2**24
MANY = 2  # rows that are shared out among threads
SHOWN = 3  # legal actions in the message on one that is not


def check_ways(offers: str, illegal: str, penalty: Any) -> None:
    """SetupError for what is none of the ways to write legal actions, or to deal with others."""
    if not is_name(offers, OFFERS):
        raise SetupError(f"Legal actions cannot be written as {offers!r}. There are: {one_of(OFFERS, str(offers))}")
    if not is_name(illegal, ILLEGAL):
        ways = one_of(ILLEGAL, str(illegal))
        raise SetupError(f"There is no way {illegal!r} for illegal actions. There are: {ways}")
    if not is_moderate(penalty):
        raise SetupError(f"A penalty is a number from -2**40 to 2**40, such as -1, not {penalty!r}.")


def check_flags(**flags: Any) -> None:
    """SetupError for what is neither True nor False, and for final observations that nobody would write."""
    observe, autoreset, finals = (checked_flag(name, flags[name]) for name in ("observe", "autoreset", "finals"))
    if finals and not (observe and autoreset):
        raise SetupError(
            "With finals=True it is written what was seen last of a game where the next one follows: "
            "leave out observe=False and autoreset=False, or finals=True."
        )


def as_array(actions: Any) -> npt.NDArray[Any]:
    """What was given as actions; what makes no array of numbers is one of objects, which is refused like any other.

    Such are rows of several lengths, entries of a masked array that are masked, and tensors that NumPy cannot read.
    """
    if type(actions) is not np.ndarray and np.ma.is_masked(actions):
        return actions.astype(object).filled(None)
    try:
        return np.asarray(actions)
    except ValueError:
        return np.array([*actions, None], object)[:-1]
    except (TypeError, RuntimeError):
        return np.array(None, object)


def stretches(rows: npt.NDArray[np.bool_]) -> list[tuple[int, int]]:
    """Where an array is True: the first place of each stretch, and the one after the last."""
    edges = np.flatnonzero(np.diff(rows, prepend=False, append=False)).tolist()
    return list(zip(edges[::2], edges[1::2], strict=True))


def within(runs: list[tuple[int, int]], part: tuple[Any, ...]) -> list[tuple[Any, ...]]:
    """What a thread does of its part, in these stretches of rows alone."""
    start, stop, *rest = part
    cut = [(max(start, first), min(stop, last)) for first, last in runs]
    return [(first, last, *rest) for first, last in cut if first < last]


def one_by_one(advance: Callable[..., Any], how: int, parts: list[tuple[Any, ...]]) -> None:
    """Do in one thread what is its own, in one stretch after the other: they share what it writes on."""
    for part in parts:
        advance(how, *part)


class Batch:
    """Many plays of a game, stepped together. Make one with `game.batch(...)`.

    Its arrays are made once, and written anew by each call of `step` and `reset`: copy what has to last, and write
    nothing into them. All have a row for each game. NumPy arrays know DLPack, so `torch.from_dlpack(batch.masks)`
    and `jax.dlpack.from_dlpack(batch.masks)` share the memory; `own`, `seeds` and `bot_seeds` have gaps between their
    rows, which JAX does not take. What a row holds depends on the seed and its actions alone, not on other rows or on
    `threads`. One thread may use a batch at a time.
    """

    def __init__(self, **terms: Any) -> None:
        self._made_of = terms
        self._make(**terms)
        self.reset()

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
        offers: str,
        observe: bool,
        illegal: str,
        penalty: float,
        autoreset: bool,
        finals: bool,
        options: Mapping[str, Any],
    ) -> None:
        """Make everything but the deals; `Game.batch` says what the terms are."""
        self.game, self.n, self.seats = game, checked_number("games", n, 1, MOST_GAMES), game.checked_seats(seats)
        self.reward = checked_reward(reward, self.seats)
        check_ways(offers, illegal, penalty)
        check_flags(observe=observe, autoreset=autoreset, finals=finals)
        own = checked_seat(seat, self.seats, opponents)
        self._opponents = None if opponents is None else Opponents(game, self.seats, opponents)
        self._asks = self._opponents is not None and self._opponents.outside
        self._terms = np.zeros(1, TERMS)
        self._terms["seed"], self._terms["seats"] = checked_seed(seed), self.seats
        self._terms["reward"], self._terms["illegal"] = KINDS[self.reward], ILLEGAL[illegal]
        self._terms["penalty"], self._terms["goes_on"] = float(penalty), bool(autoreset)
        self._terms["drawn"], self._terms["packed"] = own == "random", offers == "bits"
        self._refuses = ILLEGAL[illegal], bool(autoreset)
        self._blank = game.blank(options)
        try:
            self._games = blank_games(game, self.n, self.seats, offers, observe, finals)
        except MemoryError:
            raise SetupError(f"{self!r} does not fit into the memory of this machine: take fewer games.") from None
        self._games.slots["own"] = 0 if own == "random" else own
        self._given: Any = np.zeros(self.n, np.int64)
        self._offers, self._closed, self._in_use = offers, False, Lock()
        self._left = list[Future[Any]]()  # what threads are at, and nobody waits for if something has failed
        self._set_up(checked_threads(threads))

    def _set_up(self, threads: int) -> None:
        """Get ready what steps the games, now that everything else is there."""
        self._loops = self.game.kernel(batch_step)
        self._lent, self._lent_given = lent(self.game, self._games), self.game.lend(self._given)
        refusing = *self._refuses, self._lent_given, self._lent.counts, self._lent.lists
        self._find_refused = partial(direct(self._loops.first_refused, *refusing), *refusing)
        lots, chosen = self.game.lend(np.zeros(self.n)), self.game.lend(np.zeros(self.n, np.int32))
        self._pick = direct(self._loops.pick, lots, self._lent.counts, self._lent.lists, chosen)
        self._share_out(min(threads, self.n))

    def _share_out(self, threads: int) -> None:
        """Give each thread its rows, and something to write on: nothing that holds the batch, and so keeps it alive."""
        ends = [self.n * part // threads for part in range(threads + 1)]
        self._parts = [(start, stop, self._lent_given, self._lent, *self._scratch()) for start, stop in pairwise(ends)]
        self._advance_rows = direct(self._loops.advance, MOVE, *self._parts[0])
        self._pool = WorkerPool(threads) if threads > 1 else None
        if self._pool:
            weakref.finalize(self, self._pool.stop)
        self._let_ask(self._opponents)

    def _let_ask(self, opponents: Opponents | None) -> None:
        """Get ready those who ask opponents outside the loop: one in the caller's thread, and one in each."""
        self._asker, self._thinking, self._memories = None, list[ThreadRunner](), blank_memories(0, [])
        if opponents is None:
            return
        weakref.finalize(self, opponents.close)
        hands = [RowStepper(self.game, self._games, self._given, self._advance_rows, part[2:]) for part in self._parts]
        self._asker = OpponentRunner(hands[0], opponents.given)
        if opponents.think:
            bots = [opponents.thinkers() for _ in hands]
            self._memories = blank_memories(self.n, bots[0])
            self._thinking = [ThreadRunner(hand, own, self._memories) for hand, own in zip(hands, bots, strict=True)]

    def _scratch(self) -> tuple[Any, Any]:
        """What one thread writes on, and its opponents."""
        rivals = None if self._opponents is None else lent(self.game, self._opponents.lent())
        return lent(self.game, blank_work(self.game, self._terms, self._blank)), rivals

    # --- what there is to see ---------------------------------------------------------------------

    @property
    def observations(self) -> npt.NDArray[np.float32]:
        """The observations of the seats in `turns`, float32 (n, game.tensor_size): `observe.TENSOR_SHAPES` in a row."""
        return self._kept("observations", self._games.observations[: self.n], "observe=True")

    @property
    def final_observations(self) -> npt.NDArray[np.float32]:
        """Where `done`, what was seen last of the game that has ended, float32 (n, game.tensor_size)."""
        return self._kept("final observations", self._games.observations[self.n :], "finals=True")

    @property
    def masks(self) -> npt.NDArray[np.bool_]:
        """Which actions are legal, bool (n, game.rules.ACTIONS); all where a game is over and no other has begun."""
        return self._marks("masks").view(np.bool_)

    @property
    def bits(self) -> npt.NDArray[np.uint8]:
        """The same in an eighth of the memory, uint8 (n, ceil(ACTIONS / 8)): np.unpackbits with bitorder="little"."""
        return self._marks("bits")

    def _marks(self, offers: str) -> Any:
        return self._kept(offers, self._games.marks if self._offers == offers else None, f"offers={offers!r}")

    def _kept(self, what: str, array: Any, how: str) -> Any:
        if array is None or not array.size:
            raise SetupError(f"This batch writes no {what}; make it with {how}.")
        return array

    @property
    def lists(self) -> npt.NDArray[np.int32]:
        """The legal actions, ascending, int32 (n, game.rules.ACTIONS): the first `counts[i]` of row i."""
        return self._games.lists

    @property
    def counts(self) -> npt.NDArray[np.int64]:
        """How many actions are legal, int64 (n,); 0 where a game is over and no other has begun."""
        return self._games.counts

    @property
    def turns(self) -> npt.NDArray[np.int8]:
        """The seat that is asked, and sees the observation, int8 (n,)."""
        return self._games.turns

    @property
    def own(self) -> npt.NDArray[np.int8]:
        """The learner's seat, int8 (n,); -1 if it has them all. Where a game has ended, it is that of the next."""
        return self._games.slots["own"]

    @property
    def rewards(self) -> npt.NDArray[np.float32]:
        """What the last step brought each seat, float32 (n, seats), as `reward` says."""
        return self._games.rewards

    @property
    def done(self) -> npt.NDArray[np.bool_]:
        """Whether the last step ended a game, bool (n,); with `autoreset`, all else is of the next game then."""
        return self._games.done

    @property
    def seeds(self) -> npt.NDArray[np.int64]:
        """The seeds of the deals, int64 (n,): `game.new(seats, seeds[i])` deals the same. They tell all secrets."""
        return self._games.slots["seed"]

    @property
    def bot_seeds(self) -> npt.NDArray[np.int64]:
        """The seeds of opponents by spec, int64 (n,)."""
        return self._games.slots["bot_seed"]

    def play(self, row: int) -> Play:
        """A copy of one of the plays, with everything that is hidden in it."""
        return Play(self.game, self._copied(self._checked(row)))

    def observe(self, row: int) -> Observation:
        """What the seat in `turns` knows of one of the plays."""
        return Observation(self.game, self._copied(self._checked(row)), int(self.turns[row]))

    def _copied(self, row: int) -> Any:
        return copied(self._games.states[row : row + 1])

    def _checked(self, row: int) -> int:
        """A row, if it is one."""
        if not is_whole(row) or not 0 <= row < self.n:
            raise SetupError(f"{self!r} has games 0 to {self.n - 1}, not {row!r}.")
        return int(row)

    def sample(self, rng: np.random.Generator) -> npt.NDArray[np.int32]:
        """A legal action for each game, evenly drawn, int32 (n,); where none is legal it is of no use."""
        lots, chosen = self._lots(rng), np.empty(self.n, np.int32)
        self._pick(self.game.lend(lots), self._lent.counts, self._lent.lists, self.game.lend(chosen))
        return chosen

    def _lots(self, rng: np.random.Generator) -> npt.NDArray[np.float64]:
        """A number from 0 to below 1 for each game."""
        if not isinstance(rng, np.random.Generator | np.random.RandomState):
            raise SetupError(f"Random actions take a generator such as np.random.default_rng(0), not {rng!r}.")
        return rng.random(self.n)

    # --- stepping ---------------------------------------------------------------------------------

    def step(self, actions: npt.ArrayLike, where: npt.ArrayLike | None = None) -> None:
        """Do an action in each game, and let the opponents play until the learner is asked again.

        Args:
            actions: whole numbers, of shape (n,).
            where: the games in which it is done, bool (n,); all if not given. The other rows stay as they are, with
                the rewards of their last step.

        Raises:
            IllegalAction: another shape or type; an action that is not legal, where that is an error; a game that is
                over. Nothing has changed then.
            BotFailure: an opponent chose what it may not. The batch has to be reset, or made anew if it was a program.
            SetupError: `where` of another shape or type; the batch has been closed, or another thread is using it.
        """
        self._enter()
        try:
            self._step(actions, None if where is None else self._runs(where))
        finally:
            self._in_use.release()

    def _runs(self, where: npt.ArrayLike) -> list[tuple[int, int]]:
        """The games named by an array, as stretches of rows: the first of each, and the one after the last."""
        return stretches(self._rows(where))

    def _step(self, actions: npt.ArrayLike, runs: list[tuple[int, int]] | None) -> None:
        """Check what is given, and do it."""
        given = self._array(actions)
        if given.shape != (self.n,) or given.dtype.kind not in "iu":
            raise IllegalAction(
                f"{self!r} takes {count_of(self.n, 'whole number')}, an array of shape ({self.n},), "
                f"not {given.dtype} of shape {given.shape}."
            )
        self._keep(given)
        if self._asks:
            self._check_none_waits()
        row = self._first_refused(runs)
        if row != ALL_LEGAL:
            raise IllegalAction(self._complaint(row))
        self._advance(MOVE, runs)

    def _array(self, given: Any) -> Any:
        """What is given for each row, as an array."""
        return as_array(given)

    def _keep(self, given: Any) -> None:
        """Keep what is given for each row until it is done."""
        self._given[:] = given

    def _first_refused(self, runs: list[tuple[int, int]] | None) -> int:
        """The first row in which what is given cannot be done, or ALL_LEGAL."""
        if runs is None:
            return int(self._find_refused())
        for start, stop in runs:
            offers = (array[start:stop] for array in (self._given, self._games.counts, self._games.lists))
            row = self._loops.first_refused(*self._refuses, *map(self.game.lend, offers))
            if row != ALL_LEGAL:
                return int(start + row)
        return ALL_LEGAL

    def reset(self, seed: int | None = None, where: npt.ArrayLike | None = None) -> None:
        """Begin the next games.

        Args:
            seed: start over with this seed; go on with the present one if not given.
            where: the games that are to end, bool (n,); all if not given.

        Raises:
            SetupError: no seed, another shape or type, or both at once; the batch has been closed, or another thread
                is using it.
        """
        self._enter()
        try:
            self._reset(seed, where)
        finally:
            self._in_use.release()

    def _reset(self, seed: int | None, where: npt.ArrayLike | None) -> None:
        """Check what is given, and deal."""
        rows = np.ones(self.n, np.bool_) if where is None else self._rows(where)
        if seed is not None:
            if where is not None:
                raise SetupError("A seed begins all games anew: leave out `where`, or the seed.")
            self._terms["seed"] = checked_seed(seed)
            self._start_over()
        self._keep(rows)
        self._advance(DEAL)

    def _rows(self, where: npt.ArrayLike) -> Any:
        """An array that says of each row whether it is meant; SetupError for another one."""
        rows = self._array(where)
        if rows.shape != (self.n,) or rows.dtype != np.bool_:
            raise SetupError(
                f"`where` is an array of True and False of shape ({self.n},), not {rows.dtype} of shape {rows.shape}."
            )
        return rows

    def _start_over(self) -> None:
        """Forget how many games have been dealt, now that there is another seed."""
        self._games.slots["dealt"] = 0
        self._memories[...] = 0

    def __getstate__(self) -> tuple[Any, ...]:
        """A batch travels as what it was made of and what is in its arrays, in pickles and in deep copies."""
        return self._made_of, self._terms, self._games, self._memories

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._made_of, terms, games, memories = state
        self._make(**self._made_of)
        for own, array in zip((self._terms, *self._games, self._memories), (terms, *games, memories), strict=True):
            own[...] = array

    def close(self) -> None:
        """End the threads, if there are several, and with them the batch; one that nobody holds does so by itself.

        SetupError while another thread is using it, which would wait for these threads for ever.
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

    def _advance(self, how: int, runs: list[tuple[int, int]] | None = None) -> None:
        """Have each thread do its rows, or those of them in some stretches, and then ask the opponents outside."""
        if self._pool is None:
            for part in self._parts if runs is None else within(runs, self._parts[0]):
                self._advance_rows(how, *part)
        else:
            parts = [[part] if runs is None else within(runs, part) for part in self._parts]
            self._together([partial(one_by_one, self._advance_rows, how, mine) for mine in parts if mine])
        if self._asker and self._asks:
            while rows := self._games.slots["waiting"].nonzero()[0].tolist():
                self._think(rows)
                for row in filter(self._asker.waits, rows):
                    self._asker.ask(row)

    def _think(self, rows: list[int]) -> None:
        """Let the opponents choose of which each thread has its own; whoever is free takes the next row."""
        left = deque(rows if self._thinking else ())
        try:
            if self._pool is None or len(left) < MANY:
                for thinking in self._thinking[:1]:
                    thinking.serve(left)
            else:
                self._together([partial(thinking.serve, left) for thinking in self._thinking])
        finally:
            left.clear()  # if one has failed, the others need not go on

    def _together(self, work: list[Callable[[], Any]]) -> None:
        """Run each part in a thread, and wait for all."""
        assert self._pool
        self._left = [self._pool.submit(part) for part in work]
        results_of(self._left)

    # --- refusals ---------------------------------------------------------------------------------

    def _enter(self) -> None:
        """Let nobody else in: machine code holds no lock, and two threads would write over each other's memory.

        SetupError if another thread is in already, or the batch has been closed.
        """
        if self._closed:
            raise SetupError(f"{self!r} has been closed: make another one.")
        if not self._in_use.acquire(blocking=False):
            raise busy(self)
        if not all(future.done() for future in self._left):
            self._in_use.release()
            raise SetupError(f"{self!r} was interrupted, and its threads are still at work: try again in a moment.")

    def _check_none_waits(self) -> None:
        """IllegalAction if a game can go on only after a reset."""
        if self._games.slots["waiting"].any():
            row = int(self._games.slots["waiting"].argmax())
            raise IllegalAction(f"{self._place(row)} still waits for an opponent that failed: reset the batch.")

    def _place(self, row: int) -> str:
        return named(self.game, row, self.n)

    def _complaint(self, row: int) -> str:
        if not self.counts[row]:
            return f"{self._place(row)} is over: begin the next with reset(where=batch.done)."
        play, action = self.play(row), int(self._given[row])
        words = f"{action}"
        with suppress(Exception):  # an invalid action may have no words, and fail in any way
            words = f"{action} ({play.action_to_string(action)})"
        legal = [f"{code} ({play.action_to_string(code)})" for code in play.legal_actions[:SHOWN]]
        return (
            f"{self._place(row)}: seat {play.turn + 1} may not choose {words}. "
            f"It has {count_of(len(play.legal_actions), 'legal action')}, such as {', '.join(legal)}."
        )

    def __repr__(self) -> str:
        games, seats = count_of(self.n, "game"), count_of(self.seats, "seat")
        return f"<Batch of {games} of {self.game.name}, {seats}>"
