"""Records of games: opening one as a finished table, and downloading all of a guest's own."""

import asyncio

from starlette.requests import Request
from starlette.responses import Response

from ..daily.service import DailyDealService
from ..errors import NotFound, RequestError
from ..networks import HiddenNetworks
from ..privacy.exports import Exports
from ..tables.service import TableService
from ..users.game_records import import_record, write_archive
from ..users.visitors import current_visitor, ensure_visitor
from .forms import FormFields, redirect
from .middleware.security import MAX_BODY_BYTES
from .routing import Router
from .templating import render

router = Router()
ARCHIVE_HEADERS = {"Cache-Control": "no-store", "Content-Disposition": 'attachment; filename="almunia-games.zip"'}


@router.get("/records")
def show_record_form(request: Request) -> Response:
    return render_form(request)


def render_form(request: Request, text: str = "", wrong: str = "", status: int = 200) -> Response:
    return render(request, "record.html", status, text=text, wrong=wrong, most=MAX_BODY_BYTES // 1024)


@router.post("/records")
def open_record(request: Request, tables: TableService, networks: HiddenNetworks, form: FormFields) -> Response:
    """Open the record in a form, as text or as a file, as a finished table, and redirect to its replay.

    If the record is refused, render the form with the text and the reason.
    """
    text = form.text("record")
    try:
        text = form.upload("file") or text
        table = import_record(tables, text, ensure_visitor(request).id, networks.hash_of(request))
    except RequestError as error:
        return render_form(request, text, str(error), error.status)
    return redirect(f"/table/{table.id}/replay")


@router.get("/records/mine")
async def download_archive(
    request: Request, exports: Exports, networks: HiddenNetworks, tables: TableService, daily_deals: DailyDealService
) -> Response:
    """Return a zip file with the records of all finished games of the guest; NotFound for a visitor without a game."""
    guest = current_visitor(request).id
    if not guest:
        raise NotFound("You have no games on this site yet.")

    def write() -> Response:
        return Response(write_archive(tables, daily_deals, guest), 200, ARCHIVE_HEADERS, "application/zip")

    return await asyncio.wrap_future(exports.submit(guest, networks.hash_of(request), write))
