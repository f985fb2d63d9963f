"""HTTP connections with limits on their number and with read and write timeouts, and a graceful shutdown."""

import asyncio
import socket
import sys
from collections import Counter
from threading import Event
from types import FrameType
from typing import Any, ClassVar

import uvicorn
from uvicorn.protocols.http.httptools_impl import HttpToolsProtocol

from .broker import Broker
from .limits import DEFAULT_LIMITS, Limits
from .networks import is_loopback, network_of_address

DRAIN_STEP_SECONDS = 0.1  # between two checks whether a signal ends the wait for proxies
MAX_HEAD_BYTES = 64 * 1024
MAX_HEADER_FIELDS = 100  # browsers and proxies send about 30
RESERVED_FILES = 128  # for other files than connections: the database, threads, pages
MAX_OPEN_FILES = 16_384  # if the system allows it
DEFAULT_OPEN_FILES = 512  # if the system has no limit to read
MESSAGES = {
    408: b"The request did not arrive in time.",
    431: b"The headers of this request are too large.",
    503: b"This site has too many connections at the moment. Please try again later.",
}
REASONS = {408: b"Request Timeout", 431: b"Request Header Fields Too Large", 503: b"Service Unavailable"}


class GracefulServer(uvicorn.Server):
    """A server that closes its site's streams before it waits for other requests.

    Args:
        config: the settings of uvicorn.
        broker: the broker that feeds the streams.
        leaving: set when this process begins to end, so that proxies send visitors to other processes.
        drain_seconds: the time for proxies to notice that this process ends; 0 without other processes.
    """

    def __init__(self, config: uvicorn.Config, broker: Broker, leaving: Event, drain_seconds: float) -> None:
        super().__init__(config)
        self._broker, self._leaving, self._drain_seconds = broker, leaving, drain_seconds
        self._skip_drain = False

    def handle_exit(self, sig: int, frame: FrameType | None) -> None:
        """Handle a signal to end; a second signal skips the wait for proxies."""
        if self.should_exit and not self._skip_drain:
            self._skip_drain = True
        else:
            super().handle_exit(sig, frame)

    async def shutdown(self, sockets: list[socket.socket] | None = None) -> None:
        """Wait for proxies, close the streams, and shut uvicorn down."""
        self._leaving.set()
        for _ in range(round(self._drain_seconds / DRAIN_STEP_SECONDS)):
            if not self._skip_drain:
                await asyncio.sleep(DRAIN_STEP_SECONDS)
        self._broker.close()
        await super().shutdown(sockets)


