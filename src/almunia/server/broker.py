"""Publish and subscribe: wakes the streams of a topic, such as a table, without any content."""

import asyncio
from collections import Counter, defaultdict
from collections.abc import Callable, Collection, Hashable, Iterator
from contextlib import contextmanager, suppress
from typing import Any


class Broker:
    """Wakes the streams of this process by topic. A slow stream is woken once for several publications."""

    def __init__(self) -> None:
        self._loop: asyncio.AbstractEventLoop | None = None
        self._subscribers: defaultdict[str, set[asyncio.Event]] = defaultdict(set)
        self._counts: Counter[Hashable] = Counter()  # of open streams
        self._change_counts: Counter[str] = Counter()  # of topics with a subscriber
        self.is_closed = False
        self.publish_remote: Callable[[str], object] = str  # to other processes on the same database

    def start(self) -> None:
        self._loop = asyncio.get_running_loop()

    def call_in_loop(self, function: Callable[..., object], *given: Any) -> None:
        """Call a function in the event loop, from any thread; do nothing before `start` or after the loop's end."""
        if self._loop:
            with suppress(RuntimeError):  # the loop is closed
                self._loop.call_soon_threadsafe(function, *given)

    def close(self) -> None:
        """Wake all streams, so that they end. Must be called in the event loop."""
        self.is_closed = True
        for topic in self._subscribers:
            self._set_events(topic)

    def count(self, key: Hashable) -> int:
        return self._counts[key]

    @contextmanager
    def subscribe(self, *topics: str, counted: Collection[Hashable] = ()) -> Iterator[asyncio.Event]:
        """Yield an event that is set when one of these topics is published, or the broker closes; the caller clears it.

        During the block the stream counts under each key in `counted`.
        """
        event = asyncio.Event()
        for topic in topics:
            self._subscribers[topic].add(event)
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
                self._subscribers[topic].discard(event)
                if not self._subscribers[topic]:
                    del self._subscribers[topic], self._change_counts[topic]

    def publish(self, topic: str) -> None:
        """Publish a topic to this process and to all others; from any thread."""
        self.publish_local(topic)
        self.publish_remote(topic)

    def publish_local(self, topic: str) -> None:
        """Wake the streams of a topic in this process alone; from any thread."""
        self.call_in_loop(self._set_events, topic)

    def publish_all_local(self) -> None:
        """Wake all streams of this process, because anything may have changed; from any thread."""
        for topic in self.topics:
            self.publish_local(topic)

    @property
    def topics(self) -> list[str]:
        """All topics with a subscriber in this process; from any thread."""
        return list(self._subscribers)

    def is_watched(self, topic: str) -> bool:
        return topic in self._subscribers

    def change_count(self, topic: str) -> int:
        """Return a count that grows when a topic with subscribers is published; 0 without subscribers."""
        return self._change_counts[topic]

    def _set_events(self, topic: str) -> None:
        if topic in self._subscribers:
            self._change_counts[topic] += 1
        for event in self._subscribers.get(topic, ()):
            event.set()
