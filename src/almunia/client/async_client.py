"""The client for asyncio."""

import asyncio
import inspect
import json
from collections.abc import AsyncIterator, Callable, Coroutine, Iterable
from typing import Any, Concatenate, ParamSpec, Self, TypeVar, cast

import httpx2

from . import protocol
from .client import Chooser, Client, http_settings, read_answer
from .models import Position, TableChange
from .protocol import Answer, Ask, Choose, Event, Flow, Pause

P = ParamSpec("P")
T = TypeVar("T")


def coroutine(
    method: Callable[Concatenate[Client, P], T],
) -> Callable[Concatenate["AsyncClient", P], Coroutine[Any, Any, T]]:
    """Return a method of Client unchanged, with the type that the method has in AsyncClient, where `_run` is async."""
    return cast(Any, method)


class AsyncClient:
    """A client for asyncio, with the methods and arguments of `Client`. Methods are coroutines or async iterators."""

    def __init__(self, address: str, token: str, *, retry_seconds: float = 300.0, timeout: float = 30.0) -> None:
        self._retry_seconds = retry_seconds
        self._http = httpx2.AsyncClient(**http_settings(address, token, timeout))

    async def __aenter__(self) -> Self:
        return self

    async def __aexit__(self, *error: object) -> None:
        await self.close()

    async def close(self) -> None:
        await self._http.aclose()

    # --- tables and positions ---------------------------------------------------------------------

    games = coroutine(Client.games)
    game = coroutine(Client.game)
    profile = coroutine(Client.profile)
    leaderboard = coroutine(Client.leaderboard)
    daily = coroutine(Client.daily)
    puzzle = coroutine(Client.puzzle)
    answer_puzzle = coroutine(Client.answer_puzzle)
    tables = coroutine(Client.tables)
    open = coroutine(Client.open)
    join = coroutine(Client.join)
    table = coroutine(Client.table)
    leave = coroutine(Client.leave)
    come_back = coroutine(Client.come_back)
    resign = coroutine(Client.resign)
    ready = coroutine(Client.ready)
    abort = coroutine(Client.abort)
    open_tables = coroutine(Client.open_tables)
    sit = coroutine(Client.sit)
    ask = coroutine(Client.ask)
    answer = coroutine(Client.answer)
    claim = coroutine(Client.claim)
    position = coroutine(Client.position)
    act = coroutine(Client.act)
    undo = coroutine(Client.undo)
    log = coroutine(Client.log)
    record = coroutine(Client.record)
    analysis = coroutine(Client.analysis)

    # --- events -------------------------------------------------------------------------

    async def events(self) -> AsyncIterator[TableChange]:
        """Yield the changes at your tables, as `Client.events` does."""
        async for event in self._listen():
            if event.name == "position":
                yield TableChange.read(json.loads(event.data))

    async def play(
        self, choose: Chooser, table: str | None = None, include: Iterable[str] = protocol.DEFAULT_PARTS
    ) -> Position:
        """Play as `Client.play` does. `choose` may be a plain or an async function."""
        async for event in self._listen():
            table_to_read = protocol.table_to_read(event, table)
            if table_to_read:
                position = await self._run(
                    protocol.play_turn(table_to_read, protocol.parts(include), self._retry_seconds), choose
                )
                if protocol.is_done(position, table):
                    return position
        raise AssertionError("The stream of events never ends.")

    # --- implementation -----------------------------------------------------------------

    async def _listen(self) -> AsyncIterator[Event]:
        listener = protocol.EventListener(self._retry_seconds)
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

    async def _run(self, flow: Flow[T], choose: Chooser | None = None) -> T:
        answer, step = Answer(), next(flow)
        while True:
            if isinstance(step, Pause):
                await asyncio.sleep(step.seconds)
            elif isinstance(step, Choose):
                assert choose  # of `play`, the only caller whose flow chooses
                chosen = choose(step.position)
                answer = Answer(chosen=protocol.codes(await chosen if inspect.isawaitable(chosen) else chosen))
            else:
                answer = await self._ask(step)
            try:
                step = flow.send(answer)
            except StopIteration as end:
                return end.value

    async def _ask(self, ask: Ask) -> Answer:
        try:
            return read_answer(await self._http.request(ask.method, ask.path, json=ask.body, params=ask.query))
        except httpx2.TransportError as error:
            return Answer(why=str(error))
