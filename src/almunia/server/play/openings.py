"""Limits on new tables: how many games one guest may have running, and how many bots that search one address may start.

A search keeps a thread busy for up to a second an action, and a guest costs nothing: so these are counted by address.
"""

from math import ceil

from limits import RateLimitItem, parse
from limits.strategies import RateLimiter

from ... import bots
from ...core.game import Game
from ...core.words import count_of
from ..errors import Conflict, TooMany
from ..storage.store import Store, Table
from ..times import Clock, lasting

KIND = "bot table"


class Openings:
    """The limits of a site on new tables."""

    def __init__(self, store: Store, limiter: RateLimiter, clock: Clock, bot_tables: str, max_running: int) -> None:
        self._store, self._limiter, self._clock = store, limiter, clock
        self._rate: RateLimitItem = parse(bot_tables)
        self._max_running = max_running

    def check(self, table: Table, game: Game) -> None:
        """Count a table that is about to be opened.

        Raises:
            Conflict: its host has as many running games as one guest may have.
            TooMany: its address has opened as many tables with bots that search as it may.
        """
        running = self._store.count_running(table.owner)
        if running >= self._max_running:
            raise Conflict(
                f"You have {count_of(running, 'running game')}, and {self._max_running} is the limit. "
                "Finish or close one first."
            )
        if has_search(table, game):
            self._count(table)

    def check_bot(self, table: Table, game: Game, spec: str) -> None:
        """Count a table to which a bot is about to come; TooMany if it is the first that searches, and one too many."""
        if searches(spec, game) and not has_search(table, game):
            self._count(table)

    def _count(self, table: Table) -> None:
        if table.network and not self._limiter.hit(self._rate, KIND, table.network):
            ends = self._limiter.get_window_stats(self._rate, KIND, table.network).reset_time
            wait = max(1, ceil(ends - self._clock.now()))
            raise TooMany(
                f"{self._rate.amount} games with strong bots have been started from your network lately, which is the "
                f"limit. Choose weaker bots, or wait {lasting(wait) or 'a moment'}.",
                wait,
            )


def has_search(table: Table, game: Game) -> bool:
    """Whether a bot that searches plays at a table."""
    return any(searches(seat.bot, game) for seat in table.seats if seat.bot)


def searches(spec: str, game: Game) -> bool:
    """Whether a bot looks further ahead than one action."""
    return bots.parsed(spec, game).kind not in bots.SPECS
