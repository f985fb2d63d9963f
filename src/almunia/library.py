"""Games as programs use them: a class with the rules of one title in one build, and replays of records."""

from collections.abc import Mapping, Sequence
from functools import cache
from typing import TYPE_CHECKING, Any, Literal

from . import catalog
from .core.loaded import Build, LoadedGame
from .core.options import read_options
from .errors import AlmuniaError, IllegalAction, RecordError, SetupError
from .play.play import Play
from .play.record import Record
from .validation import check_int, check_one_of

if TYPE_CHECKING:
    from .batch.batch import Batch
    from .batch.states import RowState


class Game(LoadedGame):
    """The rules of one title in one build: compiled, or plain.

    Both builds give the same states to the byte. `almunia.game(name)` returns a game.
    """

    def __init__(self, name: str, build: Build = "compiled") -> None:
        super().__init__(name, catalog.package_of(name), catalog.meta(name), build)

    def __reduce__(self) -> tuple[Any, ...]:
        make = game if game(self.name, self.build) is self else Game
        return make, (self.name, self.build)

    def new(self, seats: int | None = None, seed: int | None = None, **options: Any) -> Play:
        """Start a play and return it.

        Args:
            seats: the number of seats; by default the fewest that the game allows.
            seed: integer from 0 to 2**63 - 1 that makes the play reproducible; by default random.
            options: the game's options by name.

        Raises:
            SetupError: a seat count, seed or option that the game does not take.
        """
        return self.start(seats, seed, read_options(self.meta.options, options, Game.new))

    def start(self, seats: int | None, seed: int | None, options: Mapping[str, Any]) -> Play:
        """Start a play like `new`, with the options as a mapping, and return the play."""
        return Play.start(self, seats, seed, options)

    def batch(
        self,
        n: int | None = None,
        seats: int | None = None,
        seed: int = 0,
        threads: int = 1,
        *,
        states: Sequence["Play | RowState"] | None = None,
        opponents: Any = None,
        seat: int | Literal["random"] | None = None,
        reward: str | None = None,
        legal_as: Literal["masks", "bits", "lists"] = "masks",
        observe: bool = True,
        illegal: Literal["error", "penalty", "random"] = "error",
        penalty: float = -1.0,
        autoreset: bool = True,
        final_observations: bool = False,
        device: Literal["cpu", "cuda"] = "cpu",
        **options: Any,
    ) -> "Batch":
        """Return a batch: many plays that are stepped together, for learners.

        Args:
            n: the number of plays at a time, up to 2**24; by default the number of `states`.
            seats: the number of players in each play; by default that of `states`, or the fewest that the game allows.
            seed: the seed of all deals and of opponents that are specs. Results depend on the seed and not on
                `threads`, except with programs, with budgets in seconds, and with objects other than `random` and
                `greedy` bots.
            threads: the number of threads that share the plays.
            states: plays, or states from `Batch.get_state`, from which the rows continue, as in `Batch.set_state`; by
                default all rows are dealt.
            opponents: a bot for all other seats, or a bot for each, in order from the seat after the learner's. Specs
                such as "random" and "greedy" choose in the compiled loop, and "turn" and "search:200" in all threads.
                An object with a method choose_batch(observations, masks, seats) is called in Python for all plays that
                wait for it (`BatchBot`), and one with a method choose(observation) for one play after the other. By
                default, the learner has all seats.
            seat: the learner's seat if there are opponents, by default 0; "random" draws it for each play.
            reward: a convention of `almunia.batch.rewards`: "rank", "win", "points" or "lead"; by default "rank" for
                several seats and "points" for one.
            legal_as: the format in addition to `legal_actions`: "masks", "bits", or "lists" for neither.
                For games with thousands of actions, masks take most of the time.
            observe: whether observations are written.
            illegal: "error" raises IllegalAction for an illegal action and changes nothing, "penalty" ends the play,
                "random" replaces the action by a random legal action.
            penalty: the reward of a seat whose illegal action ends the play.
            autoreset: whether the next play begins when a play ends. If not, the play stays at its end until a reset.
            final_observations: with `autoreset`, whether the last observation of each play that ends is written, too.
            device: "cuda" steps the plays on a GPU, with a thread for each play. The arrays stay on the GPU, with the
                same values as on a CPU. A GPU needs numba-cuda (the extra [gpu]), and opponents that choose in the
                compiled loop.
            options: the game's options by name.

        Raises:
            SetupError: an argument that the game or a batch does not accept.
            BotFailure: an opponent that is a program cannot start, or fails before the learner's first turn.
            MissingExtra: numba-cuda is not installed, or there is no graphics processor.
        """
        from .batch.batch import BatchSettings  # takes long, and a play needs no batch
        from .batch.cuda_batch import DEVICES
        from .batch.states import check_states, seats_of

        if states is not None:
            states = check_states(states)
            n = len(states) if n is None else n
            seats = seats_of(states[0]) if seats is None and states else seats
        elif n is None:
            raise SetupError("A batch takes a number of games, such as game.batch(256), or `states`.")
        settings = BatchSettings(
            n=n,
            seats=seats,
            seed=seed,
            threads=threads,
            opponents=opponents,
            seat=seat,
            reward=reward,
            legal_as=legal_as,
            observe=observe,
            illegal=illegal,
            penalty=penalty,
            autoreset=autoreset,
            final_observations=final_observations,
            options=read_options(self.meta.options, options, Game.batch),
        )
        return DEVICES[check_one_of("device", device, DEVICES)](self, settings, states)

    def from_bytes(self, saved: bytes) -> Play:
        """Return the play that `Play.to_bytes` saved. Raise RecordError for damage, another game or another version."""
        return Play.from_bytes(self, saved)


