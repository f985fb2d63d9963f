"""Pages around the tables: the front page, the games, their rules, and a guest's own tables."""

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from .. import bots
from ..core import registry
from ..core.arguments import MAX_SEED
from ..core.contract import Meta
from ..core.game import Game
from ..errors import SetupError
from . import lessons, new_table, times
from .clocks import SLOW, TIME_CONTROLS, USUAL, ZEROS, Hours, TimeControl, in_short
from .context import Form, Site
from .errors import Malformed, Missing
from .guests import NAMELESS, PREFERENCES, checked_preferences, guest_of, rename, welcome
from .icons import signs_of
from .pages import page
from .routing import Routes
from .rulebook import is_short, rulebook
from .store import ANYBODY, DAY, OPEN, Table

router = Routes()
SEE_OTHER = 303
FEW = 3  # tables on the front page, beside the first


@router.get("/")
def front(request: Request, site: Site) -> Response:
    """The front page."""
    known = own_tables(site, guest_of(request).id)
    tables = [row for row in known if not row["table"].finished]
    waiting = [row for row in tables if row["mine"]]
    first = waiting[0] if waiting else None
    others = [row for row in tables if row is not first]
    facts: dict[str, Any] = {"first": first, "waiting": len(waiting), "others": others[:FEW], "running": len(tables)}
    games = registry.all_games()
    facts["asked_again"] = again_rows(site, guest_of(request).id)
    facts["open_tables"] = site.open_tables.now().offered
    facts["taught"] = {game.name for game in games if lessons.teaches(game.name)} - {row["table"].game for row in known}
    return page(request, "front.html", games=games, **facts)


@router.get("/tables")
def my_tables(request: Request, site: Site) -> Response:
    """All tables of a guest."""
    return show_tables(request, site)


def show_tables(request: Request, site: Site, name: str | None = None, wrong: str = "") -> Response:
    """A guest's tables and name, or the name that was sent and what is wrong with it."""
    guest = guest_of(request)
    shown = guest.name if name is None else name
    status, tables = 422 if wrong else 200, own_tables(site, guest.id)
    facts: dict[str, Any] = {"tables": tables, "name": shown, "wrong": wrong}
    facts["asked_again"] = again_rows(site, guest.id)
    if any(TimeControl.read(row["table"].time_control).kind == SLOW for row in tables):
        facts["vacation"], facts["now"] = site.vacations.of(guest.id), times.now()
    return page(request, "tables.html", status, None, **facts)


@router.get("/games/{name}")
def game_page(request: Request, site: Site, name: str) -> Response:
    """A game: its facts, how to begin, its challenges."""
    return show_game(request, site, site.game(name))


@router.get("/games/{name}/rules")
def rules(request: Request, site: Site, name: str) -> Response:
    """The rules of a game."""
    game = site.game(name)
    return page(request, "rules.html", game=game.meta, book=rulebook(game.name), signs=signs_of(game))


@router.get("/games/{name}/summary")
def summary(request: Request, site: Site, name: str) -> Response:
    """The rules of a game on one page, to be printed."""
    game = site.game(name)
    book = rulebook(game.name)
    if book.short is None:
        raise Missing(f"The rules of {game.meta.title} have not been put in short yet.")
    return page(request, "summary.html", game=game.meta, book=book, signs=signs_of(game))


@router.post("/games/{name}/tables")
def open_table(request: Request, site: Site, form: Form, name: str) -> Response:
    """Open a table, and go there."""
    game = site.game(name)
    guest = welcome(request)
    wrong = wrong_options(game, form)
    if wrong:
        return show_game(request, site, game, form, wrong)
    try:
        table = opened(site, game, form, guest)
    except SetupError as error:
        return show_game(request, site, game, form, {"": str(error)})
    except Malformed as error:
        return show_game(request, site, game, form, {"seats": str(error)})
    return RedirectResponse(f"/table/{table.id}", SEE_OTHER)


@router.post("/games/{name}/lesson")
def open_lesson(request: Request, site: Site, name: str) -> Response:
    """Open the first game that teaches, and go there."""
    game, guest = site.game(name), welcome(request)
    lesson = lessons.offered(game.name)
    seats = new_table.lesson_seats(lesson, guest)
    table = site.tables.open(game.name, seats, guest.id, lesson.options, lesson.seed, lesson=lesson, hints=True)
    return RedirectResponse(f"/table/{table.id}", SEE_OTHER)


