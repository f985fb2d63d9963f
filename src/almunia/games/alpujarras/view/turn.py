"""The turn of Alpujarras: the actions owed with their buttons, the fruit, and the purchases for norias."""

from itertools import pairwise
from typing import NamedTuple

import svg

from ....core.contract import NONE, Overlay
from ....core.english import capitalize, pluralize
from ....core.svg import cached_drawing, canvas, group_at, label, rect, shape, use
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import FRUITS
from ..rules.market import in_market
from ..rules.state import (
    AWARD,
    BUY,
    CLOSE,
    CROP,
    END,
    FRUIT,
    GIVE,
    GOAL_TOKEN,
    HARVEST,
    KEEP,
    MULES,
    NORIAS,
    NOWHERE,
    PICK,
    SKIP,
    SPACE,
    TAKE,
    ZARA_HARVEST,
    ZARA_MARKET,
    ZARA_ROLL,
    Phase,
    layer,
    may_take,
    owes_anything,
)
from ..text.actions import bargain as bought_for
from ..text.effects import moves_again
from ..text.words import fruits, item_words
from .drawing import dirhems, farmer_icon, item_icon, move_icon, mule, sized, swap_icon
from .landscape import Choice, Choices, Offer, choice, mark_of, target

WIDTH, HEIGHT = 300, 221
ROW, BUTTON = 48, 45  # from one action to the next, and the height of a button
BOX, BOX_WIDTH = 61, 56  # from one fruit to the next, and its width
FRUIT_Y, NORIAS_Y = 116, 168  # the top edges of fruits and purchases
WHOLE_TURN = {  # the words of the button that replaces all rows, by its action
    END: "End the turn",
    KEEP: "Take as many as you have room for",
    ZARA_ROLL: "Roll Zara's die",
    ZARA_MARKET: "Zara takes a token away",
    ZARA_HARVEST: "Zara harvests",
}
WHOLE_PHASES = {  # the actions of such buttons, by question
    Phase.OVERFLOW: KEEP,
    Phase.ZARA_ROLL: ZARA_ROLL,
    Phase.ZARA_MARKET: ZARA_MARKET,
    Phase.ZARA_HARVEST: ZARA_HARVEST,
}
LEAVING = {"Skip": 46, "Finish": 66}  # the buttons on the right, and their widths
DIRECT = {  # the actions of the buttons, by item
    box.NORIAS: (NORIAS, "Take"),
    box.HARVEST: (HARVEST, "Harvest"),
    box.GOAL: (GOAL_TOKEN, "Token"),
}
FRUIT_ROWS = (  # the questions that a fruit answers
    (PICK, "Pick one of them"),
    (CROP, "Plant one of them"),
    (GIVE, "Return one of them"),
    (TAKE, "Take one of them"),
    (FRUIT, "Take from the supply"),
)
FRUIT_PHASES = dict(zip((Phase.PICK, Phase.CROP, Phase.GIVE, Phase.TAKE), FRUIT_ROWS, strict=False))
SUPPLY = (NONE, "Supply")  # if no fruit is asked for
INSTEAD = (
    {Phase.OVERFLOW: "You have too many norias."}
    | dict.fromkeys((Phase.TO, Phase.CALL, Phase.BUY), "Choose a farmland.")
    | dict.fromkeys((Phase.PICK, Phase.CROP, Phase.GIVE, Phase.TAKE), "Choose a fruit.")
    | dict.fromkeys((Phase.ZARA_ROLL, Phase.ZARA_MARKET, Phase.ZARA_HARVEST), "It's Zara's turn.")
)


class Turn(NamedTuple):
    """The contents of the turn panel."""

    order: tuple[tuple[int, int], ...]  # mark and space of each mule, the one furthest back first; empty if none moves
    again: int  # the number of the last space from which the reader moves again; 0 for others
    button: str  # words of the button that replaces all rows; empty without one
    die: int  # rolled by Zara; 0 without one
    rows: tuple[tuple[str, int, int, int], ...]  # words, item, number and shield of the actions owed
    instead: str  # words to show if there are no rows
    question: str  # words over the fruit
    asks_for_fruit: bool
    fruit: tuple[int, ...]  # number of each kind to choose from, or in the supply


def turn_of(s: State, seat: int) -> Turn:
    """Return the contents of the turn panel. Only the seat to move sees its question and its single button."""
    first, words = fruit_question(s) if seat == s.turn else SUPPLY
    there = tuple(fruit_there(s, first, fruit) for fruit in range(box.LANDS))
    action, order = whole_turn(s) if seat == s.turn else NONE, order_of(s, seat)
    if action != NONE:
        die = s.die if action in (ZARA_MARKET, ZARA_HARVEST) else 0
        return Turn(*order, WHOLE_TURN[action], die, (), "", words, first != NONE, there)
    rows = tuple((row_words(s, *row), *row) for row in owed_rows(s))
    return Turn(*order, "", 0, rows, instead(s), words, first != NONE, there)


