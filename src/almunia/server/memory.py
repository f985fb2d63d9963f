"""How the process of a site is set up: what Python and the C library do with memory."""

import ctypes
import gc
from contextlib import suppress

COLLECTING = 20_000, 20, 50  # thresholds of Python's garbage collector: of 700, 10, 10 a full site spends 6 % on it
ARENA_MAX = -8  # glibc's number of the option
ARENAS = 2  # heaps for threads to take memory from: with one for each, a full site grows by half within minutes


def set_up_process() -> None:
    """To be called before threads are started; where the C library is another, it stays as it is."""
    gc.set_threshold(*COLLECTING)
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(ARENA_MAX, ARENAS)
