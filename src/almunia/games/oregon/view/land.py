"""The land on the board of Oregon: spaces of one terrain join to lakes, ranges and a railway.

The land is the same in all plays. At the edges of the board each terrain goes on for one space more, and is clipped.
"""

from collections.abc import Iterable
from functools import cache

import numpy as np
import svg

from ....core.svg import group_at, rect, shape
from .. import components as box
from ..components import Terrain
from .drawing import Elements, upright_use

U = 44  # the size of a space
LEFT, TOP = 58, 53  # the top left corner of the spaces; symbols and names of rows and columns lie outside
RIGHT, BOTTOM = LEFT + box.COLUMNS * U, TOP + box.ROWS * U
WIDE, HIGH = box.AREA_WIDTH * U, box.AREA_HEIGHT * U  # an area
LAND = "land-of-oregon"  # id of the group; below the pieces, above it `over_board` draws a veil
CLIP = "ore-clip"
PEAKS = "ore-peak-"

TERRAIN = box.TERRAIN.reshape(box.ROWS, box.COLUMNS)

Place = tuple[int, int]  # row and column of a space, or of the corner at its top left
Step = tuple[int, int]  # rows and columns

NORTH, EAST, SOUTH, WEST = STEPS = ((-1, 0), (0, 1), (1, 0), (0, -1))
GAUGE = 4.5  # from the middle of the railway to each rail

# Peaks around the middle of a space: half the width, height, offset of the top, and y of the foot.
PEAK_SIZES = ((19, 33, -2, 17), (19, 29, 3, 17), (14, 21, 1, 16), (11, 15, 0, 7))
HIGH_PEAK, BROAD_PEAK, LINK_PEAK, FOOTHILL = range(4)

MEADOWS = (  # centre and radii
    (150, 130, 96, 42),
    (330, 205, 120, 36),
    (560, 150, 90, 34),
    (190, 330, 100, 30),
    (455, 400, 130, 40),
    (610, 330, 80, 46),
    (290, 450, 90, 26),
)


def land() -> svg.G:
    """Draw all of the land, and the lines between spaces and between areas."""
    whole = rect(LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP, rx=6)
    clip = svg.Defs(elements=[svg.ClipPath(id=CLIP, elements=[whole])])
    plain = rect(LEFT, TOP, RIGHT - LEFT, BOTTOM - TOP, "plain", rx=0)
    drawn: Elements = [clip, plain, *grass(), *lakes(), *railway(), *ranges(), *grid()]
    return svg.G(id=LAND, clip_path=f"url(#{CLIP})", elements=drawn)


def sample(terrain: Terrain) -> Elements:
    """Draw one space of a terrain around 0, 0."""
    field = [rect(-U / 2, -U / 2, U, U, "plain", rx=5)]
    match terrain:
        case Terrain.PLAIN:
            return [*field, shape(tuft(-9, 10) + tuft(8, -4), "tufts")]
        case Terrain.MOUNTAIN:
            return [*field, rect(-19, -19, 38, 38, "scree", rx=10), *peak(*PEAK_SIZES[HIGH_PEAK])]
        case Terrain.RAIL:
            line, rails = pieces_of_line(0, 0, (EAST, WEST))
            bed = [rect(-U / 2, -19, U, 38, "cutting", rx=0), *track(line)]
            return [*field, *bed, shape(rails, "rails")]
        case Terrain.WATER:
            lake = [rect(-20, -20, 40, 40, "shore", rx=14), rect(-17, -17, 34, 34, "water", rx=12)]
            return [*field, *lake, shape(ripple(-1, -5) + ripple(2, 7), "ripples")]


@cache
def spaces_of(kind: Terrain) -> frozenset[Place]:
    """Return the spaces of a terrain on the board."""
    return frozenset((row, column) for row, column in np.argwhere(kind == TERRAIN).tolist())


def joined(kind: Terrain) -> set[Place]:
    """Return the spaces of a terrain on the board and one space beyond its edges."""
    beyond = np.pad(TERRAIN, 1, mode="edge")
    return {(row - 1, column - 1) for row, column in np.argwhere(beyond == kind).tolist()}


def centre(place: Place) -> tuple[int, int]:
    return LEFT + place[1] * U + U // 2, TOP + place[0] * U + U // 2


def variant(place: Place, k: int = 0) -> int:
    """Return a number from 0 to 99 that varies over the board, so that the land looks irregular."""
    row, column = place
    return (row * 7919 + column * 104729 + k * 1299709 + row * column * 31) % 100


