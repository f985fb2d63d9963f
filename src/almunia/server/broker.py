"""Tells whoever watches a table, or another topic, that something has changed. It never says what."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import contextmanager
from typing import Any


class Broker:
    """Events by topic: a table, and what else streams tell of. Who is slow misses events, not the latest state."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._watchers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._counts: Counter[Hashable] = Counter()  # open streams, by what they are counted under
        self._news: Counter[str] = Counter()  # how often each topic that is watched has been told of
        self.closed = False
        self.tell_others: Callable[[str], object] = str  # other processes on the same database, where there may be any

    def start(self) -> None:
        """Begin, in the running event loop."""
        self._loop = asyncio.get_running_loop()

    def call(self, function: Callable[..., object], *given: Any) -> None:
        """Let the event loop do something; from any thread."""
        if self._loop and not self._loop.is_closed():
            self._loop.call_soon_threadsafe(function, *given)

    def close(self) -> None:
        """End all streams; for the event loop, when the site closes."""
        self.closed = True
        for topic in self._watchers:
            self._wake(topic)

    def count(self, key: Hashable) -> int:
        """Return how many open streams are counted under a key, such as a guest."""
        return self._counts[key]

    @contextmanager
    def watching(self, *topics: str, counted: Collection[Hashable] = ()) -> Iterator[asyncio.Event]:
        """Give an event that is set whenever one of these topics is published; the caller clears it.

        As long as this lasts, it is `counted` under these keys.
        """
        event = asyncio.Event()
        for topic in topics:
            self._watchers[topic].add(event)
        for key in counted:
            self._counts[key] += 1
        try:
            yield event
        finally:
            for key in counted:
                self._counts[key] -= 1
                if not self._counts[key]:
                    del self._counts[key]
            for topic in topics:
                self._watchers[topic].discard(event)
                if not self._watchers[topic]:
                    del self._watchers[topic], self._news[topic]

    def notify(self, topic: str) -> None:
        """Say that something has changed, here and in other processes; from any thread."""
        self.wake(topic)
        self.tell_others(topic)

    def wake(self, topic: str) -> None:
        """Wake the streams of this process alone; from any thread."""
        self.call(self._wake, topic)

    def wake_all(self) -> None:
        """Wake all streams of this process, for anything may have changed; from any thread."""
        for topic in self.topics:
            self.wake(topic)

    @property
    def topics(self) -> list[str]:
        """All that any stream of this process waits for; from any thread."""
        return list(self._watchers)

    def is_watched(self, topic: str) -> bool:
        """Does any stream of this process wait for a topic?"""
        return topic in self._watchers

    def news(self, topic: str) -> int:
        """How often something that is watched has changed, for those who watch several topics; in the event loop."""
        return self._news[topic]

    def _wake(self, topic: str) -> None:
        if topic in self._watchers:
            self._news[topic] += 1
        for event in self._watchers.get(topic, ()):
            event.set()
