"""Recording of traces: every decision of many plays, with its observation, legal actions and outcome."""

from collections.abc import Callable, Mapping, Sequence
from contextlib import closing
from functools import partial
from math import nan
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import numpy.typing as npt

from ..batch.rewards import checked_reward
from ..bots.base import Bot
from ..bots.factory import parse_spec
from ..bots.search.bot import SearchBot
from ..core.kernels.scoring import rank_reward
from ..core.loaded import Build
from ..core.workspaces import allocate
from ..engine.state_dtype import NOT_OVER
from ..errors import SetupError
from ..library import Game, game as game_of
from ..play.play import Observation
from ..validation import check_int
from . import traces
from .agents import Agent, agents_by_name
from .executors import Executor, ThreadExecutor
from .kernels.simulate import Decisions, Results
from .seeds import external_bots, resolve_seed
from .simulate import (
    Bots,
    Columns,
    Seeds,
    Simulated,
    bots_by_seat,
    kernel_kinds,
    play_columns,
    play_in_kernel,
    play_in_python,
    play_seeds,
    prepare,
)
from .traces import PLAYS_PER_PART, Part


class PartTask(NamedTuple):
    """The plays of one part, as plain data that can be sent to another machine."""

    number: int
    game: str
    build: Build
    options: dict[str, str]
    bots: tuple[str, ...]  # by seat: specs, and agents as `name@hash`
    seeds: Seeds  # (games, 2)


