"""The same client for asyncio: every method is awaited, and `choose` may be a function of either kind."""

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Generator, Iterable, Mapping, Sequence
from types import TracebackType
from typing import Any, Self, TypeVar, Unpack

import httpx2

from . import protocol as wire
from .client import Chooser, nobody, read, wire_settings
from .models import Mark, Opening, OpenTable, Position, Row, Table
from .protocol import Answer, Ask, Choose, Event, Pause, Step

T = TypeVar("T")


class AsyncClient:
    """Plays at the tables of a site, as the guest who made the token; see `Client`."""

    def __init__(self, address: str, token: str, *, patience: float = 300.0, timeout: float = 30.0) -> None:
        self._patience = patience
        self._http = httpx2.AsyncClient(**wire_settings(address, token, timeout))

    async def __aenter__(self) -> Self:
        """The client."""
        return self

    async def __aexit__(
        self, kind: type[BaseException] | None, error: BaseException | None, trace: TracebackType | None
    ) -> None:
        """Close it."""
        await self.close()

    async def close(self) -> None:
        """Close all connections."""
        await self._http.aclose()

    # --- tables -------------------------------------------------------------------------

    async def games(self) -> list[dict[str, Any]]:
        """All games of the site, with their options."""
        return list((await self._run(wire.repeated(Ask("GET", f"{wire.API}/games"), self._patience)))["games"])

    async def game(self, name: str) -> dict[str, Any]:
        """A game, with its options, actions and the layout of its tensor."""
        return await self._facts(wire.named("games", name))

    async def profile(self) -> dict[str, Any]:
        """Your ratings and results."""
        return await self._facts(f"{wire.API}/profile")

    async def leaderboard(self, game: str, page: int = 1) -> dict[str, Any]:
        """Accounts that want to be on the leaderboard of a game, page by page."""
        return await self._facts(wire.named("leaderboards", game), {"page": page})

    async def daily(self) -> dict[str, Any]:
        """The daily deals that run."""
        return await self._facts(f"{wire.API}/daily")

    async def tables(self) -> list[Row]:
        """Your tables: those that wait for you first, then running ones, then finished ones."""
        return await self._run(wire.tables(self._patience))

    async def open(self, game: str, seats: Sequence[str] = ("me", "medium"), **chosen: Unpack[Opening]) -> Table:
        """Open a table, as `Client.open` does."""
        ask = wire.opening(game, seats, chosen)
        return await self._run(wire.seated(ask, self._patience))

    async def join(self, invitation: str, name: str | None = None) -> Table:
        """Sit down by an invitation."""
        body = {"invitation": invitation, "name": name}
        return await self._run(wire.seated(Ask("POST", f"{wire.API}/tables/join", body), self._patience, again=True))

    async def table(self, table: str) -> Table:
        """A table, and who sits there."""
        return await self._run(wire.seated(Ask("GET", wire.table_path(table)), self._patience, again=True))

    async def leave(self, table: str, bot: str = "medium", seat: int | None = None) -> Table:
        """Let a bot play for you until you come back. While the table waits for players, your seat is free again."""
        return await self._run(
            wire.seated(Ask("POST", wire.table_path(table, "/leave"), {"bot": bot, "seat": seat}), self._patience)
        )

    async def come_back(self, table: str, seat: int | None = None) -> Table:
        """Take your seat back."""
        return await self._run(
            wire.seated(Ask("POST", wire.table_path(table, "/back"), {"seat": seat}), self._patience)
        )

    async def resign(self, table: str, seat: int | None = None) -> Table:
        """Give up for good."""
        return await self._run(
            wire.seated(Ask("POST", wire.table_path(table, "/resign"), {"seat": seat}), self._patience)
        )

    async def open_tables(self) -> list[OpenTable]:
        """The tables in the lobby at which anybody may sit down."""
        return await self._run(wire.open_tables(self._patience))

    async def sit(self, handle: str) -> Table:
        """Sit down at one of them."""
        return await self._run(wire.seated(wire.sitting(handle), self._patience, again=True))

    async def ask(self, table: str, what: str, seat: int | None = None) -> Table:
        """Ask the others to `end` the game, or to go `back` to before your last choice."""
        return await self._run(
            wire.seated(Ask("POST", wire.table_path(table, "/ask"), {"what": what, "seat": seat}), self._patience)
        )

    async def answer(self, table: str, *, agree: bool, seat: int | None = None) -> Table:
        """Agree to what was asked (`table(id).asked`), or decline it."""
        return await self._run(
            wire.seated(Ask("POST", wire.table_path(table, "/answer"), {"agree": agree, "seat": seat}), self._patience)
        )

    async def claim(self, table: str, seat: int, bot: str = "medium") -> Table:
        """Let a bot play for somebody who has been away for too long, or whose time is up."""
        return await self._run(
            wire.seated(Ask("POST", wire.table_path(table, "/claim"), {"seat": seat, "bot": bot}), self._patience)
        )

    # --- playing ------------------------------------------------------------------------

    async def position(self, table: str, include: Iterable[str] = wire.PARTS, view: str = "seat") -> Position:
        """What your seat sees, or a `spectator`, as `Client.position` says it."""
        return await self._run(wire.position(table, include, view, self._patience))

    async def act(self, position: Position, chosen: Any) -> Position:
        """Choose an action in a position, as `Client.act` does."""
        return await self._run(wire.deed(position, "/act", {"actions": wire.codes(chosen)}, self._patience))

    async def undo(self, position: Position, *, turn: bool = False) -> Position:
        """Take the last choice back, or the whole turn."""
        return await self._run(wire.deed(position, "/undo", {"turn": turn}, self._patience))

    async def log(self, table: str) -> list[str]:
        """The log as your seat may read it, line by line."""
        return await self._run(wire.log(table, self._patience))

    async def record(self, table: str) -> str:
        """The record of a game that is over, as text."""
        data = await self._run(wire.repeated(Ask("GET", wire.table_path(table, "/record")), self._patience))
        return str(data["text"])

    # --- events -------------------------------------------------------------------------

    async def events(self) -> AsyncIterator[Mark]:
        """That your seat could notice something, at any table, as `Client.events` says it."""
        async for event in self._listen():
            if event.name == "position":
                yield Mark.read(json.loads(event.data))

    async def play(self, choose: Chooser, table: str | None = None, include: Iterable[str] = wire.PARTS) -> Position:
        """Answer with `choose(position)` whenever it is your turn, until a table is over, or at all tables for ever."""
        async for event in self._listen():
            due = wire.due(event, table)
            if due:
                then = await self._run(wire.answered(due, wire.parts(include), self._patience), choose)
                if wire.is_done(then, table):
                    return then
        raise wire.Lost("The stream of events has ended.")

    # --- how it is done -----------------------------------------------------------------

    async def _listen(self) -> AsyncIterator[Event]:
        """The events of a stream, which is opened anew whenever it breaks off."""
        listening = wire.Listening(self._patience)
        while True:
            try:
                async with self._http.stream("GET", wire.EVENTS, timeout=wire.SILENCE) as answer:
                    if answer.status_code != wire.OK:
                        await answer.aread()
                        listening.refused(read(answer))
                    async for line in answer.aiter_lines():
                        if event := listening.heard(line):
                            yield event
            except httpx2.TransportError:
                pass
            await asyncio.sleep(listening.pause())

    async def _facts(self, path: str, query: Mapping[str, Any] | None = None) -> dict[str, Any]:
        return dict(await self._run(wire.repeated(Ask("GET", path, query=query), self._patience)))

    async def _run(self, flow: Generator[Step, Answer, T], choose: Chooser = nobody) -> T:
        answer, step = Answer(), next(flow)
        while True:
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
            elif isinstance(step, Choose):
                chosen = choose(step.position)
                answer = Answer(chosen=wire.codes(await chosen if inspect.isawaitable(chosen) else chosen))
            else:
                answer = await self._ask(step)
            try:
                step = flow.send(answer)
            except StopIteration as end:
                value: T = end.value
                return value

    async def _ask(self, ask: Ask) -> Answer:
        try:
            return read(await self._http.request(ask.method, ask.path, json=ask.body, params=ask.query))
        except httpx2.TransportError as error:
            return Answer(why=str(error))
