"""The panels of Alpujarras: the board, the turn, the market, the goals, and the deliveries."""

from collections.abc import Sequence

import svg

from ....core.contract import Overlay, Panel, Part, RichLine, Role
from ....core.rich_text import own_points, plain_text
from ....core.svg import canvas, group_at
from ....engine.checked import CheckedRecord as State
from ..rules.state import MULES, NOWHERE, ActionKind
from ..text.actions import button_label, decode
from ..text.effects import effect_text, signs
from . import plan
from .drawing import farmers_figure, symbols
from .goals import goals, goals_of, over_goals
from .landscape import (
    Choices,
    Land,
    Offer,
    Track,
    bed,
    lands,
    lands_of,
    over_lands,
    over_track,
    track,
    track_of,
    walking,
)
from .market import delivered_by, deliveries, market, market_of, over_market
from .turn import over_turn, turn, turn_of

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
    ActionKind.KEEP: "New norias",
    ActionKind.END: "Turn",
    ActionKind.ZARA_ROLL: "Zara",
    ActionKind.ZARA_MARKET: "Zara",
    ActionKind.ZARA_HARVEST: "Zara",
}
EARNING = (ActionKind.DELIVER, ActionKind.CARD, ActionKind.GOAL)  # the action that earns the most is marked
PARTS = tuple(Part(kind.name.lower(), LABELS[kind]) for kind in ActionKind)


def panels(s: State, seat: int) -> list[Panel]:
    """Return the panels of a position as `seat` sees it."""
    own = max(seat, 0)
    delivered = tuple(delivered_by(s, (own + i) % s.seats) for i in range(s.seats))
    return [
        Panel("board", "Board", board, (track_of(s), *lands_of(s)), Role.BOARD, min_font_size=16.5),
        Panel("turn", "Turn", turn, (turn_of(s, seat),), Role.HAND, min_font_size=14),
        Panel("market", "Market", market, market_of(s), Role.OFFER, min_font_size=14),
        Panel("goals", "Goals", goals, goals_of(s), Role.STANDINGS, min_font_size=14),
        Panel("deliveries", "Deliveries", deliveries, delivered, min_font_size=16),
    ]


def choices(s: State, seat: int, legal: Sequence[int]) -> list[Overlay]:
    """Return the overlays for the legal actions."""
    found = offered(s, legal)
    over_all = over_track, over_lands, over_turn, over_market, over_goals
    return [overlay for over in over_all for overlay in over(s, found)]


def offered(s: State, legal: Sequence[int]) -> Choices:
    """Return an offer for each legal action."""
    effects = {action: effect_text(s, action) for action in legal}
    gains = {action: own_points(line) for action, line in effects.items()}
    most = max((gain for action, gain in gains.items() if decode(action)[0] in EARNING), default=0)
    best = {action for action, gain in gains.items() if decode(action)[0] in EARNING and 0 < gain == most}
    return {
        action: Offer(action, said(s, action, line), gains[action], action in best, signs(s, action))
        for action, line in effects.items()
    }


def said(s: State, action: int, does: RichLine) -> str:
    words, more = plain_text(button_label(s, action)), plain_text(does)
    return f"{words}: {more}" if more else words


def board(places: Track, farmlands: tuple[Land, ...], channels: tuple[int, ...]) -> svg.SVG:
    frame = svg.ViewBoxSpec(0, 0, plan.SIDE, plan.SIDE)
    regions: list[svg.Element] = [symbols(), lands(farmlands, channels), track(places)]
    picture = canvas("Board", frame, regions, "alpujarras", "whole")
    picture.preserveAspectRatio = svg.PreserveAspectRatio("xMidYMin")
    return picture


def preview(s: State, seat: int, action: int) -> svg.G:
    """Draw the mule, farmer or channel that an action would put on the board, or an empty group."""
    kind, arg = decode(action)
    match kind:
        case ActionKind.GO:
            spots = plan.spots(s)
            taken = plan.standing([spots[s.mule[i]] for i in range(MULES) if s.mule[i] != NOWHERE])
            return ghost(walking(plan.free_stand(plan.along_path(spots[arg]), taken), s.turn))
        case ActionKind.ADD | ActionKind.TO:
            return ghost(over_lands_at(*plan.BLOCKS[arg], farmers_figure(s.turn, 1, 0, -8, 1.2)))
        case ActionKind.DIG:
            return ghost(over_lands_at(*plan.CHANNELS[arg], *bed(arg, wet=True)))
    return svg.G(class_=["ghost"])


def over_lands_at(x: float, y: float, *pieces: svg.Element) -> svg.G:
    return group_at(plan.MIDDLE + x, plan.MIDDLE + y, *pieces)


def ghost(piece: svg.Element) -> svg.G:
    """Return a piece, translucent, over the board."""
    return svg.G(class_=["ghost"], elements=[piece])
