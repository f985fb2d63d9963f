"""Visitors of a site who behave as a browser does: they open tables, watch them, act, and fetch what has changed."""

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

from ...errors import AlmuniaError

AHEAD = 32  # places whose ghosts a page fetches ahead
GZIP = MAX_WBITS | 16
FACTS = re.compile(r'<main id="table"[^>]* data-mark="([^"]*)" data-seat="(-?\d+)" data-seen="(\d+)"')
PANEL = re.compile(r'data-panel="([^"]*)" data-drawn="([^"]*)"')
MOMENT = re.compile(r'<main id="table"[^>]* data-first="')  # page shows a move that is followed
NEXT = re.compile(r'<main id="table"[^>]* data-next="([^"]*)"')  # moment that is followed after this one
PACE = re.compile(r'<main id="table"[^>]* data-pace="(-?\d+)"')  # milliseconds for which a moment is shown
THEN = '<template id="then">'  # begins the table as it stands now, which comes along with the last moment
ACTION = re.compile(r'<button name="action" value="(\d+)"')
LINK = re.compile(r'id="invite-\d+" readonly value="[^"]*(/join/[^"]*)"')
OK = 200
LOST = (OSError, h11.RemoteProtocolError)  # there is no answer, or not a whole one


class SiteError(AlmuniaError):
    """The site answered otherwise than it should."""


@dataclass
class Tally:
    """What all visitors have done together, and what it took."""

    requests: int = 0
    received: int = 0  # bytes, as they came over the line
    acts: list[float] = field(default_factory=list)  # seconds until each was answered
    views: int = 0  # pages or parts of them that a table has shown
    refused: int = 0
    begun: dict[str, float] = field(default_factory=dict)  # when the last act at a table was sent
    seen: list[float] = field(default_factory=list)  # seconds until somebody else saw one on the page

    def begin(self) -> None:
        """Count anew."""
        self.requests = self.received = self.views = self.refused = 0
        self.acts.clear()
        self.begun.clear()
        self.seen.clear()

    def see(self, table: str, known: float) -> float:
        """Note that a page of a table shows its last act, unless that is `known` there; returns when it was sent."""
        begun = self.begun.get(table, 0)
        if begun > known:
            self.seen.append(perf_counter() - begun)
        return begun


class Answer:
    """An answer that has come whole."""

    def __init__(self, status: int, headers: Mapping[str, str], body: bytes) -> None:
        self.status, self.headers = status, headers
        self.text = (decompress(body, GZIP) if headers.get("content-encoding") == "gzip" else body).decode()


class Line:
    """A connection to the site, opened again whenever it has been closed."""

    def __init__(self, port: int, tally: Tally) -> None:
        self._port, self._tally = port, tally
        self._reader: asyncio.StreamReader | None = None
        self._writer: asyncio.StreamWriter | None = None
        self._talk = h11.Connection(h11.CLIENT)

    async def ask(self, method: str, target: str, headers: dict[str, str], body: bytes = b"") -> Answer:
        """Send a request and wait for the whole answer; a line that had been closed meanwhile is opened once more."""
        for again in (True, False):
            try:
                head = await self.begin(method, target, headers, body)
                parts = [bytes(event.data) async for event in self.events() if isinstance(event, h11.Data)]
                break
            except LOST:
                self.close()
                if not again:
                    raise
        self._tally.requests += 1
        self._tally.received += sum(map(len, parts))
        return Answer(
            head.status_code, {name.decode(): value.decode() for name, value in head.headers}, b"".join(parts)
        )

    async def begin(self, method: str, target: str, headers: dict[str, str], body: bytes = b"") -> h11.Response:
        """Send a request and wait for the head of its answer."""
        if self._writer is None:
            self._reader, self._writer = await asyncio.open_connection("127.0.0.1", self._port)
            self._talk = h11.Connection(h11.CLIENT)
        elif self._talk.our_state is h11.DONE and self._talk.their_state is h11.DONE:
            self._talk.start_next_cycle()
        else:
            raise h11.RemoteProtocolError("This line has been closed.")
        own = {"Host": f"127.0.0.1:{self._port}", "Content-Length": str(len(body)), "Accept-Encoding": "gzip"}
        request = h11.Request(method=method, target=target, headers=[*(own | headers).items()])
        for event in (request, *([h11.Data(data=body)] if body else []), h11.EndOfMessage()):
            self._writer.write(self._talk.send(event) or b"")
        async for event in self.events():
            if isinstance(event, h11.Response):
                return event
        raise h11.RemoteProtocolError("The site has hung up.")

    async def events(self) -> AsyncIterator[Any]:
        """What comes, up to the end of the answer."""
        while True:
            event = self._talk.next_event()
            if event is h11.NEED_DATA:
                assert self._reader is not None
                self._talk.receive_data(await self._reader.read(65536))
            elif isinstance(event, (h11.EndOfMessage, h11.ConnectionClosed)) or event is h11.PAUSED:
                return
            else:
                yield event

    def close(self) -> None:
        """Hang up."""
        if self._writer:
            self._writer.close()
        self._reader = self._writer = None