def wrong_options(game: Game, form: Form) -> dict[str, str]:
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


def again_rows(site: Site, guest: str) -> list[dict[str, Any]]:
    """The games that people with whom a guest has played want to play again, with a seat kept for the guest."""
    found = [(one, registry.meta_if_any(one.table.game)) for one in site.open_tables.invitations(guest)]
    return [{"rematch": one, "title": meta.title if meta else one.table.game} for one, meta in found]


def opened(site: Site, game: Game, form: Form, guest: Any) -> Table:
    """The table that a form asks for: a challenge, a quick one, or one with all its choices."""
    if form.text("challenge"):
        challenge = new_table.challenge_of(game, form.text("challenge"))
        seats = new_table.seats_of([new_table.ME], guest)
        options = challenge.options
        return site.tables.open(game.name, seats, guest.id, options, challenge=challenge.name, hints=True)
    if form.text("quick"):
        return site.tables.open(game.name, new_table.quick_seats(game.meta, guest), guest.id, hints=True)
    seats = new_table.asked_seats(game.meta, form, guest)
    seed, hints = form.text("seed").strip(), form.text("hints") == "1"
    options, patience = form.named("option-"), new_table.asked_patience(form)
    number, control = int(seed) if seed else None, new_table.asked_time_control(form)
    listed = new_table.asked_listing(form)
    if listed["offered"] or listed["watched"]:
        site.open_tables.check_room(guest.id)
    table = site.tables.open(
        game.name, seats, guest.id, options, number, hints=hints, patience=patience, time_control=control
    )
    if any(listed.values()):
        site.open_tables.put(table.id, guest.id, **listed)
    return table


def show_game(
    request: Request, site: Site, game: Game, form: Form | None = None, wrong: dict[str, str] | None = None
) -> Response:
    """A game's page, with what was filled in before and what was wrong with it, by field."""
    filled = form.named("") if form else {}
    guest = guest_of(request)
    facts: dict[str, Any] = {
        "sitters": new_table.sitters(),
        "default_bot": new_table.BOT_PREFIX + bots.USUAL,
        "options": game.meta.options,
        "patience": new_table.PATIENCE,
        "usual_patience": DAY,
        "time_controls": TIME_CONTROLS,
        "zeros": ZEROS,
        "usual_pace": USUAL,
        "challenges": challenge_list(site, game, guest.id),
        "short": is_short(game.name),
        "teaches": lessons.teaches(game.name),
        "played": any(table.game == game.name for table in site.tables.store.of_guest(guest.id)),
    }
    status = 422 if wrong else 200
    return page(request, "game.html", status, None, game=game.meta, filled=filled, wrong=wrong or {}, **facts)


def challenge_list(site: Site, game: Game, guest: str) -> dict[str, Any] | None:
    """A game's fixed deals with what this guest has reached in them; None if it has none."""
    known = new_table.challenges_of(game.name)
    if known is None:
        return None
    done = new_table.attempts(site.tables.store.of_guest(guest), game.name)
    best = {name: max(points for other, points in done if other == name) for name, _ in done}
    return {
        "about": known.CAMPAIGN,
        "list": known.CHALLENGES,
        "best": best,
        "campaign": known.campaign(done),
        "begun": bool(done),
    }


def own_tables(site: Site, guest: str) -> list[dict[str, Any]]:
    """A guest's tables: those that wait for this guest, then running ones, then finished ones."""
    if not guest:
        return []
    moves = site.tables.store.moves_of(guest)
    found = [table_row(table, guest, moves.get(table.id, 0)) for table in site.tables.store.of_guest(guest)]
    return sorted(found, key=lambda row: (not row["mine"], row["table"].finished, -row["noticed"]))


def table_row(table: Table, guest: str, moves: int) -> dict[str, Any]:
    """What a list says of a table: nothing that the guest could not notice, for others may choose in secret."""
    held = table.held_by(guest)
    seat = max((table.seats[p] for p in held), key=lambda seat: seat.noticed)
    meta = registry.meta_if_any(table.game)
    return {
        "table": table,
        "title": meta.title if meta else table.game,
        "mine": not table.finished and table.turn in held and not table.seats[table.turn].stand_in,
        "stand_in": any(table.seats[p].stand_in for p in held),
        "others": [seat.name for i, seat in enumerate(table.seats) if i not in held],
        "held": held,
        "special": special(table, meta),
        "moves": moves,
        "asked": table.seats[seat.asked].name,
        "noticed": seat.noticed,
        "changed": times.ago(times.now() - seat.noticed),
    }


