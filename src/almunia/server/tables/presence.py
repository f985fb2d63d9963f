"""Presence: the guests at each table, and since when others have been away.

Presence follows from streams and requests of pages, and is saved regularly, so that a restarted site knows how long a
player has been away.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Collection, Iterator
from contextlib import contextmanager
from itertools import takewhile

from ..broker import Broker
from ..clock import Clock
from ..limits import DEFAULT_LIMITS
from ..tokens import new_guest_id
from .model import PERSON, Table
from .repository import TableRepository

RESTART_GRACE_SECONDS = 300.0  # in which pages reconnect after a restart, so that no player counts as away
SAVE_INTERVAL_SECONDS = 60.0  # for guests who stay
MAX_DEPARTURES = 20_000  # kept in memory
SITE_PLACE = "site"  # of guests with a page that has no place, in the keys of presence
ANONYMOUS_PREFIX = "?"  # of the keys of visitors without an id

Key = tuple[str, str]  # a table and a guest


def visible_tab_topic(table: str) -> str:
    return f"~{table}"


class Presence:
    """The guests at each table. Call `connect` and `set_remote` in the event loop."""

    def __init__(
        self,
        store: TableRepository,
        broker: Broker,
        clock: Clock,
        *,
        grace_seconds: float = DEFAULT_LIMITS.grace_seconds,
    ) -> None:
        self._grace_seconds = grace_seconds
        self._store, self._broker, self._clock = store, broker, clock
        self._streams: Counter[Key] = Counter()
        self._left: dict[Key, float] = {}  # when the last stream ended, in order
        self._unsaved: set[Key] = set()  # departures since the last save
        self._started_at = self._clock.now()
        self._saved_at = 0.0  # when guests who stay were saved
        self._remote: frozenset[Key] = frozenset()  # streams of other processes
        self.on_change: Callable[[], object] = bool  # called when a guest comes or leaves
        # Whether the pages of a table show that a guest is there.
        self.reveals_presence: Callable[[str, str], bool] = lambda _place, _guest: True

    @contextmanager
    def connect(self, table: str, guest: str) -> Iterator[None]:
        """Count a guest as present for the duration of the block; each anonymous visitor counts separately."""
        key = table, guest or f"{ANONYMOUS_PREFIX}{new_guest_id()}"
        was_away = not self.is_here(*key)
        self._streams[key] += 1
        if was_away:
            self._wake(key)
        if self._streams[key] == 1:
            self.on_change()
        try:
            yield
        finally:
            self._streams[key] -= 1
            if not self._streams[key]:
                del self._streams[key]
                self._leave(key)
                self.on_change()

    def touch(self, table: str, guest: str) -> None:
        """Record that a guest without a stream was at a table just now; from any thread."""
        self._broker.call_in_loop(self._touch, (table, guest))

    def _touch(self, key: Key) -> None:
        if key in self._streams or key in self._remote:
            return
        was_away = not self.is_here(*key)
        self._leave(key)
        if was_away:
            self._wake(key)

    def _wake(self, key: Key) -> None:
        if not key[1].startswith(ANONYMOUS_PREFIX) and self.reveals_presence(*key):
            self._broker.publish_local(key[0])

    def _leave(self, key: Key) -> None:
        if not key[1].startswith(ANONYMOUS_PREFIX):  # whose absence is shown nowhere
            self._left.pop(key, None)
            self._left[key] = self._clock.now()
            self._unsaved.add(key)
            if len(self._left) > MAX_DEPARTURES:
                del self._left[next(iter(self._left))]
        asyncio.get_running_loop().call_later(self._grace_seconds + 0.1, self._wake, key)

    @property
    def streams(self) -> frozenset[Key]:
        """The tables and guests of the streams that this process serves; from any thread."""
        return frozenset(self._streams.copy())

    def set_remote(self, remote: frozenset[Key]) -> None:
        """Set the tables and guests of the streams that other processes serve. Must be called in the event loop."""
        before, self._remote = self._remote, remote
        for key in before - remote:
            if key not in self._streams:
                self._leave(key)
        for key in before ^ remote:
            self._wake(key)

    @property
    def grace_until(self) -> float:
        """The time until which no absence counts, since pages reconnect after a restart; 0 once it has passed."""
        until = self._started_at + RESTART_GRACE_SECONDS
        return until if self._started_at <= self._clock.now() < until else 0.0

    @property
    def watched_tables(self) -> frozenset[str]:
        """The tables with visitors, or guests who left a moment ago; from any thread.

        Other keys of streams, such as the lobby, may be among them.
        """
        since = self._clock.now() - self._grace_seconds
        recently = takewhile(lambda item: item[1] > since, reversed(self._left.copy().items()))
        return frozenset(table for table, _ in (*self.streams, *self._remote, *(key for key, _ in recently)))

    def is_here(self, table: str, guest: str) -> bool:
        key = table, guest
        recently = self._clock.now() - self._left.get(key, 0.0) < self._grace_seconds
        return key in self._streams or key in self._remote or recently

    def count(self, table: str) -> int:
        """Return the number of visitors with a stream of a table, or of the lobby."""
        return sum(1 for name, _ in self.streams | self._remote if name == table)

    def viewers(self, tables: Collection[Table]) -> dict[str, int]:
        """Return the number of visitors of each table who have no seat there; from any thread."""
        known, found = {one.id: one for one in tables}, Counter[str]()
        for place, guest in self.streams | self._remote:
            if place in known and not known[place].seats_of(guest):
                found[place] += 1
        return {table: found[table] for table in known}

    def places_of(self, guests: Collection[str]) -> dict[str, set[str]]:
        """Return the places where each of these guests has a stream, such as tables; from any thread."""
        found: dict[str, set[str]] = {guest: set() for guest in guests}
        for place, guest in self.streams | self._remote:
            if guest in found:
                found[guest].add(place)
        return found

    def away_since(self, table: Table, seat: int) -> float | None:
        """Return since when the person in a seat has been away; None if the seat has no absent person."""
        sitter = table.seats[seat]
        if sitter.kind != PERSON or self.is_here(table.id, sitter.player):
            return None
        return max(self._left.get((table.id, sitter.player), 0.0), sitter.last_seen_at or table.created_at)

    def away(self, table: Table) -> dict[int, float]:
        times = ((seat, self.away_since(table, seat)) for seat in table.human_seats)
        return {seat: since for seat, since in times if since is not None}

    def save(self) -> None:
        left, unsaved, now = self._left.copy(), self._unsaved.copy(), self._clock.now()
        seen = {key: left[key] for key in unsaved if key in left}
        if now >= self._saved_at + SAVE_INTERVAL_SECONDS:
            self._saved_at = now
            seen |= dict.fromkeys(self._streams.copy(), now)
        self._store.record_presence([(*key, time) for key, time in seen.items()])
        self._unsaved -= unsaved
