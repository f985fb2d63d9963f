"""The picture of the hand in Orchard, with the draw pile.

Each piece has two positions. `view.css` uses the second in a narrow pane.
"""

import svg

from ....core.contract import NONE, Overlay
from ....core.english import pluralize
from ....core.svg import cached_drawing, canvas, group_at, label, rect, shape
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules import NO_CARD
from ..text.words import FRUITS, TURNS, placement
from .drawing import U, card, shapes, written
from .orchard import best_by_way

SQUARE = 3 * U  # large enough for a card to turn in
CHIP_X, CHIP_Y = 84, 56
WAYS_X, WAYS_Y = 2 * CHIP_X + 6, 2 * CHIP_Y + 6
SLOT, GAP = SQUARE + WAYS_X + 8, 12
PILE_X, PILE_Y = 44, 64
WIDTH, HEIGHT = box.HAND * (SLOT + GAP) + PILE_X + 8, SQUARE
APART = 6  # space between the pile and the squares on both sides
NARROW_SLOT = WAYS_X + PILE_X + 2 * APART - 2
NARROW_WIDTH, NARROW_HEIGHT = NARROW_SLOT + WAYS_X, SQUARE + WAYS_Y + 8
EDGE = 4
SIGN = ("M-9-13H9V13H-9Z", "M-4-7H4")  # a card, and its upper edge


def held_by(s: State, seat: int) -> tuple[tuple[int, int, bool], ...]:
    """Return number and slot of each card in hand, and whether the card is chosen."""
    me = s.seat[seat]
    chosen = placement(me.choice)[0] if me.choice != NONE else NONE
    return tuple((me.hand[slot], slot, slot == chosen) for slot in range(box.HAND) if me.hand[slot] != NO_CARD)


def hand(held: tuple[tuple[int, int, bool], ...], left: int) -> svg.SVG:
    elements: list[svg.Element] = [shapes("hand"), *(held_card(*one) for one in held), pile(left)]
    frame = svg.ViewBoxSpec(-EDGE, -EDGE, WIDTH + 2 * EDGE, HEIGHT + 2 * EDGE)
    picture = canvas("Hand", frame, elements, "orchard", "strip")
    scale = frame.width / (NARROW_WIDTH + 2 * EDGE)
    tall = scale * (NARROW_HEIGHT + 2 * EDGE)
    taken = f"--slot-x:{WAYS_X}px;--slot-y:{NARROW_HEIGHT}px"
    picture.style = f"--wide:{frame.width};--tall:{tall:.0f};--scale:{scale:.3f};{taken}"
    picture.preserveAspectRatio = svg.PreserveAspectRatio("xMidYMin")
    return picture


@cached_drawing
def held_card(number: int, slot: int, chosen: bool) -> svg.G:
    x, narrow_x = slot * (SLOT + GAP), slot * NARROW_SLOT + (WAYS_X - SQUARE) / 2
    hit = rect(0, 0, SLOT - 4, SQUARE, "hit")
    face = group_at(U / 2, 0, svg.G(class_=["card"], elements=[card(number, 0, "hand")]))
    held = svg.G(
        class_=["held", "piece", *(["spent"] if chosen else [])],
        id=f"hand-{number}",
        style=places(x, 0, narrow_x, 0),
        data={"frame": f"{x} 0"},
        elements=[hit, face],
    )
    return svg.G(id=f"slot-{slot}", elements=[held])


def over_hand(s: State, seat: int, gains: dict[int, int]) -> list[Overlay]:
    """Return the overlays for the cards of the hand that can be laid."""
    most, found = best_by_way(gains), []
    for number, slot, _ in held_by(s, seat):
        best = tuple(most.get(slot * box.QUARTERS + turned) for turned in range(box.QUARTERS))
        if any(points is not None for points in best):
            data = {"part": "card", "value": number, "name": card_name(number)}
            found.append(Overlay("hand", f"hand-{number}", data=data))
            found.append(Overlay("hand", f"slot-{slot}", ways(number, slot, best)))
    return found


@cached_drawing
def ways(number: int, slot: int, best: tuple[int | None, ...]) -> svg.G:
    """Draw the most points that a card can earn, for each orientation in which it fits."""
    chips: list[svg.Element] = [way(number, turned, points) for turned, points in enumerate(best) if points is not None]
    spot = places(slot * (SLOT + GAP) + SQUARE + 8, (SQUARE - WAYS_Y) / 2, slot * NARROW_SLOT, SQUARE + 6)
    return svg.G(class_=["ways", "piece"], style=spot, elements=chips)


def places(x: float, y: float, narrow_x: float, narrow_y: float) -> str:
    """Return the position of a piece in a wide pane and in a narrow pane, as a style."""
    return f"--x:{x}px;--y:{y}px;--nx:{narrow_x}px;--ny:{narrow_y}px"


def card_name(number: int) -> str:
    fruit = [FRUITS[box.FRUIT[number, 0, k]] for k in range(box.TREES)]
    rows = zip(fruit[::2], fruit[1::2], strict=True)
    return f"Card {number}: " + ", ".join(f"{left} and {right}" for left, right in rows)


def way(number: int, turned: int, points: int) -> svg.G:
    down, across = divmod(turned, 2)
    sign = svg.G(class_=["sign"], elements=[shape(d) for d in SIGN], transform=[svg.Rotate(90 * turned)])
    chip = rect(0, 0, CHIP_X, CHIP_Y, rx=9)
    x, y = across * (CHIP_X + 6), down * (CHIP_Y + 6)
    kind = "good" if points > 0 else "poor"
    drawn = (chip, group_at(18, CHIP_Y / 2, sign), label(written(points), 56, CHIP_Y / 2))
    group = group_at(x, y, *drawn, classes=["way", kind, f"way-{90 * turned}"])
    words = f"Card {number}{TURNS[turned] or ', upright'}: up to {written(points)}"
    group.data = {"part": "turned", "value": 90 * turned, "of-card": number, "name": words}
    return group


@cached_drawing
def pile(left: int) -> svg.G:
    cards: list[svg.Element] = [
        rect(4 * i, 8 - 4 * i, PILE_X - 8, PILE_Y - 8, "back", rx=5) for i in range(min(left, 3))
    ]
    if not left:
        cards.append(rect(0, 8, PILE_X - 8, PILE_Y - 8, "none", rx=5))
    words = f"{pluralize(left, 'card')} still to be drawn"
    x = box.HAND * (SLOT + GAP) + 4
    spot = places(x, 34, WAYS_X - 1 + APART, 34)
    drawn = [svg.Title(text=words), *cards, label(left, PILE_X / 2, PILE_Y + 18)]
    return svg.G(class_=["pile", "piece"], style=spot, data={"frame": f"{x} 34"}, elements=drawn)