def order_of(s: State, seat: int) -> tuple[tuple[tuple[int, int], ...], int]:
    """Return the order of the mules while one of them moves, and the `again` of the reader."""
    if s.over or s.phase != Phase.GO:
        return (), 0
    order = sorted((s.mule[i], i) for i in range(MULES) if s.mule[i] != NOWHERE)
    ahead = range(order[1][0] - 1, order[0][0], -1) if seat == s.turn else ()
    again = next((position for position in ahead if moves_again(s, position)), NONE)
    return tuple((mark_of(s, i), position + 1) for position, i in order), again + 1


def turn(shown: Turn) -> svg.SVG:
    elements: list[svg.Element] = [
        *to_do(shown),
        label(shown.question, 2, 111, "small"),
    ]
    for fruit, many in enumerate(shown.fruit):
        elements.append(fruit_box(fruit, many, f"{shown.question}: {fruits(fruit, many)}", shown.asks_for_fruit))
    elements += [bargain(price) for price in range(1, box.MOST_NORIAS + 1)]
    frame = svg.ViewBoxSpec(0, 0, WIDTH, HEIGHT)
    return canvas("This turn", frame, elements, "alpujarras", "turn")


def over_turn(s: State, choices: Choices) -> list[Overlay]:
    """Return overlays for the buttons, fruits and purchases that can be chosen."""
    found = [Overlay("turn", drawing=drawing) for drawing in over_rows(s, choices)]
    for first, _ in FRUIT_ROWS:
        for fruit in range(box.LANDS):
            area = rect(BOX * fruit, FRUIT_Y, BOX_WIDTH, BUTTON)
            found += offered(fruit_id(fruit), choice(choices, first + fruit), area)
    for price in range(1, box.MOST_NORIAS + 1):
        area = rect(BOX * (price - 1), NORIAS_Y, BOX_WIDTH, 52)
        found += offered(bargain_id(price), choice(choices, BUY + price - 1), area)
    return found


def offered(name: str, offer: Choice, area: svg.Rect) -> list[Overlay]:
    """Return the overlay of a fruit or purchase, in a list. The list is empty if `offer` is None."""
    return [Overlay("turn", name, drawing, classes=("offered",)) for drawing in target(offer, area)]


def button(words: str, x: float, y: float, width: float) -> list[svg.Element]:
    return [rect(x, y, width, BUTTON, "knob"), label(words, x + width / 2, y + BUTTON / 2 + 5.5, "press")]


@cached_drawing
def pressable(offer: Offer, words: str, x: float, y: float, width: float) -> list[svg.Element]:
    return [*button(words, x, y, width), *target(offer, rect(x, y, width, BUTTON))]


# --- the order of the mules ---------------------------------------------------------------------------


@cached_drawing
def strip(order: tuple[tuple[int, int], ...], again: int) -> svg.G:
    """Draw the mules, the one furthest back first, with the numbers of their spaces and the distances between them."""
    step = (WIDTH - 60) / (len(order) - 1)
    words = f"Up to space {again} you move again." if again else "The mule furthest back moves."
    drawn: list[svg.Element] = [
        svg.Title(text="The mules, the one furthest back first"),
        rect(0, 0, WIDTH, 94, "box"),
    ]
    for i, (seat, number) in enumerate(order):
        x = 30 + step * i
        drawn += [group_at(x, 32, mule(seat)), label(number, x, 65, "small", "middle")]
    for i, ((_, one), (_, other)) in enumerate(pairwise(order)):
        x = 30 + step * i
        drawn += [shape(f"M{x + 27:g} 44H{x + step - 25:g}", "gap"), label(other - one, x + step / 2, 35, "press")]
    return svg.G(class_=["order"], elements=[*drawn, label(words, WIDTH / 2, 86, "item", "middle")])


# --- actions owed -------------------------------------------------------------------------------------


def whole_turn(s: State) -> int:
    """Return the action of the single button that replaces the rows, or NONE."""
    if s.over:
        return NONE
    if s.phase == Phase.ACT:
        return NONE if owes_anything(s.owed[SPACE]) else END
    return WHOLE_PHASES.get(s.phase, NONE)


def to_do(shown: Turn) -> list[svg.Element]:
    if shown.button:
        rolled = [label(f"Zara has rolled {shown.die}.", 4, 74, "item")] if shown.die else []
        return [svg.G(elements=button(shown.button, 0, 0, WIDTH)), *rolled]
    if shown.order:
        return [strip(shown.order, shown.again)]
    if not shown.rows:
        return [empty(shown.instead)]
    return [owed_line(*row, ROW * i) for i, row in enumerate(shown.rows)]


