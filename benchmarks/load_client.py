"""Visitors of a site, who send the requests of a browser: they open and watch tables, act, and fetch changes."""

import asyncio
import re
from collections.abc import AsyncIterator, Callable, Mapping
from dataclasses import dataclass, field
from html import unescape
from time import perf_counter
from typing import Any
from urllib.parse import urlencode
from zlib import MAX_WBITS, decompress

import h11

from almunia.errors import AlmuniaError

MAX_GHOSTS = 32  # actions whose previews a page prefetches
GZIP = MAX_WBITS | 16
FACTS = re.compile(r'<main id="table"[^>]* data-mark="([^"]*)" data-seat="(-?\d+)" data-seen="(\d+)"')
PANEL = re.compile(r'data-fragment="([^"]*)" data-hash="([^"]*)"')
PICTURE = re.compile(r'data-hash="(\w+)"><(?:svg|script)')  # a picture that was sent, or its difference
WHOLE_PAGE = "<!doctype html>"
MOMENT = re.compile(r'<main id="table"[^>]* data-first="')  # the page shows a past moment of the table
NEXT = re.compile(r'<main id="table"[^>]* data-next="([^"]*)"')  # address of the next moment
PACE = re.compile(r'<main id="table"[^>]* data-pace="(-?\d+)"')  # milliseconds for which a moment is shown
THEN = '<template id="then">'  # begins the current table, which the response with the last moment includes
ACTION = re.compile(r'<button name="action" value="(\d+)"')
LINK = re.compile(r'id="invite-\d+" readonly value="[^"]*(/join/[^"]*)"')
OK = 200
CONNECTION_ERRORS = (OSError, h11.RemoteProtocolError)  # no response, or an incomplete one


class SiteError(AlmuniaError):
    """An unexpected response of the site."""


@dataclass
class Tally:
    """Counters and times of all visitors."""

    requests: int = 0
    received: int = 0  # bytes, as transferred
    acts: list[float] = field(default_factory=list)  # response times in seconds
    views: int = 0  # pages of tables, or parts of pages
    refused: int = 0
    sent: dict[str, float] = field(default_factory=dict)  # time of the last act at each table
    seen: list[float] = field(default_factory=list)  # seconds until another visitor saw an act

    def reset(self) -> None:
        """Set all counters to zero."""
        self.requests = self.received = self.views = self.refused = 0
        self.acts.clear()
        self.sent.clear()
        self.seen.clear()

    def see(self, table: str, known: float) -> float:
        """Record that a page shows the last act of its table, unless it was sent at time `known`. Return its time."""
        sent = self.sent.get(table, 0)
        if sent > known:
            self.seen.append(perf_counter() - sent)
        return sent


