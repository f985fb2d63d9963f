"""Playing again: the same deal, a sequel, another deal, or on from a position; and the seats kept for the others."""

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from . import new_table
from .clocks import TimeControl
from .context import Form, Site
from .errors import Conflict, Forbidden, Malformed
from .guests import guest_of, welcome
from .lobby import SEE_OTHER, own_address
from .replay import check_position, finished
from .routing import Routes
from .seat_pages import level
from .store import Table
from .tables import check_seat

router = Routes(prefix="/table/{table_id}")


def go_to(table: Table) -> Response:
    """On to a table."""
    return RedirectResponse(f"/table/{table.id}", SEE_OTHER)


@router.post("/again")
def again(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Go on after the end: the same deal, a sequel, or another deal, with the same seats."""
    snapshot = site.tables.snapshot(table_id)
    old, guest = snapshot.table, welcome(request)
    if not old.finished or not old.held_by(guest.id):
        raise Forbidden("Only its players can play a game again, and only when it is over.")
    how, options, challenge = form.text("how", "new"), dict(old.options), ""
    if how == "new":
        seed = None
    elif how == "same":
        seed, challenge = old.seed, old.challenge
    else:
        sequels = {f"sequel-{i}": sequel for i, sequel in enumerate(snapshot.play.game.meta.sequels)}
        if how not in sequels:
            raise Malformed(f"{how[:40]!r} is not a way to play again.")
        sequel, seed = sequels[how], None  # the old seed stands in the record of what has been played
        options |= sequel.options
        if sequel.dealt:
            words: Any = snapshot.play.game.text
            options[sequel.dealt] = words.dealt(snapshot.play.state)

    def opening() -> Table:
        seats, control = new_table.same_seats(old, guest), TimeControl.read(old.time_control)
        return site.tables.open(
            old.game,
            seats,
            guest.id,
            options,
            seed,
            challenge,
            hints=old.hints,
            patience=old.patience,
            time_control=control,
        )

    return go_to(site.open_tables.play_again(old, guest, opening, alike=how == "new"))


@router.post("/play-on")
def play_on(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Play on from a position of a finished table, in a table of one's own, with bots in all other seats."""
    snapshot = site.tables.snapshot(table_id)
    old, at, seat = finished(snapshot).table, form.number("at"), form.number("seat")
    check_position(snapshot, at)
    check_seat(old, seat)
    if snapshot.reached(at).over:
        raise Conflict("The game is over in this position. Choose an earlier one to play on from.")
    guest, count = welcome(request), len(old.seats)
    spec = level(form) if count > 1 else ""
    table = site.tables.open(
        old.game,
        new_table.seat_among_bots(count, seat, spec, guest),
        guest.id,
        old.options,
        old.seed,
        first=snapshot.play.actions[:at],
        played_on=True,
        hints=old.hints,
    )
    return go_to(table)


@router.post("/accept")
def accept(request: Request, site: Site, table_id: str) -> Response:
    """Sit down in the seat that is kept for the guest."""
    return go_to(site.open_tables.accept(table_id, welcome(request)))


@router.post("/decline")
def decline(request: Request, site: Site, form: Form, table_id: str) -> Response:
    """Let that seat go to whoever gets the link."""
    site.open_tables.decline(table_id, guest_of(request).id)
    return RedirectResponse(own_address(form.text("back", "/tables")), SEE_OTHER)
