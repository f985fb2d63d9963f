"""The play at a table: the position, what is done there, the log and the record."""

import json
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ...core.contract import SPECTATOR
from ..auth.api_tokens import ApiToken
from ..clock import Clock
from ..errors import Conflict, Forbidden
from ..tables.presence import Presence
from ..tables.service import TableService, check_dealt
from ..tables.state import TableState
from ..tables.viewer import Viewer, viewer_of
from .auth import Caller, ClockDep, DailiesDep, FairThreads, PresenceDep, TablesDep
from .positions import USUAL, log, position, seen_by, tag, viewed
from .schemas import Act, Log, Numbers, Part, Position, Stale, TableId, Undo, View, Written

router = APIRouter(prefix="/tables/{table_id}", tags=["play"], route_class=FairThreads)
NOT_MODIFIED, CONFLICT = 304, 409
Statuses = dict[int | str, dict[str, Any]]
STALE: Statuses = {CONFLICT: {"model": Stale, "description": "The game has moved on: nothing was changed."}}
TAGGED = {"ETag": {"description": "To be sent back in `If-None-Match`.", "schema": {"type": "string"}}}
SAME: Statuses = {
    200: {"headers": TAGGED},
    NOT_MODIFIED: {"description": "The position is still the one with this entity tag.", "headers": TAGGED},
}


@router.get("/position", responses=SAME)
def read_position(
    request: Request,
    response: Response,
    clock: ClockDep,
    tables: TablesDep,
    presence: PresenceDep,
    caller: Caller,
    table_id: TableId,
    view: View = "seat",
    include: Annotated[list[Part] | None, Query(description="What is wanted: `data` and `legal` without.")] = None,
    tensor: Annotated[Numbers, Query(description="How the numbers of a tensor are written.")] = "base64",
) -> Position:
    """What your seat sees, or a spectator: of `data`, `legal`, `text` and `tensor` those that are asked for."""
    seen = viewed(clock, tables, table_id, caller.player, view)
    if seen.reader.seats:
        presence.touch(table_id, caller.player)
    wanted = set(include) if include else set(USUAL)
    response.headers["ETag"] = tag(seen, wanted, tensor)
    response.headers["Cache-Control"] = "private, no-cache"
    response.headers["Vary"] = "Authorization"
    if response.headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=NOT_MODIFIED, headers=dict(response.headers))  # type: ignore[return-value]
    return position(seen, wanted, tensor)


@router.post("/act", response_model=Position, responses=STALE)
def act(
    clock: ClockDep, tables: TablesDep, presence: PresenceDep, caller: Caller, table_id: TableId, chosen: Act
) -> Position | Response:
    """Choose an action, or a course of several. Sent again by mistake, it is refused with 409 and the position."""

    def choose(reader: Viewer) -> TableState:
        action, *then = chosen.actions
        return tables.move(table_id, reader.seat, action, chosen.seen, then)

    return do(clock, tables, presence, caller, table_id, chosen.seat, choose)


@router.post("/undo", response_model=Position, responses=STALE)
def undo(
    clock: ClockDep, tables: TablesDep, presence: PresenceDep, caller: Caller, table_id: TableId, wanted: Undo
) -> Position | Response:
    """Take the last choice back with all that followed on it, or the whole turn."""

    def take_back(reader: Viewer) -> TableState:
        return tables.undo(table_id, reader.seat, wanted.seen, wanted.turn)

    return do(clock, tables, presence, caller, table_id, wanted.seat, take_back)


@router.get("/log")
def read_log(
    clock: ClockDep,
    tables: TablesDep,
    caller: Caller,
    table_id: TableId,
    view: View = "seat",
    start: Annotated[int, Query(ge=0, le=10**9, description="The first entry, from 0.")] = 0,
) -> Log:
    """The log as the reader may read it, from an entry on; what is undone goes from it."""
    return log(viewed(clock, tables, table_id, caller.player, view), start)


@router.get("/record")
def read_record(tables: TablesDep, dailies: DailiesDep, caller: Caller, table_id: TableId) -> Written:
    """The record, once the game is over, and with it the daily deal that it was: it holds every secret."""
    snapshot = tables.get(table_id)
    dailies.check_record(snapshot.table)
    record = snapshot.record
    return Written(table=snapshot.table.id, text=str(record), record=json.loads(record.to_json()))


def do(
    clock: Clock,
    tables: TableService,
    presence: Presence,
    caller: ApiToken,
    table_id: TableId,
    seat: int | None,
    deed: Callable[[Viewer], TableState],
) -> Position | Response:
    """Do something in the caller's seat, and return the position, or 409 with it if it has moved on."""
    before = tables.get(table_id)
    try:
        after = deed(player(before, caller.player, seat))
    except Conflict as conflict:
        fresh = position(viewed(clock, tables, table_id, caller.player))
        stale = Stale(error=str(conflict), status=conflict.status, position=fresh)
        return JSONResponse(stale.model_dump(mode="json"), conflict.status)
    presence.touch(table_id, caller.player)
    return position(seen_by(after, caller.player, now=clock.now()))


def player(snapshot: TableState, guest: str, seat: int | None) -> Viewer:
    """Return who acts, of a guest's seats the one to move, which looked from `seat` (from 1) if that is known.

    Raises:
        Forbidden: the guest has no seat, or not this one.
        Conflict: no act is possible now, or another seat is to move.
    """
    reader = viewer_of(snapshot, guest, snapshot.table.turn)
    if not reader.seats:
        raise Forbidden("You are watching this game, not playing. Nothing was changed.")
    if seat is not None and seat - 1 not in reader.seats:
        raise Forbidden("This is not your seat, so nothing was changed.")
    if snapshot.table.finished:
        raise Conflict("This game is over, so no more moves are possible.")
    check_dealt(snapshot.table)
    if reader.seat == SPECTATOR:  # of several seats none is to move
        raise Conflict("It is not the turn of any of your seats. Nothing was changed; this is the current position.")
    if seat is not None and seat - 1 != reader.seat:
        raise Conflict(f"It is not the turn of seat {seat}. Nothing was changed; this is the current position.")
    if snapshot.table.seats[reader.seat].substitute_bot:
        raise Conflict("A bot plays for you. Take your seat back first, then choose a move.")
    return reader
