"""Write traces: the observation, the legal actions, the choice and the outcome of every decision of many plays."""

from collections.abc import Callable, Iterator, Sequence
from contextlib import ExitStack, closing
from pathlib import Path
from typing import TYPE_CHECKING, Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..batch.rewards import checked_reward
from ..bots.factory import make
from ..bots.search.bot import SearchBot
from ..core.kernels.play import MAX_DECISIONS
from ..core.kernels.scoring import rank_reward
from ..core.loaded import Build
from ..core.workspaces import allocate_policy_scratch, wrap_all
from ..engine.pool import check_stop
from ..engine.state_dtype import copy_states
from ..errors import SetupError
from ..library import game as game_of
from ..validation import check_int
from . import traces
from .executors import Executor, ThreadExecutor
from .kernels import trace as trace_kernel
from .kernels.simulate import Results
from .seeds import external_bots, resolve_seed
from .simulate import (
    Seeds,
    Simulated,
    blank_results,
    bots_by_seat,
    kernel_kinds,
    play_in_kernel,
    play_seeds,
    prepare,
    write_result,
)
from .traces import PLAYS_PER_PART, Columns, Part

if TYPE_CHECKING:
    from ..bots import NamedBot
    from ..library import Game
    from ..play.play import Observation, Play


class PartTask(NamedTuple):
    """The plays of one part, as plain data that can be sent to another machine."""

    number: int
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
    executor: Executor | None = None,
    form: str = "arrays",
    progress: Callable[[int], None] | None = None,
    **options: Any,
) -> Simulated:
    """Play as `simulate` does, write every decision into a folder for `almunia.load_trace`, and return the results.

    Parts that are in the folder are not played again. So the same call resumes after an interruption, and a call with
    more plays extends the trace.

    Args:
        game: the game.
        folder: a new folder, or a folder with a trace of the same plays.
        games: number of games to play.
        seats: number of seats; if not given, the number of bots, but at least the fewest possible.
        bots: a spec for all seats, or a spec for each seat; no external programs. Searches record shares of visits.
        seed: the seed of all plays, as in `simulate`.
        executor: runs the plays; one thread if not given.
        form: "arrays" for memory-mapped arrays, or "parquet", which needs the extra `arena`.
        progress: a function that is called repeatedly with the number of completed games.
        options: the game's options.

    Returns:
        Arrays by play, as from `simulate`.

    Raises:
        SetupError: arguments that the game or the bots do not accept, or a folder with other contents.
    """
    games, seed = check_int("games", games, 1), resolve_seed(seed, ())
    specs = check_bots(bots_by_seat(game, seats, bots))
    all_options = game.start(len(specs), 0, options).options
    target = traces.open_folder(game, Path(folder), specs, all_options, seed, form)
    target.remove_old_drafts()
    prepare_trace(game, len(specs), specs, **options)
    seeds = play_seeds(seed, games)
    seeds_by_part = (seeds[start : start + PLAYS_PER_PART] for start in range(0, games, PLAYS_PER_PART))
    tasks = [
        PartTask(number, game.name, game.build, all_options, specs, own) for number, own in enumerate(seeds_by_part)
    ]
    pending = [task for task in tasks if not target.has(task.number, len(task.seeds))]
    done = games - sum(len(task.seeds) for task in pending)
    if progress:
        progress(done)
    with closing((executor or ThreadExecutor()).map_unordered(record_part, pending)) as parts:
        for number, part in parts:
            target.write(number, part)
            done += len(part.plays["seed"])
            if progress:
                progress(done)
    return target.results(games)


def prepare_trace(game: "Game", seats: int | None, bots: str | Sequence[str], **options: Any) -> None:
    """Compile the functions that `trace` needs for such plays."""
    specs = check_bots(bots_by_seat(game, seats, bots))
    prepare(game, len(specs), specs, **options)
    play = game.start(len(specs), 0, options)
    play.observe(play.turn).tensor()
    record_part(PartTask(0, game.name, game.build, play.options, specs, play_seeds(0, 0)))


def check_bots(bots: Sequence[Any]) -> tuple[str, ...]:
    """Return the specs of these bots. Raise SetupError for objects and external programs."""
    for bot in bots:
        if not isinstance(bot, str):
            raise SetupError(f"A trace is made by bots that have a name, such as 'greedy', and {bot!r} has none.")
        if external_bots([bot]):
            raise SetupError(
                f"{bot!r} is a program, which could read the trace and its seed. Use bots of this package."
            )
    return tuple(bots)


def record_part(task: PartTask) -> tuple[int, Part]:
    """Play one part. Return its number, and its decisions and plays."""
    game = game_of(task.game, task.build)
    seats, kinds = len(task.bots), kernel_kinds(task.bots)
    results = blank_results(game, len(task.seeds), seats)
    columns = record_in_kernel(game, task, kinds, results) if kinds else record_in_python(game, task, results)
    return task.number, Part(columns | outcome_columns(columns, results, seats), play_columns(task.seeds, results))


