"""Pages around the tables: the front page, the games, their rules, and a guest's own tables."""

from dataclasses import dataclass
from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ... import bots, catalog
from ...core.english import pluralize
from ...errors import SetupError
from ...library import Game
from ...validation import MAX_SEED
from ..clock import DAY, Clock
from ..errors import BadRequest, NotFound
from ..lobby import new_table
from ..lobby.invitations import Invitations
from ..lobby.rematches import Rematches
from ..lobby.service import LobbyService
from ..networks import HiddenNetworks
from ..notifications.services import Notifications
from ..tables import lessons
from ..tables.builds import GameBuilds
from ..tables.clocks import (
    CLAIM,
    CORRESPONDENCE,
    DEFAULT_TIME_CONTROL,
    TIME_CONTROLS,
    TIMEOUT_POLICIES,
    PlayingHours,
    check_playing_hours,
    describe,
)
from ..tables.model import OPEN, OPEN_SEAT_NAME, Table
from ..tables.seats import SeatService
from ..tables.service import TableService
from ..tables.vacation import VacationService
from ..users.my_games import COMPANY, EVERY, LONGEST, OUTCOMES, STATES, GameFilter, GameList, GameRow, standing
from ..users.own_tables import OwnTables
from ..users.profiles import Profiles
from ..users.table_rows import table_row
from ..users.visitors import NAMELESS, PREFERENCES, checked_preferences, guest_of, rename, welcome
from .forms import SEE_OTHER, FormFields, local_path, read_hours
from .game_icons import icons_of
from .rematch_invitations import invited_facts
from .routing import Router
from .rulebook import has_summary, render_rulebook
from .templating import VARY, is_partial, render

router = Router()
FEW = 3  # tables on the front page, beside the first


@dataclass(frozen=True)
class MyTablesPage:
    """Renders the list of a guest's tables."""

    clock: Clock
    vacations: VacationService
    own_tables: OwnTables
    rematches: Rematches
    my_games: GameList

    def show(self, request: Request, name: str | None = None, wrong: str = "", wanted: GameFilter = EVERY) -> Response:
        """Render the tables and the name of a guest, or the name that was sent and what is wrong with it."""
        guest = guest_of(request)
        shown = guest.name if name is None else name
        found = self.my_games.find(guest.id, wanted)
        if wanted.page > found.pages:
            raise NotFound(
                f"Your games have {pluralize(found.pages, 'page')}, and there is no page {wanted.page} among them."
            )
        status, tables = 422 if wrong else 200, [own_row(one, guest.id, self.clock.now()) for one in found.games]
        facts: dict[str, Any] = {"tables": tables, "name": shown, "wrong": wrong, "found": found, "wanted": wanted}
        facts |= {"states": STATES, "companies": COMPANY, "outcomes": OUTCOMES, "longest": LONGEST}
        facts["titles"] = {"": "All", **{meta.name: meta.title for meta in catalog.all_games()}}
        facts |= invited_facts(self.rematches, guest.id) | {"idle": "idle" in request.query_params}
        if self.own_tables.is_slow(guest.id, CORRESPONDENCE):
            facts["vacation"], facts["now"] = self.vacations.get(guest.id), self.clock.now()
        return render(request, "my_games.html", status, None, **facts)


@router.get("/")
def front(
    request: Request,
    clock: Clock,
    open_tables: LobbyService,
    own_tables: OwnTables,
    rematches: Rematches,
    my_games: GameList,
) -> Response:
    """Render the front page, or only the invitations if the page itself asks for them."""
    if is_partial(request):
        return answer_with_invitations(request, rematches)
    guest = guest_of(request)
    games_on, running, waiting = my_games.running(guest.id, FEW + 1)
    due = my_games.next(guest.id, guest.next) if waiting else None
    rows = {one.table.id: own_row(one, guest.id, clock.now()) for one in games_on}
    if due and due not in rows:
        rows = {due: own_row(my_games.one(guest.id, due), guest.id, clock.now()), **rows}
    first = rows.get(due) if due else None
    others = [row for row in rows.values() if row is not first]
    facts: dict[str, Any] = {"first": first, "waiting": waiting, "others": others[:FEW], "running": running}
    games = catalog.all_games()
    facts |= invited_facts(rematches, guest.id)
    facts["open_tables"] = open_tables.now().offered
    facts["taught"] = {game.name for game in games if lessons.has_lesson(game.name)} - own_tables.games(guest.id)
    return render(request, "home.html", games=games, **facts)


def answer_with_invitations(request: Request, rematches: Rematches) -> Response:
    """Render only the invitations, for a page that shows all else already."""
    return render(
        request, "_live_invitations.html", 200, {"Vary": VARY}, **invited_facts(rematches, guest_of(request).id)
    )


