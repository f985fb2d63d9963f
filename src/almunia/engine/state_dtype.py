"""The memory layout of game states: flat NumPy records with a common header."""

from typing import Any

import numpy as np
import numpy.typing as npt

States = npt.NDArray[np.void]  # records of a game's STATE

i1, i2, i4, i8 = np.int8, np.int16, np.int32, np.int64
f8 = np.float64  # for arrays of bots; states hold integers only

NOT_OVER = 0  # the value of `over` while a play is going on

# Every state begins with these fields.
HEADER: dict[str, Any] = {
    "seats": i1,  # number of seats
    "turn": i1,  # seat to move
    "phase": i1,  # question to the seat to move
    "over": i1,  # NOT_OVER (0), or the game's number for the reason of the end
    "turns": i2,  # number of finished turns; undo does not go back past a change
    "reveals": i2,  # number of times that the seat that acted learned something new
    "rng": (i8, 4),  # generator of the random numbers to come
}


def record_dtype(**fields: Any) -> np.dtype:
    """Return the dtype of a record. The rules read its fields as attributes in every build.

    Each value of `fields` is a type, or a pair `(type, shape)` for an array. Fields are aligned, because graphics
    processors require alignment. The gaps between fields are fields, too, so that a copy has every byte of the
    original.
    """
    described = [(name, *(kind if isinstance(kind, tuple) else (kind,))) for name, kind in fields.items()]
    aligned = np.dtype(described, align=True)
    known: Any = aligned.fields
    starts = [known[name][1] for name in fields] + [aligned.itemsize]
    filled: list[Any] = []
    for field, start, following in zip(described, starts, starts[1:], strict=False):
        filled.append(field)
        gap = following - start - known[field[0]][0].itemsize
        if gap:
            filled.append((f"gap_{len(filled)}", i1, (gap,)))
    return np.dtype(filled, align=True)


def state_dtype(**fields: Any) -> np.dtype:
    """Return the dtype of a game's state: the common header, then the game's own fields, as in `record_dtype`."""
    return record_dtype(**HEADER, **fields)


def zeros(kind: np.dtype) -> States:
    """Return a zeroed record, as an array of shape (1,), whose `tobytes()` returns the whole state."""
    return np.zeros(1, kind)


def copy_states(states: States) -> States:
    """Return an independent copy, made of bytes, which is several times faster than copying fields."""
    return states.view(np.uint8).copy().view(states.dtype)
