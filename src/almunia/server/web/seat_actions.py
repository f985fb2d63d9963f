"""Routes about seats: bots, reservations, invitations, leaving and returning, resigning, proposals."""

import asyncio

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ... import bots
from .. import mail
from ..errors import BadRequest, Conflict, Forbidden, Unavailable
from ..lobby.invitations import Invitations
from ..lobby.new_table import parse_listing, validate_level
from ..lobby.rematches import Rematches
from ..lobby.service import LobbyService
from ..mail import Mailer
from ..rate_limits import MailRateLimit
from ..tables.model import OPEN
from ..tables.seats import SeatService
from ..tables.service import TableService, check_seat
from ..threads import Threads
from ..users.visitors import current_visitor, validate_name
from .forms import SEE_OTHER, FormFields
from .routing import Router
from .table_renderer import TableRenderer

router = Router(prefix="/table/{table_id}")


def write_invitation(
    request: Request,
    tables: TableService,
    invitations: Invitations,
    mailer: Mailer,
    mail_rate: MailRateLimit,
    table_renderer: TableRenderer,
    form: FormFields,
    table_id: str,
) -> tuple[str, str, str]:
    """Return the address, subject and text of an invitation to a seat; RequestError if the guest may not send it."""
    seat, guest, to = form.number("seat"), current_visitor(request), mail.validate_address(form.text("to"))
    snapshot = tables.get(table_id)
    held = snapshot.table.seats_of(guest.id)
    if not held:
        raise Forbidden("Only a player of this game can send invitations.")
    check_seat(snapshot.table, seat)
    if snapshot.table.finished or snapshot.table.seats[seat].kind != OPEN:
        raise Conflict("This seat is already taken.")
    if not mailer.is_enabled:
        raise Unavailable(mail.MAIL_DISABLED)
    mail_rate.consume(request)
    mail_rate.consume_for(to.lower())
    link = f"{table_renderer.public_url(request)}/join/{invitations.create(table_id, seat)}"
    return to, *mail.invitation_email(snapshot.table.seats[held[0]].name, snapshot.play.game.meta.title, link)


def redirect_to(table_id: str) -> Response:
    """Redirect to the table."""
    return RedirectResponse(f"/table/{table_id}", SEE_OTHER)


@router.post("/bot")
def fill(request: Request, seating: SeatService, rematches: Rematches, form: FormFields, table_id: str) -> Response:
    """Add a bot in an open seat."""
    seating.add_bot(table_id, form.number("seat"), current_visitor(request).id, validate_level(form.text("spec")))
    rematches.publish_change(table_id)
    return redirect_to(table_id)


@router.post("/expect")
def expect(request: Request, seating: SeatService, form: FormFields, table_id: str) -> Response:
    """Reserve an open seat for a name."""
    name = validate_name(form.text("who"))
    seating.reserve_for(table_id, form.number("seat"), current_visitor(request).id, name)
    return redirect_to(table_id)


@router.post("/invite")
async def invite(
    request: Request,
    tables: TableService,
    invitations: Invitations,
    mailer: Mailer,
    mail_rate: MailRateLimit,
    threads: Threads,
    table_renderer: TableRenderer,
    form: FormFields,
    table_id: str,
) -> Response:
    """Send the link to an open seat by mail. Waiting for the mail server takes no thread.

    If sending fails, the page says so, and keeps the address in its form.
    """
    notice, status = f"The invitation to {form.text('to')} has been sent.", 200
    typed: tuple[int, str] | None = None
    try:
        to, subject, text = await threads.run(
            request, write_invitation, request, tables, invitations, mailer, mail_rate, table_renderer, form, table_id
        )
        await asyncio.wrap_future(mailer.send(to, subject, text))
    except (BadRequest, Unavailable) as error:
        notice, status, typed = str(error), error.status, (form.number("seat"), form.text("to"))
    snapshot = await threads.run(request, tables.get, table_id)
    return await threads.run(request, table_renderer.show, request, snapshot, notice, status, typed=typed)