@router.get("/tables")
def my_tables(
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
        return answer_with_invitations(request, rematches)
    return my_tables_page.show(request, wanted=GameFilter(game, state, company, outcome, page).checked())


@router.get("/games/{name}")
def game_page(request: Request, builds: GameBuilds, own_tables: OwnTables, name: str) -> Response:
    """Render the page of a game: facts, how to begin, challenges."""
    return show_game(request, own_tables, builds.find(name))


@router.get("/games/{name}/rules")
def rules(request: Request, builds: GameBuilds, name: str) -> Response:
    """Render the rules of a game."""
    game = builds.find(name)
    return render(request, "rules.html", game=game.meta, book=render_rulebook(game.name), signs=icons_of(game))


@router.get("/games/{name}/summary")
def summary(request: Request, builds: GameBuilds, name: str) -> Response:
    """Render the rules of a game in short, for printing."""
    game = builds.find(name)
    book = render_rulebook(game.name)
    if book.short is None:
        raise NotFound(f"The rules of {game.meta.title} have not been put in short yet.")
    return render(request, "rules_summary.html", game=game.meta, book=book, signs=icons_of(game))


@router.post("/games/{name}/tables")
def open_table(
    request: Request,
    tables: TableService,
    builds: GameBuilds,
    open_tables: LobbyService,
    own_tables: OwnTables,
    networks: HiddenNetworks,
    form: FormFields,
    name: str,
) -> Response:
    """Open a table, and redirect to it."""
    game = builds.find(name)
    guest = welcome(request)
    wrong = wrong_options(game, form)
    if wrong:
        return show_game(request, own_tables, game, form, wrong)
    try:
        table = opened(tables, open_tables, game, form, guest, networks.hash_of(request))
    except SetupError as error:
        return show_game(request, own_tables, game, form, {"": str(error)})
    except BadRequest as error:
        return show_game(request, own_tables, game, form, {"seats": str(error)})
    return RedirectResponse(f"/table/{table.id}", SEE_OTHER)


@router.post("/games/{name}/lesson")
def open_lesson(
    request: Request, tables: TableService, builds: GameBuilds, networks: HiddenNetworks, name: str
) -> Response:
    """Open the lesson of a game, and redirect to it."""
    game, guest = builds.find(name), welcome(request)
    lesson = lessons.get_lesson(game.name)
    seats = new_table.seat_among_bots(lesson.seats, lesson.learner, lessons.BOT_LEVEL, guest)
    table = tables.create(
        game.name,
        seats,
        guest.id,
        lesson.options,
        lesson.seed,
        lesson=True,
        first=lesson.first,
        hints=True,
        network=networks.hash_of(request),
    )
    return RedirectResponse(f"/table/{table.id}", SEE_OTHER)


def wrong_options(game: Game, form: FormFields) -> dict[str, str]:
    """What is wrong with the fields of a form, by field; options are called what the form calls them."""
    wrong = {}
    for option in game.meta.options:
        try:
            option.read(form.text(f"option-{option.name}", option.default))
        except SetupError as error:
            wrong[f"option-{option.name}"] = str(error).replace(repr(option.name), f"“{option.label}”", 1)
    seed = form.text("seed").strip()
    if seed and not (seed.isascii() and seed.isdigit() and len(seed) < 20 and int(seed) <= MAX_SEED):
        wrong["seed"] = f"A seed is a whole number from 0 to 2**63 - 1, not {seed[:40]!r}."
    return wrong


def opened(
    tables: TableService, open_tables: LobbyService, game: Game, form: FormFields, guest: Any, network: str
) -> Table:
    """Open the table that a form asks for: a challenge, a quick game, or one with all options."""
    if form.text("challenge"):
        challenge = new_table.challenge_of(game, form.text("challenge"))
        seats = new_table.seats_of([new_table.ME], guest)
        options = challenge.options
        return tables.create(game.name, seats, guest.id, options, challenge=challenge.name, hints=True, network=network)
    if form.text("quick"):
        seats = new_table.quick_seats(game.meta, guest)
        return tables.create(game.name, seats, guest.id, hints=True, network=network)
    seats = new_table.asked_seats(game.meta, form.named(""), guest)
    seed, hints = form.text("seed").strip(), form.text("hints") == "1"
    options, number = form.named("option-"), int(seed) if seed else None
    patience = new_table.checked_patience(form.number("patience") if form.has("patience") else DAY)
    control = new_table.checked_time_control(form.text("clock"), form.text("zero", CLAIM))
    listed = new_table.asked_listing(form.named(""))
    if listed["offered"] or listed["watched"]:
        open_tables.check_room(guest.id, network)
    table = tables.create(
        game.name,
        seats,
        guest.id,
        options,
        number,
        rated=form.text("unrated") != "1",
        hints=hints,
        patience=patience,
        time_control=control,
        network=network,
    )
    if any(listed.values()):
        open_tables.put(table.id, guest.id, **listed)
    return table


def show_game(
    request: Request,
    own_tables: OwnTables,
    game: Game,
    form: FormFields | None = None,
    wrong: dict[str, str] | None = None,
) -> Response:
    """Render the page of a game, with what was filled in and what is wrong with it, by field."""
    filled = form.named("") if form else {}
    guest = guest_of(request)
    facts: dict[str, Any] = {
        "sitters": new_table.sitters(),
        "default_bot": new_table.BOT_PREFIX + bots.DEFAULT_LEVEL,
        "options": game.meta.options,
        "patience": new_table.PATIENCE,
        "usual_patience": DAY,
        "time_controls": TIME_CONTROLS,
        "zeros": TIMEOUT_POLICIES,
        "usual_pace": DEFAULT_TIME_CONTROL,
        "challenges": challenge_list(own_tables, game, guest.id),
        "short": has_summary(game.name),
        "teaches": lessons.has_lesson(game.name),
        "played": game.name in own_tables.games(guest.id),
    }
    status = 422 if wrong else 200
    return render(request, "game.html", status, None, game=game.meta, filled=filled, wrong=wrong or {}, **facts)


def challenge_list(own_tables: OwnTables, game: Game, guest: str) -> dict[str, Any] | None:
    """Return the challenges of a game with the guest's results; None if it has none."""
    known = new_table.challenges_of(game.name)
    if known is None:
        return None
    done = new_table.attempts(own_tables.attempts(guest, game.name))
    best = {name: max(points for other, points in done if other == name) for name, _ in done}
    return {
        "about": known.CAMPAIGN,
        "list": known.CHALLENGES,
        "best": best,
        "campaign": known.campaign(done),
        "begun": bool(done),
    }


def own_row(own: GameRow, guest: str, now: float) -> dict[str, Any]:
    """What the list of somebody's own games says of one: also place, points and note."""
    row = table_row(own.table, guest, own.moves, now)
    return {**row, "note": own.note, "may_delete": own.may_delete, **standing(own.table, guest, own.ranks)}


# --- the guest -----------------------------------------------------------------------------------


@router.get("/preferences")
def preferences(request: Request) -> Response:
    """How this guest likes to play."""
    return render(request, "preferences.html")


@router.post("/me")
def change_me(
    request: Request, alerts: Notifications, profiles: Profiles, my_tables_page: MyTablesPage, form: FormFields
) -> Response:
    """Save another name or other preferences: all that is sent, or nothing."""
    hours = read_hours(form)
    check_playing_hours(PlayingHours.parse(hours or ""))
    chosen = checked_preferences({name: form.text(name) for name in PREFERENCES if form.text(name)})
    if form.has("name"):
        try:
            rename(request, form.text("name"))
        except BadRequest as error:
            return my_tables_page.show(request, form.text("name"), str(error))
        guest = welcome(request)
        profiles.renamed(guest.id, guest.name)
        alerts.ways.renamed(guest.id, guest.name)
    request.session.update(chosen if hours is None else {**chosen, "hours": hours})
    return RedirectResponse(local_path(form.text("back", "/")), SEE_OTHER)


@router.post("/vacation")
def vacation(request: Request, vacations: VacationService, form: FormFields) -> Response:
    """Begin or end a vacation."""
    guest = welcome(request)
    if form.text("begin") == "1":
        vacations.begin(guest.id)
    else:
        vacations.end(guest.id)
    return RedirectResponse("/tables", SEE_OTHER)


# --- invitations ---------------------------------------------------------------------------------


@router.get("/join/{invitation}")
def invited(request: Request, tables: TableService, invitations: Invitations, invitation: str) -> Response:
    """Render the page of an invitation, or redirect to the table if the guest has the seat."""
    table_id, seat = invitations.parse(invitation)
    snapshot = tables.get(table_id)
    guest, meant = guest_of(request), snapshot.table.seats[seat]
    if meant.player == guest.id and guest.id:
        return RedirectResponse(f"/table/{table_id}", SEE_OTHER)
    named = guest.name == NAMELESS and meant.kind == OPEN and meant.name != OPEN_SEAT_NAME
    return show_invitation(request, tables, invitations, invitation, meant.name if named else guest.name)


def show_invitation(
    request: Request, tables: TableService, invitations: Invitations, invitation: str, name: str, wrong: str = ""
) -> Response:
    """Render the page of an invitation, with the name in its field and what is wrong with it."""
    table_id, seat = invitations.parse(invitation)
    snapshot = tables.get(table_id)
    return render(
        request,
        "join.html",
        422 if wrong else 200,
        game=snapshot.play.game.meta,
        table=snapshot.table,
        invitation=invitation,
        seat=seat,
        taken=snapshot.table.seats[seat].kind != OPEN,
        clock=describe(snapshot.table.time_control),
        name=name,
        wrong=wrong,
    )


@router.post("/join/{invitation}")
def join(
    request: Request,
    tables: TableService,
    seating: SeatService,
    invitations: Invitations,
    profiles: Profiles,
    form: FormFields,
    invitation: str,
) -> Response:
    """Join a table by an invitation."""
    table_id, seat = invitations.parse(invitation)
    if form.has("name"):
        try:
            rename(request, form.text("name"))
        except BadRequest as error:
            return show_invitation(request, tables, invitations, invitation, form.text("name"), str(error))
    guest = welcome(request)
    profiles.renamed(guest.id, guest.name)
    seating.join(table_id, seat, guest.id, guest.name, guest.hours)
    return RedirectResponse(f"/table/{table_id}", SEE_OTHER)
