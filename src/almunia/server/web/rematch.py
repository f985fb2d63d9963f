"""Playing again: the same deal, a sequel, another deal, or on from a position; and the seats kept for the others."""

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..daily.service import DailyDealService
from ..errors import BadRequest, Conflict, Forbidden
from ..lobby import new_table
from ..lobby.rematches import Rematches
from ..networks import HiddenNetworks
from ..tables.clocks import TimeControl
from ..tables.model import Table
from ..tables.service import TableService, check_seat
from ..users.visitors import guest_of, welcome
from .forms import SEE_OTHER, FormFields, local_path
from .replay import check_position, require_finished
from .routing import Router

router = Router(prefix="/table/{table_id}")


def go_to(table: Table) -> Response:
    """Redirect to a table."""
    return RedirectResponse(f"/table/{table.id}", SEE_OTHER)


@router.post("/again")
def again(
    request: Request,
    tables: TableService,
    rematches: Rematches,
    dailies: DailyDealService,
    networks: HiddenNetworks,
    form: FormFields,
    table_id: str,
) -> Response:
    """Open a table with the same seats after the end: with the same deal, a sequel, or another deal."""
    snapshot = tables.get(table_id)
    old, guest = snapshot.table, welcome(request)
    if not old.finished or not old.seats_of(guest.id):
        raise Forbidden("Only its players can play a game again, and only when it is over.")
    if form.text("how", "new") != "new":
        dailies.check_over(old)
    how, options, challenge = form.text("how", "new"), dict(old.options), ""
    if how == "new":
        seed = None
    elif how == "same":
        seed, challenge = old.seed, old.challenge
    else:
        sequels = {f"sequel-{i}": sequel for i, sequel in enumerate(snapshot.play.game.meta.sequels)}
        if how not in sequels:
            raise BadRequest(f"{how[:40]!r} is not a way to play again.")
        sequel, seed = sequels[how], None  # the old seed stands in the record of what has been played
        options |= sequel.options
        if sequel.dealt:
            words: Any = snapshot.play.game.text
            options[sequel.dealt] = words.dealt(snapshot.play.state)

    def opening() -> Table:
        seats, control = new_table.same_seats(old, guest), TimeControl.parse(old.time_control)
        return tables.create(
            old.game,
            seats,
            guest.id,
            options,
            seed,
            challenge,
            rated=old.rated or old.is_deal_public,
            hints=old.hints,
            patience=old.absence_timeout,
            time_control=control,
            network=networks.hash_of(request),
        )

    return go_to(rematches.play_again(old, guest, opening, alike=how == "new"))


@router.post("/play-on")
def play_on(
    request: Request,
    tables: TableService,
    dailies: DailyDealService,
    networks: HiddenNetworks,
    form: FormFields,
    table_id: str,
) -> Response:
    """Open a table that plays on from a position of a finished one, with bots in all other seats."""
    snapshot = tables.get(table_id)
    old, at, seat = require_finished(snapshot).table, form.number("at"), form.number("seat")
    check_position(snapshot, at)
    check_seat(old, seat)
    dailies.check_over(old)
    network = networks.hash_of(request)
    tables.table_limits.check_fork(network)  # before anything is replayed
    if snapshot.play_at(at).over:
        raise Conflict("The game is over in this position. Choose an earlier one to play on from.")
    guest, count = welcome(request), len(old.seats)
    spec = new_table.checked_level(form.text("spec")) if count > 1 else ""
    table = tables.create(
        old.game,
        new_table.seat_among_bots(count, seat, spec, guest),
        guest.id,
        old.options,
        old.seed,
        first=snapshot.play.actions[:at],
        played_on=True,
        hints=old.hints,
        network=network,
    )
    return go_to(table)


@router.post("/accept")
def accept(request: Request, rematches: Rematches, form: FormFields, table_id: str) -> Response:
    """Join in a seat that is reserved for the guest."""
    return go_to(rematches.accept(table_id, welcome(request), asked_seat(form)))


@router.post("/decline")
def decline(request: Request, rematches: Rematches, form: FormFields, table_id: str) -> Response:
    """Decline a reserved seat, which is then open to holders of its link."""
    rematches.decline(table_id, guest_of(request).id, asked_seat(form))
    return RedirectResponse(local_path(form.text("back", "/tables")), SEE_OTHER)


def asked_seat(form: FormFields) -> int | None:
    """Return which of several reserved seats a form names; None if it names none."""
    return form.number("seat") if form.has("seat") else None
