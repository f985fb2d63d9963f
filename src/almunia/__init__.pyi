# The public names, each with the module it comes from: for type checkers, and for __init__.py, which reads them here.

from .arena.simulate import simulate as simulate
from .bots.analysis import analyse as analyse
from .core.game import Game as Game, game as game, replay as replay
from .core.play import Observation as Observation, Play as Play
from .core.position import Outcome as Outcome
from .core.record import Record as Record
from .core.registry import all_games as all_games
from .errors import (
    AlmuniaError as AlmuniaError,
    BotFailure as BotFailure,
    IllegalAction as IllegalAction,
    MissingExtra as MissingExtra,
    RecordError as RecordError,
    SetupError as SetupError,
    UndoRefused as UndoRefused,
)

__version__: str
