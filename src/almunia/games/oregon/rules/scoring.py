"""Points, tiles and tokens for farmers and buildings in Oregon."""

from typing import Any

from ....core.contract import NONE
from ....engine.kernels.rng import randbelow
from .. import components as box
from ..components import BUILT, EMPTY, NOWHERE, Building, Sort


def reward(s: Any, p: int, building: int, cell: int) -> None:
    """Give player `p` what a building pays for one farmer [8.3-8.8, 10.2, D13]."""
    me = s.seat[p]
    me.score += worth(s, building, cell)
    match building:
        case Building.COAL_MINE:
            take_tile(s, p, Sort.COAL)
        case Building.GOLD_MINE:
            take_tile(s, p, Sort.GOLD)
        case Building.WAREHOUSE:
            me.joker = 1
        case Building.TRAIN_STATION:
            me.extra = 1


def worth(s: Any, building: int, cell: int) -> int:
    """Return the points that a building on this space earns each farmer adjacent to it [8.3, 8.4, 8.6, 8.7]."""
    if building == Building.CHURCH:
        return farmers_around(s, cell)
    return box.POINTS[building]


def farmers_around(s: Any, cell: int) -> int:
    """Return the number of farmers of all colours adjacent to a space [8.4]."""
    count = 0
    for i in range(box.TOUCHES):
        spot = box.TOUCHING[cell, i]
        count += spot != NOWHERE and EMPTY < s.space[spot] < BUILT
    return count


def take_tile(s: Any, p: int, sort: int) -> None:
    """Give player `p` a random face-down tile of a sort, or do nothing if none is left [1.5, 2.3, 8.5, D10]."""
    left = tiles_left(s, sort)
    if left == 0:
        return
    face = face_of(s, sort, randbelow(s.rng, left))
    s.seat[p].tiles[sort] += 1
    s.seat[p].faces[sort, face] += 1
    s.reveals += 1


def face_of(s: Any, sort: int, place: int) -> int:
    """Return the face of the tile at index `place` among the tiles that no seat has, sorted by value."""
    face = NONE
    while place >= 0:
        face += 1
        place -= box.COUNT[sort, face]
        for p in range(s.seats):
            place += s.seat[p].faces[sort, face]
    return face


def tiles_left(s: Any, sort: int) -> int:
    left = box.TILES[sort]
    for p in range(s.seats):
        left -= s.seat[p].tiles[sort]
    return left


def makes_group(s: Any, p: int, cell: int) -> bool:
    """Return whether a farmer of `p` at `cell` makes a new group [9.1-9.4, D9]."""
    total = 1
    for i in range(box.SIDES):
        spot = box.BESIDE[cell, i]
        if spot != NOWHERE and s.space[spot] == p:
            part = group_size(s, p, spot, cell)
            if part >= box.GROUP:
                return False
            total += part
    return total >= box.GROUP


def group_size(s: Any, p: int, cell: int, aside: int) -> int:
    """Return the number of farmers of `p` connected to `cell` without `aside` [9.2].

    For a part of more than three farmers, the result is at least three.
    """
    total = 1
    for i in range(box.SIDES):
        spot = box.BESIDE[cell, i]
        if spot not in (NOWHERE, aside) and s.space[spot] == p:
            total += 1
            for k in range(box.SIDES):
                far = box.BESIDE[spot, k]
                if far not in (NOWHERE, aside, cell) and s.space[far] == p:
                    total += 1
    return total
