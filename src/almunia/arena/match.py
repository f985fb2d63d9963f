"""Matches: bots meet on the same deals, in every seat, until enough is known."""

from collections import defaultdict
from collections.abc import Callable, Iterator, Sequence
from contextlib import closing
from dataclasses import dataclass, field, replace
from functools import cached_property
from itertools import groupby
from math import floor, inf
from pathlib import Path
from time import monotonic
from typing import TYPE_CHECKING

import numpy as np

from ..bots.factory import make
from ..bots.fingerprint import fingerprint
from ..errors import SetupError
from ..validation import checked_game, checked_number
from .engines import Engine, Threads
from .ledger import Key, Ledger, Row, Terms, kept_seed, key
from .lineups import Lineup, challenger, lineups
from .refereeing import Task, play_task
from .seeds import drawn_seed, programs
from .sequential import Rule, decided
from .standings import by_deal, share

if TYPE_CHECKING:
    from ..library import Game


@dataclass(frozen=True)
class Match:
    """What is to be played.

    `bots` are specs; `plan` says who meets whom (`lineups.PLANS`), `against` names a bot that all
    meet instead. Every lineup plays the deals 0 .. deals - 1, which `seed` settles; if it is not given
    it is 0, or, where a program plays, one that nobody knows. A `rule` ends a pairing early, once it is decided.
    """

    game: "Game"  # in the compiled build
    bots: Sequence[str]  # specs
    seats: int  # at every table
    deals: int  # for each pairing
    seed: int | None = None  # settles the deals
    plan: str = "round-robin"  # or "ladder", or "table"
    against: str | None = None  # the spec of a bot that all meet instead of one another
    options: dict[str, str] = field(default_factory=dict)  # the game's
    rule: Rule | None = None  # when to end a pairing early

    def __post_init__(self) -> None:
        """SetupError for anything that cannot be played."""
        checked_game(self.game)
        if self.game.build != "compiled":
            raise SetupError("A match is played in the compiled build.")
        if isinstance(self.bots, str) or not all(isinstance(bot, str) for bot in self.everybody):
            raise SetupError(
                f"The bots of a match are a list of specs such as ['greedy', 'search:1s'], not {self.bots!r}. "
                "A bot that is an object can play in `almunia.simulate`; a program of its own can play a match."
            )
        numbers = {"seats": self.game.checked_seats(self.seats), "deals": checked_number("deals", self.deals, 1)}
        vars(self).update(numbers)  # NumPy's numbers have become Python's, which can be written down
        self.game.blank(self.options)
        for spec in self.everybody:
            make(spec, self.game, seed=0)
        assert self.drawn >= 0  # draws it now, so that all copies have the same
        if self.rule:
            check_rule(self.rule, self.lineups(), self.seats)

    @property
    def everybody(self) -> list[str]:
        """The bots, and the one that they meet."""
        return [*self.bots, *([self.against] if self.against else [])]

    @cached_property
    def drawn(self) -> int:
        """The seed that settles the deals: as given, or drawn."""
        return drawn_seed(self.seed, self.everybody)

    @property
    def secret(self) -> bool:
        """Must nobody know the seed while this is played?"""
        return self.seed is None and bool(programs(self.everybody))

    def terms(self) -> Terms:
        """What all its rows depend on."""
        meta = self.game.meta
        return Terms(
            meta.name,
            meta.rules_version,
            self.game.components,
            fingerprint(self.game),
            self.seats,
            dict(self.options),
            self.drawn,
        )

    def lineups(self) -> list[Lineup]:
        """Who meets whom on every deal."""
        return lineups(self.bots, self.seats, self.plan, self.against)

    def tasks(self) -> Iterator[Task]:
        """Every play, deal by deal, so that a match that is cut short has met everybody equally often."""
        meetings = self.lineups()
        for deal in range(self.deals):
            seed, bot_seed = deal_seeds(self.drawn, deal)
            for lineup in meetings:
                yield Task(self.game.name, dict(self.options), deal, seed, bot_seed, lineup.pairing, lineup.bots)

    def total(self) -> int:
        """How many plays there are."""
        return self.deals * len(self.lineups())


def check_rule(rule: Rule, lineups: Sequence[Lineup], seats: int) -> None:
    """SetupError where nothing could ever be decided."""
    if not all(challenger(lineup) for lineup in lineups):
        raise SetupError("Only a bot against another one can be decided early: not bots alone, or at one table.")
    if rule.margin > 1 - 1 / seats:
        raise SetupError(
            f"A fair share is {1 / seats:.1%} with {seats} seats, so nobody can beat it by {rule.margin:g}: "
            f"ask for {floor(1000 * (1 - 1 / seats)) / 1000:g} at most."
        )


