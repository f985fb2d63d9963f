"""Alpujarras: water channels and new crops. Read this beside RULES.md, section 5."""

from ....core.contract import NONE
from .. import components as box
from .norias import gain
from .state import CROP, DIG, DUG, FROM_WATER, earn, layer, may_take, take_fruit


def list_channels(s, owed, out, n):
    """Spaces that water can reach; returns how many actions are listed now [5.1, 5.2]."""
    if owed.todo[box.DIG] > 0:
        for space in range(box.CHANNELS):
            if can_be_dug(s, space):
                out[n] = DIG + space
                n += 1
    return n


def can_be_dug(s, space):
    """Is the space empty, and beside a starting channel or a channel token? [5.1, D12]"""
    if s.channel[space] != NONE:
        return False
    if box.AT_START[space]:
        return True
    for other in range(box.CHANNELS):
        if box.ADJACENT[space, other] and s.channel[other] != NONE:
            return True
    return False


def apply_dig(s, space):
    """Lay the token whose shape fits; a straight one brings no crop [5.1, 5.2, 5.6]."""
    s.owed[layer(s)].todo[box.DIG] -= 1
    s.channel[space] = DUG
    if box.LEADS_TO[space] == NONE:
        take_icons(s, space)
    else:
        s.watered_space = space


def legal_crop(s, out):
    """Any crop token that is left [5.3, D12]."""
    n = 0
    for fruit in range(box.LANDS):
        if crop_tokens(s, fruit) > 0:
            out[n] = CROP + fruit
            n += 1
    return n


def crop_tokens(s, fruit):
    """How many crop tokens of a fruit are left."""
    count = box.CROP_TOKENS
    for space in range(box.CHANNELS):
        count -= s.channel[space] == fruit
    return count


def apply_crop(s, fruit):
    """The player's own fruit comes first, or a noria for whoever has five [5.3-5.5, D13]."""
    s.channel[s.watered_space] = fruit
    if s.seat[s.turn].fruit[fruit] == box.MOST_FRUIT:
        gain(s, 1)
    elif may_take(s, s.seat[s.turn], fruit):
        take_fruit(s, fruit)


def asks_for_crop(s):
    """Does a new field wait for its crop? [5.3]"""
    return s.watered_space != NONE and s.channel[s.watered_space] == DUG


def finish_field(s):
    """Then the token gets its fruit, as far as there is any, and then come the icons [5.4, 5.5, 5.7, D55]."""
    space = s.watered_space
    s.watered_space = NONE
    fruit = s.channel[space]
    laid = min(box.CROP_FRUIT, s.supply[fruit])
    s.supply[fruit] -= laid
    s.growing[box.LEADS_TO[space], fruit] += laid
    take_icons(s, space)


def take_icons(s, space):
    """Dirhems and norias shown on the channel space [5.7, D43]."""
    earn(s, FROM_WATER, box.ICON_DIRHEMS[space])
    gain(s, box.ICON_NORIAS[space])
