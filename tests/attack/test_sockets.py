"""Bad connections below HTTP: other clients are served meanwhile, and no connection stays open."""

import socket
import struct
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from dataclasses import replace
from functools import partial
from itertools import count
from random import Random

import pytest

from almunia.server.broker import Broker
from almunia.server.limits import Limits
from almunia.server.tables.model import PERSON, Seat
from almunia.server.web.middleware import security

from ..waiting import TIMEOUT, wait_until
from .conftest import Round
from .target import Target, cookie_of
from .wire import Request, answer_on, ask, dial

BOUTS = 60
MOST = 50  # connections
STREAMS = 4  # of one guest
FEW = Limits(max_streams=STREAMS)
SHORT = 0.5  # seconds of each time limit
HASTY = replace(
    FEW, head_timeout_seconds=SHORT, write_timeout_seconds=SHORT, linger_seconds=SHORT, form_timeout_seconds=SHORT
)
GET = b"GET /static/site.css HTTP/1.1\r\nHost: here\r\n\r\n"
FORM = (
    b"POST /preferences HTTP/1.1\r\nHost: here\r\nOrigin: http://here\r\n"
    b"Content-Type: application/x-www-form-urlencoded\r\n"
)
DECENT = Request(b"GET", b"/my/games", ((b"Host", b"here"), (b"Connection", b"close")))
Way = Callable[[int, Random], socket.socket]


def silence(port: int, rng: Random) -> socket.socket:
    """Connect, and send nothing."""
    return dial(port)


def half_a_head(port: int, rng: Random) -> socket.socket:
    """Send a part of a request, perhaps after a whole one."""
    return dial(port, GET * rng.randrange(2) + GET[: rng.randrange(1, len(GET) - 1)])


def half_a_form(port: int, rng: Random) -> socket.socket:
    """Send less than Content-Length says."""
    return dial(port, FORM + b"Content-Length: %d\r\n\r\nname=" % rng.choice((9, 500, security.MAX_BODY_BYTES)))


def a_false_length(port: int, rng: Random) -> socket.socket:
    """Send a chunked body without its last chunk, with a small Content-Length."""
    connection = dial(port, FORM + b"Content-Length: 9\r\nTransfer-Encoding: chunked\r\n\r\n")
    return flooded(connection, b"4000\r\n" + b"a" * 0x4000 + b"\r\n", rng)


def too_large_a_form(port: int, rng: Random) -> socket.socket:
    """Send the start of a form whose Content-Length is over the limit."""
    return flooded(dial(port, FORM + b"Content-Length: 900000\r\n\r\n"), b"a" * 0x4000, rng)


def too_long_a_head(port: int, rng: Random) -> socket.socket:
    """Send a long head without its end."""
    return flooded(dial(port, GET[:-2]), b"X-More: %s\r\n" % (b"a" * 0x1000), rng)


def rubbish(port: int, rng: Random) -> socket.socket:
    """Send random bytes."""
    return flooded(dial(port), rng.randbytes(300), rng)


def no_reading(port: int, rng: Random) -> socket.socket:
    """Send many requests, and read no response."""
    connection = socket.socket()
    connection.setsockopt(socket.SOL_SOCKET, socket.SO_RCVBUF, 4096)
    connection.settimeout(TIMEOUT)
    connection.connect(("127.0.0.1", port))
    return flooded(connection, GET * 20, rng)


WAYS: tuple[Way, ...] = (silence, half_a_head, half_a_form, a_false_length, too_large_a_form, too_long_a_head, rubbish)
WAYS += (no_reading,)


def flooded(connection: socket.socket, piece: bytes, rng: Random) -> socket.socket:
    """Send a piece several times, at most until the connection takes no more, and return the connection."""
    connection.setblocking(False)
    with suppress(OSError):  # its buffer is full, or it is closed
        for _ in range(rng.randrange(1, 60)):
            connection.send(piece)
    return connection


