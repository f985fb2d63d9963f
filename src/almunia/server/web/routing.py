"""Routes: the function for each address, and its arguments."""

import inspect
from collections.abc import Awaitable, Callable, Mapping
from typing import Any

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from ..daily.service import DailyDealService
from ..errors import NotFound
from ..services import Services, service_of
from ..threads import Threads
from ..users.visitors import current_visitor
from .compression import compress
from .forms import FormFields, read_form

NOT_FOUND_MESSAGE = "No page of this site has that address. It may have been mistyped, or cut short when copied."
TABLE_PARAMETER = "table_id"  # its name in paths
INTEGER_TYPES = (int, int | None)
VALUE_TYPES = (str, *INTEGER_TYPES)  # types of parameters in addresses

Endpoint = Callable[..., Any]


class Router:
    """The routes of one part of the site.

    A parameter of a route's function gets the `Request`, the form (`FormFields`), or a service of the site, by its
    annotation. Other parameters get the value of their name in the path or the query, as a string or an integer. A
    function that is not async runs in a thread. Each route for GET answers HEAD as well.
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self.all: list[BaseRoute] = []

    def get(self, path: str) -> Callable[[Endpoint], Endpoint]:
        """Register a function for GET requests."""
        return self._add(path, "GET")

    def post(self, path: str) -> Callable[[Endpoint], Endpoint]:
        """Register a function for the forms that are posted to a path."""
        return self._add(path, "POST")

    def _add(self, path: str, method: str) -> Callable[[Endpoint], Endpoint]:
        def add(endpoint: Endpoint) -> Endpoint:
            self.all.append(Route(self._prefix + path, make_handler(endpoint), methods=[method]))
            return endpoint

        return add


def make_handler(endpoint: Endpoint) -> Callable[[Request], Awaitable[Response]]:
    """Return a request handler that calls an endpoint with the arguments of its parameters."""
    wanted = inspect.signature(endpoint, eval_str=True).parameters.values()
    running = inspect.iscoroutinefunction(endpoint)

    async def answer(request: Request) -> Response:
        given: dict[str, Any] = {}
        services: Services = request.app.state.services
        threads = services[Threads]
        if TABLE_PARAMETER in request.path_params and services[DailyDealService].may_be_hidden(
            request.path_params[TABLE_PARAMETER]
        ):
            await threads.run(request, check_may_view, request)
        for parameter in wanted:
            if parameter.annotation is Request:
                given[parameter.name] = request
            elif parameter.annotation is FormFields:
                given[parameter.name] = await read_form(request)
            elif parameter.annotation in VALUE_TYPES:
                given[parameter.name] = read_parameter(parameter, request)
            else:
                given[parameter.name] = services[parameter.annotation]
        response: Response
        if running:
            response = await endpoint(**given)
        else:
            response = await threads.run(request, answered, request, **given)
        return response

    def answered(request: Request, /, **given: Any) -> Response:
        return compress(request, endpoint(**given))

    named = (parameter.name for parameter in wanted if parameter.annotation in VALUE_TYPES)
    answer.asked = [*named]  # type: ignore[attr-defined]  # for tests that try all addresses
    answer.services = [  # type: ignore[attr-defined]  # for a test that the site has them all
        kind
        for kind in (parameter.annotation for parameter in wanted)
        if kind not in (Request, FormFields, *VALUE_TYPES)
    ]
    return answer


def check_may_view(request: Request) -> None:
    """Raise Forbidden if the request's table is another guest's running attempt at a daily deal."""
    service_of(request, DailyDealService).check_can_view(
        request.path_params[TABLE_PARAMETER], current_visitor(request).id
    )


def read_parameter(parameter: inspect.Parameter, request: Request) -> Any:
    """Return the value of a parameter in a path or query; NotFound if it should be an integer and is none."""
    places: Mapping[str, str] = request.path_params if parameter.name in request.path_params else request.query_params
    said = places.get(parameter.name)
    if said is None:
        return parameter.default
    if parameter.annotation not in INTEGER_TYPES:
        return said
    try:
        return int(said)
    except ValueError:
        raise NotFound(NOT_FOUND_MESSAGE) from None
