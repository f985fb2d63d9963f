"""Pages of tournaments: the list with a form for a new one, and each tournament with its standings and games."""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ... import catalog
from ..errors import BadRequest, RequestError
from ..lobby.new_table import parse_time_control
from ..lobby.service import MIN_PLAYERS
from ..tables import clocks
from ..tables.builds import GameBuilds
from ..tournaments.repository import ROUND_ROBIN
from ..tournaments.service import BOTS, KINDS, MAX_PLACES, MAX_ROUNDS, TournamentService
from ..users.visitors import current_visitor, ensure_visitor
from .forms import FormFields, redirect
from .lobby import PACES
from .routing import FromRequest, Router
from .templating import render

router = Router(prefix="/tournaments")
TIMED_PACES = {name: control for name, control in PACES.items() if control}
DEFAULT_FIELDS = {"clock": clocks.DEFAULT_TIME_CONTROL, "bot": "easy", "seats": "3", "places": "12", "rounds": "4"}


@dataclass(frozen=True)
class TournamentsPage(FromRequest):
    """The list of tournaments, with a form for a new one."""

    request: Request
    tournaments: TournamentService
    builds: GameBuilds
    form: FormFields

    def render(self, wrong: str = "", status: int = 200) -> Response:
        games = [meta for meta in catalog.all_games() if meta.seats[1] >= MIN_PLAYERS]
        facts: dict[str, Any] = {"games": games, "titles": game_titles(), "kinds": KINDS, "bots": BOTS, "wrong": wrong}
        facts |= {"paces": TIMED_PACES, "most": max(meta.seats[1] for meta in games), "most_places": MAX_PLACES}
        facts |= {"most_rounds": MAX_ROUNDS, "filled": self.form.named("") or DEFAULT_FIELDS}
        facts["tournaments"] = self.tournaments.listed(current_visitor(self.request).id)
        return render(self.request, "tournaments.html", status, **facts)

    def create(self) -> Response:
        form = self.form
        self.tournaments.create_limit.consume(self.request)
        tournament = self.tournaments.create(
            ensure_visitor(self.request),
            form.text("name"),
            self.builds.find(form.text("game")),
            kind=form.text("kind"),
            seats=form.number("seats"),
            places=form.number("places"),
            rounds=form.number("rounds"),
            control=parse_time_control(form.text("clock")),
            bot=form.text("bot"),
            is_public=form.text("private") != "1",
        )
        return redirect(f"/tournaments/{tournament.id}")


@router.get("")
def show_tournaments(page: TournamentsPage) -> Response:
    return page.render()


@router.post("")
def create_tournament(page: TournamentsPage) -> Response:
    """Create a tournament and redirect to it, or render the form with an error."""
    try:
        return page.create()
    except RequestError as error:
        return page.render(str(error), error.status)


@dataclass(frozen=True)
class TournamentPage(FromRequest):
    """A tournament with its standings and games."""

    request: Request
    tournaments: TournamentService
    tournament: str

    def render(self, wrong: str = "", status: int = 200) -> Response:
        state, guest = self.tournaments.get(self.tournament), current_visitor(self.request).id
        rounds = [[game for game in state.games if game.round == n] for n in range(1, state.tournament.round + 1)]
        facts: dict[str, Any] = {"tournament": state.tournament, "entrants": state.entrants, "rounds": rounds}
        facts |= {
            "standings": state.standings,
            "title": game_titles().get(state.tournament.game, state.tournament.game),
            "wrong": wrong,
        }
        facts |= {"own": state.entrant_of(guest), "is_host": bool(guest) and state.tournament.host == guest}
        facts |= {"kind": KINDS[state.tournament.kind], "is_round_robin": state.tournament.kind == ROUND_ROBIN}
        return render(self.request, "tournament.html", status, **facts)


@router.get("/{tournament}")
def show_tournament(page: TournamentPage) -> Response:
    return page.render()


@router.post("/{tournament}")
def change_tournament(page: TournamentPage, form: FormFields) -> Response:
    """Enter, leave, start or cancel a tournament, as the form says."""
    guest, deed, service = ensure_visitor(page.request), form.text("do"), page.tournaments
    others = {"leave": service.leave, "start": service.start, "cancel": service.cancel}
    try:
        if deed == "enter":
            service.enter(page.tournament, guest.id, guest.name, guest.hours)
        elif deed in others:
            others[deed](page.tournament, guest.id)
        else:
            raise BadRequest(f"{deed[:40]!r} is not possible; choose one of: enter, {', '.join(others)}.")
    except RequestError as error:
        return page.render(str(error), error.status)
    return redirect(f"/tournaments/{page.tournament}")


def game_titles() -> dict[str, str]:
    return {meta.name: meta.title for meta in catalog.all_games()}
