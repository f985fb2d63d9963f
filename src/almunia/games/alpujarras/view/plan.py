"""The positions of the pieces on the board of Alpujarras, in the picture's units.

The track runs around a square with the farmlands.
"""

from functools import cache, lru_cache
from itertools import groupby
from math import atan2, ceil, cos, hypot, pi, sin
from typing import NamedTuple

from ....core.contract import NONE
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import DATA
from ..rules.state import NOWHERE

SIDE = 800  # the side of the track's square
DEPTH = 92  # the depth of the track
MIDDLE = SIDE / 2
INNER = MIDDLE - DEPTH  # from the middle to the track
ROOM = INNER - 4  # to the edge of the farmlands
WATER = ROOM * 0.92 / 500  # scale of the water from the data's coordinates

# The middle of each farmland's block, relative to the middle of the board, in the order of the data.
BLOCKS = ((0, -200), (206, -78), (158, 206), (-158, 206), (-206, -78))

Point = tuple[float, float]
Canal = tuple[Point, Point, tuple[int, ...]]  # two ends, and the channel spaces between them


class Spot(NamedTuple):
    """A place of the track: its middle, its rotation in degrees, and its size."""

    x: float
    y: float
    turn: int
    width: float
    depth: float


def spots(s: State) -> list[Spot]:
    """Return the spot of every place of the track, in travel order."""
    return laid_out(tuple(place for place in s.track if place != NOWHERE))


@lru_cache(64)
def laid_out(places: tuple[int, ...]) -> list[Spot]:
    """Return the spots of these places along the track."""
    columns: list[tuple[int, float, float]] = []  # of each place: its column, its offset across, and its depth
    end = 0
    for rows in stacks(places):
        for row in range(rows):
            depth = DEPTH / rows
            columns.append((end, (row - (rows - 1) / 2) * depth, depth))
        end += 1
    return [spot(*column, ceil(end / 4)) for column in columns]


def stacks(places: tuple[int, ...]) -> list[int]:
    """Return the number of places in each column of the track. Up to two spots of a space share a column."""
    found: list[int] = []
    for (_, kind), group in groupby(places, lambda place: (box.PLACE_SEGMENT[place], box.PLACE_KIND[place])):
        count = len(list(group))
        found += [1] * count if kind == box.STANDARD else [2] * (count // 2) + [1] * (count % 2)
    return found


def spot(column: int, across: float, depth: float, in_side: int) -> Spot:
    """Return the spot of a place in a column. `in_side` is the number of columns on each side of the track."""
    side, i = divmod(column, in_side)
    width = (SIDE - DEPTH) / in_side
    along, off = (i + 0.5) * width - MIDDLE, DEPTH / 2 - MIDDLE + across
    angle = side * pi / 2
    x, y = along * cos(angle) - off * sin(angle), along * sin(angle) + off * cos(angle)
    return Spot(round(x + MIDDLE, 1), round(y + MIDDLE, 1), 90 * side, width - 3, depth - 3)


def seen_from_middle(place: list[int], scale: float) -> Point:
    """Return a position of the data's canvas relative to the middle of the board."""
    return round((place[0] - 500) * scale, 1), round((place[1] - 500) * scale, 1)


CHANNELS = tuple(seen_from_middle(space["layout_xy"], WATER) for space in DATA["channel_space"])
STARTS = tuple(seen_from_middle(start["layout_xy"], WATER) for start in DATA["channel_start"])
LANDS = tuple(seen_from_middle(land["layout_xy"], ROOM / 500) for land in DATA["farmland"])


def outline(land: int) -> str:
    """Return the outline of a farmland as the points of a polygon."""
    angles = sorted((atan2(y, x), i) for i, (x, y) in enumerate(LANDS))
    place = next(k for k, (_, i) in enumerate(angles) if i == land)
    own = angles[place][0]
    before = angles[place - 1][0] - (2 * pi if place == 0 else 0)
    after = angles[(place + 1) % len(angles)][0] + (2 * pi if place == len(angles) - 1 else 0)
    first, last = (before + own) / 2, (own + after) / 2
    corners = [pi / 4 + k * pi / 2 for k in range(-3, 4)]
    rays = [first, *(corner for corner in corners if first < corner < last), last]
    return " ".join(["0,0", *(f"{x:.1f},{y:.1f}" for x, y in map(edge, rays))])


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
    far = ((to_x - x) ** 2 + (to_y - y) ** 2) ** 0.5
    return round(x + 31 * (to_x - x) / far, 1), round(y + 31 * (to_y - y) / far, 1)


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
