"""The lookout: sees now and then, for all streams of a process, whether something was written of which none was told.

A notice can be lost with the process that would have given it, and `almunia moderate` gives none. So every stream looks
by the clock as well, and what one of them has looked at counts for all.
"""

from collections.abc import Collection
from threading import Lock
from time import monotonic

from ..limits import USUAL_LIMITS
from ..people.chat import Chat, room_of_topic, topic_of
from ..play.tables import Tables
from ..secret import TOKEN

SILENT = 0, 0  # how a room stands in which nothing was said


class Lookout:
    """What is watched in this process, compared with the database."""

    def __init__(self, tables: Tables, chat: Chat, *, interval_seconds: float = USUAL_LIMITS.lookout_seconds) -> None:
        self._interval_seconds = interval_seconds  # for which a look counts
        self._tables, self._chat, self._notifier = tables, chat, tables.notifier
        self._looked = -interval_seconds
        self._looking = Lock()
        self._rooms: dict[str, tuple[int, int]] = {}  # how each room that is watched stood then

    @property
    def is_due(self) -> bool:
        """Has nobody looked for a while?"""
        return monotonic() - self._looked >= self._interval_seconds

    def look(self) -> None:
        """Wake whoever watches what has changed; from a thread. A look that fails is due again at once."""
        with self._looking:
            if self.is_due:
                now, topics = monotonic(), self._notifier.topics
                self._look_at_tables([topic for topic in topics if TOKEN.fullmatch(topic)])
                self._look_at_rooms([room for room in map(room_of_topic, topics) if room])
                self._looked = now

    def _look_at_tables(self, names: Collection[str]) -> None:
        for name, version in self._tables.store.versions(names).items():
            known = self._tables.latest(name)
            if known and known.table.version < version:
                self._tables.overtaken(name)
                self._notifier.wake(name)

    def _look_at_rooms(self, rooms: Collection[str]) -> None:
        before, self._rooms = self._rooms, self._chat.latest(rooms)
        for room, stands in self._rooms.items():
            if stands != before.get(room, SILENT):
                self._notifier.wake(topic_of(room))