def deal_seeds(seed: int, deal: int) -> tuple[int, int]:
    """The seeds of a deal: its cards, and its bots. They stay what they are however many deals there are."""
    cards, bot_seed = np.random.SeedSequence([seed, deal]).generate_state(2, np.uint64) >> np.uint64(1)
    return int(cards), int(bot_seed)


def run(
    match: Match,
    folder: Path | None = None,
    engine: Engine | None = None,
    progress: Callable[[int], None] = lambda _done: None,
    minutes: float = inf,
) -> list[Row]:
    """Play what has not been played yet, and return the rows of all plays.

    A pairing that was ended early counts up to the deal that decided it.

    Args:
        match: what to play.
        folder: where the rows are kept; a match that was interrupted goes on there.
        engine: what carries out the plays; one thread if not given.
        progress: is told the number of plays done, every now and then.
        minutes: after so many no new deal is begun.
    """
    if not minutes and folder and not folder.is_dir():
        raise SetupError(f"There is no match in {str(folder)!r} to be summed up.")
    until = monotonic() + 60 * minutes
    match = resumed(match, folder)
    terms = match.terms() if minutes or not match.secret else replace(match.terms(), seed=kept_seed(folder))
    ledger = Ledger(terms, folder, match.secret and minutes > 0)
    known = Known(match, ledger.rows)
    engine = engine or Threads()
    progress(known.done)
    try:
        with closing(engine.each(play_task, known.wanted(until))) as played:
            for row in played:
                known.note(row)
                ledger.add(row)
                progress(known.done)
    finally:
        ledger.close()
    return known.counted(ledger.rows)


def resumed(match: Match, folder: Path | None) -> Match:
    """The match, with the seed that was drawn when it was begun in this folder, if it was."""
    if not match.secret or (seed := kept_seed(folder)) is None:
        return match
    same = replace(match)
    vars(same)["drawn"] = seed
    return same


class Known:
    """What the rows so far say about what is still to be played."""

    def __init__(self, match: Match, rows: Sequence[Row]) -> None:
        self._match = match
        self._lineups = {(lineup.pairing, lineup.bots) for lineup in match.lineups()}
        self._done: set[Key] = set()
        self._pairings = {lineup.pairing: Pairing(match, challenger(lineup)) for lineup in match.lineups()}
        for row in rows:
            self.note(row)

    @property
    def done(self) -> int:
        """How many plays of the match have been played."""
        return len(self._done)

    def note(self, row: Row) -> None:
        """One more row; one of another plan in the same folder is none of this match."""
        if self._is_ours(row):
            self._done.add(key(row))
            self._pairings[row["pairing"]].note(row)

    def wanted(self, until: float = inf) -> Iterator[Task]:
        """The tasks that have not been done, less those of pairings decided before the deal begins.

        No deal begins after `until`, a reading of the monotonic clock.
        """
        for _, deal in groupby(self._match.tasks(), key=lambda task: task.deal):
            over = {name for name, pairing in self._pairings.items() if pairing.decided_by < inf}
            if monotonic() >= until or len(over) == len(self._pairings):
                return
            for task in deal:
                if task.key not in self._done and task.pairing not in over:
                    yield task

    def counted(self, rows: Sequence[Row]) -> list[Row]:
        """Those of the rows that are of this match, up to the deal that decided their pairing."""
        mine = filter(self._is_ours, rows)
        return [row for row in mine if row["deal"] <= self._pairings[row["pairing"]].decided_by]

    def _is_ours(self, row: Row) -> bool:
        deal, pairing, bots = key(row)
        return deal < self._match.deals and (pairing, bots) in self._lineups


class Pairing:
    """The evidence on one pairing, deal after deal, and the deal that decided it."""

    def __init__(self, match: Match, bot: str) -> None:
        self._match, self._bot = match, bot
        self._rows: dict[int, list[Row]] = defaultdict(list)
        self._shares: list[float] = []
        self.decided_by = inf

    def note(self, row: Row) -> None:
        """One more row. It counts as soon as all deals up to its own have been played by all."""
        rule, seats = self._match.rule, self._match.seats
        self._rows[row["deal"]].append(row)
        while rule and self.decided_by == inf and len(rows := self._rows[len(self._shares)]) == seats:
            self._shares += by_deal(rows, self._bot, share)
            if decided(self._shares, 1 / seats, rule):
                self.decided_by = len(self._shares) - 1
