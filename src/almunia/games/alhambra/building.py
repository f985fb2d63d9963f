"""The rules for building an Alhambra: where a tile fits, and which may be taken away [6, 7.4].

An Alhambra is one seat's part of the state, `me`; where a built tile lies stands in `s.cell`.
"""

from . import components as box
from .state import EMPTY, NOWHERE, bit, lowest


def fits(me, tile, cell):
    """May this tile be added on this empty cell? [6.1-6.5]"""
    return matches(me, tile, cell) and on_foot(me, tile, cell) and leaves_no_hole(me, cell)


def matches(me, tile, cell):
    """Do all sides agree with the neighbours': both with a wall, or both without? Tiles never turn [6.1, 6.2]."""
    for side in range(box.SIDES):
        there = me.grid[box.NEXT[cell, side]]
        if there != EMPTY and box.WALL[there, side ^ 2] != box.WALL[tile, side]:
            return False
    return True


def on_foot(me, tile, cell):
    """Is there a neighbour with no wall between? Then a side is joined, too [6.3, 6.4]."""
    for side in range(box.SIDES):
        if me.grid[box.NEXT[cell, side]] != EMPTY and box.WALL[tile, side] == 0:
            return True
    return False


def leaves_no_hole(me, cell):
    """Are the empty cells around this one in one run? If not, a tile here would close an area off [6.5, D7].

    In an Alhambra that has been legal so far this says the same as a search of the empty cells
    from outside, and it says that no two tiles come to touch at a corner alone.
    """
    runs = 0
    before = me.grid[box.RING[cell, 7]]
    for i in range(8):
        there = me.grid[box.RING[cell, i]]
        runs += there == EMPTY and before != EMPTY
        before = there
    return runs == 1


def build(s, me, tile, cell):
    """Put a tile on a cell."""
    me.built |= bit(tile)
    me.grid[cell] = tile
    s.cell[tile] = cell


def unbuild(s, me, tile):
    """A tile goes from the Alhambra to the reserve [7.2]."""
    me.built ^= bit(tile)
    me.reserve |= bit(tile)
    me.grid[s.cell[tile]] = EMPTY
    s.cell[tile] = NOWHERE


# --- Where a tile may go [6] -----------------------------------------------------------------------


def spots(s, me, tile, code, out):
    """Write `code` + cell for the empty cells where this tile fits, ascending; returns how many there are."""
    n = spots_around(me, tile, box.HOME, code, 0, out)
    tiles = me.built
    while tiles:
        n = spots_around(me, tile, s.cell[lowest(tiles)], code, n, out)
        tiles &= tiles - 1
    return n


def spots_around(me, tile, cell, code, n, out):
    """Add the cells next to this one where the tile fits."""
    for side in range(box.SIDES):
        spot = box.NEXT[cell, side]
        if me.grid[spot] == EMPTY and first_neighbour(me, spot) == cell and fits(me, tile, spot):
            n = enter(code + spot, n, out)
    return n


def first_neighbour(me, cell):
    """The first built cell next to this one, from which alone it is looked at."""
    for side in range(box.SIDES):
        if me.grid[box.NEXT[cell, side]] != EMPTY:
            return box.NEXT[cell, side]
    return NOWHERE


def enter(action, n, out):
    """Put an action in its place among the first `n`, which ascend; returns how many there are then."""
    i = n
    while i > 0 and out[i - 1] > action:
        out[i] = out[i - 1]
        i -= 1
    out[i] = action
    return n + 1


def fits_anywhere(s, me, tile):
    """Is there an empty cell where this tile fits?"""
    if fits_around(me, tile, box.HOME):
        return True
    tiles = me.built
    while tiles:
        if fits_around(me, tile, s.cell[lowest(tiles)]):
            return True
        tiles &= tiles - 1
    return False


def fits_around(me, tile, cell):
    """Does this tile fit next to this cell?"""
    for side in range(box.SIDES):
        spot = box.NEXT[cell, side]
        if me.grid[spot] == EMPTY and fits(me, tile, spot):
            return True
    return False


# --- Exchanging and taking away [7.2-7.5] -------------------------------------------------------------


def exchanges(s, me, tile, code, n, out):
    """Add `code` + cell for the built tiles whose place this one could take; the fountain stays [7.3, 7.5, D6].

    If all sides match, then the ways on foot are as they were, and so is the shape.
    """
    tiles = me.built
    while tiles:
        cell = s.cell[lowest(tiles)]
        if matches(me, tile, cell):
            n = enter(code + cell, n, out)
        tiles &= tiles - 1
    return n


def replaces_any(s, me, tile):
    """Could this tile take the place of a built one? [7.3, 7.4]"""
    tiles = me.built
    while tiles:
        if matches(me, tile, s.cell[lowest(tiles)]):
            return True
        tiles &= tiles - 1
    return False


def may_remove(s, me, tile):
    """Does one side lie open, so that no hole is left, and can all the rest be reached on foot? [7.2, 7.4, D6]"""
    cell = s.cell[tile]
    neighbours = doors = 0
    for side in range(box.SIDES):
        if me.grid[box.NEXT[cell, side]] != EMPTY:
            neighbours += 1
            doors += box.WALL[tile, side] == 0
    return neighbours < box.SIDES and (doors == 1 or reaches_all_but(s, me, tile))


def reaches_all_but(s, me, left_out):
    """Can every other tile be reached on foot from the fountain without this one? [6.3]"""
    reached = waiting = bit(box.FOUNTAIN)
    while waiting:
        tile = lowest(waiting)
        waiting &= waiting - 1
        cell = box.HOME if tile == box.FOUNTAIN else s.cell[tile]
        for side in range(box.SIDES):
            there = me.grid[box.NEXT[cell, side]]
            if box.WALL[tile, side] == 0 and there != EMPTY and there != left_out and not reached & bit(there):
                reached |= bit(there)
                waiting |= bit(there)
    return reached == (me.built ^ bit(left_out)) | bit(box.FOUNTAIN)
