"""The positions of the pieces on the board of Alpujarras, in the picture's units.

The track runs around a square with the farmlands.
"""

from functools import cache, lru_cache
from itertools import groupby, pairwise
from math import atan2, ceil, cos, hypot, pi, sin
from typing import NamedTuple

from ....core.contract import NONE
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import DATA
from ..rules.state import NOWHERE

SIDE = 864  # the side of the track's square
DEPTH, LANE = 92, 44  # the depth of the track, and of the path inside it, on which mules stand
MIDDLE = SIDE / 2
INNER = MIDDLE - DEPTH  # from the middle to the track
ROOM = INNER - LANE  # to the edge of the farmlands
PATH = INNER - LANE / 2  # to the middle of the path
GAP = 3  # between places
PATH_SIDE = 2 * PATH  # the length of a side of the path
MULE_WIDTH = 45
SHOVES = 40  # rounds in which neighbours move apart; four mules need fewer
LEFTWARDS = 2  # the side of the board where mules walk to the left
WATER = ROOM * 0.92 / 500  # scale of the water from the data's coordinates

# The middle of each farmland's block, relative to the middle of the board, in the order of the data.
BLOCKS = ((0, -181), (203, -24), (156, 236), (-156, 236), (-203, -24))

# Channel spaces whose new field is not drawn towards its farmland, where other things stand: its offset.
FIELD_SHIFTS = {2: (-34, 1), 5: (37, -2), 12: (29, -15), 14: (-33, -22)}

Point = tuple[float, float]
Canal = tuple[Point, Point, tuple[int, ...]]  # two ends, and the channel spaces between them


class Spot(NamedTuple):
    """A place of the track: its side of the board, its position along the side from the middle, and its rectangle."""

    side: int
    along: float
    x: float  # of the left edge
    y: float  # of the top edge
    width: float
    height: float
    is_shared: bool  # whether two places share the column


def spots(s: State) -> list[Spot]:
    """Return the spot of every place of the track, in travel order."""
    return laid_out(tuple(place for place in s.track if place != NOWHERE))


@lru_cache(64)
def laid_out(places: tuple[int, ...]) -> list[Spot]:
    """Return the spots of these places along the track."""
    columns: list[tuple[int, int, int]] = []  # of each place: its column, its row, and the rows of the column
    end = 0
    for rows in stacks(places):
        columns += [(end, row, rows) for row in range(rows)]
        end += 1
    return [spot(*column, ceil(end / 4)) for column in columns]


