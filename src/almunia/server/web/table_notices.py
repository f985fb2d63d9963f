"""What the stream of a table tells beside the play: that somebody has spoken, and that the same people play again.

Whatever wakes the stream asks for it. It reads the database only if the chat or the next game was published, when the
game ends, and now and then, so that acts wait for nothing here.
"""

from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool

from ..broker import Broker
from ..chat.service import Chat, topic_of
from ..lobby.rematches import Rematches, again_topic
from ..lobby.service import LobbyService
from ..streams import Changes
from ..tables.service import TableService
from .chat import room_at


def topics(table_id: str) -> tuple[str, str, str]:
    """Return all topics of the stream of a table."""
    return table_id, topic_of(table_id), again_topic(table_id)


@dataclass(frozen=True)
class NoticeServices:
    """The services that notices are read from."""

    broker: Broker
    tables: TableService
    lobby: LobbyService
    chat: Chat
    rematches: Rematches


class TableNotices:
    """The chat and the next game, as one reader has been told of them."""

    def __init__(self, services: NoticeServices, table_id: str, guest: str) -> None:
        self._services, self._table, self._guest = services, table_id, guest
        self._said, self._again = "", ""
        self._changes = Changes(services.broker, *topics(table_id)[1:])

    async def since(self, *, finished: bool) -> list[str]:
        """Return the events since the last call; is the game `finished`?"""
        if not self._changes.any(finished):
            return []
        before = self._said, self._again
        self._said, self._again = await run_in_threadpool(self._look, finished)
        named = zip(("chat", "again"), before, (self._said, self._again), strict=True)
        return [f"event: {name}\ndata: {now}\n\n" for name, was, now in named if now != was]

    def _look(self, finished: bool) -> tuple[str, str]:
        """Return the marks of what the guest may read and of the game after this one; empty without any."""
        services = self._services
        room = room_at(services.tables, services.lobby, self._table, self._guest)
        said = services.chat.mark(room.name, self._guest) if room and room.may_read else ""
        table = services.tables.snapshot(self._table).table if finished and self._guest else None
        again = services.rematches.mark_after(table, self._guest) if table and table.held_by(self._guest) else ""
        return said, again
