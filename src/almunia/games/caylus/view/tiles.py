"""The tiles of Caylus, each with its upper left corner at 0, 0, and the cards for trades, batches and cubes."""

import svg

from ....core.english import capitalize
from ....core.svg import cached_drawing, label, shape, use
from .. import components as box
from ..components import CLASSES, CUBES, Effect
from ..rules.building import cost
from ..rules.state import Phase
from ..text.words import TILES, cost_words, tile_words
from .icons import Icon, fitted, rect, row
from .plan import PRICED_Y, TILE_X, TILE_Y
from .shapes import mark, picture

Lines = list[tuple[Icon, ...]]
EFFECT_X, EFFECT_ROOM = 58, 66  # the left edge and the width of a tile's effect
NAME_ROOM = 94  # beside the owner's pennant
PRICE_Y = TILE_Y + 13.5  # the middle of the band with a tile's price
LARGE = 1.3  # the scale of a short line
LEAF = "M1 84V102Q1 106 5 106H122Q126 106 126 102V84"


def heap(cubes: tuple[int, ...]) -> tuple[Icon, ...]:
    return tuple((CUBES[kind], count) for kind, count in enumerate(cubes) if count)


def coins(money: int) -> tuple[Icon, ...]:
    return (("coin", money),) if money else ()


def copies(name: str, count: int) -> tuple[Icon, ...]:
    """Return `count` copies of an icon, or for more than 2 a single icon with the number."""
    return ((name, 1),) * count if count <= 2 else ((name, count),)


def alternatives(options: list[tuple[Icon, ...]]) -> tuple[Icon, ...]:
    """Return the icons of options, with a stroke between two options."""
    return tuple(icon for number, icons in enumerate(options) for icon in ((("or", 1),) if number else ()) + icons)


def deal(row_of: int, option: int) -> tuple[Icon, ...]:
    """Return the icons of a trade: the price, an arrow, and the gain."""
    points = int(box.GAIN_POINTS[row_of, option])
    paid = coins(int(box.PAY_MONEY[row_of, option])) + heap(tuple(map(int, box.PAY_CUBES[row_of, option])))
    paid += some("any", int(box.PAY_ANY[row_of, option])) + some("common", int(box.PAY_COMMON[row_of, option]))
    gained = coins(int(box.GAIN_MONEY[row_of, option])) + heap(tuple(map(int, box.GAIN_CUBES[row_of, option])))
    gained += some("common", int(box.GAIN_COMMON[row_of, option])) + ((("points", points),) if points else ())
    return (*paid, ("arrow", 1), *gained)


def some(name: str, count: int) -> tuple[Icon, ...]:
    return ((name, count),) if count else ()


def produced(tile: int) -> tuple[Icon, ...]:
    found: list[tuple[Icon, ...]] = []
    for kind in range(box.KINDS_OF_CUBE):
        icons = heap(tuple(map(int, box.YIELD[tile, kind])))
        if icons and icons not in found:
            found.append(icons)
    return alternatives(found)


def printed(tile: int) -> Lines:
    """Return the icons printed on a tile, line by line. The owner's bonus is a line with a flag."""
    match box.EFFECT[tile]:
        case Effect.PRODUCE:
            kinds = alternatives([(icon,) for icon in heap(tuple(map(int, box.BONUS[tile])))])
            return [produced(tile), *([(("owner", 1), *kinds)] if kinds else [])]
        case Effect.TRADE:
            return [deal(tile, option) for option in range(box.TRADES[tile])]
        case Effect.BUILD:
            return [(("arrow", 1), (f"{CLASSES[box.BUILDS[tile]]}-house", 1))]
        case Effect.CONVERT:
            paid = coins(box.CONVERT_MONEY) + heap((0, 0, 0, box.CONVERT_CLOTH, 0))
            return [(*paid, ("arrow", 1), ("residence", 1))]
    income = (("income", 1), ("coin", int(box.INCOME[tile]))) if box.INCOME[tile] else ()
    return [copies("favour", int(box.FAVOURS[tile])) + income]


