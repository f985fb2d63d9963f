"""The others: tables of theirs that are open to everybody, and what a player asks of them."""

from fastapi import APIRouter
from starlette.requests import Request

from ..lobby.new_table import checked_level
from .auth import Caller, FairThreads, OpenTablesDep, SeatingDep, TablesDep
from .schemas import Answering, Asking, Claiming, Handle, OpenTables, TableFacts, TableId
from .serializers import open_table_facts
from .tables import TableAnswersDep, own_seat

router = APIRouter(tags=["others"], route_class=FairThreads)


@router.get("/open-tables")
def list_open_tables(open_tables: OpenTablesDep, caller: Caller) -> OpenTables:
    """The tables in the lobby at which anybody may sit down."""
    return OpenTables(tables=[open_table_facts(shown, caller.player) for shown in open_tables.now().offered])


@router.post("/open-tables/{handle}/sit")
def sit(
    request: Request,
    tables: TablesDep,
    open_tables: OpenTablesDep,
    table_answers: TableAnswersDep,
    caller: Caller,
    handle: Handle,
) -> TableFacts:
    """Sit down at one of them."""
    table = open_tables.sit(handle, caller.player, caller.called)
    return table_answers.after(request, caller, tables.get(table.id))


@router.post("/tables/{table_id}/ask")
def ask(
    request: Request,
    tables: TablesDep,
    seating: SeatingDep,
    table_answers: TableAnswersDep,
    caller: Caller,
    table_id: TableId,
    asking: Asking,
) -> TableFacts:
    """Ask the others to end the game, or to go back to before your last choice. It is done when all have agreed."""
    seat = own_seat(tables.get(table_id), caller, asking.seat)
    put = seating.propose_end if asking.what == "end" else seating.propose_takeback
    return table_answers.after(request, caller, put(table_id, seat, caller.player))


@router.post("/tables/{table_id}/answer")
def answer(
    request: Request,
    tables: TablesDep,
    seating: SeatingDep,
    table_answers: TableAnswersDep,
    caller: Caller,
    table_id: TableId,
    answering: Answering,
) -> TableFacts:
    """Agree to what was asked, or decline it; whoever has asked may take it back so."""
    seat = own_seat(tables.get(table_id), caller, answering.seat)
    return table_answers.after(request, caller, seating.answer_proposal(table_id, seat, caller.player, answering.agree))


@router.post("/tables/{table_id}/claim")
def claim(
    request: Request,
    seating: SeatingDep,
    table_answers: TableAnswersDep,
    caller: Caller,
    table_id: TableId,
    claiming: Claiming,
) -> TableFacts:
    """Let a bot play for somebody who has been away for too long, or whose time is up, until they are back."""
    then = seating.claim_seat(table_id, claiming.seat - 1, caller.player, checked_level(claiming.bot))
    return table_answers.after(request, caller, then)
