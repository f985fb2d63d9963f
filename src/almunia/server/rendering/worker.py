"""The jobs of a render worker, which is a process of the pool: each has the view of one seat."""

import faulthandler
import logging
import os
import signal
from collections.abc import Callable
from contextlib import suppress
from multiprocessing.connection import Connection
from threading import Thread
from typing import Any, NamedTuple

from ... import catalog
from ...core.contract import SPECTATOR
from ...core.loaded import Build
from ...library import game
from ...play.play import Observation
from ..tables import rendering

BUILD: Build = "plain"

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


def start_up(site: Connection) -> None:
    """Prepare the process, which ends when the site closes its end of the connection or is gone.

    Renders each game once, so that no job waits for imports and caches.
    """
    signal.signal(signal.SIGINT, signal.SIG_IGN)  # Ctrl+C stops the site, which stops its workers
    Thread(target=_exit_with, args=(site,), daemon=True).start()
    for name in catalog.game_packages():
        try:
            play = game(name, BUILD).new(seed=0)
            for seat in (play.turn, SPECTATOR):
                view = play.observe(seat)
                rendering.render_all(view, view.legal_actions, tuple("ABCDEF"), in_one_go=True)
        except Exception as error:  # noqa: BLE001 - the site logs more of it
            log.debug("%s cannot be rendered: %s", name, error)


def _exit_with(site: Connection) -> None:
    with suppress(EOFError):
        site.recv_bytes()
    os._exit(0)


def run_job(job: RenderJob, max_seconds: float) -> RenderResult:
    """Return the result of a job; after an error the site renders by itself.

    A job that takes longer than `max_seconds` ends the process, with a traceback on its standard error.
    """
    faulthandler.dump_traceback_later(max_seconds, exit=True)
    try:
        view = Observation.unpickled(game(job.game, BUILD), job.version, job.view_bytes, job.seat)
        return RenderResult(job.function(view, *job.args))
    except Exception as error:  # noqa: BLE001 - a plug-in game may raise any error
        return RenderResult(None, f"{type(error).__name__}: {error}")
    finally:
        faulthandler.cancel_dump_traceback_later()
