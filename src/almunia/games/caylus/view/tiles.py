"""The tiles of Caylus, each with its upper left corner at 0, 0, and the cards for trades, batches and cubes."""

import svg

from ....core.english import capitalize
from ....core.svg import cached_drawing, group_at, label
from .. import components as box
from ..components import CLASSES, CUBES, Effect
from ..rules.building import cost
from ..rules.state import Phase
from ..text.words import TILES, cost_words, tile_words
from .icons import Icon, rect, row, title
from .plan import PRICED_Y, TILE_X, TILE_Y

Lines = list[tuple[Icon, ...]]


def heap(cubes: tuple[int, ...]) -> tuple[Icon, ...]:
    return tuple((CUBES[kind], count) for kind, count in enumerate(cubes) if count)


def coins(money: int) -> tuple[Icon, ...]:
    return (("coin", money),) if money else ()


def copies(name: str, count: int) -> tuple[Icon, ...]:
    """Return `count` copies of an icon, or for more than 2 a single icon with the number."""
    return ((name, 1),) * count if count <= 2 else ((name, count),)


def deal(row_of: int, option: int) -> tuple[Icon, ...]:
    """Return the icons of a trade: the price, an arrow, and the gain."""
    points = int(box.GAIN_POINTS[row_of, option])
    paid = coins(int(box.PAY_MONEY[row_of, option])) + heap(tuple(map(int, box.PAY_CUBES[row_of, option])))
    paid += copies("any", int(box.PAY_ANY[row_of, option])) + copies("common", int(box.PAY_COMMON[row_of, option]))
    gained = coins(int(box.GAIN_MONEY[row_of, option])) + heap(tuple(map(int, box.GAIN_CUBES[row_of, option])))
    gained += copies("common", int(box.GAIN_COMMON[row_of, option])) + ((("points", points),) if points else ())
    return (*paid, ("arrow", 1), *gained)


def produced(tile: int) -> tuple[Icon, ...]:
    """Return the icons of a building's production, with a stroke between alternatives."""
    found: list[tuple[Icon, ...]] = []
    for kind in range(box.KINDS_OF_CUBE):
        icons = heap(tuple(map(int, box.YIELD[tile, kind])))
        if icons and icons not in found:
            found.append(icons)
    return tuple(icon for number, icons in enumerate(found) for icon in ((("or", 1),) if number else ()) + icons)


def printed(tile: int) -> Lines:
    """Return the icons printed on a tile, line by line."""
    match box.EFFECT[tile]:
        case Effect.PRODUCE:
            return [produced(tile)]
        case Effect.TRADE:
            return [deal(tile, option) for option in range(box.TRADES[tile])]
        case Effect.BUILD:
            return [(("arrow", 1), (f"{CLASSES[box.BUILDS[tile]]} house", 1))]
        case Effect.CONVERT:
            paid = coins(box.CONVERT_MONEY) + heap((0, 0, 0, box.CONVERT_CLOTH, 0))
            return [(*paid, ("arrow", 1), ("residence", 1))]
    income = (("income", 1), ("coin", int(box.INCOME[tile]))) if box.INCOME[tile] else ()
    return [copies("favour", int(box.FAVOURS[tile])) + income]


@cached_drawing
def face(tile: int) -> svg.G:
    lines = printed(tile)
    drawn: list[svg.Element] = [
        rect(0, 0, TILE_X, TILE_Y, "face"),
        title(capitalize(TILES[tile]), 30, 20, TILE_X - 34),
    ]
    for number, icons in enumerate(lines):
        drawn.append(
            group_at(TILE_X / 2, 48 + 15 * (2 - len(lines)) // 2 + 27 * number - 5 * (len(lines) - 1), row(icons))
        )
    return svg.G(class_=["tile", CLASSES[box.CLASS[tile]]], elements=drawn)


@cached_drawing
def priced(tile: int, left: int, state: str, phase: Phase = Phase.BUILD) -> svg.G:
    price = heap(prices(tile, phase)) + copies("any", int(box.COST_ANY[tile]))
    bottom: tuple[Icon, ...] = (*price, ("arrow", 1), ("points", int(box.POINTS[tile])))
    cost = cost_words(prices(tile, phase), int(box.COST_ANY[tile]))
    name = f"{capitalize(TILES[tile])}, {tile_words(tile)}; costs {cost}"
    if box.FAVOURS[tile] and box.EFFECT[tile] != Effect.IDLE:
        bottom += (("favour", int(box.FAVOURS[tile])),)
    band = rect(0, TILE_Y - 14, TILE_X, PRICED_Y - TILE_Y + 14, "band")
    drawn: list[svg.Element] = [svg.Title(text=name), band, face(tile), group_at(TILE_X / 2, TILE_Y + 15, row(bottom))]
    if left != 1:
        drawn.append(label(f"\N{MULTIPLICATION SIGN}{left}", TILE_X - 8, 40, "left"))
    return svg.G(class_=["priced", state], elements=drawn)


def prices(tile: int, phase: Phase) -> tuple[int, ...]:
    """Return the price of a tile in a phase, by kind of cube [4.4]."""
    return tuple(int(cost(phase, tile, kind)) for kind in range(box.KINDS_OF_CUBE))


@cached_drawing
def bargain(name: str, icons: tuple[Icon, ...]) -> svg.G:
    ground = rect(0, 0, TILE_X, PRICED_Y, "face")
    return svg.G(
        class_=["tile", "bargain"], elements=[ground, title(name, 12, 24, TILE_X), group_at(TILE_X / 2, 74, row(icons))]
    )


def batch(pair: int, section: int) -> tuple[Icon, ...]:
    kinds = (box.Cube.FOOD, *(int(kind) for kind in box.PAIRS[pair]))
    return (*((CUBES[kind], 1) for kind in kinds), ("arrow", 1), ("points", int(box.BATCH_POINTS[section])))
