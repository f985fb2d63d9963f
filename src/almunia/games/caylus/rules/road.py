"""Caylus: the effects of workers on the road, without building (RULES.md, 2.16 to 2.22)."""

from .. import components as box
from ..components import Cube, Effect
from .state import FROM_TRADES, Phase, ask, earn, held, tile_in_use


def use_building(s, space):
    """Produce the cubes of the building, or ask the worker's player for a choice [2.16, 2.17, D19]."""
    tile = s.road[space]
    s.turn = s.worker[space]
    match box.EFFECT[tile]:
        case Effect.PRODUCE:
            if box.CHOICES[tile] > 1:
                s.phase = Phase.PRODUCE
            else:
                produce(s, tile, Cube.FOOD)
        case Effect.TRADE:
            s.phase = Phase.TRADE
        case Effect.BUILD:
            s.phase = Phase.BUILD
        case Effect.CONVERT:
            s.phase = Phase.CONVERT


def produce(s, tile, kind):
    """Give the seat to move what the building produces for the chosen kind [2.17, D11]."""
    for other in range(box.KINDS_OF_CUBE):
        s.seat[s.turn].cubes[other] += box.YIELD[tile, kind, other]


def owner_bonus(s, space):
    """Ask the owner for a cube, if another player's worker has used a building with a bonus [2.18, D11]."""
    owner = s.owner[space]
    if owner != s.worker[space] and box.HAS_BONUS[s.road[space]]:
        ask(s, owner, Phase.BONUS)


# --- trades [2.22] -------------------------------------------------------------------------------------------


def trade_row(s, phase):
    """Return the row of the trade tables: EXCHANGE for a favour, else the building in use."""
    return box.EXCHANGE if phase == Phase.RESOURCE else tile_in_use(s)


def may_trade(s, option):
    """Return whether the building, or the favour, has this trade and the player can pay [2.22, 4.4]."""
    me, row = s.seat[s.turn], trade_row(s, s.phase)
    if option >= box.TRADES[row] or me.money < box.PAY_MONEY[row, option]:
        return False
    if s.phase == Phase.RESOURCE and me.favour[box.Line.RESOURCES] < box.EXCHANGE_FROM:
        return False
    for kind in range(box.KINDS_OF_CUBE):
        if me.cubes[kind] < box.PAY_CUBES[row, option, kind]:
            return False
    all_cubes, common = held(me, box.KINDS_OF_CUBE), held(me, box.COMMON)
    return all_cubes >= box.PAY_ANY[row, option] and common >= box.PAY_COMMON[row, option]


def apply_trade(s, phase, option):
    """Pay and gain by a trade, and record the cubes that the player has yet to choose [2.22, D24]."""
    me, row = s.seat[s.turn], trade_row(s, phase)
    me.money += box.GAIN_MONEY[row, option] - box.PAY_MONEY[row, option]
    for kind in range(box.KINDS_OF_CUBE):
        me.cubes[kind] += box.GAIN_CUBES[row, option, kind] - box.PAY_CUBES[row, option, kind]
    earn(me, FROM_TRADES, box.GAIN_POINTS[row, option])
    s.give_any = box.PAY_ANY[row, option]
    s.give_common = box.PAY_COMMON[row, option]
    s.take = box.GAIN_COMMON[row, option]


# --- one cube at a time --------------------------------------------------------------------------------------


def may_give(s, kind):
    """Return whether the player may give a cube of this kind. Gold pays `give_any` only [2.19, 2.22, D4, D22]."""
    return s.seat[s.turn].cubes[kind] > 0 and (s.give_any > 0 or kind != Cube.GOLD)


def apply_give(s, kind):
    """Remove one of the cubes owed from the seat to move [2.22]."""
    s.seat[s.turn].cubes[kind] -= 1
    if s.give_any > 0:
        s.give_any -= 1
    else:
        s.give_common -= 1


def may_take(s, kind):
    """Return whether the player may take this kind of cube [2.17, 2.18, 2.22, 4.4]."""
    match s.phase:
        case Phase.PRODUCE:
            return box.YIELD[tile_in_use(s), kind, kind] > 0
        case Phase.BONUS:
            return box.BONUS[tile_in_use(s), kind] > 0
        case Phase.RESOURCE:
            return s.seat[s.turn].favour[box.Line.RESOURCES] >= box.CUBE_FROM[kind]
    return kind != Cube.GOLD


def apply_take(s, phase, kind):
    """Give the seat to move a cube from the unlimited supply, or what a building produces [1.1, 2.17, D21]."""
    if phase == Phase.PRODUCE:
        produce(s, tile_in_use(s), kind)
    else:
        s.seat[s.turn].cubes[kind] += 1
        if phase == Phase.TAKE:
            s.take -= 1
