"""Streams of server-sent events: how they are answered, and how they end."""

import logging
from collections.abc import AsyncIterator

from sqlalchemy.exc import OperationalError
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

EVENTS = "text/event-stream"
HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # nobody on the way keeps them, or waits for more

log = logging.getLogger(__name__)


class EventStream(StreamingResponse):
    """Server-sent events."""

    media_type = EVENTS


def answered(request: Request, events: AsyncIterator[str]) -> Response:
    """A stream of events, or only what one would be sent with.

    It ends where the database goes away: whoever listens asks anew, after growing pauses.
    """
    if request.method == "HEAD":
        return Response(headers=HEADERS, media_type=EVENTS)
    return EventStream(until_away(events), headers=HEADERS)


async def until_away(events: AsyncIterator[str]) -> AsyncIterator[str]:
    """Events as long as the database answers."""
    try:
        async for event in events:
            yield event
    except OperationalError as error:
        log.warning("A stream ends, for the database does not answer: %s", error.__cause__ or error)
