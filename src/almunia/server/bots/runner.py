"""Plays the turns of bots, in separate threads, from what their seats may know.

A thread plays one bot's turn at one table. Networks take turns, and so do the hosts of a network; tables with viewers
are preferred. A table that its people have left to bots is played only while it has viewers. Failures are retried, and
all running tables are scanned regularly. If several processes play bots, each turn is locked by one of them.
"""

import logging
from collections.abc import Callable, Collection
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from math import inf
from threading import Event, Lock
from time import monotonic
from typing import NamedTuple

from ... import bots
from ...errors import RecordError
from ...play.play import Observation
from ..background import PeriodicTask
from ..errors import Conflict, RequestError
from ..fair_queue import Turns
from ..limits import DEFAULT_LIMITS, Limits
from ..monitoring.metrics import BOT_SECONDS
from ..storage.locks import AdvisoryLocks
from ..tables.builds import FALLBACK_BOT, effective_bot, is_playable
from ..tables.model import Table
from ..tables.seats import SeatService
from ..tables.service import TableService
from ..tables.state import TableState
from .response_timing import ResponseTiming

SHARED_SWEEP_SECONDS = 3.0  # with other processes, which may stop in the middle of a bot's turn
MAX_WATCHED_TURNS = 3  # in a row at tables with viewers, before another table has its turn
MAX_FAILURES = 3  # of a bot in a row, before it is replaced
FALLBACK_BOTS = (bots.DEFAULT_LEVEL, "random")

Players = dict[tuple[str, str], bots.NamedBot]  # the bots of a turn, by build and spec

log = logging.getLogger(__name__)


class BotFailed(Exception):
    """A bot raised an exception, or chose an illegal action."""

    def __init__(self, seat: int, spec: str) -> None:
        super().__init__(seat, spec)
        self.seat, self.spec = seat, spec


class BotCall(NamedTuple):
    table: str
    owner: str
    network: str


class TableQueue:
    """Tables that wait for a thread.

    Networks take turns, and so do the hosts within a network. Turns of hosts alone would be unfair: a visitor without a
    cookie is a new host at every visit. Tables with viewers come first, but for at most `MAX_WATCHED_TURNS`
    turns in a row while other tables wait.
    """

    def __init__(self) -> None:
        self._waiting: dict[BotCall, None] = {}  # in order
        self._turns = Turns()  # of networks and of their hosts, separately for tables with and without viewers
        self._watched_turns = 0  # turns in a row at tables with viewers, while others waited

    def add(self, call: BotCall) -> None:
        self._waiting[call] = None

    def pop(self, watched: Callable[[], Collection[str]]) -> BotCall:
        """Remove and return the table whose turn it is; calls `watched` if several tables wait."""
        tables = watched() if len(self._waiting) > 1 else ()
        front = [call for call in self._waiting if call.table in tables]
        back = [call for call in self._waiting if call.table not in tables]
        is_front = bool(front) and (not back or self._watched_turns < MAX_WATCHED_TURNS)
        self._watched_turns = self._watched_turns + 1 if is_front and back else 0

        def keys(call: BotCall) -> list[tuple[bool, str, str | None]]:
            return [(is_front, call.network, host) for host in (None, call.owner)]

        call = min(front if is_front else back, key=lambda call: [self._turns.last(key) for key in keys(call)])
        del self._waiting[call]
        self._turns.serve(*keys(call))
        return call


@dataclass(frozen=True)
class BotDispatch:
    """The function that reports a change of a table to the bots: in this process, or in bot workers."""

    call: Callable[[Table], object]


