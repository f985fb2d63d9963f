"""A process that renders: it reads jobs with the view of one seat, and writes their results, until the site closes.

Both are pickles on its standard input and output, between it and the process that started it.
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
from ...play.panels import describe_panels
from ...play.play import Observation
from ..tables import rendering

READY_MESSAGE = "ready"  # the first message of a worker
BUILD: Build = "plain"
SEAT_NAMES = tuple("ABCDEF")  # of players in `warm_up`

log = logging.getLogger(__name__)


class RenderJob(NamedTuple):
    """A function to call with the view of a seat."""

    function: Callable[..., Any]  # called with the view
    game: str
    version: dict[str, Any]  # of its rules and components, which must be those of this process
    view_bytes: bytes
    seat: int
    args: tuple[Any, ...]  # further arguments


class RenderResult(NamedTuple):
    """The value of a job, or its error."""

    value: Any
    error: str = ""


def run_job(task: RenderJob) -> RenderResult:
    """Return the result of a job, which holds the error if there was one."""
    try:
        this = game(task.game, BUILD)
        return RenderResult(
            task.function(Observation.unpickled(this, task.version, task.view_bytes, task.seat), *task.args)
        )
    except Exception as error:  # noqa: BLE001 - a plug-in game may raise any error
        return RenderResult(None, f"{type(error).__name__}: {error}")


def warm_up() -> None:
    """Render each game once, so that no job waits for imports and caches; skip a game that fails."""
    for name in catalog.game_packages():
        try:
            play = game(name, BUILD).new(seed=0)
            for seat in (play.turn, SPECTATOR):
                view = play.observe(seat)
                missing = [panel.name for panel in describe_panels(view)]
                rendering.render_all(view, view.legal_actions, SEAT_NAMES, in_one_go=True, missing=missing)
        except Exception as error:  # noqa: BLE001 - the site logs more of it
            log.debug("%s cannot be rendered: %s", name, error)


def run() -> None:
    """Run jobs until the site closes the pipe, or is gone."""
    tasks, answers = sys.stdin.buffer, os.fdopen(os.dup(sys.stdout.fileno()), "wb")
    os.dup2(sys.stderr.fileno(), sys.stdout.fileno())  # what a game prints is no result
    warm_up()
    answer: object = READY_MESSAGE
    while True:
        try:
            pickle.dump(answer, answers, pickle.HIGHEST_PROTOCOL)
            answers.flush()
            answer = run_job(pickle.load(tasks))  # noqa: S301 - from the process that started this one
        except (EOFError, BrokenPipeError):
            return
