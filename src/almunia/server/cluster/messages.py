"""How the processes of a site hear of each other, on a database that takes several; elsewhere nothing is done.

A topic that another process tells wakes the same streams here. What is in memory of its table is then read again, and
everything is when the database was away.
"""

from collections.abc import Callable, Mapping

from sqlalchemy import Engine

from ..auth.sessions import CHANGED, Sessions
from ..bots.runner import BotRunner
from ..jobs.hint_queue import QUESTION, HintWorker
from ..lobby.service import FETCHED, LISTING, LOBBY, LobbyService
from ..storage.bus import Bus
from ..storage.locks import AdvisoryLocks
from ..tables.event_subscribers import OVER, EventSubscribers
from ..tables.model import Table
from ..tables.service import TableService
from .presence_sync import HERE, PresenceSync

TABLE = ""  # stands for topics that are the name of a table alone
BOT = "bot "  # a table at which a bot is to move, its owner and its network: said to those who think

ALONE = {LOBBY, HERE, CHANGED, QUESTION}  # topics of one word that are no table, whoever hears them
Handlers = Mapping[str, Callable[[str], object]]  # what is done about a topic, by its first word, with the others


class ClusterBus:
    """What a process tells the others, and what it hears of them."""

    def __init__(self, engine: Engine, claims: AdvisoryLocks, tables: TableService) -> None:
        self._tables, self._notifier = tables, tables.notifier
        self._bus = Bus(engine, claims.process, self.hear, self.hear_again)
        self._ears: Handlers = {}
        self._again: Callable[[], object] = bool
        self._started = False

    def start(self, ears: Handlers, again: Callable[[], object] = bool) -> None:
        """Begin; `again` is called when something may have been missed."""
        if self._tables.store.shared:
            self._ears, self._again, self._started = ears, again, True
            self._notifier.tell_others = self._bus.tell
            self._bus.start()

    def close(self) -> None:
        """End."""
        if self._started:
            self._bus.close()

    def call_bots(self, table: Table) -> None:
        """Tell those who think that a bot is to move at a table."""
        if table.bot_to_move:
            self._notifier.tell_others(f"{BOT}{table.id} {table.owner} {table.network}")

    def hear(self, topic: str) -> None:
        """Take up what another process tells."""
        kind, _, rest = topic.partition(" ")
        is_table = kind not in ALONE and not rest
        if is_table:
            self._tables.overtaken(kind)
        elif kind in self._ears:
            self._ears[kind](rest)
        self._notifier.wake(topic)
        if is_table and TABLE in self._ears:
            self._ears[TABLE](kind)

    def hear_again(self) -> None:
        """Drop all cached state: messages may have been lost."""
        self._tables.all_overtaken()
        self._again()
        self._notifier.wake_all()


class PageHandlers:
    """What a process that serves pages does about what it hears."""

    def __init__(
        self,
        tables: TableService,
        open_tables: LobbyService,
        followers: EventSubscribers,
        where: PresenceSync,
        sessions: Sessions,
    ) -> None:
        self._store, self._open_tables, self._followers, self._where = tables.store, open_tables, followers, where
        self._sessions = sessions

    @property
    def ears(self) -> Handlers:
        """What is done about each kind of topic; a table by itself has none."""
        return {
            TABLE: self._table,
            LOBBY: lambda _: self._open_tables.look_again(),
            HERE: lambda _: self._where.ring(),
            OVER.strip(): lambda words: self._followers.end(*words.split(" ", 1)),
            LISTING.strip(): self._open_tables.listings.forget,
            FETCHED.strip(): self._open_tables.note_fetched,
            CHANGED: self._sessions.forget_here,
        }

    def again(self) -> None:
        """Drop what is cached, and look at all that may have been missed."""
        self._open_tables.listings.forget_all()
        self._open_tables.look_again()
        self._where.ring()
        self._followers.hear_all()
        self._sessions.forget_all_here()

    def _table(self, name: str) -> None:
        """Tell those here who care for a table, if there are any."""
        if self._followers.any or self._open_tables.is_listed(name):
            for table in self._store.those([name]):
                self._open_tables.changed(table)
                self._followers.changed(table)


def thinking(bot_runner: BotRunner, answering: HintWorker) -> Handlers:
    """What a process that thinks does about what it hears."""
    return {
        BOT.strip(): lambda words: bot_runner.call(*words.split(" ", 2)),
        QUESTION: lambda _: answering.ring(),
    }
