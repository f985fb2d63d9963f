"""The panels of Alpujarras: the board, the turn, the market, the goals, and the deliveries."""

from collections.abc import Sequence

import svg

from ....core.contract import Panel, Part, RichLine, Role
from ....core.rich_text import own_points, plain_text
from ....core.svg import MARKS, canvas, group_at, shape
from ....engine.checked import CheckedRecord as State
from ..rules.state import ActionKind
from ..text.actions import button_label, decode
from ..text.effects import effect_text, signs
from . import plan
from .drawing import FARMER, mule, symbols
from .goals import goals
from .landscape import Choices, Offer, bed, corner, lands, over_block, region, track
from .market import deliveries, market
from .turn import turn

LABELS = {
    ActionKind.GO: "Move",
    ActionKind.ADD: "Add a farmer",
    ActionKind.FROM: "From",
    ActionKind.TO: "To",
    ActionKind.PICK: "Pick",
    ActionKind.FRUIT: "Take a fruit",
    ActionKind.DIG: "Irrigate",
    ActionKind.CROP: "Plant",
    ActionKind.NORIAS: "Norias",
    ActionKind.GOAL: "Complete a goal",
    ActionKind.GOAL_TOKEN: "Goal token",
    ActionKind.DELIVER: "Deliver to a village",
    ActionKind.CARD: "Deliver for a card",
    ActionKind.HARVEST: "Harvest",
    ActionKind.CLOSE: "Market",
    ActionKind.SKIP: "Skip",
    ActionKind.BUY: "Spend norias",
    ActionKind.GIVE: "Return",
    ActionKind.TAKE: "Take",
    ActionKind.KEEP: "Norias that come",
    ActionKind.END: "Turn",
    ActionKind.ZARA_ROLL: "Zara",
    ActionKind.ZARA_MARKET: "Zara",
    ActionKind.ZARA_HARVEST: "Zara",
}
EARNING = (ActionKind.DELIVER, ActionKind.CARD, ActionKind.GOAL)  # the action that earns the most is marked
PARTS = tuple(Part(kind.name.lower(), LABELS[kind]) for kind in ActionKind)


def panels(s: State, seat: int, legal: Sequence[int]) -> list[Panel]:
    """Return the panels: the board, the turn, the market, the goals, and behind a button the deliveries."""
    choices = offered(s, legal)
    return [
        Panel("board", "Board", board(s, choices), Role.BOARD, min_font_size=17),
        Panel("turn", "Turn", turn(s, choices), Role.HAND, min_font_size=14),
        Panel("market", "Market", market(s, choices), Role.OFFER, min_font_size=14),
        Panel("goals", "Goals", goals(s, choices), Role.STANDINGS, min_font_size=14),
        Panel("deliveries", "Deliveries", deliveries(s, seat), min_font_size=16),
    ]


def offered(s: State, legal: Sequence[int]) -> Choices:
    """Return all legal actions, with their words and effects."""
    effects = {action: effect_text(s, action) for action in legal}
    gains = {action: own_points(line) for action, line in effects.items()}
    most = max((gain for action, gain in gains.items() if decode(action)[0] in EARNING), default=0)
    best = {action for action, gain in gains.items() if decode(action)[0] in EARNING and 0 < gain == most}
    return {
        action: Offer(action, said(s, action, line), gains[action], action in best, signs(s, action))
        for action, line in effects.items()
    }


def said(s: State, action: int, does: RichLine) -> str:
    """Return an action in words, with its effect."""
    words, more = plain_text(button_label(s, action)), plain_text(does)
    return f"{words}: {more}" if more else words


def board(s: State, choices: Choices) -> svg.SVG:
    """Draw the main picture: the track around the farmlands."""
    frame = svg.ViewBoxSpec(0, 0, plan.SIDE, plan.SIDE)
    pieces = [symbols(), track(s, choices), lands(s, choices)]
    picture = canvas("Board", frame, pieces, "alpujarras", "whole", clickable=bool(choices))
    picture.preserveAspectRatio = svg.PreserveAspectRatio("xMidYMin")
    return picture


def preview(s: State, seat: int, action: int) -> svg.G:
    """Draw the mule, farmer or channel that an action would put on the board, or nothing."""
    kind, arg = decode(action)
    match kind:
        case ActionKind.GO:
            spot = plan.spots(s)[arg]
            return over("track", svg.G(class_=["at"], style=corner(spot), elements=mule(s.turn)))
        case ActionKind.ADD | ActionKind.TO:
            brand = group_at(0, 4, shape(MARKS[s.turn], "brand"), scale=0.4)
            farmer = group_at(0, -4, shape(FARMER, "body", f"of-{s.turn}"), brand, scale=1.3)
            return over("lands", over_block(arg, farmer))
        case ActionKind.DIG:
            return over("lands", group_at(*plan.CHANNELS[arg], bed(wet=True)))
    return svg.G(class_=["ghost"])


def over(name: str, piece: svg.Element) -> svg.G:
    """Draw a piece, partly transparent, over a region of the board."""
    return svg.G(class_=["ghost"], elements=[region(name, [piece])])