@cached_drawing
def face(tile: int) -> list[svg.Element]:
    """Draw a tile without anything on it: its material, picture, name and effect."""
    kind, lines = CLASSES[box.CLASS[tile]], printed(tile)
    found: list[svg.Element] = [
        use(f"ground-{kind}"),
        use(f"band-{kind}"),
        picture(box.TILE_IDS[tile], 4, 21),
        fitted(capitalize(TILES[tile]), 8, 13.4, NAME_ROOM, "name"),
    ]
    if len(lines) == 1:
        return [*found, row(lines[0], EFFECT_X, 40, EFFECT_ROOM, LARGE, centred=False)]
    for y, icons in zip((29.5, 46.5), lines, strict=True):
        found.append(row(icons, EFFECT_X, y, EFFECT_ROOM, 0.84 if icons[0][0] == "owner" else 1, centred=False))
    return found


@cached_drawing
def priced(tile: int, left: int, state: str, phase: Phase = Phase.BUILD) -> svg.G:
    price = heap(prices(tile, phase)) + some("any", int(box.COST_ANY[tile]))
    cost = cost_words(prices(tile, phase), int(box.COST_ANY[tile]))
    name = f"{capitalize(TILES[tile])}, {tile_words(tile)}; costs {cost}"
    worth: list[svg.Element] = [
        use("i-points", 113, PRICE_Y, 1.25),
        label(int(box.POINTS[tile]), 113, PRICE_Y + 4.6, "on-points"),
    ]
    found: list[svg.Element] = [svg.Title(text=name), rect(0.5, 84.5, TILE_X - 1, 22, "band"), face(tile)]
    found += [row(price, 7, PRICE_Y, 80, centred=False), *worth]
    if box.FAVOURS[tile] and box.EFFECT[tile] != Effect.IDLE:
        found.append(row((("favour", int(box.FAVOURS[tile])),), 91, PRICE_Y))
    if state == "payable":
        found.append(shape(LEAF, "paid"))
    if left != 1:
        found.append(label(f"\N{MULTIPLICATION SIGN}{left}", 120, 13.4, "name", "left"))
    return svg.G(class_=["priced", state], elements=found)


@cached_drawing
def slot(tile: int, built: tuple[tuple[int, int], ...]) -> svg.G:
    """Draw the place of a tile whose copies are all built, with owner and space of each copy."""
    where = ", ".join(f"by player {owner + 1} on space {space + 1}" for owner, space in built)
    name = capitalize(TILES[tile])
    found: list[svg.Element] = [
        svg.Title(text=f"{name}: built {where}"),
        rect(0.5, 0.5, TILE_X - 1, PRICED_Y - 1, "slot"),
        fitted(name, TILE_X / 2, 36, TILE_X - 12, "name", "built"),
    ]
    for number, (owner, space) in enumerate(built):
        found += [mark(owner, 42, 60 + 24 * number, 0.9), label(f"on {space + 1}", 58, 65 + 24 * number)]
    return svg.G(class_=["sold"], elements=found)


def prices(tile: int, phase: Phase) -> tuple[int, ...]:
    """Return the price of a tile in a phase, by kind of cube [4.4]."""
    return tuple(int(cost(phase, tile, kind)) for kind in range(box.KINDS_OF_CUBE))


@cached_drawing
def bargain(name: str, icons: tuple[Icon, ...]) -> svg.G:
    found: list[svg.Element] = [
        rect(0.5, 0.5, TILE_X - 1, PRICED_Y - 1, "card"),
        label(name, TILE_X / 2, 26, "heading", "middle"),
        row(icons, TILE_X / 2, 66, TILE_X - 16, 2.2 if len(icons) == 1 else 1.5),
    ]
    return svg.G(class_=["bargain"], elements=found)


def batch(pair: int, section: int) -> tuple[Icon, ...]:
    kinds = (box.Cube.FOOD, *(int(kind) for kind in box.PAIRS[pair]))
    return (*((CUBES[kind], 1) for kind in kinds), ("arrow", 1), ("points", int(box.BATCH_POINTS[section])))
