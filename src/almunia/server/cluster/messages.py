"""Messages between the processes of a site on a shared database.

A topic from another process wakes the same streams here. The topic of a table also invalidates the table's cached
state.
"""

from collections.abc import Callable, Mapping
from contextlib import AbstractAsyncContextManager, nullcontext

from sqlalchemy import Engine

from ..auth.sessions import TOPIC_PREFIX, Sessions
from ..bots.runner import BotRunner
from ..jobs.hint_queue import HINT_TOPIC, HintWorker
from ..lobby.service import HOST_SEEN_TOPIC, LISTING_TOPIC, LOBBY_TOPIC, LobbyService
from ..storage.bus import Bus
from ..storage.locks import AdvisoryLocks
from ..tables.event_subscribers import DISCONNECT_PREFIX, EventSubscribers
from ..tables.model import Table
from ..tables.service import TableService
from .presence_sync import PRESENCE_TOPIC, PresenceSync

TABLE_TOPIC = ""  # for topics that are a table's id alone
BOT_TOPIC = "bot "  # begins the topics of bots' turns: a table, its host and its network

SINGLE_WORD_TOPICS = {LOBBY_TOPIC, PRESENCE_TOPIC, TOPIC_PREFIX, HINT_TOPIC}  # which are not tables
Handlers = Mapping[str, Callable[[str], object]]  # called with the other words of a topic, by its first word


class ClusterBus:
    def __init__(self, engine: Engine, locks: AdvisoryLocks, tables: TableService) -> None:
        self._tables, self._broker = tables, tables.broker
        self._bus = Bus(engine, locks.process, self.handle_message, self.handle_reconnect)
        self._handlers: Handlers = {}
        self._on_reconnect: Callable[[], object] = bool

    def running(
        self, handlers: Handlers, on_reconnect: Callable[[], object] = bool
    ) -> AbstractAsyncContextManager[None]:
        """Exchange messages during a block; does nothing if the database is not shared.

        Calls `on_reconnect` after each connection, since messages may have been lost.
        """
        if not self._tables.store.is_shared:
            return nullcontext()
        self._handlers, self._on_reconnect = handlers, on_reconnect
        self._broker.publish_remote = self._bus.publish
        return self._bus.running()

    def publish_bot_turn(self, table: Table) -> None:
        if table.is_bot_to_move:
            self._broker.publish_remote(f"{BOT_TOPIC}{table.id} {table.host} {table.network}")

    def handle_message(self, topic: str) -> None:
        """Invalidate a topic's table, call the topic's handler if there is one, and publish the topic locally."""
        kind, _, rest = topic.partition(" ")
        is_table = kind not in SINGLE_WORD_TOPICS and not rest
        if is_table:
            self._tables.invalidate(kind)
        elif kind in self._handlers:
            self._handlers[kind](rest)
        self._broker.publish_local(topic)
        if is_table and TABLE_TOPIC in self._handlers:
            self._handlers[TABLE_TOPIC](kind)

    def handle_reconnect(self) -> None:
        """Invalidate all tables, and wake all streams, since messages may have been lost."""
        self._tables.invalidate_all()
        self._on_reconnect()
        self._broker.publish_all_local()


class PageHandlers:
    def __init__(
        self,
        tables: TableService,
        lobby: LobbyService,
        subscribers: EventSubscribers,
        presence_sync: PresenceSync,
        sessions: Sessions,
    ) -> None:
        self._store, self._lobby, self._subscribers = tables.store, lobby, subscribers
        self._presence_sync, self._sessions = presence_sync, sessions

    @property
    def handlers(self) -> Handlers:
        return {
            TABLE_TOPIC: self._table_changed,
            LOBBY_TOPIC: lambda _: self._lobby.invalidate(),
            PRESENCE_TOPIC: lambda _: self._presence_sync.task.trigger(),
            DISCONNECT_PREFIX.strip(): lambda words: self._subscribers.disconnect(*words.split(" ", 1)),
            LISTING_TOPIC.strip(): self._lobby.listings.invalidate,
            HOST_SEEN_TOPIC.strip(): self._lobby.record_host,
            TOPIC_PREFIX: self._sessions.invalidate_local,
        }

    def on_reconnect(self) -> None:
        """Invalidate the lobby and sessions, synchronize presence, and wake the event streams."""
        self._lobby.listings.invalidate_all()
        self._lobby.invalidate()
        self._presence_sync.task.trigger()
        self._subscribers.mark_all_changed()
        self._sessions.invalidate_all_local()

    def _table_changed(self, name: str) -> None:
        if self._subscribers.has_subscribers or self._lobby.is_listed(name):
            for table in self._store.get_many([name]):
                self._lobby.on_table_change(table)
                self._subscribers.publish(table)


def bot_worker_handlers(bot_runner: BotRunner, hint_worker: HintWorker) -> Handlers:
    return {
        BOT_TOPIC.strip(): lambda words: bot_runner.enqueue(*words.split(" ", 2)),
        HINT_TOPIC: lambda _: hint_worker.task.trigger(),
    }
