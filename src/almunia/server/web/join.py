"""Pages of invitations to a seat."""

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..errors import BadRequest
from ..lobby.invitations import Invitations
from ..tables.clocks import (
    describe,
)
from ..tables.model import OPEN, OPEN_SEAT_NAME
from ..tables.seats import SeatService
from ..tables.service import TableService
from ..users.profiles import Profiles
from ..users.visitors import DEFAULT_NAME, current_visitor, ensure_visitor, rename
from .forms import SEE_OTHER, FormFields
from .routing import Router
from .templating import render

router = Router()


@router.get("/join/{invitation}")
def show_invitation(request: Request, tables: TableService, invitations: Invitations, invitation: str) -> Response:
    """Render the page of an invitation, or redirect to the table if the guest has the seat."""
    table_id, seat = invitations.parse(invitation)
    snapshot = tables.get(table_id)
    guest, meant = current_visitor(request), snapshot.table.seats[seat]
    if meant.player == guest.id and guest.id:
        return RedirectResponse(f"/table/{table_id}", SEE_OTHER)
    named = guest.name == DEFAULT_NAME and meant.kind == OPEN and meant.name != OPEN_SEAT_NAME
    return render_invitation(request, tables, invitations, invitation, meant.name if named else guest.name)


def render_invitation(
    request: Request, tables: TableService, invitations: Invitations, invitation: str, name: str, wrong: str = ""
) -> Response:
    """Render the page of an invitation, with a name and its error."""
    table_id, seat = invitations.parse(invitation)
    snapshot = tables.get(table_id)
    return render(
        request,
        "join.html",
        422 if wrong else 200,
        game=snapshot.play.game.meta,
        table=snapshot.table,
        invitation=invitation,
        seat=seat,
        taken=snapshot.table.seats[seat].kind != OPEN,
        clock=describe(snapshot.table.time_control),
        name=name,
        wrong=wrong,
    )


@router.post("/join/{invitation}")
def join_table(
    request: Request,
    tables: TableService,
    seating: SeatService,
    invitations: Invitations,
    profiles: Profiles,
    form: FormFields,
    invitation: str,
) -> Response:
    """Join a table by an invitation."""
    table_id, seat = invitations.parse(invitation)
    if form.has("name"):
        try:
            rename(request, form.text("name"))
        except BadRequest as error:
            return render_invitation(request, tables, invitations, invitation, form.text("name"), str(error))
    guest = ensure_visitor(request)
    profiles.rename(guest.id, guest.name)
    seating.join(table_id, seat, guest.id, guest.name, guest.hours)
    return RedirectResponse(f"/table/{table_id}", SEE_OTHER)
