"""Server-sent events: the loop that every stream runs, and how many streams there may be.

A stream tells that something has changed, never what. Its source is asked for events when one of its topics is
published, and at each sign of life. Signs of life come by the clock alone, so that their time tells nothing.
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
STREAM_HEADERS = {"Cache-Control": "no-store", "X-Accel-Buffering": "no"}  # no proxy caches or buffers them
ALIVE_EVENT = "event: alive\ndata: {}\n\n"
QUOTA_MESSAGES = {
    "guest": "You have too many pages or programs open at once. Close some of them.",
    "network": "Too many pages of this site are open where you are. Close some of them.",
    "stranger": "Too many pages of this site are open where you are. Close some of them.",
}
RECHECK_SECONDS = 300.0  # after which a source looks for what was not published, such as a mute on another device
Quotas = Mapping[tuple[str, str], int]  # the most streams by what they are counted under: a kind, and whose they are
Source = Callable[[bool], Awaitable[Iterable[str]]]  # returns the events since its last call; is it at a sign of life?
log = logging.getLogger(__name__)


class StreamEnded(Exception):
    """Raised by a source that has nothing more to tell; its arguments are the last events."""


class Changes:
    """Whether some topics were published since the last look, so that a source reads only what may have changed."""

    def __init__(self, notifier: Broker, *topics: str) -> None:
        self._notifier, self._topics = notifier, topics
        self._seen: tuple[object, ...] | None = None
        self._looked = 0.0

    def any(self, *facts: object) -> bool:
        """Whether a topic was published, or a fact is another one, or the last change is long ago; for the event loop.

        The caller looks now if so.
        """
        now, seen = monotonic(), (*map(self._notifier.news, self._topics), *facts)
        if seen == self._seen and now - self._looked < RECHECK_SECONDS:
            return False
        self._seen, self._looked = seen, now
        return True


class Streams:
    """Opens the streams of a process, as many as its limits allow."""

    def __init__(self, notifier: Broker, sessions: Sessions, lookout: MissedChangePoll, limits: Limits) -> None:
        self._notifier, self._sessions, self._lookout, self._limits = notifier, sessions, lookout, limits

    def check_capacity(self, request: Request, guest: str) -> None:
        """Raise TooManyRequests if a guest, or a network, has as many streams as it may."""
        for key, most in self._quotas(request, guest).items():
            if self._notifier.count(key) >= most:
                raise TooManyRequests(QUOTA_MESSAGES[key[0]])

    def _quotas(self, request: Request, guest: str) -> Quotas:
        """Return under what a stream is counted, each with its limit."""
        quotas = {("guest", guest): self._limits.max_streams} if guest else {}
        network = network_of(request)  # of the visitor: connections may all be those of a proxy
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
        """Yield the events of a source, and signs of life, until the site closes or the guest's session ends.

        Ends, too, when the source raises Ended, when what it tells of is Missing, and when the database does not
        answer: browsers ask again after growing pauses.

        Args:
            request: the request that opened the stream.
            guest: the guest who listens; empty for a stranger.
            topics: the topics upon which the source is called.
            source: returns new events, at first all that a new listener needs.
            contexts: stack that are entered for as long as the stream lasts.
            max_interval_seconds: the longest time between two calls of the source.
            min_interval_seconds: the shortest time between them.
        """
        notifier, loop, ping_seconds = self._notifier, asyncio.get_running_loop(), self._limits.ping_seconds
        quotas = self._quotas(request, guest)
        if any(notifier.count(key) >= most for key, most in quotas.items()):
            return  # others were opened since `check_capacity`
        watched = (*topics, session_topic(guest)) if guest else topics
        beat, at_beat = loop.time() + ping_seconds, False  # an event that says nothing to this guest must not shift it
        with ExitStack() as stack:
            changed = stack.enter_context(notifier.watching(*watched, counted=quotas))
            for context in contexts:
                stack.enter_context(context)
            try:
                while not notifier.closed:
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
                        if self._lookout.is_due:
                            await run_in_threadpool(self._lookout.look)
            except StreamEnded as end:
                for event in end.args:
                    yield event
            except NotFound:
                return  # its only player has deleted the table
            except OperationalError as error:
                log.warning("A stream ends, for the database does not answer: %s", error.__cause__ or error)


def respond(request: Request, events: AsyncIterator[str]) -> Response:
    """Return a response that streams events, or only its headers."""
    if request.method == "HEAD":
        return Response(headers=STREAM_HEADERS, media_type=MEDIA_TYPE)
    return StreamingResponse(events, headers=STREAM_HEADERS, media_type=MEDIA_TYPE)
