"""Playing again: the same deal, a sequel, another deal, or from a position; and answers to invitations."""

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
from ..users.visitors import current_visitor, ensure_visitor
from .forms import SEE_OTHER, FormFields, local_path
from .replay import check_position, require_finished
from .routing import Router

router = Router(prefix="/table/{table_id}")


def redirect_to(table: Table) -> Response:
    """Redirect to a table."""
    return RedirectResponse(f"/table/{table.id}", SEE_OTHER)


@router.post("/again")
def open_rematch(
    request: Request,
    tables: TableService,
    rematches: Rematches,
    daily_deals: DailyDealService,
    networks: HiddenNetworks,
    form: FormFields,
    table_id: str,
) -> Response:
    """Open a table with the same seats after the end of a game: with the same deal, a sequel, or another deal."""
    snapshot = tables.get(table_id)
    old, guest = snapshot.table, ensure_visitor(request)
    if not old.finished or not old.seats_of(guest.id):
        raise Forbidden("Only its players can play a game again, and only when it is over.")
    if form.text("how", "new") != "new":
        daily_deals.check_over(old)
    how, options, challenge = form.text("how", "new"), dict(old.options), ""
    if how == "new":
        seed = None
    elif how == "same":
        seed, challenge = old.seed, old.challenge
    else:
        sequels = {f"sequel-{i}": sequel for i, sequel in enumerate(snapshot.play.game.meta.sequels)}
        if how not in sequels:
            raise BadRequest(f"{how[:40]!r} is not a way to play again.")
        sequel, seed = sequels[how], None  # the record of the finished game reveals its seed
        options |= sequel.options
        if sequel.dealt:
            words: Any = snapshot.play.game.text
            options[sequel.dealt] = words.dealt(snapshot.play.state)

    def opening() -> Table:
        seats, control = new_table.rematch_seats(old, guest), TimeControl.parse(old.time_control)
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

    return redirect_to(rematches.play_again(old, guest, opening, alike=how == "new"))


@router.post("/play-on")
def play_from_position(
    request: Request,
    tables: TableService,
    daily_deals: DailyDealService,
    networks: HiddenNetworks,
    form: FormFields,
    table_id: str,
) -> Response:
    """Open a table that continues from a position of a finished one, with bots in all other seats."""
    snapshot = tables.get(table_id)
    old, at, seat = require_finished(snapshot).table, form.number("at"), form.number("seat")
    check_position(snapshot, at)
    check_seat(old, seat)
    daily_deals.check_over(old)
    network = networks.hash_of(request)
    tables.table_limits.check_fork(network)  # before the replay
    if snapshot.play_at(at).over:
        raise Conflict("The game is over in this position. Choose an earlier one to play on from.")
    guest, count = ensure_visitor(request), len(old.seats)
    spec = new_table.validate_level(form.text("spec")) if count > 1 else ""
    table = tables.create(
        old.game,
        new_table.seats_among_bots(count, seat, spec, guest),
        guest.id,
        old.options,
        old.seed,
        first=snapshot.play.actions[:at],
        played_on=True,
        hints=old.hints,
        network=network,
    )
    return redirect_to(table)


@router.post("/accept")
def accept_seat(request: Request, rematches: Rematches, form: FormFields, table_id: str) -> Response:
    """Join in a seat that is reserved for the guest."""
    return redirect_to(rematches.accept(table_id, ensure_visitor(request), parse_seat(form)))


@router.post("/decline")
def decline_seat(request: Request, rematches: Rematches, form: FormFields, table_id: str) -> Response:
    """Decline a reserved seat, which is then open to holders of its link."""
    rematches.decline(table_id, current_visitor(request).id, parse_seat(form))
    return RedirectResponse(local_path(form.text("back", "/tables")), SEE_OTHER)


def parse_seat(form: FormFields) -> int | None:
    """Return the reserved seat in a form; None if there is none."""
    return form.number("seat") if form.has("seat") else None