class BotRunner:
    def __init__(
        self,
        tables: TableService,
        seating: SeatService,
        locks: AdvisoryLocks,
        workers: int,
        seed_of: Callable[[Table, int, int], int | None] = lambda *_: None,
        *,
        watched: Callable[[], Collection[str]] = frozenset,
        timer: Callable[[], float] = monotonic,
        limits: Limits = DEFAULT_LIMITS,
    ) -> None:
        self.make: Callable[..., bots.NamedBot] = bots.make  # by spec, game and perhaps a seed
        self._timer = timer  # returns seconds
        self._tick_seconds, self._retry_seconds = limits.bot_tick_seconds, limits.bot_retry_seconds
        max_seconds = SHARED_SWEEP_SECONDS if tables.store.is_shared else inf
        self._sweep_seconds = min(limits.bot_sweep_seconds, max_seconds)
        self._paused = False
        self._tables, self._seating, self._locks = tables, seating, locks
        self.watched_tables = watched  # returns the tables with viewers in this process
        self._watched_elsewhere: frozenset[str] = frozenset()  # as of the last scan of the database
        self._seed_of = seed_of  # returns the seed for a table, a seat and a number of actions, or None
        self._pool = ThreadPoolExecutor(workers, "bot")
        self._stop, self._lock = Event(), Lock()
        self._active: dict[str, bool] = {}  # by active or waiting table: whether it was enqueued again meanwhile
        self._queue = TableQueue()
        self._timing = ResponseTiming()
        self._failures: dict[str, int] = {}  # in a row, by table
        self._retries: dict[str, tuple[float, BotCall]] = {}  # by table that failed: when and what to retry
        self._sweeps_failed = 0
        self._swept_at = -inf
        self.task = PeriodicTask(self._check_tables, self._tick_seconds, "The bots' turns cannot be looked for")

    def start(self) -> None:
        """Scan the tables when the periodic task runs next, and whenever a game's build is ready or has failed."""
        self._tables.builds.subscribe(lambda _game: self._rescan())
        self.task.trigger()

    def on_table_change(self, table: Table) -> None:
        if table.is_bot_to_move:
            self.enqueue(table.id, table.host, table.network)

    def enqueue(self, table_id: str, owner: str, network: str = "") -> None:
        """Enqueue a table; a table that is waiting or active is enqueued again after its turn.

        Does nothing while paused.
        """
        with self._lock:
            if self._paused:
                return
            if table_id in self._active:
                self._active[table_id] = True
                return
            self._active[table_id] = False
            self._queue.add(BotCall(table_id, owner, network))
        try:
            self._pool.submit(self._play_next)
        except RuntimeError:  # closed meanwhile: the next start finds the table
            self._active.pop(table_id, None)

    def pause(self) -> None:
        """Start no action of a bot until `resume`; an action that is being computed is still played."""
        with self._lock:
            self._paused = True

    def resume(self) -> None:
        """End the pause, and scan the tables for bots to move."""
        with self._lock:
            self._paused = False
        self._rescan()

    @property
    def queue_depth(self) -> int:
        """The number of tables where a bot is active or waits for a thread."""
        return len(self._active)

    def close(self) -> None:
        """Stop the threads after the actions that are being computed."""
        self._stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)

    # --- scanning all tables --------------------------------------------------------------

    def _check_tables(self) -> None:
        now = self._timer()
        if now >= self._swept_at + self._sweep_seconds:
            self._rescan()
            self._swept_at = now
        for table_id, (due, call) in list(self._retries.items()):
            if due <= now:
                self._retries.pop(table_id, None)
                self.enqueue(*call)

    def _rescan(self) -> None:
        try:
            waiting = self._tables.store.with_bot_to_move()
        except Exception:  # the database may be away for a while
            self._sweeps_failed += 1
            if self._sweeps_failed == 1:
                log.exception("The tables cannot be scanned.")
            return
        if self._sweeps_failed:
            log.warning("The tables are scanned again after %d failures.", self._sweeps_failed)
            self._sweeps_failed = 0
        self._watched_elsewhere = frozenset(one.table for one in waiting if one.is_watched)
        watched = self._all_watched()
        for one in waiting:
            if one.table not in self._retries and (one.table in watched or not one.is_left_to_bots):
                self.enqueue(one.table, one.host, one.network)

    def _all_watched(self) -> frozenset[str]:
        return self._watched_elsewhere.union(self.watched_tables())

    def _is_abandoned(self, table: Table) -> bool:
        return table.is_left_to_bots and table.id not in self._all_watched()

    # --- one table ------------------------------------------------------------------------

    def _play_next(self) -> None:
        with self._lock:
            call = self._queue.pop(self._all_watched)
        table_id, goes_on = call.table, False
        try:
            with self._locks.try_lock(f"bot {table_id}") as is_ours:
                goes_on = is_ours and self._play_turn(table_id)
            if is_ours:
                self._failures.pop(table_id, None)
            else:  # another process plays at this table, and may not have seen the last change
                self._retries[table_id] = self._timer() + self._tick_seconds, call
        except Conflict as conflict:  # the table has changed meanwhile
            log.info("The bot at table %s tries again: %s", table_id, conflict)
            goes_on = True
        except (RequestError, RecordError) as error:  # the table cannot be continued
            log.warning("The bot at table %s gives up: %s", table_id, error)
        except Exception as error:  # noqa: BLE001 - the site survives any fault of a bot or the database
            self._handle_failure(call, error)
        with self._lock:
            goes_on = self._active.pop(table_id) or goes_on
        if goes_on and not self._stop.is_set():
            self.enqueue(*call)

    def _play_turn(self, table_id: str) -> bool:
        """Play a bot's turn as far as possible; return whether the table must be enqueued again."""
        state, players = self._tables.get(table_id), Players()
        turn = state.play.turn, state.play.turns
        while state.table.is_bot_to_move and (state.play.turn, state.play.turns) == turn:
            if self._paused or self._stop.is_set() or self._is_abandoned(state.table):
                break
            if not state.table.rated or is_playable(state.table.seats[state.play.turn].bot, state.play.game):
                state = self._play_action(state, players)
            elif self._tables.builds.is_awaited(state.table.game):
                return False  # the tables are scanned again when the game is compiled
            else:  # the game will not be compiled, and a rating must not depend on a weaker bot
                seat = state.play.turn
                state = self._seating.replace_bot(table_id, seat, state.table.seats[seat].bot, FALLBACK_BOT)
        return state.table.is_bot_to_move and not self._is_abandoned(state.table)

    def _play_action(self, state: TableState, players: Players) -> TableState:
        """Play one action of the bot to move; raise BotFailed if the bot fails or its action is illegal."""
        seat = state.play.turn
        history = state.history(seat)
        try:
            with BOT_SECONDS.labels(state.table.game).time():
                action = self._choose(self._bot_in_seat(state, seat, players), history.view)
            if action not in history.view.legal_actions:
                raise ValueError(f"It chose {action!r}, which is not possible.")
        except Exception as error:
            raise BotFailed(seat, state.table.seats[seat].bot) from error
        return self._tables.move(state.table.id, seat, action, history.version)

    def _choose(self, player: bots.NamedBot, view: Observation) -> int:
        start = self._timer()
        action = player.choose(view)
        due = start + self._timing.response_seconds(view, player.spec, self._timer() - start)
        self._stop.wait(max(0.0, due - self._timer()))
        return action

    def _bot_in_seat(self, state: TableState, seat: int, players: Players) -> bots.NamedBot:
        """Return the bot of a seat: one of this turn's `players`, or a new one.

        A bot is kept for one turn only, because its search tree may take 60 MB.
        """
        spec = effective_bot(state.table.seats[seat].bot, state.play.game)
        seed = self._seed_of(state.table, seat, len(state.play.actions))
        if seed is not None:
            return self.make(spec, state.play.game, seed)
        key = state.play.game.build, spec
        if key not in players:
            players[key] = self.make(spec, state.play.game)
        return players[key]

    # --- failures -------------------------------------------------------------------------

    def _handle_failure(self, call: BotCall, error: Exception) -> None:
        table_id = call.table
        count = self._failures[table_id] = self._failures.get(table_id, 0) + 1
        if count == 1:
            log.error("The bot at table %s failed; it is tried again.", table_id, exc_info=error)
        else:
            log.warning("The bot at table %s failed %d times in a row: %r.", table_id, count, error.__cause__ or error)
        self._retries[table_id] = self._timer() + self._retry_seconds[min(count, len(self._retry_seconds)) - 1], call
        if isinstance(error, BotFailed) and count >= MAX_FAILURES:
            self._replace_bot(table_id, error.seat, error.spec)

    def _replace_bot(self, table_id: str, seat: int, failing: str) -> None:
        """Replace a failing bot by the default level, and a failing default level by the random bot."""
        try:
            later = FALLBACK_BOTS[FALLBACK_BOTS.index(failing) + 1 :] if failing in FALLBACK_BOTS else FALLBACK_BOTS
            if later:
                self._seating.replace_bot(table_id, seat, failing, later[0])
                self._failures.pop(table_id, None)
        except Exception as error:  # noqa: BLE001 - the next failure tries again
            log.warning("No other bot could take the seat of the bot at table %s: %r.", table_id, error)
