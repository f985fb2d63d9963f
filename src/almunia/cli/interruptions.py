"""Ctrl-C and the wish to terminate, heeded within two seconds whatever the command is at.

It may be playing, thinking, or compiling inside LLVM. What was started is closed in both cases: files, programs, sites.

Python raises KeyboardInterrupt in its main thread once that is back from whatever call it is in, and drops it where
no exception can be raised (in a finalizer, in a callback from C). Both happen while Numba compiles.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import Event, Thread, Timer, current_thread, main_thread
from traceback import walk_tb
from types import FrameType
from typing import NoReturn

GRACE = 1.5  # seconds for Python to hear of an interruption
AGAIN = 0.05  # seconds until one that was dropped is raised again
WORDS = "almunia: Interrupted."
SHOW_CURSOR = "\x1b[?25h"  # progress bars hide it
COMPILERS = ("numba", "llvmlite")
CODE = 128 + signal.SIGINT  # what shells expect
HEEDED = (signal.SIGINT, signal.SIGTERM)


@contextmanager
def heeded() -> Iterator[None]:
    """Heed Ctrl-C in this block, unless the block has a way of its own, as the site has."""
    default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if os.name == "nt" or not default or current_thread() is not main_thread():
        yield
        return
    watch = Watch()
    before, terminate = sys.unraisablehook, signal.getsignal(signal.SIGTERM)
    sys.unraisablehook = lambda dropped: watch.again() if dropped.exc_type is KeyboardInterrupt else before(dropped)
    for number in HEEDED:
        signal.signal(number, watch.handle)
    old = signal.set_wakeup_fd(watch.pen, warn_on_full_buffer=False)
    try:
        yield
    except Exception:
        if (
            watch.heard
        ):  # one that was dropped leaves what it has hit half-done, and that fails before it is raised again
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.set_wakeup_fd(old)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        signal.signal(signal.SIGTERM, terminate)
        sys.unraisablehook = before
        watch.close()
        if watch.number == signal.SIGTERM:
            end_programs()
            signal.raise_signal(signal.SIGTERM)  # and the process ends as others do that are terminated


class Watch:
    """Sees to it that an interruption reaches the main thread, or ends the process if it does not."""

    def __init__(self) -> None:
        self._eye, self.pen = os.pipe()
        os.set_blocking(self.pen, False)
        self._heard = Event()
        self.number = 0  # the signal that was heard
        Thread(target=self._look, name="interruptions", daemon=True).start()

    def handle(self, number: int, _frame: FrameType | None) -> NoReturn:
        """Called in the main thread as soon as that is back in Python."""
        self.number = number
        self._heard.set()
        raise KeyboardInterrupt

    @property
    def heard(self) -> bool:
        """Has there been an interruption?"""
        return self._heard.is_set()

    def again(self) -> None:
        """Raise once more what was dropped, from outside the place that dropped it."""
        timer = Timer(AGAIN, signal.raise_signal, [signal.SIGINT])
        timer.daemon = True
        timer.start()

    def _look(self) -> None:
        while numbers := os.read(self._eye, 1):
            ours = numbers[0] in HEEDED and signal.getsignal(numbers[0]) == self.handle
            if ours and not self._heard.wait(GRACE):
                leave(numbers[0])
        os.close(self._eye)

    def close(self) -> None:
        """Look no longer."""
        os.close(self.pen)


def hit_the_compiler(interruption: KeyboardInterrupt) -> bool:
    """Was it raised while something was being compiled? Python could crash when it clears that away."""
    modules = (frame.f_globals.get("__name__", "") for frame, _ in walk_tb(interruption.__traceback__))
    return any(name.partition(".")[0] in COMPILERS for name in modules)


def leave(number: int = signal.SIGINT) -> NoReturn:
    """End the process at once, and the programs that it has started."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os.write(2, f"{SHOW_CURSOR if os.isatty(2) else ''}{WORDS}\n".encode())
    end_programs()
    os._exit(128 + number)


def end_programs() -> None:
    """End the programs that play, for nothing that is left to the end of Python happens any more."""
    from ..bots.external import end_all

    end_all()
