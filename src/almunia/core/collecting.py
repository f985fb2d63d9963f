"""Python looks for garbage less often while Numba is loaded and compiles: it makes many objects, and most stay."""

import gc
from threading import Lock

OBJECTS = 50_000  # new ones between two looks


class Rarely:
    """A block in which garbage is looked for less often, whatever threads are in it."""

    def __init__(self) -> None:
        self._lock, self._inside = Lock(), 0
        self._before = gc.get_threshold()

    def __enter__(self) -> None:
        with self._lock:
            self._inside += 1
            if self._inside == 1:
                self._before = gc.get_threshold()
                if 0 < self._before[0] < OBJECTS:  # else it is off, or as rare already
                    gc.set_threshold(OBJECTS, *self._before[1:])

    def __exit__(self, *_: object) -> None:
        with self._lock:
            self._inside -= 1
            if not self._inside:
                gc.set_threshold(*self._before)


RARELY = Rarely()
