"""Clients that send half a request or read slowly harm no other client."""

import socket
import struct
from collections.abc import Iterator
from contextlib import ExitStack, closing, contextmanager, suppress
from pathlib import Path
from threading import Event

import pytest
from starlette.types import ASGIApp

from almunia.server import http_server
from almunia.server.app import create_app
from almunia.server.http_server import RESERVED_FILES, LimitedHttpProtocol, make_protocol, raise_open_file_limit
from almunia.server.limits import DEFAULT_LIMITS, Limits
from almunia.server.networks import is_loopback
from almunia.server.settings import Settings

from ..serving import answering
from ..waiting import TIMEOUT, wait_until

SHORT = 0.3  # seconds
GET = b"GET / HTTP/1.1\r\nHost: here\r\n\r\n"


@contextmanager
def guarded(
    folder: Path,
    protocol: type[LimitedHttpProtocol] | None = None,
    limits: Limits = DEFAULT_LIMITS,
    app: ASGIApp | None = None,
    **config: object,
) -> Iterator[int]:
    """Serve a site or another application with these limits, and yield the port."""
    app = app or create_app(Settings(data=folder, compiled=False), limits=limits)
    with answering(app, http=protocol or make_protocol(limits), ws="none", **config) as port:
        yield port


def said(connection: socket.socket) -> bytes:
    """Return all data until the server closes the connection."""
    connection.settimeout(TIMEOUT)
    found = b""
    while piece := connection.recv(65536):
        found += piece
    return found


def take(connection: socket.socket, count: int) -> None:
    """Read at least this number of responses."""
    connection.settimeout(TIMEOUT)
    found = b""
    while found.count(b"200 OK") < count:
        piece = connection.recv(65536)
        assert piece, found
        found += piece


def came(port: int, sent: bytes) -> socket.socket:
    """Return a connection over which these bytes were sent."""
    connection = socket.create_connection(("127.0.0.1", port))
    connection.sendall(sent)
    return connection


def form(port: int, *more: bytes, path: bytes = b"/preferences") -> bytes:
    """Return the head of a request with a form."""
    lines = [b"POST %s HTTP/1.1" % path, b"Host: 127.0.0.1:%d" % port, b"Origin: http://127.0.0.1:%d" % port]
    return b"\r\n".join([*lines, b"Content-Type: application/x-www-form-urlencoded", *more, b"", b""])


def faults(caplog: pytest.LogCaptureFixture) -> list[str]:
    """Return the exceptions in the log."""
    return [repr(record.exc_info[1]) for record in caplog.records if record.exc_info]


def test_exceptions_of_the_application_are_logged(tmp_path, caplog):
    """The tests below would pass without effect if uvicorn's log settings hid exceptions from pytest."""

    async def failing(scope, receive, send):
        raise ZeroDivisionError("as planted")

    with guarded(tmp_path, app=failing, lifespan="off") as port, came(port, GET) as connection:
        assert b"500 Internal Server Error" in said(connection)
    assert faults(caplog) == ["ZeroDivisionError('as planted')"]


def test_a_request_before_invalid_http_receives_a_disconnect(tmp_path):
    """Its response would otherwise be written after the 400 response, or to a closed connection."""
    heard = []

    async def hearing(scope, receive, send):
        heard.append((await receive())["type"])

    with guarded(tmp_path, app=hearing, lifespan="off") as port:
        with came(port, GET + b"\x00 no HTTP\r\n\r\n") as connection:
            assert b"400 Bad Request" in said(connection)
        wait_until(lambda: heard, "the application has got the request")
    assert heard == ["http.disconnect"]


