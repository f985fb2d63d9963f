"""Events of a table's stream besides the play: new chat messages, and the next game of the same players.

A stream reads its versions from the database at first, after a topic was published, when the game ends, and every few
minutes.
"""

from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool

from ..broker import Broker
from ..chat.service import Chat, room_topic
from ..lobby.rematches import Rematches, rematch_topic
from ..lobby.service import LobbyService
from ..streams import Changes
from ..tables.service import TableService
from .chat import find_room


def topics(table_id: str) -> tuple[str, str, str]:
    return table_id, room_topic(table_id), rematch_topic(table_id)


@dataclass(frozen=True)
class NoticeServices:
    broker: Broker
    tables: TableService
    lobby: LobbyService
    chat: Chat
    rematches: Rematches


class TableNotices:
    """The versions of the chat and of the next game that one viewer's page has."""

    def __init__(self, services: NoticeServices, table_id: str, guest: str) -> None:
        self._services, self._table, self._guest = services, table_id, guest
        self._chat_version, self._next_game_version = "", ""
        self._changes = Changes(services.broker, *topics(table_id)[1:])

    async def poll(self, *, finished: bool) -> list[str]:
        if not self._changes.poll(finished):
            return []
        before = self._chat_version, self._next_game_version
        self._chat_version, self._next_game_version = await run_in_threadpool(self._read, finished)
        named = zip(("chat", "again"), before, (self._chat_version, self._next_game_version), strict=True)
        return [f"event: {name}\ndata: {now}\n\n" for name, was, now in named if now != was]

    def _read(self, finished: bool) -> tuple[str, str]:
        """Return the versions of the chat and of the next game; an empty string for each that the guest cannot see."""
        services = self._services
        room = find_room(services.tables, services.lobby, self._table, self._guest)
        said = services.chat.version(room.name, self._guest) if room and room.may_read else ""
        table = services.tables.get(self._table).table if finished and self._guest else None
        is_player = table and table.seats_of(self._guest)
        return said, services.rematches.next_game_version(table, self._guest) if table and is_player else ""
