"""Is this site well? For load balancers and for whoever watches it."""

from sqlalchemy import select
from sqlalchemy.exc import SQLAlchemyError
from starlette.responses import JSONResponse, Response

from ... import __version__
from ..context import Site
from ..routing import Routes
from ..storage.database import reading

router = Routes(prefix="/health")
FRESH = {"Cache-Control": "no-store"}
UNAVAILABLE = 503


@router.get("")
def health(site: Site) -> Response:
    """Says that it is, with status 200, or 503 while the database doesn't answer."""
    try:
        with reading(site.engine) as db:
            db.execute(select(1))
    except SQLAlchemyError:
        return JSONResponse({"status": "no database", "version": __version__}, UNAVAILABLE, FRESH)
    return JSONResponse({"status": "ok", "version": __version__}, headers=FRESH)
