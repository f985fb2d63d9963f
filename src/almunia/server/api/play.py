"""Positions, moves, logs and records of games."""

import json
from collections.abc import Callable
from typing import Annotated, Any

from fastapi import APIRouter, Query
from starlette.requests import Request
from starlette.responses import JSONResponse, Response

from ...analysis import analysis_data
from ...core.contract import SPECTATOR
from ..errors import Conflict
from ..jobs.analysis_queue import AnalysisState
from ..tables.state import TableState
from ..tables.viewer import viewer_of
from .auth import AnalysesDep, DailiesDep, FairThreads, HiddenNetworksDep
from .caller import Caller, CallerDep
from .positions import DEFAULT_PARTS, entity_tag, make_log, make_position
from .schemas import Act, AnalysisFacts, Log, Numbers, Part, Position, Stale, TableId, Undo, View, Written

router = APIRouter(prefix="/tables/{table_id}", tags=["play"], route_class=FairThreads)
ACCEPTED, NOT_MODIFIED, CONFLICT = 202, 304, 409
Statuses = dict[int | str, dict[str, Any]]
STALE_RESPONSE: Statuses = {CONFLICT: {"model": Stale, "description": "The game has moved on. Nothing was changed."}}
ETAG_HEADER = {"ETag": {"description": "Send it back in `If-None-Match`.", "schema": {"type": "string"}}}
POSITION_RESPONSES: Statuses = {
    200: {"headers": ETAG_HEADER},
    NOT_MODIFIED: {"description": "The position is still the one with this entity tag.", "headers": ETAG_HEADER},
}


@router.get("/position", responses=POSITION_RESPONSES)
def read_position(
    request: Request,
    response: Response,
    caller: CallerDep,
    table_id: TableId,
    view: View = "seat",
    include: Annotated[
        list[Part] | None, Query(description="The requested parts; `data` and `legal` by default.")
    ] = None,
    tensor: Annotated[Numbers, Query(description="The encoding of the numbers of a tensor.")] = "base64",
) -> Position:
    """Return the position as your seat or a spectator sees it, with the requested parts."""
    seen, wanted = caller.view(table_id, view), set(include or DEFAULT_PARTS)
    if seen.viewer.seats:
        caller.presence.touch(table_id, caller.guest)
    tag = entity_tag(seen, wanted, tensor)
    response.headers.update({"ETag": tag, "Cache-Control": "private, no-cache", "Vary": "Authorization"})
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=NOT_MODIFIED, headers=dict(response.headers))  # type: ignore[return-value]
    return make_position(seen, wanted, tensor)


@router.post("/move", response_model=Position, responses=STALE_RESPONSE)
def act(caller: CallerDep, table_id: TableId, chosen: Act) -> Position | Response:
    """Choose an action, or a course of several. A repeated request gets 409 with the position."""
    action, *then = chosen.actions

    def move(seat: int) -> TableState:
        return caller.tables.move(table_id, seat, action, chosen.seen, then, guest=caller.guest)

    return perform(caller, table_id, chosen.seat, move)


@router.post("/undo", response_model=Position, responses=STALE_RESPONSE)
def undo(caller: CallerDep, table_id: TableId, wanted: Undo) -> Position | Response:
    """Undo the last choice with everything that followed from it, or the whole turn."""

    def take_back(seat: int) -> TableState:
        return caller.tables.undo(table_id, seat, wanted.seen, wanted.turn, guest=caller.guest)

    return perform(caller, table_id, wanted.seat, take_back)


@router.get("/log")
def read_log(
    caller: CallerDep,
    table_id: TableId,
    view: View = "seat",
    start: Annotated[int, Query(ge=0, le=10**9, description="The number of the first event, from 0.")] = 0,
) -> Log:
    """Return up to 200 log entries, as your seat or a spectator may read them. Undone choices are not in the log."""
    return make_log(caller.view(table_id, view), start)


@router.get("/record")
def read_record(caller: CallerDep, daily_deals: DailiesDep, table_id: TableId) -> Written:
    """Return the record of a finished game. The record of a daily deal is available when the deal is over."""
    state = caller.tables.get(table_id)
    daily_deals.check_record(state.table)
    record = state.record
    return Written(table=state.table.id, text=str(record), record=json.loads(record.to_json()))


@router.get("/analysis")
def read_analysis(caller: CallerDep, analyses: AnalysesDep, table_id: TableId) -> AnalysisFacts:
    """Return the analysis of a game, or how far it has come. A running game has none."""
    state = caller.tables.get(table_id)
    return describe_analysis(state, analyses.get(state))


@router.post("/analysis", status_code=ACCEPTED)
def request_analysis(
    request: Request, caller: CallerDep, analyses: AnalysesDep, networks: HiddenNetworksDep, table_id: TableId
) -> AnalysisFacts:
    """Request the analysis of a finished game. A repeated request changes nothing."""
    state = caller.tables.get(table_id)
    return describe_analysis(state, analyses.request(state, networks.hash_of(request)))


def describe_analysis(state: TableState, found: AnalysisState) -> AnalysisFacts:
    names = [seat.name for seat in state.table.seats]
    return AnalysisFacts(
        table=state.table.id,
        status=found.status,
        done=found.done,
        actions=len(state.play.actions),
        analysis=analysis_data(found.result, state.play, names) if found.result else None,
    )


def perform(
    caller: Caller, table_id: str, seat: int | None, change: Callable[[int], TableState]
) -> Position | Response:
    """Perform a change in the caller's seat and return the position; on a conflict, 409 with the present position."""
    before = caller.tables.get(table_id)
    try:
        after = change(acting_seat(before, caller, seat))
    except Conflict as conflict:
        fresh = make_position(caller.view(table_id))
        stale = Stale(error=str(conflict), status=conflict.status, position=fresh)
        return JSONResponse(stale.model_dump(mode="json"), conflict.status)
    return make_position(caller.view_after(after))


def acting_seat(state: TableState, caller: Caller, seat: int | None) -> int:
    """Return the seat in which the caller acts, from 0. `seat`, from 1, is the seat that the client expects.

    Raises:
        Forbidden: the caller has no seat, or not this one.
        Conflict: the caller has several seats, and another seat is to move.
    """
    table, held = state.table, caller.own_seats(state.table, seat)
    if len(held) == 1 or table.finished or table.awaits_deal:
        return held[0]
    own = viewer_of(state, caller.guest, table.turn).seat
    if own == SPECTATOR:  # none of the caller's seats is to move
        raise Conflict("It is not your turn. Nothing was changed. This is the current position.")
    if seat not in (None, own + 1):
        raise Conflict(f"It is not seat {seat}'s turn. Nothing was changed. This is the current position.")
    return own
