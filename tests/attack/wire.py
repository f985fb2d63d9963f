"""Requests as bytes, so that nothing puts them right on the way, and what is answered to them."""

import gzip
import socket
from http.client import HTTPResponse
from typing import NamedTuple

from ..waiting import TIMEOUT


class Answer(NamedTuple):
    """What came back."""

    status: int
    headers: dict[str, str]  # by their names in small letters
    body: bytes

    @property
    def text(self) -> str:
        """The body as text."""
        return self.body.decode(errors="replace")

    @property
    def is_page(self) -> bool:
        """Is it HTML?"""
        return self.headers.get("content-type", "").startswith("text/html")


class Request(NamedTuple):
    """What is sent: a line, headers in their order, and a body."""

    method: bytes
    target: bytes
    headers: tuple[tuple[bytes, bytes], ...]
    body: bytes = b""

    @property
    def sent(self) -> bytes:
        """The request as it goes over the wire."""
        lines = [b" ".join((self.method, self.target, b"HTTP/1.1")), *(b": ".join(pair) for pair in self.headers)]
        return b"\r\n".join([*lines, b"", self.body])


def dial(port: int, sent: bytes = b"") -> socket.socket:
    """A connection over which this has been sent."""
    connection = socket.create_connection(("127.0.0.1", port), TIMEOUT)
    connection.sendall(sent)
    return connection


def ask(port: int, request: Request) -> Answer:
    """The answer to a request on a connection of its own; of a stream, its first news."""
    with dial(port, request.sent) as connection:
        return answer_on(connection, request.method.decode("latin-1"))


def answer_on(connection: socket.socket, method: str) -> Answer:
    """The next answer on a connection."""
    with HTTPResponse(connection, method=method) as response:
        response.begin()
        headers = {name.lower(): value for name, value in response.getheaders()}
        endless = headers.get("content-type", "").startswith("text/event-stream")
        body = response.readline() if endless else response.read()
    if headers.get("content-encoding") == "gzip":
        body = gzip.decompress(body) if body else body
    return Answer(response.status, headers, body)
