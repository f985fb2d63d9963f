"""The state of Alpujarras in the words of `naive`."""

from collections import Counter

from almunia.games.alpujarras import components as box
from almunia.games.alpujarras.components import COLOURS, DATA, FRUITS, SEGMENT_IDS
from almunia.games.alpujarras.rules import state as numbers
from almunia.games.alpujarras.tests import naive

PRIMARIES = dict(zip(COLOURS, FRUITS, strict=True))
STARTS = [start["id"] for start in DATA["channel_start"]]
ADJACENT = {space["id"]: space["adjacent"] for space in DATA["channel_space"]}
CARDS = DATA["delivery_card"]
SEGMENTS = {segment["id"]: segment for segment in DATA["segment"]}


def heap(counts):
    return dict(zip(FRUITS, counts, strict=True))


def by_land(counts):
    return dict(zip(COLOURS, counts, strict=True))


def track_of(s):
    order, side = [], ("blue", "green")[box.SIDE[s.seats]]
    for place in s.track:
        if place >= 0 and SEGMENT_IDS[box.PLACE_SEGMENT[place]] not in order:
            order.append(SEGMENT_IDS[box.PLACE_SEGMENT[place]])
    return naive.lay_track([SEGMENTS[name] for name in order], side)


def mules_of(s):
    return {("zara" if p == s.seats else p): s.mule[p] for p in range(s.seats + box.WITH_ZARA[s.seats])}


def tokens_of(s):
    return {
        COLOURS[v]: [
            (FRUITS[f], int(box.NUMBERS[i]))
            for f in range(box.LANDS)
            for i in range(box.SIZES)
            for _ in range(s.token[v, f, i])
        ]
        for v in range(box.LANDS)
    }


def taken_by(me):
    return [
        (FRUITS[f], int(box.NUMBERS[i]))
        for f in range(box.LANDS)
        for i in range(box.SIZES)
        for _ in range(me.token[f, i])
    ]


def legal_of(play, kind):
    """Return the arguments of the legal actions of a kind."""
    first, last = int(numbers.KIND_OFFSETS[kind]), int(numbers.KIND_OFFSETS[kind + 1])
    return {action - first for action in play.legal_actions if first <= action < last}


def layers(s):
    return [Counter({item: int(n) for item, n in enumerate(owed.todo) if n}) for owed in s.owed]
