"""Routes about the seats of a table, its proposals and its listing."""

import asyncio
from collections.abc import Callable
from dataclasses import dataclass

from starlette.requests import Request
from starlette.responses import Response

from ... import bots
from .. import mail
from ..errors import BadRequest, Conflict, Forbidden, TooManyRequests, Unavailable
from ..lobby.invitations import Invitations
from ..lobby.new_table import parse_listing, validate_level
from ..lobby.rematches import Rematches
from ..lobby.service import LobbyService
from ..mail import Mailer
from ..rate_limits import MailRateLimit
from ..tables.model import OPEN
from ..tables.seats import SeatService
from ..tables.service import TableService, check_seat
from ..tables.state import TableState
from ..threads import Threads
from ..users.visitors import Visitor, validate_name
from .forms import FormFields, redirect_to_table
from .routing import FromRequest, Router
from .table_renderer import TableRenderer
from .templating import public_url

router = Router(prefix="/table/{table_id}")


@dataclass(frozen=True)
class SeatForm(FromRequest):
    """A form about a seat of a table."""

    table_id: str
    visitor: Visitor
    fields: FormFields

    @property
    def seat(self) -> int:
        return self.fields.number("seat")

    @property
    def target(self) -> tuple[str, int, str]:
        """The table, the seat, and the guest who acts."""
        return self.table_id, self.seat, self.visitor.id

    def level(self, default: str = "") -> str:
        """Return the level of a bot; BadRequest if it is unknown."""
        return validate_level(self.fields.text("spec", default))


@dataclass(frozen=True)
class InvitationForm(SeatForm):
    """The form that sends the link to an open seat by mail."""

    request: Request
    tables: TableService
    invitations: Invitations
    mailer: Mailer
    mail_rate: MailRateLimit
    renderer: TableRenderer

    def write(self) -> tuple[str, str, str]:
        """Return the address, subject and text of the mail; RequestError if it may not be sent."""
        seat, to = self.seat, mail.validate_address(self.fields.text("to"))
        state = self.tables.get(self.table_id)
        held = state.table.seats_of(self.visitor.id)
        if not held:
            raise Forbidden("Only a player of this game can send invitations.")
        check_seat(state.table, seat)
        if state.table.finished or state.table.seats[seat].kind != OPEN:
            raise Conflict("This seat is already taken.")
        if not self.mailer.is_enabled:
            raise Unavailable(mail.MAIL_DISABLED)
        self.mail_rate.consume(self.request)
        self.mail_rate.consume_for(to.lower())
        link = f"{public_url(self.request)}/join/{self.invitations.create(self.table_id, seat)}"
        return to, *mail.invitation_email(state.table.seats[held[0]].name, state.play.game.meta.title, link)


Act = Callable[[SeatService, SeatForm], TableState]


def add_route(path: str, act: Act, *, leaves: bool = False, announced: bool = False) -> None:
    """Register a form that changes a seat.

    If the form `leaves` a seat that becomes open, the reservation of the seat ends. If `announced`, guests with a
    reservation are notified.
    """

    def change_seat(form: SeatForm, seats: SeatService, rematches: Rematches) -> Response:
        after = act(seats, form)
        if leaves:
            rematches.release_seat(after.table, form.seat)
        if announced:
            rematches.publish_change(form.table_id)
        return redirect_to_table(form.table_id)

    router.post(path)(change_seat)


add_route("/bot", lambda seats, form: seats.add_bot(*form.target, form.level()), announced=True)
add_route("/reserve", lambda seats, form: seats.reserve_for(*form.target, validate_name(form.fields.text("who"))))
add_route("/leave", lambda seats, form: seats.step_away(*form.target, form.level(bots.DEFAULT_LEVEL)), leaves=True)
add_route("/remove-player", lambda seats, form: seats.remove_player(*form.target), leaves=True)
add_route("/return", lambda seats, form: seats.return_to_seat(*form.target))
add_route("/claim", lambda seats, form: seats.claim_seat(*form.target, form.level()))
add_route("/claim-win", lambda seats, form: seats.claim_win_on_time(*form.target))
add_route("/resign", lambda seats, form: seats.resign(*form.target, bots.DEFAULT_LEVEL), leaves=True)
add_route("/ready", lambda seats, form: seats.set_ready(*form.target))
add_route("/abort", lambda seats, form: seats.abort(*form.target), announced=True)
add_route("/host", lambda seats, form: seats.transfer_host(*form.target))
add_route("/close", lambda seats, form: seats.close_table(form.table_id, form.visitor.id), announced=True)


@router.post("/invite")
async def invite(form: InvitationForm, threads: Threads) -> Response:
    """Email the link to an open seat, without holding a request thread during the delivery.

    If the request is refused or the delivery fails, the page shows the error, and its form keeps the address.
    """
    to, request = form.fields.text("to"), form.request
    notice, status, typed = f"The invitation to {to} has been sent.", 200, None
    try:
        await asyncio.wrap_future(form.mailer.send(*await threads.run(request, form.write)))
    except (BadRequest, TooManyRequests, Unavailable) as error:
        notice, status, typed = str(error), error.status, (form.seat, to)
    state = await threads.run(request, form.tables.get, form.table_id)
    return await threads.run(request, form.renderer.show, request, state, notice, status, typed=typed)


@router.post("/listing")
def set_listing(form: SeatForm, lobby: LobbyService) -> Response:
    """Set whether the lobby lists this table, for whom, and whether spectators may read the chat."""
    lobby.list_table(form.table_id, form.visitor.id, **parse_listing(form.fields.named("")))
    return redirect_to_table(form.table_id)


@router.post("/propose")
def propose(form: SeatForm, seats: SeatService) -> Response:
    proposals = {"end": seats.propose_end, "back": seats.propose_takeback}
    what = form.fields.text("what")
    if what not in proposals:
        raise BadRequest(f"There is no proposal {what[:40]!r}; choose one of: {', '.join(proposals)}.")
    proposals[what](*form.target)
    return redirect_to_table(form.table_id)


@router.post("/answer-proposal")
def answer_proposal(form: SeatForm, seats: SeatService) -> Response:
    said = form.fields.text("agree")
    if said not in ("0", "1"):
        raise BadRequest(f"The field 'agree' must be 1 to accept or 0 to decline, not {said[:40]!r}.")
    seats.answer_proposal(*form.target, said == "1")
    return redirect_to_table(form.table_id)
