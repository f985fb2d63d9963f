"""Event streams of API tokens: each covers all tables of the token's guest.

A wake-up says only that a table may have changed. The stream computes its events from what the guest's seat may notice.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from threading import Lock

from ..broker import Broker
from .model import PERSON, Table

DISCONNECT_PREFIX = "over "  # begins the topic that ends a token's stream in other processes, with the reason


class EventSubscriber:
    """A stream of a token, with the tables that may have changed."""

    def __init__(self, key: str, token: str, guest: str) -> None:
        self.key, self.token, self.guest = key, token, guest
        self.known: frozenset[str] = frozenset()  # tables that it has reported
        self.disconnect_reason = ""  # a sentence; empty while the stream goes on
        self._changed: set[str] = set()
        self._lock = Lock()

    def mark_changed(self, *tables: str) -> None:
        """Mark tables as changed; from any thread."""
        with self._lock:
            self._changed.update(tables)

    def take_changed(self) -> list[str]:
        """Return and clear the changed tables, sorted by id, so that their order reveals nothing."""
        with self._lock:
            changed, self._changed = sorted(self._changed), set()
        return changed

    def is_interested(self, table: Table) -> bool:
        sits = any(seat.player == self.guest and seat.kind == PERSON for seat in table.seats)
        return sits or table.id in self.known


class EventSubscribers:
    """The event streams of this process: the latest stream of each token."""

    def __init__(self, broker: Broker) -> None:
        self._broker = broker
        self._by_token: dict[str, EventSubscriber] = {}
        self._numbers = count()

    @contextmanager
    def subscribe(self, token: str, guest: str) -> Iterator[EventSubscriber]:
        """Open a stream for the duration of the block, and end the token's previous stream.

        Must be called in the event loop.
        """
        self.disconnect_everywhere(token, "Another stream was opened with this token. A token can have only one.")
        subscriber = EventSubscriber(f"follower {next(self._numbers)}", token, guest)
        self._by_token[token] = subscriber
        try:
            yield subscriber
        finally:
            if self._by_token.get(token) is subscriber:
                del self._by_token[token]

    def disconnect_everywhere(self, token: str, why: str) -> None:
        """End the stream of a token in all processes, with a reason; from any thread."""
        self.disconnect(token, why)
        self._broker.publish_remote(f"{DISCONNECT_PREFIX}{token} {why}")

    def disconnect(self, token: str, why: str) -> None:
        """End the stream of a token in this process, with a reason; from any thread."""
        if subscriber := self._by_token.get(token):
            subscriber.disconnect_reason = why
            self._broker.publish_local(subscriber.key)

    @property
    def has_subscribers(self) -> bool:
        return bool(self._by_token)

    def mark_all_changed(self) -> None:
        """Mark as changed the tables that each stream here has reported, and wake the streams; from any thread."""
        for subscriber in list(self._by_token.values()):
            subscriber.mark_changed(*subscriber.known)
            self._broker.publish_local(subscriber.key)

    def publish(self, table: Table) -> None:
        """Wake the streams that are interested in a table that may have changed; from any thread."""
        for subscriber in list(self._by_token.values()):
            if subscriber.is_interested(table):
                subscriber.mark_changed(table.id)
                self._broker.publish_local(subscriber.key)
