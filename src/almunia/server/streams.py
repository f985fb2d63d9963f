"""Streams of server-sent events: how they are answered, and how they end."""

import logging
from collections import Counter
from collections.abc import AsyncIterator

from sqlalchemy.exc import OperationalError
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from .errors import TooMany
from .limits import Limits
from .networks import is_here, network_of

EVENTS = "text/event-stream"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # nobody on the way keeps them, or waits for more
CROWDED = "Too many pages of this site are open where you are. Close some of them."

listening: Counter[str] = Counter()  # streams of this process, by the network of whoever listens
strangers: Counter[str] = Counter()  # and those of them whose listener has no cookie
log = logging.getLogger(__name__)


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = EVENTS


def answered(request: Request, events: AsyncIterator[str], limits: Limits, *, stranger: bool = False) -> Response:
    """A stream of events, or only what one would be sent with. A `stranger` has no id by which streams are counted.

    It ends where the database goes away: whoever listens asks anew, after growing pauses.
    """
    if request.method == "HEAD":
        return Response(headers=HEADERS, media_type=EVENTS)
    network = network_of(request)  # of the visitor: connections may all be those of a proxy
    if listening[network] >= limits.max_streams_per_network and not is_here(network):
        raise TooMany(CROWDED)
    if stranger and strangers[network] >= limits.max_stranger_streams_per_network and not is_here(network):
        raise TooMany(CROWDED)
    events = counted(until_away(events), network, listening)
    return EventStream(counted(events, network, strangers) if stranger else events, headers=HEADERS)


async def counted(events: AsyncIterator[str], network: str, counts: Counter[str]) -> AsyncIterator[str]:
    """Events, counted for a network for as long as they last."""
    counts[network] += 1
    try:
        async for event in events:
            yield event
    finally:
        counts[network] -= 1
        if not counts[network]:
            del counts[network]


async def until_away(events: AsyncIterator[str]) -> AsyncIterator[str]:
    """Events as long as the database answers."""
    try:
        async for event in events:
            yield event
    except OperationalError as error:
        log.warning("A stream ends, for the database does not answer: %s", error.__cause__ or error)
