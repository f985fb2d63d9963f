"""Files that pages ask for: styles, scripts, and the picture of each game."""

import sys
from functools import cache
from typing import Any

from starlette.responses import Response

from ... import bots
from ...library import Game
from ...play import panels
from ...play.play import Observation, Play
from ..errors import NotFound
from ..tables.builds import GameBuilds
from .routing import Router
from .templating import cover_of, palette, style_of

router = Router()
A_YEAR = "public, max-age=31536000, immutable"
A_DAY = "public, max-age=86400"
PICTURE = "default-src 'none'; style-src 'unsafe-inline'"  # a picture's own style sheet
SHOWN_SEED = 7  # of the play in a game's picture
SHOWN_ACTIONS = 6  # how far a bot has played it
LONG = 100  # actions; a longer play has gone on for a good while before


@router.get("/static/palette.css")
def colours() -> Response:
    """The colours of all pages and pictures."""
    return Response(palette(), headers={"Cache-Control": A_YEAR}, media_type="text/css")


@router.get("/games/{name}/view.css")
def view_style(builds: GameBuilds, name: str) -> Response:
    """Return a game's own style sheet."""
    return Response(style_of(builds.find(name).name), headers={"Cache-Control": A_YEAR}, media_type="text/css")


@router.get("/games/{name}/cover.svg")
def game_cover(builds: GameBuilds, name: str) -> Response:
    """Return a game's cover."""
    drawn = cover_of(builds.find(name).name)
    if not drawn:
        raise NotFound(f"The game {name!r} has no cover.")
    headers = {"Cache-Control": A_YEAR, "Content-Security-Policy": PICTURE}
    return Response(drawn, headers=headers, media_type="image/svg+xml")


@router.get("/games/{name}/picture.svg")
def game_picture(builds: GameBuilds, name: str, theme: str = "auto") -> Response:
    """Return a position of a game, as a picture with its own styles."""
    if theme not in ("auto", "light", "dark"):
        raise NotFound(f"There is no theme {theme[:40]!r}.")
    headers = {"Cache-Control": A_DAY, "Content-Security-Policy": PICTURE}
    return Response(drawn_game(builds.find(name), theme), headers=headers, media_type="image/svg+xml")


@cache
def drawn_game(game: Game, theme: str) -> str:
    """The main picture of a play that bots have begun, in the colours of a theme."""
    import svg

    view = shown_position(game)
    main: Any = panels.svg_panels(view, ())[0].picture
    main.elements = [svg.Style(text=panels.styles(view)), *main.elements]
    main.extra = {**(main.extra or {}), "data-theme": theme}
    return str(main)


@cache
def shown_position(game: Game) -> Observation:
    """A position that shows well what a game looks like: well under way, and played by a bot."""
    play = game.new(seed=SHOWN_SEED)
    whole = played_on(play.copy(), "random", sys.maxsize)
    if len(whole.actions) > LONG:
        played_on(play, "random", len(whole.actions) // 2)
    played_on(play, "greedy", SHOWN_ACTIONS)
    return play.observe(play.turn)


def played_on(play: Play, spec: str, most: int) -> Play:
    """A play after at most so many further actions of a bot."""
    bot, last = bots.make(spec, play.game, seed=SHOWN_SEED), len(play.actions) + most
    while len(play.actions) < last and not play.over:
        play.apply(bot.choose(play.observe(play.turn)))
    return play
