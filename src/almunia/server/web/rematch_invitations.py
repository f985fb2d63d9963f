"""Invitations to rematches on the open pages of a guest."""

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response

from ... import catalog
from ..broker import Broker
from ..lobby.rematches import Rematches, invitations_topic, version_of
from ..streams import STREAM_HEADERS, Changes, Streams, respond
from ..users.visitors import current_visitor
from .routing import Router
from .templating import VARY, render

router = Router(prefix="/invitations")
NO_CONTENT = 204


def invitations_context(rematches: Rematches, guest: str) -> dict[str, Any]:
    """Return the template context of a guest's invitations, with a row for each reserved seat."""
    found = rematches.invitations(guest)
    metas = [catalog.try_meta(one.table.game) for one in found]
    rows = [
        {"rematch": one, "title": meta.title if meta else one.table.game, "seat": seat}
        for one, meta in zip(found, metas, strict=True)
        for seat in one.seats
    ]
    return {"asked_again": rows, "asked_mark": version_of(found)}


def render_invitations(request: Request, rematches: Rematches) -> Response:
    """Render only the invitations, for a page that has everything else."""
    return render(
        request,
        "_live_invitations.html",
        200,
        {"Vary": VARY},
        **invitations_context(rematches, current_visitor(request).id),
    )


@router.get("/stream")
async def stream(request: Request, streams: Streams, notifier: Broker, rematches: Rematches) -> Response:
    """Stream the version of a guest's invitations whenever it changes."""
    guest = current_visitor(request).id
    if not guest:
        return Response(status_code=NO_CONTENT, headers=STREAM_HEADERS)
    streams.check_capacity(request, guest)
    changes, sent = Changes(notifier, invitations_topic(guest)), ""

    async def marks(_at_beat: bool) -> list[str]:
        nonlocal sent
        before = sent
        if changes.poll():
            sent = await run_in_threadpool(rematches.invitations_version, guest)
        return [f"data: {sent}\n\n"] if sent != before else []

    return respond(request, streams.listen(request, guest, [invitations_topic(guest)], marks))
