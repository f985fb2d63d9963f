"""The stream of events: where a guest's seats could notice something, and signs of life by the clock alone."""

import asyncio
import json
from collections.abc import AsyncIterator, Iterable, Iterator
from contextlib import ExitStack, suppress
from typing import Annotated, Any, Self

from fastapi import APIRouter, Depends
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ...errors import AlmuniaError
from ..context import Site
from ..errors import TooMany
from ..play.reader import reader_of
from ..play.snapshot import Snapshot
from ..streams import answered
from .caller import Caller, provide
from .followers import Follower
from .models import Mark
from .positions import mark, seen_by
from .tokens import Token

router = APIRouter(tags=["events"])
Here = Annotated[Site, Depends(provide(Site))]
MOST = 100  # running tables of which a stream tells: those that wait for its guest first
ABOUT: dict[int | str, dict[str, Any]] = {
    200: {
        "description": "Server-sent events: `position` with a `Mark` (see the schemas) as its data for every running "
        "table, then `ready`, then a `position` whenever your seat could notice something, `alive` every 15 seconds, "
        "and `over` where no other stream should be asked for.",
        "content": {"text/event-stream": {"schema": {"type": "string"}}},
    }
}


@router.get("/events", response_class=Response, responses=ABOUT)
async def events(request: Request, site: Here, caller: Caller) -> Response:
    """The stream of all your running tables: one for each token, the latest. Whoever listens counts as being here."""
    if not site.notifier.is_free(caller.player):
        raise TooMany("You have too many streams and pages open at once. Close some of them.")
    return answered(request, told(site, caller), site.limits)


async def told(site: Site, caller: Token) -> AsyncIterator[str]:
    """All events of a stream."""
    if not site.notifier.is_free(caller.player):
        return  # others were asked for at the same moment
    with (
        site.followers.following(caller.id, caller.player) as follower,
        site.notifier.watching(follower.key, guest=caller.player) as changed,
        Watch(site, follower) as watch,
    ):
        beat = (
            asyncio.get_running_loop().time() + site.limits.ping_seconds
        )  # what says nothing to this guest must not shift it
        for event in watch.news(await run_in_threadpool(watch.look)):
            yield event
        yield "event: ready\ndata: {}\n\n"
        while not (site.notifier.closed or follower.over):
            with suppress(TimeoutError):
                async with asyncio.timeout_at(beat):
                    await changed.wait()
            changed.clear()
            if asyncio.get_running_loop().time() < beat:
                tables = follower.take()
                found = watch.remembered(tables) or await run_in_threadpool(watch.look_at, tables)
            else:
                beat += site.limits.ping_seconds
                yield "event: alive\ndata: {}\n\n"
                if not await run_in_threadpool(site.tokens.stands, caller.id):
                    return
                found = await run_in_threadpool(watch.look)  # other processes may have written
            for event in watch.news(found):
                yield event
        if follower.over:
            yield f"event: over\ndata: {json.dumps({'error': follower.over})}\n\n"


class Watch:
    """What a stream has told of each table. Whoever is told of a table is there."""

    def __init__(self, site: Site, follower: Follower) -> None:
        self._site, self._follower = site, follower
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
        tables = self._site.own.some(guest, MOST, running=True)
        return self.look_at(dict.fromkeys([*(table.id for table in tables), *sorted(self._told)]))

    def look_at(self, tables: Iterable[str]) -> list[Mark]:
        """How some tables stand, likewise; those that cannot be continued stand nowhere."""
        found = []
        for table in tables:
            with suppress(AlmuniaError):
                found.append(self._mark(self._site.tables.snapshot(table)))
        return found

    def remembered(self, tables: Iterable[str]) -> list[Mark]:
        """The same from memory, where whoever wrote has left what there is to know; nothing unless all are there."""
        kept = [self._site.tables.latest(table) for table in tables]
        quick = [snapshot for snapshot in kept if snapshot and self._is_quick(snapshot)]
        return [self._mark(snapshot) for snapshot in quick] if len(quick) == len(kept) else []

    def _is_quick(self, snapshot: Snapshot) -> bool:
        """Whether a table is marked without replaying it."""
        return snapshot.has_diary(reader_of(snapshot, self._follower.guest, snapshot.table.turn).seat)

    def _mark(self, snapshot: Snapshot) -> Mark:
        return mark(seen_by(snapshot, self._follower.guest, now=self._site.clock.now()))

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
            self._here[one.table].enter_context(self._site.presence.at(one.table, self._follower.guest))