def record_in_kernel(game: "Game", task: PartTask, kinds: list[int], results: Results) -> Columns:
    """Play in kernels, and return the columns of decisions.

    Each play runs twice: to count the decisions, and to write them.
    """
    blank = game.empty_state(task.options)
    play_in_kernel(game, blank, kinds, task.seeds, results)
    starts = np.concatenate([[0], np.cumsum(results.decisions)])
    decisions = blank_decisions(game, int(starts[-1]))
    wrap = game.wrap
    game.kernel(trace_kernel).trace_many(
        wrap(np.concatenate([copy_states(blank), copy_states(blank)])),
        len(kinds),
        wrap(task.seeds),
        wrap(np.array(kinds, np.int64)),
        wrap_all(game, allocate_policy_scratch(game)),
        wrap(starts),
        trace_kernel.Decisions(*(wrap(array) for array in decisions)),
        wrap(np.zeros(game.rules.ACTIONS, np.int32)),
        Results(*(wrap(array) for array in results)),
    )
    return decision_columns(decisions)


def blank_decisions(game: "Game", count: int) -> trace_kernel.Decisions:
    """Return zeroed arrays for `count` decisions."""
    observations = np.zeros((count, game.tensor_size), np.float32)
    return trace_kernel.Decisions(
        observations=observations,
        parts=observations.view(game.tensor_dtype)[:, 0],
        masks=np.zeros((count, -(-game.rules.ACTIONS // 8)), np.uint8),
        actions=np.zeros(count, np.int32),
        seats=np.zeros(count, np.int8),
    )


def decision_columns(decisions: trace_kernel.Decisions) -> Columns:
    """Return the arrays of decisions by column."""
    return {name: getattr(decisions, f"{name}s") for name in ("observation", "mask", "action", "seat")}


class Decision(NamedTuple):
    """A decision that was made in Python."""

    observation: npt.NDArray[np.float32]
    mask: npt.NDArray[np.uint8]
    action: int
    seat: int
    considered: list[int]  # actions that a search has visited
    shares: list[float]  # their shares of the visits


def record_in_python(game: "Game", task: PartTask, results: Results) -> Columns:
    """Play in Python, and return the columns of decisions, with the shares of visits of searches."""
    decisions: list[Decision] = []
    for i, (seed, bot_seed) in enumerate(task.seeds.tolist()):
        play = game.start(len(task.bots), seed, task.options)
        with ExitStack() as stack:
            bots = [make(spec, game, bot_seed ^ seat) for seat, spec in enumerate(task.bots)]
            for bot in bots:
                stack.callback(bot.close)
            decisions += play_and_record(play, bots)
        write_result(results, i, play)
    arrays = blank_decisions(game, len(decisions))
    for row, decision in enumerate(decisions):
        arrays.observations[row], arrays.masks[row] = decision.observation, decision.mask
        arrays.actions[row], arrays.seats[row] = decision.action, decision.seat
    return decision_columns(arrays) | share_columns(decisions)


def play_and_record(play: "Play", bots: Sequence["NamedBot"]) -> Iterator[Decision]:
    """Play to the end, and yield every decision."""
    while not play.over and len(play.actions) < MAX_DECISIONS:
        check_stop()
        seen, bot = play.observe(play.turn), bots[play.turn]
        mask = np.packbits(seen.action_mask(), bitorder="little")
        action, shares = choose_with_shares(bot, seen)
        yield Decision(seen.tensor(), mask, action, play.turn, list(shares), list(shares.values()))
        play.apply(action)


def choose_with_shares(bot: "NamedBot", seen: "Observation") -> tuple[int, dict[int, float]]:
    """Return the bot's choice, and a search's shares of the visits by action. A search skips forced moves."""
    if not isinstance(bot, SearchBot) or len(seen.legal_actions) == 1:
        action = bot.choose(seen)
        return action, {action: 1.0} if isinstance(bot, SearchBot) else {}
    analyses = bot.rank_actions(seen)
    return analyses[0].action, {analysis.action: analysis.share for analysis in analyses}


def share_columns(decisions: Sequence[Decision]) -> Columns:
    """Return the shares of all decisions in one array, and the offsets of each decision (decisions + 1,)."""
    counts = [len(decision.considered) for decision in decisions]
    return {
        "shares_from": np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]),
        "share_action": np.array([action for one in decisions for action in one.considered], np.int32),
        "share": np.array([share for one in decisions for share in one.shares], np.float32),
    }


def outcome_columns(columns: Columns, results: Results, seats: int) -> Columns:
    """Return the columns of outcomes: the play, the number in the play, and the result of the deciding seat."""
    play = np.repeat(np.arange(len(results.decisions)), results.decisions)
    firsts = np.concatenate([[0], np.cumsum(results.decisions)])[:-1]
    seat = columns["seat"].astype(np.int64)
    score, rank = results.score_table[play, seat, 0], results.ranks[play, seat]
    worth = score if checked_reward(None, seats) == "points" else rank_rewards(results.ranks, seats)[play, seat]
    return {
        "play": play.astype(np.int32),
        "number": (np.arange(len(play)) - firsts[play]).astype(np.int32),
        "score": score.astype(np.int32),
        "rank": rank,
        "worth": worth.astype(np.float32),
    }


def rank_rewards(ranks: npt.NDArray[np.int8], seats: int) -> npt.NDArray[np.float64]:
    """Return the reward "rank" of every seat (games, seats)."""
    equals = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
    return rank_reward(ranks.astype(np.int64), equals, seats)


def play_columns(seeds: Seeds, results: Results) -> Columns:
    """Return the columns of the table of plays."""
    return {
        "seed": seeds[:, 0],
        "bot_seed": seeds[:, 1],
        "score_table": results.score_table,
        "ranks": results.ranks,
        "decisions": results.decisions,
        "ending": results.endings,
    }
