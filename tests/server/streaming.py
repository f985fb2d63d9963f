"""Streams in an event loop whose timers fire without waiting."""

import asyncio
from collections.abc import Awaitable, Callable
from contextlib import suppress
from inspect import signature
from typing import Any, get_type_hints

import pytest
from starlette.requests import Request
from starlette.responses import Response, StreamingResponse

from almunia.server import streams
from almunia.server.api import events
from almunia.server.auth.sessions import AuthContext
from almunia.server.services import Services
from almunia.server.site import Site
from almunia.server.web import lobby, rematch, table as table_pages, table_notices, waiting_count
from almunia.server.web.fragments import SentPictures
from almunia.server.web.middleware import authentication
from almunia.server.web.table_renderer import TableRenderer


def call_directly(monkeypatch: pytest.MonkeyPatch) -> None:
    """Replace the thread pool of streams by direct calls, because such an event loop does not wait for threads."""

    async def directly(function, *given, **named):
        return function(*given, **named)

    modules = streams, authentication, events, rematch, lobby, table_notices, table_pages, waiting_count
    for module in modules:
        monkeypatch.setattr(module, "run_in_threadpool", directly)
    monkeypatch.setattr("almunia.server.threads.Threads.run", lambda _, _request, *given: directly(*given))


def services_of(site: Site) -> Services:
    """Return the services of a site by type, with those that streams use."""
    services = site.services
    services.make((SentPictures, table_notices.NoticeServices, TableRenderer))
    return services


def call_route(endpoint: Callable[..., Awaitable[Response]], services: Services, **given: Any) -> Awaitable[Response]:
    """Call a route's function with these arguments, and with the services that its other parameters name."""
    hints = get_type_hints(endpoint)
    needed = [one.name for one in signature(endpoint).parameters.values() if one.default is one.empty]
    return endpoint(**given, **{name: services[hints[name]] for name in needed if name not in given})


def request_of(**cookie: str) -> Request:
    """Return a request for a stream, from a browser with this cookie."""
    scope = {
        "type": "http",
        "headers": [],
        "method": "GET",
        "path": "/",
        "session": cookie,
        "auth_context": AuthContext(),
    }
    return Request({**scope, "app": None})


async def listened(answer: StreamingResponse, seconds: float) -> list[tuple[float, str]]:
    """Return the events of a stream within some seconds, with their times. The end of the stream is an empty event."""
    loop, found = asyncio.get_running_loop(), []

    async def listen() -> None:
        async for event in answer.body_iterator:
            found.append((round(loop.time(), 6), event))
        found.append((round(loop.time(), 6), ""))

    listening = asyncio.ensure_future(listen())
    await asyncio.wait([listening], timeout=seconds)
    listening.cancel()
    with suppress(asyncio.CancelledError):
        await listening
    return found
