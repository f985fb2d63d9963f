"""Caylus: royal favours (RULES.md, section 4)."""

from .. import components as box
from ..components import Line
from .state import FROM_FAVOURS, LINES, Phase, ask, earn


def grant(s, favours):
    """Grant favours to the seat to move, or points if the option `favours` says so [4.2, 4.6, D31, D35]."""
    if s.favours:
        earn(s.seat[s.turn], FROM_FAVOURS, box.SIMPLE_POINTS * favours)
    else:
        s.granted += favours


def use_favour(s):
    """Ask for the line of the next favour. If all lines are used, the remaining favours are lost [4.2, 4.3, D31]."""
    for line in range(LINES):
        if may_favour(s, line):
            ask(s, s.turn, Phase.FAVOUR)
            return
    s.granted = 0


def may_favour(s, line):
    """Return whether the seat to move has not used the line in this stage [4.2, 4.3]."""
    return not s.seat[s.turn].used[line]


def apply_favour(s, line):
    """Advance the marker on a line if the next column is open, then use the line or ask how [4.1-4.4, D16]."""
    me = s.seat[s.turn]
    s.granted -= 1
    me.used[line] = 1
    me.favour[line] = min(me.favour[line] + 1, max(me.favour[line], box.OPEN[s.section]))
    column = me.favour[line] - 1
    match line:
        case Line.PRESTIGE:
            earn(me, FROM_FAVOURS, box.FAVOUR_POINTS[column])
        case Line.DENIERS:
            me.money += box.FAVOUR_MONEY[column]
        case Line.RESOURCES:
            s.phase = Phase.RESOURCE
        case Line.BUILDINGS:
            s.phase = Phase.BUILDING


def may_joust(s):
    """Return whether the player has the denier and the cloth for a joust [2.11]."""
    me = s.seat[s.turn]
    return me.money >= box.JOUST_MONEY and me.cubes[box.Cube.CLOTH] >= box.JOUST_CLOTH


def apply_joust(s):
    """Pay a denier and a cloth, and grant a favour [2.11, D17]."""
    me = s.seat[s.turn]
    me.money -= box.JOUST_MONEY
    me.cubes[box.Cube.CLOTH] -= box.JOUST_CLOTH
    grant(s, 1)