@pytest.mark.parametrize("behind", [b"\x00\x01 no HTTP\r\n\r\n", GET * 5 + b"\x00\r\n\r\n"])
def test_invalid_http_after_a_request_is_not_logged_as_an_error(behind, tmp_path, caplog):
    """The first request is still being processed when the connection is closed."""
    with guarded(tmp_path) as port:
        for _ in range(20):
            with came(port, GET + behind) as connection, suppress(ConnectionError):
                said(connection)
        with came(port, GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")) as connection:
            assert b"200 OK" in said(connection)
    assert faults(caplog) == []


def test_an_unfinished_form_is_not_logged_as_an_error(tmp_path, caplog):
    """The client has closed the connection."""
    with guarded(tmp_path) as port:
        for _ in range(5):
            came(port, form(port, b"Content-Length: 20") + b"name=A").close()
        with came(port, GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")) as connection:
            assert b"200 OK" in said(connection)
    assert faults(caplog) == []


class Closing:
    """A transport that is being closed, and accepts no more data."""

    def __init__(self) -> None:
        self.aborted = False

    def is_closing(self) -> bool:
        return True

    def write(self, _data: bytes) -> None:
        raise RuntimeError("unable to perform operation; the handler is closed")

    def abort(self) -> None:
        self.aborted = True


def test_nothing_is_written_to_a_closing_connection():
    """A timeout can expire before the protocol learns that the connection is lost."""
    protocol = object.__new__(LimitedHttpProtocol)
    protocol.transport, protocol._cycles = Closing(), []
    protocol._refuse(408)
    assert protocol.transport.aborted


def test_pipelined_requests_are_limited(tmp_path, caplog):
    """Thousands of pipelined requests would delay all other clients, so the connection is closed."""
    with guarded(tmp_path) as port, came(port, GET * 9000) as connection:
        with came(port, GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")) as other:
            assert b"200 OK" in said(other)
        with suppress(ConnectionError):
            assert said(connection).count(b"200 OK") < 9000
    assert faults(caplog) == []


def test_pipelined_requests_are_answered(tmp_path):
    with guarded(tmp_path) as port:
        last = GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")
        with came(port, GET * 10 + last) as connection:
            assert said(connection).count(b"200 OK") == 11


def test_a_lost_connection_disconnects_all_pipelined_requests(tmp_path, caplog):
    """All pipelined requests of a lost connection learn of the loss, not only the last one."""
    told = []

    class Noted(make_protocol()):
        """Remembers the requests that have received a disconnection."""

        def _disconnect_cycles(self):
            super()._disconnect_cycles()
            told.extend(self._cycles)

    kind = Noted
    with guarded(tmp_path, kind) as port:
        for count in range(12):
            with came(port, GET * DEFAULT_LIMITS.max_pipelined_requests) as connection:
                take(connection, count)
        wait_until(lambda: not kind.connections_by_network, "all connections are closed")
    assert told
    assert all(cycle.disconnected for cycle in told)
    assert faults(caplog) == []


def test_the_size_of_a_head_is_limited(tmp_path):
    with guarded(tmp_path) as port, came(port, GET[:-2] + b"X: " + b"x" * 300_000) as connection:
        with suppress(ConnectionError):
            assert b"431 Request Header Fields Too Large" in said(connection)
        with came(port, GET.replace(b"\r\n\r\n", b"\r\nConnection: close\r\n\r\n")) as other:
            assert b"200 OK" in said(other)


@pytest.mark.parametrize("behind", [b"", b"\x00 no HTTP\r\n\r\n", GET])
@pytest.mark.parametrize(
    "fields", [b"X: " + b"x" * 100_000 + b"\r\n", b"X: x\r\n" * 10_000, b"X: x\r\n" * 100], ids=["large", "many", "101"]
)
def test_the_size_of_a_head_in_one_piece_is_limited(fields, behind, tmp_path, caplog):
    """A large head can arrive in one piece. The data after such a head are not read."""
    with guarded(tmp_path) as port:
        whole = form(port, b"Content-Length: 4")[:-2] + fields + b"\r\na=bc" + behind
        with came(port, whole) as connection:
            answer = said(connection)
    assert answer.startswith(b"HTTP/1.1 431 Request Header Fields Too Large")
    assert answer.count(b"HTTP/1.1") == 1
    assert faults(caplog) == []


def test_a_head_of_a_browser_behind_proxies_is_read(tmp_path):
    fields = b"\r\n".join(b"X-%d: %s" % (number, b"x" * 500) for number in range(90))
    with guarded(tmp_path) as port, came(port, GET[:-2] + fields + b"\r\nConnection: close\r\n\r\n") as connection:
        assert b"200 OK" in said(connection)


@pytest.mark.parametrize("sent", [b"", GET[:20], GET + GET[:20]])
def test_an_unfinished_head_times_out(sent, tmp_path):
    """The timeout also applies before the first byte, and to the second request of a connection."""
    with guarded(tmp_path, limits=Limits(head_timeout_seconds=SHORT)) as port, came(port, sent) as connection:
        answer = said(connection)
    assert (b"200 OK" in answer) == (len(sent) > len(GET))
    assert answer.endswith(http_server.MESSAGES[408])


def test_an_unfinished_form_times_out(tmp_path):
    site = guarded(tmp_path, limits=Limits(form_timeout_seconds=SHORT))
    with site as port, came(port, form(port, b"Content-Length: 9") + b"name") as connection:
        connection.settimeout(TIMEOUT)
        assert b" 408 " in connection.recv(100)


def test_a_chunked_form_is_limited_despite_its_content_length(tmp_path):
    chunk = b"4000\r\n" + b"a" * 0x4000 + b"\r\n"
    head = b"Content-Length: 9\r\nTransfer-Encoding: chunked"
    with guarded(tmp_path) as port, came(port, form(port, head)) as connection:
        connection.settimeout(TIMEOUT)
        answer = b""
        for _ in range(2000):
            try:
                connection.sendall(chunk)
            except (ConnectionError, TimeoutError):
                break
        else:
            pytest.fail("32 MB were taken")
        try:
            answer = connection.recv(100)
        except ConnectionError:
            return
    assert b" 413 " in answer or b" 400 " in answer


def test_connections_over_the_limit_get_a_503_response(tmp_path):
    kind = make_protocol()
    kind.max_connections = 3
    with guarded(tmp_path, kind) as port:
        kept = [came(port, b"") for _ in range(3)]
        wait_until(lambda: kind.connections_by_network.total() == 3, "all connections are open")
        with came(port, GET) as refused:
            assert b"503 Service Unavailable" in said(refused)
        for connection in kept:
            connection.close()
        wait_until(lambda: not kind.connections_by_network, "all connections are closed")
        with came(port, GET) as again:
            again.settimeout(TIMEOUT)
            assert b"200 OK" in again.recv(1000)


def test_a_client_that_does_not_read_is_disconnected(tmp_path):
    cut = Event()

    class Cut(make_protocol(Limits(write_timeout_seconds=SHORT, max_pipelined_requests=10_000))):
        """Sets an event when a connection is lost."""

        def connection_lost(self, exc):
            super().connection_lost(exc)
            cut.set()

    with guarded(tmp_path, Cut) as port, closing(socket.socket()) as slow:
        slow.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
        slow.connect(("127.0.0.1", port))
        slow.settimeout(TIMEOUT)
        page = b"GET /static/vendor/htmx.min.js HTTP/1.1\r\nHost: here\r\n\r\n"
        with suppress(ConnectionError):
            slow.sendall(page * 1000)  # responses of 50 MB, more than all buffers hold
        assert cut.wait(TIMEOUT)


def test_streams_of_pages_per_guest_are_limited(visitor):
    table = visitor.open()
    notifier = visitor.app.state.site.broker
    guest = next(seat.player for seat in visitor.app.state.site.tables.get(table[7:]).table.seats if seat.player)
    with ExitStack() as stack:
        for _ in range(Limits.max_streams):
            assert visitor.head(f"{table}/stream").status_code == 200
            stack.enter_context(notifier.subscribe(table[7:], counted=[("guest", guest)]))
        answer = visitor.get(f"{table}/stream")
        assert answer.status_code == 429
        assert "too many pages or programs open at once" in answer.text
    assert visitor.head(f"{table}/stream").status_code == 200


def test_as_many_files_as_the_system_allows():
    assert raise_open_file_limit() > RESERVED_FILES
    assert raise_open_file_limit() == raise_open_file_limit()


@pytest.mark.parametrize(("address", "here"), [("127.0.0.1", True), ("::1", True), ("10.0.0.7", False), ("", True)])
def test_loopback_addresses_are_recognized(address, here):
    assert is_loopback(address) == here


@pytest.mark.parametrize(("proxies", "most"), [("10.0.0.7", 2), ("10.0.0.7,192.0.2.0/24", 5), ("*", 5)])
def test_a_trusted_proxy_is_not_limited_like_one_network(proxies, most, tmp_path):
    class Elsewhere(make_protocol(Limits(max_connections_per_network=2))):
        """Connections from another machine."""

        def _address(self):
            return "192.0.2.1"

    with guarded(tmp_path, Elsewhere, forwarded_allow_ips=proxies) as port, ExitStack() as stack:
        opened = [stack.enter_context(closing(came(port, GET))) for _ in range(5)]
        assert [b"200 OK" in one.recv(15) for one in opened] == [True] * most + [False] * (5 - most)


@pytest.mark.parametrize(("address", "most"), [("2001:db8:0:1::{}", 2), ("2001:db8:0:{}::1", 5), ("192.0.2.{}", 5)])
def test_connections_are_counted_by_network(address, most, tmp_path):
    """A client with IPv6 has very many addresses in one network."""
    addresses = (address.format(number) for number in range(1, 6))

    class Elsewhere(make_protocol(Limits(max_connections_per_network=2))):
        """Connections from other machines."""

        def connection_made(self, transport):
            self.address = next(addresses)
            super().connection_made(transport)

        def _address(self):
            return self.address

    with guarded(tmp_path, Elsewhere) as port:
        with ExitStack() as stack:
            opened = [stack.enter_context(closing(came(port, GET))) for _ in range(5)]
            assert [b"200 OK" in one.recv(15) for one in opened] == [True] * most + [False] * (5 - most)
        wait_until(lambda: not Elsewhere.connections_by_network, "all connections are closed")


@pytest.mark.parametrize("name", ["max_streams_per_network", "max_anonymous_streams_per_network"])
def test_streams_are_limited_by_the_visitor_behind_a_proxy(tmp_path, name):
    """A visitor without a cookie has no guest id, and all connections come from the proxy."""

    def listen(visitor: bytes) -> bytes:
        head = b"GET /lobby/stream HTTP/1.1\r\nHost: here\r\nX-Forwarded-For: %s\r\n\r\n" % visitor
        return stack.enter_context(closing(came(port, head))).recv(12)[-3:]

    limits = Limits(**{name: 2})
    app = create_app(Settings(data=tmp_path, compiled=False), limits=limits)
    count = app.state.site.broker.count
    with guarded(tmp_path, limits=limits, app=app) as port:
        with ExitStack() as stack:
            assert [listen(b"10.0.0.7") for _ in range(2)] == [b"200"] * 2
            wait_until(lambda: count(("network", "10.0.0.7")) == 2, "both streams are open")
            assert listen(b"10.0.0.7") == b"429"
            assert [listen(b"10.0.0.8"), listen(b"127.0.0.1")] == [b"200"] * 2
        wait_until(lambda: not count(("network", "10.0.0.7")), "all streams are closed")


def read_page(line: socket.socket) -> None:
    """Request a page, and read all of it."""
    line.settimeout(TIMEOUT)
    line.sendall(GET)
    found = b""
    while not found.rstrip().endswith(b"</html>"):
        piece = line.recv(65536)
        assert piece, found
        found += piece


def test_a_proxy_connection_has_a_longer_idle_timeout(tmp_path):
    """Idle connections of clients would use up the limit of their network.

    A proxy closes its idle connections itself.
    """
    known: list[LimitedHttpProtocol] = []

    class FirstOfProxy(make_protocol(Limits(keep_alive_seconds=SHORT))):
        """A protocol that takes its first connection for that of a proxy."""

        def _is_proxy(self, _):
            return self in known or known.append(self) or self is known[0]

    with guarded(tmp_path, FirstOfProxy) as port, came(port, b"") as proxy:
        read_page(proxy)
        with came(port, b"") as other:
            read_page(other)
            assert other.recv(1) == b""
        read_page(proxy)


def test_a_lost_connection_clears_its_timer(tmp_path):
    """A timer of a lost connection would keep its last request in memory."""
    kept = []

    class Noted(make_protocol()):
        """Records how each connection was lost, and whether its timer is set."""

        def connection_lost(self, exc):
            super().connection_lost(exc)
            kept.append((exc is not None, self.timeout_keep_alive_task))

    with guarded(tmp_path, Noted) as port:
        line = socket.create_connection(("127.0.0.1", port))
        read_page(line)
        line.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))  # closes with a reset
        line.close()
        wait_until(lambda: kept, "the connection is lost")
    assert kept[0] == (True, None)
