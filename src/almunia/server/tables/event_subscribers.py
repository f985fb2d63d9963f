"""Followers: streams of events, each for all tables of a token's guest. They hear where something may have happened.

What they tell of it is worked out from what the guest's seat could notice, so being called tells nobody anything.
"""

from collections.abc import Iterator
from contextlib import contextmanager
from itertools import count
from threading import Lock

from ..broker import Broker
from .model import PERSON, Table

OVER = "over "  # a token whose stream ends, and why: said to other processes


class EventSubscriber:
    """One stream: whose it is, which tables it tells of, and at which of them something may have happened."""

    def __init__(self, key: str, token: str, guest: str) -> None:
        self.key, self.token, self.guest = key, token, guest
        self.known: frozenset[str] = frozenset()  # tables that it has told of
        self.over = ""  # why it is to end, as a sentence
        self._changed: set[str] = set()
        self._changing = Lock()

    def hear(self, table: str) -> None:
        """Remember that something may have happened at a table; from any thread."""
        with self._changing:
            self._changed.add(table)

    def take(self) -> list[str]:
        """The tables at which something may have happened since this was last asked, in no telling order."""
        with self._changing:
            taken, self._changed = sorted(self._changed), set()
        return taken

    def cares_for(self, table: Table) -> bool:
        """Does its guest sit at a table, or did so when it last told of it?"""
        sits = any(seat.player == self.guest and seat.kind == PERSON for seat in table.seats)
        return sits or table.id in self.known


class EventSubscribers:
    """All streams of events of this process: one for each token, the latest."""

    def __init__(self, notifier: Broker) -> None:
        self._notifier = notifier
        self._by_token: dict[str, EventSubscriber] = {}
        self._numbers = count()

    @contextmanager
    def following(self, token: str, guest: str) -> Iterator[EventSubscriber]:
        """A stream for as long as this lasts; it ends the one that the token had before. For the event loop."""
        self.end_everywhere(token, "Another stream was opened with this token, and there is one for each.")
        follower = EventSubscriber(f"follower {next(self._numbers)}", token, guest)
        self._by_token[token] = follower
        try:
            yield follower
        finally:
            if self._by_token.get(token) is follower:
                del self._by_token[token]

    def end_everywhere(self, token: str, why: str) -> None:
        """End the stream of a token, whichever process has it, and say why; from any thread."""
        self.end(token, why)
        self._notifier.tell_others(f"{OVER}{token} {why}")

    def end(self, token: str, why: str) -> None:
        """End the stream of a token, if this process has one, and say why; from any thread."""
        follower = self._by_token.get(token)
        if follower:
            follower.over = why
            self._notifier.wake(follower.key)

    @property
    def any(self) -> bool:
        """Is there any stream in this process?"""
        return bool(self._by_token)

    def hear_all(self) -> None:
        """Let all look at all their tables, for anything may have changed; from any thread."""
        for follower in list(self._by_token.values()):
            for table in follower.known:
                follower.hear(table)
            self._notifier.wake(follower.key)

    def changed(self, table: Table) -> None:
        """Tell whoever cares for a table that something may have happened there; from any thread."""
        for follower in list(self._by_token.values()):
            if follower.cares_for(table):
                follower.hear(table.id)
                self._notifier.wake(follower.key)
