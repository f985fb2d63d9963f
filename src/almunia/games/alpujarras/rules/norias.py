"""Alpujarras: taking and spending norias, and exchanging fruit (RULES.md, section 6)."""

from ....core.contract import NONE
from .. import components as box
from .state import BOUGHT, BUY, FROM_NORIAS, GIVE, TAKE, earn, in_farmlands, may_take, take_fruit

# --- Taking norias [6.1-6.3] --------------------------------------------------------------------


def gain(s, norias):
    """Take norias if there is room for all. Otherwise all wait for purchases by the player [6.1-6.3, D15, D43]."""
    me = s.seat[s.turn]
    if me.norias + norias <= box.MOST_NORIAS:
        me.norias += norias
    else:
        s.noria_overflow = norias


def apply_keep(s):
    """Take as many waiting norias as there is room for, and lose the rest [1.5, 6.3, D15]."""
    me = s.seat[s.turn]
    me.norias = min(me.norias + s.noria_overflow, box.MOST_NORIAS)
    s.noria_overflow = 0


# --- Spending norias [6.5, 6.6] -------------------------------------------------------------------


def list_purchases(s, out, n):
    """List the purchases that the player can pay for and carry out, and return the new length [6.4, 6.5, D16]."""
    me = s.seat[s.turn]
    for price in range(1, me.norias + 1):
        if can_be_done(s, me, box.BUYS[price]):
            out[n] = BUY + price - 1
            n += 1
    return n


def can_be_done(s, me, what):
    """Return whether the player can do what a purchase buys: ADD, MOVE or SWAP [6.5, 6.6, D18]."""
    if what == box.SWAP:
        for fruit in range(box.LANDS):
            if may_give(s, me, fruit):
                return True
        return False
    return (what == box.ADD and me.farmers > 0) or in_farmlands(me) > 0


def apply_buy(s, price):
    """Pay norias, take the purchase's dirhems, and begin its action [6.5]."""
    s.seat[s.turn].norias -= price
    earn(s, FROM_NORIAS, box.BUYS_DIRHEMS[price])
    if box.BUYS[price] == box.SWAP:
        s.exchanging = 1
    else:
        s.owed[BOUGHT].todo[box.BUYS[price]] = 1
        s.owed[BOUGHT].shield = s.owed[BOUGHT].used = NONE


# --- Exchanging a fruit [6.6, D17] ------------------------------------------------------------------


def legal_give(s, out):
    """List the fruits that the player can return in an exchange, and return their number [6.6, D17]."""
    n = 0
    me = s.seat[s.turn]
    for fruit in range(box.LANDS):
        if may_give(s, me, fruit):
            out[n] = GIVE + fruit
            n += 1
    return n


def may_give(s, me, fruit):
    """Return whether the player has this fruit and can take another fruit for it [6.6]."""
    if me.fruit[fruit] == 0:
        return False
    for other in range(box.LANDS):
        if other != fruit and may_take(s, me, other):
            return True
    return False


def apply_give(s, fruit):
    """Return the fruit to the supply [6.6]."""
    s.seat[s.turn].fruit[fruit] -= 1
    s.supply[fruit] += 1
    s.given = fruit


def legal_take(s, out):
    """List the fruits of other kinds that the player can take in exchange, and return their number [6.6, D17]."""
    n = 0
    me = s.seat[s.turn]
    for fruit in range(box.LANDS):
        if fruit != s.given and may_take(s, me, fruit):
            out[n] = TAKE + fruit
            n += 1
    return n


def apply_take(s, fruit):
    """Take the fruit from the supply, and end the exchange [6.6]."""
    take_fruit(s, fruit)
    s.exchanging = 0
    s.given = NONE
