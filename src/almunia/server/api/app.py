"""The HTTP API as a FastAPI application that the site mounts, with errors as JSON."""

import logging
from typing import Any

from fastapi import FastAPI
from fastapi.exceptions import RequestValidationError
from sqlalchemy.exc import OperationalError
from starlette.exceptions import HTTPException
from starlette.requests import ClientDisconnect, Request
from starlette.responses import JSONResponse, Response

from ... import __version__
from ...errors import AlmuniaError, RecordError
from ..errors import RequestError
from ..monitoring.metrics import route_of
from ..services import Services
from . import events, games, open_tables, play, profiles, puzzles, tables, tournaments
from .schemas import Mark, Problem

log = logging.getLogger(__name__)
PREFIX = "/api/v1"
BAD_REQUEST, METHOD_NOT_ALLOWED, CONFLICT, UNPROCESSABLE, INTERNAL_ERROR, UNAVAILABLE = 400, 405, 409, 422, 500, 503
SENTENCES = {
    400: "The body of this request cannot be read. Send it as JSON, in UTF-8.",
    404: "This address does not exist. It may have been mistyped, or cut off when it was copied.",
}
NOT_AN_OBJECT = "The body of this request must be a JSON object, sent with the header Content-Type: application/json."
MAX_VALUE_LENGTH = 40  # of a value in an error message
DESCRIPTION = """\
Play at the tables of this site with a program. Every request needs a token from the page `/api-tokens`, in the header
`Authorization: Bearer TOKEN`. Seats count from 1. An error has a sentence that explains it."""
COMMON_RESPONSES: dict[int | str, dict[str, Any]] = {
    400: {"model": Problem, "description": "The request cannot be read."},
    401: {"model": Problem, "description": "The token is missing or invalid."},
    403: {"model": Problem, "description": "The guest is not allowed to do that now."},
    404: {"model": Problem, "description": "No resource has this name."},
    409: {"model": Problem, "description": "The game has moved on, or this is no longer possible."},
    413: {"model": Problem, "description": "The body is too large, or has no Content-Length header."},
    422: {"model": Problem, "description": "A field is missing or has an invalid value."},
    429: {
        "model": Problem,
        "description": "Too many requests.",
        "headers": {"Retry-After": {"description": "How many seconds to wait.", "schema": {"type": "integer"}}},
    },
    503: {"model": Problem, "description": "The database does not respond. The request may have been carried out."},
}


class Api(FastAPI):
    """A FastAPI application whose description includes the data of its event stream."""

    def openapi(self) -> dict[str, Any]:
        document = super().openapi()
        document["components"]["schemas"]["Mark"] = Mark.model_json_schema()
        return document


def create_api(services: Services) -> FastAPI:
    api = Api(
        title="Almunia",
        version=__version__,
        description=DESCRIPTION,
        servers=[{"url": PREFIX}],
        root_path_in_servers=False,
        docs_url=None,
        redoc_url=None,
        redirect_slashes=False,
        responses=COMMON_RESPONSES,
        generate_unique_id_function=lambda route: route.name,
        exception_handlers={
            AlmuniaError: handle_request_error,
            RequestValidationError: handle_validation_error,
            HTTPException: handle_http_error,
            ClientDisconnect: handle_disconnect,
            OperationalError: handle_database_error,
            Exception: handle_error,
        },
    )
    api.state.services = services
    for part in (games, tables, open_tables, play, profiles, puzzles, tournaments, events):
        api.include_router(part.router)
    return api


def problem(status: int, sentence: str, wait: int = 0) -> JSONResponse:
    """Return an error as JSON; `wait` is the number of seconds before the next request."""
    headers = {"Retry-After": str(wait)} if wait else {}
    if status == 401:
        headers["WWW-Authenticate"] = "Bearer"
    return JSONResponse(Problem(error=sentence, status=status).model_dump(), status, headers)


async def handle_request_error(_request: Request, error: AlmuniaError) -> Response:
    if isinstance(error, RequestError):
        return problem(error.status, str(error), error.wait)
    return problem(CONFLICT if isinstance(error, RecordError) else UNPROCESSABLE, str(error))


async def handle_validation_error(_request: Request, error: RequestValidationError) -> Response:
    """Return the response to an invalid body or parameter, with a sentence about the first error."""
    first = error.errors()[0]
    place = [str(part) for part in first["loc"]]
    name, reason = ".".join(place[1:])[:MAX_VALUE_LENGTH] or "the body", first["msg"]
    if first["type"] == "json_invalid":
        return problem(UNPROCESSABLE, "The body of this request is not valid JSON.")
    if place == ["body"]:
        return problem(UNPROCESSABLE, NOT_AN_OBJECT)
    if first["type"] == "extra_forbidden":
        return problem(UNPROCESSABLE, f"The field {name!r} does not exist. It may be misspelt.")
    if first["type"] == "missing":
        return problem(UNPROCESSABLE, f"The field {name!r} is missing.")
    value = ascii(first["input"])
    shown = value if len(value) <= MAX_VALUE_LENGTH else f"{value[:MAX_VALUE_LENGTH]}..."
    return problem(UNPROCESSABLE, f"The field {name!r} cannot be {shown}: {reason[:1].lower()}{reason[1:]}.")


async def handle_http_error(request: Request, error: HTTPException) -> Response:
    """Return the response to an HTTP error, such as an unknown address."""
    if isinstance(error.__cause__, RequestError):  # too large, or too slow
        return await handle_request_error(request, error.__cause__)
    if error.status_code != METHOD_NOT_ALLOWED:
        return problem(error.status_code, SENTENCES.get(error.status_code, SENTENCES[BAD_REQUEST]))
    allowed = (error.headers or {}).get("Allow", "")
    instead = f", only {allowed}" if allowed else ""
    answer = problem(METHOD_NOT_ALLOWED, f"This address does not accept {ascii(request.method)[1:-1]}{instead}.")
    answer.headers["Allow"] = allowed
    return answer


async def handle_disconnect(_request: Request, _error: Exception) -> Response:
    return Response(status_code=BAD_REQUEST)


async def handle_database_error(request: Request, error: Exception) -> Response:
    log.error("%s %s: the database does not answer.", request.method, route_of(request.scope), exc_info=error)
    sentence = "The database does not respond. Your request may have been carried out, so check before you repeat it."
    return problem(UNAVAILABLE, sentence, wait=5)


async def handle_error(request: Request, error: Exception) -> Response:
    log.error("%s %s failed.", request.method, route_of(request.scope), exc_info=error)
    sentence = "The server has failed. Your request may have been carried out, so check before you repeat it."
    return problem(INTERNAL_ERROR, sentence)
