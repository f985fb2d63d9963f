"""Tables of the building rules, indexed by a number that encodes the tiles around a cell [6, 7].

The number has a bit for each side with a tile, and then a bit for each side where that tile has a wall. The
last bits are for corners with a tile. A set of tiles has a bit for each tile.
"""

import numpy as np

from .. import components as box

CORNERS_FROM = 2 * box.SIDES  # the first bit of a corner
NUMBERS = 1 << (CORNERS_FROM + box.SIDES)
PLACES = 2 * box.SIDES  # sides and corners in turn, clockwise from north, as in `box.RING`
NEVER, ALWAYS, PERHAPS = 0, 1, 2  # may the tile on the cell be removed?


def _shown() -> np.ndarray:
    """Return, by tile + 1 and place, the bits that a tile at that place adds to the number, or 0 for an empty cell."""
    shown = np.zeros((box.TILES + 2, PLACES), np.int16)
    for side in range(box.SIDES):
        shown[1:, 2 * side] = (1 + (box.WALL[:, side ^ 2].astype(np.int16) << box.SIDES)) << side
        shown[1:, 2 * side + 1] = 1 << (CORNERS_FROM + side)
    return shown


def _by_side(first: int) -> np.ndarray:
    """Return the four bits of every number that begin at bit `first`, as bool (NUMBERS, SIDES)."""
    return (np.arange(NUMBERS)[:, None] >> np.arange(first, first + box.SIDES)) & 1 == 1


def _ring() -> np.ndarray:
    """Return a mask of the places with a tile, bool (NUMBERS, PLACES)."""
    return np.stack([_by_side(0), _by_side(CORNERS_FROM)], axis=2).reshape(NUMBERS, PLACES)


def _starts() -> np.ndarray:
    """Return a mask of the places where a clockwise run of tiles begins, bool (NUMBERS, PLACES)."""
    return _ring() & ~np.roll(_ring(), 1, axis=1)


def _matching() -> np.ndarray:
    """Return, by number and tile, whether the tile and each neighbour agree: two walls touch, or none [6.1, 6.2]."""
    own = box.WALL[: box.TILES] == 1
    return (~_by_side(0)[:, None] | (_by_side(box.SIDES)[:, None] == own)).all(axis=2)


def _on_foot() -> np.ndarray:
    """Return, by number and tile, whether there is a neighbour at a side where the tile has no wall [6.3, 6.4]."""
    own = box.WALL[: box.TILES] == 1
    return (_by_side(0)[:, None] & ~own).any(axis=2)


def _leaves_no_hole() -> np.ndarray:
    """Return, by number, whether the tiles around form one run with a gap, so that a tile makes no hole [6.5, D7].

    In a legal Alhambra this test equals a search of the empty cells from outside. The test also keeps two tiles from
    touching at a corner alone.
    """
    return _starts().sum(axis=1) == 1


def _removal() -> np.ndarray:
    """Return, by number, whether the tile on the cell may be removed: NEVER, ALWAYS or PERHAPS [7.2, 7.4, D6].

    One side must face an empty cell, so that no hole is left. A door is a side with a neighbour and without a wall. A
    tile with a single door cuts nothing off. Doors in different runs of tiles lead to parts that only this tile
    connects, because another connection would enclose a hole.
    """
    doors = _by_side(0) & ~_by_side(box.SIDES)
    runs = np.maximum(_starts().sum(axis=1, keepdims=True), 1)
    run = (np.cumsum(_starts(), axis=1) % runs)[:, ::2]
    parted = np.where(doors, run, 0).max(axis=1) > np.where(doors, run, box.SIDES).min(axis=1)
    removal = np.where(doors.sum(axis=1) == 1, ALWAYS, np.where(parted, NEVER, PERHAPS))
    removal[_by_side(0).all(axis=1)] = NEVER
    return removal.astype(np.int8)


def _sets(true: np.ndarray) -> np.ndarray:
    """Return a set of tiles for each number, from booleans by number and tile."""
    return (true.astype(np.int64) << np.arange(box.TILES)).sum(axis=1)


SHOWN = _shown()
FITTING = _sets(_matching() & _on_foot() & _leaves_no_hole()[:, None])  # the tiles that may be added [6.1-6.5]
MATCHING = _sets(_matching())  # the tiles that may replace the tile on the cell [7.3]
REMOVAL = _removal()
