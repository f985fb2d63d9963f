"""Tables of the caller: list, new tables, and seats."""

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Annotated

from fastapi import APIRouter, Depends
from starlette.requests import Request

from ...bots.levels import DEFAULT_LEVEL
from ..auth.api_tokens import ApiToken
from ..clock import Clock
from ..errors import UNPROCESSABLE, BadRequest, Forbidden
from ..lobby.invitations import Invitations
from ..lobby.new_table import parse_time_control, validate_absence_timeout, validate_level
from ..rendering.table_view import TableView
from ..settings import Settings
from ..tables.model import OPEN, OPEN_SEAT_NAME, PERSON, Seat
from ..tables.presence import Presence
from ..tables.seats import bot_seat
from ..tables.state import TableState
from ..users.visitors import validate_name
from .auth import (
    BuildsDep,
    ClockDep,
    CurrentToken,
    FairThreads,
    GameListsDep,
    HiddenNetworksDep,
    InvitationsDep,
    OpenTablesDep,
    RematchesDep,
    SeatingDep,
    TablesDep,
    provide,
)
from .positions import find_view, view_of
from .schemas import Joining, Leaving, NewTable, Page, Seated, TableFacts, TableId, TableRows, View
from .serializers import listed_table, table_facts

router = APIRouter(prefix="/tables", tags=["tables"], route_class=FairThreads)
DEFAULT_LEAVING, DEFAULT_SEATED = Leaving.model_validate({}), Seated.model_validate({})  # of an empty body
ME, FREE = "me", "open"  # occupants of a new table, apart from bots


@dataclass(frozen=True)
class TableAnswers:
    """Describes tables for the caller."""

    settings: Settings
    clock: Clock
    presence: Presence
    invitations: Invitations

    def describe(self, request: Request, view: TableView) -> TableFacts:
        """Return a table as its viewer knows it."""
        address = self.settings.address or f"{request.url.scheme}://{request.url.netloc}"
        return table_facts(self.invitations, view, address, self.clock.now())

    def describe_after(self, request: Request, caller: ApiToken, snapshot: TableState) -> TableFacts:
        """Return a table after a change by the caller, who is therefore present."""
        self.presence.touch(snapshot.table.id, caller.player)
        return self.describe(request, view_of(snapshot, caller.player, now=self.clock.now()))


TableAnswersDep = Annotated[TableAnswers, Depends(provide(TableAnswers))]


@router.get("")
def list_tables(clock: ClockDep, game_lists: GameListsDep, caller: CurrentToken, page: Page = 1) -> TableRows:
    """Return your tables: those that wait for you first, then running ones, then finished ones."""
    rows, total, pages = game_lists.page_rows(caller.player, page, clock.now())
    return TableRows(tables=[listed_table(row) for row in rows], page=page, pages=pages, total=total)


@router.post("", status_code=201)
def open_table(
    request: Request,
    tables: TablesDep,
    builds: BuildsDep,
    open_tables: OpenTablesDep,
    networks: HiddenNetworksDep,
    table_answers: TableAnswersDep,
    caller: CurrentToken,
    wanted: NewTable,
) -> TableFacts:
    """Open a table, without hints."""
    game = builds.find(wanted.game)
    if wanted.offered:
        open_tables.check_capacity(caller.player, networks.hash_of(request))
    table = tables.create(
        game.name,
        parse_seats(wanted.seats, caller),
        caller.player,
        dict(wanted.options),
        wanted.seed,
        rated=wanted.rated,
        patience=validate_absence_timeout(wanted.patience),
        time_control=parse_time_control(wanted.clock, wanted.zero),
        network=networks.hash_of(request),
    )
    if wanted.offered:
        open_tables.list_table(table.id, caller.player, offered=True, watched=False, open_chat=False)
    return table_answers.describe_after(request, caller, tables.get(table.id))


