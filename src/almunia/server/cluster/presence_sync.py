"""Who is where, across processes: each writes down who keeps streams with it, and reads whom others have.

Whoever has written something rings; so all read it at once, and every few seconds in any case. What a process has
written counts for as long as it lives, which is known by its lock (`claims.py`).
"""

import logging

from sqlalchemy import Connection, Engine, delete, insert, text, tuple_

from ..broker import Broker
from ..periodic import PeriodicTask
from ..storage import schema
from ..storage.locks import LIVING, AdvisoryLocks
from ..tables.presence import Key, Presence

HERE = "here"  # the topic by which one process tells the others that somebody has come or gone
LOOK, REST = 3.0, 0.05  # seconds until it is read anew at the latest, and at the soonest
P = schema.presence.c
Written = tuple[int, frozenset[Key]]  # under which connection of the claims, and what
NOTHING: Written = 0, frozenset()
OTHERS = text(f"SELECT place, guest FROM presence WHERE process <> :process AND process IN ({LIVING})")  # noqa: S608

log = logging.getLogger(__name__)


class PresenceSync:
    """From the start of the site to its end."""

    def __init__(self, engine: Engine, claims: AdvisoryLocks, presence: Presence, notifier: Broker) -> None:
        self._engine, self._claims, self._presence, self._notifier = engine, claims, presence, notifier
        self._written = NOTHING
        self._leaving = False
        failing = "Who is here is not told to other processes"
        self._rounds = PeriodicTask("whereabouts", self.look, LOOK, failing, rest=REST)

    def start(self) -> None:
        """Begin."""
        self._presence.on_change = self._rounds.ring
        self._rounds.start()
        self._rounds.ring()

    def ring(self) -> None:
        """Write and read soon; from any thread."""
        self._rounds.ring()

    def close(self) -> None:
        """End, and leave nothing behind."""
        self._rounds.close()
        self._leaving = True
        self._rounds.try_once()

    def look(self) -> None:
        """Write down who is here, if that has changed, and read who is elsewhere."""
        own = frozenset[Key]() if self._leaving else self._presence.streams
        if not self._claims.live():
            return  # nobody would believe it
        epoch, written = self._claims.epoch, self._written
        self._written = NOTHING  # if this fails nobody knows what is written: all of it is written anew
        with self._engine.begin() as db:
            changed = self._write(db, epoch, own, written)
            rows = db.execute(OTHERS, {"process": self._claims.process})
            found = frozenset((row.place, row.guest) for row in rows)
        self._written = epoch, own
        if changed:
            self._notifier.tell_others(HERE)
        self._notifier.call(self._presence.take_up, found)

    def _write(self, db: Connection, epoch: int, own: frozenset[Key], written: Written) -> bool:
        process, (then, known) = self._claims.process, written
        if epoch != then:  # others may have cleaned up behind this process meanwhile
            db.execute(delete(schema.presence).where(P.process == process))
            known = frozenset()
        if gone := known - own:
            db.execute(delete(schema.presence).where(P.process == process, tuple_(P.place, P.guest).in_(gone)))
        rows = [{"process": process, "place": place, "guest": guest} for place, guest in own - known]
        if rows:
            db.execute(insert(schema.presence), rows)
        return epoch != then or bool(gone or rows)
