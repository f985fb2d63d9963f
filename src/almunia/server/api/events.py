"""The event stream of an API client: changes that a guest's seats could notice, and regular keep-alive events."""

import json
from collections.abc import AsyncIterator, Iterable
from contextlib import ExitStack, closing, suppress
from typing import Any

from fastapi import APIRouter
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ...errors import AlmuniaError
from ..auth.api_tokens import ApiToken, ApiTokens
from ..auth.sessions import session_topic
from ..broker import Broker
from ..clock import Clock
from ..services import Services
from ..streams import Changes, StreamEnded, Streams, respond
from ..tables.event_subscribers import EventSubscriber, EventSubscribers
from ..tables.presence import Presence
from ..tables.service import TableService
from ..tables.state import TableState
from ..tables.viewer import viewer_of
from ..users.game_lists import GameLists
from .auth import CurrentToken
from .positions import make_mark, view_of
from .schemas import Mark

router = APIRouter(tags=["events"])
MAX_TABLES = 100  # running tables in a stream; those that wait for the guest come first
STREAM_RESPONSE: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events. First a `position` with a `Mark` (see the schemas) for every running "
        "table, then `ready`. After that, a `position` whenever your seat may see a change, and `alive` every 15 "
        "seconds. After `over`, do not open another stream.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


@router.get("/events", response_class=Response, responses=STREAM_RESPONSE)
async def events(request: Request, caller: CurrentToken) -> Response:
    """Stream the changes of your running tables, up to 100. Each token has one stream, the latest one.

    You count as present at these tables.
    """
    services: Services = request.app.state.services
    services[Streams].check_capacity(request, caller.player)
    return respond(request, stream_events(request, services, caller))


async def stream_events(request: Request, services: Services, caller: ApiToken) -> AsyncIterator[str]:
    with (
        services[EventSubscribers].subscribe(caller.id, caller.player) as subscriber,
        closing(EventStream(services, subscriber)) as stream,
    ):
        account, is_open = Changes(services[Broker], session_topic(caller.player)), False

        async def positions(at_beat: bool) -> list[str]:
            nonlocal is_open
            if subscriber.disconnect_reason:
                reason = json.dumps({"error": subscriber.disconnect_reason})
                raise StreamEnded(f"event: over\ndata: {reason}\n\n")
            if (account.poll() or at_beat) and not await run_in_threadpool(services[ApiTokens].is_valid, caller.id):
                raise StreamEnded
            if is_open and not at_beat:
                tables = subscriber.take_changed()
                marks = stream.load_cached(tables) or await run_in_threadpool(stream.load, tables)
                return stream.format_changes(marks)
            marks = await run_in_threadpool(stream.load_all)  # other processes may have written
            changes = stream.format_changes(marks)
            if not is_open:
                is_open = True
                changes.append("event: ready\ndata: {}\n\n")
            return changes

        async for event in services[Streams].listen(request, caller.player, [subscriber.key], positions):
            yield event


class EventStream:
    """The stream of a guest's running tables: sends a table's mark when the mark changes.

    While the stream is open, the guest counts as present at these tables.
    """

    def __init__(self, services: Services, subscriber: EventSubscriber) -> None:
        self._services, self._subscriber = services, subscriber
        self._sent: dict[str, Mark] = {}
        self._presences: dict[str, ExitStack] = {}

    def close(self) -> None:
        """End the presence that this stream gives its guest."""
        while self._presences:
            self._presences.popitem()[1].close()

    def load_all(self) -> list[Mark]:
        """Return the marks of the guest's running tables and of the tables in the stream. Runs in a thread."""
        guest = self._subscriber.guest
        tables = self._services[GameLists].list_first(guest, MAX_TABLES, running=True)
        return self.load(dict.fromkeys([*(table.id for table in tables), *sorted(self._sent)]))

    def load(self, tables: Iterable[str]) -> list[Mark]:
        """Return the marks of tables, without tables that raise an AlmuniaError. Runs in a thread."""
        found = []
        for table in tables:
            with suppress(AlmuniaError):
                found.append(self._mark(self._services[TableService].get(table)))
        return found

    def load_cached(self, tables: Iterable[str]) -> list[Mark]:
        """Return the marks of tables from memory; empty unless all of them are ready."""
        cached = [self._services[TableService].get_if_cached(table) for table in tables]
        ready = [state for state in cached if state and self._is_ready(state)]
        return [self._mark(state) for state in ready] if len(ready) == len(cached) else []

    def _is_ready(self, state: TableState) -> bool:
        return state.is_view_ready(viewer_of(state, self._subscriber.guest, state.table.turn).seat)

    def _mark(self, state: TableState) -> Mark:
        return make_mark(view_of(state, self._subscriber.guest, now=self._services[Clock].now()))

    def format_changes(self, marks: Iterable[Mark]) -> list[str]:
        """Return an event for each mark that differs from the last one sent for its table."""
        changed = [one for one in marks if self._sent.get(one.table) != one]
        for one in changed:
            self._remember(one)
        self._subscriber.known = frozenset(self._sent)
        return [f"event: position\ndata: {one.model_dump_json()}\n\n" for one in changed]

    def _remember(self, one: Mark) -> None:
        if one.finished or one.seat is None:
            self._sent.pop(one.table, None)
            self._presences.pop(one.table, ExitStack()).close()
            return
        self._sent[one.table] = one
        if one.table not in self._presences:
            self._presences[one.table] = ExitStack()
            self._presences[one.table].enter_context(
                self._services[Presence].connect(one.table, self._subscriber.guest)
            )
