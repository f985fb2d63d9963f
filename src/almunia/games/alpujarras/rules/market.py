"""Alpujarras: deliveries to villages, delivery cards and awards (RULES.md, section 8)."""

from ....core.contract import NONE
from .. import components as box
from .state import AWARD, AWARDED, BONUS, CARD, CARD_SALES, DELIVER, SPACE, TOKEN_SALES, earn, owe

TOKEN_CODES = box.LANDS * box.LANDS * box.SIZES  # village, fruit and number

# --- The market action: a token and a card, in either order [8.1] --------------------------------------


def list_deliveries(s, out, n):
    """List the tokens and cards that the market action still allows, and return the new length [8.1]."""
    if s.owed[SPACE].todo[box.MARKET] == 0:
        return n
    for arg in range(TOKEN_CODES):
        if may_deliver(s, arg):
            out[n] = DELIVER + arg
            n += 1
    for card in range(box.CARDS):
        if may_buy(s, card):
            out[n] = CARD + card
            n += 1
    return n


def in_market(s):
    """Return whether the market action has begun and is still owed [8.2, D23, D44]."""
    return s.owed[SPACE].todo[box.MARKET] > 0 and (s.token_taken or s.card_taken)


def can_go_on(s):
    """Return whether the player could earn a delivery token or card in a market action [8.1]."""
    for arg in range(TOKEN_CODES):
        if may_deliver(s, arg):
            return True
    for card in range(box.CARDS):
        if may_buy(s, card):
            return True
    return False


def maybe_close(s):
    """End a market action that has begun, if its other half is impossible [D54]."""
    if in_market(s) and not can_go_on(s):
        close(s)


def close(s):
    """End the market action [8.1]."""
    s.owed[SPACE].todo[box.MARKET] = 0


# --- Delivery tokens [8.3-8.6] ----------------------------------------------------------------------------


def may_deliver(s, arg):
    """Return whether the player could earn the token of a DELIVER argument in a market action [8.3, 8.4, D25]."""
    if s.token_taken:
        return False
    village = arg // (box.LANDS * box.SIZES)
    fruit, size = arg // box.SIZES % box.LANDS, arg % box.SIZES
    me = s.seat[s.turn]
    return me.farmland[village] > 0 and s.token[village, fruit, size] > 0 and me.fruit[fruit] >= box.NUMBERS[size]


def apply_deliver(s, arg):
    """Move the farmer to the village, pay the fruit, and take token, bonus and award [8.3-8.8, D23]."""
    me = s.seat[s.turn]
    village = arg // (box.LANDS * box.SIZES)
    fruit, size = arg // box.SIZES % box.LANDS, arg % box.SIZES
    me.farmland[village] -= 1
    me.village[village] += 1
    me.fruit[fruit] -= box.NUMBERS[size]
    s.supply[fruit] += box.NUMBERS[size]
    s.token[village, fruit, size] -= 1
    me.token[fruit, size] += 1
    s.token_taken = 1
    earn(s, TOKEN_SALES, box.REWARD[size])
    earn(s, BONUS, box.BONUS[place_on_market(s, fruit)])
    move_to_the_right(s, fruit)
    take_award(s, village)


def place_on_market(s, fruit):
    """Return the place of a fruit on the market card, from the left [8.6]."""
    for place in range(box.LANDS):
        if s.market[place] == fruit:
            return place
    return box.LANDS - 1


def move_to_the_right(s, fruit):
    """Move a fruit to the far right of the market card [8.6]."""
    for place in range(place_on_market(s, fruit), box.LANDS - 1):
        s.market[place] = s.market[place + 1]
    s.market[box.LANDS - 1] = fruit


# --- Awards [8.8, 8.9] ----------------------------------------------------------------------------------


def take_award(s, village):
    """Take the visible side of a village's award token, unless both sides are gone [8.8, D24]."""
    side = s.flipped[village]
    if side < len(box.AWARD_SIDES):
        row = s.award[village] * len(box.AWARD_SIDES) + side
        owe(s.owed[AWARD], box.AWARD_OWES, row)
        earn(s, AWARDED, box.AWARD_PAYS[row])
        s.flipped[village] += 1


# --- Delivery cards [8.7] ----------------------------------------------------------------------------------


def may_buy(s, card):
    """Return whether the player could earn a delivery card in a market action [8.7, D23]."""
    return not s.card_taken and is_open(s, card) and can_pay(s.seat[s.turn], card)


def is_open(s, card):
    """Return whether the card is face up."""
    for place in range(box.FACES_UP):
        if s.open[place] == card:
            return True
    return False


def can_pay(me, card):
    """Return whether the player has every fruit that the card shows [8.7]."""
    for fruit in range(box.LANDS):
        if me.fruit[fruit] < box.ASKS[card, fruit]:
            return False
    return True


def apply_card(s, card):
    """Pay the fruits of a delivery card, earn its dirhems, and turn up the next card, if any [8.7, D23, D25]."""
    me = s.seat[s.turn]
    for fruit in range(box.LANDS):
        me.fruit[fruit] -= box.ASKS[card, fruit]
        s.supply[fruit] += box.ASKS[card, fruit]
    s.taken[card] = s.turn
    s.card_taken = 1
    earn(s, CARD_SALES, box.WORTH[card])
    for place in range(box.FACES_UP):
        if s.open[place] == card:
            turn_up(s, place)


def turn_up(s, place):
    """Remove a face-up card, and put the top card of the deck, if any, in its place [8.7, D41]."""
    s.open[place] = NONE
    if s.left > 0:
        s.left -= 1
        s.open[place] = s.deck[s.left]
        s.deck[s.left] = NONE
        s.known = min(s.known, s.left)
        s.reveals += 1
