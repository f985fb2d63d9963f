"""Pages of profiles and leaderboards."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ... import catalog
from ..clock import Clock
from ..errors import NotFound
from ..jobs.analysis_queue import AnalysisQueue, GameAccuracy
from ..lobby.service import LobbyService
from ..ratings.ratings import NEWCOMER_GAMES, bot_ratings
from ..tables.builds import GameBuilds
from ..users.game_lists import GameFilter, GameLists
from ..users.profiles import VISIBILITY, Profiles
from ..users.visitors import current_visitor, ensure_visitor
from .forms import FormFields, redirect
from .middleware.authentication import account_of
from .my_games import game_row
from .rating_chart import accuracy_chart, rating_chart
from .routing import Router
from .sharing import Card
from .templating import public_url, render

router = Router()
MAX_LAST_GAMES = 4  # in a profile


@router.get("/profile")
def show_own_profile(
    request: Request,
    profiles: Profiles,
    game_lists: GameLists,
    analyses: AnalysisQueue,
    clock: Clock,
    saved: int = 0,
) -> Response:
    """Render the visitor's own profile, with a form for its public parts."""
    guest = current_visitor(request).id
    facts = profile_context(profiles, guest, public=False)
    facts["histories"] = histories = {one.game: profiles.rating_history(guest, one.game) for one in facts["ratings"]}
    facts["charts"] = {game: rating_chart(changes) for game, changes in histories.items()}
    by_game: dict[str, list[GameAccuracy]] = {}
    for one in analyses.accuracies(guest):
        by_game.setdefault(one.game, []).append(one)
    facts["accuracies"] = by_game
    facts["accuracy_charts"] = {game: accuracy_chart([one.accuracy for one in of]) for game, of in by_game.items()}
    games = game_lists.find_page(guest, GameFilter(state="over")).games[:MAX_LAST_GAMES]
    facts["last_games"] = [game_row(game_lists, one, guest, clock.now()) for one in games]
    return render(request, "profile.html", choices=VISIBILITY, saved=bool(saved), **facts)


@router.post("/profile")
def save_visibility(request: Request, lobby: LobbyService, profiles: Profiles, form: FormFields) -> Response:
    profiles.set_visibility(ensure_visitor(request), {name: form.text(name) == "1" for name in VISIBILITY})
    lobby.publish()
    return redirect("/profile?saved=1")


@router.get("/players/{person}")
def show_player(request: Request, profiles: Profiles, person: str) -> Response:
    profile = profiles.find_by_handle(person)
    if profile is None:
        raise NotFound("There is no public profile at this address. It may have been hidden, or mistyped.")
    card = Card(profile.name, f"{profile.name} plays on Almunia.", f"{public_url(request)}/players/{person}")
    return render(request, "public_profile.html", card=card, **profile_context(profiles, profile.guest, public=True))


@router.get("/games/{name}/leaderboard")
def show_leaderboard(request: Request, builds: GameBuilds, profiles: Profiles, name: str, start: int = 1) -> Response:
    """Render a page of a game's leaderboard, with the bots."""
    game, guest = builds.find(name), current_visitor(request).id
    if not 1 <= start <= 10**6:
        raise NotFound(f"This leaderboard has no page {start}.")
    leaders, pages = profiles.leaderboard(game.name, start, guest)
    mine = next((one for one in profiles.ratings(guest) if one.game == game.name), None) if guest else None
    facts: dict[str, Any] = {"leaders": leaders, "pages": pages, "number_of_page": start, "mine": mine}
    facts |= {"bots": bot_ratings(game.name), "enough": NEWCOMER_GAMES}
    facts |= {
        "signed_in": account_of(request) is not None,
        "shown": profiles.get(guest).show_boards if guest else False,
    }
    return render(request, "leaderboard.html", game=game.meta, **facts)


def profile_context(profiles: Profiles, guest: str, *, public: bool) -> dict[str, Any]:
    """Return the template context of a profile: all of it, or only the public parts."""
    profile = profiles.get(guest)
    results, rivals = (not public or shown for shown in (profile.show_results, profile.show_opponents))
    return {
        "profile": profile,
        "ratings": profiles.ratings(guest),
        "records": profiles.game_stats(guest) if results else [],
        "rivals": profiles.opponents(guest, public=public) if rivals else [],
        "titles": {meta.name: meta.title for meta in catalog.all_games()},
    }