def hang_up(connection: socket.socket, rng: Random) -> None:
    """Close a connection, perhaps with a reset."""
    if rng.random() < 0.5:
        connection.setsockopt(socket.SOL_SOCKET, socket.SO_LINGER, struct.pack("ii", 1, 0))
    connection.close()


@contextmanager
def connected() -> Iterator[list[socket.socket]]:
    """Yield a list of connections, which are closed at the end."""
    held: list[socket.socket] = []
    try:
        yield held
    finally:
        for connection in held:
            connection.close()


@pytest.mark.slow
@pytest.mark.exhaustive
def test_bad_connections_do_not_affect_others_and_are_closed(rounds: Iterator[Round]) -> None:
    """The client closes only some of the connections. The site must close the others."""
    for rng, folder in rounds:
        with Target(folder, count(rng.getrandbits(32)).__next__, limits=HASTY).served() as target, connected() as held:
            target.protocol.max_connections = MOST
            for _ in range(BOUTS):
                held.append(rng.choice(WAYS)(target.port, rng))
                if rng.random() < 0.3:
                    hang_up(held.pop(rng.randrange(len(held))), rng)
                wait_until(lambda: target.connections() < MOST, "there is room for a connection")
                assert ask(target.port, DECENT).status == 200
            wait_until(lambda: target.connections() == 0, "all connections are closed")


@pytest.mark.slow
@pytest.mark.exhaustive
def test_connections_over_the_limit_are_refused_until_others_close(rounds: Iterator[Round]) -> None:
    for rng, folder in rounds:
        with Target(folder, count(rng.getrandbits(32)).__next__, limits=FEW).served() as target, connected() as held:
            target.protocol.max_connections = MOST
            held += [dial(target.port) for _ in range(MOST + rng.randrange(1, 30))]
            wait_until(lambda: target.connections() >= MOST, "there is no more room")
            refused = ask(target.port, DECENT)
            assert refused.status == 503
            assert refused.text == "This site has too many connections at the moment. Please try again later."
            for connection in held:
                hang_up(connection, rng)
            wait_until(lambda: target.connections() == 0, "all connections are closed")
            assert ask(target.port, DECENT).status == 200


@pytest.mark.slow
@pytest.mark.exhaustive
def test_concurrent_streams_of_a_guest_are_limited(rounds: Iterator[Round]) -> None:
    for rng, folder in rounds:
        with Target(folder, count(rng.getrandbits(32)).__next__, limits=HASTY).served() as target, connected() as held:
            tables, streams = target.site.tables, target.site.broker
            table = tables.create("orchard", (Seat(PERSON, "ana", "Ana"), Seat(PERSON, "bea", "Bea")), "ana").id
            wanted = Request(b"GET", f"/table/{table}/stream".encode(), DECENT.headers)
            cookie = (b"Cookie", cookie_of(target.site, "ana").encode())
            own = wanted._replace(headers=(*wanted.headers, cookie))
            held += [dial(target.port, own.sent) for _ in range(3 * STREAMS)]
            answers = [answer_on(connection, "GET") for connection in held]
            assert {answer.status for answer in answers} <= {200, 429}
            assert sum(answer.body.startswith(b"data: ") for answer in answers) == STREAMS
            wait_until(partial(watched, streams, STREAMS), "the streams are counted")
            assert ask(target.port, wanted).body.startswith(b"data: -1.0")  # of another guest
            for connection in held:
                hang_up(connection, rng)
            wait_until(partial(watched, streams, 0), "all streams are closed")
            wait_until(lambda: target.connections() == 0, "all connections are closed")


def watched(streams: Broker, count: int) -> bool:
    """Whether this number of streams is open."""
    waiting = set[object]().union(*streams._subscribers.values())  # each subscriber may have several topics
    of_guests = sum(number for (kind, _), number in streams._counts.items() if kind == "guest")
    return of_guests == len(waiting) == count
