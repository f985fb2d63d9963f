"""Invitations to play again, on the pages of whoever is invited: they come while the page is open."""

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ... import catalog
from ..broker import Broker
from ..lobby.rematches import Rematches, in_short, invited_topic
from ..streams import STREAM_HEADERS, Changes, Streams, respond
from ..users.visitors import guest_of
from .routing import Router

router = Router(prefix="/invitations")
NO_CONTENT = 204


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
async def stream(request: Request, streams: Streams, notifier: Broker, rematches: Rematches) -> Response:
    """Stream the mark of a guest's invitations whenever it changes."""
    guest = guest_of(request).id
    if not guest:
        return Response(status_code=NO_CONTENT, headers=STREAM_HEADERS)
    streams.check_capacity(request, guest)
    changes, told = Changes(notifier, invited_topic(guest)), ""

    async def marks(_at_beat: bool) -> list[str]:
        nonlocal told
        before = told
        if changes.poll():
            told = await run_in_threadpool(rematches.mark, guest)
        return [f"data: {told}\n\n"] if told != before else []

    return respond(request, streams.listen(request, guest, [invited_topic(guest)], marks))
