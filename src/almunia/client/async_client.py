"""The client for asyncio: its methods are coroutines, and `choose` may be a plain or an async function."""

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Generator, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

import httpx2

from . import protocol
from .client import Chooser, http_settings, read_answer, refuse_choice
from .models import Mark, Opening, OpenTable, Position, Row, Table
from .protocol import Answer, Ask, Choose, Event, Pause, Step

T = TypeVar("T")


class AsyncClient:
    """A client for asyncio, with the methods of `Client`."""

    def __init__(self, address: str, token: str, *, patience: float = 300.0, timeout: float = 30.0) -> None:
        self._patience = patience
        self._http = httpx2.AsyncClient(**http_settings(address, token, timeout))

    async def __aenter__(self) -> Self:
        """Return the client."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close the client."""
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    # --- tables -------------------------------------------------------------------------

    async def games(self) -> list[dict[str, Any]]:
        """Return all games of the site, with their options."""
        return list((await self._run(protocol.retry(Ask("GET", f"{protocol.API}/games"), self._patience)))["games"])

    async def game(self, name: str) -> dict[str, Any]:
        """Return a game, with its options, actions and the layout of its tensor."""
        return await self._facts(protocol.resource_path("games", name))

    async def profile(self) -> dict[str, Any]:
        """Return your ratings and results."""
        return await self._facts(f"{protocol.API}/profile")

    async def leaderboard(self, game: str, page: int = 1) -> dict[str, Any]:
        """Return a page of the leaderboard of a game, which lists only accounts that have opted in."""
        return await self._facts(protocol.resource_path("leaderboards", game), {"page": page})

    async def daily(self) -> dict[str, Any]:
        """Return the current daily deals."""
        return await self._facts(f"{protocol.API}/daily")

    async def tables(self) -> list[Row]:
        """Return your tables: tables that wait for you first, then other running tables, then finished tables."""
        return await self._run(protocol.tables(self._patience))

    async def open(self, game: str, seats: Sequence[str] = ("me", "medium"), **settings: Unpack[Opening]) -> Table:
        """Open a table and return it, as `Client.open` does."""
        ask = protocol.open_request(game, seats, settings)
        return await self._run(protocol.request_table(ask, self._patience))

    async def join(self, invitation: str, name: str | None = None) -> Table:
        """Sit down at the table of an invitation link, and return the table."""
        body = {"invitation": invitation, "name": name}
        return await self._run(
            protocol.request_table(Ask("POST", f"{protocol.API}/tables/join", body), self._patience, again=True)
        )

    async def table(self, table: str) -> Table:
        """Return a table and its seats."""
        return await self._run(
            protocol.request_table(Ask("GET", protocol.table_path(table)), self._patience, again=True)
        )

    async def leave(self, table: str, bot: str = "medium", seat: int | None = None) -> Table:
        """Let a bot play for you until you come back, and return the table.

        If the table still waits for players, your seat becomes free.
        """
        return await self._run(
            protocol.request_table(
                Ask("POST", protocol.table_path(table, "/leave"), {"bot": bot, "seat": seat}), self._patience
            )
        )

    async def come_back(self, table: str, seat: int | None = None) -> Table:
        """Take your seat back from the bot, and return the table."""
        return await self._run(
            protocol.request_table(Ask("POST", protocol.table_path(table, "/back"), {"seat": seat}), self._patience)
        )

    async def resign(self, table: str, seat: int | None = None) -> Table:
        """Resign for good, and return the table."""
        return await self._run(
            protocol.request_table(Ask("POST", protocol.table_path(table, "/resign"), {"seat": seat}), self._patience)
        )

    async def open_tables(self) -> list[OpenTable]:
        """Return the tables in the lobby with free seats."""
        return await self._run(protocol.open_tables(self._patience))

    async def sit(self, handle: str) -> Table:
        """Sit down at an open table, and return the table."""
        return await self._run(protocol.request_table(protocol.sit_request(handle), self._patience, again=True))

    async def ask(self, table: str, what: str, seat: int | None = None) -> Table:
        """Ask the other players to `end` the game, or to go `back` to before your last choice. Return the table."""
        return await self._run(
            protocol.request_table(
                Ask("POST", protocol.table_path(table, "/ask"), {"what": what, "seat": seat}), self._patience
            )
        )

    async def answer(self, table: str, *, agree: bool, seat: int | None = None) -> Table:
        """Agree to a request (`table(id).asked`) or decline it, and return the table."""
        return await self._run(
            protocol.request_table(
                Ask("POST", protocol.table_path(table, "/answer"), {"agree": agree, "seat": seat}), self._patience
            )
        )

    async def claim(self, table: str, seat: int, bot: str = "medium") -> Table:
        """Replace a player who has been away for too long, or is out of time, by a bot. Return the table."""
        return await self._run(
            protocol.request_table(
                Ask("POST", protocol.table_path(table, "/claim"), {"seat": seat, "bot": bot}), self._patience
            )
        )

    # --- playing ------------------------------------------------------------------------

    async def position(
        self, table: str, include: Iterable[str] = protocol.DEFAULT_PARTS, view: str = "seat"
    ) -> Position:
        """Return the position in the view of your seat, or of a `spectator`, as `Client.position` does."""
        return await self._run(protocol.position(table, include, view, self._patience))

    async def act(self, position: Position, chosen: Any) -> Position:
        """Choose an action in a position, and return the position after it, as `Client.act` does."""
        return await self._run(protocol.act(position, "/act", {"actions": protocol.codes(chosen)}, self._patience))

    async def undo(self, position: Position, *, turn: bool = False) -> Position:
        """Undo the last choice, or the whole turn, and return the position."""
        return await self._run(protocol.act(position, "/undo", {"turn": turn}, self._patience))

    async def log(self, table: str) -> list[str]:
        """Return the log as your seat may read it, line by line."""
        return await self._run(protocol.log(table, self._patience))

    async def record(self, table: str) -> str:
        """Return the record of a finished game, as text."""
        data = await self._run(protocol.retry(Ask("GET", protocol.table_path(table, "/record")), self._patience))
        return str(data["text"])

    # --- events -------------------------------------------------------------------------

    async def events(self) -> AsyncIterator[Mark]:
        """Yield a mark for every change that your seats can see, as `Client.events` does."""
        async for event in self._listen():
            if event.name == "position":
                yield Mark.read(json.loads(event.data))

    async def play(
        self, choose: Chooser, table: str | None = None, include: Iterable[str] = protocol.DEFAULT_PARTS
    ) -> Position:
        """Answer with `choose(position)` whenever it is your turn, as `Client.play` does. Return the last position."""
        async for event in self._listen():
            table_to_read = protocol.table_to_read(event, table)
            if table_to_read:
                position = await self._run(
                    protocol.play_turn(table_to_read, protocol.parts(include), self._patience), choose
                )
                if protocol.is_done(position, table):
                    return position
        raise protocol.Lost("The stream of events has ended.")

    # --- implementation -----------------------------------------------------------------

    async def _listen(self) -> AsyncIterator[Event]:
        """Yield the events of a stream, and reopen it whenever it breaks off."""
        listener = protocol.EventListener(self._patience)
        while True:
            try:
                async with self._http.stream("GET", protocol.EVENTS, timeout=protocol.STREAM_TIMEOUT_SECONDS) as answer:
                    if answer.status_code != protocol.OK:
                        await answer.aread()
                        listener.reject(read_answer(answer))
                    async for line in answer.aiter_lines():
                        if event := listener.feed(line):
                            yield event
            except httpx2.TransportError:
                pass
            await asyncio.sleep(listener.pause())

    async def _facts(self, path: str, query: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return dict(await self._run(protocol.retry(Ask("GET", path, query=query), self._patience)))

    async def _run(self, flow: Generator[Step, Answer, T], choose: Chooser = refuse_choice) -> T:
        answer, step = Answer(), next(flow)
        while True:
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
            elif isinstance(step, Choose):
                chosen = choose(step.position)
                answer = Answer(chosen=protocol.codes(await chosen if inspect.isawaitable(chosen) else chosen))
            else:
                answer = await self._ask(step)
            try:
                step = flow.send(answer)
            except StopIteration as end:
                value: T = end.value
                return value

    async def _ask(self, ask: Ask) -> Answer:
        try:
            return read_answer(await self._http.request(ask.method, ask.path, json=ask.body, params=ask.query))
        except httpx2.TransportError as error:
            return Answer(why=str(error))