def special(table: Table, meta: Meta | None) -> str:
    """What sets a table apart from a plain one: its challenge, or its options, and that its seed was chosen."""
    if meta is None:
        return ""
    if table.lesson:
        return "First game"
    if table.challenge:
        facts = [c.title for c in new_table.challenge_list(table.game) if c.name == table.challenge]
    else:
        chosen = [o for o in meta.options if table.options.get(o.name, o.default) != o.default]
        facts = [f"{o.label}: {table.options[o.name]}" for o in chosen]
    return ", ".join(facts + ["chosen seed"] * table.seed_known)


# --- the guest -----------------------------------------------------------------------------------


@router.get("/preferences")
def preferences(request: Request) -> Response:
    """How this guest likes to play."""
    return page(request, "preferences.html")


@router.post("/me")
def change_me(request: Request, site: Site, form: Form) -> Response:
    """Another name, or other preferences; all that is sent, or nothing."""
    hours = asked_hours(form)
    chosen = checked_preferences({name: form.text(name) for name in PREFERENCES if form.text(name)})
    if form.has("name"):
        try:
            rename(request, form.text("name"))
        except Malformed as error:
            return show_tables(request, site, form.text("name"), str(error))
        welcome(request)
    request.session.update(chosen if hours is None else {**chosen, "hours": hours})
    return RedirectResponse(own_address(form.text("back", "/")), SEE_OTHER)


def asked_hours(form: Form) -> str | None:
    """When the guest wants to play slow games, as a form says it and cookies keep it; None if it says nothing."""
    if not form.has("hours-first"):
        return None
    first, last, weekends = form.number("hours-first"), form.number("hours-last"), form.text("hours-weekends") or "0"
    return str(Hours.read(f"{form.text('hours-zone').strip() or 'UTC'} {first} {last} {weekends}"))


@router.post("/vacation")
def vacation(request: Request, site: Site, form: Form) -> Response:
    """Go on vacation, or come back from it."""
    guest = welcome(request)
    if form.text("begin") == "1":
        site.vacations.begin(guest.id)
    else:
        site.vacations.end(guest.id)
    return RedirectResponse("/tables", SEE_OTHER)


def own_address(path: str) -> str:
    """The path if it lies on this site, and the front page if not."""
    inside = path.startswith("/") and not path.startswith("//") and "\\" not in path and path.isprintable()
    return path if inside else "/"


# --- invitations ---------------------------------------------------------------------------------


@router.get("/join/{invitation}")
def invited(request: Request, site: Site, invitation: str) -> Response:
    """What somebody who has been invited sees."""
    table_id, seat = site.invitations.read(invitation)
    snapshot = site.tables.snapshot(table_id)
    guest, meant = guest_of(request), snapshot.table.seats[seat]
    if meant.player == guest.id and guest.id:
        return RedirectResponse(f"/table/{table_id}", SEE_OTHER)
    named = guest.name == NAMELESS and meant.kind == OPEN and meant.name != ANYBODY
    return show_invitation(request, site, invitation, meant.name if named else guest.name)


def show_invitation(request: Request, site: Site, invitation: str, name: str, wrong: str = "") -> Response:
    """The page of an invitation, with the name that is in its field and what is wrong with it."""
    table_id, seat = site.invitations.read(invitation)
    snapshot = site.tables.snapshot(table_id)
    return page(
        request,
        "join.html",
        422 if wrong else 200,
        game=snapshot.play.game.meta,
        table=snapshot.table,
        invitation=invitation,
        seat=seat,
        taken=snapshot.table.seats[seat].kind != OPEN,
        clock=in_short(snapshot.table.time_control),
        name=name,
        wrong=wrong,
    )


@router.post("/join/{invitation}")
def join(request: Request, site: Site, form: Form, invitation: str) -> Response:
    """Sit down."""
    table_id, seat = site.invitations.read(invitation)
    if form.has("name"):
        try:
            rename(request, form.text("name"))
        except Malformed as error:
            return show_invitation(request, site, invitation, form.text("name"), str(error))
    guest = welcome(request)
    site.seating.join(table_id, seat, guest.id, guest.name, guest.hours)
    return RedirectResponse(f"/table/{table_id}", SEE_OTHER)
