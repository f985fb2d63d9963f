"""A process that draws: it reads what one seat sees, and writes what the site asks about that, until the site is gone.

Both are pickles, on its input and output, from and for the process that has started this one and nobody else.
"""

import logging
import os
import pickle
import sys
from collections.abc import Callable
from typing import Any, NamedTuple

from ... import catalog
from ...core.contract import SPECTATOR
from ...core.loaded import Build
from ...library import game
from ...play.play import Observation
from ..tables import rendering

READY_MESSAGE = "ready"  # what an artist says first
BUILD: Build = "plain"
SEAT_NAMES = tuple("ABCDEF")  # of those who sit at a table that nobody sees

log = logging.getLogger(__name__)


class RenderJob(NamedTuple):
    """What an artist is to do."""

    function: Callable[..., Any]  # with what a seat sees
    game: str
    version: dict[str, Any]  # of its rules and components, which must be the same here
    view_bytes: bytes
    seat: int
    args: tuple[Any, ...]  # what else the work is to be done with


class RenderResult(NamedTuple):
    """What came of it, or why nothing did."""

    value: Any
    error: str = ""


def run_job(task: RenderJob) -> RenderResult:
    """What comes of a task; whatever is wrong, the site tries by itself."""
    try:
        this = game(task.game, BUILD)
        return RenderResult(
            task.function(Observation.unpickled(this, task.version, task.view_bytes, task.seat), *task.args)
        )
    except Exception as error:  # noqa: BLE001 - a game of somebody's own may raise anything at all
        return RenderResult(None, f"{type(error).__name__}: {error}")


def warm_up() -> None:
    """Draw something of every game, so that nobody waits for what is loaded and drawn once; a damaged one is left."""
    for name in catalog.game_packages():
        try:
            play = game(name, BUILD).new(seed=0)
            for seat in (play.turn, SPECTATOR):
                view = play.observe(seat)
                rendering.whole(view, view.legal_actions, SEAT_NAMES, in_one_go=True)
        except Exception as error:  # noqa: BLE001 - the site says more of it
            log.debug("%s cannot be drawn: %s", name, error)


def run() -> None:
    """Draw until the site closes its end, or is gone."""
    tasks, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a game prints is no answer
    warm_up()
    answer: object = READY_MESSAGE
    while True:
        try:
            pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()
            answer = run_job(pickle.load(tasks))  # noqa: S301 - from the process that has started this one
        except (EOFError, BrokenPipeError):
            return