class Response:
    """A complete response."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status, self.headers = status, headers
        self.text = (decompress(body, GZIP) if headers.get("content-encoding") == "gzip" else body).decode()


class Connection:
    """A connection to the site. It is reopened after it was closed."""

    def __init__(self, port: int, tally: Tally) -> None:
        self._port, self._tally = port, tally
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._protocol = h11.Connection(h11.CLIENT)

    async def request(self, method: str, target: str, headers: dict[str, str], body: bytes = b"") -> Response:
        """Send a request and return the response. If the connection was closed, retry once with a new one."""
        for may_retry in (True, False):
            try:
                head = await self.open(method, target, headers, body)
                parts = [bytes(event.data) async for event in self.events() if isinstance(event, h11.Data)]
                break
            except CONNECTION_ERRORS:
                self.close()
                if not may_retry:
                    raise
        self._tally.requests += 1
        self._tally.received += sum(map(len, parts))
        return Response(
            head.status_code, {name.decode(): value.decode() for name, value in head.headers}, b"".join(parts)
        )

    async def open(self, method: str, target: str, headers: dict[str, str], body: bytes = b"") -> h11.Response:
        """Send a request and return the head of its response."""
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
            self._protocol = h11.Connection(h11.CLIENT)
        elif self._protocol.our_state is h11.DONE and self._protocol.their_state is h11.DONE:
            self._protocol.start_next_cycle()
        else:
            raise h11.RemoteProtocolError("The connection has been closed.")
        own = {"Host": f"127.0.0.1:{self._port}", "Content-Length": str(len(body)), "Accept-Encoding": "gzip"}
        request = h11.Request(method=method, target=target, headers=[*(own | headers).items()])
        for event in (request, *([h11.Data(data=body)] if body else []), h11.EndOfMessage()):
            self._writer.write(self._protocol.send(event) or b"")
        async for event in self.events():
            if isinstance(event, h11.Response):
                return event
        raise h11.RemoteProtocolError("The site has closed the connection.")

    async def events(self) -> AsyncIterator[Any]:
        """Yield the events of the response, up to its end."""
        while True:
            event = self._protocol.next_event()
            if event is h11.NEED_DATA:
                assert self._reader is not None
                self._protocol.receive_data(await self._reader.read(65536))
            elif isinstance(event, (h11.EndOfMessage, h11.ConnectionClosed)) or event is h11.PAUSED:
                return
            else:
                yield event

    def close(self) -> None:
        """Close the connection."""
        if self._writer:
            self._writer.close()
        self._reader = self._writer = None


class Visitor:
    """A browser with a cookie and the open page of one table."""

    def __init__(self, port: int, tally: Tally) -> None:
        self._port, self.tally = port, tally
        self._connection, self._stream = Connection(port, tally), Connection(port, tally)
        self._cookie = ""
        self._panels: dict[str, str] = {}
        self._texts: set[str] = set()  # hashes of pictures to which the site may send differences
        self._fetching = asyncio.Lock()
        self.table, self.mark, self.seat, self.seen = "", "", -1, 0
        self.actions: list[int] = []
        self.pace = 0  # milliseconds
        self.over, self.gone = False, False
        self._known = 0.0  # time of the last act that this page has shown

    # --- pages ----------------------------------------------------------------------------

    async def get(self, target: str, **headers: str) -> Response:
        """Fetch a page and return the response."""
        return await self._request("GET", target, headers)

    async def post(self, target: str, form: Mapping[str, object], **headers: str) -> Response:
        """Send a form and return the response."""
        origin = {"Origin": f"http://127.0.0.1:{self._port}", "Content-Type": "application/x-www-form-urlencoded"}
        return await self._request("POST", target, origin | headers, urlencode(form).encode())

    async def _request(self, method: str, target: str, headers: dict[str, str], body: bytes = b"") -> Response:
        response = await self._connection.request(method, target, headers | self._cookie_header(), body)
        cookie = response.headers.get("set-cookie", "").partition(";")[0]
        self._cookie = cookie or self._cookie
        return response

    def _cookie_header(self) -> dict[str, str]:
        return {"Cookie": self._cookie} if self._cookie else {}

    # --- tables ---------------------------------------------------------------------------

    async def open(self, game: str, others: list[str]) -> list[str]:
        """Open a table and take its first seat. Return the invitations to the open seats.

        Args:
            game: the name of the game.
            others: the other seats, as in the form of the site.
        """
        form = {f"seat-{i}": player for i, player in enumerate(["me", *others])}
        response = await self.post(f"/games/{game}/tables", form)
        if response.status != 303:
            raise SiteError(f"A table of {game} cannot be opened: the site responds with {response.status}.")
        return await self.enter(response.headers["location"])

    async def join(self, invitation: str) -> None:
        """Accept an invitation."""
        response = await self.post(invitation, {"name": "A friend"})
        await self.enter(response.headers["location"])

    async def enter(self, table: str) -> list[str]:
        """Open the page of a table. Return the invitations that it shows."""
        self.table = table
        response = await self.get(table)
        self._read(response)
        return [unescape(link) for link in LINK.findall(response.text)]

    def _read(self, response: Response) -> str:
        """Show a page. Return the current table if the response also includes it, else an empty string."""
        page, _, then = response.text.partition(THEN)
        self._show(page, response.status)
        if not response.text.startswith(WHOLE_PAGE):
            self._texts |= set(PICTURE.findall(response.text))
        return then

    def _show(self, text: str, status: int = OK) -> None:
        found = FACTS.search(text)
        if status != OK or not found:
            raise SiteError(f"The page of a table cannot be read: the site responds with {status}.")
        self.tally.views += 1
        self.mark, self.seat, self.seen = found[1], int(found[2]), int(found[3])
        pace = PACE.search(text)
        self.pace = int(pace[1]) if pace else 0
        self._panels = dict(PANEL.findall(text))
        self.actions = [int(action) for action in ACTION.findall(text)]
        self.over = 'class="table finished"' in text

    def _part(self) -> dict[str, str]:
        marks = {drawn: f"{drawn}+" for drawn in self._texts}
        panels = " ".join(f"{name}={marks.get(drawn, drawn)}" for name, drawn in self._panels.items())
        return {"HX-Request": "true", "X-Fragments": panels}

    async def refresh(self, mark: str = "") -> None:
        """Fetch the changed parts and the previews of the actions, unless the page has this mark already."""
        async with self._fetching:
            if mark == self.mark:
                return
            self._read(await self.get(self.table, **self._part()))
            self._known = self.tally.see(self.table, self._known)
            await self._ghosts()

    async def follow(self, mark: str) -> None:
        """Show the moves of others one at a time, at the pace of the page, up to the current table."""
        address, first = self._next_moment(mark), True
        if address is None:
            await self.refresh(mark)
        while address is not None:
            async with self._fetching:
                response = await self.get(address, **self._part())
                then = self._read(response)
                if first:
                    self._known = self.tally.see(self.table, self._known)
            if not MOMENT.search(response.text):
                return
            following = NEXT.search(response.text)
            address, first = unescape(following[1]) if following else None, False
            await asyncio.sleep(self.pace / 1000)
            if then:
                async with self._fetching:
                    self._show(then)
                    await self._ghosts()
            elif address is None:
                await self.refresh()

    def _next_moment(self, mark: str) -> str | None:
        seat, _, seen = mark.partition(".")
        if self.pace <= 0 or seat != str(self.seat) or not seen.isdigit() or self.seen >= int(seen):
            return None
        return f"{self.table}?at={self.seen + 1}&first={self.seen + 1}"

    async def act(self, choose: Callable[[list[int]], int]) -> tuple[int, int] | None:
        """Choose an action, if the page still offers actions, and add the response time to the tally.

        Returns:
            The number of events that the page had seen, and the action; or None.
        """
        async with self._fetching:
            if not self.actions:
                return None
            chosen = self.seen, choose(self.actions)
            form = {"action": chosen[1], "seat": self.seat, "seen": self.seen, "sure": chosen[1]}
            self.actions = []
            start, earlier = perf_counter(), self.tally.sent.get(self.table, 0.0)
            self.tally.sent[self.table] = start  # before the response: others may see the act earlier than it arrives
            response = await self.post(f"{self.table}/move", form, **self._part())
            if response.status == OK:
                self.tally.acts.append(perf_counter() - start)
                self._known = start
                self._read(response)
            else:
                self.tally.refused += 1
                if self.tally.sent.get(self.table) == start:
                    self.tally.sent[self.table] = earlier
                self._read(await self.get(self.table, **self._part()))
                self._known = self.tally.see(self.table, self._known)
            await self._ghosts()
            return chosen

    async def _ghosts(self) -> None:
        if self.actions:
            wanted = ",".join(map(str, self.actions[:MAX_GHOSTS]))
            await self.get(f"{self.table}/previews/{wanted}?mark={self.mark}")

    # --- the stream -----------------------------------------------------------------------

    async def watch(self) -> None:
        """Follow the table until the page is closed: fetch the changed parts whenever the stream reports a change."""
        try:
            head = await self._stream.open(
                "GET", f"{self.table}/stream", {"Accept": "text/event-stream"} | self._cookie_header()
            )
            if head.status_code != OK:
                raise SiteError(f"A table cannot be followed: the site responds with {head.status_code}.")
            rest = b""
            async for event in self._stream.events():
                if isinstance(event, h11.Data):
                    *lines, rest = (rest + bytes(event.data)).split(b"\n")
                    marks = [line[6:].decode() for line in lines if line.startswith(b"data: ")]
                    if marks and marks[-1] != self.mark:
                        await self.follow(marks[-1])
        except CONNECTION_ERRORS:
            if not self.gone:
                raise

    def leave(self) -> None:
        """Close the page."""
        self.gone = True
        self._connection.close()
        self._stream.close()
