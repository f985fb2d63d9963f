"""Plays of which every decision is written down: what was seen, what was allowed, what was chosen, what came of it."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..batch.rewards import checked_reward
from ..bots.base import close
from ..bots.factory import make
from ..bots.search.bot import Search
from ..core.kernels.batch_step import BYTE
from ..core.kernels.play import LIMIT
from ..core.loaded import Build
from ..core.workspaces import blank_workspace, lent
from ..engine.state_dtype import copied
from ..errors import SetupError
from ..library import game as game_of
from ..validation import checked_number
from . import traces
from .engines import Engine, Threads
from .kernels import trace as trace_kernel
from .kernels.simulate import Results
from .seeds import drawn_seed, programs
from .simulate import Seeds, Simulated, blank_results, built_in, play_built_in, play_seeds, prepare, seated
from .traces import PER_PART, Part

if TYPE_CHECKING:
    from ..bots import NamedBot
    from ..library import Game
    from ..play.play import Play


class Task(NamedTuple):
    """Some plays of a trace, in plain words that can travel to another machine."""

    number: int  # of the part
    game: str
    build: Build
    options: dict[str, str]
    bots: tuple[str, ...]  # by seat
    seeds: Seeds  # (games, 2)


def trace(
    game: "Game",
    folder: str | Path,
    games: int,
    seats: int | None = None,
    bots: str | Sequence[str] = ("random",),
    seed: int | None = None,
    engine: Engine | None = None,
    form: str = "arrays",
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Simulated:
    """Play as `simulate` does, and write every decision into a folder, from which `traces.load` reads them.

    What is in the folder already is not played again: the same call goes on after an interruption, and one with more
    plays adds to it.

    Args:
        game: what to play.
        folder: where the decisions go; a new one, or one with the same plays.
        games: how many to play.
        seats: how many play; if not given, as many as there are bots, and at least the fewest possible.
        bots: specs, one for all seats or one for each; no programs. Of searches the visits' shares are kept too.
        seed: settles every play, as in `simulate`.
        engine: what carries it out; one thread, if not given.
        form: "arrays", for mapping into memory, or "parquet", which needs the extra `arena`.
        progress: is told the number of games done, every now and then.
        options: the game's options.

    Returns:
        arrays by play, as of `simulate`.

    Raises:
        SetupError: anything the game or the bots do not take, or a folder of something else.
    """
    games, seed = checked_number("games", games, 1), drawn_seed(seed, ())
    named = checked_bots(seated(game, seats, bots))
    every = game.start(len(named), 0, options).options
    kept = traces.opened(game, Path(folder), named, every, seed, form)
    kept.tidy()
    prepare_trace(game, len(named), named, **options)
    seeds = play_seeds(seed, games)
    parts_of = (seeds[start : start + PER_PART] for start in range(0, games, PER_PART))
    tasks = [Task(number, game.name, game.build, every, named, part) for number, part in enumerate(parts_of)]
    left = [task for task in tasks if not kept.has(task.number, len(task.seeds))]
    done = games - sum(len(task.seeds) for task in left)
    if progress:
        progress(done)
    with closing((engine or Threads()).each(record, left)) as parts:
        for number, part in parts:
            kept.write(number, part)
            done += len(part.plays["seed"])
            if progress:
                progress(done)
    return kept.results(games)


def prepare_trace(game: "Game", seats: int | None, bots: str | Sequence[str], **options: Any) -> None:
    """Compile what such plays need and what writes them down, so that `trace` takes its time for that alone."""
    named = checked_bots(seated(game, seats, bots))
    prepare(game, len(named), named, **options)
    play = game.start(len(named), 0, options)
    play.observe(play.turn).tensor()
    record(Task(0, game.name, game.build, play.options, named, play_seeds(0, 0)))


def checked_bots(bots: Sequence[Any]) -> tuple[str, ...]:
    """The specs of these bots; SetupError if one is no spec, or a program."""
    for bot in bots:
        if not isinstance(bot, str):
            raise SetupError(f"A trace is made by bots that have a name, such as 'greedy', and {bot!r} has none.")
        if programs([bot]):
            raise SetupError(
                f"{bot!r} is a program, which could read the trace and its seed. Use bots of this package."
            )
    return tuple(bots)


def record(task: Task) -> tuple[int, Part]:
    """Play the plays of a task, and say what was decided in them."""
    game = game_of(task.game, task.build)
    seats, kinds = len(task.bots), built_in(task.bots)
    results = blank_results(game, len(task.seeds), seats)
    columns = record_built_in(game, task, kinds, results) if kinds else record_searches(game, task, results)
    return task.number, Part(columns | outcomes(columns, results, seats), played(task.seeds, results))


def record_built_in(game: "Game", task: Task, kinds: list[int], results: Results) -> traces.Columns:
    """What was decided in plays of built-in bots: played once to see how long they are, and once more to write."""
    blank = game.blank(task.options)
    play_built_in(game, blank, kinds, task.seeds, results)
    starts = np.concatenate([[0], np.cumsum(results.decisions)])
    found = blank_decisions(game, int(starts[-1]))
    lend = game.lend
    game.kernel(trace_kernel).trace_many(
        lend(np.concatenate([copied(blank), copied(blank)])),
        len(kinds),
        lend(task.seeds),
        lend(np.array(kinds, np.int64)),
        lent(game, blank_workspace(game)),
        lend(starts),
        trace_kernel.Decisions(*(lend(array) for array in found)),
        lend(np.zeros(game.rules.ACTIONS, np.int32)),
        Results(*(lend(array) for array in results)),
    )
    return columns_of(found)


def blank_decisions(game: "Game", count: int) -> trace_kernel.Decisions:
    """Room for so many decisions."""
    observations = np.zeros((count, game.tensor_size), np.float32)
    return trace_kernel.Decisions(
        observations=observations,
        parts=observations.view(game.tensor_parts)[:, 0],
        masks=np.zeros((count, -(-game.rules.ACTIONS // BYTE)), np.uint8),
        actions=np.zeros(count, np.int32),
        seats=np.zeros(count, np.int8),
    )


def columns_of(found: trace_kernel.Decisions) -> traces.Columns:
    """What was written, by name."""
    return {name: getattr(found, f"{name}s") for name in ("observation", "mask", "action", "seat")}


class Decision(NamedTuple):
    """What is known of a decision when it has been made in Python."""

    observation: npt.NDArray[np.float32]
    mask: npt.NDArray[np.uint8]
    action: int
    seat: int
    considered: list[int]  # the actions that a search looked at
    shares: list[float]  # and their parts of its visits


def record_searches(game: "Game", task: Task, results: Results) -> traces.Columns:
    """What was decided in plays with searches among the bots, in Python, with the shares of their visits."""
    decisions: list[Decision] = []
    for i, (seed, bot_seed) in enumerate(task.seeds.tolist()):
        play, before = game.start(len(task.bots), seed, task.options), len(decisions)
        with ExitStack() as stack:
            bots = [make(spec, game, bot_seed ^ seat) for seat, spec in enumerate(task.bots)]
            for bot in bots:
                stack.callback(close, bot)
            decisions += decided(play, bots)
        results.score_table[i], results.ranks[i] = play.score_table(), play.ranks()
        results.endings[i], results.decisions[i] = play.state.over, len(decisions) - before
    found = blank_decisions(game, len(decisions))
    for row, decision in enumerate(decisions):
        found.observations[row], found.masks[row] = decision.observation, decision.mask
        found.actions[row], found.seats[row] = decision.action, decision.seat
    return columns_of(found) | shares_of(decisions)


def decided(play: "Play", bots: Sequence["NamedBot"]) -> Iterator[Decision]:
    """Play to the end, decision by decision."""
    while not play.over and len(play.actions) < LIMIT:
        view, bot = play.observe(play.turn), bots[play.turn]
        choices = bot.weigh(view) if isinstance(bot, Search) else []
        action = choices[0].action if choices else bot.choose(view)
        mask = np.packbits(view.action_mask(), bitorder="little")
        considered, shares = [choice.action for choice in choices], [choice.share for choice in choices]
        yield Decision(view.tensor(), mask, action, play.turn, considered, shares)
        play.apply(action)


def shares_of(decisions: Sequence[Decision]) -> traces.Columns:
    """The shares of all decisions one after the other, and where those of each begin."""
    counts = [len(decision.considered) for decision in decisions]
    return {
        "shares_from": np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]),
        "share_action": np.array([action for one in decisions for action in one.considered], np.int32),
        "share": np.array([share for one in decisions for share in one.shares], np.float32),
    }


def outcomes(columns: traces.Columns, results: Results, seats: int) -> traces.Columns:
    """What came of each decision: its play, its number in it, and how the play ended for whoever decided."""
    play = np.repeat(np.arange(len(results.decisions)), results.decisions)
    firsts = np.concatenate([[0], np.cumsum(results.decisions)])[:-1]
    seat = columns["seat"].astype(np.int64)
    score, rank = results.score_table[play, seat, 0], results.ranks[play, seat]
    worth = score if checked_reward(None, seats) == "points" else standing(results.ranks, seats)[play, seat]
    return {
        "play": play.astype(np.int32),
        "number": (np.arange(len(play)) - firsts[play]).astype(np.int32),
        "score": score.astype(np.int32),
        "rank": rank,
        "worth": worth.astype(np.float32),
    }


def standing(ranks: npt.NDArray[np.int8], seats: int) -> npt.NDArray[np.float64]:
    """The reward "rank" of every seat: 1 for the first, -1 for the last, evenly spaced; equals share."""
    equals = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
    return 1.0 - (2 * (ranks - 1.0) + equals - 1) / (seats - 1)


def played(seeds: Seeds, results: Results) -> traces.Columns:
    """What is known of each play."""
    return {
        "seed": seeds[:, 0],
        "bot_seed": seeds[:, 1],
        "score_table": results.score_table,
        "ranks": results.ranks,
        "decisions": results.decisions,
        "ending": results.endings,
    }
