"""Presence across processes: each process writes the guests of its streams, and reads the guests of other processes.

After writing a change, a process notifies the other processes, which then read at once. Each process also reads every
few seconds. The rows of a process count while it lives, which its lock shows (`storage/locks.py`).
"""

import logging

from sqlalchemy import Connection, Engine, delete, insert, text, tuple_

from ..background import PeriodicTask
from ..broker import Broker
from ..storage import schema
from ..storage.locks import LIVE_PROCESSES_SQL, AdvisoryLocks
from ..tables.presence import Key, Presence

PRESENCE_TOPIC = "here"  # published when a guest comes or leaves
SYNC_SECONDS, MIN_SECONDS_BETWEEN_SYNCS = 3.0, 0.05
PRESENCE = schema.presence.c
Written = tuple[int, frozenset[Key]]  # the connection generation of the locks, and the rows
NOTHING_WRITTEN: Written = 0, frozenset()
SELECT_REMOTE = text(  # no user input
    f"SELECT place, guest FROM presence WHERE process <> :process AND process IN ({LIVE_PROCESSES_SQL})"  # noqa: S608
)

log = logging.getLogger(__name__)


class PresenceSync:
    def __init__(self, engine: Engine, locks: AdvisoryLocks, presence: Presence, broker: Broker) -> None:
        self._engine, self._locks, self._presence, self._broker = engine, locks, presence, broker
        self._written = NOTHING_WRITTEN
        self._is_closing = False
        failure = "The presence of players cannot be sent to other processes"
        self.task = PeriodicTask(self.sync, SYNC_SECONDS, failure, rest_seconds=MIN_SECONDS_BETWEEN_SYNCS)

    def start(self) -> None:
        """Synchronize as soon as the periodic task runs, and whenever a guest comes or leaves."""
        self._presence.on_change = self.task.trigger
        self.task.trigger()

    def close(self) -> None:
        """Delete the rows of this process, after the last run of the task."""
        self._is_closing = True
        self.task.run_once()

    def sync(self) -> None:
        """Write this process's presence if it has changed, and read the presence at the other processes.

        Does nothing while this process is not registered as alive.
        """
        own = frozenset[Key]() if self._is_closing else self._presence.streams
        if not self._locks.heartbeat():
            return  # the rows of an unregistered process do not count
        epoch, written = self._locks.connection_generation, self._written
        self._written = NOTHING_WRITTEN  # after a failure the rows are unknown, so all are written again
        with self._engine.begin() as db:
            changed = self._write(db, epoch, own, written)
            rows = db.execute(SELECT_REMOTE, {"process": self._locks.process})
            found = frozenset((row.place, row.guest) for row in rows)
        self._written = epoch, own
        if changed:
            self._broker.publish_remote(PRESENCE_TOPIC)
        self._broker.call_in_loop(self._presence.set_remote, found)

    def _write(self, db: Connection, epoch: int, own: frozenset[Key], written: Written) -> bool:
        process, (then, known) = self._locks.process, written
        if epoch != then:  # other processes may have deleted the rows meanwhile
            db.execute(delete(schema.presence).where(PRESENCE.process == process))
            known = frozenset()
        if gone := known - own:
            db.execute(
                delete(schema.presence).where(
                    PRESENCE.process == process, tuple_(PRESENCE.place, PRESENCE.guest).in_(gone)
                )
            )
        rows = [{"process": process, "place": place, "guest": guest} for place, guest in own - known]
        if rows:
            db.execute(insert(schema.presence), rows)
        return epoch != then or bool(gone or rows)
