"""Compilation of games in a separate process.

A compiler takes hundreds of megabytes and frees few of them. So the site's process compiles a game only if the separate
process fails or the cache cannot be written.
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
CREATION_FLAGS = getattr(subprocess, "CREATE_NEW_PROCESS_GROUP", 0)  # on Windows

log = logging.getLogger(__name__)


class Compiler:
    def __init__(self) -> None:
        self._lock = Lock()
        self._process: subprocess.Popen[bytes] | None = None
        self.is_closed = False

    def ensure_compiled(self, this: Game) -> bool:
        """Try to compile a game in a separate process; return False if the compiler is closed.

        Starts no process if the game is compiled already or its cache cannot be written. Ctrl+C in the site's terminal
        does not reach the process, and the process imports no modules from the current folder.
        """
        done = compiled_marker(this)
        if done is not None and not done.exists():
            with self._lock:
                if self.is_closed:
                    return False
                self._process = subprocess.Popen(  # noqa: S603 - this module
                    [*COMMAND, this.name], stdin=subprocess.PIPE, start_new_session=True, creationflags=CREATION_FLAGS
                )
            if self._process.wait() and not self.is_closed:
                log.warning("%s could not be compiled in a process of its own, so the site does it.", this.meta.title)
        return not self.is_closed

    def close(self) -> None:
        """Kill the compiling process if there is one, and let no other process start."""
        with self._lock:
            self.is_closed = True
        if self._process:
            self._process.kill()


def compiled_marker(this: Game) -> Path | None:
    """Return the path of the file that marks a game's current code as compiled; None without a writable cache."""
    assert this.loops  # computes the call graph of the loops
    folder = cache_folder(this.name, digest(this.backend, play.__name__, this.backend.source_namespace))
    return folder / "served" if folder and os.access(folder, os.W_OK) else None


def warm_up(this: Game) -> None:
    """Call functions that a table needs. In the compiled build, this compiles or loads them.

    Errors of a broken game are raised.
    """
    play = this.new(seed=0)
    view = play.observe(play.turn)
    play.observe(SPECTATOR)
    view.score_table()
    view.ranks()
    this.text.effect_text(view.state, view.legal_actions[0])
    panels.panels(view, view.legal_actions)
    panels.preview(view, view.legal_actions[0])
    bots.warm_up(this)


def compile_game(name: str) -> None:
    Thread(target=exit_with_parent, args=(sys.stdin,), daemon=True).start()
    this = game(name)
    warm_up(this)
    if done := compiled_marker(this):
        done.touch()


def exit_with_parent(site: IO[str]) -> None:
    """Exit when the other end of the pipe is closed, which happens when the site ends."""
    site.read()
    os._exit(1)


if __name__ == "__main__":
    compile_game(sys.argv[1])
