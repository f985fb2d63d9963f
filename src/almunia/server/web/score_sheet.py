"""A scoring on a page of its own, or in a dialog over the table."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..errors import NotFound
from ..rendering.table_view import name_for
from ..tables.state import TableState
from ..tables.viewer import Viewer
from .templating import VARY, is_partial, render


def scoring_page(request: Request, snapshot: TableState, reader: Viewer, seen: int) -> Response:
    """Render the scoring at a version of the viewer's page; NotFound if there was none."""
    sheet = snapshot.history(reader.seat).score_sheet(seen)
    if sheet is None:
        raise NotFound("There is no such scoring. The move that led to it may have been undone.")
    part = is_partial(request)
    facts: dict[str, Any] = {
        "sheet": sheet,
        "part": part,
        "reader": reader,
        "table": snapshot.table,
        "game": snapshot.play.game.meta,
        "name": lambda seat: name_for(snapshot.table, reader, seat),
    }
    return render(request, "_score_sheet.html" if part else "score_sheet.html", headers={"Vary": VARY}, **facts)
