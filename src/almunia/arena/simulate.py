"""Many plays between bots, on as many threads as wanted, the same for the same seed."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from threading import Lock
from typing import TYPE_CHECKING, Any, TypedDict

import numpy as np
import numpy.typing as npt

from ..bots.base import Bot, close, get_ready
from ..bots.builtin import KINDS, Builtin
from ..bots.factory import SPECS, make, parsed
from ..core.english import count_of
from ..core.kernels.play import LIMIT
from ..core.kernels.policies import RANDOM
from ..core.workspaces import blank_workspace, lent
from ..engine.state_dtype import States, copied
from ..errors import SetupError
from ..play.play import ClairvoyantObservation
from ..validation import checked_game, checked_number
from .engines import Threads
from .kernels import simulate as simulate_kernel
from .kernels.simulate import Results
from .seeds import drawn_seed

if TYPE_CHECKING:
    from ..library import Game
    from ..play.play import Observation, Play

Bots = str | Bot | Sequence[str | Bot]  # one for all seats, or one for each

Seeds = npt.NDArray[np.int64]  # (games, 2), of each play and of its bots


class Simulated(TypedDict):
    """What `simulate` returns: arrays by play."""

    scores: npt.NDArray[np.int64]  # (games, seats)
    ranks: npt.NDArray[np.int8]  # (games, seats)
    score_table: npt.NDArray[np.int64]  # (games, seats, len(rules.SCORES)), points and every tie-break
    seed: npt.NDArray[np.int64]  # (games,), from which `game.new` makes the same deal
    bot_seed: npt.NDArray[np.int64]  # (games,), which settled the built-in bots' random choices
    decisions: npt.NDArray[np.int64]  # (games,)
    ending: npt.NDArray[np.int8]  # (games,), the game's number for how it ended; 0 if it was stopped


CHUNK = 250  # plays of built-in bots in machine code between two reports of progress; else it is one


def simulate(
    game: "Game",
    games: int,
    seats: int | None = None,
    bots: Bots = ("random",),
    seed: int | None = None,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
    clairvoyant: bool = False,
    **options: Any,
) -> Simulated:
    """Play many times between bots.

    Built-in bots play in the game's build, and then the results depend on nothing but the seed. A
    bot of your own plays through `Play` in Python, much slower; it is asked by one thread at a
    time, and what it draws at random is its own affair.

    Args:
        game: what to play.
        games: how many to play.
        seats: how many play; if not given, as many as there are bots, and at least the fewest possible.
        bots: one for all seats, or one for each: specs, or anything with `choose(observation)`.
        seed: settles every play; play number i is the same however many there are. If not given it is 0, or, where
            a program plays, one that nobody knows.
        threads: how many run at a time.
        progress: is told the number of games done, every now and then.
        clairvoyant: all bots are searches, and are told everything: for comparisons alone.
        options: the game's options.

    Returns:
        arrays by play, as `Simulated` says.

    Raises:
        SetupError: anything the game or the bots do not take.
        IllegalAction: a bot of your own chose what it may not.
    """
    games, engine = checked_number("games", games, 0), Threads(threads)
    players, blank = seated(game, seats, bots), game.blank(options)
    seeds = play_seeds(drawn_seed(seed, players), games)
    results = blank_results(game, games, len(players))
    play_part: Callable[[Seeds, Results], None]
    if clairvoyant:
        check_searches(players)
    if kinds := built_in(players):
        play_part = partial(play_built_in, game, blank, kinds)
        chunk = CHUNK if game.build == "compiled" else 1
    else:
        play_part, chunk = partial(play_own, game, options, players, Lock(), clairvoyant), 1

    def run(start: int) -> int:
        part = slice(start, start + chunk)
        play_part(seeds[part], Results(*(array[part] for array in results)))
        return len(seeds[part])

    done = 0
    with closing(engine.each(run, range(0, games, chunk))) as parts:
        for played in parts:
            done += played
            if progress:
                progress(done)
    return {
        "scores": results.score_table[:, :, 0],
        "ranks": results.ranks,
        "score_table": results.score_table,
        "seed": seeds[:, simulate_kernel.PLAY_SEED],
        "bot_seed": seeds[:, simulate_kernel.BOT_SEED],
        "decisions": results.decisions,
        "ending": results.endings,
    }


def prepare(game: "Game", seats: int | None = None, bots: Bots = ("random",), **options: Any) -> None:
    """Compile what such plays need, so that `simulate` takes its time for playing alone. No program is started."""
    players = seated(game, seats, bots)
    if kinds := built_in(players):
        play_built_in(game, game.blank(options), kinds, play_seeds(0, 0), blank_results(game, 0, len(players)))
    else:
        prepare_own(game, len(players), players, options)


def prepare_own(game: "Game", seats: int, bots: Iterable[str | Bot], options: Mapping[str, str]) -> None:
    """Compile what it takes to play in Python with those of these bots that are neither given nor programs."""
    play = game.start(seats, 0, options)
    named = {bot for bot in bots if isinstance(bot, str) and parsed(bot).kind != "external"}
    for bot in (make(spec, game, 0) for spec in sorted(named)):
        get_ready(bot, seats)
        if isinstance(bot, Builtin):
            bot.choose(play.observe(play.turn))
    play.observe(play.turn)
    play.apply(play.legal_actions[0])
    play.ranks()
    play.score_table()


# --- what is asked for ----------------------------------------------------------------------------


def seated(game: "Game", seats: int | None, bots: Bots) -> list[str | Bot]:
    """A bot for each seat: of as many as play, or as there are bots, and at least the fewest possible."""
    checked_game(game)
    given = [bots] if isinstance(bots, str) or not isinstance(bots, Sequence) else list(bots)
    return by_seat(given, game.checked_seats(max(len(given), game.meta.seats[0]) if seats is None else seats))


def built_in(bots: Sequence[str | Bot]) -> list[int]:
    """The kinds of bots that can play whole plays in the game's build; empty if there is another among them."""
    return [KINDS[str(bot)] for bot in bots] if all(bot in SPECS for bot in bots) else []


