"""Analyses of finished tables: requests, progress and results, and the worker that makes them.

Requests and results are in the database. Each process that runs bots makes one analysis at a time.
"""

import logging
from collections.abc import Callable, Collection
from concurrent.futures import Future, ThreadPoolExecutor
from contextlib import suppress
from functools import partial
from threading import Event
from time import monotonic
from typing import Final, Literal, NamedTuple

from sqlalchemy import Engine
from sqlalchemy.exc import DBAPIError, SQLAlchemyError

from ... import catalog
from ...analysis import ANALYSIS_VERSION, PlayAnalysis, analyse_play
from ...core.loaded import LoadedGame
from ..background import PeriodicTask
from ..clock import Clock
from ..daily.service import DailyDealService
from ..errors import Conflict, Forbidden, Unavailable
from ..fair_queue import Turns
from ..hashes import short_hash
from ..storage.locks import AdvisoryLocks
from ..tables.builds import GameBuilds
from ..tables.service import TableService
from ..tables.state import TableState
from .analysis_repository import GIVEN_UP, MAX_WAITING, AnalysisRepository, AnalysisRequest, from_json

POLL_SECONDS = 2.0  # between two searches for requests
PROGRESS_SECONDS = 1.0  # between two records of the progress
MAX_SECONDS = 60.0  # of an analysis; the longest measured takes 14
MAX_STORE_ATTEMPTS = 30  # for a finished analysis while the database is away, POLL_SECONDS apart
MAX_ACCURACIES = 20  # of a player: each takes reading a whole analysis
ANALYSIS_BOT = "search"  # judges the choices
Status = Literal["none", "waiting", "running", "failed", "finished"]
NONE: Final = "none"
WAITING: Final = "waiting"
RUNNING: Final = "running"
FAILED: Final = "failed"
FINISHED: Final = "finished"

log = logging.getLogger(__name__)


class AnalysisState(NamedTuple):
    """The state of the analysis of a table."""

    status: Status
    done: int = 0  # actions that have been judged
    result: PlayAnalysis | None = None  # once it is finished


class GameAccuracy(NamedTuple):
    """The accuracy of a player in an analysed game."""

    table: str
    game: str
    accuracy: int  # 0 to 100
    finished_at: float


class AnalysisStopped(Exception):
    """Ends an analysis because its process ends, or its table was deleted."""


class AnalysisTooLong(Exception):
    """Ends an analysis that takes more than `AnalysisWorker.max_seconds`."""


def analysis_version(game: LoadedGame) -> str:
    """Return the version of analyses of a game: it depends on rules, components and the analysis itself."""
    return short_hash(f"{ANALYSIS_VERSION} {game.meta.rules_version} {game.components_hash}".encode())


class AnalysisQueue:
    """Requests for analyses, and their state."""

    def __init__(
        self,
        engine: Engine,
        daily_deals: DailyDealService,
        builds: GameBuilds,
        clock: Clock,
        on_request: Callable[[], object],
    ) -> None:
        self._repository, self._daily_deals, self._builds = AnalysisRepository(engine), daily_deals, builds
        self._clock, self._on_request = clock, on_request  # called after each request
        self.needs_compiled = True  # False allows any build

    def get(self, state: TableState) -> AnalysisState:
        """Return the state of the analysis of a table. An outdated analysis or an expired request counts as none."""
        row = self._repository.find(state.table.id, self._clock.now())
        if row is None or row.version != analysis_version(state.play.game):
            return AnalysisState(NONE)
        if row.result is not None:
            return AnalysisState(FINISHED, row.done, from_json(row.result, state.table.game, len(state.table.seats)))
        return AnalysisState(FAILED if row.attempts >= GIVEN_UP else RUNNING if row.attempts else WAITING, row.done)

    def accuracies(self, guest: str) -> list[GameAccuracy]:
        """Return the accuracies of a guest in the latest MAX_ACCURACIES analysed games, oldest first.

        Games without a choice are left out, and so are outdated analyses.
        """
        found = []
        for row in self._repository.latest_of(guest, MAX_ACCURACIES):
            if catalog.try_meta(row.game) and row.version == analysis_version(self._builds.get(row.game)):
                accuracy = from_json(row.result, row.game, row.seats).seats[row.seat].accuracy
                if accuracy is not None:
                    found.append(GameAccuracy(row.table, row.game, round(accuracy), row.changed_at))
        return found

    def may_request(self, state: TableState) -> bool:
        is_open = self._daily_deals.is_running(state.table)
        return state.table.finished and bool(state.play.actions) and not is_open and self._can_make(state.table.game)

    def _can_make(self, game: str) -> bool:
        """Whether the compiled build of a game is ready or still to come."""
        return not self.needs_compiled or self._builds.can_play(ANALYSIS_BOT, game)

    def request(self, state: TableState, network: str) -> AnalysisState:
        """Request the analysis of a table, unless it has one, and return its state.

        Raises:
            Forbidden: the game goes on.
            Conflict: the game has no move, or is an attempt at a running daily deal.
            Unavailable: the game's compiled build has failed, or this site does not compile.
            TooManyRequests: too many games wait, of this network or of all, or this one has failed within a day.
        """
        if not state.table.finished:
            raise Forbidden("A game can be analysed when it is over.")
        if not state.play.actions:
            raise Conflict("This game has no move, so there is nothing to analyse.")
        if self._daily_deals.is_running(state.table):
            raise Conflict("This daily deal is still open. Its games can be analysed when it is over.")
        if not self._can_make(state.table.game):
            raise Unavailable("This site can't analyse games, because it doesn't run them in their compiled build.")
        version = analysis_version(state.play.game)
        self._repository.add(state.table.id, version, network, self._clock.now())
        self._on_request()
        return self.get(state)


