"""Polls the tables, rooms and sessions that streams watch, in case a message was lost.

A process can be killed between writing and publishing, and with SQLite `almunia moderate` notifies no process. One poll
serves all streams of a process.
"""

from collections.abc import Callable, Collection
from threading import Lock
from time import monotonic

from ..auth.sessions import Sessions, guest_of_topic, session_topic
from ..chat.service import Chat, room_of_topic, room_topic
from ..limits import DEFAULT_LIMITS
from ..tables.service import TableService
from ..tokens import TOKEN_PATTERN

EMPTY_ROOM = 0, 0  # version of a room without messages


class MissedChangePoll:
    def __init__(
        self,
        tables: TableService,
        chat: Chat,
        sessions: Sessions,
        *,
        interval_seconds: float = DEFAULT_LIMITS.missed_change_seconds,
        timer: Callable[[], float] = monotonic,
    ) -> None:
        self._interval_seconds, self._timer = interval_seconds, timer  # `timer` returns seconds
        self._tables, self._chat, self._sessions, self._broker = tables, chat, sessions, tables.broker
        self._polled_at = -interval_seconds
        self._lock = Lock()
        self._rooms: dict[str, tuple[int, int]] = {}  # versions of subscribed rooms at the last poll

    @property
    def is_due(self) -> bool:
        return self._timer() - self._polled_at >= self._interval_seconds

    def poll(self) -> None:
        """If a poll is due and no other thread polls, wake the streams of changed topics. Must be called in a thread.

        A poll that fails is due again at once.
        """
        if not self._lock.acquire(blocking=False):
            return
        try:
            if self.is_due:
                now, topics = self._timer(), self._broker.topics
                self._poll_tables([topic for topic in topics if TOKEN_PATTERN.fullmatch(topic)])
                self._poll_rooms([room for room in map(room_of_topic, topics) if room])
                for guest in self._sessions.invalidate_ended(set(filter(None, map(guest_of_topic, topics)))):
                    self._broker.publish_local(session_topic(guest))
                self._polled_at = now
        finally:
            self._lock.release()

    def _poll_tables(self, names: Collection[str]) -> None:
        for name, version in self._tables.store.versions(names).items():
            known = self._tables.get_if_cached(name)
            if known and known.table.version < version:
                self._tables.invalidate(name)
                self._broker.publish_local(name)

    def _poll_rooms(self, rooms: Collection[str]) -> None:
        before, self._rooms = self._rooms, self._chat.last_numbers(rooms)
        for room, stands in self._rooms.items():
            if stands != before.get(room, EMPTY_ROOM):
                self._broker.publish_local(room_topic(room))
