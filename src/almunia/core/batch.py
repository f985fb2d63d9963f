"""Batch: many plays of a game at a time, for learners. One call does an action in each of them."""

import weakref
from collections.abc import Mapping
from contextlib import suppress
from functools import partial
from itertools import pairwise
from math import isfinite
from numbers import Real
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import BotFailure, IllegalAction, SetupError, one_of
from . import batching
from .arguments import checked_number, checked_seed, is_whole
from .batching import ALL_LEGAL, ANSWER, DEAL, MOVE
from .buffers import TERMS, blank_games, blank_work
from .direct import direct
from .layout import copied
from .play import Observation, Play, number_of
from .rewards import KINDS, checked_reward
from .rivals import Opponents, checked_seat
from .threads import Crew, checked_threads, first_done
from .words import count_of
from .workspaces import lent

if TYPE_CHECKING:
    import numpy.typing as npt

    from .game import Game

OFFERS = ("masks", "bits", "lists")
ILLEGAL = {"error": batching.ERROR, "penalty": batching.PENALTY, "random": batching.RANDOM}
MOST_GAMES = 2**24
SHOWN = 3  # legal actions in the message on one that is not


def check_ways(offers: str, illegal: str, penalty: Any) -> None:
    """SetupError for what is none of the ways to write legal actions, or to deal with others."""
    if offers not in OFFERS:
        raise SetupError(f"Legal actions cannot be written as {offers!r}. There are: {one_of(OFFERS, str(offers))}")
    if illegal not in tuple(ILLEGAL):  # which takes what has no hash, too
        ways = one_of(ILLEGAL, str(illegal))
        raise SetupError(f"There is no way {illegal!r} for illegal actions. There are: {ways}")
    if not isinstance(penalty, Real) or not isfinite(penalty):
        raise SetupError(f"A penalty is a finite number such as -1, not {penalty!r}.")


def as_array(actions: Any) -> "npt.NDArray[Any]":
    """What was given as actions; of rows of several lengths an array of objects, which is refused like any other."""
    try:
        return np.asarray(actions)
    except ValueError:
        return np.array([*actions, None], object)[:-1]


