"""Hit tests: the id of the place at a point of a picture of Alpujarras."""

from ....core.contract import NONE
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import CHANNEL_IDS, COLOURS, FRUITS
from ..rules.state import Phase
from ..text.words import GOAL_IDS, SKIPS, place_id
from . import landscape, plan
from .drawing import TOKEN
from .goals import GOAL_Y, SPACE_X, goal_space_x
from .market import CARD_X, CARD_Y, CARDS_Y, SLOT, STALL_X, STALL_Y, STEP
from .turn import BOX, BOX_WIDTH, BUTTON, FRUIT_Y, LEAVING, NORIAS_Y, ROW, WIDTH, owed_rows

# Questions with one button instead of rows.
ONE_BUTTON = (Phase.OVERFLOW, Phase.ZARA_ROLL, Phase.ZARA_MARKET, Phase.ZARA_HARVEST)
Area = tuple[float, float, float, float]  # left edge, top edge, width and height


def hit_test(s: State, seat: int, panel: str, x: float, y: float) -> str:
    """Return the id of the place at a point of a panel, or an empty string."""
    match panel:
        case "board":
            return track_place(s, x, y) or lands_place(s, x - plan.MIDDLE, y - plan.MIDDLE)
        case "turn":
            return turn_place(s, x, y)
        case "market":
            return market_place(s, x, y)
        case "goals":
            return goal_place(s, x, y)
    return ""


def within(area: Area, x: float, y: float) -> bool:
    left, top, width, height = area
    return left <= x <= left + width and top <= y <= top + height


def slot(x: float, step: float, width: float, count: int) -> int:
    """Return the index of the element at `x` in a row of `count` elements, or NONE."""
    i = int(x // step)
    return i if 0 <= i < count and x - i * step <= width else NONE


# --- the board --------------------------------------------------------------------------------------------


def track_place(s: State, x: float, y: float) -> str:
    """Return the id of the place of the track at a point, or an empty string."""
    for position, spot in enumerate(plan.spots(s)):
        if within((spot.x, spot.y, spot.width, spot.height), x, y):
            return place_id(position)
    return ""


def lands_place(s: State, x: float, y: float) -> str:
    """Return the id of the place within the track at a point relative to the board's middle, or an empty string."""
    for land, (left, top) in enumerate(plan.BLOCKS):
        there = block_place(s, land, x - left, y - top)
        if there:
            return there
    for space, (middle_x, middle_y) in enumerate(plan.CHANNELS):
        if within(landscape.CHANNEL, x - middle_x, y - middle_y):
            return f"channel-{CHANNEL_IDS[space]}"
    land = plan.land_at(x, y)
    return f"land-{COLOURS[land]}" if land != NONE else ""


def block_place(s: State, land: int, x: float, y: float) -> str:
    """Return the id of the place at a point relative to a farmland's block, or an empty string."""
    colour = COLOURS[land]
    for i, (fruit, size) in enumerate(landscape.tokens_in(s, land)):
        middle_x, middle_y = landscape.token_at(i)
        if within(TOKEN, x - middle_x, y - middle_y):
            return f"token-{colour}-{FRUITS[fruit]}-{box.NUMBERS[size]}"
    if s.flipped[land] < len(box.AWARD_SIDES) and within(landscape.AWARD, x, y):
        return f"award-{colour}"
    if within(landscape.VILLAGE, x, y):
        return f"village-{colour}"
    return f"land-{colour}" if within(landscape.FIELDS, x, y) else ""


# --- other panels --------------------------------------------------------------------------------------------


def turn_place(s: State, x: float, y: float) -> str:
    if y >= NORIAS_Y:
        price = slot(x, BOX, BOX_WIDTH, box.MOST_NORIAS)
        return f"norias-{price + 1}" if price != NONE else ""
    if y >= FRUIT_Y:
        fruit = slot(x, BOX, BOX_WIDTH, box.LANDS)
        return f"fruit-{FRUITS[fruit]}" if fruit != NONE and y <= FRUIT_Y + BUTTON else ""
    rows = owed_rows(s) if s.phase not in ONE_BUTTON and x < WIDTH - max(LEAVING.values()) else []
    row = slot(y, ROW, BUTTON, len(rows))
    return f"todo-{SKIPS[rows[row][0]]}" if row != NONE else ""


def market_place(s: State, x: float, y: float) -> str:
    if y < CARDS_Y:
        stall = slot(x, STEP, STALL_X, box.LANDS)
        return f"stall-{FRUITS[s.market[stall]]}" if stall != NONE and y <= STALL_Y else ""
    place = slot(x, SLOT, CARD_X, box.FACES_UP + 1)
    if place == NONE or y > CARDS_Y + CARD_Y:
        return ""
    if place == box.FACES_UP:
        return "deck"
    return f"card-{s.open[place]}" if s.open[place] != NONE else ""


def goal_place(s: State, x: float, y: float) -> str:
    card = slot(y, GOAL_Y, GOAL_Y, box.GOAL_CARDS)
    if card == NONE:
        return ""
    name = f"goal-{GOAL_IDS[s.goal[card]]}"
    space = next((i for i in range(box.GOAL_SPACES) if abs(x - goal_space_x(i)) <= SPACE_X / 2), NONE)
    return f"{name}-{space + 1}" if space != NONE else name
