"""Requests as bytes, which no library corrects, and their responses."""

import gzip
import socket
from http.client import HTTPResponse
from typing import NamedTuple

from ..waiting import TIMEOUT


class Answer(NamedTuple):
    """The response to a request."""

    status: int
    headers: dict[str, str]  # by names in lower case
    body: bytes

    @property
    def text(self) -> str:
        return self.body.decode(errors="replace")

    @property
    def is_page(self) -> bool:
        """Whether the response is HTML."""
        return self.headers.get("content-type", "").startswith("text/html")


class Request(NamedTuple):
    """A request: its line, its headers in order, and its body."""

    method: bytes
    target: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes = b""

    @property
    def sent(self) -> bytes:
        """The request as bytes."""
        lines = [b" ".join((self.method, self.target, b"HTTP/1.1")), *(b": ".join(pair) for pair in self.headers)]
        return b"\r\n".join([*lines, b"", self.body])


def dial(port: int, sent: bytes = b"") -> socket.socket:
    """Return a connection over which these bytes were sent."""
    connection = socket.create_connection(("127.0.0.1", port), TIMEOUT)
    connection.sendall(sent)
    return connection


def ask(port: int, request: Request) -> Answer:
    """Send a request on a new connection, and return the response. The body of a stream is its first line."""
    with dial(port, request.sent) as connection:
        return answer_on(connection, request.method.decode("latin-1"))


def answer_on(connection: socket.socket, method: str) -> Answer:
    """Return the next response on a connection."""
    with HTTPResponse(connection, method=method) as response:
        response.begin()
        headers = {name.lower(): value for name, value in response.getheaders()}
        endless = headers.get("content-type", "").startswith("text/event-stream")
        body = response.readline() if endless else response.read()
    if headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body) if body else body
    return Answer(response.status, headers, body)
