"""Health checks of the site and of this process, for monitoring and for proxies."""

from threading import Event

from starlette.responses import JSONResponse, Response

from ... import __version__
from ..storage.health import OK, DatabaseHealth
from .routing import Router
from .templating import NO_STORE

router = Router(prefix="/health")
UNAVAILABLE = 503


@router.get("")
async def health(pulse: DatabaseHealth) -> Response:
    """Return the state of the site, with status 200 if the database is well, else with 503."""
    state = await pulse.state()
    return JSONResponse({"status": state, "version": __version__}, 200 if state == OK else UNAVAILABLE, NO_STORE)


@router.get("/ready")
async def process(leaving: Event) -> Response:
    """Return whether this process serves visitors: 200, or 503 when it is about to end. Does not ask the database."""
    if leaving.is_set():
        return JSONResponse({"status": "leaving", "version": __version__}, UNAVAILABLE, NO_STORE)
    return JSONResponse({"status": "ok", "version": __version__}, headers=NO_STORE)
