"""Polls the versions of what streams watch, in case a message was lost.

A process can be killed between writing and publishing, and with SQLite nobody hears `almunia moderate`. So streams poll
at their signs of life. One poll counts for all streams of the process, so its queries do not grow with open pages.
"""

from collections.abc import Callable, Collection
from threading import Lock
from time import monotonic

from ..auth.sessions import Sessions, guest_of_topic, session_topic
from ..chat.service import Chat, room_of_topic, topic_of
from ..limits import DEFAULT_LIMITS
from ..tables.service import TableService
from ..tokens import TOKEN_PATTERN

SILENT = 0, 0  # how a room stands in which nothing was said


class MissedChangePoll:
    """What is watched in this process, compared with the database."""

    def __init__(
        self,
        tables: TableService,
        chat: Chat,
        sessions: Sessions,
        *,
        interval_seconds: float = DEFAULT_LIMITS.missed_change_seconds,
        timer: Callable[[], float] = monotonic,
    ) -> None:
        self._interval_seconds, self._timer = interval_seconds, timer  # for which a look counts; seconds that pass
        self._tables, self._chat, self._sessions, self._notifier = tables, chat, sessions, tables.notifier
        self._looked = -interval_seconds
        self._looking = Lock()
        self._rooms: dict[str, tuple[int, int]] = {}  # how each room that is watched stood then

    @property
    def is_due(self) -> bool:
        """Has nobody looked for a while?"""
        return self._timer() - self._looked >= self._interval_seconds

    def look(self) -> None:
        """Wake the streams of what has changed; from a thread. A look that fails is due again at once."""
        with self._looking:
            if self.is_due:
                now, topics = self._timer(), self._notifier.topics
                self._look_at_tables([topic for topic in topics if TOKEN_PATTERN.fullmatch(topic)])
                self._look_at_rooms([room for room in map(room_of_topic, topics) if room])
                for guest in self._sessions.forget_ended(set(filter(None, map(guest_of_topic, topics)))):
                    self._notifier.wake(session_topic(guest))
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
