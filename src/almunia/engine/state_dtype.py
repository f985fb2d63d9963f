"""The one memory shape in which every game keeps its state: a flat NumPy record."""

from collections.abc import Mapping
from typing import Any

import numpy as np
import numpy.typing as npt

States = npt.NDArray[np.void]  # records of a game's STATE

i1, i2, i4, i8 = np.int8, np.int16, np.int32, np.int64
f8 = np.float64  # no state holds fractions, but what is counted beside one may

RUNNING = 0  # the value of `over` while a play is going on

# Every state begins with these fields.
HEADER: dict[str, Any] = {
    "seats": i1,  # how many play
    "turn": i1,  # the seat to move
    "phase": i1,  # the question that seat is being asked
    "over": i1,  # RUNNING, or the game's number for how it ended
    "turns": i2,  # how many turns have been finished; nothing of a finished turn is undone
    "reveals": i2,  # how often something that a seat did not know has come to light for it
    "rng": (i8, 4),  # the random numbers still to come
}


def struct(**fields: Any) -> np.dtype:
    """Describe a record whose fields read as attributes, compiled or not.

    A field is a type, or a pair `(type, shape)` for an array of them. Fields are aligned, as
    graphics processors demand; the gaps between them are fields too, so that every byte of a
    copy is a byte of the original.
    """
    described = [(name, *(kind if isinstance(kind, tuple) else (kind,))) for name, kind in fields.items()]
    aligned = np.dtype(described, align=True)
    known: Any = aligned.fields
    places = [known[name] for name in fields]
    starts = [place[1] for place in places[1:]] + [aligned.itemsize]
    filled: list[Any] = []
    for field, place, start in zip(described, places, starts, strict=True):
        filled.append(field)
        gap = start - place[1] - place[0].itemsize
        if gap:
            filled.append((f"gap_{len(filled)}", i1, (gap,)))
    return np.dtype(filled, align=True)


def state(**fields: Any) -> np.dtype:
    """Describe a game's state: the common header, then the game's own fields."""
    return struct(**HEADER, **fields)


def blank(kind: np.dtype) -> States:
    """One zeroed record, as an array of shape (1,); its `tobytes()` is the whole state."""
    return np.zeros(1, kind)


def copied(states: States) -> States:
    """An independent copy, byte by byte: several times faster than field by field."""
    return states.view(np.uint8).copy().view(states.dtype)


def numbers(parts: Mapping[str, tuple[int, ...]]) -> np.dtype:
    """Describe an observation as numbers: a record of float32 in named parts of these shapes, one after the other."""
    return np.dtype([(name, np.float32, shape) for name, shape in parts.items()])
