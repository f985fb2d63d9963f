"""What the stream of a table tells beside the play: that somebody has spoken, and that the same people play again.

It is asked for whenever something wakes the stream, and looks at the database only if it was woken for that, or by the
clock: those who act wait for nothing here.
"""

from starlette.concurrency import run_in_threadpool

from .chat import topic_of
from .chat_pages import room_at
from .context import Site
from .open_tables import again_topic


def topics(table_id: str) -> tuple[str, str, str]:
    """All that wakes the stream of a table."""
    return table_id, topic_of(table_id), again_topic(table_id)


class News:
    """What one reader has been told so far."""

    def __init__(self, site: Site, table_id: str, guest: str) -> None:
        self._site, self._table, self._guest = site, table_id, guest
        self._said = ""
        self._counts = 0, 0

    async def since(self, *, anew: bool) -> list[str]:
        """The events since this was asked last; looked up `anew` where other processes may have written."""
        _, *told = topics(self._table)
        chat, again = (self._site.notifier.news(topic) for topic in told)
        was, self._counts = self._counts, (chat, again)
        events = ["event: again\ndata:\n\n"] if again != was[1] else []
        if anew or chat != was[0]:
            said = await run_in_threadpool(self._mark)
            if said != self._said:
                self._said = said
                events.append(f"event: chat\ndata: {said}\n\n")
        return events

    def _mark(self) -> str:
        """What the guest may read, as one word; empty if that is nothing."""
        room = room_at(self._site, self._table, self._guest)
        return self._site.chat.mark(room.name, self._guest) if room and room.may_read else ""