def trace(
    game: Game,
    folder: str | Path,
    games: int,
    seats: int | None = None,
    bots: str | Agent | Sequence[str | Agent] = ("random",),
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
        bots: a bot for all seats, or a bot for each seat. A bot is a spec, or an `Agent`, and no external program.
            Searches, also those of agents, record their policy and value.
        seed: the seed of all plays, as in `simulate`.
        executor: runs the plays; one thread if not given. Agents play in a ThreadExecutor only.
        form: "arrays" for memory-mapped arrays, or "parquet", which needs the extra `arena`.
        progress: a function that is called repeatedly with the number of completed games.
        options: the game's options.

    Returns:
        Arrays by play, as from `simulate`.

    Raises:
        SetupError: arguments that the game or the bots do not accept, or a folder with other or damaged contents.
        MissingExtra: the form "parquet" without pyarrow.
    """
    games, seed = check_int("games", games, 1), resolve_seed(seed, ())
    executor = executor or ThreadExecutor()
    players = bots_by_seat(game, seats, bots)
    agents, names = check_bots(players, executor), tuple(map(str, players))
    all_options = game.start(len(names), 0, options).options
    target = traces.open_folder(game, Path(folder), names, all_options, seed, form)
    target.remove_old_drafts()
    prepare_trace(game, len(players), players, **options)
    seeds = play_seeds(seed, games)
    tasks = [
        PartTask(number, game.name, game.build, all_options, names, seeds[start : start + PLAYS_PER_PART])
        for number, start in enumerate(range(0, games, PLAYS_PER_PART))
    ]
    pending = [task for task in tasks if not target.has(task.number, len(task.seeds))]
    done = games - sum(len(task.seeds) for task in pending)
    if progress:
        progress(done)
    with closing(executor.map_unordered(partial(record_part, agents=agents), pending)) as parts:
        for number, part in parts:
            target.write(number, part)
            done += len(part.plays["seed"])
            if progress:
                progress(done)
    return target.results(games)


def prepare_trace(game: Game, seats: int | None, bots: Bots, **options: Any) -> None:
    players = bots_by_seat(game, seats, bots)
    agents = check_bots(players)
    prepare(game, len(players), players, **options)
    play = game.start(len(players), 0, options)
    play.observe(play.turn).tensor()
    names = tuple(map(str, players))
    record_part(PartTask(0, game.name, game.build, play.options, names, play_seeds(0, 0)), agents)


def check_bots(bots: Sequence[str | Bot], executor: Executor | None = None) -> dict[str, Agent]:
    """Return the agents by `name@hash`. Raise SetupError for external programs, and as `agents_by_name` does."""
    agents = agents_by_name(bots, executor)
    for program in external_bots(bots):
        raise SetupError(
            f"{program!r} is a program, which could read the trace and its seed. Use bots of this package, or agents."
        )
    return agents


def record_part(task: PartTask, agents: Mapping[str, Agent]) -> tuple[int, Part]:
    """Play one part. Return its number, and its decisions and plays. `agents` has the agents by `name@hash`."""
    game, bots = game_of(task.game, task.build), [agents.get(bot, bot) for bot in task.bots]
    kinds, results = kernel_kinds(game, bots), allocate(Results, game, plays=len(task.seeds), seats=len(bots))
    columns = record_in_kernel(game, task, kinds, results) if kinds else record_in_python(game, task, bots, results)
    columns |= outcome_columns(columns, results)
    del columns["points"]  # the rewards have been computed
    return task.number, Part(columns, play_columns(task.seeds, results))


def record_in_kernel(game: Game, task: PartTask, kinds: list[int], results: Results) -> Columns:
    """Play in kernels, and return the columns of decisions.

    Each play runs twice: to count the decisions, and to write them.
    """
    blank = game.empty_state(task.options)
    play_in_kernel(game, blank, kinds, task.seeds, results)
    decisions = blank_decisions(game, int(results.decisions.sum()))
    play_in_kernel(game, blank, kinds, task.seeds, results, decisions)
    return decision_columns(decisions)


def blank_decisions(game: Game, count: int) -> Decisions:
    observations = np.zeros((count, game.tensor_size), np.float32)
    return Decisions(
        observation=observations,
        parts=observations.view(game.tensor_dtype)[:, 0],
        legal_actions=np.zeros((count, -(-game.rules.ACTIONS // 8)), np.uint8),
        action=np.zeros(count, np.int32),
        seat=np.zeros(count, np.int8),
        points=np.zeros(count, np.int64),
    )


def decision_columns(decisions: Decisions) -> Columns:
    return {name: array for name, array in decisions._asdict().items() if name != "parts"}


def record_in_python(game: Game, task: PartTask, bots: Sequence[str | Agent], results: Results) -> Columns:
    """Play in Python, and return the columns of decisions. If searches play, add their policies and values."""
    rows: list[tuple[Any, ...]] = []  # of each decision, in the order of `decision_columns`
    searches: list[SearchOutput] = []

    def choose(bot: Bot, observation: Observation) -> int:
        output = choose_with_search(bot, observation)
        legal_actions = np.packbits(observation.action_mask(), bitorder="little")
        points = observation.points[observation.seat]
        rows.append((observation.tensor(), legal_actions, output.action, observation.seat, points))
        searches.append(output)
        return output.action

    play_in_python(game, task.options, bots, choose, False, task.seeds, results)
    columns = decision_columns(blank_decisions(game, len(rows)))
    for i, row in enumerate(rows):
        for column, value in zip(columns.values(), row, strict=True):
            column[i] = value
    return columns | (search_columns(searches) if any(is_search(bot, game) for bot in bots) else {})


def is_search(bot: str | Agent, game: Game) -> bool:
    if isinstance(bot, Agent):
        return isinstance(bot.bot, SearchBot)
    return parse_spec(bot, game).kind == "search"


class SearchOutput(NamedTuple):
    """A choice, with the policy and the value of the search that made it."""

    action: int
    policy: dict[int, float]  # shares of the visits by action; empty for a bot that does not search
    value: float  # mean utility over all visits; NaN without a search


def choose_with_search(bot: Bot, observation: Observation) -> SearchOutput:
    """Return the bot's choice. A forced move of a search has a policy of 1 and no value."""
    if isinstance(bot, Agent):
        with bot.lock:
            return choose_with_search(bot.bot, observation)
    if not isinstance(bot, SearchBot) or len(observation.legal_actions) == 1:
        action = bot.choose(observation)
        return SearchOutput(action, {action: 1.0} if isinstance(bot, SearchBot) else {}, nan)
    analyses = bot.rank_actions(observation)
    value = sum(analysis.share * analysis.value for analysis in analyses)
    return SearchOutput(analyses[0].action, {analysis.action: analysis.share for analysis in analyses}, value)


def search_columns(searches: Sequence[SearchOutput]) -> Columns:
    """Return the values of searches, and the columns RAGGED: offsets (decisions + 1,), actions and shares of visits."""
    counts = [len(search.policy) for search in searches]
    return {
        "search_value": np.array([search.value for search in searches], np.float32),
        "visits_from": np.concatenate([[0], np.cumsum(counts, dtype=np.int64)]),
        "visit_action": np.array([action for search in searches for action in search.policy], np.int32),
        "visit_share": np.array([share for search in searches for share in search.policy.values()], np.float32),
    }


def outcome_columns(decisions: Columns, results: Results) -> Columns:
    """Return the columns that follow from the results, and from the seats and points of all decisions, in order."""
    episode = np.repeat(np.arange(len(results.decisions)), results.decisions)
    firsts = np.cumsum(results.decisions) - results.decisions
    seat = decisions["seat"].astype(np.int64)
    score, ranks, seats = results.score_table[episode, seat, 0], results.ranks, results.ranks.shape[1]
    returns, potential = score, decisions["points"]  # for one seat
    if checked_reward(None, seats) == "rank":
        equals = (ranks[:, :, None] == ranks[:, None, :]).sum(axis=2)
        returns = rank_reward(ranks.astype(np.int64), equals, seats)[episode, seat]
        potential = np.zeros_like(seat)
    rewards, is_last = reward_columns(episode * seats + seat, potential, returns)
    has_ended = results.ending[episode] != NOT_OVER
    return {
        "reward": rewards.astype(np.float32),
        "terminated": is_last & has_ended,
        "truncated": is_last & ~has_ended,
        "episode_id": episode.astype(np.int32),
        "timestep": (np.arange(len(episode)) - firsts[episode]).astype(np.int32),
        "return": returns.astype(np.float32),
        "score": score.astype(np.int32),
        "rank": ranks[episode, seat],
    }


def reward_columns(
    trajectories: npt.NDArray[np.int64], potential: npt.NDArray[Any], returns: npt.NDArray[Any]
) -> tuple[npt.NDArray[np.float64], npt.NDArray[np.bool_]]:
    """Return the reward of each decision, and whether it is the last of its trajectory: of a seat in a play.

    A reward is the change of the potential until the seat's next decision, as in `almunia.batch.rewards`. The potential
    is 0 before the first decision, and the return after the last decision.
    """
    order = np.argsort(trajectories, kind="stable")
    grouped = trajectories[order]
    is_last, is_first = np.ones(len(order), np.bool_), np.ones(len(order), np.bool_)
    is_last[:-1] = grouped[1:] != grouped[:-1]
    is_first[1:] = is_last[:-1]
    after = np.where(is_last, returns[order], np.roll(potential[order], -1))
    before = np.where(is_first, 0, potential[order])
    rewards, last = np.empty(len(order)), np.empty(len(order), np.bool_)
    rewards[order], last[order] = after - before, is_last
    return rewards, last
