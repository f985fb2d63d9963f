"""Pages of invitations to a seat."""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..errors import BadRequest
from ..lobby.invitations import Invitations
from ..tables import lessons
from ..tables.clocks import describe
from ..tables.model import OPEN, OPEN_SEAT_NAME
from ..tables.seats import SeatService
from ..tables.service import TableService
from ..users.game_lists import GameLists
from ..users.profiles import Profiles
from ..users.visitors import DEFAULT_NAME, Visitor, current_visitor, ensure_visitor, rename
from .forms import FormFields, redirect_to_table
from .routing import FromRequest, Router
from .templating import render

router = Router()


@dataclass(frozen=True)
class InvitationPage(FromRequest):
    request: Request
    tables: TableService
    invitations: Invitations
    seats: SeatService
    game_lists: GameLists
    invitation: str

    def render(self, name: str, wrong: str = "") -> Response:
        table_id, seat = self.invitations.parse(self.invitation)
        state, guest = self.tables.get(table_id), current_visitor(self.request).id
        facts: dict[str, Any] = {
            "game": state.play.game.meta,
            "table": state.table,
            "invitation": self.invitation,
            "seat": seat,
        }
        facts |= {
            "is_refused": state.table.seats[seat].kind != OPEN or not self.seats.may_meet(state.table, guest),
            "clock": describe(state.table.time_control),
            "teaches": lessons.has_lesson(state.table.game)
            and state.table.game not in self.game_lists.learned_games(guest),
        }
        return render(self.request, "join.html", 422 if wrong else 200, name=name, wrong=wrong, **facts)


@router.get("/join/{invitation}")
def show_invitation(page: InvitationPage, visitor: Visitor) -> Response:
    """Render the page, or redirect to the table if the guest has the seat."""
    table_id, seat = page.invitations.parse(page.invitation)
    meant = page.tables.get(table_id).table.seats[seat]
    if meant.player == visitor.id and visitor.id:
        return redirect_to_table(table_id)
    named = visitor.name == DEFAULT_NAME and meant.kind == OPEN and meant.name != OPEN_SEAT_NAME
    return page.render(meant.name if named else visitor.name)


@router.post("/join/{invitation}")
def join_table(page: InvitationPage, profiles: Profiles, form: FormFields) -> Response:
    table_id, seat = page.invitations.parse(page.invitation)
    if form.has("name"):
        try:
            rename(page.request, form.text("name"))
        except BadRequest as error:
            return page.render(form.text("name"), str(error))
    guest = ensure_visitor(page.request)
    profiles.rename(guest.id, guest.name)
    page.seats.join(table_id, seat, guest.id, guest.name, guest.hours)
    return redirect_to_table(table_id)
