# The public names, each with the module it comes from: for type checkers, and for __init__.py, which reads them here.

from .arena.simulate import simulate as simulate
from .bots.analysis import analyse as analyse
from .catalog import all_games as all_games
from .errors import (
    AlmuniaError as AlmuniaError,
    BotFailure as BotFailure,
    IllegalAction as IllegalAction,
    MissingExtra as MissingExtra,
    RecordError as RecordError,
    SetupError as SetupError,
    UndoRefused as UndoRefused,
)
from .library import Game as Game, game as game, replay as replay
from .play.play import Observation as Observation, Play as Play
from .play.position import Outcome as Outcome
from .play.record import Record as Record

__version__: str
