"""Matches between bots, on the same deals in every seat."""

from collections import defaultdict
from collections.abc import Callable, Iterable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import partial
from itertools import groupby
from math import floor, inf
from pathlib import Path
from time import monotonic

import numpy as np

from ..bots.factory import make
from ..bots.fingerprint import fingerprint
from ..core.weights import AnyWeights, complete_weights
from ..errors import SetupError
from ..library import Game
from ..validation import check_game, check_int
from .agents import Agent, agents_by_name
from .executors import Executor, ThreadExecutor
from .ledger import Key, Ledger, MatchConfig, Row, key, match_folder, stored_seed
from .lineups import Lineup, challenger, lineups
from .runner import Task, run_task
from .seeds import external_bots, resolve_seed
from .sprt import SprtRule, is_decided
from .standings import mean_by_deal, win_share

WEIGHTED = " (weights)"  # ends the names of bots with the weights of a match


@dataclass(frozen=True)
class Match:
    """The configuration of a match.

    `plan` is one of `lineups.PLANS` and determines the pairings. Every lineup plays the deals 0 to deals - 1 of `seed`.
    The default seed is 0, or a secret random seed if an external program plays. A `rule` can end a pairing early. With
    `weights`, the names of `bots` in pairings and rows end in WEIGHTED.

    Raise SetupError for a match that cannot be played.
    """

    game: Game  # in the compiled build
    bots: Sequence[str | Agent]  # specs, and bots of your own
    seats: int  # of every play
    deals: int  # for each pairing
    seed: int | None = None  # of the deals
    plan: str = "round-robin"  # or "ladder", or "table"
    against: str | Agent | None = None  # a common opponent; if None, the bots play against each other
    options: dict[str, str] = field(default_factory=dict)  # of the game
    rule: SprtRule | None = None  # for ending a pairing early
    weights: AnyWeights | None = None  # of the evaluations of `bots`; `against` has the game's own
    resolved_seed: int = field(init=False, repr=False, compare=False)  # `seed`, else 0, or a secret one for a program

    def __post_init__(self) -> None:
        check_game(self.game)
        if self.game.build != "compiled":
            raise SetupError("A match is played in the compiled build.")
        if isinstance(self.bots, str) or not isinstance(self.bots, Iterable):
            raise SetupError(
                f"The bots of a match are a list of specs and agents, as ['greedy', 'search:1s'], not {self.bots!r}."
            )
        agents_by_name(self.all_bots)  # raises the errors of invalid bots
        # Python integers, because JSON does not accept NumPy's
        object.__setattr__(self, "seats", self.game.check_seats(self.seats))
        object.__setattr__(self, "deals", check_int("deals", self.deals, 1))
        self.game.empty_state(self.options)
        if self.weights is not None:
            object.__setattr__(self, "weights", complete_weights(self.game, self.weights))
        for bot, weights in [*((bot, self.weights) for bot in self.bots), (self.against, None)]:
            if isinstance(bot, str):
                make(bot, self.game, seed=0, weights=weights)
        object.__setattr__(self, "resolved_seed", resolve_seed(self.seed, self.all_bots))
        if self.rule:
            check_rule(self.rule, self.lineups(), self.seats)

    @property
    def all_bots(self) -> list[str | Agent]:
        """The bots, and their common opponent if it is given."""
        return [*self.bots, *([self.against] if self.against else [])]

    @property
    def hides_seed(self) -> bool:
        """Whether the seed must stay secret during the match."""
        return self.seed is None and bool(external_bots(self.all_bots))

    def config(self) -> MatchConfig:
        """Return the configuration that all plays share."""
        return MatchConfig(
            game=self.game.meta.name,
            rules_version=self.game.meta.rules_version,
            components=self.game.components_hash,
            bot_code=fingerprint(self.game, self.weights),
            seats=self.seats,
            options=dict(self.options),
            seed=self.resolved_seed,
        )

    def lineups(self) -> list[Lineup]:
        against = str(self.against) if self.against else None
        return lineups([*map(self.name, self.bots)], self.seats, self.plan, against)

    def name(self, bot: str | Agent) -> str:
        """Return the name of one of `bots` in lineups and rows. Agents have no weights."""
        return f"{bot}{WEIGHTED}" if isinstance(bot, str) and self.weights is not None else str(bot)

    @property
    def weighted(self) -> dict[str, tuple[str, AnyWeights]]:
        """The spec and the weights of each bot with `weights`, by its name in lineups."""
        if self.weights is None:
            return {}
        return {self.name(bot): (bot, self.weights) for bot in self.bots if isinstance(bot, str)}

    def tasks(self) -> Iterator[Task]:
        """Yield a task for every play, deal by deal, so that an interrupted match has balanced lineups."""
        all_lineups = self.lineups()
        for deal in range(self.deals):
            seed, bot_seed = deal_seeds(self.resolved_seed, deal)
            for lineup in all_lineups:
                options = dict(self.options)
                yield Task(self.game.name, options, deal, seed, bot_seed, lineup.pairing, lineup.bots)

    def total(self) -> int:
        """Return the number of plays, if no pairing ends early."""
        return self.deals * len(self.lineups())


