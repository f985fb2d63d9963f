"""Lets bots play. They think in threads of their own, and see what their seat may know."""

import logging
from concurrent.futures import ThreadPoolExecutor
from threading import Lock

from .. import bots
from .builds import playable
from .store import Table
from .tables import Tables
from .troubles import Trouble

log = logging.getLogger(__name__)


class Thinkers:
    """Plays the bots' turns at every table."""

    def __init__(self, tables: Tables, workers: int) -> None:
        self._tables = tables
        self._pool = ThreadPoolExecutor(workers, "bot")
        self._lock = Lock()
        self._busy: dict[str, bool] = {}  # tables at work, and whether they have changed meanwhile

    def wake(self) -> None:
        """Take up every table that was left on a bot's turn."""
        for table_id in self._tables.store.awaiting_bots():
            self.call(table_id)

    def changed(self, table: Table) -> None:
        """Look at a table that has changed."""
        if table.bot_to_move:
            self.call(table.id)

    def call(self, table_id: str) -> None:
        """Let the bots at a table play, unless they are at it."""
        with self._lock:
            if table_id in self._busy:
                self._busy[table_id] = True
                return
            self._busy[table_id] = False
        try:
            self._pool.submit(self._play, table_id)
        except RuntimeError:  # closed meanwhile: the next start takes the table up
            self._busy.pop(table_id, None)

    def close(self) -> None:
        """Stop after the action being thought about."""
        self._pool.shutdown(wait=True, cancel_futures=True)

    def _play(self, table_id: str) -> None:
        again = True
        while again:
            try:
                players: dict[int, bots.NamedBot] = {}  # by seat; a searching bot goes on with what it knows
                while self._step(table_id, players):
                    pass
            except Trouble as trouble:  # a person was quicker
                log.info("The bot at table %s starts again: %s", table_id, trouble)
            except Exception:  # whatever a bot does wrong, the site goes on
                log.exception("The bot at table %s failed.", table_id)
            with self._lock:
                again = self._busy[table_id]
                self._busy[table_id] = False
                if not again:
                    del self._busy[table_id]

    def _step(self, table_id: str, players: dict[int, bots.NamedBot]) -> bool:
        """Play one action of a bot; false if it is not a bot's turn."""
        now = self._tables.sitting(table_id)
        if not now.table.bot_to_move:
            return False
        seat = now.play.turn
        spec = playable(now.table.seats[seat].player, now.play.game)
        if seat not in players or players[seat].spec != spec:
            players[seat] = bots.make(spec, now.play.game)
        diary = now.diary(seat)
        self._tables.act(table_id, seat, players[seat].choose(diary.view), diary.seen)
        return True
