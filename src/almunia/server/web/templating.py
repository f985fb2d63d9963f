"""Renders templates, and addresses static files by a hash of their content."""

import re
from collections.abc import Mapping
from functools import cache, lru_cache
from importlib.resources import files
from pathlib import Path
from typing import Any

from jinja2 import Environment, PackageLoader, StrictUndefined
from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import HTMLResponse, Response

from ... import __version__, catalog
from ...bots import LEVELS
from ...core.english import number, ordinal, pluralize, position_name, signed
from .. import clock
from ..auth.site_access import SiteAccess
from ..hashes import short_hash
from ..lobby.rematches import Rematches, version_of
from ..services import service_of
from ..settings import Settings
from ..tables import lessons
from ..tables.clocks import PlayingHours, describe, describe_timeout, format_utc
from ..tables.log import Line
from ..tables.model import OPEN_SEAT_NAME, Table
from ..users.game_lists import GameLists
from ..users.visitors import THEMES, current_visitor
from .middleware.authentication import SESSION_ENDED_KEY, account_of
from .table_layout import TABS

STATIC = Path(__file__).with_name("static")
SEAT_SYMBOLS = ("●", "◆", "▲", "■", "★", "✚")
FORM_PATH = re.compile(r"(/(?:games|table|puzzles)/[^/]+|/lobby)/[\w/-]+")  # where forms are sent
SCRIPT_IMPORT = re.compile(r'\bfrom "\./([\w-]+\.js)"')  # in a script
NO_STORE = {"Cache-Control": "no-store"}  # for pages with secrets
SHARED_MACROS = ("_macros.html", "_table_layout.html")
MAX_CACHED_LINES = 2048  # of all logs
MAX_CACHED_FRAGMENTS = 2048  # of all tables: 1 to 5 KB each
FRAGMENTS_HEADER = "X-Fragments"  # a request's header with the fragments that the browser shows
VARY = f"Cookie, HX-Request, {FRAGMENTS_HEADER}"  # for pages with fragments


@cache
def environment() -> Environment:
    """Return the Jinja environment, in which an undefined variable is an error."""
    found = Environment(
        loader=PackageLoader("almunia.server.web"),
        autoescape=True,
        undefined=StrictUndefined,
        auto_reload=False,
        trim_blocks=True,
        lstrip_blocks=True,
    )
    found.globals.update(asset=asset, cover=cover, last_position=last_position)
    found.globals.update(game_style=game_style, imported_scripts=imported_scripts)
    found.globals.update(palette_address=f"/static/palette.css?v={short_hash(palette())}", version=__version__)
    found.globals.update(marks=SEAT_SYMBOLS, anybody=OPEN_SEAT_NAME, tab_names=TABS, themes=THEMES, bot_levels=LEVELS)
    found.filters.update(number=number, signed=signed, ordinal=ordinal, count_of=pluralize, position_name=position_name)
    found.filters.update(hours=PlayingHours.parse, lasting=clock.format_duration, pace=describe, terms=describe_timeout)
    found.filters.update(utc=format_utc, log_line=log_line)
    found.globals.update(fragment=fragment)
    for shared in SHARED_MACROS:  # loaded once, since importing them takes a third of the time for a table's page
        module = found.get_template(shared).module
        found.globals.update((name, macro) for name, macro in vars(module).items() if not name.startswith("_"))
    return found


@lru_cache(MAX_CACHED_FRAGMENTS)
def fragment(template: str, **facts: Any) -> Markup:
    """Render a template from hashable facts alone, cached."""
    return Markup(environment().get_template(template).render(facts))  # noqa: S704 - the template has escaped it


@lru_cache(MAX_CACHED_LINES)
def log_line(line: Line) -> Markup:
    """Return a line of the log as HTML, cached."""
    module: Any = environment().get_template("_macros.html").module
    return Markup(module.log_line(line))  # noqa: S704 - the template has escaped it


def render(
    request: Request, template: str, status: int = 200, headers: Mapping[str, str] | None = None, **facts: Any
) -> Response:
    """Render a template as a page, with the visitor's preferences.

    `facts` may include `waiting`, the number of games in the header that wait for the visitor.
    """
    access, account = service_of(request, SiteAccess), account_of(request)
    inside = access.admits(account, request.session)
    facts |= {"account": account, "inside": inside, "locked": not inside and access.has_password}
    facts["invitations_of_guest"] = lambda: render_invitations(request, page_path(request))
    facts["signed_out"] = SESSION_ENDED_KEY in request.session
    me = current_visitor(request)
    if "waiting" not in facts:
        whole = inside and not is_partial(request)
        facts["waiting"] = service_of(request, GameLists).count_waiting(me.id) if whole else 0
    body = environment().get_template(template).render(me=me, path=page_path(request), **facts)
    return HTMLResponse(body, status, {"Cache-Control": "private, no-cache", **(headers or {})})


