"""Routes of files: the palette, the manifest, the style sheets and pictures of games, and pictures of tables."""

import json
import sys
from collections.abc import Callable
from functools import cache, lru_cache
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ... import bots
from ...core.contract import SPECTATOR
from ...library import Game
from ...play import panels
from ...play.play import Observation, Play
from ..errors import NotFound
from ..tables.builds import GameBuilds
from ..tables.service import TableService
from ..users.visitors import THEMES
from .routing import Router
from .templating import asset, palette, read_game_file, static_version

router = Router()
CACHE_YEAR = "public, max-age=31536000, immutable"
CACHE_DAY = "public, max-age=86400"
PICTURE_POLICY = "default-src 'none'; style-src 'unsafe-inline'"  # pictures contain their style sheets
TILE, WALL = "#1f4e79", "#fbf7ef"  # of palette.css, in the light look
SHORTCUTS = {"Your turn": "/my/games/next", "My games": "/my/games", "Lobby": "/lobby"}  # of the installed site
MAX_PICTURES = 128  # in memory, of games and of tables
COVER_SEED = 7  # of the play in a picture
COVER_BOT_ACTIONS = 6  # actions of the bot
LONG_PLAY_ACTIONS = 100  # a longer play is first continued to its half by random actions


@router.get("/static/palette.css")
def palette_style() -> Response:
    return Response(palette(), headers={"Cache-Control": CACHE_YEAR}, media_type="text/css")


@router.get("/manifest.webmanifest")
def web_app_manifest() -> Response:
    """Return the web app manifest, with which browsers install the site."""
    manifest = {
        "id": "/",
        "name": "Almunia",
        "description": "Modern board games in your browser",
        "start_url": "/",
        "display": "standalone",
        "theme_color": TILE,
        "background_color": WALL,
        "icons": [
            {"src": asset("icon-512.png"), "sizes": "512x512", "type": "image/png", "purpose": "any maskable"},
            {"src": asset("icon.svg"), "sizes": "any", "type": "image/svg+xml"},
        ],
        "shortcuts": [{"name": name, "url": path} for name, path in SHORTCUTS.items()],
    }
    headers = {"Cache-Control": CACHE_DAY}
    return Response(json.dumps(manifest), headers=headers, media_type="application/manifest+json")


@router.get("/games/{name}/view.css")
def view_style(builds: GameBuilds, name: str) -> Response:
    style = read_game_file(builds.find(name).name, "view.css")
    return Response(style, headers={"Cache-Control": CACHE_YEAR}, media_type="text/css")


@router.get("/games/{name}/cover.svg")
def game_cover(builds: GameBuilds, name: str) -> Response:
    drawn = read_game_file(builds.find(name).name, "cover.svg")
    if not drawn:
        raise NotFound(f"The game {name!r} has no cover.")
    headers = {"Cache-Control": CACHE_YEAR, "Content-Security-Policy": PICTURE_POLICY}
    return Response(drawn, headers=headers, media_type="image/svg+xml")


def check_theme(theme: str) -> None:
    if theme not in THEMES:
        raise NotFound(f"There is no theme {theme[:40]!r}.")


@router.get("/games/{name}/picture.svg")
def game_picture(builds: GameBuilds, name: str, theme: str = "auto") -> Response:
    """Return a position of a game as a picture with its own styles."""
    check_theme(theme)
    headers = {"Cache-Control": CACHE_DAY, "Content-Security-Policy": PICTURE_POLICY}
    picture = render_picture(cover_position(builds.find(name)), theme)
    return Response(picture, headers=headers, media_type="image/svg+xml")


@router.get("/table/{table_id}/picture.svg")
def table_picture(request: Request, tables: TableService, table_id: str, theme: str = "auto") -> Response:
    """Return the position of a table as a spectator sees it, as a picture with its own styles."""
    check_theme(theme)
    history = tables.get(table_id).for_viewer(SPECTATOR)
    version = f"{history.version}.{theme}.{static_version()}"
    return picture_response(request, version, lambda: render_picture(history.view, theme))


def picture_response(request: Request, version: str, draw: Callable[[], str]) -> Response:
    """Return a picture that browsers keep; status 304 if the browser has this version."""
    tag = f'W/"{version}"'
    headers = {"Cache-Control": "no-cache", "Content-Security-Policy": PICTURE_POLICY, "ETag": tag}
    if tag in request.headers.get("if-none-match", ""):
        return Response(status_code=304, headers=headers)
    return Response(draw(), headers=headers, media_type="image/svg+xml")


@lru_cache(MAX_PICTURES)
def render_picture(view: Observation, theme: str) -> str:
    """Return the main picture of a position, in the colours of a theme."""
    import svg

    main: Any = panels.describe_panels(view)[0].picture
    main.elements = [svg.Style(text=panels.styles(view)), *main.elements]
    main.extra = {**(main.extra or {}), "data-theme": theme}
    return str(main)


@cache
def cover_position(game: Game) -> Observation:
    """Return a typical position of a game for its picture, after moves of bots."""
    play = game.new(seed=COVER_SEED)
    whole = continue_play(play.copy(), "random", sys.maxsize)
    if len(whole.actions) > LONG_PLAY_ACTIONS:
        continue_play(play, "random", len(whole.actions) // 2)
    continue_play(play, "greedy", COVER_BOT_ACTIONS)
    return play.observe(play.turn)


def continue_play(play: Play, spec: str, most: int) -> Play:
    """Continue a play by at most `most` actions of a bot, and return the play."""
    bot, last = bots.make(spec, play.game, seed=COVER_SEED), len(play.actions) + most
    while len(play.actions) < last and not play.over:
        play.apply(bot.choose(play.observe(play.turn)))
    return play