class Batch:
    """Many plays of a game, stepped together. Make one with `game.batch(...)`.

    Its arrays are made once, and written anew by each call of `step` and `reset`: copy what has to last, and write
    nothing into them. All have a row for each game. NumPy arrays know DLPack, so `torch.from_dlpack(batch.masks)`
    shares the memory. What a row holds depends on the seed and its actions alone, not on other rows or on `threads`.
    One thread may use a batch at a time.
    """

    def __init__(self, **terms: Any) -> None:
        self._made_of = terms
        self._make(**terms)
        self.reset()

    def _make(
        self,
        *,
        game: "Game",
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
        own = checked_seat(seat, self.seats, opponents)
        self._opponents = None if opponents is None else Opponents(game, self.seats, opponents)
        self._asks = self._opponents is not None and self._opponents.in_python
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
        self._offers, self._closed = offers, False
        self._set_up(checked_threads(threads))

    def _set_up(self, threads: int) -> None:
        """Get ready what steps the games, now that everything else is there."""
        self._loops = self.game.kernel(batching)
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
        self._crew = Crew(threads) if threads > 1 else None
        if self._crew:
            weakref.finalize(self, self._crew.__exit__)

    def _scratch(self) -> tuple[Any, Any]:
        """What one thread writes on, and its opponents."""
        rivals = None if self._opponents is None else lent(self.game, self._opponents.lent())
        return lent(self.game, blank_work(self.game, self._terms, self._blank)), rivals

    # --- what there is to see ---------------------------------------------------------------------

    @property
    def observations(self) -> "npt.NDArray[np.float32]":
        """What the seat in `turns` sees, float32 (n, game.tensor_size): the parts of `observe.TENSOR` in a row."""
        return self._kept("observations", self._games.observations[: self.n], "observe=True")

    @property
    def final_observations(self) -> "npt.NDArray[np.float32]":
        """Where `done`, what was seen last of the game that has ended, float32 (n, game.tensor_size)."""
        return self._kept("final observations", self._games.observations[self.n :], "finals=True")

    @property
    def masks(self) -> "npt.NDArray[np.bool_]":
        """Which actions are legal, bool (n, game.rules.ACTIONS)."""
        return self._marks("masks").view(np.bool_)

    @property
    def bits(self) -> "npt.NDArray[np.uint8]":
        """The same in an eighth of the memory, uint8 (n, ceil(ACTIONS / 8)): np.unpackbits with bitorder="little"."""
        return self._marks("bits")

    def _marks(self, offers: str) -> Any:
        return self._kept(offers, self._games.marks if self._offers == offers else None, f"offers={offers!r}")

    def _kept(self, what: str, array: Any, how: str) -> Any:
        if array is None or not array.size:
            raise SetupError(f"This batch writes no {what}; make it with {how}.")
        return array

    @property
    def lists(self) -> "npt.NDArray[np.int32]":
        """The legal actions, ascending, int32 (n, game.rules.ACTIONS): the first `counts[i]` of row i."""
        return self._games.lists

    @property
    def counts(self) -> "npt.NDArray[np.int64]":
        """How many actions are legal, int64 (n,); 0 where a game is over and no other has begun."""
        return self._games.counts

    @property
    def turns(self) -> "npt.NDArray[np.int8]":
        """The seat that is asked, and sees the observation, int8 (n,)."""
        return self._games.turns

    @property
    def own(self) -> "npt.NDArray[np.int8]":
        """The learner's seat, int8 (n,); -1 if it has them all. Where a game has ended, it is that of the next."""
        return self._games.slots["own"]

    @property
    def rewards(self) -> "npt.NDArray[np.float32]":
        """What the last step brought each seat, float32 (n, seats), as `reward` says."""
        return self._games.rewards

    @property
    def done(self) -> "npt.NDArray[np.bool_]":
        """Whether the last step ended a game, bool (n,); with `autoreset`, all else is of the next game then."""
        return self._games.done

    @property
    def seeds(self) -> "npt.NDArray[np.int64]":
        """The seeds of the deals, int64 (n,): `game.new(seats, seeds[i])` deals the same. They tell all secrets."""
        return self._games.slots["seed"]

    @property
    def bot_seeds(self) -> "npt.NDArray[np.int64]":
        """The seeds of the opponents within the loop, int64 (n,)."""
        return self._games.slots["bot_seed"]

    def play(self, row: int) -> Play:
        """A copy of one of the plays, with everything that is hidden in it."""
        return Play(self.game, self._copied(row))

    def observe(self, row: int) -> Observation:
        """What the seat in `turns` knows of one of the plays."""
        return Observation(self.game, self._copied(row), int(self.turns[row]))

    def _copied(self, row: int) -> Any:
        if not is_whole(row) or not 0 <= row < self.n:
            raise SetupError(f"{self!r} has games 0 to {self.n - 1}, not {row!r}.")
        return copied(self._games.states[row : row + 1])

    def sample(self, rng: np.random.Generator) -> "npt.NDArray[np.int32]":
        """A legal action for each game, evenly drawn, int32 (n,); where none is legal it is of no use."""
        if not isinstance(rng, np.random.Generator | np.random.RandomState):
            raise SetupError(f"Random actions take a generator such as np.random.default_rng(0), not {rng!r}.")
        lots, chosen = rng.random(self.n), np.empty(self.n, np.int32)
        self._pick(self.game.lend(lots), self._lent.counts, self._lent.lists, self.game.lend(chosen))
        return chosen

    # --- stepping ---------------------------------------------------------------------------------

    def step(self, actions: "npt.ArrayLike") -> None:
        """Do an action in each game, and let the opponents play until the learner is asked again.

        Args:
            actions: whole numbers, of shape (n,).

        Raises:
            IllegalAction: another shape or type; an action that is not legal, where that is an error; a game that is
                over. Nothing has changed then.
            BotFailure: an opponent chose what it may not. The batch has to be reset.
            SetupError: the batch has been closed.
        """
        self._check_open()
        given = self._array(actions)
        if given.shape != (self.n,) or given.dtype.kind not in "iu":
            raise IllegalAction(
                f"{self!r} takes {count_of(self.n, 'whole number')}, an array of shape ({self.n},), "
                f"not {given.dtype} of shape {given.shape}."
            )
        self._keep(given)
        if self._asks:
            self._check_none_waits()
        row = self._first_refused()
        if row != ALL_LEGAL:
            raise IllegalAction(self._complaint(row))
        self._advance(MOVE)

    def _array(self, given: Any) -> Any:
        """What is given for each row, as an array."""
        return as_array(given)

    def _keep(self, given: Any) -> None:
        """Keep what is given for each row until it is done."""
        self._given[:] = given

    def _first_refused(self) -> int:
        """The first row in which what is given cannot be done, or ALL_LEGAL."""
        return int(self._find_refused())

    def reset(self, seed: int | None = None, where: "npt.ArrayLike | None" = None) -> None:
        """Begin the next games.

        Args:
            seed: start over with this seed; go on with the present one if not given.
            where: the games that are to end, bool (n,); all if not given.

        Raises:
            SetupError: no seed, another shape or type, or both at once; the batch has been closed.
        """
        self._check_open()
        rows = np.ones(self.n, np.bool_) if where is None else self._array(where)
        if rows.shape != (self.n,) or rows.dtype != np.bool_:
            raise SetupError(
                f"`where` is an array of True and False of shape ({self.n},), not {rows.dtype} of shape {rows.shape}."
            )
        if seed is not None:
            if where is not None:
                raise SetupError("A seed begins all games anew: leave out `where`, or the seed.")
            self._terms["seed"] = checked_seed(seed)
            self._start_over()
        self._keep(rows)
        self._advance(DEAL)

    def _start_over(self) -> None:
        """Forget how many games have been dealt, now that there is another seed."""
        self._games.slots["dealt"] = 0

    def __getstate__(self) -> tuple[Any, ...]:
        """A batch travels as what it was made of and what is in its arrays, in pickles and in deep copies."""
        return self._made_of, self._terms, self._games

    def __setstate__(self, state: tuple[Any, ...]) -> None:
        self._made_of, terms, games = state
        self._make(**self._made_of)
        for own, array in zip((self._terms, *self._games), (terms, *games), strict=True):
            own[...] = array

    def close(self) -> None:
        """End the threads, if there are several, and with them the batch; one that nobody holds does so by itself."""
        self._closed = True
        if self._crew:
            self._crew.__exit__()

    def _advance(self, how: int) -> None:
        """Have each thread do its rows, and then ask the opponents that play in Python."""
        if self._crew is None:
            self._advance_rows(how, *self._parts[0])
        else:
            left = {self._crew.submit(self._advance_rows, how, *part) for part in self._parts}
            while left:
                finished, left = first_done(left)
                for future in finished:
                    future.result()
        if self._asks:
            while len(rows := self._games.slots["waiting"].nonzero()[0]):
                for row in rows.tolist():
                    self._ask(row)

    def _ask(self, row: int) -> None:
        """Have an opponent that plays in Python choose."""
        array = self._copied(row)
        seat = int(array["turn"][0])
        observation = Observation(self.game, array, seat)
        assert self._opponents
        bot = self._opponents.given[(seat - int(self.own[row]) - 1) % self.seats]
        chosen = number_of(bot.choose(observation))
        if chosen not in observation.legal:
            raise BotFailure(f"{self._place(row)}: the opponent {bot!r} in seat {seat + 1} may not choose {chosen}.")
        self._given[row] = chosen
        self._games.slots["waiting"][row] = 0
        self._advance_rows(ANSWER, row, row + 1, *self._parts[0][2:])

    # --- refusals ---------------------------------------------------------------------------------

    def _check_open(self) -> None:
        """SetupError if the batch has been closed."""
        if self._closed:
            raise SetupError(f"{self!r} has been closed: make another one.")

    def _check_none_waits(self) -> None:
        """IllegalAction if a game can go on only after a reset."""
        if self._games.slots["waiting"].any():
            row = int(self._games.slots["waiting"].argmax())
            raise IllegalAction(f"{self._place(row)} still waits for an opponent that failed: reset the batch.")

    def _place(self, row: int) -> str:
        title = self.game.meta.title
        return f"{title}, game {row} of the batch" if self.n > 1 else title

    def _complaint(self, row: int) -> str:
        if not self.counts[row]:
            return f"{self._place(row)} is over: begin the next with reset(where=batch.done)."
        play, action = self.play(row), int(self._given[row])
        words = f"{action}"
        with suppress(Exception):  # an invalid action may have no words, and fail in any way
            words = f"{action} ({play.say(action)})"
        legal = [f"{code} ({play.say(code)})" for code in play.legal[:SHOWN]]
        return (
            f"{self._place(row)}: seat {play.turn + 1} may not choose {words}. "
            f"It has {count_of(len(play.legal), 'legal action')}, such as {', '.join(legal)}."
        )

    def __repr__(self) -> str:
        games, seats = count_of(self.n, "game"), count_of(self.seats, "seat")
        return f"<Batch of {games} of {self.game.name}, {seats}>"