class LimitedHttpProtocol(HttpToolsProtocol):
    """HTTP protocol with limits on connections, heads and pipelined requests, and with timeouts."""

    limits: ClassVar = DEFAULT_LIMITS
    max_connections: ClassVar = DEFAULT_OPEN_FILES - RESERVED_FILES
    connections_by_network: ClassVar[Counter[str]] = Counter()

    def __init__(self, *given: Any, **named: Any) -> None:
        super().__init__(*given, **named)
        self._head_timer: asyncio.TimerHandle | None = None
        self._write_timer: asyncio.TimerHandle | None = None
        self._refused = False
        self._network = ""  # under which the connection is counted
        self._cycles: list[Any] = []  # requests in progress or queued
        self._incomplete_bytes = 0  # of an incomplete head
        self._head_size = 0  # bytes of the head being parsed
        self._fields = 0  # of the head being parsed
        self._is_reading_head = False  # whether a head is being parsed

    def connection_made(self, transport: asyncio.Transport) -> None:  # type: ignore[override]  # as uvicorn types it
        """Accept a connection, or refuse it with status 503 above the limits."""
        super().connection_made(transport)
        address = self._address()
        is_proxy = self._is_proxy(address)
        rest = self.limits.proxy_keep_alive_seconds if is_proxy else self.limits.keep_alive_seconds
        self.timeout_keep_alive = rest  # type: ignore[assignment]  # the loop accepts fractions
        self._network = address if is_proxy else network_of_address(address)
        self.connections_by_network[self._network] += 1
        too_many = self.connections_by_network[self._network] > self.limits.max_connections_per_network and not is_proxy
        if len(self.connections) > self.max_connections or too_many:
            self._refuse(503)
        else:
            self._await_head()

    def connection_lost(self, exc: Exception | None) -> None:
        for timer in (self._head_timer, self._write_timer):
            if timer:
                timer.cancel()
        self._unset_keepalive_if_required()
        self._disconnect_cycles()
        self.connections_by_network[self._network] -= 1
        if not self.connections_by_network[self._network]:
            del self.connections_by_network[self._network]
        super().connection_lost(exc)

    def data_received(self, data: bytes) -> None:
        if not self._refused:
            super().data_received(data)
            self._check_head_size(len(data))

    def pause_writing(self) -> None:
        """Start the write timeout: the client does not read."""
        super().pause_writing()
        if self._write_timer is None:
            self._write_timer = self.loop.call_later(self.limits.write_timeout_seconds, self._abort)

    def resume_writing(self) -> None:
        """Stop the write timeout: the client reads again."""
        super().resume_writing()
        if self._write_timer:
            self._write_timer.cancel()
            self._write_timer = None

    def _check_head_size(self, more: int) -> None:
        if self._refused:
            return
        self._await_head()
        self._incomplete_bytes = self._incomplete_bytes + more if self._head_timer else 0
        if self._incomplete_bytes > MAX_HEAD_BYTES:
            self._refuse(431)

    def _await_head(self) -> None:
        answering = self.cycle is not None and not self.cycle.response_complete
        if answering and self._head_timer:
            self._head_timer.cancel()
            self._head_timer = None
        elif not answering and not self._head_timer:
            self._head_timer = self.loop.call_later(self.limits.head_timeout_seconds, self._refuse, 408)

    def _refuse(self, status: int) -> None:
        self._refused = True
        self._disconnect_cycles()
        if self.transport.is_closing():
            self.transport.abort()
            return
        body = MESSAGES[status]
        head = b"HTTP/1.1 %d %s\r\nContent-Type: text/plain; charset=utf-8\r\n" % (status, REASONS[status])
        self.transport.write(head + b"Content-Length: %d\r\nConnection: close\r\n\r\n%s" % (len(body), body))
        self.transport.write_eof()
        self._head_timer = self.loop.call_later(self.limits.linger_seconds, self.transport.abort)

    def on_message_begin(self) -> None:
        super().on_message_begin()
        self._is_reading_head = True
        self._head_size = self._fields = 0

    def on_url(self, url: bytes) -> None:
        super().on_url(url)
        self._count_head_bytes(len(url))

    def on_header(self, name: bytes, value: bytes) -> None:
        """Read a field, or refuse the connection if the head has too many fields or bytes."""
        self._fields += 1
        self._count_head_bytes(len(name) + len(value))
        if not self._refused:
            super().on_header(name, value)

    def _count_head_bytes(self, more: int) -> None:
        self._head_size += more
        if not self._refused and (self._head_size > MAX_HEAD_BYTES or self._fields > MAX_HEADER_FIELDS):
            self._refuse(431)

    def on_response_complete(self) -> None:
        super().on_response_complete()
        if self._is_reading_head and not self._refused:
            self._await_head()

    def on_headers_complete(self) -> None:
        """Start or queue a request; abort the connection if it has too many unanswered requests."""
        self._is_reading_head = False
        if self._refused:
            return  # the parser goes on in the same bytes
        super().on_headers_complete()
        self._cycles = [cycle for cycle in (*self._cycles, self.cycle) if cycle and not cycle.response_complete]
        if len(self._cycles) > self.limits.max_pipelined_requests:
            self._refused = True
            self._abort()  # no browser does that

    def on_body(self, body: bytes) -> None:
        if not self._refused:
            super().on_body(body)

    def on_message_complete(self) -> None:
        if not self._refused:
            super().on_message_complete()

    def send_400_response(self, msg: str) -> None:
        """Answer invalid HTTP with status 400, unless the connection was refused."""
        if not self._refused:
            self._disconnect_cycles()
            super().send_400_response(msg)

    def _abort(self) -> None:
        self._disconnect_cycles()
        self.transport.abort()

    def _disconnect_cycles(self) -> None:
        """Mark the pending requests of the connection as disconnected, so that they write no more."""
        for cycle in self._cycles:
            cycle.disconnected = True
            cycle.message_event.set()

    def _is_proxy(self, address: str) -> bool:
        return is_loopback(address) or address in getattr(self.app, "trusted_hosts", ())

    def _address(self) -> str:
        return self.client[0] if self.client else ""


def make_protocol(limits: Limits = DEFAULT_LIMITS) -> type[LimitedHttpProtocol]:
    """Return a protocol class with these limits. Raises the limit on open files, which bounds the connections."""
    return type(
        "LimitedHttpProtocol",
        (LimitedHttpProtocol,),
        {
            "limits": limits,
            "max_connections": raise_open_file_limit() - RESERVED_FILES,
            "connections_by_network": Counter(),
        },
    )


def raise_open_file_limit() -> int:
    """Raise the limit on open files where possible, and return how many files to use."""
    if sys.platform == "win32":
        return DEFAULT_OPEN_FILES
    import resource

    soft, hard = resource.getrlimit(resource.RLIMIT_NOFILE)
    most = MAX_OPEN_FILES if hard == resource.RLIM_INFINITY else min(MAX_OPEN_FILES, hard)
    if soft != resource.RLIM_INFINITY and soft < most:
        resource.setrlimit(resource.RLIMIT_NOFILE, (most, hard))
        return most
    return most if soft == resource.RLIM_INFINITY else soft
