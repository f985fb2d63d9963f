"""The rules for building an Alhambra: where a tile fits, and which may be taken away [6, 7.4].

An Alhambra is one seat's part of the state, `me`; where a built tile lies stands in `s.cell`.
"""

from .. import components as box
from . import nearby
from .state import EMPTY, NOWHERE, bit, lowest


def surroundings(me, cell):
    """What lies around a cell, as the number by which `nearby` has tabulated the rules."""
    around = 0
    for place in range(nearby.PLACES):
        around |= nearby.SHOWN[me.grid[box.RING[cell, place]] + 1, place]
    return around


def fits(me, tile, cell):
    """May this tile be added on this empty cell? [6.1-6.5]"""
    return nearby.FITTING[surroundings(me, cell)] & bit(tile) != 0


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
    """Add the cells next to this one where the tile fits, if no side before is the one to look at them from."""
    for side in range(box.SIDES):
        spot = box.NEXT[cell, side]
        if me.grid[spot] == EMPTY:
            around = surroundings(me, spot)
            if around & (bit(side ^ 2) - 1) == 0 and nearby.FITTING[around] & bit(tile):
                n = enter(code + spot, n, out)
    return n


def enter(action, n, out):
    """Put an action in its place among the first `n`, which ascend; returns how many there are then."""
    i = n
    while i > 0 and out[i - 1] > action:
        out[i] = out[i - 1]
        i -= 1
    out[i] = action
    return n + 1


def fitting(s, me, wanted):
    """Those of the wanted tiles that fit on an empty cell."""
    found = wanted & fitting_around(me, box.HOME)
    tiles = me.built
    while tiles and found != wanted:
        found |= wanted & fitting_around(me, s.cell[lowest(tiles)])
        tiles &= tiles - 1
    return found


def fitting_around(me, cell):
    """The tiles that fit next to this cell."""
    found = 0
    for side in range(box.SIDES):
        spot = box.NEXT[cell, side]
        if me.grid[spot] == EMPTY:
            found |= nearby.FITTING[surroundings(me, spot)]
    return found


# --- Exchanging and taking away [7.2-7.5] -------------------------------------------------------------


def exchanges(s, me, tile, code, n, out):
    """Add `code` + cell for the built tiles whose place this one could take; the fountain stays [7.3, 7.5, D6].

    If all sides match, then the ways on foot are as they were, and so is the shape.
    """
    tiles = me.built
    while tiles:
        cell = s.cell[lowest(tiles)]
        if nearby.MATCHING[surroundings(me, cell)] & bit(tile):
            n = enter(code + cell, n, out)
        tiles &= tiles - 1
    return n


def replacing(s, me, wanted):
    """Those of the wanted tiles that could take the place of a built one [7.3, 7.4]."""
    found = 0
    tiles = me.built
    while tiles and found != wanted:
        found |= wanted & nearby.MATCHING[surroundings(me, s.cell[lowest(tiles)])]
        tiles &= tiles - 1
    return found


def may_remove(s, me, tile):
    """Does one side lie open, so that no hole is left, and can all the rest be reached on foot? [7.2, 7.4, D6]"""
    answer = nearby.REMOVAL[surroundings(me, s.cell[tile])]
    return answer == nearby.ALWAYS or (answer == nearby.PERHAPS and reaches_all_but(s, me, tile))


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
