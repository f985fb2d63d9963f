"""A notice that a game is being compiled: once for each game and process, and only if compiling takes long.

The notice goes to the logger `almunia` at level INFO if logging has been configured, else to standard error. On a
terminal, a line below the notice counts the compiled functions. ALMUNIA_COMPILE_QUIET=1 silences both.
"""

import logging
import os
import sys
from collections import Counter, defaultdict
from collections.abc import Callable
from contextlib import suppress
from threading import Timer
from time import perf_counter

from numba.core import event

from .specialize import PACKAGE

DELAY_SECONDS = 1.0  # of compiling before the notice
DURATION_HINT = "5 to 20 seconds"  # from the first play of the fastest game to a search in the slowest
CLEAR_LINE = "\r\x1b[K"  # for terminals
QUIET = "ALMUNIA_COMPILE_QUIET"

log = logging.getLogger(PACKAGE)


class CompileProgress(event.Listener):  # type: ignore[misc]  # Numba has no types
    """Listener that announces long compilations. Loading machine code from disk does not count as a compilation."""

    def __init__(
        self,
        *,
        delay_seconds: float = DELAY_SECONDS,
        timer: Callable[[float, Callable[..., None], list[str]], Timer] = Timer,
        clock: Callable[[], float] = perf_counter,
    ) -> None:
        self._delay_seconds, self._make_timer, self._clock = delay_seconds, timer, clock
        self._depth = 0  # of nested compilations
        self._spent: dict[str, float] = defaultdict(float)  # seconds, by game
        self._functions: Counter[str] = Counter()  # compiled, by game
        self._announced: set[str] = set()
        self._timer: Timer | None = None

    def on_start(self, event: event.Event) -> None:
        """Start the timer for the notice if this is the outermost compilation, for a game that has had no notice."""
        self._depth += 1
        name = game_of(event)
        if self._depth == 1 and name and name not in self._announced:
            title = getattr(event.data["dispatcher"].py_func, "title", name)
            self._timer = self._make_timer(
                max(0.0, self._delay_seconds - self._spent[name]), self._announce, [name, title]
            )
            self._timer.daemon = True
            self._timer.start()
            self._began = self._clock()

    def on_end(self, event: event.Event) -> None:
        """Count a compilation that has ended or failed, and stop the timer after the outermost compilation.

        Once the notice has been written, show the count on a terminal.
        """
        self._depth -= 1
        name = game_of(event)
        self._functions[name] += 1
        if name in self._announced and on_terminal():
            sys.stderr.write(CLEAR_LINE + (f"{self._functions[name]} functions so far" if self._depth else ""))
            sys.stderr.flush()
        if not self._depth and self._timer:
            self._timer.cancel()
            self._timer = None
            self._spent[name] += self._clock() - self._began

    def _announce(self, name: str, title: str) -> None:
        self._announced.add(name)
        notify(
            f"Compiling {title} to machine code, which takes {DURATION_HINT} on most machines. "
            f"It is kept for the next time; 'almunia warm {name}' does all of it ahead."
        )


def game_of(event: event.Event) -> str:
    return str(getattr(event.data["dispatcher"].py_func, "game", ""))


def quiet() -> bool:
    return os.environ.get(QUIET, "0") not in ("", "0")


def on_terminal() -> bool:
    """Return whether notices go to a terminal, where a line can be overwritten, and not to a log or a progress bar."""
    ours = sys.stderr is sys.__stderr__ and not log.hasHandlers() and not quiet()
    return bool(ours and sys.stderr and not sys.stderr.closed and sys.stderr.isatty())


def notify(sentence: str) -> None:
    """Write a notice to the log, or without a log to standard error; nothing if `quiet`."""
    if quiet():
        return
    if log.hasHandlers():
        log.info(sentence)
    elif sys.stderr:
        with suppress(OSError, ValueError):  # closed
            sys.stderr.write(f"almunia: {sentence}\n")
            sys.stderr.flush()
