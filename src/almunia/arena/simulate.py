"""Simulation of many plays between bots, on one or more threads."""

from collections.abc import Callable, Iterable, Mapping, Sequence
from contextlib import ExitStack, closing
from functools import partial
from threading import Lock
from typing import Any, TypedDict, cast

import numpy as np
import numpy.typing as npt

from ..bots.base import Bot, is_bot
from ..bots.builtin import KERNEL_BOTS
from ..bots.factory import make, parse_spec
from ..core.english import pluralize
from ..core.kernels.play import MAX_DECISIONS
from ..core.kernels.policies import RANDOM
from ..core.workspaces import allocate, allocate_policy_scratch, wrap_all
from ..engine.state_dtype import States, copy_states
from ..errors import SetupError
from ..library import Game
from ..play.play import Observation, Play
from ..validation import check_game, check_int
from .executors import ThreadExecutor
from .kernels import simulate as simulate_kernel
from .kernels.simulate import Decisions, Results
from .runner import observe_decisions
from .seeds import resolve_seed

Bots = str | Bot | Sequence[str | Bot]  # a bot for all seats, or a bot for each seat

Seeds = npt.NDArray[np.int64]  # (games, 2), seed of the play and of its bots
Columns = dict[str, npt.NDArray[Any]]


class Simulated(TypedDict):
    """The result of `simulate`: arrays by play."""

    scores: npt.NDArray[np.int64]  # (games, seats)
    ranks: npt.NDArray[np.int8]  # (games, seats)
    score_table: npt.NDArray[np.int64]  # (games, seats, len(rules.SCORES)), points and every tie-break
    seed: npt.NDArray[np.int64]  # (games,), gives the same deal with `game.new`
    bot_seed: npt.NDArray[np.int64]  # (games,), of the built-in bots' random choices
    decisions: npt.NDArray[np.int64]  # (games,)
    ending: npt.NDArray[np.int8]  # (games,), the game's number for the reason of the end; 0 if the play was stopped


CHUNK_PLAYS = 250  # plays of built-in bots in machine code between two calls of `progress`; 1 for other bots


def simulate(
    game: Game,
    games: int,
    seats: int | None = None,
    bots: Bots = ("random",),
    seed: int | None = None,
    threads: int = 1,
    progress: Callable[[int], None] | None = None,
    clairvoyant: bool = False,
    finished: Callable[[Play], None] | None = None,
    **options: Any,
) -> Simulated:
    """Play many games between bots, and return the results.

    If all bots are `random` or `greedy` without settings, also by the name of a level, they play in kernels. Otherwise
    all bots play in Python, which is much slower. A bot that is an object is called by one thread at a time, and uses
    its own random numbers.

    Args:
        game: the game.
        games: number of games to play.
        seats: number of seats; if not given, the number of bots, but at least the fewest possible.
        bots: a bot for all seats, or a bot for each seat. A bot is a spec, or an object with `choose(observation)`.
        seed: the seed of all plays; play number i does not depend on the number of plays. The default is 0, or a
            secret random seed if an external program plays.
        threads: number of threads.
        progress: a function that is called repeatedly with the number of completed games.
        clairvoyant: whether the bots, which must be searches, see all hidden information; for comparisons only.
        finished: a function that is called with the final position of each play, in any order, by one thread at a time.
        options: the game's options.

    Returns:
        Arrays by play; see `Simulated`.

    Raises:
        SetupError: arguments that the game or the bots do not accept.
        IllegalAction: a bot that is an object chose an illegal action.
        BotFailure: an external program does not start, or does not choose a legal action in time.
    """
    games, executor = check_int("games", games, 0), ThreadExecutor(threads)
    players, blank = bots_by_seat(game, seats, bots), game.empty_state(options)
    for bot in players if clairvoyant else ():
        if not isinstance(bot, str) or parse_spec(bot).kind != "search":
            raise SetupError(f"Only a search such as 'search:1s' can be clairvoyant, not {bot!r}.")
    seeds = play_seeds(resolve_seed(seed, players), games)
    results = allocate(Results, game, plays=games, seats=len(players))
    play_part: Callable[[Seeds, Results], States]
    lock = Lock()

    def choose(bot: Bot, observation: Observation) -> int:
        if all(bot is not player for player in players):  # it was made from a spec, for this play only
            return bot.choose(observation)
        with lock:
            return bot.choose(observation)

    if kinds := kernel_kinds(game, players):
        play_part = partial(play_in_kernel, game, blank, kinds)
        chunk = CHUNK_PLAYS if game.build == "compiled" and finished is None else 1
    else:
        play_part, chunk = partial(play_in_python, game, options, players, choose, clairvoyant), 1

    def run(start: int) -> int:
        part = slice(start, start + chunk)
        last = play_part(seeds[part], Results(*(array[part] for array in results)))
        if finished:
            with lock:
                finished(Play(game, last))
        return len(seeds[part])

    done = 0
    with closing(executor.map_unordered(run, range(0, games, chunk))) as counts:
        for count in counts:
            done += count
            if progress:
                progress(done)
    return with_scores(play_columns(seeds, results))


