"""What the stream of a table tells beside the play: that somebody has spoken, and that the same people play again.

It is asked for whenever something wakes the stream, and looks at the database only if it was woken for that, at the end
of a game, or after a long while: those who act wait for nothing here.
"""

from time import monotonic

from starlette.concurrency import run_in_threadpool

from ..context import Site
from ..people.chat import topic_of
from ..people.rematches import again_topic
from .chat import room_at


def topics(table_id: str) -> tuple[str, str, str]:
    """All that wakes the stream of a table."""
    return table_id, topic_of(table_id), again_topic(table_id)


RARELY = 300.0  # seconds after which is looked up what nobody was told of, such as whom somebody has muted elsewhere


class News:
    """What one reader has been told so far."""

    def __init__(self, site: Site, table_id: str, guest: str) -> None:
        self._site, self._table, self._guest = site, table_id, guest
        self._said, self._again = "", ""
        self._heard, self._looked = (0, 0, False), -RARELY

    async def since(self, *, finished: bool) -> list[str]:
        """The events since this was asked last, at a table where the game goes on or is `finished`."""
        _, chat, again = map(self._site.notifier.news, topics(self._table))
        heard = chat, again, finished
        if heard == self._heard and monotonic() - self._looked < RARELY:
            return []
        self._heard, self._looked = heard, monotonic()
        before = self._said, self._again
        self._said, self._again = await run_in_threadpool(self._look, finished)
        named = zip(("chat", "again"), before, (self._said, self._again), strict=True)
        return [f"event: {name}\ndata: {now}\n\n" for name, was, now in named if now != was]

    def _look(self, finished: bool) -> tuple[str, str]:
        """What the guest may read, and the game after this one, each as one word; empty without any."""
        site = self._site
        room = room_at(site.tables, site.open_tables, self._table, self._guest)
        said = site.chat.mark(room.name, self._guest) if room and room.may_read else ""
        table = site.tables.snapshot(self._table).table if finished and self._guest else None
        again = site.rematches.mark_after(table, self._guest) if table and table.held_by(self._guest) else ""
        return said, again