def stacks(places: tuple[int, ...]) -> list[int]:
    """Return the number of places in each column of the track. Up to two spots of a space share a column."""
    found: list[int] = []
    for (_, kind), group in groupby(places, lambda place: (box.PLACE_SEGMENT[place], box.PLACE_KIND[place])):
        count = len(list(group))
        found += [1] * count if kind == box.STANDARD else [2] * (count // 2) + [1] * (count % 2)
    return found


def spot(column: int, row: int, rows: int, in_side: int) -> Spot:
    """Return the spot of a place in a column. `in_side` is the number of columns on each side of the track."""
    side, i = divmod(column, in_side)
    width, depth = (SIDE - DEPTH) / in_side, DEPTH / rows
    along, off = i * width - MIDDLE, row * depth - MIDDLE
    corners = [turned(x, y, side) for x, y in ((along, off), (along + width, off + depth))]
    (left, right), (top, bottom) = (sorted(both) for both in zip(*corners, strict=True))
    x, y = short(left + MIDDLE + GAP / 2), short(top + MIDDLE + GAP / 2)
    return Spot(side, short(along + width / 2), x, y, short(right - left - GAP), short(bottom - top - GAP), rows > 1)


def short(number: float) -> float:
    """Return a number with one decimal, or without one if it is 0."""
    return int(number) if number == int(number) else round(number, 1)


def turned(x: float, y: float, quarters: int) -> Point:
    """Return a point turned clockwise around the middle."""
    for _ in range(quarters):
        x, y = -y, x
    return x, y


def along_path(spot: Spot) -> float:
    """Return the distance along the path, from its first corner, to the point beside a place."""
    return spot.side * PATH_SIDE + max(0, min(PATH_SIDE, spot.along + PATH))


def on_path(distance: float) -> Point:
    """Return the point of the path at a distance from its first corner."""
    side, rest = divmod(distance % (4 * PATH_SIDE), PATH_SIDE)
    x, y = turned(rest - PATH, -PATH, int(side))
    return short(x + MIDDLE), short(y + MIDDLE)


def road(first: Spot, last: Spot) -> str:
    """Return the path from beside one place to beside a later one, as path data."""
    corners = [side * PATH_SIDE for side in range(first.side + 1, last.side + 1)]
    return "M" + "L".join(f"{x:g} {y:g}" for x, y in map(on_path, [along_path(first), *corners, along_path(last)]))


def standing(spots: list[Spot]) -> list[float]:
    """Return the distance along the path of a mule on each of these places. Mules that would overlap move apart."""
    stands = [along_path(spot) for spot in spots]
    order = sorted(range(len(spots)), key=lambda i: stands[i])
    for _ in range(SHOVES):
        for one, other in pairwise(order):
            push = max(0, MULE_WIDTH - stands[other] + stands[one]) / 2
            stands[one], stands[other] = stands[one] - push, stands[other] + push
    return stands


def free_stand(distance: float, taken: list[float]) -> float:
    """Return the distance along the path nearest to `distance` where a mule overlaps none that stands at `taken`."""
    beside = (stand + side * MULE_WIDTH for stand in taken for side in (-1, 1))
    free = (one for one in (distance, *beside) if all(abs(one - stand) > MULE_WIDTH - 1 for stand in taken))
    return min(free, key=lambda one: abs(one - distance))


def seen_from_middle(place: list[int], scale: float) -> Point:
    """Return a position of the data's canvas relative to the middle of the board."""
    return round((place[0] - 500) * scale, 1), round((place[1] - 500) * scale, 1)


CHANNELS = tuple(seen_from_middle(space["layout_xy"], WATER) for space in DATA["channel_space"])
STARTS = tuple(seen_from_middle(start["layout_xy"], WATER) for start in DATA["channel_start"])
LANDS = tuple(seen_from_middle(land["layout_xy"], ROOM / 500) for land in DATA["farmland"])


def outline(land: int) -> list[Point]:
    """Return the corners of a farmland at the edge of the farmlands, clockwise."""
    angles = sorted((atan2(y, x), i) for i, (x, y) in enumerate(LANDS))
    place = next(k for k, (_, i) in enumerate(angles) if i == land)
    own = angles[place][0]
    before = angles[place - 1][0] - (2 * pi if place == 0 else 0)
    after = angles[(place + 1) % len(angles)][0] + (2 * pi if place == len(angles) - 1 else 0)
    first, last = (before + own) / 2, (own + after) / 2
    corners = [pi / 4 + k * pi / 2 for k in range(-3, 4)]
    rays = [first, *(corner for corner in corners if first < corner < last), last]
    return [edge(ray) for ray in rays]


def land_at(x: float, y: float) -> int:
    """Return the farmland at a point relative to the middle of the board, or NONE."""
    if max(abs(x), abs(y)) > ROOM:
        return NONE
    return max(range(box.LANDS), key=lambda land: cosine(LANDS[land], (x, y)))


def cosine(one: Point, other: Point) -> float:
    """Return the cosine of the angle between two directions."""
    return (one[0] * other[0] + one[1] * other[1]) / (hypot(*one) * hypot(*other) or 1)


def edge(angle: float) -> tuple[float, float]:
    """Return the point where a ray from the middle meets the edge of the farmlands."""
    reach = ROOM / max(abs(cos(angle)), abs(sin(angle)))
    return reach * cos(angle), reach * sin(angle)


@cache
def new_field(space: int) -> tuple[float, float]:
    """Return the position of the crop of a t-shaped channel space, towards its farmland."""
    x, y = CHANNELS[space]
    to_x, to_y = BLOCKS[box.LEADS_TO[space]]
    far = hypot(to_x - x, to_y - y)
    shift_x, shift_y = FIELD_SHIFTS.get(space, (35 * (to_x - x) / far, 35 * (to_y - y) / far))
    return round(x + shift_x, 1), round(y + shift_y, 1)


@cache
def canals() -> tuple[Canal, ...]:
    """Return every canal, with the channel spaces that must be dug to make it wet."""
    ids = [space["id"] for space in DATA["channel_space"]]
    found: list[Canal] = []
    for number, start in enumerate(DATA["channel_start"]):
        found += [(STARTS[number], CHANNELS[ids.index(name)], (ids.index(name),)) for name in start["adjacent"]]
    for space in range(box.CHANNELS):
        for other in range(space):
            if box.ADJACENT[space, other]:
                found.append((CHANNELS[space], CHANNELS[other], (space, other)))
    return tuple(found)
