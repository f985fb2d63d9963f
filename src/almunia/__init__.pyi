# The public names, each with the module it comes from: for type checkers, and for __init__.py, which reads them here.

from .analysis import PlayAnalysis, analyse_play
from .arena.agents import Agent
from .arena.match import Match
from .arena.simulate import simulate
from .arena.trace_writer import trace as record_trace
from .arena.traces import load as load_trace
from .batch.batch import Batch
from .batch.rewards import Rewards
from .batch.states import RowState
from .bots.base import BatchBot
from .bots.factory import make as make_bot
from .bots.search.bot import analyse
from .bots.search.evaluators import Evaluator, KernelEvaluator, PlayEvaluator
from .catalog import all_games
from .errors import AlmuniaError, BotFailure, IllegalAction, MissingExtra, RecordError, SetupError, UndoRefused
from .library import Game, game, replay
from .play.play import Observation, Play
from .play.position import Outcome
from .play.record import Record

__all__ = [
    "Agent",
    "AlmuniaError",
    "Batch",
    "BatchBot",
    "BotFailure",
    "Evaluator",
    "Game",
    "IllegalAction",
    "KernelEvaluator",
    "Match",
    "MissingExtra",
    "Observation",
    "Outcome",
    "Play",
    "PlayAnalysis",
    "PlayEvaluator",
    "Record",
    "RecordError",
    "Rewards",
    "RowState",
    "SetupError",
    "UndoRefused",
    "all_games",
    "analyse",
    "analyse_play",
    "game",
    "load_trace",
    "make_bot",
    "record_trace",
    "replay",
    "simulate",
]

__version__: str