def over_rows(s: State, choices: Choices) -> list[svg.Element]:
    alone = next((action for action in WHOLE_TURN if action in choices), NONE)
    if alone != NONE:
        return [*target(choice(choices, alone), rect(0, 0, WIDTH, BUTTON))]
    found: list[svg.Element] = []
    for i, (item, *_) in enumerate(owed_rows(s)):
        leave, words = choice(choices, SKIP + item), "Skip"
        if item == box.MARKET and in_market(s):
            leave, words = choice(choices, CLOSE), "Finish"
        width = LEAVING[words]
        direct = choice(choices, DIRECT[item][0]) if item in DIRECT else None
        if direct:
            found.append(pressable(direct, DIRECT[item][1], WIDTH - width - 74, ROW * i, 70))
        if leave:
            found.append(pressable(leave, words, WIDTH - width, ROW * i, width))
    return found


def instead(s: State) -> str:
    """Return the words to show if the turn has no rows."""
    return "The game is over." if s.over else INSTEAD.get(s.phase, "There is nothing left to do.")


@cached_drawing
def empty(words: str) -> list[svg.Element]:
    return [rect(1, 1, WIDTH - 2, BUTTON - 2, "empty"), label(words, WIDTH / 2, 28, "item", "middle")]


def owed_rows(s: State) -> list[tuple[int, int, int]]:
    """Return item, number and shield of each action owed by the award, or else by the space."""
    owed = s.owed[AWARD if owes_anything(s.owed[AWARD]) else SPACE]
    return [(item, int(owed.todo[item]), int(owed.shield)) for item in range(box.ITEMS) if owed.todo[item]]


def row_words(s: State, item: int, count: int, shield: int) -> str:
    if item == box.MARKET and in_market(s):
        return "for a card" if s.token_taken else "to a village"
    return item_words(item, count, shield)


@cached_drawing
def owed_line(words: str, item: int, count: int, shield: int, y: int) -> list[svg.Element]:
    return [
        svg.Circle(class_=["box"], cx=19, cy=y + 22, r=18),
        group_at(19, y + 22, *item_icon(item, count, shield)),
        label(capitalize(words), 42, y + 27, "item"),
    ]


# --- fruit ------------------------------------------------------------------------------------------------


def fruit_question(s: State) -> tuple[int, str]:
    """Return the first action and the words of the question about a fruit, or `SUPPLY` if there is none."""
    if s.over:
        return SUPPLY
    if s.phase in FRUIT_PHASES:
        return FRUIT_PHASES[s.phase]
    takes = s.phase in (Phase.ACT, Phase.AWARD) and s.owed[layer(s)].todo[box.FRUIT] > 0
    if takes and any(may_take(s, s.seat[s.turn], fruit) for fruit in range(box.LANDS)):
        return FRUIT_ROWS[-1]
    return SUPPLY


def fruit_id(fruit: int) -> str:
    return f"choice-{FRUITS[fruit]}"


@cached_drawing
def fruit_box(fruit: int, many: int, name: str, is_asked: bool) -> svg.G:
    area = BOX * fruit, FRUIT_Y, BOX_WIDTH, BUTTON
    x, faint = area[0], ["bare"] if not many else []
    piece: list[svg.Element] = [use(f"fruit-{FRUITS[fruit]}", x + 15, 139), label(many, x + 29, 145, "count")]
    drawn: list[svg.Element] = [svg.Title(text=name), rect(*area, "box"), svg.G(class_=faint or None, elements=piece)]
    return svg.G(id=fruit_id(fruit), class_=["fruit-asked"] if is_asked else None, elements=drawn)


def fruit_there(s: State, first: int, fruit: int) -> int:
    """Return the number of a fruit to choose from: in the farmland, in hand, or in the supply."""
    if first == PICK:
        return int(s.growing[s.joined_land, fruit])
    return int(s.seat[s.turn].fruit[fruit] if first == GIVE else s.supply[fruit])


# --- purchases --------------------------------------------------------------------------------------------


def bargain_id(price: int) -> str:
    return f"norias-{price}"


@cached_drawing
def bargain(price: int) -> svg.G:
    x, paid = BOX * (price - 1), int(box.BUYS_DIRHEMS[price])
    bought: list[svg.Element] = [label(price, x + 11, 186, "count"), use("icon-noria", x + 36, 181, 0.8)]
    bought.append(group_at(x + (18 if paid else 29), 205, *sized(bargain_icon(price), 0.8)))
    bought += [group_at(x + 42, 205, *dirhems(paid, 0.85))] if paid else []
    name = svg.Title(text=f"{pluralize(price, 'noria')}: {bought_for(price)}")
    knob = rect(x, NORIAS_Y, BOX_WIDTH, 52, "knob")
    return svg.G(id=bargain_id(price), class_=["bargain"], elements=[name, knob, svg.G(elements=bought)])


def bargain_icon(price: int) -> list[svg.Element]:
    match int(box.BUYS[price]):
        case box.ADD:
            return farmer_icon(NONE)
        case box.MOVE:
            return move_icon()
    return swap_icon()
