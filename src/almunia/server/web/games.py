"""Pages of games: facts, rules and their summary."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ... import bots
from ...library import Game
from ..clock import DAY
from ..errors import NotFound
from ..lobby import new_table
from ..tables import lessons
from ..tables.builds import GameBuilds
from ..tables.clocks import (
    DEFAULT_TIME_CONTROL,
    TIME_CONTROLS,
    TIMEOUT_POLICIES,
)
from ..users.own_tables import OwnTables
from ..users.visitors import current_visitor
from .forms import FormFields
from .game_icons import icons_of
from .routing import Router
from .rulebook import has_summary, render_rulebook
from .templating import render

router = Router()


@router.get("/games/{name}")
def show_game(request: Request, builds: GameBuilds, own_tables: OwnTables, name: str) -> Response:
    """Render the page of a game: facts, how to begin, challenges."""
    return render_game(request, own_tables, builds.find(name))


@router.get("/games/{name}/rules")
def show_rules(request: Request, builds: GameBuilds, name: str) -> Response:
    """Render the rules of a game."""
    game = builds.find(name)
    return render(request, "rules.html", game=game.meta, book=render_rulebook(game.name), signs=icons_of(game))


@router.get("/games/{name}/summary")
def show_summary(request: Request, builds: GameBuilds, name: str) -> Response:
    """Render the summary of a game's rules, for printing."""
    game = builds.find(name)
    book = render_rulebook(game.name)
    if book.short is None:
        raise NotFound(f"There is no summary of the rules of {game.meta.title} yet.")
    return render(request, "rules_summary.html", game=game.meta, book=book, signs=icons_of(game))


def render_game(
    request: Request,
    own_tables: OwnTables,
    game: Game,
    form: FormFields | None = None,
    wrong: dict[str, str] | None = None,
) -> Response:
    """Render the page of a game, with the fields that were sent and their errors."""
    filled = form.named("") if form else {}
    guest = current_visitor(request)
    facts: dict[str, Any] = {
        "sitters": new_table.seat_choices(),
        "default_bot": new_table.BOT_PREFIX + bots.DEFAULT_LEVEL,
        "options": game.meta.options,
        "patience": new_table.ABSENCE_TIMEOUTS,
        "usual_patience": DAY,
        "time_controls": TIME_CONTROLS,
        "zeros": TIMEOUT_POLICIES,
        "usual_pace": DEFAULT_TIME_CONTROL,
        "challenges": challenge_context(own_tables, game, guest.id),
        "short": has_summary(game.name),
        "teaches": lessons.has_lesson(game.name),
        "played": game.name in own_tables.played_games(guest.id),
    }
    status = 422 if wrong else 200
    return render(request, "game.html", status, None, game=game.meta, filled=filled, wrong=wrong or {}, **facts)


def challenge_context(own_tables: OwnTables, game: Game, guest: str) -> dict[str, Any] | None:
    """Return the challenges of a game with the guest's results; None if it has none."""
    known = new_table.load_challenges(game.name)
    if known is None:
        return None
    done = new_table.challenge_attempts(own_tables.challenge_attempts(guest, game.name))
    best = {name: max(points for other, points in done if other == name) for name, _ in done}
    return {
        "about": known.CAMPAIGN,
        "list": known.CHALLENGES,
        "best": best,
        "campaign": known.campaign(done),
        "begun": bool(done),
    }