def check_rule(rule: SprtRule, lineups: Sequence[Lineup], seats: int) -> None:
    """Raise SetupError for a rule that could never decide a pairing."""
    if not all(challenger(lineup.pairing, lineup.bots) for lineup in lineups):
        raise SetupError("Only a bot against another one can be decided early: not bots alone, or at one table.")
    if not 0 < rule.margin <= 1 - 1 / seats:
        raise SetupError(
            f"A fair share is {1 / seats:.1%} with {seats} seats, so no test can decide on a margin of "
            f"{rule.margin:g}: ask for more than 0, and {floor(1000 * (1 - 1 / seats)) / 1000:g} at most."
        )


def deal_seeds(seed: int, deal: int) -> tuple[int, int]:
    """Return the seeds of the cards and of the bots in a deal, which do not depend on the number of deals."""
    cards, bot_seed = np.random.SeedSequence([seed, deal]).generate_state(2, np.uint64) >> np.uint64(1)
    return int(cards), int(bot_seed)


def run(
    match: Match,
    folder: Path | None = None,
    executor: Executor | None = None,
    progress: Callable[[int], None] = lambda _done: None,
    minutes: float = inf,
) -> list[Row]:
    """Play the plays of a match that are not in the folder yet. Return the rows of all plays so far.

    A pairing that ended early has rows up to the deal that decided it.

    Args:
        match: the match.
        folder: the folder for the rows, from which an interrupted match is resumed.
        executor: runs the plays; one thread if not given. Agents play in a ThreadExecutor only.
        progress: a function that is called with the number of completed plays, at the start and after each play.
        minutes: no deal begins after this time; 0 only returns the rows in the folder.

    Raises:
        SetupError: the folder cannot be used, has another match, or has none although `minutes` is 0; or the executor
            cannot run agents.
        MissingExtra: a folder is given, and pyarrow is not installed.
    """
    if not minutes and folder and not match_folder(folder).config_file.is_file():
        raise SetupError(f"There is no match in {str(folder)!r} to be summed up.")
    until = monotonic() + 60 * minutes
    executor = executor or ThreadExecutor()
    agents = agents_by_name(match.all_bots, executor)
    match = with_stored_seed(match, folder)
    config = match.config()
    if match.hides_seed and not minutes:
        config = replace(config, seed=stored_seed(folder))
    ledger = Ledger(config, folder, match.hides_seed and minutes > 0)
    try:
        plays = MatchProgress(match, ledger.rows)
        progress(plays.done)
        work = partial(run_task, agents=agents, weighted=match.weighted)
        with closing(executor.map_unordered(work, plays.pending_tasks(until))) as rows:
            for row in rows:
                plays.add(row)
                ledger.add(row)
                progress(plays.done)
    finally:
        ledger.close()
    return plays.valid_rows(ledger.rows)


def with_stored_seed(match: Match, folder: Path | None) -> Match:
    """Return a copy of the match with the seed stored in the folder.

    Return the match itself if the match does not hide its seed, or no seed is stored.
    """
    if not match.hides_seed or (seed := stored_seed(folder)) is None:
        return match
    same = replace(match)
    object.__setattr__(same, "resolved_seed", seed)
    return same


class MatchProgress:
    def __init__(self, match: Match, rows: Sequence[Row]) -> None:
        self._match = match
        self._lineups = {(lineup.pairing, lineup.bots) for lineup in match.lineups()}
        self._done: set[Key] = set()
        self._pairings = {
            lineup.pairing: Pairing(match, challenger(lineup.pairing, lineup.bots)) for lineup in match.lineups()
        }
        for row in rows:
            self.add(row)

    @property
    def done(self) -> int:
        return len(self._done)

    def add(self, row: Row) -> None:
        """Add a row, unless its lineup or its deal is not part of this match."""
        if self._is_ours(row):
            self._done.add(key(row))
            self._pairings[row["pairing"]].add(row)

    def pending_tasks(self, until: float = inf) -> Iterator[Task]:
        """Yield the tasks of the remaining plays, except in pairings that are decided before the deal begins.

        No deal begins after `until`, a time of the monotonic clock.
        """
        for _, deal in groupby(self._match.tasks(), key=lambda task: task.deal):
            decided = {name for name, pairing in self._pairings.items() if pairing.decided_by < inf}
            if monotonic() >= until or len(decided) == len(self._pairings):
                return
            for task in deal:
                if task.key not in self._done and task.pairing not in decided:
                    yield task

    def valid_rows(self, rows: Sequence[Row]) -> list[Row]:
        """Return the rows of this match, up to the deal that decided their pairing."""
        ours = filter(self._is_ours, rows)
        return [row for row in ours if row["deal"] <= self._pairings[row["pairing"]].decided_by]

    def _is_ours(self, row: Row) -> bool:
        deal, pairing, bots = key(row)
        return deal < self._match.deals and (pairing, bots) in self._lineups


class Pairing:
    """The results of one pairing by deal, and the deal that decided it."""

    def __init__(self, match: Match, bot: str) -> None:
        self._match, self._bot = match, bot
        self._rows: dict[int, list[Row]] = defaultdict(list)
        self._shares: list[float] = []
        self.decided_by = inf

    def add(self, row: Row) -> None:
        """Add a row. If there is a rule, its test uses the row when all deals up to the row's deal are complete."""
        rule, seats = self._match.rule, self._match.seats
        self._rows[row["deal"]].append(row)
        while rule and self.decided_by == inf and len(rows := self._rows[len(self._shares)]) == seats:
            self._shares += mean_by_deal(rows, self._bot, win_share)
            if is_decided(self._shares, 1 / seats, rule):
                self.decided_by = len(self._shares) - 1
