"""Lets bots play. They think in threads of their own, and see what their seat may know.

A task is one bot's turn at one table. Turns go round by the networks from which tables were opened, then by their
owners. So nobody's bots wait the longer because somebody else has opened many, or comes as many guests; nor does one of
an owner's tables keep a thread for itself. Tables that somebody watches come first. A table that all its people have
left to bots stops while nobody watches it. What fails is tried again after growing pauses, and all running tables are
looked through now and then: no other table waits for somebody to open its page. Where several processes do this, each
turn is claimed by one of them.
"""

import logging
from collections.abc import Callable, Collection, Sequence
from concurrent.futures import ThreadPoolExecutor
from dataclasses import dataclass
from threading import Event, Lock, Thread
from time import monotonic
from typing import NamedTuple

from ... import bots
from ...errors import RecordError
from ...play.play import Observation
from ..errors import Conflict, RequestError
from ..fair_queue import Turns
from ..limits import DEFAULT_LIMITS
from ..monitoring.metrics import THINKING
from ..storage.locks import AdvisoryLocks
from ..tables.builds import GREEDY, is_playable, playable
from ..tables.model import Table
from ..tables.seats import SeatService
from ..tables.service import TableService
from ..tables.state import TableState
from .response_timing import ResponseTiming

SHARED_SWEEP = 3.0  # seconds between two sweeps where other processes let bots play too, and may end before they have
FRONT_TURNS = 3  # turns in a row at tables that are watched, before one of the others has its turn
PATIENCE = 3  # failures of a bot in a row before another one takes its seat
SUBSTITUTES = (bots.DEFAULT_LEVEL, "random")

log = logging.getLogger(__name__)


class BotFailed(Exception):
    """A bot raised something, or chose what it may not."""

    def __init__(self, seat: int) -> None:
        super().__init__(seat)
        self.seat = seat


class Call(NamedTuple):
    """A table at which a bot is to play."""

    table: str
    owner: str
    network: str


class TableQueue:
    """Tables that wait for a thread, those that are watched first.

    Among these, and among all others, networks take turns; for each network the owners of its tables, and each owner's
    tables in the order they came. An owner costs nothing: whoever sends no cookie is another one each time.
    """

    def __init__(self) -> None:
        self._waiting: dict[Call, None] = {}  # in the order they came
        # The last turn of each network, and of each owner there, among tables that are watched and among the others.
        self._turns = Turns()
        self._front = 0  # turns in a row of tables that were watched, while others waited

    def join(self, call: Call) -> None:
        """Stand behind this owner's other tables."""
        self._waiting[call] = None

    def next(self, watched: Callable[[], Collection[str]]) -> Call:
        """Return the table whose turn it is, which leaves the rota; `watched` is asked if several wait."""
        tables = watched() if len(self._waiting) > 1 else ()
        front = [call for call in self._waiting if call.table in tables]
        back = [call for call in self._waiting if call.table not in tables]
        is_front = bool(front) and (not back or self._front < FRONT_TURNS)
        self._front = self._front + 1 if is_front and back else 0

        def last_turns(call: Call) -> list[int]:
            return [self._turns.last((is_front, call.network, who)) for who in (None, call.owner)]

        call = min(front if is_front else back, key=last_turns)
        del self._waiting[call]
        self._turns.serve(*((is_front, call.network, who) for who in (None, call.owner)))
        return call


@dataclass(frozen=True)
class BotDispatch:
    """Where bots are called to a table: in this process, or in workers."""

    call: Callable[[Table], object]