def by_seat(bots: Sequence[str | Bot], seats: int) -> list[str | Bot]:
    """A bot for each seat."""
    for bot in bots:
        if isinstance(bot, str):
            parsed(bot)
        elif isinstance(bot, type) or not callable(getattr(bot, "choose", None)):
            raise SetupError(f"A bot is a spec such as 'random', or has a method choose(observation): not {bot!r}.")
    if len(bots) not in (1, seats):
        raise SetupError(f"{len(bots)} bots cannot share {count_of(seats, 'seat')}; give one for all, or one for each.")
    return list(bots) * seats if len(bots) == 1 else list(bots)


def check_searches(bots: Sequence[str | Bot]) -> None:
    """SetupError for bots that could not make use of the whole truth."""
    for bot in bots:
        if not isinstance(bot, str) or parsed(bot).kind != "search":
            raise SetupError(f"Only a search such as 'search:1s' can be clairvoyant, not {bot!r}.")


def play_seeds(seed: int, games: int) -> Seeds:
    """The seeds of each play and of its bots, int64 (games, 2)."""
    return np.random.default_rng(seed).integers(0, 2**63, (games, 2), np.int64)


def blank_results(game: "Game", games: int, seats: int) -> Results:
    """Where the results go."""
    return Results(
        score_table=np.zeros((games, seats, len(game.rules.SCORES)), np.int64),
        ranks=np.zeros((games, seats), np.int8),
        endings=np.zeros(games, np.int8),
        decisions=np.zeros(games, np.int64),
    )


# --- playing --------------------------------------------------------------------------------------


def play_built_in(game: "Game", blank: States, kinds: list[int], seeds: Seeds, results: Results) -> None:
    """Run some of the plays in the game's build, with a workspace of their own."""
    states = np.concatenate([copied(blank), copied(blank)])
    lend = game.lend
    at_random = set(kinds) == {RANDOM}
    game.kernel(simulate_kernel).play_many(
        lend(states),
        len(kinds),
        lend(seeds),
        None if at_random else lend(np.array(kinds, np.int64)),
        lent(game, blank_workspace(game)),
        LIMIT,
        Results(*(lend(array) for array in results)),
    )


def play_own(
    game: "Game",
    options: dict[str, Any],
    bots: Sequence[str | Bot],
    asking: Lock,
    clairvoyant: bool,
    seeds: Seeds,
    results: Results,
) -> None:
    """Run some of the plays in Python. `asking` is held while a bot that was given, not named, chooses."""
    for i, (seed, bot_seed) in enumerate(seeds.tolist()):
        play = game.start(len(bots), seed, options)
        with ExitStack() as stack:
            ask = [asker(bot, game, bot_seed ^ seat, asking, clairvoyant, stack) for seat, bot in enumerate(bots)]
            try:
                while not play.over and len(play.actions) < LIMIT:
                    play.apply(ask[play.turn](play))
            except Exception as error:
                place = f"seed {seed}, seat {play.turn + 1}, action {len(play.actions) + 1}"
                error.add_note(f"It came of {bots[play.turn]!r} in {game.meta.title}, {place}.")
                raise
        results.score_table[i] = play.score_table()
        results.ranks[i] = play.ranks()
        results.endings[i] = play.state.over
        results.decisions[i] = len(play.actions)


def asker(
    bot: str | Bot, game: "Game", seed: int, asking: Lock, clairvoyant: bool, stack: ExitStack
) -> "Callable[[Play], int]":
    """How the bot of a seat is asked for an action; one that was named is let go with the stack."""
    if not isinstance(bot, str):

        def ask(play: "Play") -> int:
            with asking:
                return bot.choose(play.observe(play.turn))

        return ask
    made, view = make(bot, game, seed), laid_open if clairvoyant else seen
    stack.callback(close, made)
    return lambda play: made.choose(view(play))


def seen(play: "Play") -> "Observation":
    """What the seat to move may know."""
    return play.observe(play.turn)


def laid_open(play: "Play") -> "Observation":
    """What the seat to move would see if nothing were hidden."""
    return ClairvoyantObservation(play.game, copied(play.array), play.turn)
