"""The board of Caylus: the landscape, special buildings, bridge and turn order, and the road with its buildings."""

from typing import Any, NamedTuple

import svg

from ....core.contract import NONE, Overlay
from ....core.svg import cached_drawing, group_at, label, path, shape, use
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import Effect, Special
from ..rules.placing import usual_price
from ..rules.state import EMPTY, ActionKind
from ..text.actions import decode
from ..text.words import PLACE_IDS, SECTIONS, SPECIAL_NAMES, SPECIAL_WORDS, TILES, money_words, tile_words
from .castle import over_castle
from .gains import Choices, on_piece, target, width_of_chips
from .icons import Icon, fitted, rect, row
from .plan import BRIDGE_AT, BRIDGE_STEP, HEIGHT, SPECIAL_Y, SPOTS, STRIP, TILE_X, TILE_Y, WIDTH, way
from .shapes import mark, picture, worker
from .tiles import face

RIVER = (
    "M0 221C80 217 180 238 300 231S640 236 780 229 862 214 866 160 880 60 873 0H945C940 60 946 110 940 160"
    "S930 236 860 243 480 251 300 246 80 236 0 239Z"
)
RIPPLES = (
    "M40 229h22M150 235h30M330 238h26M470 240h34M620 239h22M740 237h30M884 40q14 5 26 0M896 92q14 5 26 0"
    "M882 138q14 5 28 0M892 226q12 0 20-6"
)
TUFTS = "M8 14l2-5 1 5 3-4M44 38l2-5 1 5 3-4M60 10l1-3 2 3M22 44l1-3 2 3"
TREES = (  # where the road does not bend: icon, x, y and scale
    ("tree", 18, 268, 1.2),
    ("fir", 30, 292, 1),
    ("bush", 16, 306, 0.9),
    ("fir", 984, 384, 1.1),
    ("tree", 986, 416, 1),
    ("fir", 14, 486, 1.1),
    ("bush", 26, 508, 0.8),
    ("tree", 22, 528, 0.9),
    ("tree", 984, 598, 1.2),
    ("fir", 974, 624, 0.9),
    ("bush", 988, 634, 0.8),
    ("fir", 958, 182, 0.7),
)
FURROWS = "M14 62q20-7 40 0M14 69q20-7 40 0M70 30q18-6 40 0M70 37q18-6 40 0"
PARAPETS = "M-15-22H111V-14Q48-20-15-14ZM-15 22H111V14Q48 20-15 14Z"
PARAPET_JOINTS = (
    "M1-22V-16M19-22V-17M37-22V-18M59-22V-18M77-22V-17M95-22V-16M1 16V22M19 17V22M37 18V22M59 18V22M77 17V22M95 16V22"
)
PRICE_SIGN = "M-32-13H32V11H4L0 17-4 11H-32Z"
BANNER = "M-23 6H23V150L0 162-23 150Z"
WORKER_AT, SPOT_AT = (111, 79), (111, 66)  # the foot of a worker on a tile, and the middle of its place
SPOT_R = 12  # the radius of that place
WALKER_SCALE = 1.12
SPECIAL_FOOT = 86  # of a worker at a special building
SPECIAL_ICONS: dict[Special, tuple[Icon, ...]] = {
    Special.GATE: (("anywhere", 1),),
    Special.TRADING_POST: (("coin", box.POST_MONEY),),
    Special.INN: (("coin", box.INN_PRICE),),
}


# --- the landscape -------------------------------------------------------------------------------------------


@cached_drawing
def land() -> list[svg.Element]:
    """Draw meadow, river and trees."""
    tufts = svg.Pattern(id="tufts", width=74, height=52, patternUnits="userSpaceOnUse", elements=[shape(TUFTS, "tuft")])
    grounds = [rect(0, 0, WIDTH, HEIGHT, kind, rx=12) for kind in ("meadow", "tufts")]
    boat = picture("merchants_guild", 884, 22, 0.9)
    trees = [use(f"i-{name}", x, y, scale) for name, x, y, scale in TREES]
    return [svg.Defs(elements=[tufts]), *grounds, shape(RIVER, "river"), shape(RIPPLES, "ripples"), boat, *trees]


