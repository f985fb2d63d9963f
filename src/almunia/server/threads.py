"""Threads that answer requests: a fixed number of slots, shared by networks in turn."""

import asyncio
from collections import Counter, deque
from collections.abc import AsyncIterator, Callable
from concurrent.futures import Executor
from contextlib import asynccontextmanager
from functools import partial
from typing import ParamSpec, TypeVar

from anyio.to_thread import run_sync
from starlette.requests import ClientDisconnect, Request

from .limits import DEFAULT_LIMITS
from .networks import network_of
from .web.middleware.security import SAFE_METHODS

P = ParamSpec("P")
T = TypeVar("T")


class Threads:
    """Slots in threads for requests. Waiting networks get free slots in turn, each up to a limit."""

    def __init__(
        self,
        slots: int = DEFAULT_LIMITS.request_threads,
        per_network: int = DEFAULT_LIMITS.request_threads_per_network,
    ) -> None:
        self._free, self._per_network = slots, per_network
        self._held: Counter[str] = Counter()  # slots, by network
        self._waiting: dict[str, deque[asyncio.Future[None]]] = {}  # by network, in the order of their turns

    async def run(self, request: Request, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function for a request in a thread, when a slot is free.

        Raises:
            ClientDisconnect: the client disconnected while its request, which only reads, waited for a slot.
        """
        async with self.slot(request):
            return await run_sync(partial(function, *args, **kwargs))

    @asynccontextmanager
    async def slot(self, request: Request) -> AsyncIterator[None]:
        """Hold a slot for a request during the block; raise ClientDisconnect as `run` does."""
        network = network_of(request)
        waited = await self._acquire(network)
        try:
            if waited and request.method in SAFE_METHODS and await request.is_disconnected():
                raise ClientDisconnect
            yield
        finally:
            self._release(network)

    @property
    def waiting_count(self) -> int:
        """The number of requests that wait for a slot."""
        return sum(map(len, self._waiting.values()))

    async def _acquire(self, network: str) -> bool:
        """Take a slot; return whether the request had to wait."""
        turn = asyncio.get_running_loop().create_future()
        self._waiting.setdefault(network, deque()).append(turn)
        self._distribute()
        waited = not turn.done()
        try:
            await turn
        except asyncio.CancelledError:
            if not turn.cancelled():
                self._release(network)  # the slot was granted in the same moment
            raise
        return waited

    def _release(self, network: str) -> None:
        self._free += 1
        self._held[network] -= 1
        if not self._held[network]:
            del self._held[network]
        self._distribute()

    def _distribute(self) -> None:
        """Give free slots to waiting requests, one to each network in turn."""
        while self._free:
            network = next((one for one in self._waiting if self._held[one] < self._per_network), None)
            if network is None:
                return
            queue = self._waiting.pop(network)
            turn = queue.popleft()
            if queue:
                self._waiting[network] = queue  # last in turn
            if not turn.done():
                self._free -= 1
                self._held[network] += 1
                turn.set_result(None)


class OutboundThreads:
    """Runs functions that wait for other servers in threads: one at a time, networks in turn."""

    def __init__(self, executor: Executor) -> None:
        self._slots, self._executor = Threads(1, 1), executor

    async def run(self, request: Request, function: Callable[P, T], /, *args: P.args, **kwargs: P.kwargs) -> T:
        """Run a function for a request as `Threads.run` does."""
        async with self._slots.slot(request):
            loop = asyncio.get_running_loop()
            return await loop.run_in_executor(self._executor, partial(function, *args, **kwargs))
