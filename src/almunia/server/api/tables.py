"""Tables of the caller: list, new tables, and seats."""

from collections.abc import Sequence

from fastapi import APIRouter
from starlette.requests import Request

from ...bots.levels import DEFAULT_LEVEL
from ..errors import UNPROCESSABLE, BadRequest
from ..lobby.new_table import parse_time_control, validate_absence_timeout, validate_level
from ..tables.model import OPEN, OPEN_SEAT_NAME, PERSON, Seat
from ..tables.seats import bot_seat
from ..users.visitors import validate_name
from .auth import (
    BuildsDep,
    ClockDep,
    FairThreads,
    GameListsDep,
    HiddenNetworksDep,
    InvitationsDep,
    LobbyDep,
    RematchesDep,
    SeatsDep,
)
from .caller import Caller, CallerDep
from .schemas import Joining, Leaving, NewTable, Page, Seated, TableFacts, TableId, TableRows, View
from .serializers import listed_table

router = APIRouter(prefix="/tables", tags=["tables"], route_class=FairThreads)
DEFAULT_LEAVING, DEFAULT_SEATED = Leaving.model_validate({}), Seated.model_validate({})  # of an empty body
ME, FREE = "me", "open"  # occupants of a new table, apart from bots


@router.get("")
def list_tables(caller: CallerDep, clock: ClockDep, game_lists: GameListsDep, page: Page = 1) -> TableRows:
    """Return a page of your tables: those that wait for you first, then running ones, then finished ones."""
    rows, total, pages = game_lists.page_rows(caller.guest, page, clock.now())
    return TableRows(tables=[listed_table(row) for row in rows], page=page, pages=pages, total=total)


@router.post("", status_code=201)
def open_table(
    request: Request,
    caller: CallerDep,
    builds: BuildsDep,
    lobby: LobbyDep,
    networks: HiddenNetworksDep,
    wanted: NewTable,
) -> TableFacts:
    """Open a table, without hints."""
    game, network = builds.find(wanted.game), networks.hash_of(request)
    if wanted.offered:
        lobby.check_capacity(caller.guest, network)
    table = caller.tables.create(
        game.name,
        parse_seats(wanted.seats, caller),
        caller.guest,
        dict(wanted.options),
        wanted.seed,
        rated=wanted.rated,
        ready_check=wanted.ready_check,
        absence_timeout=validate_absence_timeout(wanted.absence_timeout),
        time_control=parse_time_control(wanted.clock, wanted.zero),
        network=network,
    )
    if wanted.offered:
        lobby.list_table(table.id, caller.guest, offered=True, watched=False, open_chat=False)
    return caller.describe_after(caller.tables.get(table.id))


@router.post("/join")
def join(caller: CallerDep, seats: SeatsDep, invitations: InvitationsDep, joining: Joining) -> TableFacts:
    """Join a table by an invitation. If the seat is yours already, nothing changes."""
    table_id, seat = invitations.parse(joining.invitation.rpartition("/")[2])
    name = caller.name if joining.name is None else validate_name(joining.name)
    state = caller.tables.get(table_id)
    if seat not in state.table.seats_of(caller.guest):
        state = seats.join(table_id, seat, caller.guest, name)
    return caller.describe_after(state)


@router.get("/{table_id}")
def table(caller: CallerDep, table_id: TableId, view: View = "seat") -> TableFacts:
    """Return a table and its seats, as your seat or a spectator knows them."""
    return caller.describe(caller.view(table_id, view))


@router.post("/{table_id}/leave")
def leave(
    caller: CallerDep, seats: SeatsDep, rematches: RematchesDep, table_id: TableId, leaving: Leaving = DEFAULT_LEAVING
) -> TableFacts:
    """Let a bot play for you until you return. If the table still waits for players, your seat becomes open.

    If you are the only person at a table that waits, the table is closed.
    """
    seat = caller.own_seat(table_id, leaving.seat)
    state = seats.step_away(table_id, seat, caller.guest, validate_level(leaving.bot))
    rematches.release_seat(state.table, seat)
    return caller.describe_after(state)


@router.post("/{table_id}/return")
def come_back(caller: CallerDep, seats: SeatsDep, table_id: TableId, seated: Seated = DEFAULT_SEATED) -> TableFacts:
    """Take your seat back."""
    seat = caller.own_seat(table_id, seated.seat)
    return caller.describe_after(seats.return_to_seat(table_id, seat, caller.guest))


@router.post("/{table_id}/resign")
def resign(
    caller: CallerDep, seats: SeatsDep, rematches: RematchesDep, table_id: TableId, seated: Seated = DEFAULT_SEATED
) -> TableFacts:
    """Resign: with two players, the other one wins; with more, a bot continues if other people are left.

    If the table still waits for players, your seat becomes open.
    """
    seat = caller.own_seat(table_id, seated.seat)
    state = seats.resign(table_id, seat, caller.guest, DEFAULT_LEVEL)
    rematches.release_seat(state.table, seat)
    return caller.describe_after(state)


@router.post("/{table_id}/ready")
def set_ready(caller: CallerDep, seats: SeatsDep, table_id: TableId, seated: Seated = DEFAULT_SEATED) -> TableFacts:
    """Say that you are ready. The game starts when all people are."""
    seat = caller.own_seat(table_id, seated.seat)
    return caller.describe_after(seats.set_ready(table_id, seat, caller.guest))


@router.post("/{table_id}/abort")
def abort(
    caller: CallerDep, seats: SeatsDep, rematches: RematchesDep, table_id: TableId, seated: Seated = DEFAULT_SEATED
) -> TableFacts:
    """End the game without a result. This is possible until every player has moved once.

    A rated game with a bot can't be aborted.
    """
    seat = caller.own_seat(table_id, seated.seat)
    state = seats.abort(table_id, seat, caller.guest)
    rematches.publish_change(table_id)
    return caller.describe_after(state)


def parse_seats(chosen: Sequence[str], caller: Caller) -> list[Seat]:
    """Return seats for occupants; BadRequest if one is unknown, or if the caller is not in exactly one seat."""
    if chosen.count(ME) != 1:
        raise BadRequest(
            f"A program plays in one seat, so {ME!r} must be there once, not {chosen.count(ME)} times.", UNPROCESSABLE
        )
    seats: list[Seat] = []
    for who in chosen:
        if who == ME:
            seats.append(Seat(PERSON, caller.guest, caller.name))
        elif who == FREE:
            seats.append(Seat(OPEN, "", OPEN_SEAT_NAME))
        else:
            seats.append(bot_seat(validate_level(who, (ME, FREE)), seats))
    return seats
