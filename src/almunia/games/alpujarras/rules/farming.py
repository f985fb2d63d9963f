"""Alpujarras: farmers, fields and harvests (RULES.md, sections 4 and 9)."""

from ....core.contract import NONE
from .. import components as box
from .norias import gain
from .state import ADD, FROM, FRUIT, PICK, SPACE, TO, layer, may_take, take_fruit

# --- Adding and moving farmers [4.1-4.6] ------------------------------------------------------------


def list_farmers(s, owed, out, n):
    """List the farmlands where a farmer may be added, then those that a farmer may leave, and return the new length."""
    me = s.seat[s.turn]
    for land in range(box.LANDS):
        if owed.todo[box.ADD] > 0 and me.farmers > 0 and fits(owed, land):
            out[n] = ADD + land
            n += 1
    for land in range(box.LANDS):
        if me.farmland[land] > 0 and can_leave(me, owed, land):
            out[n] = FROM + land
            n += 1
    return n


def fits(owed, land):
    """Return whether the shield [4.5] and the first of two farmers allow a farmer in this farmland [4.4, D10]."""
    return owed.used != land and (owed.shield == NONE or owed.shield == land)


def becomes_move(me, owed):
    """Return whether an owed addition is a move, because the player's supply is empty [4.3]."""
    return owed.todo[box.ADD] > 0 and me.farmers == 0


def may_enter(me, owed, land):
    """Return whether the actions owed let a farmer move to this farmland [4.3, 4.6, D9, D46]."""
    return owed.todo[box.MOVE] > 0 or (becomes_move(me, owed) and fits(owed, land))


def can_leave(me, owed, land):
    """Return whether a farmer who leaves this farmland may enter another farmland [4.6, D11]."""
    for other in range(box.LANDS):
        if other != land and may_enter(me, owed, other):
            return True
    return False


def apply_add(s, land):
    """Add a farmer from the supply to a farmland [4.1, 4.2]."""
    me = s.seat[s.turn]
    me.farmers -= 1
    done_adding(s.owed[layer(s)], land)
    join(s, me, land)


def done_adding(owed, land):
    """Settle one owed addition, and record its farmland, which a second farmer may not enter [4.4]."""
    owed.todo[box.ADD] -= 1
    owed.used = land


def apply_from(s, land):
    """Take a farmer out of this farmland, for another farmland or for a goal card [4.6, 7.5]."""
    s.seat[s.turn].farmland[land] -= 1
    if s.calling_farmer:
        s.calling_farmer = 0
    else:
        s.moving_from = land


def legal_to(s, out):
    """List the farmlands that the moving farmer may enter, and return their number [4.6, D11]."""
    n = 0
    me, owed = s.seat[s.turn], s.owed[layer(s)]
    for land in range(box.LANDS):
        if land != s.moving_from and may_enter(me, owed, land):
            out[n] = TO + land
            n += 1
    return n


def apply_to(s, land):
    """Put the moving farmer into the farmland [4.6]."""
    me, owed = s.seat[s.turn], s.owed[layer(s)]
    if becomes_move(me, owed) and fits(owed, land):
        done_adding(owed, land)
    else:
        owed.todo[box.MOVE] -= 1
    s.moving_from = NONE
    join(s, me, land)


def legal_call(s, out):
    """List the farmlands with a farmer of the player, and return their number [7.5]."""
    n = 0
    for land in range(box.LANDS):
        if s.seat[s.turn].farmland[land] > 0:
            out[n] = FROM + land
            n += 1
    return n


def join(s, me, land):
    """Put a farmer into a farmland, and take a fruit there if exactly one kind can be taken [4.2, D7].

    Of several kinds, the player chooses next.
    """
    me.farmland[land] += 1
    kinds, last = 0, NONE
    for fruit in range(box.LANDS):
        if may_pick(s, me, land, fruit):
            kinds += 1
            last = fruit
    if kinds == 1:
        pick(s, land, last)
    elif kinds > 1:
        s.joined_land = land


# --- Fruit from the fields, and from the supply [4.2, 4.7, 4.8] ---------------------------------------


def legal_pick(s, out):
    """List the fruits that the player may pick in the farmland, and return their number [4.2, 1.4]."""
    n = 0
    me, land = s.seat[s.turn], s.joined_land
    for fruit in range(box.LANDS):
        if may_pick(s, me, land, fruit):
            out[n] = PICK + fruit
            n += 1
    return n


def may_pick(s, me, land, fruit):
    """Return whether the fruit grows in the farmland and the player has room for it [4.2, D8]."""
    return s.growing[land, fruit] > 0 and me.fruit[fruit] < box.MOST_FRUIT


def apply_pick(s, fruit):
    """Take the chosen fruit from the farmland [4.2, D7]."""
    pick(s, s.joined_land, fruit)
    s.joined_land = NONE


def pick(s, land, fruit):
    s.growing[land, fruit] -= 1
    s.seat[s.turn].fruit[fruit] += 1


def list_fruit(s, owed, out, n):
    """If fruit is owed, list the fruits that the player may take. Return the new length [4.7, 4.8]."""
    if owed.todo[box.FRUIT] > 0:
        for fruit in range(box.LANDS):
            if may_take(s, s.seat[s.turn], fruit):
                out[n] = FRUIT + fruit
                n += 1
    return n


def apply_fruit(s, fruit):
    """Take one fruit from the supply for one fruit icon [4.7, D47]."""
    s.owed[layer(s)].todo[box.FRUIT] -= 1
    take_fruit(s, fruit)


# --- Harvest [9] ------------------------------------------------------------------------------------


def can_harvest(s):
    """Return whether a harvest is owed and the player has the most farmers in any farmland [9.1, D26]."""
    if s.owed[SPACE].todo[box.HARVEST] > 0:
        for land in range(box.LANDS):
            if leads(s, land):
                return True
    return False


def leads(s, land):
    """Return whether the player to move has the most farmers in a farmland [9.2, 9.3, D26, D27].

    With two players, a tie is not enough.
    """
    own = s.seat[s.turn].farmland[land]
    for p in range(s.seats):
        if p != s.turn:
            other = s.seat[p].farmland[land]
            if other > own or (other == own and s.seats == 2):
                return False
    return own > 0


def apply_harvest(s):
    """Take a primary fruit, or else gain a noria, for each farmland that the player leads [9.1, 9.4, D14, D42]."""
    norias = 0
    for land in range(box.LANDS):
        if leads(s, land):
            if may_take(s, s.seat[s.turn], land):  # the primary fruit has the farmland's number
                take_fruit(s, land)
            else:
                norias += 1
    s.owed[SPACE].todo[box.HARVEST] = 0
    gain(s, norias)
