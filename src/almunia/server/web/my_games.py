"""The list of a guest's own games, and actions on them: the next one, notes, hiding and deleting."""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ... import catalog
from ...core.english import pluralize
from ..clock import Clock
from ..errors import BadRequest, NotFound
from ..lobby.rematches import Rematches
from ..tables.clocks import (
    CORRESPONDENCE,
)
from ..tables.vacation import VacationService
from ..users.my_games import (
    MAX_NOTE_LENGTH,
    NO_FILTER,
    OPPONENT_KINDS,
    OUTCOMES,
    STATES,
    GameFilter,
    GameList,
    GameRow,
    outcome_of,
)
from ..users.own_tables import OwnTables
from ..users.table_rows import table_row
from ..users.visitors import current_visitor
from .forms import SEE_OTHER, FormFields, local_path
from .rematch_invitations import invitations_context, render_invitations
from .routing import Router
from .templating import is_partial, render

router = Router()


@dataclass(frozen=True)
class MyTablesPage:
    """Renders the list of a guest's tables."""

    clock: Clock
    vacations: VacationService
    own_tables: OwnTables
    rematches: Rematches
    my_games: GameList

    def render(
        self, request: Request, name: str | None = None, wrong: str = "", wanted: GameFilter = NO_FILTER
    ) -> Response:
        """Render the tables and the name of a guest, or the name that was sent with its error."""
        guest = current_visitor(request)
        shown = guest.name if name is None else name
        found = self.my_games.find_page(guest.id, wanted)
        if wanted.page > found.pages:
            raise NotFound(
                f"Your games have {pluralize(found.pages, 'page')}, and there is no page {wanted.page} among them."
            )
        status, tables = 422 if wrong else 200, [game_row(one, guest.id, self.clock.now()) for one in found.games]
        facts: dict[str, Any] = {"tables": tables, "name": shown, "wrong": wrong, "found": found, "wanted": wanted}
        facts |= {"states": STATES, "companies": OPPONENT_KINDS, "outcomes": OUTCOMES, "longest": MAX_NOTE_LENGTH}
        facts["titles"] = {"": "All", **{meta.name: meta.title for meta in catalog.all_games()}}
        facts |= invitations_context(self.rematches, guest.id) | {"idle": "idle" in request.query_params}
        if self.own_tables.has_clock_kind(guest.id, CORRESPONDENCE):
            facts["vacation"], facts["now"] = self.vacations.get(guest.id), self.clock.now()
        return render(request, "my_games.html", status, None, **facts)


@router.get("/tables")
def show_my_tables(
    request: Request,
    rematches: Rematches,
    my_tables_page: MyTablesPage,
    game: str = "",
    state: str = "",
    company: str = "",
    outcome: str = "",
    page: int = 1,
) -> Response:
    """Render a guest's tables that match the filters, or only the invitations if the page itself asks for them."""
    if is_partial(request):
        return render_invitations(request, rematches)
    return my_tables_page.render(request, wanted=GameFilter(game, state, company, outcome, page).validate())


def game_row(own: GameRow, guest: str, now: float) -> dict[str, Any]:
    """Return the row of a game in a guest's list, with place, points and note."""
    row = table_row(own.table, guest, own.moves, now)
    return {**row, "note": own.note, "may_delete": own.may_delete, **outcome_of(own.table, guest, own.ranks)}


@router.get("/next")
def redirect_to_next(request: Request, my_games: GameList, after: str = "") -> Response:
    """Redirect to the first table that waits for the guest, except the one that was just left."""
    guest = current_visitor(request)
    table = my_games.next_table(guest.id, guest.next, after)
    answer = RedirectResponse(f"/table/{table}" if table else "/tables?idle=1", SEE_OTHER)
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.post("/table/{table_id}/note")
def save_note(request: Request, my_games: GameList, form: FormFields, table_id: str) -> Response:
    """Save a note on a table."""
    my_games.save_note(current_visitor(request).id, table_id, form.text("words"))
    return redirect_back(form)


@router.post("/table/{table_id}/hide")
def set_hidden(request: Request, my_games: GameList, form: FormFields, table_id: str) -> Response:
    """Hide a table in the guest's list, or show it again."""
    my_games.set_hidden(current_visitor(request).id, table_id, hidden=form.text("hidden") == "1")
    return redirect_back(form)


@router.post("/table/{table_id}/delete")
def delete_table(request: Request, my_games: GameList, form: FormFields, table_id: str) -> Response:
    """Delete a table that no other player needs."""
    if form.text("delete") != "yes":
        raise BadRequest("Say that you want to delete this game: tick the box next to the button.")
    my_games.delete(current_visitor(request).id, table_id)
    return redirect_back(form)


def redirect_back(form: FormFields) -> Response:
    """Redirect to the page of the form."""
    return RedirectResponse(local_path(form.text("back", "/tables")), SEE_OTHER)
