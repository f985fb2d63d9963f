"""Compiles a game in a process of its own, where that has not been done yet.

A compiler takes hundreds of megabytes and gives little of it back, and a site runs for months. So the site lets another
process compile, and then finds the machine code on the disk.
"""

import logging
import os
import subprocess
import sys
from pathlib import Path
from threading import Lock, Thread
from typing import IO

from ... import bots
from ...core.contract import SPECTATOR
from ...core.kernels import play
from ...engine.code_hash import digest
from ...engine.numba import cache_folder
from ...library import Game, game
from ...play import panels

COMMAND = (sys.executable, "-P", "-m", f"{__package__}.compiler")
GROUP = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # what Windows calls it

log = logging.getLogger(__name__)


class Compiler:
    """One process at a time that compiles; none once it is closed."""

    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self.closed = False

    def prepare(self, this: Game) -> bool:
        """See to it that the machine code of a game is on the disk, if it can be kept there; False once it is closed.

        The process is none of the site's group, so that Ctrl+C is for the site alone, and finds no modules in the
        folder where that was started.
        """
        done = marker(this)
        if done is not None and not done.exists():
            with self._lock:
                if self.closed:
                    return False
                self._process = subprocess.Popen(  # noqa: S603 - this module
                    [*COMMAND, this.name], stdin=subprocess.PIPE, start_new_session=True, creationflags=GROUP
                )
            if self._process.wait() and not self.closed:
                log.warning("%s could not be compiled in a process of its own, so the site does it.", this.meta.title)
        return not self.closed

    def close(self) -> None:
        """End the process, if there is one."""
        with self._lock:
            self.closed = True
        if self._process:
            self._process.kill()


def marker(this: Game) -> Path | None:
    """The file that says that a game has been compiled as it is now; None if machine code cannot be kept."""
    assert this.loops  # from here on it is known what they reach
    folder = cache_folder(this.name, digest(this.backend, play.__name__, this.backend.source_namespace))
    return folder and folder / "served"


def exercise(this: Game) -> None:
    """Use once whatever a table needs, so that it has been made or compiled."""
    play = this.new(seed=0)
    view = play.observe(play.turn)
    play.observe(SPECTATOR)
    view.score_table()
    view.ranks()
    this.text.effect_text(view.state, view.legal_actions[0])
    panels.panels(view, view.legal_actions)
    panels.preview(view, view.legal_actions[0])
    bots.warm_up(this)


def run(name: str) -> None:
    """Compile whatever a table needs, and say so on the disk."""
    Thread(target=end_with, args=(sys.stdin,), daemon=True).start()
    this = game(name)
    exercise(this)
    if done := marker(this):
        done.touch()


def end_with(site: IO[str]) -> None:
    """End this process with the site, from which nothing comes as long as it runs."""
    site.read()
    os._exit(1)


if __name__ == "__main__":
    run(sys.argv[1])
