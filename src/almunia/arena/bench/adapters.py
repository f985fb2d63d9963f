"""Almunia's own environments, to be measured beside their peers: what `almunia bench envs` makes of each game."""

from collections.abc import Iterator
from typing import TYPE_CHECKING, Any

import numpy as np

from ...library import game
from .batches import side_by_side, single, stepper
from .envs import Entry
from .frameworks import Loop, even_deal, in_openspiel, in_turns
from .goals import STEPS, goal

if TYPE_CHECKING:
    from ...library import Game

GYMNASIUM, PETTINGZOO, OPENSPIEL = "Gymnasium, one game", "PettingZoo, one game in turns", "OpenSpiel, one game"
LIBRARY, MANY = "A library's own functions, one game", "Many games at a time"
GAMES = 256  # of those that are stepped side by side


def entries(name: str) -> Iterator[Entry]:
    """The ways in which one game can be stepped. It is played by as few as it allows, but never by one."""
    seats = max(2, game(name).meta.seats[0])
    terms: dict[str, Any] = {"seats": seats, "opponents": "random"}
    aim = goal(STEPS, name)
    yield Entry(GYMNASIUM, f"Almunia's {name}, against random", lambda: in_gymnasium(name, terms), goal=aim)
    yield Entry(GYMNASIUM, f"Almunia's {name}, against random, unwrapped", lambda: unwrapped(name, terms))
    yield Entry(PETTINGZOO, f"Almunia's {name}", lambda: in_pettingzoo(name, seats), goal=aim)
    yield Entry(OPENSPIEL, f"Almunia's {name}", lambda: in_spiel(name, seats))
    yield Entry(LIBRARY, f"Almunia's {name}", lambda: in_plays(game(name), seats, True))
    yield Entry(LIBRARY, f"Almunia's {name}, legal actions alone", lambda: in_plays(game(name), seats, False))
    yield Entry(MANY, f"Almunia's {name}, game.batch({GAMES})", lambda: stepper(game(name), GAMES, seats=seats), GAMES)
    yield Entry(MANY, f"Almunia's {name}, {GAMES} in Gymnasium, against random", lambda: in_vectors(name, terms), GAMES)


def in_gymnasium(name: str, terms: dict[str, Any]) -> Loop:
    """As `gymnasium.make` makes it, with the wrappers that check how it is used."""
    known = known_as(name)  # which says what is missing, if Gymnasium is
    import gymnasium

    return single(gymnasium.make(known, **terms))


def unwrapped(name: str, terms: dict[str, Any]) -> Loop:
    """The environment alone."""
    from ...envs.gymnasium import GameEnv

    return single(GameEnv(name, **terms))


def in_vectors(name: str, terms: dict[str, Any]) -> Loop:
    """Many games, as `gymnasium.make_vec` makes them."""
    known = known_as(name)
    import gymnasium

    return side_by_side(gymnasium.make_vec(known, num_envs=GAMES, **terms))


def known_as(name: str) -> str:
    """What Gymnasium calls a game, once it knows of it."""
    from ...envs import gymnasium  # noqa: F401 - it registers the games
    from ...envs.ids import id_of

    return id_of(name)


def in_pettingzoo(name: str, seats: int) -> Loop:
    """In turns."""
    from ...envs.pettingzoo import env

    return in_turns(env(name, seats))


def in_spiel(name: str, seats: int) -> Loop:
    """As a game of OpenSpiel."""
    from ...envs.openspiel import load

    spiel = load(name, {"players": seats})
    return in_openspiel(spiel, spiel.make_py_observer(), even_deal)


def in_plays(this: "Game", seats: int, observing: bool) -> Loop:
    """A loop that plays with `Play.apply`, and looks at each position if it is `observing`."""
    random = np.random.default_rng(0)
    play = this.new(seats, 0)

    def loop(times: int) -> None:
        nonlocal play
        for lot in random.random(times).tolist():
            legal = play.legal
            if observing:
                play.observe(play.turn).tensor()
            play.apply(legal[int(lot * len(legal))])
            if play.over:
                play = this.new(seats, int(lot * 2**53))

    return loop
