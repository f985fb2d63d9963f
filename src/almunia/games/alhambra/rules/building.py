"""The rules for building an Alhambra: adding, exchanging and removing tiles [6, 7.4].

An Alhambra is one seat's part of the state, `me`. The cell of each built tile is in `s.cell`.
"""

from .. import components as box
from . import nearby
from .state import EMPTY, NOWHERE, bit, lowest


def surroundings(me, cell):
    """Return the number that encodes the tiles around a cell: the index into the tables of `nearby`."""
    around = 0
    for place in range(nearby.PLACES):
        around |= nearby.SHOWN[me.grid[box.RING[cell, place]] + 1, place]
    return around


def fits(me, tile, cell):
    """Return whether this tile may be placed on this empty cell [6.1-6.5]."""
    return nearby.FITTING[surroundings(me, cell)] & bit(tile) != 0


def build(s, me, tile, cell):
    me.built |= bit(tile)
    me.grid[cell] = tile
    s.cell[tile] = cell


def unbuild(s, me, tile):
    """Move a tile from the Alhambra to the reserve [7.2]."""
    me.built ^= bit(tile)
    me.reserve |= bit(tile)
    me.grid[s.cell[tile]] = EMPTY
    s.cell[tile] = NOWHERE


# --- Where a tile may go [6] -----------------------------------------------------------------------


def spots(s, me, tile, code, out):
    """Write `code` + cell for each empty cell where this tile fits, in ascending order, and return their number."""
    n = spots_around(me, tile, box.HOME, code, 0, out)
    tiles = me.built
    while tiles:
        n = spots_around(me, tile, s.cell[lowest(tiles)], code, n, out)
        tiles &= tiles - 1
    return n


def spots_around(me, tile, cell, code, n, out):
    """Add the empty neighbours of this cell where the tile fits, and return the new number of actions.

    A neighbour that touches several tiles is added only from its first side with a tile, so that it is listed once.
    """
    for side in range(box.SIDES):
        spot = box.NEXT[cell, side]
        if me.grid[spot] == EMPTY:
            around = surroundings(me, spot)
            if around & (bit(side ^ 2) - 1) == 0 and nearby.FITTING[around] & bit(tile):
                n = enter(code + spot, n, out)
    return n


def enter(action, n, out):
    """Insert an action among the first `n` actions, which ascend, and return the new number of actions."""
    i = n
    while i > 0 and out[i - 1] > action:
        out[i] = out[i - 1]
        i -= 1
    out[i] = action
    return n + 1


def fitting(s, me, wanted):
    """Return the set of wanted tiles that fit on an empty cell."""
    found = wanted & fitting_around(me, box.HOME)
    tiles = me.built
    while tiles and found != wanted:
        found |= wanted & fitting_around(me, s.cell[lowest(tiles)])
        tiles &= tiles - 1
    return found


def fitting_around(me, cell):
    found = 0
    for side in range(box.SIDES):
        spot = box.NEXT[cell, side]
        if me.grid[spot] == EMPTY:
            found |= nearby.FITTING[surroundings(me, spot)]
    return found


# --- Exchanging and taking away [7.2-7.5] -------------------------------------------------------------


def exchanges(s, me, tile, code, n, out):
    """Add `code` + cell for each built tile that this tile may replace, and return the new count [7.3, 7.5, D6].

    A tile whose sides all match changes neither the connections on foot nor the outline, so nothing else is checked.
    """
    tiles = me.built
    while tiles:
        cell = s.cell[lowest(tiles)]
        if nearby.MATCHING[surroundings(me, cell)] & bit(tile):
            n = enter(code + cell, n, out)
        tiles &= tiles - 1
    return n


def replacing(s, me, wanted):
    """Return the set of wanted tiles that may replace a built tile [7.3, 7.4]."""
    found = 0
    tiles = me.built
    while tiles and found != wanted:
        found |= wanted & nearby.MATCHING[surroundings(me, s.cell[lowest(tiles)])]
        tiles &= tiles - 1
    return found


def may_remove(s, me, tile):
    """Return whether a built tile may be removed [7.2, 7.4, D6]."""
    answer = nearby.REMOVAL[surroundings(me, s.cell[tile])]
    return answer == nearby.ALWAYS or (answer == nearby.PERHAPS and reaches_all_but(s, me, tile))


def reaches_all_but(s, me, left_out):
    """Return whether all other tiles can be reached on foot from the fountain without this tile [6.3]."""
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
