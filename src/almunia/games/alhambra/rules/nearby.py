"""What surrounds a cell, as one number, and what the rules of building say of every such number [6, 7].

The number has a bit for each side where a tile lies, then one for each side where that tile has a
wall, then one for each corner where a tile lies. A set of tiles has a bit for each tile.
"""

import numpy as np

from .. import components as box

CORNERS_FROM = 2 * box.SIDES  # the first bit that stands for a corner
NUMBERS = 1 << (CORNERS_FROM + box.SIDES)
PLACES = 2 * box.SIDES  # sides and corners in turn, clockwise from north, as in `box.RING`
NEVER, ALWAYS, PERHAPS = 0, 1, 2  # may the tile there be taken away?


def _shown() -> np.ndarray:
    """By tile + 1 and place what a tile that lies there adds to the number; nothing where none lies."""
    shown = np.zeros((box.TILES + 2, PLACES), np.int16)
    for side in range(box.SIDES):
        shown[1:, 2 * side] = (1 + (box.WALL[:, side ^ 2].astype(np.int16) << box.SIDES)) << side
        shown[1:, 2 * side + 1] = 1 << (CORNERS_FROM + side)
    return shown


def _by_side(first: int) -> np.ndarray:
    """The bits from one on, of every number; shape (NUMBERS, SIDES)."""
    return (np.arange(NUMBERS)[:, None] >> np.arange(first, first + box.SIDES)) & 1 == 1


def _ring() -> np.ndarray:
    """At which places tiles lie; shape (NUMBERS, PLACES)."""
    return np.stack([_by_side(0), _by_side(CORNERS_FROM)], axis=2).reshape(NUMBERS, PLACES)


def _starts() -> np.ndarray:
    """At which places a run of tiles begins, going around the cell; shape (NUMBERS, PLACES)."""
    return _ring() & ~np.roll(_ring(), 1, axis=1)


def _matching() -> np.ndarray:
    """By number and tile: do all sides agree with the neighbours': both with a wall, or both without? [6.1, 6.2]"""
    own = box.WALL[: box.TILES] == 1
    return (~_by_side(0)[:, None] | (_by_side(box.SIDES)[:, None] == own)).all(axis=2)


def _on_foot() -> np.ndarray:
    """By number and tile: is there a neighbour with no wall between? Then a side is joined, too [6.3, 6.4]."""
    own = box.WALL[: box.TILES] == 1
    return (_by_side(0)[:, None] & ~own).any(axis=2)


def _leaves_no_hole() -> np.ndarray:
    """By number: are the empty cells around in one run? If not, a tile here would close an area off [6.5, D7].

    In an Alhambra that has been legal so far this says the same as a search of the empty cells
    from outside, and it says that no two tiles come to touch at a corner alone.
    """
    return _starts().sum(axis=1) == 1


def _removal() -> np.ndarray:
    """By number: may the tile there be taken away, as far as the cells around it tell? [7.2, 7.4, D6]

    One side has to lie open, so that no hole is left. A tile with a single door cuts nothing off.
    Doors in different runs of tiles lead to parts that this tile alone joins, for any other way
    between them would enclose a hole.
    """
    doors = _by_side(0) & ~_by_side(box.SIDES)
    runs = np.maximum(_starts().sum(axis=1, keepdims=True), 1)
    run = (np.cumsum(_starts(), axis=1) % runs)[:, ::2]
    parted = np.where(doors, run, 0).max(axis=1) > np.where(doors, run, box.SIDES).min(axis=1)
    removal = np.where(doors.sum(axis=1) == 1, ALWAYS, np.where(parted, NEVER, PERHAPS))
    removal[_by_side(0).all(axis=1)] = NEVER
    return removal.astype(np.int8)


def _sets(true: np.ndarray) -> np.ndarray:
    """Sets of tiles, from a truth by number and tile."""
    return (true.astype(np.int64) << np.arange(box.TILES)).sum(axis=1)


SHOWN = _shown()
FITTING = _sets(_matching() & _on_foot() & _leaves_no_hole()[:, None])  # the tiles that may be added [6.1-6.5]
MATCHING = _sets(_matching())  # the tiles that may take the place of the one there [7.3]
REMOVAL = _removal()