@router.post("/join")
def join(
    request: Request,
    tables: TablesDep,
    seating: SeatingDep,
    invitations: InvitationsDep,
    table_answers: TableAnswersDep,
    caller: CurrentToken,
    joining: Joining,
) -> TableFacts:
    """Join a table by an invitation. If you sit there already, nothing changes."""
    table_id, seat = invitations.parse(joining.invitation.rpartition("/")[2])
    name = caller.called if joining.name is None else validate_name(joining.name)
    now = tables.get(table_id)
    if seat not in now.table.seats_of(caller.player):
        now = seating.join(table_id, seat, caller.player, name)
    return table_answers.describe_after(request, caller, now)


@router.get("/{table_id}")
def table(
    request: Request,
    clock: ClockDep,
    tables: TablesDep,
    table_answers: TableAnswersDep,
    caller: CurrentToken,
    table_id: TableId,
    view: View = "seat",
) -> TableFacts:
    """Return a table and its seats. Its id allows anyone to watch it."""
    return table_answers.describe(request, find_view(clock, tables, table_id, caller.player, view))


@router.post("/{table_id}/leave")
def leave(
    request: Request,
    tables: TablesDep,
    seating: SeatingDep,
    rematches: RematchesDep,
    table_answers: TableAnswersDep,
    caller: CurrentToken,
    table_id: TableId,
    leaving: Leaving = DEFAULT_LEAVING,
) -> TableFacts:
    """Let a bot play for you until you return. If the table still waits for players, your seat becomes open."""
    seat = own_seat(tables.get(table_id), caller, leaving.seat)
    now = seating.step_away(table_id, seat, caller.player, validate_level(leaving.bot))
    rematches.release_seat(now.table, seat)
    return table_answers.describe_after(request, caller, now)


@router.post("/{table_id}/return")
def come_back(
    request: Request,
    tables: TablesDep,
    seating: SeatingDep,
    table_answers: TableAnswersDep,
    caller: CurrentToken,
    table_id: TableId,
    seated: Seated = DEFAULT_SEATED,
) -> TableFacts:
    """Take your seat back."""
    seat = own_seat(tables.get(table_id), caller, seated.seat)
    return table_answers.describe_after(request, caller, seating.return_to_seat(table_id, seat, caller.player))


@router.post("/{table_id}/resign")
def resign(
    request: Request,
    tables: TablesDep,
    seating: SeatingDep,
    rematches: RematchesDep,
    table_answers: TableAnswersDep,
    caller: CurrentToken,
    table_id: TableId,
    seated: Seated = DEFAULT_SEATED,
) -> TableFacts:
    """Resign: with two players, the other one wins; with more, a bot continues if other people are left.

    If the table still waits for players, your seat becomes open.
    """
    seat = own_seat(tables.get(table_id), caller, seated.seat)
    now = seating.resign(table_id, seat, caller.player, DEFAULT_LEVEL)
    rematches.release_seat(now.table, seat)
    return table_answers.describe_after(request, caller, now)


# --- seats -------------------------------------------------------------------------------------------


def own_seat(snapshot: TableState, caller: ApiToken, asked: int | None) -> int:
    """Return the named seat, or the caller's only one; Forbidden if it is not the caller's."""
    held = snapshot.table.seats_of(caller.player)
    seat = asked - 1 if asked is not None else held[0] if len(held) == 1 else None
    if not held:
        raise Forbidden("You are watching this game, not playing. Nothing was changed.")
    if seat is None:
        raise BadRequest(
            f"You have several seats here: name one of {', '.join(str(p + 1) for p in held)}.", UNPROCESSABLE
        )
    if seat not in held:
        raise Forbidden("This is not your seat, so nothing was changed.")
    return seat


def parse_seats(chosen: Sequence[str], caller: ApiToken) -> list[Seat]:
    """Return seats for occupants; BadRequest if one is unknown, or if the caller is not in exactly one seat."""
    if chosen.count(ME) != 1:
        raise BadRequest(
            f"A program sits in one seat: {ME!r} must be there once, not {chosen.count(ME)} times.", UNPROCESSABLE
        )
    seats: list[Seat] = []
    for who in chosen:
        if who == ME:
            seats.append(Seat(PERSON, caller.player, caller.called))
        elif who == FREE:
            seats.append(Seat(OPEN, "", OPEN_SEAT_NAME))
        else:
            seats.append(bot_seat(validate_level(who, (ME, FREE)), seats))
    return seats
