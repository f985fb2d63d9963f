"""Invitations to play again, on the pages of whoever is invited: they come while the page is open."""

import asyncio
from collections.abc import AsyncIterator
from contextlib import suppress
from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ... import catalog
from .. import streams
from ..context import Site
from ..errors import TooMany
from ..people.guests import guest_of
from ..people.rematches import Rematches, in_short, invited_topic
from ..routing import Routes

router = Routes(prefix="/invitations")
ALIVE = 15.0  # seconds between signs of life
NOTHING = 204  # to be told of


def invited_facts(rematches: Rematches, guest: str) -> dict[str, Any]:
    """What templates need to show who wants to play again with a guest: a row for each seat that is kept."""
    found = rematches.invitations(guest)
    metas = [catalog.try_meta(one.table.game) for one in found]
    rows = [
        {"rematch": one, "title": meta.title if meta else one.table.game, "seat": seat}
        for one, meta in zip(found, metas, strict=True)
        for seat in one.seats
    ]
    return {"asked_again": rows, "asked_mark": in_short(found)}


@router.get("/stream")
async def stream(request: Request, site: Site) -> Response:
    """Server-sent events: a guest's invitations as one word, whenever they change."""
    guest = guest_of(request).id
    if not guest:
        return Response(status_code=NOTHING, headers=streams.HEADERS)
    if not site.notifier.is_free(guest):
        raise TooMany("You have too many pages open at once. Close some of them.")

    async def marks() -> AsyncIterator[str]:
        told = ""
        if not site.notifier.is_free(guest):
            return  # others were asked for at the same moment
        with site.notifier.watching(invited_topic(guest), guest=guest) as changed:
            while not site.notifier.closed:
                changed.clear()
                mark = await run_in_threadpool(site.rematches.mark, guest)
                yield f"data: {mark}\n\n" if mark != told else "event: alive\ndata:\n\n"
                told = mark
                with suppress(TimeoutError):
                    async with asyncio.timeout(ALIVE):
                        await changed.wait()

    return streams.answered(request, marks(), site.limits)
