"""Routes: what an address leads to, and what the function behind it is given."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from .compressing import compressed
from .context import Site
from .errors import Missing
from .forms import Form, read_form
from .people.guests import guest_of

NOTHING = "No page of this site has that address. It may have been mistyped, or cut short when copied."
TABLE = "table_id"  # in paths
WHOLE = (int, int | None)

Endpoint = Callable[..., Any]


class Routes:
    """The routes of one part of the site.

    A function gets what its parameters are: the `Request`, the `Site`, the `Form` that was sent, and otherwise what
    the address says under their names, in its path or behind the question mark, as a text or a whole number. One that
    is not async runs in a thread. Whatever can be fetched can be asked about with HEAD.
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self.all: list[BaseRoute] = []

    def get(self, path: str) -> Callable[[Endpoint], Endpoint]:
        """Let a function answer what is fetched from here."""
        return self._add(path, "GET")

    def post(self, path: str) -> Callable[[Endpoint], Endpoint]:
        """Let a function answer the forms that are sent here."""
        return self._add(path, "POST")

    def _add(self, path: str, method: str) -> Callable[[Endpoint], Endpoint]:
        def add(endpoint: Endpoint) -> Endpoint:
            self.all.append(Route(self._prefix + path, answering(endpoint), methods=[method]))
            return endpoint

        return add


def answering(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    """A function of a request that calls an endpoint with what it asks for."""
    wanted = inspect.signature(endpoint, eval_str=True).parameters.values()
    running = inspect.iscoroutinefunction(endpoint)

    async def answer(request: Request) -> Response:
        given: dict[str, Any] = {}
        site: Site = request.app.state.site
        if TABLE in request.path_params and site.dailies.may_be_secret(request.path_params[TABLE]):
            await site.threads.run(request, check_look, request)
        for parameter in wanted:
            if parameter.annotation is Request:
                given[parameter.name] = request
            elif parameter.annotation is Site:
                given[parameter.name] = site
            elif parameter.annotation is Form:
                given[parameter.name] = await read_form(request)
            else:
                given[parameter.name] = value_of(parameter, request)
        response: Response
        if running:
            response = await endpoint(**given)
        else:
            response = await site.threads.run(request, answered, request, **given)
        return response

    def answered(request: Request, /, **given: Any) -> Response:
        return compressed(request, endpoint(**given))

    named = (parameter.name for parameter in wanted if parameter.annotation not in (Request, Site, Form))
    answer.asked = [*named]  # type: ignore[attr-defined]  # for whoever tries them all
    return answer


def check_look(request: Request) -> None:
    """Forbidden if nobody else may look yet at the table that a request is about: a try at a deal that runs."""
    site: Site = request.app.state.site
    site.dailies.check_look(request.path_params[TABLE], guest_of(request).id)


def value_of(parameter: inspect.Parameter, request: Request) -> Any:
    """What a request says for a parameter; Missing if that is not what belongs there."""
    places: Mapping[str, str] = request.path_params if parameter.name in request.path_params else request.query_params
    said = places.get(parameter.name)
    if said is None:
        return parameter.default
    if parameter.annotation not in WHOLE:
        return said
    try:
        return int(said)
    except ValueError:
        raise Missing(NOTHING) from None
