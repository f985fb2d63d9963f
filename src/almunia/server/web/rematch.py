"""Playing again: the same deal, a sequel, another deal, or from a position; invitations to rematches, and answers."""

from typing import Any

from starlette.concurrency import run_in_threadpool
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ..broker import Broker
from ..daily.service import DailyDealService
from ..errors import BadRequest, Conflict, Forbidden
from ..lobby import new_table
from ..lobby.rematches import Rematches, invitations_topic
from ..networks import HiddenNetworks
from ..streams import STREAM_HEADERS, Changes, Streams, respond
from ..tables.clocks import TimeControl
from ..tables.model import Table
from ..tables.presence import SITE_PLACE, Presence
from ..tables.service import TableService, check_position, check_seat, require_finished, waiting_topic
from ..users.game_lists import GameLists
from ..users.visitors import Visitor, current_visitor, ensure_visitor
from .forms import FormFields, local_path, redirect_back, redirect_to_table
from .routing import Router
from .templating import render_invitations
from .waiting_count import WaitingCount

router = Router()


@router.post("/table/{table_id}/rematch")
def open_rematch(
    request: Request,
    tables: TableService,
    rematches: Rematches,
    daily_deals: DailyDealService,
    networks: HiddenNetworks,
    form: FormFields,
    table_id: str,
) -> Response:
    """Open a rematch of a finished game: another deal, the same deal, or a sequel.

    If another player has opened a rematch, a guest who asks for another deal joins that one.
    """
    state = tables.get(table_id)
    old, guest = state.table, ensure_visitor(request)
    if not old.finished or not old.seats_of(guest.id):
        raise Forbidden("You can only play a game again once it is over, and only if you played in it.")
    if form.text("how", "new") != "new":
        daily_deals.check_over(old)
    how, options, challenge = form.text("how", "new"), dict(old.options), ""
    if how == "new":
        seed = None
    elif how == "same":
        seed, challenge = old.seed, old.challenge
    else:
        sequels = {f"sequel-{i}": sequel for i, sequel in enumerate(state.play.game.meta.sequels)}
        if how not in sequels:
            raise BadRequest(f"{how[:40]!r} is not a way to play a game again.")
        sequel, seed = sequels[how], None  # the record of the finished game reveals its seed
        options |= sequel.options
        if sequel.dealt:
            words: Any = state.play.game.text
            options[sequel.dealt] = words.dealt(state.play.state)

    def opening() -> Table:
        seats, control = new_table.rematch_seats(old, guest), TimeControl.parse(old.time_control)
        terms: dict[str, Any] = {"rated": old.rated or old.is_deal_public, "hints": old.hints, "time_control": control}
        terms |= {"ready_check": old.ready_check}
        terms |= {"absence_timeout": old.absence_timeout, "network": networks.hash_of(request)}
        return tables.create(old.game, seats, guest.id, options, seed, challenge, **terms)

    return redirect_to_table(rematches.play_again(old, guest, opening, alike=how == "new").id)


@router.post("/table/{table_id}/fork")
def play_from_position(
    request: Request,
    tables: TableService,
    daily_deals: DailyDealService,
    networks: HiddenNetworks,
    form: FormFields,
    table_id: str,
) -> Response:
    """Open a table that continues from a position of a finished game, with bots in all other seats."""
    state = tables.get(table_id)
    old, at, seat = require_finished(state).table, form.number("at"), form.number("seat")
    check_position(len(state.play.actions), at)
    check_seat(old, seat)
    daily_deals.check_over(old)
    network = networks.hash_of(request)
    tables.table_limits.check_fork(network)  # before the replay
    if state.play_at(at).over:
        raise Conflict("The game is over in this position. Choose an earlier position to continue from.")
    guest, count = ensure_visitor(request), len(old.seats)
    spec = new_table.validate_level(form.text("spec")) if count > 1 else ""
    seats = new_table.seats_among_bots(count, seat, spec, guest)
    fork: dict[str, Any] = {"first": state.play.actions[:at], "played_on": True, "hints": old.hints}
    table = tables.create(old.game, seats, guest.id, old.options, old.seed, network=network, **fork)
    return redirect_to_table(table.id)


@router.post("/table/{table_id}/accept")
def accept_seat(request: Request, rematches: Rematches, form: FormFields, table_id: str) -> Response:
    return redirect_to_table(rematches.accept(table_id, ensure_visitor(request), parse_seat(form)).id)


@router.post("/table/{table_id}/decline")
def decline_seat(visitor: Visitor, rematches: Rematches, form: FormFields, table_id: str) -> Response:
    """Decline a reserved seat, or all seats that are reserved for the guest at the table."""
    rematches.decline(table_id, visitor.id, parse_seat(form))
    return redirect_back(form, "/my/games")


def parse_seat(form: FormFields) -> int | None:
    return form.number("seat") if form.has("seat") else None


@router.get("/invitations")
def show_invitations(request: Request, back: str = "/") -> Response:
    """Render the invitations of the visitor, with forms that lead back to the page that shows them."""
    return HTMLResponse(render_invitations(request, local_path(back)), headers={"Cache-Control": "private, no-cache"})


@router.get("/invitations/stream")
async def stream(
    request: Request,
    streams: Streams,
    broker: Broker,
    presence: Presence,
    rematches: Rematches,
    game_lists: GameLists,
) -> Response:
    """Stream the version of a guest's invitations and the number of waiting games whenever one of them changes.

    204 for a visitor without a cookie.
    """
    guest = current_visitor(request).id
    if not guest:
        return Response(status_code=204, headers=STREAM_HEADERS)
    streams.check_capacity(request, guest)
    changes, sent, waiting = Changes(broker, invitations_topic(guest)), "", WaitingCount(broker, game_lists, guest)

    async def events(_at_beat: bool) -> list[str]:
        nonlocal sent
        before = sent
        if changes.poll():
            sent = await run_in_threadpool(rematches.invitations_version, guest)
        found = [f"data: {sent}\n\n"] if sent != before else []
        return found + await waiting.poll()

    topics, contexts = [invitations_topic(guest), waiting_topic(guest)], [presence.connect(SITE_PLACE, guest)]
    return respond(request, streams.listen(request, guest, topics, events, contexts=contexts))
