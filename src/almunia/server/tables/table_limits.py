"""Limits on new tables: how many running games one guest may have, and how many costly tables one address may open.

A bot that searches keeps a thread busy for up to a second an action, and a game that is played on is replayed and
copied. A guest costs nothing: so these are counted by address.
"""

from math import ceil

from limits import RateLimitItem, parse
from limits.strategies import RateLimiter

from ... import bots
from ...core.english import pluralize
from ...core.loaded import LoadedGame
from ..clock import Clock, format_duration
from ..errors import Conflict, TooManyRequests
from ..limits import DEFAULT_LIMITS
from .model import Table
from .repository import TableRepository

BOT_TABLE, PLAYED_ON = "bot table", "played on"


class TableLimits:
    """The limits of a site on new tables."""

    def __init__(
        self,
        store: TableRepository,
        limiter: RateLimiter,
        clock: Clock,
        bot_tables: str,
        max_running: int,
        *,
        played_on: str = DEFAULT_LIMITS.played_on_tables,
    ) -> None:
        self._store, self._limiter, self._clock = store, limiter, clock
        self._bot_tables, self._played_on = parse(bot_tables), parse(played_on)
        self._max_running = max_running

    def check(self, table: Table, game: LoadedGame) -> None:
        """Count a table that is about to be opened.

        Raises:
            Conflict: its host has as many running games as one guest may have.
            TooManyRequests: its address has opened as many tables with bots that search as it may.
        """
        running = self._store.count_running(table.owner)
        if running >= self._max_running:
            raise Conflict(
                f"You have {pluralize(running, 'running game')}, and {self._max_running} is the limit. "
                "Finish or close one first."
            )
        if has_search(table, game):
            self._count(table)

    def check_bot(self, table: Table, game: LoadedGame, spec: str) -> None:
        """Count a table that a bot joins; TooManyRequests if it is the first bot that searches, beyond the limit."""
        if searches(spec, game) and not has_search(table, game):
            self._count(table)

    def check_played_on(self, network: str) -> None:
        """Count a game that is about to be played on; TooManyRequests if its address has done so as often as it may."""
        said = "games have been played on from a position from your network lately, which is the limit. Wait {wait}."
        self._hit(self._played_on, PLAYED_ON, network, said)

    def _count(self, table: Table) -> None:
        said = "games with strong bots have been started from your network lately, which is the limit. "
        self._hit(self._bot_tables, BOT_TABLE, table.network, said + "Choose weaker bots, or wait {wait}.")

    def _hit(self, rate: RateLimitItem, kind: str, network: str, said: str) -> None:
        if network and not self._limiter.hit(rate, kind, network):
            ends = self._limiter.get_window_stats(rate, kind, network).reset_time
            wait = max(1, ceil(ends - self._clock.now()))
            raise TooManyRequests(f"{rate.amount} {said.format(wait=format_duration(wait) or 'a moment')}", wait)


def has_search(table: Table, game: LoadedGame) -> bool:
    """Whether a bot that searches plays at a table."""
    return any(searches(seat.bot, game) for seat in table.seats if seat.bot)


def searches(spec: str, game: LoadedGame) -> bool:
    """Whether a bot looks further ahead than one action."""
    return bots.parse_spec(spec, game).kind not in bots.KERNEL_BOTS
