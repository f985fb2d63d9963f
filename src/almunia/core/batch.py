"""Batch: many plays of a game at a time, for learners. One call does an action in each of them."""

import weakref
from collections.abc import Mapping
from contextlib import suppress
from itertools import pairwise
from typing import TYPE_CHECKING, Any, Literal

import numpy as np

from ..errors import BotFailure, IllegalAction, SetupError, one_of
from . import batching
from .arguments import checked_number, checked_seed
from .batching import ALL_LEGAL, ANSWER, BYTE, DEAL, MOVE, Games, Terms, Work
from .layout import copied, f8, i1, i8, struct
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


class Batch:
    """Many plays of a game, stepped together. Make one with `game.batch(...)`.

    Its arrays are made once, and written anew by each call of `step` and `reset`: copy what has to last, and write
    nothing into them. All have a row for each game. NumPy arrays know DLPack, so `torch.from_dlpack(batch.masks)`
    shares the memory. What a row holds depends on the seed and its actions alone, not on other rows or on `threads`.
    One thread may use a batch at a time.
    """

    def __init__(
        self,
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
        self.game, self.n, self.seats = game, checked_number("games", n, 1, MOST_GAMES), game.checked_seats(seats)
        self.reward = checked_reward(reward, self.seats)
        if offers not in OFFERS:
            raise SetupError(f"Legal actions cannot be written as {offers!r}. There are: {one_of(OFFERS, str(offers))}")
        if illegal not in ILLEGAL:
            ways = one_of(ILLEGAL, str(illegal))
            raise SetupError(f"There is no way {illegal!r} for illegal actions. There are: {ways}")
        own = checked_seat(seat, self.seats, opponents)
        self._opponents = None if opponents is None else Opponents(game, self.seats, opponents)
        self._terms = Terms(
            seed=checked_seed(seed),
            seats=self.seats,
            reward=KINDS[self.reward],
            illegal=ILLEGAL[illegal],
            penalty=float(penalty),
            goes_on=bool(autoreset),
            drawn=own == "random",
        )
        self._blank = game.blank(options)
        self._games = blank_games(game, self.n, self.seats, offers, observe, finals)
        self._slots = self._games.slots
        self._slots["own"] = 0 if own == "random" else own
        self._given = np.zeros(self.n, np.int64)
        self._loops = game.kernel(batching)
        self._lent, self._lent_given = lent(game, self._games), game.lend(self._given)
        self._share_out(min(checked_threads(threads), self.n))
        self.reset()

    def _share_out(self, threads: int) -> None:
        """Give each thread its rows, and something to write on."""
        ends = [self.n * part // threads for part in range(threads + 1)]
        self._parts = [
            (start, stop, lent(self.game, blank_work(self.game, self.seats, self._blank)), self._lent_rivals())
            for start, stop in pairwise(ends)
        ]
        self._crew = Crew(threads) if threads > 1 else None
        if self._crew:
            weakref.finalize(self, self._crew.__exit__)

    def _lent_rivals(self) -> Any:
        return None if self._opponents is None else lent(self.game, self._opponents.lent())

    # --- what there is to see ---------------------------------------------------------------------

    @property
    def observations(self) -> "npt.NDArray[np.float32]":
        """What the seat in `turns` sees, float32 (n, game.tensor_size): the parts of `observe.TENSOR` in a row."""
        return self._kept(self._games.observations, "observations", "observe=True")

    @property
    def final_observations(self) -> "npt.NDArray[np.float32]":
        """Where `done`, what was seen last of the game that has ended, float32 (n, game.tensor_size)."""
        return self._kept(self._games.finals, "final observations", "finals=True")

    @property
    def masks(self) -> "npt.NDArray[np.bool_]":
        """Which actions are legal, bool (n, game.rules.ACTIONS)."""
        return self._kept(self._games.masks, "masks", "offers='masks'")

    @property
    def bits(self) -> "npt.NDArray[np.uint8]":
        """The same in an eighth of the memory, uint8 (n, ceil(ACTIONS / 8)): np.unpackbits with bitorder="little"."""
        return self._kept(self._games.bits, "bits", "offers='bits'")

    def _kept(self, array: Any, what: str, how: str) -> Any:
        if not array.shape[1]:
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
        return self._slots["own"]

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
        return self._slots["seed"]

    @property
    def bot_seeds(self) -> "npt.NDArray[np.int64]":
        """The seeds of the opponents within the loop, int64 (n,)."""
        return self._slots["bot_seed"]

    def play(self, row: int) -> Play:
        """A copy of one of the plays, with everything that is hidden in it."""
        return Play(self.game, self._copied(row))

    def observe(self, row: int) -> Observation:
        """What the seat in `turns` knows of one of the plays."""
        array = self._copied(row)
        return Observation(self.game, array, int(self.turns[row]))

    def _copied(self, row: int) -> Any:
        return copied(self._games.states[row : row + 1])

    def sample(self, rng: np.random.Generator) -> "npt.NDArray[np.int32]":
        """A legal action for each game, evenly drawn, int32 (n,); where none is legal it is of no use."""
        return self.lists[np.arange(self.n), (rng.random(self.n) * self.counts).astype(np.int64)]

    # --- stepping ---------------------------------------------------------------------------------

    def step(self, actions: "npt.ArrayLike") -> None:
        """Do an action in each game, and let the opponents play until the learner is asked again.

        Args:
            actions: whole numbers, of shape (n,).

        Raises:
            IllegalAction: another shape or type; an action that is not legal, where that is an error; a game that is
                over. Nothing has changed then.
            BotFailure: an opponent chose what it may not. The batch has to be reset.
        """
        given = np.asarray(actions)
        if given.shape != (self.n,) or given.dtype.kind not in "iu":
            raise IllegalAction(
                f"{self!r} takes {count_of(self.n, 'whole number')}, an array of shape ({self.n},), "
                f"not {given.dtype} of shape {given.shape}."
            )
        self._check_running()
        self._given[:] = given
        if self._terms.illegal == batching.ERROR:
            row = self._loops.first_illegal(self._lent_given, self._lent.counts, self._lent.lists)
            if row != ALL_LEGAL:
                raise IllegalAction(self._complaint(int(row)))
        self._advance(MOVE)

    def reset(self, seed: int | None = None, where: "npt.ArrayLike | None" = None) -> None:
        """Begin the next games.

        Args:
            seed: start over with this seed; go on with the present one if not given.
            where: the games that are to end, bool (n,); all if not given.

        Raises:
            SetupError: no seed, another shape or type, or both at once.
        """
        rows = np.ones(self.n, np.bool_) if where is None else np.asarray(where)
        if rows.shape != (self.n,) or rows.dtype != np.bool_:
            raise SetupError(
                f"`where` is an array of True and False of shape ({self.n},), not {rows.dtype} of shape {rows.shape}."
            )
        if seed is not None:
            if where is not None:
                raise SetupError("A seed begins all games anew: leave out `where`, or the seed.")
            self._terms = self._terms._replace(seed=checked_seed(seed))
            self._slots["dealt"] = 0
        self._given[:] = rows
        self._advance(DEAL)

    def close(self) -> None:
        """End the threads, if there are several; a batch that nobody holds any more does so by itself."""
        if self._crew:
            self._crew.__exit__()

    def _advance(self, how: int) -> None:
        """Have each thread do its rows, and then ask the opponents that play in Python."""
        calls = [self._call(how, *part) for part in self._parts]
        if self._crew is None:
            self._loops.advance(*calls[0])
        else:
            left = {self._crew.submit(self._loops.advance, *call) for call in calls}
            while left:
                finished, left = first_done(left)
                for future in finished:
                    future.result()
        if self._opponents and self._opponents.in_python:
            while len(rows := self._slots["waiting"].nonzero()[0]):
                for row in rows.tolist():
                    self._ask(row)

    def _call(self, how: int, start: int, stop: int, work: Any, rivals: Any) -> tuple[Any, ...]:
        """What the loop is called with: nothing that holds the batch, which a thread would keep alive."""
        return how, start, stop, self._lent_given, self._lent, work, self._terms, rivals

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
        self._slots["waiting"][row] = 0
        _, _, work, rivals = self._parts[0]
        self._loops.advance(*self._call(ANSWER, row, row + 1, work, rivals))

    # --- refusals ---------------------------------------------------------------------------------

    def _check_running(self) -> None:
        """IllegalAction if a game can go on only after a reset."""
        if not self._terms.goes_on and self.done.any():
            row = int(self.done.argmax())
            raise IllegalAction(f"{self._place(row)} is over: begin the next with reset(where=batch.done).")
        if self._opponents and self._opponents.in_python and self._slots["waiting"].any():
            row = int(self._slots["waiting"].argmax())
            raise IllegalAction(f"{self._place(row)} still waits for an opponent that failed: reset the batch.")

    def _place(self, row: int) -> str:
        title = self.game.meta.title
        return f"{title}, game {row} of the batch" if self.n > 1 else title

    def _complaint(self, row: int) -> str:
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


def slots(game: "Game") -> np.dtype:
    """What is kept of each game of a batch beside its state. Its fields by seat have room for the most there can be."""
    most = game.meta.seats[1]
    return struct(
        seed=i8,  # of the deal
        bot_seed=i8,  # of the rivals
        rng=(i8, 4),  # the random numbers of the rivals
        dealt=i8,  # how many games have begun here
        own=i1,  # the learner's seat, or NONE if it has them all
        waiting=i1,  # is a rival to be asked in Python?
        done=i1,  # did the last step end a game?
        decided=(i1, most),  # has the learner decided anything for this seat?
        paid=(f8, most),  # the worth that has been given as rewards
        rewards=(f8, most),  # those of the last step
    )


def blank_games(game: "Game", n: int, seats: int, offers: str, observe: bool, finals: bool) -> Games:
    """Rows for so many games, with nothing in them yet."""
    actions = game.rules.ACTIONS
    observations, last = blank_observations(game, n, observe), blank_observations(game, n, finals)
    return Games(
        states=np.zeros(n, game.rules.STATE),
        slots=np.zeros(n, slots(game)),
        turns=np.zeros(n, np.int8),
        done=np.zeros(n, np.bool_),
        rewards=np.zeros((n, seats), np.float32),
        counts=np.zeros(n, np.int64),
        lists=np.zeros((n, actions), np.int32),
        masks=np.zeros((n, actions if offers == "masks" else 0), np.bool_),
        bits=np.zeros((n, -(-actions // BYTE) if offers == "bits" else 0), np.uint8),
        observations=observations,
        parts=parts_of(game, observations),
        finals=last,
        final_parts=parts_of(game, last),
    )


def blank_observations(game: "Game", n: int, wanted: bool) -> "npt.NDArray[np.float32]":
    """Room for an observation in each row, if they are wanted."""
    return np.zeros((n, game.tensor_size if wanted else 0), np.float32)


def parts_of(game: "Game", observations: "npt.NDArray[np.float32]") -> Any:
    """The same memory as records of the parts of an observation."""
    return observations.view(game.tensor_parts)[:, 0] if observations.size else np.zeros(0, game.tensor_parts)


def blank_work(game: "Game", seats: int, blank: Any) -> Work:
    """What a thread writes on."""
    return Work(
        blank=blank,
        seen=np.zeros(1, game.rules.STATE),
        table=np.zeros((seats, len(game.rules.SCORES)), np.int64),
        ranks=np.zeros(seats, np.int8),
    )