@cached_drawing
def ways(provost: int) -> list[svg.Element]:
    """Draw the road, pale beyond the provost and with its ruts up to him."""
    whole, near = f"{way(box.ROAD)}H{WIDTH}", way(provost)
    known = svg.Defs(elements=[svg.Path(id="whole-way", d=path(whole)), svg.Path(id="near-way", d=path(near))])
    found = (("whole", "edge"), ("whole", "pale"), ("near", "used"), ("near", "ruts"), ("near", "ridge"))
    return [known, *(use(f"{part}-way", 0, 0, 1, "road", kind) for part, kind in found)]


# --- the road ------------------------------------------------------------------------------------------------


class Road(NamedTuple):
    """The road, as the board shows it."""

    spaces: tuple[tuple[int, int, int, int], ...]  # tile, owner, worker and pending residence
    bailiff: int  # the space reached
    provost: int


def road_of(s: State) -> Road:
    spaces = tuple(zip(s.road, s.owner, s.worker, s.pending, strict=True))
    return Road(spaces, s.bailiff, s.provost)


def road(shown: Road, section: int) -> list[svg.Element]:
    """Draw the spaces. A section of the castle has a sign on its space until it is scored."""
    found: list[svg.Element] = []
    signs = list(box.TRIGGER)[section:]
    for space, stands in enumerate(shown.spaces):
        reached = ("bailiff", shown.bailiff), ("provost", shown.provost)
        walkers = tuple(name for name, at in reached if at == space + 1)
        found.append(placed(space, *stands, space >= shown.provost, walkers, space + 1 in signs))
    return found


@cached_drawing
def placed(space: int, *look: Any) -> svg.G:
    """Draw a space where it lies; `look` has the other arguments of `on_space`."""
    return group_at(*SPOTS[space][:2], on_space(space, *look), name=PLACE_IDS[space])


@cached_drawing
def on_space(
    space: int,
    tile: int,
    owner: int,
    standing: int,
    pending: int,
    beyond: bool,
    walkers: tuple[str, ...] = (),
    has_sign: bool = False,
) -> list[svg.Element]:
    found: list[svg.Element] = [svg.Title(text=space_words(space, tile, owner, standing, pending))]
    found += [plot(space)] if tile == EMPTY else [face(tile)]
    if owner != NONE:
        found.append(use(f"owner-{owner}", 112))
    if pending != NONE:
        found += [use("i-residence", 90, 64, 1.1), mark(pending, 90, 67, 0.42)]
    if standing != NONE:
        found.append(worker(standing, *WORKER_AT, far=beyond))
    elif tile != EMPTY and box.EFFECT[tile] != Effect.IDLE:
        found.append(use("spot", *SPOT_AT))
    found += [use("milestone"), label(space + 1, 14, STRIP + 3, "middle")]
    if has_sign:
        section = list(box.TRIGGER).index(space + 1)
        sign: list[svg.Element] = [svg.Title(text=trigger_words(section)), use("sign")]
        found.append(group_at(94, STRIP, *sign, fitted(SECTIONS[section], -26, 4.6, 49)))
    for name, free, beside_sign in (("bailiff", 38, 33), ("provost", 64, 53)):
        if name in walkers:  # beside a sign they stand closer
            found.append(use(name, beside_sign if has_sign else free, STRIP + 10, WALKER_SCALE, name))
    return found


def plot(space: int) -> svg.G:
    """Draw an empty space with a bush, a tree or furrows."""
    grown = (use("i-bush", 24, 66, 0.8), use("i-tree", 104, 62, 0.9), shape(FURROWS, "furrows"))
    return svg.G(elements=[use("plot"), grown[space % 3]])


def trigger_words(section: int) -> str:
    """Return words for the space that triggers the scoring of a section."""
    name = SECTIONS[section]
    return f"When the bailiff comes here, the {name} {'are' if name.endswith('s') else 'is'} scored"


