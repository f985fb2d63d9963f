"""What is to end a thread waits while Numba compiles there, and is raised between two passes over a function.

Raised inside LLVM it is dropped, leaves Numba's records half-done, or crashes Python at the next compiling.
"""

import ctypes
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Lock, Thread, current_thread, main_thread
from types import FrameType
from weakref import WeakKeyDictionary

DEPTHS: WeakKeyDictionary[Thread, int] = WeakKeyDictionary()  # of what has been deferred in threads that do so now
MEANT: WeakKeyDictionary[Thread, type[BaseException]] = WeakKeyDictionary()  # for them, and not raised yet
DECIDING = Lock()  # held while it is settled whether a thread is told at once


@contextmanager
def deferred() -> Iterator[None]:
    """Raise nothing from outside in this block, but for where `heed` is called and at its end.

    Ctrl-C is among it where it raises KeyboardInterrupt, and not where the program has a way of its own.
    """
    thread = current_thread()
    ours = thread is main_thread() and signal.getsignal(signal.SIGINT) is signal.default_int_handler
    if ours:
        signal.signal(signal.SIGINT, _remember)
    with DECIDING:
        DEPTHS[thread] = DEPTHS.get(thread, 0) + 1
    try:
        yield
    finally:
        with DECIDING:
            DEPTHS[thread] -= 1
        if ours:
            signal.signal(signal.SIGINT, signal.default_int_handler)
        heed()


def _remember(_number: int, _frame: FrameType | None) -> None:
    MEANT[main_thread()] = KeyboardInterrupt


def heed() -> None:
    """Raise what was meant for this thread, if anything was."""
    if error := MEANT.pop(current_thread(), None):
        raise error


def raise_in(thread: Thread, error: type[BaseException]) -> None:
    """Raise this in another thread, as soon as it is back in Python and does not defer it."""
    with DECIDING:
        if DEPTHS.get(thread):
            MEANT[thread] = error
        else:
            ctypes.pythonapi.PyThreadState_SetAsyncExc(ctypes.c_ulong(thread.ident or 0), ctypes.py_object(error))
