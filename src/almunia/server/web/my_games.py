"""A guest's own games with notes, hiding and deleting; preferences and vacations."""

from dataclasses import dataclass
from math import inf
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ... import catalog
from ...core.english import pluralize
from ..clock import Clock
from ..errors import BadRequest, NotFound
from ..notifications.services import Notifications
from ..tables.clocks import CORRESPONDENCE, PlayingHours, check_playing_hours, format_clock
from ..tables.model import Table
from ..tables.vacation import VacationService
from ..users import game_lists as lists
from ..users.game_lists import GameFilter, GameLists, GameRow
from ..users.profiles import Profiles
from ..users.table_rows import table_row
from ..users.visitors import PREFERENCES, Visitor, current_visitor, ensure_visitor, rename, validate_preferences
from .forms import FormFields, read_hours, redirect, redirect_back
from .routing import FromRequest, Router
from .templating import render

router = Router()


@dataclass(frozen=True)
class MyTablesPage(FromRequest):
    request: Request
    clock: Clock
    vacations: VacationService
    game_lists: GameLists

    def render(self, name: str | None = None, wrong: str = "", wanted: GameFilter = lists.NO_FILTER) -> Response:
        """Render the guest's games that match a filter; NotFound if the filter's page does not exist."""
        guest = current_visitor(self.request)
        found = self.game_lists.find_page(guest.id, wanted)
        if wanted.page > found.pages:
            pages = pluralize(found.pages, "page")
            raise NotFound(f"Your list of games has {pages}, so there is no page {wanted.page}.")
        tables = [game_row(self.game_lists, one, guest.id, self.clock.now()) for one in found.games]
        facts: dict[str, Any] = {"tables": tables, "name": guest.name if name is None else name, "wrong": wrong}
        facts |= {"found": found, "wanted": wanted}
        facts |= {"states": lists.STATES, "companies": lists.OPPONENT_KINDS, "outcomes": lists.OUTCOMES}
        facts["longest"] = lists.MAX_NOTE_LENGTH
        facts["titles"] = {"": "All", **{meta.name: meta.title for meta in catalog.all_games()}}
        facts["idle"] = "idle" in self.request.query_params
        if self.game_lists.has_clock_kind(guest.id, CORRESPONDENCE):
            facts["vacation"], facts["now"] = self.vacations.get(guest.id), self.clock.now()
        return render(self.request, "my_games.html", 422 if wrong else 200, **facts)


@router.get("/my/games")
def show_my_tables(
    list_page: MyTablesPage, game: str = "", state: str = "", company: str = "", outcome: str = "", page: int = 1
) -> Response:
    """Render a guest's tables that match the filters."""
    return list_page.render(wanted=GameFilter(game, state, company, outcome, page).validate())


def game_row(game_lists: GameLists, own: GameRow, guest: str, now: float) -> dict[str, Any]:
    """Return the row of a game in a guest's list, with place, points, note and the running clock."""
    row = table_row(own.table, guest, own.moves, now)
    return {
        **row,
        "left": time_left(game_lists, own.table, guest),
        "note": own.note,
        "alerts_muted": own.alerts_muted,
        "may_delete": own.may_delete,
        **lists.outcome_of(own.table, guest, own.ranks),
    }


def time_left(game_lists: GameLists, table: Table, guest: str) -> str:
    """Return the time on the clock of the person to move, as the guest sees it; empty if no clock runs."""
    held = table.seats_of(guest)
    seat = table.turn if table.turn in held else held[0]
    turn = table.seats[seat].visible_turn
    if table.finished or table.awaits_players or not table.time_control or table.seats[turn].bot:
        return ""
    left = game_lists.seconds_left(table.id, seat)
    return "" if left == inf else format_clock(left)


@router.get("/my/games/next")
def redirect_to_next(visitor: Visitor, game_lists: GameLists, after: str = "") -> Response:
    """Redirect to the next table that waits for the guest, or to the list of games if none waits."""
    table = game_lists.next_table(visitor.id, visitor.next, after)
    answer = redirect(f"/table/{table}" if table else "/my/games?idle=1")
    answer.headers["Cache-Control"] = "no-store"
    return answer


@router.post("/table/{table_id}/note")
def save_note(visitor: Visitor, game_lists: GameLists, form: FormFields, table_id: str) -> Response:
    game_lists.save_note(visitor.id, table_id, form.text("words"))
    return redirect_back(form, "/my/games")


@router.post("/table/{table_id}/hide")
def set_hidden(visitor: Visitor, game_lists: GameLists, form: FormFields, table_id: str) -> Response:
    """Hide a table in the guest's list, or show it again."""
    game_lists.set_hidden(visitor.id, table_id, hidden=form.text("hidden") == "1")
    return redirect_back(form, "/my/games")


@router.post("/table/{table_id}/alerts")
def set_alerts_muted(visitor: Visitor, game_lists: GameLists, form: FormFields, table_id: str) -> Response:
    """Turn the alerts of one table off, or on again."""
    game_lists.set_alerts_muted(visitor.id, table_id, muted=form.text("muted") == "1")
    return redirect_back(form, "/my/games")


@router.post("/table/{table_id}/delete")
def delete_table(visitor: Visitor, game_lists: GameLists, form: FormFields, table_id: str) -> Response:
    """Delete a table of the guest; BadRequest if the box is not checked."""
    if form.text("delete") != "yes":
        raise BadRequest("To delete this game, please tick the box above the button first.")
    game_lists.delete(visitor.id, table_id)
    return redirect_back(form, "/my/games")


@router.get("/preferences")
def show_preferences(request: Request) -> Response:
    return render(request, "preferences.html")


@router.post("/preferences")
def save_preferences(
    request: Request, notifications: Notifications, profiles: Profiles, page: MyTablesPage, form: FormFields
) -> Response:
    """Save the name and the preferences in a form; save nothing if a value is invalid."""
    hours = read_hours(form)
    check_playing_hours(PlayingHours.parse(hours or ""))
    chosen = validate_preferences({name: form.text(name) for name in PREFERENCES if form.text(name)})
    if form.has("name"):
        try:
            rename(request, form.text("name"))
        except BadRequest as error:
            return page.render(form.text("name"), str(error))
        guest = ensure_visitor(request)
        profiles.rename(guest.id, guest.name)
        notifications.channels.rename(guest.id, guest.name)
    request.session.update(chosen if hours is None else {**chosen, "hours": hours})
    return redirect_back(form)


@router.post("/vacation")
def set_vacation(request: Request, vacations: VacationService, form: FormFields) -> Response:
    guest = ensure_visitor(request)
    if form.text("begin") == "1":
        vacations.begin(guest.id)
    else:
        vacations.end(guest.id)
    return redirect("/my/games")
