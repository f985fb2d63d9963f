"""The interface for programs as an application of its own, which the site mounts: routes, and what is wrong as JSON."""

import logging
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from fastapi.routing import APIRoute
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from ... import __version__
from ...errors import AlmuniaError, RecordError
from ..errors import RequestError
from ..monitoring.metrics import route_of
from ..services import Services
from . import events, games, open_tables, play, profiles, tables
from .schemas import Mark, Problem

log = logging.getLogger(__name__)
PREFIX = "/api/v1"
INVALID, CONFLICT, UNPROCESSABLE, FAILED, AWAY = 400, 409, 422, 500, 503
SENTENCES = {
    400: "The body of this request cannot be read. Send it as JSON, in UTF-8.",
    404: "There is nothing at this address. It may have been mistyped, or cut short when copied.",
}
NO_OBJECT = "The body of this request must be a JSON object, sent with the header Content-Type: application/json."
SHOWN = 40  # characters of a value in a sentence
ABOUT = """\
Games at the tables of this site, for programs. A token from the page `/programs` says for whom a program acts; it goes
into the header `Authorization: Bearer TOKEN`. Seats count from 1. What is wrong is said in a sentence."""
COMMON: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The request cannot be read."},
    401: {"model": Problem, "description": "There is no token, or it is not valid."},
    403: {"model": Problem, "description": "Not for this guest, or not now."},
    404: {"model": Problem, "description": "There is nothing of that name."},
    409: {"model": Problem, "description": "Too late, or not any more."},
    413: {"model": Problem, "description": "The body is too large, or does not say its length."},
    422: {"model": Problem, "description": "A field is missing, or cannot be what was sent."},
    429: {
        "model": Problem,
        "description": "Too many requests.",
        "headers": {"Retry-After": {"description": "For how many seconds to wait.", "schema": {"type": "integer"}}},
    },
    503: {"model": Problem, "description": "The database does not answer. What was sent may have been done."},
}


class Api(FastAPI):
    """An application that describes what its stream tells as well."""

    def openapi(self) -> dict[str, Any]:
        """The description of all that is sent and answered."""
        document = super().openapi()
        document["components"]["schemas"]["Mark"] = Mark.model_json_schema()
        return document


def create_api(services: Services) -> FastAPI:
    """Return the API of a site."""
    api = Api(
        title="Almunia",
        version=__version__,
        description=ABOUT,
        servers=[{"url": PREFIX}],
        root_path_in_servers=False,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses=COMMON,
        generate_unique_id_function=called,
        exception_handlers={
            AlmuniaError: refused,
            RequestValidationError: unfit,
            HTTPException: unrouted,
            ClientDisconnect: hung_up,
            OperationalError: unreachable,
            Exception: failed,
        },
    )
    api.state.services = services
    for part in (games, tables, open_tables, play, profiles, events):
        api.include_router(part.router)
    return api


def called(route: APIRoute) -> str:
    """What an operation is called in the description: as its function is."""
    return route.name


def problem(status: int, sentence: str, wait: int = 0) -> JSONResponse:
    """What is wrong, as JSON; `wait` says for how many seconds the next request should wait."""
    headers = {"Retry-After": str(wait)} if wait else {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(Problem(error=sentence, status=status).model_dump(), status, headers)


async def refused(_request: Request, error: Exception) -> Response:
    """A request that cannot be done."""
    if isinstance(error, RequestError):
        return problem(error.status, str(error), error.wait)
    return problem(CONFLICT if isinstance(error, RecordError) else UNPROCESSABLE, str(error))


async def unfit(_request: Request, error: Exception) -> Response:
    """Fields that are missing, or are not what belongs there: the first of them is named."""
    first = error.errors()[0] if isinstance(error, RequestValidationError) else {}
    place = [str(part) for part in first.get("loc", ())]
    name, value, reason = ".".join(place[1:])[:SHOWN] or "the body", first.get("input"), first.get("msg", "")
    if first.get("type") == "json_invalid":
        return problem(UNPROCESSABLE, "The body of this request is no JSON.")
    if place == ["body"]:
        return problem(UNPROCESSABLE, NO_OBJECT)
    if first.get("type") == "extra_forbidden":
        return problem(UNPROCESSABLE, f"The field {name!r} is not known here. It may be misspelt.")
    if first.get("type") == "missing":
        return problem(UNPROCESSABLE, f"The field {name!r} is missing.")
    shown = ascii(value)
    shown = shown if len(shown) <= SHOWN else f"{shown[:SHOWN]}..."
    return problem(UNPROCESSABLE, f"The field {name!r} cannot be {shown}: {reason[:1].lower()}{reason[1:]}.")


async def unrouted(request: Request, error: Exception) -> Response:
    """An address or method that leads nowhere, or a body that cannot be read."""
    cause = error.__cause__
    if isinstance(cause, RequestError):  # too large, or too slow
        return await refused(request, cause)
    status = error.status_code if isinstance(error, HTTPException) else INVALID
    if status == 405:
        allowed = (error.headers or {}).get("Allow", "") if isinstance(error, HTTPException) else ""
        instead = f", only {allowed}" if allowed else ""
        answer = problem(status, f"This address does not accept {ascii(request.method)[1:-1]}{instead}.")
        answer.headers["Allow"] = allowed
        return answer
    return problem(status, SENTENCES.get(status, SENTENCES[INVALID]))


async def hung_up(_request: Request, _error: Exception) -> Response:
    """A request that was not sent to its end: nobody is there to read an answer."""
    return Response(status_code=INVALID)


async def unreachable(request: Request, error: Exception) -> Response:
    """The database is away for a while."""
    log.error("%s %s: the database does not answer.", request.method, route_of(request.scope), exc_info=error)
    sentence = "The database does not answer. What was sent may or may not have been done: look before you repeat it."
    return problem(AWAY, sentence, wait=5)


async def failed(request: Request, error: Exception) -> Response:
    """A mistake of ours."""
    log.error("%s %s failed.", request.method, route_of(request.scope), exc_info=error)
    sentence = "The mistake is ours. What was sent may or may not have been done: look before you repeat it."
    return problem(FAILED, sentence)
