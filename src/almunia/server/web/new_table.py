"""Opening a table or a lesson by a form."""

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ...errors import SetupError
from ...library import Game
from ...validation import MAX_SEED
from ..clock import DAY
from ..errors import BadRequest
from ..lobby import new_table
from ..lobby.service import LobbyService
from ..networks import HiddenNetworks
from ..tables import lessons
from ..tables.builds import GameBuilds
from ..tables.clocks import (
    CLAIM,
)
from ..tables.model import Table
from ..tables.service import TableService
from ..users.own_tables import OwnTables
from ..users.visitors import ensure_visitor
from .forms import SEE_OTHER, FormFields
from .games import render_game
from .routing import Router

router = Router()


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
    guest = ensure_visitor(request)
    wrong = option_errors(game, form)
    if wrong:
        return render_game(request, own_tables, game, form, wrong)
    try:
        table = create_table(tables, open_tables, game, form, guest, networks.hash_of(request))
    except SetupError as error:
        return render_game(request, own_tables, game, form, {"": str(error)})
    except BadRequest as error:
        return render_game(request, own_tables, game, form, {"seats": str(error)})
    return RedirectResponse(f"/table/{table.id}", SEE_OTHER)


@router.post("/games/{name}/lesson")
def open_lesson(
    request: Request, tables: TableService, builds: GameBuilds, networks: HiddenNetworks, name: str
) -> Response:
    """Open the lesson of a game, and redirect to it."""
    game, guest = builds.find(name), ensure_visitor(request)
    lesson = lessons.get_lesson(game.name)
    seats = new_table.seats_among_bots(lesson.seats, lesson.learner, lessons.BOT_LEVEL, guest)
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


def option_errors(game: Game, form: FormFields) -> dict[str, str]:
    """Return the errors of a form's options and seed, by field. They name options by their labels."""
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


def create_table(
    tables: TableService, open_tables: LobbyService, game: Game, form: FormFields, guest: Any, network: str
) -> Table:
    """Open the table of a form: a challenge, a quick game, or one with all options."""
    if form.text("challenge"):
        challenge = new_table.find_challenge(game, form.text("challenge"))
        seats = new_table.make_seats([new_table.ME], guest)
        options = challenge.options
        return tables.create(game.name, seats, guest.id, options, challenge=challenge.name, hints=True, network=network)
    if form.text("quick"):
        seats = new_table.quick_seats(game.meta, guest)
        return tables.create(game.name, seats, guest.id, hints=True, network=network)
    seats = new_table.parse_seats(game.meta, form.named(""), guest)
    seed, hints = form.text("seed").strip(), form.text("hints") == "1"
    options, number = form.named("option-"), int(seed) if seed else None
    patience = new_table.validate_absence_timeout(form.number("patience") if form.has("patience") else DAY)
    control = new_table.parse_time_control(form.text("clock"), form.text("zero", CLAIM))
    listed = new_table.parse_listing(form.named(""))
    if listed["offered"] or listed["watched"]:
        open_tables.check_capacity(guest.id, network)
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
        open_tables.list_table(table.id, guest.id, **listed)
    return table
