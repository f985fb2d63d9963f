"""Modern board games to play in the browser and to study: one set of rules, many uses.

>>> import almunia
>>> play = almunia.game("orchard").new(seed=7)
>>> play.apply(play.legal[0])
>>> play
<Play of orchard, 1 seats, 1 actions, turn 0>
"""

from importlib import import_module
from typing import TYPE_CHECKING, Any

if TYPE_CHECKING:
    from .arena.simulate import simulate
    from .bots.analysis import analyse
    from .core.game import Game, game
    from .core.play import Observation, Outcome, Play
    from .core.record import Record
    from .core.registry import all_games
    from .core.replaying import replay
    from .errors import AlmuniaError, IllegalAction, MissingExtra, RecordError, SetupError, UndoRefused

__version__ = "0.1.0"

# Each public name and the module it comes from: nothing is loaded before it is asked for.
_PLACES = {
    "AlmuniaError": ("errors", "AlmuniaError"),
    "Game": ("core.game", "Game"),
    "IllegalAction": ("errors", "IllegalAction"),
    "MissingExtra": ("errors", "MissingExtra"),
    "Observation": ("core.play", "Observation"),
    "Outcome": ("core.play", "Outcome"),
    "Play": ("core.play", "Play"),
    "Record": ("core.record", "Record"),
    "RecordError": ("errors", "RecordError"),
    "SetupError": ("errors", "SetupError"),
    "UndoRefused": ("errors", "UndoRefused"),
    "all_games": ("core.registry", "all_games"),
    "analyse": ("bots.analysis", "analyse"),
    "game": ("core.game", "game"),
    "replay": ("core.replaying", "replay"),
    "simulate": ("arena.simulate", "simulate"),
}

__all__ = [
    "AlmuniaError",
    "Game",
    "IllegalAction",
    "MissingExtra",
    "Observation",
    "Outcome",
    "Play",
    "Record",
    "RecordError",
    "SetupError",
    "UndoRefused",
    "all_games",
    "analyse",
    "game",
    "replay",
    "simulate",
]


def __getattr__(name: str) -> Any:
    if name not in _PLACES:
        raise AttributeError(f"module 'almunia' has no attribute {name!r}")
    module, attribute = _PLACES[name]
    return getattr(import_module(f".{module}", __name__), attribute)


def __dir__() -> list[str]:
    return sorted([*globals(), *_PLACES])