class BotRunner:
    """Plays the bots' turns at every table."""

    def __init__(
        self,
        tables: TableService,
        seating: SeatService,
        claims: AdvisoryLocks,
        workers: int,
        seed_of: Callable[[Table, int, int], int | None] = lambda *_: None,
        *,
        watched: Callable[[], Collection[str]] = frozenset,
        make: Callable[..., bots.NamedBot] = bots.make,
        timer: Callable[[], float] = monotonic,
        tick_seconds: float = DEFAULT_LIMITS.bot_tick_seconds,
        sweep_seconds: float = DEFAULT_LIMITS.bot_sweep_seconds,
        retry_seconds: Sequence[float] = DEFAULT_LIMITS.bot_retry_seconds,
    ) -> None:
        self.make = make  # a bot of its spec, for a game and perhaps with a seed
        self._timer = timer  # seconds that pass
        self._tick_seconds, self._sweep_seconds, self._retry_seconds = tick_seconds, sweep_seconds, retry_seconds
        self._paused = False
        self._tables, self._seating, self._claims = tables, seating, claims
        self.watched = watched  # the tables that somebody watches, as far as this process knows
        self._watched_elsewhere: frozenset[str] = frozenset()  # as the last sweep found them in the database
        self._seed_of = seed_of  # at a table, in a seat, after so many actions; None for one of the bot's own
        self._pool = ThreadPoolExecutor(workers, "bot")
        self._stop, self._lock = Event(), Lock()
        self._busy: dict[str, bool] = {}  # tables at work or waiting, and whether they have changed meanwhile
        self._rota = TableQueue()
        self._pace = ResponseTiming()
        self._failures: dict[str, int] = {}  # in a row, by table
        self._due: dict[str, tuple[float, Call]] = {}  # when a table that failed is tried again
        self._sweeps_failed = 0
        self._looking: Thread | None = None

    def wake(self) -> None:
        """Take up every table that was left on a bot's turn, now and from time to time, and when a game is compiled."""
        self._tables.builds.listen(lambda _game: self._sweep())
        self._looking = Thread(target=self._look_after, name="bots", daemon=True)
        self._looking.start()

    def changed(self, table: Table) -> None:
        """Look at a table that has changed."""
        if table.bot_to_move:
            self.call(table.id, table.owner, table.network)

    def call(self, table_id: str, owner: str, network: str = "") -> None:
        """Let a bot at a table play, unless one is at it or will be."""
        with self._lock:
            if self._paused:
                return
            if table_id in self._busy:
                self._busy[table_id] = True
                return
            self._busy[table_id] = False
            self._rota.join(Call(table_id, owner, network))
        try:
            self._pool.submit(self._play_next)
        except RuntimeError:  # closed meanwhile: the next start takes the table up
            self._busy.pop(table_id, None)

    def pause(self) -> None:
        """Begin no action of a bot until `resume`; one that is being thought about is still played."""
        with self._lock:
            self._paused = True

    def resume(self) -> None:
        """Go on with every table that is left on a bot's turn."""
        with self._lock:
            self._paused = False
        self._sweep()

    @property
    def waiting(self) -> int:
        """How many tables there are at which a bot is at work, or waits for a thread."""
        return len(self._busy)

    def close(self) -> None:
        """Stop after the actions being thought about."""
        self._stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
        if self._looking:
            self._looking.join()

    # --- looking after all tables ---------------------------------------------------------

    def _look_after(self) -> None:
        interval = min(SHARED_SWEEP, self._sweep_seconds) if self._tables.store.shared else self._sweep_seconds
        swept = -interval
        while True:
            now = self._timer()
            if now >= swept + interval:
                self._sweep()
                swept = now
            for table_id, (due, call) in list(self._due.items()):
                if due <= now:
                    self._due.pop(table_id, None)
                    self.call(*call)
            if self._stop.wait(self._tick_seconds):
                return

    def _sweep(self) -> None:
        """Take up every table that is left on a bot's turn, save those that are tried again later."""
        try:
            waiting = self._tables.store.awaiting_bots()
        except Exception:  # the database may be away for a while
            self._sweeps_failed += 1
            if self._sweeps_failed == 1:
                log.exception("The tables cannot be looked through.")
            return
        if self._sweeps_failed:
            log.warning("The tables are looked through again; that had failed %d times.", self._sweeps_failed)
            self._sweeps_failed = 0
        self._watched_elsewhere = frozenset(one.table for one in waiting if one.is_watched)
        watched = self._all_watched()
        for one in waiting:
            if one.table not in self._due and (one.table in watched or not one.is_left):
                self.call(one.table, one.owner, one.network)

    def _all_watched(self) -> frozenset[str]:
        return self._watched_elsewhere.union(self.watched())

    def _is_abandoned(self, table: Table) -> bool:
        """Whether nobody waits for the bots of a table: its people have left it to them, and nobody watches."""
        return table.is_left and table.id not in self._all_watched()

    # --- one table ------------------------------------------------------------------------

    def _play_next(self) -> None:
        """Play a turn at the table whose turn it is, which waits again if it goes on."""
        with self._lock:
            call = self._rota.next(self._all_watched)
        table_id = call.table
        goes_on = False
        try:
            with self._claims.held(f"bot {table_id}") as mine:
                goes_on = mine and self._turn(table_id)
            if mine:
                self._failures.pop(table_id, None)
            else:  # another process is at it, and may not have seen the last change
                self._due[table_id] = self._timer() + self._tick_seconds, call
        except Conflict as conflict:  # a person was quicker
            log.info("The bot at table %s looks again: %s", table_id, conflict)
            goes_on = True
        except (RequestError, RecordError) as error:  # nobody can play on there
            log.warning("The bot at table %s gives up: %s", table_id, error)
        except Exception as error:  # noqa: BLE001 - whatever a bot or the database does wrong, the site goes on
            self._failed(call, error)
        with self._lock:
            goes_on = self._busy.pop(table_id) or goes_on
        if goes_on and not self._stop.is_set():
            self.call(*call)

    def _turn(self, table_id: str) -> bool:
        """Play the turn of a bot; is a bot to move after it?"""
        now, players = self._tables.snapshot(table_id), dict[int, tuple[str, bots.NamedBot]]()
        turn = now.play.turn, now.play.turns
        while (
            now.table.bot_to_move
            and (now.play.turn, now.play.turns) == turn
            and not (self._paused or self._stop.is_set() or self._is_abandoned(now.table))
        ):
            if not now.table.rated or is_playable(now.table.seats[now.play.turn].bot, now.play.game):
                now = self._step(now, players)
            elif self._tables.builds.is_awaited(now.table.game):
                return False  # it is called again when the game is compiled
            else:  # it will never be, and a rating must not depend on a bot that is another one
                now = self._seating.substitute(table_id, now.play.turn, GREEDY)
        return now.table.bot_to_move and not self._is_abandoned(now.table)

    def _step(self, now: TableState, players: dict[int, tuple[str, bots.NamedBot]]) -> TableState:
        """Play one action of the bot to move."""
        seat = now.play.turn
        diary = now.diary(seat)
        try:
            with THINKING.labels(now.table.game).time():
                action = self._chosen(self._player(now, seat, players), diary.view)
            if action not in diary.view.legal_actions:
                raise ValueError(f"It chose {action!r}, which is not possible.")
        except Exception as error:
            raise BotFailed(seat) from error
        return self._tables.act(now.table.id, seat, action, diary.seen)

    def _chosen(self, player: bots.NamedBot, view: Observation) -> int:
        """What a bot chooses. How long that takes tells others nothing of choices that they may not know."""
        start = self._timer()
        action = player.choose(view)
        due = start + self._pace.due(view, player.spec, self._timer() - start)
        self._stop.wait(max(0.0, due - self._timer()))
        return action

    def _player(self, now: TableState, seat: int, players: dict[int, tuple[str, bots.NamedBot]]) -> bots.NamedBot:
        """The bot in a seat, one of the `players` of this turn, each with its build, or a new one.

        A search goes on with what it knows as long as its turn lasts. Kept for longer its tree would serve nobody, and
        may hold 60 MB.
        """
        spec = playable(now.table.seats[seat].bot, now.play.game)
        seed = self._seed_of(now.table, seat, len(now.play.actions))
        if seed is not None:
            return self.make(spec, now.play.game, seed)
        build, player = players.get(seat, ("", None))
        if player is None or (build, player.spec) != (now.play.game.build, spec):
            player = self.make(spec, now.play.game)
            players[seat] = now.play.game.build, player
        return player

    # --- what fails -----------------------------------------------------------------------

    def _failed(self, call: Call, error: Exception) -> None:
        """Try again later; a bot that keeps failing gives its seat to another one."""
        table_id = call.table
        count = self._failures[table_id] = self._failures.get(table_id, 0) + 1
        if count == 1:
            log.error("The bot at table %s failed; it is tried again.", table_id, exc_info=error)
        else:
            log.warning("The bot at table %s failed %d times in a row: %r.", table_id, count, error.__cause__ or error)
        self._due[table_id] = self._timer() + self._retry_seconds[min(count, len(self._retry_seconds)) - 1], call
        if isinstance(error, BotFailed) and count >= PATIENCE:
            self._substitute(table_id, error.seat)

    def _substitute(self, table_id: str, seat: int) -> None:
        """Let the usual bot play on for one that cannot, and any bot at all for the usual one."""
        try:
            failing = self._tables.snapshot(table_id).table.seats[seat].bot
            later = SUBSTITUTES[SUBSTITUTES.index(failing) + 1 :] if failing in SUBSTITUTES else SUBSTITUTES
            if later:
                self._seating.substitute(table_id, seat, later[0])
                self._failures.pop(table_id, None)
        except Exception as error:  # noqa: BLE001 - it is tried again with the table
            log.warning("Nobody could take the seat of the bot at table %s: %r.", table_id, error)
