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


@contextmanager
def heeded() -> Iterator[None]:
    """Heed Ctrl-C in this block, unless the block has a way of its own, as the site has."""
    default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if os.name == "nt" or not default or current_thread() is not main_thread():
        yield
        return
    watch = Watch()
    before, terminated = sys.unraisablehook, signal.getsignal(signal.SIGTERM)
    sys.unraisablehook = lambda dropped: watch.again() if dropped.exc_type is KeyboardInterrupt else before(dropped)
    signal.signal(signal.SIGINT, watch.interrupt)
    if terminated is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, watch.terminate)
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
        if terminated is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        sys.unraisablehook = before
        watch.close()
        if watch.terminated:
            end_programs()
            signal.raise_signal(signal.SIGTERM)  # and the process ends as others do that are terminated


class Watch:
    """Sees to it that an interruption reaches the main thread, or ends the process if it does not."""

    def __init__(self) -> None:
        self._eye, self.pen = os.pipe()
        os.set_blocking(self.pen, False)
        self._heard = Event()
        self.terminated = False
        Thread(target=self._look, name="interruptions", daemon=True).start()

    def interrupt(self, _number: int, _frame: FrameType | None) -> NoReturn:
        """Called in the main thread as soon as that is back in Python."""
        self._heard.set()
        raise KeyboardInterrupt

    def terminate(self, _number: int, _frame: FrameType | None) -> None:
        """The same; it goes on as an interruption, for which event loops have ways of their own."""
        self.terminated = True
        self._heard.set()
        signal.raise_signal(signal.SIGINT)

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
            ours = signal.getsignal(numbers[0]) in (self.interrupt, self.terminate)
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
