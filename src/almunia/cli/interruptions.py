"""Handle Ctrl-C and SIGTERM within two seconds, whatever the command is doing.

The command may be playing, searching, or compiling inside LLVM. In all cases open files, bot programs and sites are
closed.

Python raises KeyboardInterrupt in the main thread once the current C call returns. It drops the exception where none
can be raised, such as in a finalizer or a callback from C. Both happen while Numba compiles.
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

GRACE_SECONDS = 1.5  # for the main thread to reach the signal handler
RERAISE_SECONDS = 0.05  # before a dropped KeyboardInterrupt is raised again
MESSAGE = "almunia: Interrupted."
SHOW_CURSOR = "\x1b[?25h"  # progress bars hide the cursor
COMPILER_PACKAGES = ("numba", "llvmlite")
EXIT_CODE = 128 + signal.SIGINT  # by the convention of shells


@contextmanager
def handle_interrupts() -> Iterator[None]:
    """Handle Ctrl-C and SIGTERM in this block, unless other handlers are installed, as a running site does."""
    default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if os.name == "nt" or not default or current_thread() is not main_thread():
        yield
        return
    watchdog = InterruptWatchdog()
    unraisable_hook, old_sigterm = sys.unraisablehook, signal.getsignal(signal.SIGTERM)
    sys.unraisablehook = lambda dropped: (
        watchdog.reraise() if dropped.exc_type is KeyboardInterrupt else unraisable_hook(dropped)
    )
    signal.signal(signal.SIGINT, watchdog.interrupt)
    if old_sigterm is signal.SIG_DFL:
        signal.signal(signal.SIGTERM, watchdog.terminate)
    old_wakeup_fd = signal.set_wakeup_fd(watchdog.write_fd, warn_on_full_buffer=False)
    try:
        yield
    except Exception:
        # A dropped interrupt leaves half-done work, which may fail before the interrupt is raised again.
        if watchdog.was_interrupted:
            raise KeyboardInterrupt from None
        raise
    finally:
        signal.set_wakeup_fd(old_wakeup_fd)
        signal.signal(signal.SIGINT, signal.default_int_handler)
        if old_sigterm is signal.SIG_DFL:
            signal.signal(signal.SIGTERM, signal.SIG_DFL)
        sys.unraisablehook = unraisable_hook
        watchdog.close()
        if watchdog.terminated:
            kill_bot_programs()
            signal.raise_signal(signal.SIGTERM)  # the exit status then says: ended by SIGTERM


class InterruptWatchdog:
    """A watchdog that ends the process if an interrupt does not reach the main thread in time."""

    def __init__(self) -> None:
        self._read_fd, self.write_fd = os.pipe()
        os.set_blocking(self.write_fd, False)
        self._interrupted = Event()
        self.terminated = False
        Thread(target=self._watch, name="interruptions", daemon=True).start()

    def interrupt(self, _number: int, _frame: FrameType | None) -> NoReturn:
        """Handle SIGINT: raise KeyboardInterrupt in the main thread."""
        self._interrupted.set()
        raise KeyboardInterrupt

    def terminate(self, _number: int, _frame: FrameType | None) -> None:
        """Handle SIGTERM: go on as an interrupt, for which event loops have their own handlers."""
        self.terminated = True
        self._interrupted.set()
        signal.raise_signal(signal.SIGINT)

    @property
    def was_interrupted(self) -> bool:
        """Whether a signal has reached its handler."""
        return self._interrupted.is_set()

    def reraise(self) -> None:
        """Raise a dropped interrupt again, from outside the code that dropped it."""
        timer = Timer(RERAISE_SECONDS, signal.raise_signal, [signal.SIGINT])
        timer.daemon = True
        timer.start()

    def _watch(self) -> None:
        while signal_numbers := os.read(self._read_fd, 1):
            is_handled_here = signal.getsignal(signal_numbers[0]) in (self.interrupt, self.terminate)
            if is_handled_here and not self._interrupted.wait(GRACE_SECONDS):
                exit_now(signal_numbers[0])
        os.close(self._read_fd)

    def close(self) -> None:
        """Stop watching."""
        os.close(self.write_fd)


def raised_in_compiler(interruption: KeyboardInterrupt) -> bool:
    """Return whether compiler code was running. Python can crash when it unwinds such a traceback."""
    modules = (frame.f_globals.get("__name__", "") for frame, _ in walk_tb(interruption.__traceback__))
    return any(name.partition(".")[0] in COMPILER_PACKAGES for name in modules)


def exit_now(signal_number: int = signal.SIGINT) -> NoReturn:
    """End the process and its bot programs at once, without unwinding."""
    with suppress(OSError, ValueError):
        sys.stdout.flush()
        sys.stderr.flush()
    os.write(2, f"{SHOW_CURSOR if os.isatty(2) else ''}{MESSAGE}\n".encode())
    kill_bot_programs()
    os._exit(128 + signal_number)


def kill_bot_programs() -> None:
    """Kill the programs that play as bots. `os._exit` and SIGTERM skip all exit handlers."""
    from ..bots.external import terminate_all

    terminate_all()
