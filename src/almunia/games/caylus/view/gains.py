"""The chips of Caylus' actions: numbers on targets in the pictures."""

from collections.abc import Sequence
from typing import NamedTuple

import svg

from ....core.contract import NONE, Overlay
from ....core.english import signed
from ....core.rich_text import own_points, plain_text
from ....core.svg import cached_drawing, clickable, group_at, label, shape, use
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules.placing import price
from ..rules.state import ActionKind, Phase
from ..text.actions import button_label, decode, effect_text
from ..text.prospects import later_points
from .icons import drawn, rect
from .shapes import mark, worker

HIGH = 22  # the height of a chip
HEXAGON = "M-18 0L-12-11H12L18 0 12 11H-12Z"  # points have this shape everywhere, money is round
WIDE = {"now": 38, "later": 38, "guest": 46, "far": 42, "price": 22, "beyond": 44}


class Chip(NamedTuple):
    """A number on a target."""

    kind: str  # points "now" or "later", points of a "guest", spaces too "far", a "price", own workers "beyond"
    number: int
    seat: int = NONE  # the seat concerned


class Choice(NamedTuple):
    """A legal action, with its words and chips."""

    words: str  # the action and its effect in words
    chips: tuple[Chip, ...]
    best: bool  # whether the action scores points, and no other action more


Choices = dict[int, Choice]


def choices_of(s: State, legal: Sequence[int]) -> Choices:
    """Return a choice for each legal action."""
    chips = {action: chips_of(s, action) for action in legal}
    most = max((points_on(found) for found in chips.values()), default=0)
    return {
        action: Choice(said(s, action), found, best=0 < points_on(found) == most) for action, found in chips.items()
    }


def said(s: State, action: int) -> str:
    words, more = plain_text(button_label(s, action)), plain_text(effect_text(s, action))
    return f"{words}: {more}" if more else words


def points_on(chips: tuple[Chip, ...]) -> int:
    """Return the sum of the points on chips."""
    return sum(chip.number for chip in chips if chip.kind in ("now", "later"))


# --- chips of actions ----------------------------------------------------------------------------------------


def chips_of(s: State, action: int) -> tuple[Chip, ...]:
    """Return the chips of an action."""
    kind, arg = decode(action)
    match kind:
        case ActionKind.PLACE:
            return placing_chips(s, arg)
        case ActionKind.MOVE:
            return moving_chips(s, arg - box.STEPS)
    points = own_points(effect_text(s, action))
    return (Chip("now", points),) if points else ()


def placing_chips(s: State, place: int) -> tuple[Chip, ...]:
    found = [Chip("later", points)] if (points := later_points(s, place)) else []
    if place < box.ROAD:
        if s.owner[place] not in (NONE, s.turn):
            found.append(Chip("guest", box.GUEST_POINTS, s.owner[place]))
        if place >= s.provost:
            found.append(Chip("far", place + 1 - s.provost))
        if s.phase == Phase.PLACE and s.owner[place] == s.turn:
            found.append(Chip("price", int(price(s, s.turn, place))))
    return tuple(found)


def moving_chips(s: State, steps: int) -> tuple[Chip, ...]:
    cost = box.STEP_PRICE * abs(steps) if s.phase == Phase.PROVOST else 0
    beyond = sum(s.worker[space] == s.turn for space in range(s.provost + steps, box.ROAD))
    found = [Chip("price", cost)] if cost else []
    return (*found, Chip("beyond", beyond, s.turn)) if beyond else tuple(found)


# --- drawing -------------------------------------------------------------------------------------------------


def target(choices: Choices, action: int, area: svg.Rect, x: float, y: float) -> list[svg.Element]:
    """Return the clickable area of an action, with its chips at a point. The list is empty for an illegal action."""
    if action not in choices:
        return []
    words, chips, best = choices[action]
    area.class_ = ["possible"]
    found: list[svg.Element] = [clickable(area, action, words, is_good=best)]
    return [*found, group_at(x, y, promise(chips, best))] if chips else found


def on_piece(panel: str, name: str, drawings: Sequence[svg.Element]) -> list[Overlay]:
    """Return drawings as overlays of a piece, by the piece's id."""
    return [Overlay(panel, name, drawing) for drawing in drawings]


def width_of_chips(chips: tuple[Chip, ...]) -> int:
    return sum(WIDE[chip.kind] for chip in chips)


@cached_drawing
def promise(chips: tuple[Chip, ...], best: bool) -> svg.G:
    """Draw chips in a row centred at 0, 0. If `best`, chips with a gain of points are highlighted."""
    x, found = -width_of_chips(chips) / 2, list[svg.Element]()
    for chip in chips:
        found.append(group_at(x + WIDE[chip.kind] / 2, 0, *one(chip), classes=["chip", *classes(chip, best)]))
        x += WIDE[chip.kind]
    return svg.G(class_=["promise"], elements=found)


def classes(chip: Chip, best: bool) -> list[str]:
    """Return the CSS classes of a chip: its kind, and for points `best`, `good` or `loss`."""
    if chip.kind not in ("now", "later"):
        return [chip.kind]
    return [chip.kind, "loss" if chip.number < 0 else "best" if best else "good"]


def one(chip: Chip) -> list[svg.Element]:
    half = WIDE[chip.kind] / 2 - 1
    ground = rect(-half, -HIGH / 2, 2 * half, HIGH)
    match chip.kind:
        case "price":
            return drawn(("coin", chip.number))
        case "guest":
            return [ground, mark(chip.seat, -11, 0, 0.8), label(signed(chip.number), 9, 4.6, "value")]
        case "far":
            return [ground, use("provost", -10, 9, 0.5), label(chip.number, 9, 4.6, "value")]
        case "beyond":
            crossed = shape("M-18 8L-4-8", "crossed")
            return [ground, worker(chip.seat, -11, 9, scale=0.85), crossed, label(chip.number, 10, 4.6, "value")]
    return [shape(HEXAGON, "points"), label(signed(chip.number), 0, 4.6, "value")]
