"""The words of Caylus: names of cubes, tiles and places, trades, lines of favours, and a player's gains."""

from collections.abc import Iterable, Sequence

from ....core.contract import ElementRef, Points, RichLine, RuleRef
from ....core.english import NUMBERS, join_words, pluralize, signed
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import CLASSES, CUBES, DATA, Class, Effect, Special
from ..rules.state import CASTLE, EMPTY, points_of

TILES = tuple(str(row["name"]).lower() for row in DATA["building"])
SECTIONS = tuple(name.capitalize() for name in box.SECTION_IDS)
SPECIAL_NAMES = ("Gate", "Trading Post", "Merchants' Guild", "Joust Field", "Stables", "Inn")
LINE_NAMES = ("prestige", "deniers", "resources", "buildings")
LINE_IDS = tuple(f"line-{name}" for name in LINE_NAMES)  # ids in the picture
SPECIAL_IDS = tuple(special.name.lower() for special in Special)
PLACE_IDS = (*(f"space-{space + 1}" for space in range(box.ROAD)), *SPECIAL_IDS, "castle")  # ids in the picture
FEW = ("of any kind", "other than gold")


# --- places --------------------------------------------------------------------------------------------------


def place_name(s: State, place: int) -> str:
    """Return the name of a place, such as `Gate` or `7 peddler`."""
    if place == CASTLE:
        return "castle"
    if place >= box.ROAD:
        return SPECIAL_NAMES[place - box.ROAD]
    tile = s.road[place]
    return f"{place + 1} {TILES[tile]}" if tile != EMPTY else str(place + 1)


def the_place(s: State, place: int) -> str:
    """Return a place with an article, such as `the Gate` or `the peddler on space 7`."""
    if place >= box.ROAD:
        return f"the {place_name(s, place)}"
    return f"the {TILES[s.road[place]]} on space {place + 1}"


def tile_id(tile: int) -> str:
    return f"tile-{box.TILE_IDS[tile]}"


def place_ref(s: State, place: int) -> ElementRef:
    """Return the name of a place as a reference that highlights the place."""
    return ElementRef(the_place(s, place), PLACE_IDS[place])


# --- cubes and money -----------------------------------------------------------------------------------------


def heap_words(cubes: Sequence[int]) -> list[str]:
    """Return the number of cubes of each kind in words, without zeros, such as `2 food`."""
    return [f"{count} {CUBES[kind]}" for kind, count in enumerate(cubes) if count]


def cube_words(cubes: Sequence[int]) -> str:
    """Return cubes in words, such as `2 food and 1 gold`."""
    return join_words(heap_words(cubes))


def holdings_words(cubes: Sequence[int], money: int) -> str:
    """Return holdings in words, such as `1 food, 5 gold and 8 deniers`, or `nothing`."""
    return join_words([*heap_words(cubes), *([money_words(money)] if money else [])]) or "nothing"


def money_words(money: int) -> str:
    return pluralize(money, "denier")


def some(count: int, kinds: str) -> str:
    """Return a number of cubes in words, such as `a cube of any kind` or `two cubes other than gold`."""
    return f"{'a cube' if count == 1 else f'{NUMBERS[count]} cubes'} {kinds}"


def either(things: Iterable[str], last_or: str = " or ") -> str:
    """Join alternatives, such as `one, two or three`. For longer items, `last_or` may be `, or `."""
    *first, last = things
    return f"{', '.join(first)}{last_or}{last}" if first else last


def batch_words(pair: int) -> str:
    """Return the cubes of a batch in words, such as `food, wood and stone`."""
    return join_words(CUBES[kind] for kind in (box.Cube.FOOD, *(int(kind) for kind in box.PAIRS[pair])))


def batches(count: int) -> str:
    """Return a number of batches in words, such as `2 batches`."""
    return f"{count} {'batch' if count == 1 else 'batches'}"


# --- tiles ---------------------------------------------------------------------------------------------------


def cost_words(cubes: Sequence[int], of_any: int) -> str:
    """Return the price of a tile in words."""
    return join_words([*heap_words(cubes), *([some(of_any, FEW[0])] if of_any else [])]) or "nothing"


def is_for_a_cube(row: int) -> bool:
    """Return whether a building has a single trade, which buys or sells one cube of the player's choice."""
    return bool(box.TRADES[row] == 1 and box.PAY_ANY[row, 0] + box.PAY_COMMON[row, 0] + box.GAIN_COMMON[row, 0] == 1)


def trade_words(row: int, option: int) -> tuple[str, str]:
    """Return the price and the gain of a trade, such as `2 deniers` and `a cube other than gold`."""
    paid = [
        money_words(int(box.PAY_MONEY[row, option])) if box.PAY_MONEY[row, option] else "",
        cube_words([int(count) for count in box.PAY_CUBES[row, option]]),
        some(int(box.PAY_ANY[row, option]), FEW[0]) if box.PAY_ANY[row, option] else "",
        some(int(box.PAY_COMMON[row, option]), FEW[1]) if box.PAY_COMMON[row, option] else "",
    ]
    gained = [
        money_words(int(box.GAIN_MONEY[row, option])) if box.GAIN_MONEY[row, option] else "",
        cube_words([int(count) for count in box.GAIN_CUBES[row, option]]),
        pluralize(int(box.GAIN_POINTS[row, option]), "point") if box.GAIN_POINTS[row, option] else "",
        some(int(box.GAIN_COMMON[row, option]), FEW[1]) if box.GAIN_COMMON[row, option] else "",
    ]
    return join_words(filter(None, paid)), join_words(filter(None, gained))


