"""Routes: the function for each address, and its arguments."""

import inspect
from abc import ABC, abstractmethod
from collections.abc import Awaitable, Callable, Iterator
from functools import cache, partialmethod, wraps
from typing import Any, TypeVar

from starlette.requests import Request
from starlette.responses import Response
from starlette.routing import BaseRoute, Route

from ..daily.service import DailyDealService
from ..errors import NotFound, RequestError
from ..services import service_of
from ..threads import OutboundThreads, Threads
from ..users.visitors import Visitor, current_visitor
from .compression import compress
from .forms import EMPTY_FORM, FormFields, read_form

NOT_FOUND_MESSAGE = "This site has no page at that address. It may have been mistyped, or cut off when it was copied."
TABLE_PARAMETER = "table_id"  # its name in paths
INTEGER_TYPES = (int, int | None)
VALUE_TYPES = (str, *INTEGER_TYPES)  # types of parameters in addresses

Endpoint = Callable[..., Any]
Form = TypeVar("Form", bound=Callable[..., Response])


class FromRequest:
    """Base of dataclasses that are made for each request. Their fields are filled like the parameters of a route."""


class FormPage(FromRequest, ABC):
    """A page with forms, which shows the errors of its routes."""

    @abstractmethod
    def render_error(self, where: str, error: RequestError) -> Response:
        """Render the page, with an error in one of its forms."""


def shows_errors(where: str) -> Callable[[Form], Form]:
    """Let a route render its page with a RequestError in the form `where`."""

    def decorate(function: Form) -> Form:
        @wraps(function)
        def answer(page: FormPage, **given: Any) -> Response:
            try:
                return function(page, **given)
            except RequestError as error:
                return page.render_error(where, error)

        return answer  # type: ignore[return-value]  # it has the same parameters

    return decorate


class Router:
    """The routes of one part of the site.

    A parameter of a route's function gets the `Request`, its `Visitor`, its form (`FormFields`), a `FromRequest`, or a
    service of the site, by its annotation. Other parameters get the value of their name in the path or the query, as a
    string or an integer. A function that is not async runs in a thread. An `outbound` function waits for other servers,
    in a thread that serves no pages. Each route for GET answers HEAD as well.
    """

    def __init__(self, prefix: str = "") -> None:
        self._prefix = prefix
        self.all: list[BaseRoute] = []

    def _add(self, method: str, path: str, *, outbound: bool = False) -> Callable[[Endpoint], Endpoint]:
        def add(endpoint: Endpoint) -> Endpoint:
            self.all.append(Route(self._prefix + path, make_handler(endpoint, outbound), methods=[method]))
            return endpoint

        return add

    get, post = partialmethod(_add, "GET"), partialmethod(_add, "POST")


def make_handler(endpoint: Endpoint, outbound: bool = False) -> Callable[[Request], Awaitable[Response]]:
    """Return a request handler that calls an endpoint with the arguments of its parameters."""
    wanted = {one.name: one.annotation for one in all_parameters(endpoint)}
    services = [kind for kind in wanted.values() if kind not in (Request, FormFields, Visitor, *VALUE_TYPES)]

    async def answer(request: Request) -> Response:
        threads, dailies = service_of(request, Threads), service_of(request, DailyDealService)
        table_id = request.path_params.get(TABLE_PARAMETER)
        if table_id is not None and dailies.may_be_hidden(table_id):  # another guest's running attempt
            await threads.run(request, dailies.check_can_view, table_id, current_visitor(request).id)
        reads_form = FormFields in wanted.values() and request.method == "POST"  # the body of a GET has no limits
        given = arguments(endpoint, request, await read_form(request) if reads_form else EMPTY_FORM)
        if inspect.iscoroutinefunction(endpoint):
            response: Response = await endpoint(**given)
            return response
        own = service_of(request, OutboundThreads) if outbound else threads
        return await own.run(request, answer_in_thread, request, **given)

    def answer_in_thread(request: Request, /, **given: Any) -> Response:
        return compress(request, endpoint(**given))

    # Tests read these to try all addresses, and to check that the site has all services.
    answer.asked = [name for name, kind in wanted.items() if kind in VALUE_TYPES]  # type: ignore[attr-defined]
    answer.services = services  # type: ignore[attr-defined]
    return answer


@cache
def parameters_of(function: Endpoint) -> tuple[inspect.Parameter, ...]:
    return tuple(inspect.signature(function, eval_str=True).parameters.values())


def is_from_request(kind: Any) -> bool:
    return isinstance(kind, type) and issubclass(kind, FromRequest)


def all_parameters(function: Endpoint) -> Iterator[inspect.Parameter]:
    """Yield the parameters of a function, with the fields of each `FromRequest` in its place."""
    for parameter in parameters_of(function):
        if is_from_request(parameter.annotation):
            yield from all_parameters(parameter.annotation)
        else:
            yield parameter


def arguments(function: Endpoint, request: Request, form: FormFields) -> dict[str, Any]:
    """Return the arguments of a function for a request, by the names of its parameters."""
    given: dict[str, Any] = {}
    for parameter in parameters_of(function):
        name, kind = parameter.name, parameter.annotation
        if kind in VALUE_TYPES:
            given[name] = read_parameter(parameter, request)
        elif is_from_request(kind):
            given[name] = kind(**arguments(kind, request, form))
        elif kind is Visitor:
            given[name] = current_visitor(request)
        else:
            given[name] = request if kind is Request else form if kind is FormFields else service_of(request, kind)
    return given


def read_parameter(parameter: inspect.Parameter, request: Request) -> Any:
    """Return a parameter's value in path or query, or its default; NotFound if an integer is invalid."""
    said = {**request.query_params, **request.path_params}.get(parameter.name)
    if said is None or parameter.annotation not in INTEGER_TYPES:
        return parameter.default if said is None else said
    try:
        return int(said)
    except ValueError:
        raise NotFound(NOT_FOUND_MESSAGE) from None
