"""Alpujarras for two: Zara's mule (RULES.md, section 11)."""

from ....core.contract import NONE
from ....engine.kernels.rng import randbelow
from .. import components as box
from .market import move_to_the_right
from .state import CARDS_IN_DECK, NOWHERE, ZARA, Phase
from .track import is_free, same_space


def apply_zara_roll(s):
    """Roll the die and move Zara's mule [11.4-11.6, 11.9, D32, D34].

    The phase stays ZARA_ROLL unless her mule stops in a market or harvest.
    """
    s.die = box.PIPS[randbelow(s.rng, len(box.PIPS))]
    s.reveals += 1
    s.mule[ZARA] = walk(s, s.mule[ZARA], s.die)
    kind = box.PLACE_KIND[s.track[s.mule[ZARA]]]
    if kind == box.MARKET_SPOT:
        s.phase = Phase.ZARA_MARKET
    elif kind == box.HARVEST_SPOT:
        s.phase = Phase.ZARA_HARVEST


def walk(s, here, steps):
    """Return Zara's position after a roll of `steps` [11.5, 11.6, D32].

    Only free positions outside Zara's space count. Zara stops in the first market or harvest on the way, and on the
    first free end spot.
    """
    last = here
    for position in range(here + 1, box.POSITIONS):
        if s.track[position] == NOWHERE or not is_free(s, position) or same_space(s, here, position):
            continue
        if last != here and is_stop(s, last) and not same_space(s, last, position):
            return last
        last = position
        steps -= 1
        if steps == 0 or box.PLACE_KIND[s.track[position]] == box.END_SPOT:
            return last
    return last


def is_stop(s, position):
    """Return whether the position is in a market or harvest, where Zara must stop [11.6]."""
    kind = box.PLACE_KIND[s.track[position]]
    return kind == box.MARKET_SPOT or kind == box.HARVEST_SPOT


def apply_zara_market(s):
    """If the back of the top card names a token, remove the token and update the market card [11.7, D33]."""
    back = top_card_back(s)
    if back != NONE:
        village, size = named_token(s, back // 2, back % 2 == 1)
        if village != NONE:
            s.token[village, back // 2, size] -= 1
            move_to_the_right(s, back // 2)


def top_card_back(s):
    """Return the back of the deck's top card, or NONE if the deck is empty [2.7, D38]."""
    if s.left == 0:
        return NONE
    card = s.deck[s.left - 1]
    return box.BACK[card] if card < box.CARDS else card - box.CARDS


def named_token(s, fruit, highest):
    """Return the village and size of the highest or lowest token of a fruit [11.7, D33].

    The village is NONE if no village has a token of the fruit.
    """
    found, number = NONE, 0
    for size in range(box.SIZES):
        for village in range(box.LANDS):
            if s.token[village, fruit, size] > 0 and (found == NONE or highest):
                found, number = village, size
    return found, number


def apply_zara_harvest(s):
    """Flip the top card, and move one of each of its fruits from a farmland to the supply [11.8, D35].

    The back of the new top card names the farmland. Fruits that do not grow there are left out. If the deck is empty,
    nothing happens.
    """
    if s.left > 0:
        card = flip(s)
        land = top_card_back(s) // 2  # the farmland has its primary fruit's number
        for fruit in range(box.LANDS):
            if box.ASKS[card, fruit] > 0 and s.growing[land, fruit] > 0:
                s.growing[land, fruit] -= 1
                s.supply[fruit] += 1


def flip(s):
    """Put the top card under the deck as a known card, and return the card [11.8, D41, D49]."""
    card = s.deck[s.left - 1]
    for place in range(CARDS_IN_DECK - 1, 0, -1):
        if place < s.left:
            s.deck[place] = s.deck[place - 1]
    s.deck[0] = card
    s.known = min(s.known + 1, s.left)
    s.reveals += 1
    return card