def effect_words(tile: int) -> str:
    """Return words for the effect or the income of a building, or an empty string."""
    match box.EFFECT[tile]:
        case Effect.PRODUCE:
            yields = {cube_words([int(count) for count in row]) for row in box.YIELD[tile] if any(row)}
            return f"produces {either(sorted(yields, reverse=True))}"
        case Effect.TRADE:
            deals = (trade_words(tile, option) for option in range(box.TRADES[tile]))
            return f"trades {either((f'{paid} for {gained}' for paid, gained in deals), ', or ')}"
        case Effect.BUILD:
            return f"builds a {CLASSES[box.BUILDS[tile]]} building"
        case Effect.CONVERT:
            return f"makes a residence for {money_words(box.CONVERT_MONEY)} and {box.CONVERT_CLOTH} cloth"
    return f"income {box.INCOME[tile]}" if box.INCOME[tile] else ""


def rule_of(tile: int) -> str:
    """Return the mark of the rule on the effect of a building."""
    match box.EFFECT[tile]:
        case Effect.PRODUCE:
            return "2.17"
        case Effect.TRADE:
            return "2.22"
        case Effect.CONVERT:
            return "2.21"
    return building_rule(int(box.BUILDS[tile]))


def building_rule(kind: int) -> str:
    """Return the mark of the rule on building a class of buildings."""
    return "2.20" if kind == Class.PRESTIGE else "2.19"


def bonus_words(tile: int) -> str:
    """Return words for the owner's bonus of a stone building, or an empty string [2.18]."""
    kinds = heap_words([int(count) for count in box.BONUS[tile]])
    return f"its owner gets {either(kinds)} when another player uses it" if kinds else ""


def worth_words(tile: int) -> str:
    """Return the points and favours for building a tile, such as `3 points and 1 favour`."""
    points, favours = int(box.POINTS[tile]), int(box.FAVOURS[tile])
    words = [pluralize(points, "point") if points else "", pluralize(favours, "favour") if favours else ""]
    return join_words(filter(None, words))


def tile_words(tile: int) -> str:
    """Return a tile's class, worth and effect in words, such as `wood building, 2 points: produces 2 wood`."""
    kind = CLASSES[box.CLASS[tile]]
    name = {Class.FIXED: "printed building", Class.RESIDENTIAL: "residence"}.get(box.CLASS[tile], f"{kind} building")
    does = joined(effect_words(tile), bonus_words(tile))
    return f"{', '.join(filter(None, [name, worth_words(tile)]))}{f': {does}' if does else ''}"


def joined(*words: str) -> str:
    """Return the words that are not empty, joined by semicolons."""
    return "; ".join(filter(None, words))


SPECIAL_WORDS = (
    "moves its worker to another place for free",
    f"gives {money_words(box.POST_MONEY)}",
    f"moves the provost by up to {box.STEPS} spaces",
    f"sells a favour for {money_words(box.JOUST_MONEY)} and {box.JOUST_CLOTH} cloth",
    "moves you to the front of the turn order",
    f"its worker moves to the right circle; from next turn, your other workers cost {money_words(box.INN_PRICE)} each",
)


# --- favours -------------------------------------------------------------------------------------------------


def resources_up_to(column: int) -> str:
    """Return the choices on the line of resources up to a column, such as `a food, a wood or a stone`."""
    things = [(int(box.CUBE_FROM[kind]), f"a {name}") for kind, name in enumerate(CUBES)]
    paid, gained = trade_words(box.EXCHANGE, 0)
    things.append((box.EXCHANGE_FROM, f"{gained} for {paid}"))
    found = [words for start, words in sorted(things, key=lambda thing: thing[0]) if start <= column]
    return either(found, " or " if column < box.EXCHANGE_FROM else ", or ")


def buildings_up_to(column: int) -> str:
    """Return the choices on the line of buildings up to a column, such as `a wood building for 1 wood less`."""
    things = [(box.CONVERTS_FROM, f"a residence for {box.CONVERT_CLOTH} cloth")]
    for kind in Class:
        less = cube_words([int(count) for count in box.DISCOUNT[kind]])
        things.append((int(box.BUILDS_FROM[kind]), f"a {CLASSES[kind]} building{f' for {less} less' if less else ''}"))
    found = [words for start, words in sorted(things, key=lambda thing: thing[0]) if start <= column]
    return either(found, ", or ") if found else "nothing yet"


# --- gains ---------------------------------------------------------------------------------------------------


def points_gained(before: State, after: State, seat: int) -> int:
    """Return the points that a player has gained from one position to another, negative for a loss."""
    return int(points_of(after.seat[seat]) - points_of(before.seat[seat]))


def gains(before: State, after: State, seat: int) -> list[str | Points]:
    """Return a player's changes in points, cubes and money as parts of a line, such as `+2, +1 food`."""
    was, now = before.seat[seat], after.seat[seat]
    points = points_gained(before, after, seat)
    more = [now.cubes[kind] - was.cubes[kind] for kind in range(box.KINDS_OF_CUBE)]
    words = [f"{signed(count)} {CUBES[kind]}" for kind, count in enumerate(more) if count]
    money = now.money - was.money
    if money:
        words.append(f"{signed(money)} {'denier' if abs(money) == 1 else 'deniers'}")
    found: list[str | Points] = [Points(points)] if points else []
    return [*found, f"{', ' if found else ''}{', '.join(words)}"] if words else found


def sentence(line: RichLine, told: RichLine, *rules: str) -> RichLine:
    """Return a line with its gains, if any, and the marks of the rules behind it."""
    return [*line, *([": ", *told] if told else []), ".", *map(RuleRef, rules)]