def point(x: float, y: float) -> str:
    return f"{round(x, 1):g} {round(y, 1):g}"


# --- outlines ---------------------------------------------------------------------------------------------


def contour(spaces: Iterable[Place], inset: float, radius: float) -> str:
    """Return the path around these spaces, moved inwards by `inset`, with rounded corners."""
    return "".join(rounded(line, inset, radius) for line in outlines({*spaces}))


def outlines(spaces: set[Place]) -> list[list[tuple[Place, Step]]]:
    """Return the closed lines around these spaces, clockwise around the inside.

    Each line is a list of its sides: the corner where a side starts, and its direction. Spaces that only touch at a
    corner have separate lines.
    """
    starts = {NORTH: (EAST, (0, 0)), EAST: (SOUTH, (0, 1)), SOUTH: (WEST, (1, 1)), WEST: (NORTH, (1, 0))}
    sides: dict[tuple[Place, Step], None] = {}  # in the order of the spaces, so that a picture is always the same
    for space in sorted(spaces):
        for step, (direction, corner) in starts.items():
            if moved(space, step) not in spaces:
                sides[moved(space, corner), direction] = None
    lines, seen = [], set()
    for first in sides:
        line, side = [], first
        while side not in seen:
            seen.add(side)
            line.append(side)
            end, turn = moved(*side), STEPS.index(side[1])
            side = next((end, way) for k in (1, 0, -1) if (end, way := STEPS[(turn + k) % 4]) in sides)
        if line:
            lines.append(line)
    return lines


def moved(place: Place, step: Step) -> Place:
    return place[0] + step[0], place[1] + step[1]


def rounded(line: list[tuple[Place, Step]], inset: float, radius: float) -> str:
    drawn = ""
    for i, (corner, (down, right)) in enumerate(line):
        came_down, came_right = line[i - 1][1]
        if (came_down, came_right) == (down, right):
            continue
        x = LEFT + corner[1] * U - inset * (came_down + down)
        y = TOP + corner[0] * U + inset * (came_right + right)
        before = point(x - came_right * radius, y - came_down * radius)
        after = point(x + right * radius, y + down * radius)
        drawn += f"{'L' if drawn else 'M'}{before}Q{point(x, y)} {after}"
    return drawn + "Z"


# --- terrains ---------------------------------------------------------------------------------------------


def grass() -> Elements:
    """Draw meadows across the spaces, and a tuft on every fourth space of plain."""
    meadows = [svg.Ellipse(class_=["meadow"], cx=x, cy=y, rx=across, ry=down) for x, y, across, down in MEADOWS]
    tufts = ""
    for place in sorted(spaces_of(Terrain.PLAIN)):
        if variant(place) % 4 == 0:
            x, y = centre(place)
            tufts += tuft(x + variant(place, 1) % 19 - 9, y + variant(place, 2) % 15 - 3)
    return [*meadows, shape(tufts, "tufts")]


def tuft(x: float, y: float) -> str:
    return f"M{point(x - 4, y - 5)}l3 6 1-8 1 8 3-6"


def lakes() -> Elements:
    spaces = joined(Terrain.WATER)
    ripples = ""
    for place in sorted(spaces_of(Terrain.WATER)):
        x, y = centre(place)
        for k, lift in enumerate((-9, 10)):
            ripples += ripple(x + variant(place, k) % 17 - 8, y + lift + variant(place, k + 4) % 5 - 2)
    return [
        shape(contour(spaces, 1, 15), "shore"),
        shape(contour(spaces, 4, 14), "water"),
        shape(contour(spaces, 8.5, 11), "shallow"),
        shape(ripples, "ripples"),
    ]


def ripple(x: float, y: float) -> str:
    return f"M{point(x - 8, y)}q4-4 8 0t8 0"