def game(name: str, build: Build = "compiled") -> Game:
    """Return the game called `name`. Raise SetupError if there is no such game or build.

    The compiled build is fast and compiles on first use (seconds once, then cached on disk). The plain build starts at
    once and checks every index and sum.
    """
    if not all(isinstance(word, str) for word in (name, build)):
        return Game(name, build)  # raises SetupError, since the cache cannot hash some values
    return _game(name, build)


@cache
def _game(name: str, build: Build) -> Game:
    return Game(name, build)


def replay(record: Record, stop: int | None = None, build: Build = "compiled") -> Play:
    """Replay a record, up to its first `stop` actions or to its end, and return the play.

    Raises:
        SetupError: the game, build, seats, seed or options are unknown, or the record does not have `stop` actions.
        RecordError: the record has other rules or components, or an action that is not legal; without `stop`, also
            if the record has another result.
    """
    last = len(record.actions) if stop is None else check_int("actions", stop, 0, len(record.actions))
    play = new_from_record(record, build)
    for number, (seat, words) in enumerate(record.actions[:last], 1):
        try:
            if not play.over and play.turn != seat:
                raise IllegalAction(f"it is seat {play.turn + 1}'s turn, not seat {seat + 1}'s.")
            play.apply(play.string_to_action(words))
        except AlmuniaError as error:
            refusal = RecordError(f"Action {number} ({words!r}) cannot be played: {error}")
            refusal.action = number
            raise refusal from None
    if stop is None and record.result and (not play.outcome or play.outcome.scores != record.result):
        stated = " ".join(map(str, record.result))
        found = " ".join(map(str, play.outcome.scores)) if play.outcome else "no result yet"
        raise RecordError(f"The record says the result is {stated}, but playing it again gives {found}.")
    return play


def new_from_record(record: Record, build: Build = "compiled") -> Play:
    """Start the play of a record, without its actions, and return the play.

    Raises:
        SetupError: the game, build, seats, seed or options are unknown.
        RecordError: the record has other rules or components.
    """
    this = game(record.game, build)
    if record.rules != this.meta.rules_version:
        raise RecordError(
            f"The record was played under rules {record.rules} of {this.meta.title}; the installed rules "
            f"are {this.meta.rules_version}, under which it may go otherwise."
        )
    if record.components != this.components_hash:
        raise RecordError(
            f"The record was played with component tables {record.components} of {this.meta.title}; those "
            f"installed are {this.components_hash}. Set ALMUNIA_COMPONENTS to the folder of the tables of the record."
        )
    return this.start(record.seats, record.seed, record.options)
