"""The stream of events: where a guest's seats could notice something, and signs of life by the clock alone."""

import json
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from typing import Annotated, Any, Self

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ...errors import AlmuniaError
from .. import streams
from ..auth.api_tokens import ApiToken, ApiTokens
from ..auth.sessions import session_topic
from ..broker import Broker
from ..clock import Clock
from ..tables.event_subscribers import EventSubscriber, EventSubscribers
from ..tables.presence import Presence
from ..tables.service import TableService
from ..tables.state import TableState
from ..tables.viewer import viewer_of
from ..users.own_tables import OwnTables
from .auth import Caller, provide
from .positions import mark, seen_by
from .schemas import Mark

router = APIRouter(tags=["events"])
MOST = 100  # running tables of which a stream tells: those that wait for its guest first
ABOUT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: `position` with a `Mark` (see the schemas) as its data for every running "
        "table, then `ready`, then a `position` whenever your seat could notice something, `alive` every 15 seconds, "
        "and `over` where no other stream should be asked for.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


@dataclass(frozen=True)
class EventServices:
    """The services that a stream of events uses."""

    streams: streams.Streams
    broker: Broker
    clock: Clock
    tokens: ApiTokens
    event_subscribers: EventSubscribers
    tables: TableService
    own_tables: OwnTables
    presence: Presence


EventServicesDep = Annotated[EventServices, Depends(provide(EventServices))]


@router.get("/events", response_class=Response, responses=ABOUT)
async def events(request: Request, services: EventServicesDep, caller: Caller) -> Response:
    """The stream of all your running tables: one for each token, the latest. Whoever listens counts as being here."""
    services.streams.check_capacity(request, caller.player)
    return streams.respond(request, told(request, services, caller))


async def told(request: Request, services: EventServices, caller: ApiToken) -> AsyncIterator[str]:
    """Yield all events of a stream."""
    with (
        services.event_subscribers.subscribe(caller.id, caller.player) as follower,
        EventStream(services, follower) as watch,
    ):
        account, is_open = streams.Changes(services.broker, session_topic(caller.player)), False

        async def positions(at_beat: bool) -> list[str]:
            nonlocal is_open
            if follower.disconnect_reason:
                raise streams.StreamEnded(f"event: over\ndata: {json.dumps({'error': follower.disconnect_reason})}\n\n")
            if (account.poll() or at_beat) and not await run_in_threadpool(services.tokens.stands, caller.id):
                raise streams.StreamEnded
            if is_open and not at_beat:
                tables = follower.take_changed()
                return list(watch.news(watch.remembered(tables) or await run_in_threadpool(watch.look_at, tables)))
            news = list(watch.news(await run_in_threadpool(watch.look)))  # other processes may have written
            if not is_open:
                is_open = True
                news.append("event: ready\ndata: {}\n\n")
            return news

        async for event in services.streams.listen(request, caller.player, [follower.key], positions):
            yield event


class EventStream:
    """What a stream has told of each table. Whoever is told of a table is there."""

    def __init__(self, services: EventServices, follower: EventSubscriber) -> None:
        self._services, self._follower = services, follower
        self._told: dict[str, Mark] = {}
        self._here: dict[str, ExitStack] = {}

    def __enter__(self) -> Self:
        """Begin."""
        return self

    def __exit__(self, *_: object) -> None:
        """Go away from all tables."""
        for table in list(self._here):
            self._here.pop(table).close()

    def look(self) -> list[Mark]:
        """How all running tables stand, and those that were told of; from the database, in a thread."""
        guest = self._follower.guest
        tables = self._services.own_tables.some(guest, MOST, running=True)
        return self.look_at(dict.fromkeys([*(table.id for table in tables), *sorted(self._told)]))

    def look_at(self, tables: Iterable[str]) -> list[Mark]:
        """How some tables stand, likewise; those that cannot be continued stand nowhere."""
        found = []
        for table in tables:
            with suppress(AlmuniaError):
                found.append(self._mark(self._services.tables.get(table)))
        return found

    def remembered(self, tables: Iterable[str]) -> list[Mark]:
        """The same from memory, where whoever wrote has left what there is to know; nothing unless all are there."""
        kept = [self._services.tables.get_if_cached(table) for table in tables]
        quick = [snapshot for snapshot in kept if snapshot and self._is_quick(snapshot)]
        return [self._mark(snapshot) for snapshot in quick] if len(quick) == len(kept) else []

    def _is_quick(self, snapshot: TableState) -> bool:
        """Whether a table is marked without replaying it."""
        return snapshot.has_history(viewer_of(snapshot, self._follower.guest, snapshot.table.turn).seat)

    def _mark(self, snapshot: TableState) -> Mark:
        return mark(seen_by(snapshot, self._follower.guest, now=self._services.clock.now()))

    def news(self, marks: Iterable[Mark]) -> Iterator[str]:
        """The events that tell what is new in some marks."""
        for one in marks:
            if self._told.get(one.table) == one:
                continue
            yield f"event: position\ndata: {one.model_dump_json()}\n\n"
            self._settle(one)
        self._follower.known = frozenset(self._told)

    def _settle(self, one: Mark) -> None:
        """Remember what was told, and be at the table as long as there is something to wait for."""
        if one.finished or one.seat is None:
            self._told.pop(one.table, None)
            if one.table in self._here:
                self._here.pop(one.table).close()
            return
        self._told[one.table] = one
        if one.table not in self._here:
            self._here[one.table] = ExitStack()
            self._here[one.table].enter_context(self._services.presence.connect(one.table, self._follower.guest))
