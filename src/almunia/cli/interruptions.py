"""Handling of Ctrl-C and SIGTERM: the first signal ends the command cleanly, and the second ends the process at once.

The first signal raises KeyboardInterrupt in the main thread. Commands play, search and compile in worker threads, which
stop at the next safe point (`engine/pool.py`). Workers that are still running end with the process.
"""

import os
import signal
import sys
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from threading import current_thread, main_thread
from types import FrameType
from typing import NoReturn

MESSAGE = "almunia: Interrupted."
SHOW_CURSOR = "\x1b[?25h"  # progress bars hide the cursor
EXIT_CODE = 128 + signal.SIGINT  # by the convention of shells


@contextmanager
def handle_interrupts() -> Iterator[None]:
    """Handle Ctrl-C and SIGTERM in this block.

    Do nothing on Windows, outside the main thread, or if SIGINT has a handler already, as on a running site.
    """
    default = signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if os.name == "nt" or not default or current_thread() is not main_thread():
        yield
        return
    received: list[int] = []

    def interrupt(number: int, _frame: FrameType | None) -> NoReturn:
        received.append(number)
        if len(received) > 1:
            exit_now(number)
        raise KeyboardInterrupt

    old_handlers = {signal.SIGINT: signal.signal(signal.SIGINT, interrupt)}
    if signal.getsignal(signal.SIGTERM) is signal.SIG_DFL:
        old_handlers[signal.SIGTERM] = signal.signal(signal.SIGTERM, interrupt)
    try:
        yield
    except Exception:
        if received:  # an extension module has replaced KeyboardInterrupt with another error
            raise KeyboardInterrupt from None
        raise
    finally:
        for number, handler in old_handlers.items():
            signal.signal(number, handler)
        if signal.SIGTERM in received:
            kill_bot_programs()
            signal.raise_signal(signal.SIGTERM)  # so that the exit status shows SIGTERM


def exit_now(signal_number: int = signal.SIGINT) -> NoReturn:
    """End the process and its bot programs at once, without unwinding."""
    with suppress(OSError, ValueError, RuntimeError):  # RuntimeError: the signal came during a write
        sys.stdout.flush()
        sys.stderr.flush()
    os.write(2, f"{SHOW_CURSOR if os.isatty(2) else ''}{MESSAGE}\n".encode())
    kill_bot_programs()
    os._exit(128 + signal_number)


def kill_bot_programs() -> None:
    """Kill the programs that play as bots, because `os._exit` and SIGTERM skip all exit handlers."""
    external = sys.modules.get("almunia.bots.external")  # a signal handler cannot wait for an import
    if terminate_all := getattr(external, "terminate_all", None):
        terminate_all()
