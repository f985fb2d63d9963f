"""Alpujarras as pictures: the board with the turn, the market and the goals beside it, and what the players have."""

from collections.abc import Sequence

import svg

from ....core.contract import Panel, Part, Role
from ....core.drawing import MARKS, at, canvas, rect, shape
from ....core.lines import spoken
from ....core.plain import CheckedRecord as State
from ..rules.state import Deed
from ..text.actions import effect, offer, taken_apart
from . import plan
from .drawing import FARMER, mule, symbols
from .landscape import Choices, corner, lands, region, track
from .sideboard import goals, market, players, turn, unused

LABELS = {
    Deed.GO: "Move",
    Deed.ADD: "Add a farmer",
    Deed.FROM: "From",
    Deed.TO: "To",
    Deed.PICK: "Pick",
    Deed.FRUIT: "Take a fruit",
    Deed.DIG: "Irrigate",
    Deed.CROP: "Plant",
    Deed.NORIAS: "Norias",
    Deed.GOAL: "Complete a goal",
    Deed.GOAL_TOKEN: "Goal token",
    Deed.DELIVER: "Deliver to a village",
    Deed.CARD: "Deliver for a card",
    Deed.HARVEST: "Harvest",
    Deed.CLOSE: "Market",
    Deed.SKIP: "Skip",
    Deed.BUY: "Spend norias",
    Deed.GIVE: "Return",
    Deed.TAKE: "Take",
    Deed.KEEP: "Norias that come",
    Deed.END: "Turn",
    Deed.ROLL: "Zara",
    Deed.REMOVE: "Zara",
    Deed.STRIP: "Zara",
}
PARTS = tuple(Part(deed.name.lower(), LABELS[deed]) for deed in Deed)


def panels(s: State, seat: int, legal: Sequence[int]) -> list[Panel]:
    """The board, and what the players have."""
    choices = {action: said(s, action) for action in legal}
    return [
        Panel("board", "Board", board(s, seat, choices), role=Role.BOARD),
        Panel("players", "Players", players(s, seat), Role.TALLY),
    ]


def said(s: State, action: int) -> str:
    """An action with what it would do."""
    words, more = spoken(offer(s, action)), spoken(effect(s, action))
    return f"{words}: {more}" if more else words


def board(s: State, seat: int, choices: Choices) -> svg.SVG:
    """The main picture; its regions stand in the order of a turn."""
    regions = [
        track(s, choices),
        turn(s, seat, choices),
        lands(s, choices),
        market(s, choices),
        goals(s, choices),
    ]
    frame = svg.ViewBoxSpec(0, 0, plan.WIDTH, plan.HEIGHT)
    picture = canvas("Board", frame, [symbols(), *regions], "alpujarras", "whole", clickable=bool(choices))
    picture.style = f"--saved:{unused(s, choices)[-1]}"
    picture.preserveAspectRatio = svg.PreserveAspectRatio("xMidYMin")
    return picture


def ghost(s: State, seat: int, action: int) -> svg.G:
    """What an action would put on the board: a mule, a farmer, or water."""
    kind, which = taken_apart(action)
    match kind:
        case Deed.GO:
            spot = plan.spots(s)[which]
            piece = svg.G(class_=["at"], style=corner(spot), elements=mule(s.turn))
            return svg.G(class_=["ghost"], elements=[region("track", [piece])])
        case Deed.ADD | Deed.TO:
            x, y = plan.BLOCKS[which]
            return over_lands(
                x, y - 4, shape(FARMER, "body", f"of-{s.turn}"), at(0, 4, shape(MARKS[s.turn], "brand"), scale=0.4)
            )
        case Deed.DIG:
            return over_lands(*plan.CHANNELS[which], rect(-19, -14, 38, 28, "bed", "wet"))
    return svg.G(class_=["ghost"])


def over_lands(x: float, y: float, *pieces: svg.Element) -> svg.G:
    """Pieces that would come to lie among the farmlands."""
    return svg.G(class_=["ghost"], elements=[region("lands", [at(x, y, *pieces, scale=1.3)])])
