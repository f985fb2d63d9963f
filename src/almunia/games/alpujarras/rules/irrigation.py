"""Alpujarras: water channels and new crops (RULES.md, section 5)."""

from ....core.contract import NONE
from .. import components as box
from .norias import gain
from .state import CROP, DIG, DUG, FROM_WATER, earn, layer, may_take, take_fruit


def list_channels(s, owed, out, n):
    """If digging is owed, list the channel spaces that can be dug. Return the new length [5.1, 5.2]."""
    if owed.todo[box.DIG] > 0:
        for space in range(box.CHANNELS):
            if can_be_dug(s, space):
                out[n] = DIG + space
                n += 1
    return n


def can_be_dug(s, space):
    """Return whether the space is empty and next to a starting channel or a channel token [5.1, D12]."""
    if s.channel[space] != NONE:
        return False
    if box.AT_START[space]:
        return True
    for other in range(box.CHANNELS):
        if box.ADJACENT[space, other] and s.channel[other] != NONE:
            return True
    return False


def apply_dig(s, space):
    """Lay the channel token that fits the space. Only a t-shaped token leads to a new field [5.1, 5.2, 5.6]."""
    s.owed[layer(s)].todo[box.DIG] -= 1
    s.channel[space] = DUG
    if box.LEADS_TO[space] == NONE:
        take_icons(s, space)
    else:
        s.watered_space = space


def legal_crop(s, out):
    """List the fruits with a crop token left, and return their number [5.3, D12]."""
    n = 0
    for fruit in range(box.LANDS):
        if crop_tokens(s, fruit) > 0:
            out[n] = CROP + fruit
            n += 1
    return n


def crop_tokens(s, fruit):
    count = box.CROP_TOKENS
    for space in range(box.CHANNELS):
        count -= s.channel[space] == fruit
    return count


def apply_crop(s, fruit):
    """Plant a crop, and take one such fruit if possible, or with five in hand a noria [5.3-5.5, D13]."""
    s.channel[s.watered_space] = fruit
    if s.seat[s.turn].fruit[fruit] == box.MOST_FRUIT:
        gain(s, 1)
    elif may_take(s, s.seat[s.turn], fruit):
        take_fruit(s, fruit)


def asks_for_crop(s):
    """Return whether the new field still needs its crop [5.3]."""
    return s.watered_space != NONE and s.channel[s.watered_space] == DUG


def finish_field(s):
    """Lay two fruits on the crop token, or as many as the supply has, then take the icons [5.4, 5.5, 5.7, D55]."""
    space = s.watered_space
    s.watered_space = NONE
    fruit = s.channel[space]
    laid = min(box.CROP_FRUIT, s.supply[fruit])
    s.supply[fruit] -= laid
    s.growing[box.LEADS_TO[space], fruit] += laid
    take_icons(s, space)


def take_icons(s, space):
    """Take the dirhems and norias of the channel space [5.7, D43]."""
    earn(s, FROM_WATER, box.ICON_DIRHEMS[space])
    gain(s, box.ICON_NORIAS[space])
