"""Server-sent events: the loop of a stream, and limits on the number of streams.

A stream calls its source at the start, after a publication of one of its topics, after each keep-alive event, and
after `max_interval_seconds`. The schedule of keep-alive events does not depend on other events, so that it reveals
no hidden event.
"""

import asyncio
import logging
from collections.abc import AsyncIterator, Awaitable, Callable, Iterable, Mapping, Sequence
from contextlib import AbstractContextManager, ExitStack, suppress
from math import inf
from time import monotonic

from sqlalchemy.exc import OperationalError
from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from .auth.sessions import Sessions, session_topic
from .broker import Broker
from .cluster.missed_changes import MissedChangePoll
from .errors import NotFound, TooManyRequests
from .limits import Limits
from .networks import is_loopback, network_of
from .web.middleware.authentication import session_has_ended

MEDIA_TYPE = "text/event-stream"
STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # for browsers and proxies
ALIVE_EVENT = "event: alive\ndata: {}\n\n"
QUOTA_MESSAGES = {
    "guest": "You have too many pages or programs open at once. Close some of them.",
    "network": "Too many pages of this site are open in your network. Close some of them.",
    "stranger": "Too many pages of this site are open in your network. Close some of them.",
}
# After this time, a source is read again for changes without a topic, such as a mute on another device.
RECHECK_SECONDS = 300.0
Quotas = Mapping[tuple[str, str], int]  # the limit of each counter: its kind, and a guest or a network
Source = Callable[[bool], Awaitable[Iterable[str]]]  # returns events since its last call; True after a keep-alive event
log = logging.getLogger(__name__)


class StreamEnded(Exception):
    """Raised by a source without further events; its arguments are the last events."""


class Changes:
    """Tracks topics and facts, to skip most reads of a source that has not changed."""

    def __init__(self, broker: Broker, *topics: str) -> None:
        self._broker, self._topics = broker, topics
        self._seen: tuple[object, ...] | None = None
        self._read_at = 0.0

    def poll(self, *facts: object) -> bool:
        """Return whether a topic was published, a fact has changed, or the last True is long ago.

        Must be called in the event loop. The first call returns True.
        """
        now, seen = monotonic(), (*map(self._broker.change_count, self._topics), *facts)
        if seen == self._seen and now - self._read_at < RECHECK_SECONDS:
            return False
        self._seen, self._read_at = seen, now
        return True


class Streams:
    """Opens the streams of a process within its limits."""

    def __init__(self, broker: Broker, sessions: Sessions, missed_changes: MissedChangePoll, limits: Limits) -> None:
        self._broker, self._sessions, self._missed_changes, self._limits = broker, sessions, missed_changes, limits

    def check_capacity(self, request: Request, guest: str) -> None:
        """Raise TooManyRequests if a guest or a network has as many streams as it may."""
        for key, most in self._quotas(request, guest).items():
            if self._broker.count(key) >= most:
                raise TooManyRequests(QUOTA_MESSAGES[key[0]])

    def _quotas(self, request: Request, guest: str) -> Quotas:
        quotas = {("guest", guest): self._limits.max_streams} if guest else {}
        network = network_of(request)  # the visitor's: all connections may come from a proxy
        if not is_loopback(network):
            quotas["network", network] = self._limits.max_streams_per_network
            if not guest:
                quotas["stranger", network] = self._limits.max_anonymous_streams_per_network
        return quotas

    async def listen(
        self,
        request: Request,
        guest: str,
        topics: Sequence[str],
        source: Source,
        *,
        contexts: Sequence[AbstractContextManager[object]] = (),
        max_interval_seconds: float = inf,
        min_interval_seconds: float = 0.0,
    ) -> AsyncIterator[str]:
        """Yield the events of a source, and keep-alive events, until the site closes or the guest's session ends.

        Ends, too, if the source raises StreamEnded or NotFound, if the database does not answer, or above the limits.

        Args:
            request: the request that opened the stream.
            guest: the guest who listens; empty for a visitor without a cookie.
            topics: the topics after which the source is called.
            source: returns new events. The first call returns all that a new listener needs.
            contexts: contexts to be entered while the stream is open.
            max_interval_seconds: the longest wait for a publication before the next call of the source.
            min_interval_seconds: the shortest time between two calls of the source.
        """
        broker, loop, ping_seconds = self._broker, asyncio.get_running_loop(), self._limits.ping_seconds
        quotas = self._quotas(request, guest)
        if any(broker.count(key) >= most for key, most in quotas.items()):
            return  # more were opened since `check_capacity`
        watched = (*topics, session_topic(guest)) if guest else topics
        beat, at_beat = loop.time() + ping_seconds, False  # an event without news for this guest must not shift `beat`
        with ExitStack() as stack:
            changed = stack.enter_context(broker.subscribe(*watched, counted=quotas))
            for context in contexts:
                stack.enter_context(context)
            try:
                while not broker.is_closed:
                    changed.clear()
                    events = await source(at_beat)
                    if await session_has_ended(request, self._sessions):
                        return
                    for event in events:
                        yield event
                    deadline = min(beat, loop.time() + max_interval_seconds)
                    await asyncio.sleep(min_interval_seconds)
                    with suppress(TimeoutError):
                        async with asyncio.timeout_at(deadline):
                            await changed.wait()
                    at_beat = loop.time() >= beat
                    if at_beat:
                        beat += ping_seconds
                        yield ALIVE_EVENT
                        if self._missed_changes.is_due:
                            await run_in_threadpool(self._missed_changes.poll)
            except StreamEnded as end:
                for event in end.args:
                    yield event
            except NotFound:
                return  # the table's only player has deleted it
            except OperationalError as error:
                log.warning("A stream ends because the database does not answer: %s", error.__cause__ or error)


def respond(request: Request, events: AsyncIterator[str]) -> Response:
    """Return a response that streams events, or only headers for HEAD."""
    if request.method == "HEAD":
        return Response(headers=STREAM_HEADERS, media_type=MEDIA_TYPE)
    return StreamingResponse(events, headers=STREAM_HEADERS, media_type=MEDIA_TYPE)
