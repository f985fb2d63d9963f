"""Streams of server-sent events: how they are answered, and how they end."""

import logging
from collections import Counter
from collections.abc import AsyncIterator

from sqlalchemy.exc import OperationalError
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from .connections import is_here
from .errors import TooMany
from .guard import network_of
from .limits import Limits

EVENTS = "text/event-stream"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # nobody on the way keeps them, or waits for more
CROWDED = "Too many pages of this site are open where you are. Close some of them."

listening: Counter[str] = Counter()  # streams of this process, by the network of whoever listens
log = logging.getLogger(__name__)


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = EVENTS


def answered(request: Request, events: AsyncIterator[str], limits: Limits) -> Response:
    """A stream of events, or only what one would be sent with.

    It ends where the database goes away: whoever listens asks anew, after growing pauses.
    """
    if request.method == "HEAD":
        return Response(headers=HEADERS, media_type=EVENTS)
    network = network_of(request)  # of the visitor: connections may all be those of a proxy
    if listening[network] >= limits.max_streams_per_network and not is_here(network):
        raise TooMany(CROWDED)
    return EventStream(counted(until_away(events), network), headers=HEADERS)


async def counted(events: AsyncIterator[str], network: str) -> AsyncIterator[str]:
    """Events, known to be listened to for as long as they last."""
    listening[network] += 1
    try:
        async for event in events:
            yield event
    finally:
        listening[network] -= 1
        if not listening[network]:
            del listening[network]


async def until_away(events: AsyncIterator[str]) -> AsyncIterator[str]:
    """Events as long as the database answers."""
    try:
        async for event in events:
            yield event
    except OperationalError as error:
        log.warning("A stream ends, for the database does not answer: %s", error.__cause__ or error)
