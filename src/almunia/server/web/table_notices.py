"""Events of a table's stream besides the play.

They are chat messages, the next game of the same players, invitations, and the number of other games that wait.

A stream reads its versions from the database at first, after a topic was published, when the game ends, and every few
minutes.
"""

from dataclasses import dataclass

from starlette.concurrency import run_in_threadpool

from ..broker import Broker
from ..chat.service import Chat, room_topic
from ..lobby.rematches import Rematches, invitations_topic, rematch_topic
from ..lobby.service import LobbyService
from ..streams import Changes
from ..tables.service import TableService, waiting_topic
from ..users.game_lists import GameLists
from .chat import find_room
from .waiting_count import WaitingCount


def topics(table_id: str, guest: str) -> tuple[str, ...]:
    return table_id, *version_topics(table_id, guest), waiting_topic(guest)


def version_topics(table_id: str, guest: str) -> tuple[str, ...]:
    """Return the topics of the versions that `TableNotices` reads."""
    return room_topic(table_id), rematch_topic(table_id), invitations_topic(guest)


@dataclass(frozen=True)
class NoticeServices:
    broker: Broker
    tables: TableService
    lobby: LobbyService
    chat: Chat
    rematches: Rematches
    game_lists: GameLists


class TableNotices:
    """The versions of the chat, of the next game and of the invitations that one viewer's page has."""

    def __init__(self, services: NoticeServices, table_id: str, guest: str) -> None:
        self._services, self._table, self._guest = services, table_id, guest
        self._versions = "", "", ""
        self._changes = Changes(services.broker, *version_topics(table_id, guest))
        self._waiting = WaitingCount(services.broker, services.game_lists, guest, table_id)

    async def poll(self, *, finished: bool) -> list[str]:
        waiting = await self._waiting.poll()
        if not self._changes.poll(finished):
            return waiting
        before, self._versions = self._versions, await run_in_threadpool(self._read, finished)
        named = zip(("chat", "again", "invited"), before, self._versions, strict=True)
        return [f"event: {name}\ndata: {now}\n\n" for name, was, now in named if now != was] + waiting

    def _read(self, finished: bool) -> tuple[str, str, str]:
        """Return the versions of the chat, of the next game and of the invitations.

        Returns an empty string for each that the guest cannot see.
        """
        services = self._services
        room = find_room(services.tables, services.lobby, self._table, self._guest)
        said = services.chat.version(room.name, self._guest) if room and room.may_read else ""
        table = services.tables.get(self._table).table if finished and self._guest else None
        is_player = table and table.seats_of(self._guest)
        then = services.rematches.next_game_version(table, self._guest) if table and is_player else ""
        return said, then, services.rematches.invitations_version(self._guest) if self._guest else ""
