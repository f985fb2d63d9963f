"""Pages of people: one's own profile, those that others show, and the leaderboards of the games."""

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ... import catalog
from ..errors import NotFound
from ..lobby.service import LobbyService
from ..ratings.ratings import NEWCOMER_GAMES, bot_ratings
from ..tables.builds import GameBuilds
from ..users.profiles import CHOICES, Profile, Profiles
from ..users.visitors import guest_of, welcome
from .forms import SEE_OTHER, FormFields
from .middleware.authentication import account_of
from .routing import Router
from .templating import render

router = Router()


@router.get("/profile")
def own(request: Request, profiles: Profiles, saved: int = 0) -> Response:
    """Render a guest's own results, and what others may see of them."""
    guest = guest_of(request).id
    profile = profiles.of(guest)
    facts = told(profiles, guest, public=False) if guest else told(profiles, "", public=False)
    return render(request, "profile.html", profile=profile, choices=CHOICES, saved=bool(saved), **facts)


@router.post("/profile")
def choose(request: Request, open_tables: LobbyService, profiles: Profiles, form: FormFields) -> Response:
    """Save which parts of a profile others may see."""
    profiles.choose(welcome(request), {name: form.text(name) == "1" for name in CHOICES})
    open_tables.chosen()
    return RedirectResponse("/profile?saved=1", SEE_OTHER)


@router.get("/players/{person}")
def player(request: Request, profiles: Profiles, person: str) -> Response:
    """Render what a player shows to others."""
    profile = profiles.called(person)
    if profile is None:
        raise NotFound("Nobody shows a page at this address. It may have been hidden, or mistyped.")
    facts = told(profiles, profile.guest, public=True)
    return render(request, "public_profile.html", profile=profile, **facts)


@router.get("/games/{name}/leaderboard")
def leaderboard(request: Request, builds: GameBuilds, profiles: Profiles, name: str, start: int = 1) -> Response:
    """Render a page of a game's leaderboard, with the bots."""
    game, guest = builds.find(name), guest_of(request).id
    if not 1 <= start <= 10**6:
        raise NotFound(f"This leaderboard has no page {start}.")
    leaders, pages = profiles.leaders(game.name, start, guest)
    mine = next((one for one in profiles.ratings(guest) if one.game == game.name), None) if guest else None
    facts: dict[str, Any] = {
        "leaders": leaders,
        "pages": pages,
        "number_of_page": start,
        "bots": bot_ratings(game.name),
        "enough": NEWCOMER_GAMES,
    }
    shown = profiles.of(guest).boards if guest else False
    facts |= {"signed_in": account_of(request) is not None, "shown": shown, "mine": mine}
    return render(request, "leaderboard.html", game=game.meta, **facts)


def told(profiles: Profiles, guest: str, *, public: bool) -> dict[str, Any]:
    """Return what a page says of a player: all of it, or if `public` what the player shows."""
    profile: Profile = profiles.of(guest)
    results, rivals = (not public or shown for shown in (profile.results, profile.opponents))
    titles = {meta.name: meta.title for meta in catalog.all_games()}
    return {
        "ratings": profiles.ratings(guest),
        "records": profiles.records(guest) if results else [],
        "rivals": profiles.rivals(guest, public=public) if rivals else [],
        "titles": titles,
    }