def render_invitations(request: Request, back: str) -> Markup:
    """Return the invitations of the visitor as HTML, with a row for each reserved seat.

    The page of a finished game shows the invitation to its rematch itself.
    """
    guest = current_visitor(request).id
    found = service_of(request, Rematches).invitations(guest)
    learned = service_of(request, GameLists).learned_games(guest) if found else set()
    rows = []
    for one in found:
        if back == f"/table/{one.previous_table}":
            continue
        meta = catalog.try_meta(one.table.game)
        title = meta.title if meta else one.table.game
        teaches = lessons.has_lesson(one.table.game) and one.table.game not in learned
        rows += [{"rematch": one, "title": title, "seat": seat, "teaches": teaches} for seat in one.seats]
    template = environment().get_template("_invitations.html")
    return Markup(template.render(invitations=rows, version=version_of(found), back=back))  # noqa: S704 - escaped there


def public_url(request: Request) -> str:
    """Return the address at which visitors reach the site."""
    return service_of(request, Settings).address or str(request.base_url).rstrip("/")


def is_partial(request: Request) -> bool:
    """Whether htmx requests the part of a page that changes."""
    return request.headers.get("hx-request") == "true"


def page_path(request: Request) -> str:
    """Return the path of the page that a response shows, such as a table's page for a form of the table."""
    path = request.url.path
    if request.method != "POST":
        return path
    if path.startswith("/account"):
        return "/account"
    below = FORM_PATH.fullmatch(path)
    return below[1] if below else path


@cache
def asset(name: str) -> str:
    """Return the versioned address of a static file; OSError if there is none."""
    (STATIC / name).resolve(strict=True)
    return f"/static/{static_version()}/{name}"


@cache
def imported_scripts(name: str) -> tuple[str, ...]:
    """List the scripts that a script imports, directly or through others, so that a page can preload them."""
    direct = SCRIPT_IMPORT.findall((STATIC / name).read_text("utf-8"))
    indirect = (imported for script in direct for imported in imported_scripts(script))
    return tuple(dict.fromkeys([*direct, *indirect]))


@cache
def static_version() -> str:
    """Return the versioned folder of static files, by a hash of their content."""
    return f"v-{short_hash(b''.join(read_files(STATIC)))}"


def read_files(folder: Path) -> list[bytes]:
    return [path.read_bytes() for path in sorted(folder.rglob("*")) if path.is_file()]


@cache
def game_style(name: str) -> str:
    return f"/games/{name}/view.css?v={short_hash(read_game_file(name, 'view.css'))}"


@cache
def read_game_file(name: str, file: str) -> bytes:
    """Return a file of a game, such as `view.css`; empty if there is none."""
    path = catalog.game_file(name, file)
    return path.read_bytes() if path.is_file() else b""


def cover(name: str, theme: str) -> str:
    """Return the address of a game's picture; the site's icon if the game is not installed any more."""
    return asset("icon.svg") if catalog.try_meta(name) is None else cover_address(name, theme)


def last_position(table: Table, theme: str) -> str:
    """Return the address of a picture of a table's position; the game's cover before the deal."""
    if table.awaits_deal or catalog.try_meta(table.game) is None:
        return cover(table.game, theme)
    return f"/table/{table.id}/picture.svg?theme={theme}"


@cache
def cover_address(name: str, theme: str) -> str:
    """Return the address of a game's cover, or of a rendered position if it has none."""
    drawn = read_game_file(name, "cover.svg")
    return f"/games/{name}/cover.svg?v={short_hash(drawn)}" if drawn else f"/games/{name}/picture.svg?theme={theme}"


@cache
def palette() -> bytes:
    """Return the style sheet with the colours of pages and pictures."""
    return files("almunia.play").joinpath("palette.css").read_bytes()


@cache
def asset_version() -> str:
    """Return a hash of version, palette, templates and static files, for entity tags."""
    templates = Path(__file__).with_name("templates")
    return short_hash(b"".join([__version__.encode(), palette(), *read_files(STATIC), *read_files(templates)]))