def ranges() -> Elements:
    """Draw a peak on each mountain, and lower ones across the edges between two mountains."""
    spaces = spaces_of(Terrain.MOUNTAIN)
    peaks = []
    for place in spaces:
        x, y = centre(place)
        peaks.append((y, x, (HIGH_PEAK, BROAD_PEAK)[variant(place) % 2]))
        if moved(place, EAST) in spaces:
            peaks.append((y - 1, x + U // 2, LINK_PEAK))
        if moved(place, SOUTH) in spaces:
            peaks.append((y + U // 2, x + variant(place, 6) % 21 - 10, FOOTHILL))
    drawn = [group_at(x, y, upright_use(f"{PEAKS}{kind}")) for y, x, kind in sorted(peaks)]  # the lower ones in front
    symbols = [svg.G(id=f"{PEAKS}{kind}", elements=peak(*size)) for kind, size in enumerate(PEAK_SIZES)]
    scree = shape(contour(joined(Terrain.MOUNTAIN), 2.5, 13), "scree")
    return [svg.Defs(elements=[*symbols]), scree, *drawn]


def peak(half: float, high: float, lean: float, foot: float) -> Elements:
    """Draw a mountain with its shadow and its snow."""
    top, line = foot - high, foot - 0.64 * high  # of the snow
    left, right = -half + 0.64 * (half + lean), half - 0.64 * (half - lean)
    shadow = f"l{point(-0.14 * half, 0.45 * high)} {point(0.26 * half, 0.2 * high)}L{point(lean - 0.06 * half, foot)}"
    snow = f"l{point(0.18 * half, -0.07 * high)} {point(0.12 * half, 0.12 * high)}L{point(right, line)}"
    return [
        shape(f"M{point(-half, foot)}L{point(lean, top)} {point(half, foot)}Z", "ore-rock"),
        shape(f"M{point(lean, top)}{shadow}H{half:g}Z", "ore-shade"),
        shape(f"M{point(lean, top)}L{point(left, line)}{snow}Z", "ore-snow"),
    ]


def railway() -> Elements:
    line = rails = ""
    for place in sorted(spaces_of(Terrain.RAIL)):
        for ways in ways_through(place):
            middle, beside = pieces_of_line(*centre(place), ways)
            line, rails = line + middle, rails + beside
    cutting = shape(contour(joined(Terrain.RAIL), 3, 12), "cutting")
    return [cutting, *track(line), shape(rails, "rails")]


def track(line: str) -> Elements:
    """Draw ballast and sleepers along a line."""
    return [shape(line, "ballast"), shape(line, "sleepers")]


def ways_through(place: Place) -> list[tuple[Step, Step]]:
    """Return the pairs of sides that rails join on a space: one, or two at a junction."""
    near = spaces_of(Terrain.RAIL)
    sides = [step for step in STEPS if moved(place, step) in near]
    if len(sides) == 1:  # the railway leaves the board
        sides.append(STEPS[(STEPS.index(sides[0]) + 2) % 4])
    if len(sides) == 2:
        return [(sides[0], sides[1])]
    through = (NORTH, SOUTH) if NORTH in sides and SOUTH in sides else (EAST, WEST)
    branch = next(step for step in sides if step not in through)
    return [through, (through[0], branch)]


def pieces_of_line(x: float, y: float, ways: tuple[Step, Step]) -> tuple[str, str]:
    """Return the paths of a piece of the railway between two sides of the space around x, y: its middle, its rails."""
    middle, *rails = (piece_of_line(x, y, ways, offset) for offset in (0, -GAUGE, GAUGE))
    return middle, "".join(rails)


def piece_of_line(x: float, y: float, ways: tuple[Step, Step], offset: float) -> str:
    """Return a straight piece, or a quarter circle, at a distance from the middle of the railway."""
    (down, right), (other_down, other_right) = ways
    if (down, right) == (-other_down, -other_right):
        x, y = x + abs(down) * offset, y + abs(right) * offset
        end = point(x + other_right * U / 2, y + other_down * U / 2)
        return f"M{point(x + right * U / 2, y + down * U / 2)}L{end}"
    x, y = x + (right + other_right) * U / 2, y + (down + other_down) * U / 2  # the middle of the circle
    radius, sweep = U / 2 + offset, int(right * other_down < down * other_right)
    end = point(x - right * radius, y - down * radius)
    return f"M{point(x - other_right * radius, y - other_down * radius)}A{radius:g} {radius:g} 0 0 {sweep} {end}"


def grid() -> Elements:
    """Draw thin lines between spaces, and stronger ones between areas."""
    return [shape(lines(U, U), "thin"), shape(lines(WIDE, HIGH), "bold")]


def lines(wide: int, high: int) -> str:
    down = "".join(f"M{x} {TOP}V{BOTTOM}" for x in range(LEFT, RIGHT + 1, wide))
    return down + "".join(f"M{LEFT} {y}H{RIGHT}" for y in range(TOP, BOTTOM + 1, high))