def prepare(game: Game, seats: int | None = None, bots: Bots = ("random",), **options: Any) -> None:
    """Compile the functions that `simulate` needs with these arguments. External programs are not started.

    Raise SetupError for arguments that the game or the bots do not accept.
    """
    players = bots_by_seat(game, seats, bots)
    if kinds := kernel_kinds(game, players):
        results = allocate(Results, game, plays=0, seats=len(players))
        play_in_kernel(game, game.empty_state(options), kinds, play_seeds(0, 0), results)
    else:
        warm_up_python(game, len(players), players, options)


def warm_up_python(game: Game, seats: int, bots: Iterable[str | Bot], options: Mapping[str, str]) -> None:
    """Compile the functions that plays in Python need with these bots, except objects and external programs."""
    play = game.start(seats, 0, options)
    specs = {bot for bot in bots if isinstance(bot, str) and parse_spec(bot).kind != "external"}
    for spec in sorted(specs):
        make(spec, game, 0).prepare(seats)
    play.observe(play.turn)
    play.apply(play.legal_actions[0])
    play.ranks()
    play.score_table()


# --- arguments ------------------------------------------------------------------------------------


def bots_by_seat(game: Game, seats: int | None, bots: Bots) -> list[str | Bot]:
    """Return a bot for each seat. The default of `seats` is the number of bots, but at least the fewest possible.

    Raise SetupError for an invalid bot, and for a number of seats or bots that the game does not accept.
    """
    check_game(game)
    players = [bots] if isinstance(bots, str) or not isinstance(bots, Sequence) else list(bots)
    seats = game.check_seats(max(len(players), game.meta.seats[0]) if seats is None else seats)
    for bot in players:
        if isinstance(bot, str):
            parse_spec(bot)
        elif not is_bot(bot):
            raise SetupError(f"A bot is a spec such as 'random', or has a method choose(observation): not {bot!r}.")
    if len(players) not in (1, seats):
        raise SetupError(
            f"{len(players)} bots cannot share {pluralize(seats, 'seat')}; give one for all, or one for each."
        )
    return players * seats if len(players) == 1 else players


def kernel_kinds(game: Game, bots: Sequence[str | Bot]) -> list[int]:
    """Return the policies of the bots if all bots can play in kernels, else an empty list."""
    parsed = [parse_spec(bot, game) for bot in bots if isinstance(bot, str)]
    if len(parsed) < len(bots) or any(spec.kind not in KERNEL_BOTS or any(spec.settings.values()) for spec in parsed):
        return []
    return [KERNEL_BOTS[spec.kind] for spec in parsed]


def play_seeds(seed: int, games: int) -> Seeds:
    """Return the seeds of each play and of its bots, int64 (games, 2)."""
    return np.random.default_rng(seed).integers(0, 2**63, (games, 2), np.int64)


# --- playing --------------------------------------------------------------------------------------


def play_in_kernel(
    game: Game, blank: States, kinds: list[int], seeds: Seeds, results: Results, trace: Decisions | None = None
) -> States:
    """Run the plays of these seeds in a kernel, with a new workspace, and write the results, and the trace if given.

    Return the final state of the last play; the blank state without plays.
    """
    needs_kinds = trace or set(kinds) != {RANDOM}
    states = np.concatenate([copy_states(blank), copy_states(blank)])
    game.kernel(simulate_kernel).play_many(
        game.wrap(states),
        len(kinds),
        game.wrap(seeds),
        game.wrap(np.array(kinds, np.int64)) if needs_kinds else None,
        wrap_all(game, allocate_policy_scratch(game)),
        MAX_DECISIONS,
        wrap_all(game, results),
        trace and wrap_all(game, trace),
    )
    return copy_states(states[1:])


def play_in_python(
    game: Game,
    options: dict[str, Any],
    bots: Sequence[str | Bot],
    choose: Callable[[Bot, Observation], int],
    clairvoyant: bool,
    seeds: Seeds,
    results: Results,
) -> States:
    """Run the plays of these seeds in Python, and write the results. `choose` returns the action of a bot.

    Return the final state of the last play; a blank one without plays.
    """
    last = game.empty_state(options)
    for i, (seed, bot_seed) in enumerate(seeds.tolist()):
        play = game.start(len(bots), seed, options)
        with ExitStack() as stack:
            players = [
                stack.enter_context(closing(make(bot, game, bot_seed ^ seat))) if isinstance(bot, str) else bot
                for seat, bot in enumerate(bots)
            ]
            try:
                for observation in observe_decisions(play, clairvoyant):
                    play.apply(choose(players[play.turn], observation))
            except Exception as error:
                where = f"seed {seed}, seat {play.turn + 1}, action {len(play.actions) + 1}"
                error.add_note(f"The bot was {bots[play.turn]!r} in {game.meta.title}, {where}.")
                raise
        results.score_table[i], results.ranks[i] = play.score_table(), play.ranks()
        results.ending[i], results.decisions[i] = play.state.over, len(play.actions)
        last = play.array
    return last


def play_columns(seeds: Seeds, results: Results) -> Columns:
    seed, bot_seed = seeds.T
    return {"seed": seed, "bot_seed": bot_seed, **results._asdict()}


def with_scores(columns: Columns) -> Simulated:
    """Return the columns of plays in the order of `Simulated`, with the points of each seat."""
    table = {"scores": columns["score_table"][:, :, 0], **columns}
    return cast(Simulated, {name: table[name] for name in Simulated.__annotations__})
