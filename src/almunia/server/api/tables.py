"""Tables: a guest's own, new ones, and who sits there."""

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
from ..lobby.new_table import checked_level, checked_patience, checked_time_control
from ..rendering.table_view import TableView
from ..settings import Settings
from ..tables.model import OPEN, OPEN_SEAT_NAME, PERSON, Seat
from ..tables.presence import Presence
from ..tables.seats import bot_seat
from ..tables.state import TableState
from ..users.own_tables import pages_of
from ..users.visitors import checked_name
from .auth import (
    BuildsDep,
    Caller,
    ClockDep,
    FairThreads,
    HiddenNetworksDep,
    InvitationsDep,
    OpenTablesDep,
    OwnTablesDep,
    RematchesDep,
    SeatingDep,
    TablesDep,
    provide,
)
from .positions import seen_by, viewed
from .schemas import Joining, Leaving, NewTable, Page, Seated, TableFacts, TableId, TableRows, View
from .serializers import listed_table, table_facts

router = APIRouter(prefix="/tables", tags=["tables"], route_class=FairThreads)
AS_USUAL, ONLY_SEAT = Leaving.model_validate({}), Seated.model_validate({})  # what nothing stands for
ME, FREE = "me", "open"  # who may sit in a new table's seat, beside bots


@dataclass(frozen=True)
class TableAnswers:
    """Answers with a table as it stands for the caller."""

    settings: Settings
    clock: Clock
    presence: Presence
    invitations: Invitations

    def of(self, request: Request, view: TableView) -> TableFacts:
        """Return a table as its reader knows it."""
        address = self.settings.address or f"{request.url.scheme}://{request.url.netloc}"
        return table_facts(self.invitations, view, address, self.clock.now())

    def after(self, request: Request, caller: ApiToken, snapshot: TableState) -> TableFacts:
        """Return a table after the caller has done something there, who is therefore present."""
        self.presence.touch(snapshot.table.id, caller.player)
        return self.of(request, seen_by(snapshot, caller.player, now=self.clock.now()))


TableAnswersDep = Annotated[TableAnswers, Depends(provide(TableAnswers))]


@router.get("")
def list_tables(clock: ClockDep, own_tables: OwnTablesDep, caller: Caller, page: Page = 1) -> TableRows:
    """Your tables: those that wait for you first, then running ones, then finished ones."""
    rows, total = own_tables.page(caller.player, page, clock.now())
    return TableRows(tables=[listed_table(row) for row in rows], page=page, pages=pages_of(total), total=total)


@router.post("", status_code=201)
def open_table(
    request: Request,
    tables: TablesDep,
    builds: BuildsDep,
    open_tables: OpenTablesDep,
    networks: HiddenNetworksDep,
    table_answers: TableAnswersDep,
    caller: Caller,
    wanted: NewTable,
) -> TableFacts:
    """Open a table, without hints."""
    game = builds.find(wanted.game)
    if wanted.offered:
        open_tables.check_room(caller.player, networks.hash_of(request))
    table = tables.create(
        game.name,
        asked_seats(wanted.seats, caller),
        caller.player,
        dict(wanted.options),
        wanted.seed,
        rated=wanted.rated,
        patience=checked_patience(wanted.patience),
        time_control=checked_time_control(wanted.clock, wanted.zero),
        network=networks.hash_of(request),
    )
    if wanted.offered:
        open_tables.put(table.id, caller.player, offered=True, watched=False, open_chat=False)
    return table_answers.after(request, caller, tables.get(table.id))


@router.post("/join")
def join(
    request: Request,
    tables: TablesDep,
    seating: SeatingDep,
    invitations: InvitationsDep,
    table_answers: TableAnswersDep,
    caller: Caller,
    joining: Joining,
) -> TableFacts:
    """Sit down, by an invitation. Whoever sits there already is told how the table stands."""
    table_id, seat = invitations.parse(joining.invitation.rpartition("/")[2])
    name = caller.called if joining.name is None else checked_name(joining.name)
    now = tables.get(table_id)
    if seat not in now.table.seats_of(caller.player):
        now = seating.join(table_id, seat, caller.player, name)
    return table_answers.after(request, caller, now)


@router.get("/{table_id}")
def table(
    request: Request,
    clock: ClockDep,
    tables: TablesDep,
    table_answers: TableAnswersDep,
    caller: Caller,
    table_id: TableId,
    view: View = "seat",
) -> TableFacts:
    """A table and who sits there. Whoever knows its id may watch it."""
    return table_answers.of(request, viewed(clock, tables, table_id, caller.player, view))


@router.post("/{table_id}/leave")
def leave(
    request: Request,
    tables: TablesDep,
    seating: SeatingDep,
    rematches: RematchesDep,
    table_answers: TableAnswersDep,
    caller: Caller,
    table_id: TableId,
    leaving: Leaving = AS_USUAL,
) -> TableFacts:
    """Let a bot play for you until you come back. While the table waits for players, your seat is free again."""
    seat = own_seat(tables.get(table_id), caller, leaving.seat)
    now = seating.step_away(table_id, seat, caller.player, checked_level(leaving.bot))
    rematches.given_back(now.table, seat)
    return table_answers.after(request, caller, now)


@router.post("/{table_id}/back")
def come_back(
    request: Request,
    tables: TablesDep,
    seating: SeatingDep,
    table_answers: TableAnswersDep,
    caller: Caller,
    table_id: TableId,
    seated: Seated = ONLY_SEAT,
) -> TableFacts:
    """Take your seat back."""
    seat = own_seat(tables.get(table_id), caller, seated.seat)
    return table_answers.after(request, caller, seating.return_to_seat(table_id, seat, caller.player))


@router.post("/{table_id}/resign")
def resign(
    request: Request,
    tables: TablesDep,
    seating: SeatingDep,
    rematches: RematchesDep,
    table_answers: TableAnswersDep,
    caller: Caller,
    table_id: TableId,
    seated: Seated = ONLY_SEAT,
) -> TableFacts:
    """Give up for good: of two, the other one wins; of more, a bot plays on if other people are left.

    While the table waits for players, your seat is free again.
    """
    seat = own_seat(tables.get(table_id), caller, seated.seat)
    now = seating.resign(table_id, seat, caller.player, DEFAULT_LEVEL)
    rematches.given_back(now.table, seat)
    return table_answers.after(request, caller, now)


# --- what all of these do ----------------------------------------------------------------------------


def own_seat(snapshot: TableState, caller: ApiToken, asked: int | None) -> int:
    """The seat that is meant: the one that was named, or the caller's only one; Forbidden if it is not the caller's."""
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


def asked_seats(chosen: Sequence[str], caller: ApiToken) -> list[Seat]:
    """Seats for these sitters; BadRequest if somebody unknown is among them, or the caller is not there once."""
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
            seats.append(bot_seat(checked_level(who, (ME, FREE)), seats))
    return seats
