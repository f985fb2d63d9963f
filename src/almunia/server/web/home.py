"""The front page."""

from collections import Counter
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ... import catalog
from ..clock import Clock
from ..lobby.service import LobbyService
from ..tables import lessons
from ..tables.clocks import REALTIME, TimeControl
from ..tables.model import PERSON
from ..users.game_lists import GameLists
from ..users.visitors import current_visitor
from .my_games import game_row
from .routing import Router
from .templating import render

router = Router()
WEIGHTS = ("", "very light", "light", "medium", "heavy", "very heavy")  # words for `Meta.weight`
MAX_OTHER_TABLES = 3  # on the front page, after the first one


@router.get("/")
def show_home(request: Request, clock: Clock, lobby: LobbyService, game_lists: GameLists) -> Response:
    guest = current_visitor(request)
    games_on, running, waiting = game_lists.running_games(guest.id, MAX_OTHER_TABLES + 1)
    due = game_lists.next_table(guest.id, guest.next) if waiting else None
    rows = {one.table.id: game_row(game_lists, one, guest.id, clock.now()) for one in games_on}
    if due and due not in rows:
        rows = {due: game_row(game_lists, game_lists.get(guest.id, due), guest.id, clock.now()), **rows}
    first = rows.get(due) if due else None
    others = [row for row in rows.values() if row is not first]
    facts: dict[str, Any] = {"first": first, "others": others[:MAX_OTHER_TABLES]}
    facts |= {"waiting": waiting, "running": running}
    control = TimeControl.parse(first["table"].time_control) if first else TimeControl()
    facts["is_live"] = control.kind == REALTIME
    games = sorted(catalog.all_games(), key=lambda game: (game.weight, game.minutes))
    facts["lobby"] = shown = lobby.current(guest.id)
    facts["playing"] = Counter(one.table.game for one in shown.spectatable for seat in one.seats if seat.kind == PERSON)
    learned = game_lists.learned_games(guest.id)
    facts["taught"] = [game for game in games if lessons.has_lesson(game.name) and game.name not in learned]
    facts["is_new"] = not game_lists.played_games(guest.id)
    facts["titles"] = {game.name: game.title for game in games}
    return render(request, "home.html", games=games, weights=WEIGHTS, **facts)