class AnalysisWorker:
    """Makes analyses in a thread, one at a time. Networks take turns within each process."""

    def __init__(
        self,
        engine: Engine,
        tables: TableService,
        builds: GameBuilds,
        locks: AdvisoryLocks,
        clock: Clock,
    ) -> None:
        self._repository, self._tables, self._builds = AnalysisRepository(engine), tables, builds
        self._locks, self._clock = locks, clock
        self.analyse: Callable[..., PlayAnalysis] = analyse_play
        self.needs_compiled = True  # False allows any build
        self.max_seconds = MAX_SECONDS
        self._turns = Turns(max_served=MAX_WAITING)
        self._pool, self._stop = ThreadPoolExecutor(1, "analysis"), Event()
        self._running: Future[None] | None = None
        self.task = PeriodicTask(self.run_in_background, POLL_SECONDS, "Analyses cannot be made")

    def run_in_background(self) -> None:
        """Let the thread make all requested analyses; raise the error of its last run, if there was one."""
        if self._stop.is_set() or (self._running and not self._running.done()):
            return
        finished, self._running = self._running, None
        if finished:
            finished.result()
        if self._waiting():  # the pool starts its thread on first use
            self._running = self._pool.submit(self._run_all)

    def _games(self) -> Collection[str]:
        return self._builds.compiled_games if self.needs_compiled else catalog.game_packages()

    def _run_all(self) -> None:
        while not self._stop.is_set() and self.run_next():
            pass

    def _waiting(self) -> list[AnalysisRequest]:
        return self._repository.waiting(self._games(), self._turns.served, self._clock.now())

    def run_next(self) -> bool:
        """Try to make the next analysis that no other process makes; return whether there was one."""
        for request in self._waiting():
            if request.version != analysis_version(self._builds.get(request.game)):
                continue  # a process with other rules has requested it
            with self._locks.try_lock(f"analysis {request.table}") as mine:
                if mine and self._repository.start(request.table, request.version, self._clock.now()):
                    self._turns.serve(request.network)
                    self._make(request)
                    return True
        return False

    def _make(self, request: AnalysisRequest) -> None:
        try:
            state = self._tables.get(request.table)
            found = self.analyse(state.play, progress=partial(self._progress, request, monotonic(), [monotonic()]))
            self._store(request, found)
        except AnalysisStopped:
            self._repository.stop(request.table, request.version)
        except AnalysisTooLong:
            log.warning("The analysis of table %s took more than %g seconds.", request.table, self.max_seconds)
            self._repository.give_up(request.table, request.version)
        except SQLAlchemyError:  # the database is away: the request waits for the next attempt
            raise
        except Exception:  # a game of another author may fail in any way
            log.exception("Table %s could not be analysed.", request.table)
            self._repository.give_up(request.table, request.version)

    def _store(self, request: AnalysisRequest, analysis: PlayAnalysis) -> None:
        """Store an analysis, with retries while the database is away; raise DBAPIError if it stays away."""
        for attempt in range(1, MAX_STORE_ATTEMPTS + 1):
            try:
                self._repository.finish(request.table, request.version, analysis, self._clock.now())
            except DBAPIError:
                if attempt == MAX_STORE_ATTEMPTS or self._stop.wait(POLL_SECONDS):
                    raise
            else:
                return

    def _progress(
        self, request: AnalysisRequest, started_at: float, recorded_at: list[float], done: int, _total: int
    ) -> None:
        """Record the progress now and then, if the database answers.

        Raises:
            AnalysisStopped: the process ends, or the table was deleted.
            AnalysisTooLong: the analysis has taken more than `max_seconds`.
        """
        if self._stop.is_set():
            raise AnalysisStopped
        if monotonic() > started_at + self.max_seconds:
            raise AnalysisTooLong
        if monotonic() >= recorded_at[0] + PROGRESS_SECONDS:
            recorded_at[0] = monotonic()
            with suppress(DBAPIError):  # the database is away: the analysis goes on
                if not self._repository.record_progress(request.table, request.version, done):
                    raise AnalysisStopped

    def close(self) -> None:
        """Stop the current analysis, and make no more."""
        self._stop.set()
        self._pool.shutdown(wait=True, cancel_futures=True)
