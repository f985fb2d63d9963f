"""The turn of Alpujarras: the actions owed with their buttons, the fruit, and the purchases for norias."""

import svg

from ....core.contract import NONE
from ....core.english import capitalize, pluralize
from ....core.svg import CachedSvg, cached_drawing, canvas, group_at, label, rect, use
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
    NORIAS,
    PICK,
    SKIP,
    SPACE,
    TAKE,
    ZARA_HARVEST,
    ZARA_MARKET,
    ZARA_ROLL,
    Phase,
    owes_anything,
)
from ..text.actions import bargain as bought_for
from ..text.words import fruits, item_words
from .drawing import dirhems, farmer_icon, item_icon, move_icon, sized, swap_icon
from .landscape import Choice, Choices, choice, target

WIDTH, HEIGHT = 300, 221
ROW, BUTTON = 48, 45  # from one action to the next, and the height of a button
BOX, BOX_WIDTH = 61, 56  # from one fruit to the next, and its width
FRUIT_Y, NORIAS_Y = 116, 168  # the top edges of fruits and purchases
WHOLE_TURN = (  # the button that replaces all rows: its action and words
    (END, "End the turn"),
    (KEEP, "Take what there is room for"),
    (ZARA_ROLL, "Roll Zara's die"),
    (ZARA_MARKET, "Zara takes a token away"),
    (ZARA_HARVEST, "Zara harvests"),
)
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
INSTEAD = (
    {Phase.GO: "The mule moves first.", Phase.OVERFLOW: "Too many norias have come."}
    | dict.fromkeys((Phase.TO, Phase.CALL, Phase.BUY), "Choose a farmland.")
    | dict.fromkeys((Phase.PICK, Phase.CROP, Phase.GIVE, Phase.TAKE), "Choose a fruit.")
    | dict.fromkeys((Phase.ZARA_ROLL, Phase.ZARA_MARKET, Phase.ZARA_HARVEST), "Zara is to move.")
)


def turn(s: State, choices: Choices) -> svg.SVG:
    """Draw the actions owed, the fruit, and the purchases; their positions never change."""
    elements = [*to_do(s, choices), *fruit_row(s, choices), *purchases(choices)]
    frame = svg.ViewBoxSpec(0, 0, WIDTH, HEIGHT)
    return canvas("What is to be done", frame, elements, "alpujarras", "turn", clickable=bool(choices))


@cached_drawing
def button(choice: Choice, words: str, x: float, y: float, width: float) -> list[svg.Element]:
    """Draw a button with words, which an action makes clickable."""
    area = x, y, width, BUTTON
    text = label(words, x + width / 2, y + BUTTON / 2 + 5.5, "press")
    return [rect(*area, "knob"), text, *target(choice, rect(*area))]


# --- actions owed -------------------------------------------------------------------------------------


def to_do(s: State, choices: Choices) -> list[svg.Element]:
    """Draw a button for the whole turn, or a row for each action owed, or a frame that says what to do instead."""
    alone = next(((action, words) for action, words in WHOLE_TURN if action in choices), None)
    if alone:
        action, words = alone
        drawn = [svg.G(elements=[button(choice(choices, action), words, 0, 0, WIDTH)])]
        rolled = [label(f"Zara has rolled {s.die}.", 4, 74, "item")] if action in (ZARA_MARKET, ZARA_HARVEST) else []
        return [*drawn, *rolled]
    rows = owed_rows(s)
    if not rows:
        return [empty(instead(s))]
    return [owed_row(s, *row, ROW * i, choices) for i, row in enumerate(rows)]


def instead(s: State) -> str:
    """Return the words to show if the turn has no rows."""
    return "The game is over." if s.over else INSTEAD.get(s.phase, "Nothing is left to do.")


@cached_drawing
def empty(words: str) -> list[svg.Element]:
    """Draw words in a frame, without buttons."""
    return [rect(1, 1, WIDTH - 2, BUTTON - 2, "empty"), label(words, WIDTH / 2, 28, "item", "middle")]


def owed_rows(s: State) -> list[tuple[int, int, int]]:
    """Return item, number and shield of each action owed, from the award if it owes any, else from the space."""
    owed = s.owed[AWARD if owes_anything(s.owed[AWARD]) else SPACE]
    return [(item, int(owed.todo[item]), int(owed.shield)) for item in range(box.ITEMS) if owed.todo[item]]


