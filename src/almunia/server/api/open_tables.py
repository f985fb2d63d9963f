"""Open tables of the lobby, proposals to other players, and claims of seats."""

from fastapi import APIRouter

from ..lobby.new_table import validate_level
from .auth import FairThreads, LobbyDep, SeatsDep
from .caller import CallerDep
from .schemas import Answering, Asking, Claiming, Handle, OpenTables, TableFacts, TableId
from .serializers import open_table_facts

router = APIRouter(tags=["others"], route_class=FairThreads)


@router.get("/open-tables")
def list_open_tables(caller: CallerDep, lobby: LobbyDep) -> OpenTables:
    """Return the open tables of the lobby."""
    return OpenTables(tables=[open_table_facts(shown, caller.guest) for shown in lobby.current(caller.guest).joinable])


@router.post("/open-tables/{handle}/join")
def sit(caller: CallerDep, lobby: LobbyDep, handle: Handle) -> TableFacts:
    """Join an open table of the lobby."""
    table = lobby.join(handle, caller.guest, caller.name)
    return caller.describe_after(caller.tables.get(table.id))


@router.post("/tables/{table_id}/propose")
def ask(caller: CallerDep, seats: SeatsDep, table_id: TableId, asking: Asking) -> TableFacts:
    """Propose to end the game, or to go back to before your last choice. The other players must agree.

    In an unrated game without clocks, players who have been away for the absence timeout aren't asked.
    """
    seat = caller.own_seat(table_id, asking.seat)
    propose = seats.propose_end if asking.what == "end" else seats.propose_takeback
    return caller.describe_after(propose(table_id, seat, caller.guest))


@router.post("/tables/{table_id}/answer-proposal")
def answer(caller: CallerDep, seats: SeatsDep, table_id: TableId, answering: Answering) -> TableFacts:
    """Agree to a proposal, or decline it. A player withdraws their own proposal by declining it."""
    seat = caller.own_seat(table_id, answering.seat)
    return caller.describe_after(seats.answer_proposal(table_id, seat, caller.guest, answering.agree))


@router.post("/tables/{table_id}/claim")
def claim(caller: CallerDep, seats: SeatsDep, table_id: TableId, claiming: Claiming) -> TableFacts:
    """Let a bot play for a player who was absent for too long, or whose time is up, until they return."""
    level = validate_level(claiming.bot)
    return caller.describe_after(seats.claim_seat(table_id, claiming.seat - 1, caller.guest, level))
