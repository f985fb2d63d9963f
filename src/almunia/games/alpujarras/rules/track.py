"""Alpujarras: the track and the mules (RULES.md, section 3)."""

from .. import components as box
from .state import FROM_END, FROM_TRACK, GO, MULES, NOWHERE, SPACE, ZARA, earn, owe


def list_places(s, out):
    """List the places to which the mule may go, and return their number [3.3-3.5, D3, D4]."""
    n = 0
    here = s.mule[s.turn]
    for position in range(here + 1, box.POSITIONS):
        if s.track[position] != NOWHERE and is_free(s, position) and not same_space(s, here, position):
            out[n] = GO + position
            n += 1
    return n


def is_free(s, position):
    """Return whether no mule is on the position [3.4]."""
    for mule in range(MULES):
        if s.mule[mule] == position:
            return False
    return True


def same_space(s, here, there):
    """Return whether both positions are spots of one start, market, harvest or end space [3.5, D2]."""
    kind = box.PLACE_KIND[s.track[here]]
    if kind == box.STANDARD or kind != box.PLACE_KIND[s.track[there]]:
        return False
    return box.PLACE_SEGMENT[s.track[here]] == box.PLACE_SEGMENT[s.track[there]]


def apply_go(s, position):
    """Move the mule, pay the dirhems of its place, and owe the actions of its place [3.6, 3.7, D5, D6]."""
    s.mule[s.turn] = position
    s.moved = 1
    place = s.track[position]
    owe(s.owed[SPACE], box.PLACE_OWES, place)
    s.owed[SPACE].shield = box.SHIELD[place]
    earn(s, FROM_END if box.PLACE_KIND[place] == box.END_SPOT else FROM_TRACK, box.PLACE_PAYS[place])


def at_end(s, mule):
    """Return whether this mule is in the end space [10.3, D29]."""
    return box.PLACE_KIND[s.track[s.mule[mule]]] == box.END_SPOT


def furthest_back(s, mules):
    """Return the mule furthest back among the first `mules` mules [3.2, D2]."""
    behind = 0
    for mule in range(1, mules):
        if s.mule[mule] < s.mule[behind]:
            behind = mule
    return behind


def next_is_zara(s):
    """Return whether Zara's mule takes part and is furthest back [11.3]."""
    return box.WITH_ZARA[s.seats] and s.mule[ZARA] < s.mule[furthest_back(s, s.seats)]
