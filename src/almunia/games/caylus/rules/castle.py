"""Caylus: batches for the castle, the scoring of its sections, and the end (RULES.md, 2.23 to 3.2)."""

from ....core.contract import NONE
from .. import components as box
from ..components import Cube
from .favours import grant
from .state import FROM_BATCHES, FROM_CUBES, FROM_GOLD, FROM_MONEY, EndReason, earn, held, lose, points_of

# --- batches [2.23-2.26] -------------------------------------------------------------------------------------


def houses_in(s, section):
    count = 0
    for p in range(s.seats):
        count += s.seat[p].houses[section]
    return count


def building_site(s):
    """Return the section of the next house, the first with room from the current section on, or NONE [2.23, 2.24]."""
    for section in range(s.section, box.SECTIONS):
        if houses_in(s, section) < box.SPACES[section]:
            return section
    return NONE


def may_batch(s, pair):
    """Return whether the player has food and the pair's two cubes, and the castle has room [2.24, D8]."""
    me = s.seat[s.turn]
    enough = me.cubes[Cube.FOOD] > 0 and me.cubes[box.PAIRS[pair, 0]] > 0 and me.cubes[box.PAIRS[pair, 1]] > 0
    return enough and building_site(s) != NONE


def apply_batch(s, pair):
    """Remove the three cubes of a batch, build a house, and score its section's points [2.24]."""
    me, section = s.seat[s.turn], building_site(s)
    me.cubes[Cube.FOOD] -= 1
    for i in range(2):
        me.cubes[box.PAIRS[pair, i]] -= 1
    me.houses[section] += 1
    me.batches += 1
    earn(me, FROM_BATCHES, box.BATCH_POINTS[section])


def leave_castle(s):
    """Advance to the next circle. If there was room, a player without a batch loses up to 2 points [2.25, D10, D30]."""
    me = s.seat[s.turn]
    if me.batches == 0 and building_site(s) != NONE:
        lose(me, box.NO_BATCH)
    s.cursor += 1


def reward_builders(s):
    """Grant a favour for the most batches of this turn, if any. The lower circle wins ties [2.26, D9]."""
    most = 0
    for circle in range(s.seats):
        seat = s.castle[circle]
        if seat != NONE and s.seat[seat].batches > most:
            most = s.seat[seat].batches
            s.turn = seat
    if most > 0:
        grant(s, box.MOST_BATCHES)


def clear_castle(s):
    """Send the castle's workers home and reset the batches of the turn [2.26]."""
    for circle in range(s.seats):
        s.castle[circle] = NONE
        s.seat[circle].batches = 0


# --- the bailiff and the scoring [2.27-2.30] -----------------------------------------------------------------


def move_bailiff(s):
    """Move the bailiff two spaces if the provost is ahead, else one, and the provost to the same space [2.27]."""
    s.bailiff += box.BAILIFF_FAST if s.provost > s.bailiff else box.BAILIFF_SLOW
    s.provost = s.bailiff


def is_due(s, section):
    """Return whether the bailiff has reached the trigger of a section, or the section is full [2.28, D15]."""
    return s.bailiff >= box.TRIGGER[section] or houses_in(s, section) == box.SPACES[section]


def score_section(s, seat):
    """Grant the favours or subtract the points due for a player's houses in the current section [2.29, D12]."""
    s.turn = seat
    me = s.seat[seat]
    houses = me.houses[s.section]
    lose(me, -box.DUE_POINTS[s.section, houses])
    grant(s, box.DUE_FAVOURS[s.section, houses])


# --- the end [3] ---------------------------------------------------------------------------------------------


def finish(s):
    """Score gold, other cubes and deniers for all players, and end the play [3.1, D18, D20]."""
    for p in range(s.seats):
        me = s.seat[p]
        earn(me, FROM_GOLD, box.POINTS_PER_GOLD * me.cubes[Cube.GOLD])
        earn(me, FROM_CUBES, held(me, box.COMMON) // box.CUBES_PER_POINT)
        earn(me, FROM_MONEY, me.money // box.MONEY_PER_POINT)
    s.over = EndReason.TOWERS


def scores(s, out):
    """Write each seat's points [3.2]."""
    for p in range(s.seats):
        out[p, 0] = points_of(s.seat[p])
