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


RARELY = 60.0  # seconds after which is looked up what nobody was told of, such as whom somebody has muted elsewhere


class News:
    """What one reader has been told so far."""

    def __init__(self, site: Site, table_id: str, guest: str) -> None:
        self._site, self._table, self._guest = site, table_id, guest
        self._said = ""
        self._again, self._heard, self._looked = 0, (0, False), -RARELY

    async def since(self, *, finished: bool) -> list[str]:
        """The events since this was asked last, at a table where the game goes on or is `finished`."""
        _, *told = topics(self._table)
        chat, again = (self._site.notifier.news(topic) for topic in told)
        events = ["event: again\ndata:\n\n"] if again != self._again else []
        self._again = again
        if (chat, finished) != self._heard or monotonic() - self._looked >= RARELY:
            self._heard, self._looked = (chat, finished), monotonic()
            said = await run_in_threadpool(self._mark)
            if said != self._said:
                self._said = said
                events.append(f"event: chat\ndata: {said}\n\n")
        return events

    def _mark(self) -> str:
        """What the guest may read, as one word; empty if that is nothing."""
        room = room_at(self._site, self._table, self._guest)
        return self._site.chat.mark(room.name, self._guest) if room and room.may_read else ""
