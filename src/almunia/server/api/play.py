"""Positions, moves, logs and records of games."""

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
from .auth import ClockDep, CurrentToken, DailiesDep, FairThreads, PresenceDep, TablesDep
from .positions import DEFAULT_PARTS, entity_tag, find_view, make_log, make_position, view_of
from .schemas import Act, Log, Numbers, Part, Position, Stale, TableId, Undo, View, Written

router = APIRouter(prefix="/tables/{table_id}", tags=["play"], route_class=FairThreads)
NOT_MODIFIED, CONFLICT = 304, 409
Statuses = dict[int | str, dict[str, Any]]
STALE_RESPONSE: Statuses = {CONFLICT: {"model": Stale, "description": "The game has moved on: nothing was changed."}}
ETAG_HEADER = {"ETag": {"description": "To be sent back in `If-None-Match`.", "schema": {"type": "string"}}}
POSITION_RESPONSES: Statuses = {
    200: {"headers": ETAG_HEADER},
    NOT_MODIFIED: {"description": "The position is still the one with this entity tag.", "headers": ETAG_HEADER},
}


@router.get("/position", responses=POSITION_RESPONSES)
def read_position(
    request: Request,
    response: Response,
    clock: ClockDep,
    tables: TablesDep,
    presence: PresenceDep,
    caller: CurrentToken,
    table_id: TableId,
    view: View = "seat",
    include: Annotated[list[Part] | None, Query(description="What is wanted: `data` and `legal` without.")] = None,
    tensor: Annotated[Numbers, Query(description="How the numbers of a tensor are written.")] = "base64",
) -> Position:
    """Return the position as your seat or a spectator sees it, with the requested parts."""
    seen = find_view(clock, tables, table_id, caller.player, view)
    if seen.reader.seats:
        presence.touch(table_id, caller.player)
    wanted = set(include) if include else set(DEFAULT_PARTS)
    response.headers["ETag"] = entity_tag(seen, wanted, tensor)
    response.headers["Cache-Control"] = "private, no-cache"
    response.headers["Vary"] = "Authorization"
    if response.headers["ETag"] in request.headers.get("if-none-match", ""):
        return Response(status_code=NOT_MODIFIED, headers=dict(response.headers))  # type: ignore[return-value]
    return make_position(seen, wanted, tensor)


@router.post("/move", response_model=Position, responses=STALE_RESPONSE)
def act(
    clock: ClockDep, tables: TablesDep, presence: PresenceDep, caller: CurrentToken, table_id: TableId, chosen: Act
) -> Position | Response:
    """Choose an action, or a course of several. A repeated request gets 409 with the position."""

    def choose(reader: Viewer) -> TableState:
        action, *then = chosen.actions
        return tables.move(table_id, reader.seat, action, chosen.seen, then)

    return perform(clock, tables, presence, caller, table_id, chosen.seat, choose)


@router.post("/undo", response_model=Position, responses=STALE_RESPONSE)
def undo(
    clock: ClockDep, tables: TablesDep, presence: PresenceDep, caller: CurrentToken, table_id: TableId, wanted: Undo
) -> Position | Response:
    """Undo the last choice with everything that followed from it, or the whole turn."""

    def take_back(reader: Viewer) -> TableState:
        return tables.undo(table_id, reader.seat, wanted.seen, wanted.turn)

    return perform(clock, tables, presence, caller, table_id, wanted.seat, take_back)


@router.get("/log")
def read_log(
    clock: ClockDep,
    tables: TablesDep,
    caller: CurrentToken,
    table_id: TableId,
    view: View = "seat",
    start: Annotated[int, Query(ge=0, le=10**9, description="The first entry, from 0.")] = 0,
) -> Log:
    """Return the log from an entry on, as your seat or a spectator may read it. Undone choices are not in it."""
    return make_log(find_view(clock, tables, table_id, caller.player, view), start)


@router.get("/record")
def read_record(tables: TablesDep, daily_deals: DailiesDep, caller: CurrentToken, table_id: TableId) -> Written:
    """Return the record of a finished game. That of a daily deal is available when the deal is over."""
    snapshot = tables.get(table_id)
    daily_deals.check_record(snapshot.table)
    record = snapshot.record
    return Written(table=snapshot.table.id, text=str(record), record=json.loads(record.to_json()))


def perform(
    clock: Clock,
    tables: TableService,
    presence: Presence,
    caller: ApiToken,
    table_id: TableId,
    seat: int | None,
    deed: Callable[[Viewer], TableState],
) -> Position | Response:
    """Perform a change in the caller's seat and return the position; on a conflict, 409 with the present position."""
    before = tables.get(table_id)
    try:
        after = deed(acting_viewer(before, caller.player, seat))
    except Conflict as conflict:
        fresh = make_position(find_view(clock, tables, table_id, caller.player))
        stale = Stale(error=str(conflict), status=conflict.status, position=fresh)
        return JSONResponse(stale.model_dump(mode="json"), conflict.status)
    presence.touch(table_id, caller.player)
    return make_position(view_of(after, caller.player, now=clock.now()))


def acting_viewer(snapshot: TableState, guest: str, seat: int | None) -> Viewer:
    """Return the viewer of the guest's seat to move. `seat`, from 1, is the seat that the client expects.

    Raises:
        Forbidden: the guest has no seat, or not this one.
        Conflict: no move is possible now, or another seat is to move.
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
