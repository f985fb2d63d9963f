"""Pages of games: facts, rules and their summary, and the forms that open tables and lessons."""

from dataclasses import dataclass
from functools import partial
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ... import bots
from ...core.options import published_options
from ...errors import SetupError
from ...library import Game
from ...validation import MAX_SEED
from ..clock import DAY
from ..errors import BadRequest, NotFound
from ..lobby import new_table
from ..lobby.service import LobbyService
from ..networks import HiddenNetworks
from ..tables import lessons
from ..tables.builds import GameBuilds
from ..tables.clocks import CLAIM, DEFAULT_TIME_CONTROL, TIME_CONTROLS, TIMEOUT_POLICIES
from ..tables.model import Table
from ..tables.service import TableService
from ..users.game_lists import GameLists
from ..users.visitors import current_visitor, ensure_visitor
from .forms import FormFields, redirect_to_table
from .game_icons import icons_of
from .routing import FromRequest, Router
from .rulebook import has_summary, render_rulebook
from .templating import render

router = Router()


@dataclass(frozen=True)
class GamePage(FromRequest):
    """The page of a game."""

    request: Request
    builds: GameBuilds
    game_lists: GameLists
    name: str

    @property
    def game(self) -> Game:
        return self.builds.find(self.name)

    def render(self, filled: dict[str, str] | None = None, wrong: dict[str, str] | None = None) -> Response:
        game, guest = self.game, current_visitor(self.request).id
        facts: dict[str, Any] = {
            "game": game.meta,
            "sitters": new_table.seat_choices(),
            "default_bot": new_table.BOT_PREFIX + bots.DEFAULT_LEVEL,
            "options": published_options(game.meta.options),
            "absence_timeout": new_table.ABSENCE_TIMEOUTS,
            "usual_patience": DAY,
            "challenges": self._challenges(guest),
            "played": game.name in self.game_lists.played_games(guest),
        }
        facts |= {"short": has_summary(game.name), "teaches": lessons.has_lesson(game.name)}
        facts |= {"time_controls": TIME_CONTROLS, "zeros": TIMEOUT_POLICIES, "usual_pace": DEFAULT_TIME_CONTROL}
        return render(self.request, "game.html", 422 if wrong else 200, filled=filled or {}, wrong=wrong or {}, **facts)

    def _challenges(self, guest: str) -> dict[str, Any] | None:
        known = self.game.text
        if not known.CHALLENGES:
            return None
        done = self.game_lists.challenge_attempts(guest, self.game.name)
        best = {name: max(points for other, points in done if other == name) for name, _ in done}
        facts = {"about": known.CAMPAIGN, "list": known.CHALLENGES, "campaign": known.campaign(done)}
        return {**facts, "best": best, "begun": bool(done)}


@router.get("/games/{name}")
def show_game(page: GamePage) -> Response:
    return page.render()


@router.get("/games/{name}/rules")
def show_rules(request: Request, builds: GameBuilds, name: str) -> Response:
    game = builds.find(name)
    return render(request, "rules.html", game=game.meta, book=render_rulebook(game.name), icon_set=icons_of(game))


@router.get("/games/{name}/summary")
def show_summary(request: Request, builds: GameBuilds, name: str) -> Response:
    """Render the summary of a game's rules, for printing; NotFound if the game has none."""
    game = builds.find(name)
    book = render_rulebook(game.name)
    if book["short"] is None:
        raise NotFound(f"There is no summary of the rules of {game.meta.title} yet.")
    return render(request, "rules_summary.html", game=game.meta, book=book, icon_set=icons_of(game))


@dataclass(frozen=True)
class NewTableForm(GamePage):
    """The form of a new table: a challenge, a quick game, or one with all options."""

    tables: TableService
    lobby: LobbyService
    networks: HiddenNetworks
    form: FormFields

    def create_table(self) -> Table:
        form, game, guest = self.form, self.game, current_visitor(self.request)
        network = self.networks.hash_of(self.request)
        create = partial(self.tables.create, game.name, network=network)
        if form.text("challenge"):
            challenge = new_table.find_challenge(game, form.text("challenge"))
            seats, options = new_table.make_seats([new_table.ME], guest), challenge.options
            return create(seats, guest.id, options, challenge=challenge.name, hints=True)
        if form.text("quick"):
            is_new = not self.game_lists.has_finished(guest.id, game.name)
            level = lessons.BOT_LEVEL if is_new else bots.DEFAULT_LEVEL
            seats = new_table.seats_among_bots(game.meta.seats[0], 0, level, guest)
            return create(seats, guest.id, hints=True)
        seats, seed = new_table.parse_seats(game.meta, form.named(""), guest), form.text("seed").strip()
        absence_timeout = new_table.validate_absence_timeout(
            form.number("absence_timeout") if form.has("absence_timeout") else DAY
        )
        control = new_table.parse_time_control(form.text("clock"), form.text("zero", CLAIM))
        listed = new_table.parse_listing(form.named(""))
        if listed["offered"] or listed["watched"]:
            self.lobby.check_capacity(guest.id, network)
        table = create(
            seats,
            guest.id,
            form.named("option-"),
            int(seed) if seed else None,
            rated=form.text("unrated") != "1",
            ready_check=form.text("ready_check") == "1",
            hints=form.text("hints") == "1",
            absence_timeout=absence_timeout,
            time_control=control,
        )
        if any(listed.values()):
            self.lobby.list_table(table.id, guest.id, **listed)
        return table


@router.post("/games/{name}/tables")
def open_table(page: NewTableForm) -> Response:
    """Open a table and redirect to it, or render the form with its errors."""
    wrong = option_errors(page.game, page.form)
    ensure_visitor(page.request)
    try:
        if not wrong:
            return redirect_to_table(page.create_table().id)
    except SetupError as error:
        wrong = {"": str(error)}
    except BadRequest as error:
        wrong = {"seats": str(error)}
    return page.render(page.form.named(""), wrong)


@router.post("/games/{name}/lesson")
def open_lesson(
    request: Request, tables: TableService, builds: GameBuilds, networks: HiddenNetworks, name: str
) -> Response:
    """Open the lesson of a game, and redirect to it."""
    game, guest, network = builds.find(name), ensure_visitor(request), networks.hash_of(request)
    lesson = lessons.get_lesson(game.name)
    seats = new_table.seats_among_bots(lesson.seats, lesson.learner, lessons.BOT_LEVEL, guest)
    facts: dict[str, Any] = {"lesson": True, "first": lesson.first, "hints": True, "network": network}
    return redirect_to_table(tables.create(game.name, seats, guest.id, lesson.options, lesson.seed, **facts).id)


def option_errors(game: Game, form: FormFields) -> dict[str, str]:
    """Return the errors of a form's options and seed, by field, with the labels of the options."""
    wrong = {}
    for option in published_options(game.meta.options):
        try:
            option.read(form.text(f"option-{option.name}", option.default))
        except SetupError as error:
            wrong[f"option-{option.name}"] = str(error).replace(repr(option.name), f"“{option.label}”", 1)
    seed = form.text("seed").strip()
    if seed and not (seed.isascii() and seed.isdigit() and len(seed) < 20 and int(seed) <= MAX_SEED):
        wrong["seed"] = f"A seed is a whole number from 0 to 2**63 - 1, not {seed[:40]!r}."
    return wrong
