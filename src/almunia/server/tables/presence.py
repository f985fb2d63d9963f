"""Who is at a table, and since when others are away: known by the streams that their pages keep open.

It tells nothing of a game, only of its people. What is known is written to the database now and then, so that a site
that was started again still knows how long somebody has been away.
"""

import asyncio
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from itertools import takewhile

from ..broker import Broker
from ..clock import Clock
from ..limits import DEFAULT_LIMITS
from ..tokens import new_guest_id
from .model import PERSON, Table
from .repository import TableRepository

COMING_BACK = 300.0  # seconds after the start of a site in which pages find it again, so that nobody is missed yet
OFTEN = 60.0  # seconds between two times at which it is written down who is still here
KEPT = 20_000  # people at tables of whom it is remembered when they left
STRANGER = "?"  # begins the names of those who look on without an id of their own yet

Key = tuple[str, str]  # a table and a guest


def screen(table: str) -> str:
    """The place of those whose page of a table is not only open, but to be seen on their screen."""
    return f"~{table}"


class Presence:
    """Who is where. Streams begin and end in the event loop; all else may be asked from any thread."""

    def __init__(
        self,
        store: TableRepository,
        notifier: Broker,
        clock: Clock,
        *,
        grace_seconds: float = DEFAULT_LIMITS.grace_seconds,
    ) -> None:
        self._grace_seconds = grace_seconds
        self._store, self._notifier, self._clock = store, notifier, clock
        self._streams: Counter[Key] = Counter()
        self._left: dict[Key, float] = {}  # when the last stream ended, the latest last
        self._unsaved: set[Key] = set()  # who has left since that was written down
        self._began = self._clock.now()
        self._saved = 0.0  # when those who are still here were written down
        self._elsewhere: frozenset[Key] = frozenset()  # whose streams other processes keep
        self.on_change: Callable[[], object] = bool  # called when somebody comes or goes
        self.tells: Callable[[str, str], bool] = lambda _place, _guest: (
            True
        )  # do pages of a place say if a guest is there?

    @contextmanager
    def at(self, table: str, guest: str) -> Iterator[None]:
        """Somebody looks at a table as long as this lasts; strangers count one by one."""
        key = table, guest or f"{STRANGER}{new_guest_id()}"
        missed = not self.is_here(*key)
        self._streams[key] += 1
        if missed:
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

    def note(self, table: str, guest: str) -> None:
        """Somebody has just looked at a table or done something there, perhaps without a stream; from any thread."""
        self._notifier.call(self._look_in, (table, guest))

    def _look_in(self, key: Key) -> None:
        if key in self._streams or key in self._elsewhere:
            return
        missed = not self.is_here(*key)
        self._leave(key)
        if missed:
            self._wake(key)

    def _wake(self, key: Key) -> None:
        """Wake the streams of a place if its pages say who has come or gone; they do so of no stranger.

        The lobby counts strangers, and looks by itself every few seconds.
        """
        if not key[1].startswith(STRANGER) and self.tells(*key):
            self._notifier.wake(key[0])

    def _leave(self, key: Key) -> None:
        if not key[1].startswith(STRANGER):  # nobody asks since when one of them is away
            self._left.pop(key, None)
            self._left[key] = self._clock.now()
            self._unsaved.add(key)
            if len(self._left) > KEPT:
                del self._left[next(iter(self._left))]
        asyncio.get_running_loop().call_later(self._grace_seconds + 0.1, self._wake, key)

    @property
    def streams(self) -> frozenset[Key]:
        """Who is where by the streams of this process; from any thread."""
        return frozenset(self._streams.copy())

    def take_up(self, elsewhere: frozenset[Key]) -> None:
        """Know from now on whose streams other processes keep; for the event loop."""
        before, self._elsewhere = self._elsewhere, elsewhere
        for key in before - elsewhere:
            if key not in self._streams:
                self._leave(key)
        for key in before ^ elsewhere:
            self._wake(key)

    @property
    def settled(self) -> float:
        """From when on somebody may be missed: a while after the start of the site, or long ago."""
        return self._began + COMING_BACK if 0 <= self._clock.now() - self._began < COMING_BACK else 0.0

    @property
    def watched(self) -> frozenset[str]:
        """The tables at which somebody is, or was a moment ago; from any thread."""
        since = self._clock.now() - self._grace_seconds
        recently = takewhile(lambda item: item[1] > since, reversed(self._left.copy().items()))
        return frozenset(table for table, _ in (*self.streams, *self._elsewhere, *(key for key, _ in recently)))

    def is_here(self, table: str, guest: str) -> bool:
        """Is somebody at a table, or was a moment ago?"""
        key = table, guest
        recently = self._clock.now() - self._left.get(key, 0.0) < self._grace_seconds
        return key in self._streams or key in self._elsewhere or recently

    def count(self, table: str) -> int:
        """How many guests look at a table, or the lobby, now."""
        return sum(1 for place, _ in self.streams | self._elsewhere if place == table)

    def away_since(self, table: Table, seat: int) -> float | None:
        """Since when the person in a seat has been away; None if nobody is missed there."""
        sitter = table.seats[seat]
        if sitter.kind != PERSON or self.is_here(table.id, sitter.player):
            return None
        return max(self._left.get((table.id, sitter.player), 0.0), sitter.here or table.opened)

    def away(self, table: Table) -> dict[int, float]:
        """The seats of those who are away, each with the time since when."""
        found = {seat: self.away_since(table, seat) for seat in table.people}
        return {seat: since for seat, since in found.items() if since is not None}

    def save(self) -> None:
        """Write down who has been where since this was last done."""
        left, unsaved, now = self._left.copy(), self._unsaved.copy(), self._clock.now()
        seen = {key: left[key] for key in unsaved if key in left}
        if now >= self._saved + OFTEN:
            self._saved = now
            seen |= dict.fromkeys(self._streams.copy(), now)
        self._store.saw([(*key, time) for key, time in seen.items()])
        self._unsaved -= unsaved
