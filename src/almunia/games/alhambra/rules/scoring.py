"""Points for having the most buildings of a kind, and for the longest wall [10]."""

from .. import components as box
from .state import EMPTY, size


def points_for_buildings(s, p, held):
    """Return the points of seat `p`, or of Dirk (`s.seats`), for all kinds in round `held`, 1 .. 3 [10.2, 12.3]."""
    total = 0
    for kind in range(box.KINDS):
        total += points_for_kind(s, p, kind, held)
    return total


def points_for_kind(s, p, kind, held):
    """Return the points of a seat, or of Dirk (`s.seats`), for a kind in round 1, 2 or 3 [10.2-10.4, D13].

    Ties share the points of their places, rounded down.
    """
    mine = count(s, p, kind)
    if mine == 0:
        return 0
    ahead = equal = 0
    for other in range(competitors(s)):
        theirs = count(s, other, kind)
        ahead += theirs > mine
        equal += theirs == mine
    shared = 0
    for place in range(ahead, min(ahead + equal, box.PLACES)):
        shared += box.POINTS[held - 1, kind, place]
    return shared // equal


def competitors(s):
    """Return the number of competitors for majorities: all seats, and with two seats also Dirk [12.3]."""
    return s.seats + (s.seats == 2)


def count(s, p, kind):
    """Return the number of a seat's or Dirk's buildings of a kind, not counting the reserve [10.5]."""
    tiles = s.dirk if p == s.seats else s.seat[p].built
    return size(tiles & box.OF_KIND[kind])


def longest_wall(me):
    """Return the length of the longest walled run of the outline. Inner walls do not count [10.6, 10.7, D7].

    The loop follows the outline clockwise, from the north side of a tile at the edge, and keeps the tiles to its
    right. Without holes there is a single outline.
    """
    start = cell = outermost(me)
    side = longest = run = first_run = edges = 0
    broken = False
    while edges == 0 or cell != start or side != 0:
        edges += 1
        if box.WALL[me.grid[cell], side]:
            run += 1
            longest = max(longest, run)
        else:
            if not broken:
                first_run = run
            broken = True
            run = 0
        cell, side = next_side(me, cell, side)
    return max(longest, run + first_run) if broken else edges


def next_side(me, cell, side):
    """Return the cell and side that follow on the outline, clockwise."""
    ahead = box.NEXT[cell, (side + 1) % box.SIDES]
    corner = box.NEXT[ahead, side]
    if me.grid[corner] != EMPTY:
        return corner, (side + 3) % box.SIDES
    if me.grid[ahead] != EMPTY:
        return ahead, side
    return cell, (side + 1) % box.SIDES


def outermost(me):
    """Return the last cell before the first empty cell north of the fountain."""
    cell = box.HOME
    while me.grid[box.NEXT[cell, 0]] != EMPTY:
        cell = box.NEXT[cell, 0]
    return cell