class Visitor:
    """Somebody with a cookie and a page that is open at one table."""

    def __init__(self, port: int, tally: Tally) -> None:
        self._port, self.tally = port, tally
        self._line, self._stream = Line(port, tally), Line(port, tally)
        self._cookie = ""
        self._panels: dict[str, str] = {}
        self._fetching = asyncio.Lock()
        self.table, self.mark, self.seat, self.seen = "", "", -1, 0
        self.actions: list[int] = []
        self.pace = 0  # milliseconds
        self.over, self.gone = False, False
        self._known = 0.0  # when the last act was sent that this page has shown

    # --- pages ----------------------------------------------------------------------------

    async def get(self, target: str, **headers: str) -> Answer:
        """Fetch something."""
        return await self._ask("GET", target, headers)

    async def post(self, target: str, form: Mapping[str, object], **headers: str) -> Answer:
        """Send a form."""
        origin = {"Origin": f"http://127.0.0.1:{self._port}", "Content-Type": "application/x-www-form-urlencoded"}
        return await self._ask("POST", target, origin | headers, urlencode(form).encode())

    async def _ask(self, method: str, target: str, headers: dict[str, str], body: bytes = b"") -> Answer:
        answer = await self._line.ask(method, target, headers | self._own(), body)
        cookie = answer.headers.get("set-cookie", "").partition(";")[0]
        self._cookie = cookie or self._cookie
        return answer

    def _own(self) -> dict[str, str]:
        return {"Cookie": self._cookie} if self._cookie else {}

    # --- tables ---------------------------------------------------------------------------

    async def open(self, game: str, sitters: list[str]) -> list[str]:
        """Open a table with oneself in the first seat; gives the invitations to those that are open."""
        form = {f"seat-{i}": who for i, who in enumerate(["me", *sitters])}
        answer = await self.post(f"/games/{game}/tables", form)
        if answer.status != 303:
            raise SiteError(f"A table of {game} cannot be opened: the site answers {answer.status}.")
        return await self.enter(answer.headers["location"])

    async def join(self, invitation: str) -> None:
        """Sit down where one is invited."""
        answer = await self.post(invitation, {"name": "A friend"})
        await self.enter(answer.headers["location"])

    async def enter(self, table: str) -> list[str]:
        """Open the page of a table; gives the invitations that it shows."""
        self.table = table
        answer = await self.get(table)
        self._read(answer)
        return [unescape(link) for link in LINK.findall(answer.text)]

    def _read(self, answer: Answer) -> str:
        """Show a page; returns what has come along with it."""
        shown, _, then = answer.text.partition(THEN)
        self._show(shown, answer.status)
        return then

    def _show(self, text: str, status: int = OK) -> None:
        found = FACTS.search(text)
        if status != OK or not found:
            raise SiteError(f"The page of a table cannot be read: the site answers {status}.")
        self.tally.views += 1
        self.mark, self.seat, self.seen = found[1], int(found[2]), int(found[3])
        pace = PACE.search(text)
        self.pace = int(pace[1]) if pace else 0
        self._panels = dict(PANEL.findall(text))
        self.actions = [int(action) for action in ACTION.findall(text)]
        self.over = 'class="table finished"' in text

    def _part(self) -> dict[str, str]:
        panels = " ".join(f"{name}={drawn}" for name, drawn in self._panels.items())
        return {"HX-Request": "true", "X-Panels": panels}

    async def refresh(self, mark: str = "") -> None:
        """Fetch what has changed, unless the page has this mark by now, and the ghosts of what may be chosen then."""
        async with self._fetching:
            if mark == self.mark:
                return
            self._read(await self.get(self.table, **self._part()))
            self._known = self.tally.see(self.table, self._known)
            await self._ghosts()

    async def follow(self, mark: str) -> None:
        """Show what others have done move by move, at the pace of the page, until how the table stands."""
        address, first = self._next_moment(mark), True
        if address is None:
            await self.refresh(mark)
        while address is not None:
            async with self._fetching:
                answer = await self.get(address, **self._part())
                then = self._read(answer)
                if first:
                    self._known = self.tally.see(self.table, self._known)
            if not MOMENT.search(answer.text):
                return
            following = NEXT.search(answer.text)
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
        """Choose an action, if the page still offers any; how long the answer takes is counted.

        Returns how much the page had seen, and the action.
        """
        async with self._fetching:
            if not self.actions:
                return None
            chosen = self.seen, choose(self.actions)
            form = {"action": chosen[1], "seat": self.seat, "seen": self.seen, "sure": 1}
            self.actions = []
            start = self.tally.begun[self.table] = self._known = perf_counter()
            answer = await self.post(f"{self.table}/act", form, **self._part())
            if answer.status == OK:
                self.tally.acts.append(perf_counter() - start)
                self._read(answer)
            else:
                self.tally.refused += 1
                self._read(await self.get(self.table, **self._part()))
            await self._ghosts()
            return chosen

    async def _ghosts(self) -> None:
        if self.actions:
            wanted = ",".join(map(str, self.actions[:AHEAD]))
            await self.get(f"{self.table}/ghosts/{wanted}?mark={self.mark}")

    # --- the stream -----------------------------------------------------------------------

    async def watch(self) -> None:
        """Follow the table until one leaves: fetch what has changed whenever the stream says so."""
        try:
            head = await self._stream.begin(
                "GET", f"{self.table}/stream", {"Accept": "text/event-stream"} | self._own()
            )
            if head.status_code != OK:
                raise SiteError(f"A table cannot be followed: the site answers {head.status_code}.")
            left = b""
            async for event in self._stream.events():
                if isinstance(event, h11.Data):
                    *lines, left = (left + bytes(event.data)).split(b"\n")
                    marks = [line[6:].decode() for line in lines if line.startswith(b"data: ")]
                    if marks and marks[-1] != self.mark:
                        await self.follow(marks[-1])
        except LOST:
            if not self.gone:
                raise

    def leave(self) -> None:
        """Close the page."""
        self.gone = True
        self._line.close()
        self._stream.close()
