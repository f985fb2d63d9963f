"""The number in the header: how many games wait for a guest."""

from starlette.concurrency import run_in_threadpool

from ..broker import Broker
from ..streams import Changes
from ..tables.service import waiting_topic
from ..users.game_lists import GameLists


class WaitingCount:
    """The number of waiting games that a stream has sent to a page. The header does not count the page's own table."""

    def __init__(self, broker: Broker, game_lists: GameLists, guest: str, own: str = "") -> None:
        self._game_lists, self._guest, self._own = game_lists, guest, own
        self._changes, self._sent = Changes(broker, waiting_topic(guest)), -1

    async def poll(self) -> list[str]:
        """Return an event with the number if it has changed; the first call returns one for each guest."""
        if not self._guest or not self._changes.poll():
            return []
        before = self._sent
        self._sent = await run_in_threadpool(self._game_lists.count_waiting, self._guest, self._own)
        return [f"event: waiting\ndata: {self._sent}\n\n"] if self._sent != before else []
