"""What is done about seats: bots in them, whom they are for, leaving and coming back, giving up, asking the others."""

import asyncio

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ... import bots
from ..context import Site
from ..errors import Broken, Conflict, Forbidden, Malformed
from ..forms import SEE_OTHER, Form
from ..people import mail
from ..people.guests import checked_name, guest_of
from ..people.new_table import asked_listing, checked_level
from ..play.tables import check_seat
from ..routing import Routes
from ..storage.store import OPEN
from .table import place_of, show

router = Routes(prefix="/table/{table_id}")


def written_invitation(request: Request, site: Site, form: Form, table_id: str) -> tuple[str, str, str]:
    """To whom an invitation to a seat goes, its subject and its text; RequestError if this guest may not send it."""
    seat, guest, to = form.number("seat"), guest_of(request), mail.checked_address(form.text("to"))
    snapshot = site.tables.snapshot(table_id)
    held = snapshot.table.held_by(guest.id)
    if not held:
        raise Forbidden("Only a player of this game can invite somebody.")
    check_seat(snapshot.table, seat)
    if snapshot.table.finished or snapshot.table.seats[seat].kind != OPEN:
        raise Conflict("This seat is already taken.")
    if not site.mailer.on:
        raise Broken(mail.OFF)
    site.mail_rate.hit(request)
    site.mail_rate.hit_for(to.lower())
    link = f"{place_of(request, site)}/join/{site.invitations.write(table_id, seat)}"
    return to, *mail.invitation(snapshot.table.seats[held[0]].name, snapshot.play.game.meta.title, link)


def back_to(table_id: str) -> Response:
    """Back to the table."""
    return RedirectResponse(f"/table/{table_id}", SEE_OTHER)


@router.post("/bot")
def fill(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Let a bot take an open seat."""
    site.seating.fill(table_id, form.number("seat"), guest_of(request).id, checked_level(form.text("spec")))
    site.rematches.tell(table_id)
    return back_to(table_id)


@router.post("/expect")
def expect(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Say for whom an open seat is meant."""
    name = checked_name(form.text("who"))
    site.seating.expect(table_id, form.number("seat"), guest_of(request).id, name)
    return back_to(table_id)


@router.post("/invite")
async def invite(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Send the link to an open seat by mail. Whoever waits for the mail server holds no thread.

    If that fails, the page says so, and still has the address.
    """
    notice, status = f"The invitation to {form.text('to')} has been sent.", 200
    typed: tuple[int, str] | None = None
    try:
        to, subject, text = await site.threads.run(request, written_invitation, request, site, form, table_id)
        await asyncio.wrap_future(site.mailer.send(to, subject, text))
    except (Malformed, Broken) as error:
        notice, status, typed = str(error), error.status, (form.number("seat"), form.text("to"))
    snapshot = await site.threads.run(request, site.tables.snapshot, table_id)
    return await site.threads.run(request, show, request, site, snapshot, notice, status, typed=typed)


@router.post("/listing")
def listing(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Say whether the lobby lists this table, for whom, and whether spectators may read the chat."""
    site.open_tables.put(table_id, guest_of(request).id, **asked_listing(form.named("")))
    return back_to(table_id)


@router.post("/leave")
def leave(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Free one's seat while the table waits for players; later, let a bot play there until one comes back."""
    seat, spec = form.number("seat"), checked_level(form.text("spec", bots.DEFAULT_LEVEL))
    site.rematches.given_back(site.seating.leave(table_id, seat, guest_of(request).id, spec).table, seat)
    return back_to(table_id)


@router.post("/free")
def free(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Remove somebody from a seat of a table that waits for players."""
    seat = form.number("seat")
    site.rematches.given_back(site.seating.free(table_id, seat, guest_of(request).id).table, seat)
    return back_to(table_id)


@router.post("/back")
def come_back(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Play on oneself."""
    site.seating.come_back(table_id, form.number("seat"), guest_of(request).id)
    return back_to(table_id)


@router.post("/claim")
def claim(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Let a bot play for somebody who has been away for too long."""
    site.seating.claim(table_id, form.number("seat"), guest_of(request).id, checked_level(form.text("spec")))
    return back_to(table_id)


@router.post("/win")
def win_on_time(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """End a game of two in which the time of the other one is up."""
    site.seating.win_on_time(table_id, form.number("seat"), guest_of(request).id)
    return back_to(table_id)


@router.post("/resign")
def resign(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Give up for good."""
    seat = form.number("seat")
    site.rematches.given_back(site.seating.resign(table_id, seat, guest_of(request).id, bots.DEFAULT_LEVEL).table, seat)
    return back_to(table_id)


@router.post("/close")
def close(request: Request, site: Site, table_id: str) -> Response:
    """End a game that has not begun."""
    site.seating.close(table_id, guest_of(request).id)
    site.rematches.tell(table_id)
    return back_to(table_id)


@router.post("/host")
def hand_on(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Make somebody else the host."""
    site.seating.hand_on(table_id, form.number("seat"), guest_of(request).id)
    return back_to(table_id)


@router.post("/ask")
def ask(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Ask the others to end the game, or to go back."""
    asking = {"end": site.seating.ask_to_end, "back": site.seating.ask_to_go_back}
    what = form.text("what")
    if what not in asking:
        raise Malformed(f"Nobody can be asked for {what[:40]!r}; choose one of: {', '.join(asking)}.")
    asking[what](table_id, form.number("seat"), guest_of(request).id)
    return back_to(table_id)


@router.post("/answer")
def answer(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Agree to what was asked, or decline it."""
    said = form.text("agree")
    if said not in ("0", "1"):
        raise Malformed(f"Agreeing is 1 and declining 0, not {said[:40]!r}.")
    site.seating.answer(table_id, form.number("seat"), guest_of(request).id, said == "1")
    return back_to(table_id)
