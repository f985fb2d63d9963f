"""Request threads: fair queues of networks, and requests that are cancelled."""

import asyncio
from contextlib import AsyncExitStack, closing, suppress
from threading import Event

import pytest
from starlette.requests import ClientDisconnect, Request
from starlette.responses import Response

from almunia.server.api import app as api
from almunia.server.api.auth import FairThreads
from almunia.server.app import create_app
from almunia.server.http_server import make_protocol
from almunia.server.limits import Limits
from almunia.server.settings import Settings
from almunia.server.threads import Threads
from almunia.server.web.routing import Router

from ..serving import answering, settled
from ..waiting import TIMEOUT, wait_until
from .test_http_server import came, said

ONE = Limits(request_threads=1, request_threads_per_network=1)
CROWD = 50


def asking(network, method="GET", gone=False):
    """Return a request from a network, whose client may have closed its connection."""

    async def receive():
        if not gone:
            await asyncio.get_running_loop().create_future()  # waits forever
        return {"type": "http.disconnect"}

    return Request({"type": "http", "method": method, "client": (network, 1)}, receive)


async def settle():
    """Let all tasks run until they wait."""
    for _ in range(20):
        await asyncio.sleep(0)


async def served(threads, requests):
    """Return the order in which requests get a slot. All of them come while no slot is free."""
    order = []

    async def ask(name, request):
        with suppress(ClientDisconnect):
            async with threads.slot(request):
                order.append(name)

    async with AsyncExitStack() as held:
        for number in range(2):
            await held.enter_async_context(threads.slot(asking(f"192.0.2.{number}")))
        tasks = [asyncio.create_task(ask(name, request)) for name, request in requests]
        await settle()
        assert (order, threads.waiting_count) == ([], len(tasks))
    await asyncio.gather(*tasks)
    assert threads.waiting_count == 0
    return order


def test_networks_are_served_in_turn():
    crowd = [("crowd", asking("203.0.113.5")) for _ in range(CROWD)]
    others = [("here", asking("198.51.100.7")), ("there", asking("2001:db8::1")), ("there", asking("2001:db8::2"))]
    order = settled(served(Threads(2, 1), crowd + others))
    assert order[:5] == ["crowd", "here", "there", "crowd", "there"]
    assert order[5:] == ["crowd"] * (CROWD - 2)


@pytest.mark.parametrize(("method", "count"), [("GET", 0), ("HEAD", 0), ("POST", CROWD)])
def test_read_requests_of_disconnected_clients_are_dropped(method, count):
    gone = [("gone", asking("203.0.113.5", method, gone=True)) for _ in range(CROWD)]
    order = settled(served(Threads(2, 1), [*gone, ("here", asking("203.0.113.5"))]))
    assert order == ["gone"] * count + ["here"]


def test_slots_per_network_are_limited():
    async def hold():
        threads, taken = Threads(3, 2), []

        async def ask(network):
            async with threads.slot(asking(network)):
                taken.append(network)
                await asyncio.get_running_loop().create_future()

        tasks = [asyncio.create_task(ask(network)) for network in ("a", "a", "a", "b", "b")]
        await settle()
        first = list(taken)
        tasks[0].cancel()
        await settle()
        for task in tasks:
            task.cancel()
        await settle()
        return first, taken[3:], threads

    first, then, threads = settled(hold())
    assert (first, then) == (["a", "a", "b"], ["a"])
    assert (threads.waiting_count, threads._free, threads._held) == (0, 3, {})


def test_a_cancelled_request_releases_its_slot():
    async def cancel():
        threads = Threads(1, 1)

        async def ask():
            async with threads.slot(asking("a")):
                pytest.fail("It was cancelled.")

        async with threads.slot(asking("b")):
            task = asyncio.create_task(ask())
            await settle()
        assert threads._free == 0, "it has the place, and does not know yet"
        task.cancel()
        await settle()
        return threads._free

    assert settled(cancel()) == 1


def test_disconnected_clients_are_not_served_and_health_checks_do_not_wait(tmp_path):
    """Many clients close their connections while the only thread is busy."""
    router, begun, over, calls = Router(), Event(), Event(), []

    @router.get("/held")
    def held():
        begun.set()
        over.wait(TIMEOUT)
        return Response("held")

    @router.get("/counted")
    def counted():
        calls.append(1)
        return Response("counted")

    app, protocol = create_app(Settings(data=tmp_path, compiled=False), limits=ONE), make_protocol(ONE)
    app.router.routes[:0] = router.all
    threads = app.state.site.threads

    def get(path, *fields):
        return came(port, "\r\n".join([f"GET {path} HTTP/1.1", "Host: x", *fields, "", ""]).encode())

    with answering(app, http=protocol, ws="none") as port, closing(get("/held", "Connection: close")) as first:
        assert begun.wait(TIMEOUT)
        gone = [get("/counted" if number % 2 else "/api/v1/games") for number in range(CROWD)]
        wait_until(lambda: threads.waiting_count == CROWD, "all wait")
        for connection in gone:
            connection.close()
        wait_until(lambda: protocol.connections_by_network["127.0.0.1"] == 1, "the site knows that they are gone")
        with closing(get("/health", "Connection: close")) as health:
            assert b'"status":"ok"' in said(health)
        with closing(get("/counted", "Connection: close")) as patient_one:
            wait_until(lambda: threads.waiting_count == CROWD + 1, "one more waits")
            over.set()
            assert b"counted" in said(patient_one)
        assert b"held" in said(first)
    assert len(calls) == 1


def test_api_requests_use_the_fair_queue():
    """FastAPI would otherwise run these requests in its thread pool at once."""
    parts = {name: part.router.route_class for name, part in vars(api).items() if hasattr(part, "router")}
    assert {name for name, kind in parts.items() if kind is not FairThreads} == {"events"}
