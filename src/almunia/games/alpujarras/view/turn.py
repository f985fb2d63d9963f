"""The turn, the market, the goals and the players of Alpujarras, as regions beside the board."""

import svg

from ....core.contract import NONE
from ....core.drawing import Still, at, canvas, label, once, rect, shape, use
from ....core.plain import CheckedRecord as State
from ....core.words import count_of
from .. import components as box
from ..components import FRUITS
from ..rules.goals import can_complete
from ..rules.market import in_market
from ..rules.state import (
    AWARD,
    BUY,
    CARD,
    CLOSE,
    COVERED,
    CROP,
    END,
    FREE,
    FRUIT,
    GIVE,
    GOAL,
    GOAL_TOKEN,
    HARVEST,
    KEEP,
    NORIAS,
    PICK,
    REMOVE,
    ROLL,
    SKIP,
    SPACE,
    STRIP,
    TAKE,
    Phase,
    score,
)
from ..rules.zara import top_back
from ..text.words import GOAL_IDS, GOALS, back_words, card_fruit, goal_reward, item_words
from .drawing import ARROW, ZARA_MARK, counted, dirhems, farmer_icon, mark, move_icon, number_on
from .landscape import Choice, Choices, choice, item_icon, region, target

WIDTH = 340
TURN = 318  # the height of the turn's region
FRUIT_TOP = 159  # of the fruits in it
ZARAS = (Phase.ROLL, Phase.REMOVE, Phase.STRIP)
LAST = (  # the button at the foot: what it does, and its words
    (END, "End the turn"),
    (CLOSE, "Finish the market"),
    (KEEP, "Take what there is room for"),
    (ROLL, "Roll Zara's die"),
    (REMOVE, "Zara takes a token away"),
    (STRIP, "Zara harvests"),
)
HINTS = {  # where nothing is owed, what there is to do
    Phase.GO: ("Go to any place that is outlined,", "or spend norias first."),
    Phase.ACT: ("Everything here is done. You may", "still spend norias."),
    Phase.ROLL: ("Zara's mule is furthest back.",),
    Phase.REMOVE: ("She has come to a market. The back of", "the top card names a delivery token."),
    Phase.STRIP: ("She has come to a harvest, and flips", "the top card."),
}
DIRECT = {  # what is done by a button
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


@once
def card_ground(height: float) -> svg.Rect:
    """What a region lies on."""
    return rect(0, 0, WIDTH, height, "ground")


@once
def button(choice: Choice, words: str, x: float, y: float, width: float, height: float = 34) -> list[svg.Element]:
    """A button with words."""
    text = label(words, x + width / 2, y + height / 2 + 5.5, "press")
    return [rect(x, y, width, height, "knob"), text, *target(choice, rect(x, y, width, height))]


# --- the turn --------------------------------------------------------------------------------------------


def turn(s: State, seat: int, choices: Choices) -> svg.G:
    """Whose turn it is, what is still to be done, the supply, what norias buy, and how to go on."""
    rows, saved = owed_rows(s), unused(s, choices)
    elements: list[svg.Element] = [card_ground(TURN), *turn_heading(s, seat)]
    for i, (item, count, shield) in enumerate(rows):
        elements.append(owed_row(s, item, count, shield, 36 + 41 * i, choices))
    if not rows and not s.over:
        elements += [label(words, 14, 58 + 22 * i, "item") for i, words in enumerate(HINTS.get(s.phase, ()))]
    elements.append(raised(saved[0], [*fruit_row(s, choices), *purchases(choices)]))
    first = to_go_on(choices)
    if first:
        action, words = first
        elements.append(raised(saved[1], [button(choice(choices, action), words, 8, 280, WIDTH - 16, 32)]))
    return region("turn", elements)


def to_go_on(choices: Choices) -> tuple[int, str] | None:
    """The button at the foot, if there is one."""
    return next(((action, words) for action, words in LAST if action in choices), None)


def unused(s: State, choices: Choices) -> tuple[int, int, int]:
    """How much room is left free above the fruit, above the button at the foot, and in all.

    A wide page leaves it free, so that nothing moves; a narrow one closes it.
    """
    rows = len(owed_rows(s))
    hints = 0 if s.over else len(HINTS.get(s.phase, ()))
    above = FRUIT_TOP - (36 + 41 * rows if rows else 44 + 22 * hints)
    before_foot = above + (0 if any(can_buy(choices)) else 56)
    return above, before_foot, before_foot + (0 if to_go_on(choices) else 38)


def raised(by: int, elements: list[svg.Element]) -> svg.G:
    """Things that lie higher on a narrow page."""
    return svg.G(class_=["raised"], style=f"--by:{by}", elements=elements)


def turn_heading(s: State, seat: int) -> list[svg.Element]:
    """Whose turn it is."""
    if s.over:
        return [label("The game is over.", 14, 24, "heading")]
    if s.phase in ZARAS:
        words, shown = "Zara's turn" if s.phase == Phase.ROLL else f"Zara has rolled {s.die}", ZARA_MARK
    else:
        words, shown = "Your turn" if s.turn == seat else f"Turn of player {s.turn + 1}", int(s.turn)
    return [at(22, 19, mark(shown)), label(words, 40, 25, "heading")]


def owed_rows(s: State) -> list[tuple[int, int, int]]:
    """What is still to be done or skipped, an award first."""
    found = []
    for owing in (AWARD, SPACE):
        owed = s.owed[owing]
        found += [(item, int(owed.todo[item]), int(owed.shield)) for item in range(box.ITEMS) if owed.todo[item]]
    return found


def owed_row(s: State, item: int, count: int, shield: int, y: int, choices: Choices) -> Still:
    """One thing to do, with a button for it if it is not done on the board, and one to skip it."""
    words = item_words(item, count, shield)
    if item == box.MARKET and in_market(s):
        words = "deliver for a card" if s.delivered else "deliver to a village"
    direct = choice(choices, DIRECT[item][0]) if item in DIRECT else None
    return owed_line(words, item, count, shield, y, direct, choice(choices, SKIP + item))


@once
def owed_line(
    words: str, item: int, count: int, shield: int, y: int, direct: Choice, skip: Choice
) -> list[svg.Element]:
    """An icon and words, and behind them the buttons that there are."""
    elements: list[svg.Element] = [
        svg.Circle(class_=["box"], cx=24, cy=y + 18, r=16),
        at(24, y + 18, *item_icon(item, count, shield)),
        label(words, 48, y + 24, "item"),
    ]
    if direct:
        elements.append(button(direct, DIRECT[item][1], 196, y, 74))
    return [*elements, *([button(skip, "Skip", 276, y, 56)] if skip else [])]


def fruit_row(s: State, choices: Choices) -> list[svg.Element]:
    """The five fruits: those that may be chosen now, else what the supply holds."""
    asked = next(
        ((first, words) for first, words in FRUIT_ROWS if any(first + f in choices for f in range(box.LANDS))), None
    )
    first, words = asked or (NONE, "Supply")
    elements: list[svg.Element] = [label(words, 14, 172, "small")]
    for fruit in range(box.LANDS):
        offered = choice(choices, first + fruit) if asked else None
        elements.append(fruit_box(fruit, fruit_there(s, first, fruit), bool(asked and not offered), offered))
    return elements


@once
def fruit_box(fruit: int, many: int, closed: bool, choice: Choice) -> list[svg.Element]:
    """One fruit with its number, faint if there is none or it cannot be chosen."""
    x = 8 + 66 * fruit
    piece: list[svg.Element] = [use(f"fruit-{FRUITS[fruit]}", x + 20, 198), label(many, x + 36, 205, "count")]
    faint = svg.G(class_=["bare"] if closed or not many else [], elements=piece)
    return [rect(x, 178, 60, 38, "box"), faint, *target(choice, rect(x, 178, 60, 38))]


def fruit_there(s: State, first: int, fruit: int) -> int:
    """How many of a fruit there are to choose from: in the farmland, in hand, or in the supply."""
    if first == PICK:
        return int(s.growing[s.joined, fruit])
    return int(s.seat[s.turn].fruit[fruit] if first == GIVE else s.supply[fruit])


def purchases(choices: Choices) -> list[svg.Element]:
    """What one to five norias buy: there when something can be bought, with what cannot be bought faint."""
    if not any(can_buy(choices)):
        return []
    return [bargain(price, choice(choices, BUY + price - 1)) for price in range(1, box.MOST_NORIAS + 1)]


@once
def bargain(price: int, choice: Choice) -> list[svg.Element]:
    """What so many norias buy."""
    x, paid = 8 + 66 * (price - 1), int(box.BUYS_DIRHEMS[price])
    bought: list[svg.Element] = [label(price, x + 13, 240, "count"), use("icon-noria", x + 36, 235, 0.7)]
    bought.append(at(x + (20 if paid else 30), 259, *bargain_icon(price), scale=0.8))
    bought += [at(x + 45, 259, *dirhems(paid), scale=0.8)] if paid else []
    off = [] if choice else ["off"]
    area = x, 222, 60, 52
    return [rect(*area, "knob", *off), svg.G(class_=off, elements=bought), *target(choice, rect(*area))]


def can_buy(choices: Choices) -> list[bool]:
    """For each number of norias, whether it can be spent now."""
    return [BUY + i in choices for i in range(box.MOST_NORIAS)]


def bargain_icon(price: int) -> list[svg.Element]:
    """A farmer, a move, or an exchange of fruit."""
    match int(box.BUYS[price]):
        case box.ADD:
            return farmer_icon(NONE)
        case box.MOVE:
            return move_icon()
    return [use("icon-fruit", -6, 0, 0.8), at(9, 0, shape(ARROW, "arrow"))]


# --- the market ----------------------------------------------------------------------------------------------


def market(s: State, choices: Choices) -> svg.G:
    """The market card, the delivery cards that lie open, and the back of the next one."""
    elements: list[svg.Element] = [card_ground(200)]
    for place in range(box.LANDS):
        elements.append(stall(place, s.market[place]))
    for place in range(box.FACES_UP):
        if s.open[place] != NONE:
            card = s.open[place]
            elements.append(delivery_card(card, 8 + 81 * place, choice(choices, CARD + card)))
    return region("market", [*elements, deck(s.left, top_back(s) if s.left else NONE)])


@once
def stall(place: int, kind: int) -> svg.G:
    """One place of the market card: the fruit there, and what it pays."""
    bonus, fruit = int(box.BONUS[place]), FRUITS[kind]
    paid = f"+{bonus}" if bonus else "\N{EN DASH}"
    elements: list[svg.Element] = [
        svg.Title(text=f"Market card: {fruit}, {count_of(bonus, 'dirhem')} more for a delivery token"),
        rect(-30, -34, 60, 70, "stall", *(["paying"] if bonus else [])),
        use(f"fruit-{fruit}", 0, -10, 1.25),
        label(paid, 0, 27, "count", "middle"),
    ]
    return at(38 + 66 * place, 42, *elements)


@once
def delivery_card(card: int, x: float, choice: Choice) -> svg.G:
    """A delivery card: the fruits it takes, and what it is worth."""
    wanted = [fruit for fruit in range(box.LANDS) if box.ASKS[card, fruit]]
    elements: list[svg.Element] = [
        svg.Title(text=f"Delivery card: {card_fruit(card)} for {count_of(int(box.WORTH[card]), 'dirhem')}"),
        rect(0, 0, 76, 104, "paper"),
    ]
    for i, fruit in enumerate(wanted):
        elements.append(use(f"fruit-{FRUITS[fruit]}", 38 + (i - (len(wanted) - 1) / 2) * 23, 34))
    elements.append(at(38, 78, *dirhems(int(box.WORTH[card])), scale=1.4))
    elements += target(choice, rect(0, 0, 76, 104))
    return at(x, 88, *elements, name=f"card-{card}")


@once
def deck(left: int, back: int) -> list[svg.Element]:
    """The deck, whose top card shows its back."""
    words = label(f"{left} left", 292, 187, "small", "middle")
    if not left:
        return [words]
    points: list[svg.Transform] = [svg.Rotate(-90 if back % 2 else 90), svg.Scale(1.8, 1.8)]
    elements: list[svg.Element] = [
        svg.Title(text=f"The deck. The back of its top card: {back_words(back)}"),
        rect(253, 88, 79, 80, "back"),
        svg.Circle(class_=["window"], cx=281, cy=128, r=22),
        use(f"fruit-{FRUITS[back // 2]}", 281, 128, 1.3),
        at(314, 128, svg.G(transform=points, elements=[shape(ARROW, "points")])),
    ]
    return [svg.G(id="deck", elements=elements), words]


# --- the goals -------------------------------------------------------------------------------------------------


def goals(s: State, choices: Choices) -> svg.G:
    """The four goals, with what each space earns and whose farmers stand there."""
    elements: list[svg.Element] = [card_ground(266)]
    for card in range(box.GOAL_CARDS):
        elements.append(goal_card(s, card, 66 * card, choices))
    return region("goals", elements)


def goal_card(s: State, card: int, y: float, choices: Choices) -> svg.G:
    """One goal."""
    goal = s.goal[card]
    met = bool(can_complete(s, card)) and not s.over
    elements: list[svg.Element] = [label(GOALS[goal], 14, 22, "goal-name", *(["met"] if met else []))]
    for space in range(box.GOAL_SPACES):
        action = GOAL + card * box.GOAL_SPACES + space
        elements.append(goal_space(goal, space, s.claimed[card, space], choice(choices, action)))
    if met:
        name = "You can complete it" if choices else "Can be completed now"
        elements.append(at(234, 46, svg.Title(text=name), use("icon-goal", 0, 0, 0.9)))
    return at(0, y, *elements, name=f"goal-{GOAL_IDS[goal]}")


@once
def goal_space(goal: int, space: int, owner: int, choice: Choice) -> svg.G:
    """A space of a goal: its reward, and the farmer on it."""
    paid, norias = int(box.GOAL_DIRHEMS[goal, space]), int(box.GOAL_NORIAS[goal, space])
    reward = dirhems(paid) if paid else number_on("icon-noria", norias)
    state = {FREE: "free", COVERED: "covered for good"}.get(owner, f"player {owner + 1}")
    elements: list[svg.Element] = [
        svg.Title(text=f"{goal_reward(goal, space)}: {state}"),
        svg.Circle(class_=["goal-space", *(["shut"] if owner == COVERED else [])], r=19),
        at(0, 0, *reward, scale=1.2),
    ]
    if owner == COVERED:
        elements.append(shape("M-13-13L13 13M13-13L-13 13", "crossed"))
    elif owner != FREE:
        elements.append(at(0, 1, counted(owner, 1, 0, 0), scale=1.5))
    return at(32 + 46 * space, 46, *elements, *target(choice, svg.Circle(r=20)))


# --- the players ------------------------------------------------------------------------------------------------


def players(s: State, seat: int) -> svg.SVG:
    """What every player has: fruit, norias, farmers, goal tokens and delivery tokens, the reader's own first."""
    own = max(seat, 0)
    elements: list[svg.Element] = []
    for i in range(s.seats):
        p = (own + i) % s.seats
        elements.append(at(0, 72 * i, *holdings(s, p), name=f"player-{p}"))
    return canvas(
        "What the players have", svg.ViewBoxSpec(0, 0, 400, 72 * s.seats - 6), elements, "alpujarras", "players"
    )


def holdings(s: State, p: int) -> list[svg.Element]:
    """What one player has."""
    me = s.seat[p]
    elements: list[svg.Element] = [name_plate(p, score(me), s.turn == p and not s.over)]
    elements += [tally(f"fruit-{FRUITS[fruit]}", me.fruit[fruit], 58 + 68 * fruit, 20) for fruit in range(box.LANDS)]
    elements.append(tally("icon-noria", me.norias, 58, 49))
    elements.append(counted(p, me.farmers, 126, 49, even_one=True))
    elements.append(tally("icon-goal", me.goal_tokens, 194, 49))
    taken = [(fruit, sum(me.token[fruit, size] for size in range(box.SIZES))) for fruit in range(box.LANDS)]
    shown = [(fruit, count) for fruit, count in taken if count]
    return elements + [taken_token(i, fruit, count) for i, (fruit, count) in enumerate(shown)]


@once
def name_plate(p: int, points: int, asked: bool) -> list[svg.Element]:
    """The ground of what a player has, with its mark."""
    return [
        svg.Title(text=f"Player {p + 1}: {count_of(points, 'dirhem')}"),
        rect(0, 0, 400, 66, "ground", *(["asked"] if asked else []), rx=10),
        at(20, 20, mark(p)),
    ]


@once
def tally(symbol: str, count: int, x: float, y: float) -> list[svg.Element]:
    """A thing and how many there are of it."""
    piece: list[svg.Element] = [use(symbol, x, y, 0.95), label(count, x + 15, y + 6, "count")]
    return [svg.G(class_=[] if count else ["bare"], elements=piece)]


@once
def taken_token(i: int, fruit: int, count: int) -> svg.G:
    """Delivery tokens of one fruit that have been earned."""
    elements: list[svg.Element] = [
        svg.Title(text=f"{count_of(count, 'delivery token')}: {FRUITS[fruit]}"),
        rect(-14, -14, 28, 28, "token"),
        use(f"fruit-{FRUITS[fruit]}", -4, -3, 0.7),
        label(count, 7, 10, "times", "middle"),
    ]
    return at(248 + 31 * i, 49, *elements)
