"""Open tables of the lobby, and proposals to other players."""

from fastapi import APIRouter
from starlette.requests import Request

from ..lobby.new_table import validate_level
from .auth import CurrentToken, FairThreads, OpenTablesDep, SeatingDep, TablesDep
from .schemas import Answering, Asking, Claiming, Handle, OpenTables, TableFacts, TableId
from .serializers import open_table_facts
from .tables import TableAnswersDep, own_seat

router = APIRouter(tags=["others"], route_class=FairThreads)


@router.get("/open-tables")
def list_open_tables(open_tables: OpenTablesDep, caller: CurrentToken) -> OpenTables:
    """Return the open tables of the lobby."""
    return OpenTables(tables=[open_table_facts(shown, caller.player) for shown in open_tables.current().joinable])


@router.post("/open-tables/{handle}/join")
def sit(
    request: Request,
    tables: TablesDep,
    open_tables: OpenTablesDep,
    table_answers: TableAnswersDep,
    caller: CurrentToken,
    handle: Handle,
) -> TableFacts:
    """Join an open table of the lobby."""
    table = open_tables.join(handle, caller.player, caller.called)
    return table_answers.describe_after(request, caller, tables.get(table.id))


@router.post("/tables/{table_id}/propose")
def ask(
    request: Request,
    tables: TablesDep,
    seating: SeatingDep,
    table_answers: TableAnswersDep,
    caller: CurrentToken,
    table_id: TableId,
    asking: Asking,
) -> TableFacts:
    """Propose to end the game, or to go back to before your last choice. It is done when all players have agreed."""
    seat = own_seat(tables.get(table_id), caller, asking.seat)
    put = seating.propose_end if asking.what == "end" else seating.propose_takeback
    return table_answers.describe_after(request, caller, put(table_id, seat, caller.player))


@router.post("/tables/{table_id}/answer-proposal")
def answer(
    request: Request,
    tables: TablesDep,
    seating: SeatingDep,
    table_answers: TableAnswersDep,
    caller: CurrentToken,
    table_id: TableId,
    answering: Answering,
) -> TableFacts:
    """Agree to a proposal, or decline it. A player withdraws their own proposal by declining it."""
    seat = own_seat(tables.get(table_id), caller, answering.seat)
    return table_answers.describe_after(
        request, caller, seating.answer_proposal(table_id, seat, caller.player, answering.agree)
    )


@router.post("/tables/{table_id}/claim")
def claim(
    request: Request,
    seating: SeatingDep,
    table_answers: TableAnswersDep,
    caller: CurrentToken,
    table_id: TableId,
    claiming: Claiming,
) -> TableFacts:
    """Let a bot play for a player who was absent for too long, or whose time is up, until they return."""
    then = seating.claim_seat(table_id, claiming.seat - 1, caller.player, validate_level(claiming.bot))
    return table_answers.describe_after(request, caller, then)
