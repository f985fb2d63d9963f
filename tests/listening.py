"""Streams of events over real connections, for tests."""

import json
from collections.abc import Iterator
from contextlib import contextmanager
from time import monotonic
from typing import Any

import httpx2

from almunia.server.api.app import PREFIX

from .waiting import TIMEOUT


class Stream:
    """An open stream of events. `text` keeps the lines that were read."""

    def __init__(self, answer: httpx2.Response) -> None:
        self.answer, self.text = answer, ""
        self._lines = answer.iter_lines()

    def next(self) -> tuple[str, Any]:
        """Return the name and the data of the next event; raise StopIteration at the end."""
        name, data = "", ""
        for line in self._lines:
            self.text += line + "\n"
            kind, _, value = line.partition(": ")
            if kind == "event":
                name = value
            elif kind == "data":
                data = value
            elif not line:
                return name, json.loads(data)
        raise StopIteration

    def until(self, wanted: str) -> list[tuple[str, Any]]:
        """Return the events up to the first one with a name."""
        found, end = [self.next()], monotonic() + TIMEOUT
        while found[-1][0] != wanted:
            assert monotonic() < end, f"No event {wanted!r} in {TIMEOUT} s, only {found}."  # signs of life go on
            found.append(self.next())
        return found


@contextmanager
def listening(port: int, token: str) -> Iterator[Stream]:
    """Open the API's stream of events with a token."""
    headers = {"Authorization": f"Bearer {token}"}
    with (
        httpx2.Client(timeout=TIMEOUT) as http,
        http.stream("GET", f"http://127.0.0.1:{port}{PREFIX}/events", headers=headers) as answer,
    ):
        yield Stream(answer)