def space_words(space: int, tile: int, owner: int, standing: int, pending: int) -> str:
    if tile == EMPTY:
        return f"{space + 1}: an empty space"
    whose = f"; owner: player {owner + 1}" if owner != NONE else ""
    works = f"; worker of player {standing + 1}" if standing != NONE else ""
    later = f"; it becomes a residence of player {pending + 1}" if pending != NONE else ""
    return f"{space + 1}, {TILES[tile]}, {tile_words(tile)}{whose}{works}{later}"


# --- before the bridge ---------------------------------------------------------------------------------------


class Head(NamedTuple):
    """The special buildings, bridge and turn order, as the board shows them."""

    specials: tuple[tuple[int, ...], ...]  # workers by special building and circle
    stables_closed: bool
    passed: tuple[int, ...]
    price: int  # of a worker; NONE if all have passed
    order: tuple[int, ...]
    turn: int
    number: int  # of the turn


def head_of(s: State) -> Head:
    return Head(
        tuple(circles_of(s, special) for special in Special),
        s.seats < box.STABLES_FROM,
        tuple(s.passed)[: s.seats],
        usual_price(s) if s.passed[s.seats - 1] == NONE else NONE,
        tuple(s.order)[: s.seats],
        s.turn,
        s.turns + 1,
    )


def head(shown: Head) -> list[svg.Element]:
    found: list[svg.Element] = []
    for special, circles in zip(Special, shown.specials, strict=True):
        closed = special == Special.STABLES and shown.stables_closed
        found.append(special_building(special, circles, closed))
    return [*found, bridge(shown.passed, shown.price), turn_order(shown.order, shown.turn, shown.number)]


def circles_of(s: State, special: Special) -> tuple[int, ...]:
    """Return the workers' seats at a special building, circle by circle, with NONE for an empty circle."""
    several = {Special.STABLES: s.stables, Special.INN: s.inn}
    return tuple(several[special]) if special in several else (s.special[special],)


@cached_drawing
def special_building(special: Special, circles: tuple[int, ...], closed: bool) -> svg.G:
    """Draw a special building as a sign board with a picture, its effect and circles for workers."""
    place = box.ROAD + special
    spot, name = SPOTS[place], SPECIAL_NAMES[special]
    width, height = spot.width, spot.height
    words = f"{name}: {SPECIAL_WORDS[special]}{' (not with two players)' if closed else ''}"
    outline = (
        f"M6 0H{width - 6}L{width} 6V{height - 6}Q{width} {height} {width - 6} {height}H6Q0 {height} 0 {height - 6}V6Z"
    )
    found: list[svg.Element] = [
        svg.Title(text=words),
        shape(outline, "face", "signboard"),
        shape(f"M6.3.6H{width - 6.3:g}L{width - 0.6:g} 6.3V18H.6V6.3Z", "beam"),
        rect(4, 21, 41, 31, "sky", rx=3),
        shape("M4 52Q14 48 26 51T45 50V65H4Z", "grass"),
        picture(PLACE_IDS[place], 4, 19, 0.82),
        fitted(name, width / 2, 13.6, width - 8, "name", "middle"),
        *special_effect(special, (width + 45) / 2),
    ]
    if closed:
        found.append(shape(f"M3 {height - 4}L{width - 3} 22M3 22L{width - 3} {height - 4}", "crossed"))
        circles = ()
    for i, seat in enumerate(circles):
        x = special_x(width, len(circles), i)
        found.append(
            use("spot", x, SPECIAL_FOOT - 12, 0.9) if seat == NONE else worker(seat, x, SPECIAL_FOOT, scale=0.9)
        )
    return group_at(spot.x, spot.y, *found, name=PLACE_IDS[place], classes=["special"])


def special_x(width: float, circles: int, number: int) -> float:
    """Return the middle of a circle of a special building."""
    return round(width / 2 + (number - (circles - 1) / 2) * 26, 1)


def special_effect(special: Special, x: float) -> list[svg.Element]:
    match special:
        case Special.JOUST_FIELD:
            return [row(joust_price(), x, 32, 38), row((("arrow", 1), ("favour", 1)), x, 53, 38)]
        case Special.MERCHANTS_GUILD:
            return [use("provost", x - 12, 58, 0.8), label(f"\N{PLUS-MINUS SIGN}{box.STEPS}", x + 14, 48, "middle")]
        case Special.STABLES:
            return [fitted("1 2 3", x, 42, 30, "middle")]
    return [row(SPECIAL_ICONS[special], x, 40, 40, 1.25)]


