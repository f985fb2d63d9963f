"""Caylus: new buildings and residences (RULES.md, 2.19 to 2.21)."""

from ....core.contract import NONE
from .. import components as box
from ..components import Class, Cube, Line
from .favours import grant
from .state import EMPTY, FROM_RESIDENCES, FROM_TILES, Phase, earn, tile_in_use

# --- building [2.19, 2.20] -----------------------------------------------------------------------------------


def may_build(s, tile):
    """Return whether the seat to move may build the tile in the phase BUILD or BUILDING [1.4, 2.19, 2.20, 4.4]."""
    kind = box.CLASS[tile]
    if s.phase == Phase.BUILD:
        if kind != box.BUILDS[tile_in_use(s)]:
            return False
    elif s.seat[s.turn].favour[Line.BUILDINGS] < box.BUILDS_FROM[kind]:
        return False
    return in_supply(s, tile) > 0 and site(s, s.turn, kind) != NONE and can_pay(s, s.phase, tile)


def in_supply(s, tile):
    """Return the number of copies of a tile in the supply, 0 for a tile that is not in the game [1.4, D7, D13, D35]."""
    if box.OPTIONAL[tile] and not s.jeweller:
        return 0
    left = box.COUNT[tile]
    for space in range(box.ROAD):
        left -= s.road[space] == tile
    return left


def site(s, seat, kind):
    """Return the space where a building of a class would go, or NONE [2.19, 2.20, D14].

    A prestige building goes to the player's first residence, any other building to the first empty space.
    """
    for space in range(box.ROAD):
        if kind != Class.PRESTIGE and s.road[space] == EMPTY:
            return space
        if kind == Class.PRESTIGE and s.road[space] == box.RESIDENCE and s.owner[space] == seat:
            return space
    return NONE


def cost(phase, tile, kind):
    """Return the number of cubes of a kind that the tile costs, with the discount in the phase BUILDING [4.4]."""
    return box.COST[tile, kind] - (box.DISCOUNT[box.CLASS[tile], kind] if phase == Phase.BUILDING else 0)


def can_pay(s, phase, tile):
    """Return whether the seat to move has the cubes of the tile's price [2.19, D4]."""
    me, left = s.seat[s.turn], 0
    for kind in range(box.KINDS_OF_CUBE):
        rest = me.cubes[kind] - cost(phase, tile, kind)
        if rest < 0:
            return False
        left += rest
    return left >= box.COST_ANY[tile]


def apply_build(s, phase, tile):
    """Pay for a tile, put it on its site, score it, and grant its favours [2.19, 2.20, 4.5].

    The player chooses cubes of any kind in later steps.
    """
    me, space = s.seat[s.turn], site(s, s.turn, box.CLASS[tile])
    for kind in range(box.KINDS_OF_CUBE):
        me.cubes[kind] -= cost(phase, tile, kind)
    s.give_any = box.COST_ANY[tile]
    s.road[space] = tile
    s.owner[space] = s.turn
    earn(me, FROM_TILES, box.POINTS[tile])
    grant(s, box.FAVOURS[tile])


# --- residences [2.21] ---------------------------------------------------------------------------------------


def may_convert(s, space):
    """Return whether the player may make this building a residence in the phase CONVERT or BUILDING [2.21, 4.4, D7]."""
    me, tile = s.seat[s.turn], s.road[space]
    if tile == EMPTY or not box.CONVERTS[tile] or s.pending[space] != NONE:
        return False
    if box.CLASS[tile] != Class.NEUTRAL and s.owner[space] != s.turn:
        return False
    if s.phase == Phase.BUILDING and me.favour[Line.BUILDINGS] < box.CONVERTS_FROM:
        return False
    return me.cubes[Cube.CLOTH] >= box.CONVERT_CLOTH and me.money >= convert_money(s.phase)


def convert_money(phase):
    """Return the price of a residence in deniers [2.21, 4.4]."""
    return box.CONVERT_MONEY if phase == Phase.CONVERT else 0


def apply_convert(s, phase, space):
    """Pay and score a residence. A tile with a worker changes when the worker goes home [2.21, D5, D6, D27]."""
    me = s.seat[s.turn]
    me.cubes[Cube.CLOTH] -= box.CONVERT_CLOTH
    me.money -= convert_money(phase)
    earn(me, FROM_RESIDENCES, box.POINTS[box.RESIDENCE])
    s.pending[space] = s.turn
    if s.worker[space] == NONE:
        become_residence(s, space)


def become_residence(s, space):
    """Replace the tile by a residence. A craft tile is then in the supply again [2.21]."""
    s.road[space] = box.RESIDENCE
    s.owner[space] = s.pending[space]
    s.pending[space] = NONE