def owed_row(s: State, item: int, count: int, shield: int, y: int, choices: Choices) -> CachedSvg:
    """Draw one action owed, with a button if it is not done on the board, and a button to skip or finish it."""
    words = item_words(item, count, shield)
    leave = (choice(choices, SKIP + item), "Skip")
    if item == box.MARKET and in_market(s):
        words, leave = ("for a card" if s.token_taken else "to a village"), (choice(choices, CLOSE), "Finish")
    direct = choice(choices, DIRECT[item][0]) if item in DIRECT else None
    return owed_line(words, item, count, shield, y, direct, *leave)


@cached_drawing
def owed_line(
    words: str, item: int, count: int, shield: int, y: int, direct: Choice, leave: Choice, leave_words: str
) -> list[svg.Element]:
    """Draw the icon, the words and the legal buttons of one row."""
    elements: list[svg.Element] = [
        svg.Circle(class_=["box"], cx=19, cy=y + 22, r=18),
        group_at(19, y + 22, *item_icon(item, count, shield)),
        label(capitalize(words), 42, y + 27, "item"),
    ]
    width = LEAVING[leave_words]
    if direct:
        elements.append(button(direct, DIRECT[item][1], WIDTH - width - 74, y, 70))
    return [*elements, *([button(leave, leave_words, WIDTH - width, y, width)] if leave else [])]


# --- fruit ------------------------------------------------------------------------------------------------


def fruit_row(s: State, choices: Choices) -> list[svg.Element]:
    """Draw the five fruits to choose from, or else the supply."""
    asked = next(
        ((first, words) for first, words in FRUIT_ROWS if any(first + f in choices for f in range(box.LANDS))), None
    )
    first, words = asked or (NONE, "Supply")
    elements: list[svg.Element] = [label(words, 2, 111, "small")]
    for fruit in range(box.LANDS):
        offered = choice(choices, first + fruit) if asked else None
        many = fruit_there(s, first, fruit)
        name = f"{words}: {fruits(fruit, many)}"
        elements.append(fruit_box(fruit, many, name, bool(asked and not offered), offered))
    return elements


@cached_drawing
def fruit_box(fruit: int, many: int, name: str, closed: bool, choice: Choice) -> svg.G:
    """Draw one fruit with its number, faint if the number is 0 or the fruit cannot be chosen."""
    area = BOX * fruit, FRUIT_Y, BOX_WIDTH, BUTTON
    x, faint = area[0], ["bare"] if closed or not many else []
    piece: list[svg.Element] = [use(f"fruit-{FRUITS[fruit]}", x + 15, 139), label(many, x + 29, 145, "count")]
    drawn: list[svg.Element] = [
        svg.Title(text=name),
        rect(*area, "box", *faint),
        svg.G(class_=faint, elements=piece),
        *target(choice, rect(*area)),
    ]
    return svg.G(id=f"choice-{FRUITS[fruit]}", elements=drawn)


def fruit_there(s: State, first: int, fruit: int) -> int:
    """Return the number of a fruit to choose from: in the farmland, in hand, or in the supply."""
    if first == PICK:
        return int(s.growing[s.joined_land, fruit])
    return int(s.seat[s.turn].fruit[fruit] if first == GIVE else s.supply[fruit])


# --- purchases --------------------------------------------------------------------------------------------


def purchases(choices: Choices) -> list[svg.Element]:
    """Draw the purchases for one to five norias; impossible ones are dashed."""
    return [bargain(price, choice(choices, BUY + price - 1)) for price in range(1, box.MOST_NORIAS + 1)]


@cached_drawing
def bargain(price: int, choice: Choice) -> svg.G:
    """Draw the purchase for this number of norias."""
    x, paid = BOX * (price - 1), int(box.BUYS_DIRHEMS[price])
    off = [] if choice else ["off"]
    bought: list[svg.Element] = [label(price, x + 11, 186, "count"), use("icon-noria", x + 36, 181, 0.8)]
    bought.append(group_at(x + (18 if paid else 29), 205, *sized(bargain_icon(price), 0.8)))
    bought += [group_at(x + 42, 205, *dirhems(paid, 0.85))] if paid else []
    area = x, NORIAS_Y, BOX_WIDTH, 52
    name = svg.Title(text=f"{pluralize(price, 'noria')}: {bought_for(price)}")
    knob = rect(*area, "knob", *off)
    return svg.G(elements=[name, knob, svg.G(class_=off, elements=bought), *target(choice, rect(*area))])


def bargain_icon(price: int) -> list[svg.Element]:
    """Draw the icon of a purchase: a farmer, a move, or an exchange of fruit."""
    match int(box.BUYS[price]):
        case box.ADD:
            return farmer_icon(NONE)
        case box.MOVE:
            return move_icon()
    return swap_icon()