@router.post("/listing")
def listing(request: Request, open_tables: LobbyService, form: FormFields, table_id: str) -> Response:
    """Set whether the lobby lists this table, for whom, and whether spectators may read the chat."""
    open_tables.list_table(table_id, current_visitor(request).id, **parse_listing(form.named("")))
    return redirect_to(table_id)


@router.post("/leave")
def leave(request: Request, seating: SeatService, rematches: Rematches, form: FormFields, table_id: str) -> Response:
    """Free the guest's seat before the game; later, let a bot play until the guest returns."""
    seat, spec = form.number("seat"), validate_level(form.text("spec", bots.DEFAULT_LEVEL))
    rematches.release_seat(seating.step_away(table_id, seat, current_visitor(request).id, spec).table, seat)
    return redirect_to(table_id)


@router.post("/free")
def free(request: Request, seating: SeatService, rematches: Rematches, form: FormFields, table_id: str) -> Response:
    """Remove a player from a table that waits for players."""
    seat = form.number("seat")
    rematches.release_seat(seating.remove_player(table_id, seat, current_visitor(request).id).table, seat)
    return redirect_to(table_id)


@router.post("/back")
def come_back(request: Request, seating: SeatService, form: FormFields, table_id: str) -> Response:
    """Take the guest's seat back from a bot."""
    seating.return_to_seat(table_id, form.number("seat"), current_visitor(request).id)
    return redirect_to(table_id)


@router.post("/claim")
def claim(request: Request, seating: SeatService, form: FormFields, table_id: str) -> Response:
    """Let a bot play for a player who has been away for too long."""
    seating.claim_seat(table_id, form.number("seat"), current_visitor(request).id, validate_level(form.text("spec")))
    return redirect_to(table_id)


@router.post("/win")
def win_on_time(request: Request, seating: SeatService, form: FormFields, table_id: str) -> Response:
    """Claim the win in a game of two when the other player's time is up."""
    seating.claim_win_on_time(table_id, form.number("seat"), current_visitor(request).id)
    return redirect_to(table_id)


@router.post("/resign")
def resign(request: Request, seating: SeatService, rematches: Rematches, form: FormFields, table_id: str) -> Response:
    """Resign."""
    seat = form.number("seat")
    rematches.release_seat(seating.resign(table_id, seat, current_visitor(request).id, bots.DEFAULT_LEVEL).table, seat)
    return redirect_to(table_id)


@router.post("/close")
def close(request: Request, seating: SeatService, rematches: Rematches, table_id: str) -> Response:
    """End a game that has not begun."""
    seating.close_table(table_id, current_visitor(request).id)
    rematches.publish_change(table_id)
    return redirect_to(table_id)


@router.post("/host")
def hand_on(request: Request, seating: SeatService, form: FormFields, table_id: str) -> Response:
    """Make another player the host."""
    seating.transfer_host(table_id, form.number("seat"), current_visitor(request).id)
    return redirect_to(table_id)


@router.post("/ask")
def ask(request: Request, seating: SeatService, form: FormFields, table_id: str) -> Response:
    """Propose to end the game, or to go back."""
    asking = {"end": seating.propose_end, "back": seating.propose_takeback}
    what = form.text("what")
    if what not in asking:
        raise BadRequest(f"There is no proposal {what[:40]!r}; choose one of: {', '.join(asking)}.")
    asking[what](table_id, form.number("seat"), current_visitor(request).id)
    return redirect_to(table_id)


@router.post("/answer")
def answer(request: Request, seating: SeatService, form: FormFields, table_id: str) -> Response:
    """Accept or decline a proposal."""
    said = form.text("agree")
    if said not in ("0", "1"):
        raise BadRequest(f"The field 'agree' must be 1 to accept or 0 to decline, not {said[:40]!r}.")
    seating.answer_proposal(table_id, form.number("seat"), current_visitor(request).id, said == "1")
    return redirect_to(table_id)
