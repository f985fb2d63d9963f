"""Tells whoever watches a table that something has changed. It never says what."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Iterator
from contextlib import contextmanager

MOST = 20  # tables that one guest may watch at a time


class Notifier:
    """Events by table. A watcher who is slow misses events, not news: what counts is the latest version."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watchers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._listening: Counter[str] = Counter()  # how many events each guest has
        self.closed = False

    def start(self) -> None:
        """Begin, in the running event loop."""
        self._loop = asyncio.get_running_loop()

    def close(self) -> None:
        """End all streams; for the event loop, when the site closes."""
        self.closed = True
        for table in self._watchers:
            self._wake(table)

    def is_free(self, guest: str) -> bool:
        """May this guest watch one table more?"""
        return not guest or self._listening[guest] < MOST

    @contextmanager
    def watching(self, table: str, guest: str = "") -> Iterator[asyncio.Event]:
        """An event that is set whenever the table changes; whoever waits for it clears it."""
        event = asyncio.Event()
        self._watchers[table].add(event)
        self._listening[guest] += 1
        try:
            yield event
        finally:
            self._listening[guest] -= 1
            if not self._listening[guest]:
                del self._listening[guest]
            self._watchers[table].discard(event)
            if not self._watchers[table]:
                del self._watchers[table]

    def notify(self, table: str) -> None:
        """Say that a table has changed; from any thread."""
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(self._wake, table)

    def _wake(self, table: str) -> None:
        for event in self._watchers.get(table, ()):
            event.set()
