"""Limits on new tables: running games by guest, and costly tables by network address.

Tables with search bots, forks and imported games are costly. A new guest costs nothing, so these tables are counted by
address.
"""

from limits import RateLimitItem, parse

from ... import bots
from ...core.english import pluralize
from ...core.loaded import LoadedGame
from ..clock import format_duration
from ..errors import Conflict, TooManyRequests
from ..limits import DEFAULT_LIMITS
from ..storage.rate_limits import RateLimiter
from .model import Table
from .repository import TableRepository

BOT_TABLE, FORK, IMPORT, ABORT = "bot table", "played on", "imported", "abort"
ABORT_RATE = parse("3/day")  # rated games of a guest


class TableLimits:
    def __init__(
        self,
        store: TableRepository,
        limiter: RateLimiter,
        bot_tables: str,
        max_running: int,
        *,
        played_on: str = DEFAULT_LIMITS.played_on_tables,
        imported: str = DEFAULT_LIMITS.imported_tables,
    ) -> None:
        self._store, self._limiter = store, limiter
        self._bot_tables, self._played_on, self._imported = parse(bot_tables), parse(played_on), parse(imported)
        self._max_running = max_running

    def check_new_table(self, table: Table, game: LoadedGame) -> None:
        """Check the limits for a table that is about to be created, and count a table with search bots.

        Raises:
            Conflict: the host has too many running games.
            TooManyRequests: the address has created too many tables with search bots.
        """
        if (running := self._store.count_running(table.host)) >= self._max_running:
            raise Conflict(
                f"You have {pluralize(running, 'running game')}, and {self._max_running} is the limit. "
                "Finish or close one first."
            )
        if has_search_bot(table, game):
            self._count(table)

    def check_added_bot(self, table: Table, game: LoadedGame, spec: str) -> None:
        """Count a table when its first search bot joins; raise TooManyRequests beyond the limit."""
        if is_search_bot(spec, game) and not has_search_bot(table, game):
            self._count(table)

    def check_abort(self, guest: str) -> None:
        """Count a rated game that a guest aborts; TooManyRequests beyond the limit, so that no one looks for a deal."""
        if not self._limiter.hit(ABORT_RATE, ABORT, guest):
            wait = self._limiter.wait_seconds(ABORT_RATE, ABORT, guest)
            raise TooManyRequests(
                f"You have aborted {ABORT_RATE.amount} rated games within a day, which is the limit. You can resign.",
                wait,
            )

    def check_fork(self, network: str) -> None:
        """Count a fork by this network; raise TooManyRequests beyond the limit. An empty network has no limit."""
        message = "games were continued from a position in your network recently, which is the limit. Wait {wait}."
        self._hit(self._played_on, FORK, network, message)

    def check_import(self, network: str) -> None:
        """Count an import by this network; raise TooManyRequests beyond the limit. An empty network has no limit."""
        self._hit(
            self._imported,
            IMPORT,
            network,
            "game files were opened in your network recently, which is the limit. Wait {wait}.",
        )

    def _count(self, table: Table) -> None:
        message = "games with strong bots were started in your network recently, which is the limit. "
        self._hit(self._bot_tables, BOT_TABLE, table.network, message + "Choose weaker bots, or wait {wait}.")

    def _hit(self, rate: RateLimitItem, kind: str, network: str, message: str) -> None:
        if network and not self._limiter.hit(rate, kind, network):
            wait = self._limiter.wait_seconds(rate, kind, network)
            raise TooManyRequests(f"{rate.amount} {message.format(wait=format_duration(wait) or 'a moment')}", wait)


def has_search_bot(table: Table, game: LoadedGame) -> bool:
    return any(is_search_bot(seat.bot, game) for seat in table.seats if seat.bot)


def is_search_bot(spec: str, game: LoadedGame) -> bool:
    return bots.parse_spec(spec, game).kind not in bots.KERNEL_BOTS