def joust_price() -> tuple[Icon, ...]:
    return ("coin", box.JOUST_MONEY), ("cloth", box.JOUST_CLOTH)


@cached_drawing
def bridge(passed: tuple[int, ...], price: int) -> svg.G:
    """Draw the bridge: a stone for each player, with the marks of those who have passed, and the price of a worker."""
    said = "all have passed" if price == NONE else f"a worker costs {money_words(price)}"
    found: list[svg.Element] = [svg.Title(text=f"Bridge: {said}"), shape(PARAPETS, "wall")]
    found.append(shape(PARAPET_JOINTS, "joint"))
    next_free = passed.index(NONE) if NONE in passed else NONE
    for i, seat in enumerate(passed):
        x = BRIDGE_STEP * i
        found.append(svg.Circle(class_=["now" if i == next_free else "cobble"], cx=x, r=11))
        number = label(i + 1, x, 4.8, "middle", *(["on-now"] if i == next_free else []))
        found.append(mark(seat, x, 0, 0.85) if seat != NONE else number)
    if price != NONE:
        sign: list[svg.Element] = [shape(PRICE_SIGN, "sign"), fitted("Price", -28, 3.6, 34)]
        found.append(group_at(49, -38, *sign, row((("coin", price),), 20, -1)))
    return group_at(*BRIDGE_AT, *found, name="bridge")


@cached_drawing
def turn_order(order: tuple[int, ...], turn: int, number: int) -> svg.G:
    """Draw the turn order as a banner, the first player on top."""
    found: list[svg.Element] = [svg.Title(text="The turn order"), shape(BANNER, "banner"), shape("M-29 3H29", "beam")]
    found += [label("Turn", 0, 22, "middle"), label(number, 0, 42, "middle", "large")]
    for i, seat in enumerate(order):
        y = 60 + 19 * i
        found += [rect(-21, y - 10, 42, 20, "now", rx=6)] if seat == turn else []
        found += [label(i + 1, -10, y + 4.6, "middle", *(["on-now"] if seat == turn else [])), mark(seat, 8, y, 0.8)]
    return group_at(970, 4, *found, name="order")


# --- choices -------------------------------------------------------------------------------------------------


def over_places(s: State, choices: Choices) -> list[Overlay]:
    """Return overlays for the legal actions that name a place of the board."""
    found, signs = over_castle(tuple(s.castle), choices), list(box.TRIGGER)[s.section :]
    for action, choice in choices.items():
        kind, arg = decode(action)
        half = width_of_chips(choice.chips) / 2
        if kind == ActionKind.MOVE:
            place, area = s.provost + arg - box.STEPS - 1, rect(0, 0, TILE_X, STRIP + 12)
            x, y = beside_sign(half) if place + 1 in signs else (TILE_X - 2 - half, STRIP)
            found += on_piece("board", PLACE_IDS[place], target(choices, action, area, x, y))
        elif kind == ActionKind.CONVERT or (kind == ActionKind.PLACE and arg < box.ROAD):
            beside_worker = max(half + 2, SPOT_AT[0] - SPOT_R - 2 - half)
            drawn = target(choices, action, rect(0, 0, TILE_X, TILE_Y), beside_worker, SPOT_AT[1])
            circle = [svg.Circle(class_=["vacant"], cx=SPOT_AT[0], cy=SPOT_AT[1], r=SPOT_R)]
            found += on_piece("board", PLACE_IDS[arg], [*drawn, *(circle if kind == ActionKind.PLACE else [])])
        elif kind == ActionKind.PLACE and arg < box.ROAD + len(Special):
            width = SPOTS[arg].width
            found += on_piece(
                "board", PLACE_IDS[arg], target(choices, action, rect(0, 0, width, SPECIAL_Y), width / 2, 74)
            )
    return found


def beside_sign(half: float) -> tuple[float, float]:
    """Return the middle of chips of a half width on a space with a sign: beside the sign, or on the picture."""
    return (53, STRIP) if half <= 11 else (4 + half, 68)
