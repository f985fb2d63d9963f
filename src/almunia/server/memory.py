"""Memory settings of the process: Python's garbage collector, and the C library's heaps."""

import ctypes
import gc
from contextlib import suppress

GC_THRESHOLDS = 20_000, 20, 50  # with Python's 700, 10, 10 a full site spends 6% on garbage collection
ARENA_MAX_OPTION = -8  # option of glibc's mallopt
MAX_ARENAS = 2  # with a heap for each thread, a full site grows by half within minutes


def limit_memory() -> None:
    """Set the thresholds of garbage collection, and limit glibc's heaps. Must be called before threads start."""
    gc.set_threshold(*GC_THRESHOLDS)
    with suppress(AttributeError, OSError, TypeError):
        ctypes.CDLL(None).mallopt(ARENA_MAX_OPTION, MAX_ARENAS)


def freeze_loaded_objects() -> None:
    """Exempt all present objects from garbage collection.

    A full collection stops all threads. Most of what it visits is code, of the site and its compiled games, which is
    never garbage.
    """
    gc.collect()
    gc.freeze()
