"""Matches: bots meet on the same deals, in every seat, until enough is known."""

from collections import Counter
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass, field
from itertools import groupby
from math import inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from ..bots.base import parsed
from ..core.game import checked_seed
from ..errors import SetupError
from .engines import Engine, Threads
from .ledger import Ledger, Row, Terms
from .lineups import challenger, lineups
from .refereeing import Task, play_task
from .sequential import Rule, decided
from .simulate import checked_number
from .standings import by_deal, share

if TYPE_CHECKING:
    from ..core.game import Game

BATCH = 64  # rows between two writes


@dataclass(frozen=True)
class Match:
    """What is to be played.

    `bots` are specs; `plan` says who meets whom (`lineups.PLANS`), `against` names a bot that all
    meet instead. Every lineup plays the deals 0 .. deals - 1, which `seed` settles. A `rule` ends a
    pairing early, once it is decided.
    """

    game: "Game"
    bots: Sequence[str]
    seats: int
    deals: int
    seed: int = 0
    plan: str = "round-robin"
    against: str | None = None
    options: dict[str, str] = field(default_factory=dict)
    rule: Rule | None = None

    def __post_init__(self) -> None:
        """SetupError for anything that cannot be played."""
        for spec in (*self.bots, *([self.against] if self.against else [])):
            parsed(spec)
        self.game.checked_seats(self.seats)
        self.game.blank(self.options)
        checked_number("deals", self.deals, 1)
        checked_seed(self.seed)
        if self.game.build != "compiled":
            raise SetupError("A match is played in the compiled build.")

    def terms(self) -> Terms:
        """What all its rows depend on."""
        meta = self.game.meta
        return Terms(meta.name, meta.rules_version, self.game.components, self.seats, dict(self.options), self.seed)

    def tasks(self) -> Iterator[Task]:
        """Every play, deal by deal, so that a match that is cut short has met everybody equally often."""
        meetings = lineups(self.bots, self.seats, self.plan, self.against)
        for deal in range(self.deals):
            seed, luck = deal_seeds(self.seed, deal)
            for lineup in meetings:
                yield Task(self.game.name, dict(self.options), deal, seed, luck, lineup.pairing, lineup.bots)

    def total(self) -> int:
        """How many plays there are."""
        return self.deals * len(lineups(self.bots, self.seats, self.plan, self.against))


def deal_seeds(seed: int, deal: int) -> tuple[int, int]:
    """The seeds of a deal: its cards, and its bots. They stay what they are however many deals there are."""
    cards, luck = np.random.SeedSequence([seed, deal]).generate_state(2, np.uint64) >> np.uint64(1)
    return int(cards), int(luck)


def run(
    match: Match,
    folder: Path | None = None,
    engine: Engine | None = None,
    progress: Callable[[int], None] = lambda _done: None,
    minutes: float = inf,
) -> list[Row]:
    """Play what has not been played yet, and return the rows of all plays.

    Args:
        match: what to play.
        folder: where the rows are kept; a match that was interrupted goes on there.
        engine: what carries out the plays; one thread if not given.
        progress: is told the number of plays done, every now and then.
        minutes: after so many no new deal is begun.
    """
    until = monotonic() + 60 * minutes
    ledger = Ledger(match.terms(), folder)
    known = Known(match, ledger.rows)
    engine = engine or Threads()
    fresh: list[Row] = []
    progress(len(ledger.rows))
    try:
        for row in engine.each(play_task, known.wanted(match.tasks(), until)):
            known.note(row)
            fresh.append(row)
            progress(len(ledger.rows) + len(fresh))
            if len(fresh) >= BATCH:
                ledger.add(fresh)
                fresh = []
    finally:
        ledger.add(fresh)
    return ledger.rows


class Known:
    """What the rows so far say about what is still to be played."""

    def __init__(self, match: Match, rows: Sequence[Row]) -> None:
        self._rule, self._seats = match.rule, match.seats
        self._done = {(row["deal"], tuple(row["bots"])) for row in rows}
        self._by_pairing: dict[str, list[Row]] = {}
        for row in rows:
            self.note(row)

    def note(self, row: Row) -> None:
        """One more row."""
        self._by_pairing.setdefault(row["pairing"], []).append(row)

    def wanted(self, tasks: Iterator[Task], until: float = inf) -> Iterator[Task]:
        """The tasks that have not been done, less those of pairings decided before the deal begins.

        No deal begins after `until`, a reading of the monotonic clock.
        """
        for _, deal in groupby(tasks, key=lambda task: task.deal):
            if monotonic() >= until:
                return
            lineups = list(deal)
            over = {pairing for pairing in {task.pairing for task in lineups} if self._decided(pairing)}
            for task in lineups:
                if (task.deal, task.bots) not in self._done and task.pairing not in over:
                    yield task

    def _decided(self, pairing: str) -> bool:
        if self._rule is None:
            return False
        rows = self._by_pairing.get(pairing, [])
        played = Counter(row["deal"] for row in rows)
        whole = [row for row in rows if played[row["deal"]] == self._seats]
        return decided(by_deal(whole, challenger(pairing), share), 1 / self._seats, self._rule)
