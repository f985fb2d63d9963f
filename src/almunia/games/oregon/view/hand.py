"""The reader's hand in Oregon in one row: cards, tokens, both decks, and the values of coal and gold tiles.

In a narrow pane `view.css` uses the second position of each piece, in three rows.
"""

from collections.abc import Sequence
from typing import NamedTuple

import svg

from ....core.contract import NONE
from ....core.svg import cached_drawing, canvas, clickable, group_at, label, rect, shape
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import JOKER, LANDS, Deck, Sort
from ..rules.decks import in_deck
from ..rules.state import CARD, DRAW, EXTRA, SPACE, SWAP, Phase
from ..text.prospects import best_by_card
from ..text.words import CARDS, DECKS, SORTS, held, values
from . import drawing
from .drawing import Elements, pill, promise_classes

CARD_X, CARD_Y = 80, 84
STEP = CARD_X + 6  # the distance between cards
RAISED = 6  # the lift of a chosen card
HEIGHT = CARD_Y + RAISED
SLOT = 84  # the width of a token or a deck
SECOND, THIRD = HEIGHT + 8, 2 * HEIGHT + 12  # y of the second and third row in a narrow pane
TOKENS, DECKS_AT, WORTH = box.HAND * STEP + 42, box.HAND * STEP + 202, box.HAND * STEP + 346  # x in a wide pane
WIDTH, NARROW_WIDTH, NARROW_HEIGHT = WORTH + 96, box.HAND * STEP, THIRD + 36
EDGE = 3


class Spot(NamedTuple):
    """The position of a piece in wide and narrow panes."""

    x: float
    y: float
    narrow_x: float
    narrow_y: float


class Promise(NamedTuple):
    """The gain shown on a card that may be chosen."""

    points: int | None  # the most points that the card can earn, if known
    most: bool  # whether no other card earns more


def hand(s: State, seat: int, legal: Sequence[int]) -> svg.SVG:
    """Draw the cards, tokens, decks and tiles; for a spectator, only the decks."""
    elements: Elements = []
    if seat != NONE:
        best = best_by_card(s) if any(CARD <= action < SPACE for action in legal) else {}
        elements += [*held_cards(s, seat, legal, best), *tokens(s, seat, legal, best)]
    elements += [deck(kind, in_deck(s, kind), one_of(legal, DRAW + kind)) for kind in Deck]
    if seat != NONE:
        elements += [own_tiles(sort, tuple(values(s, seat, sort))) for sort in Sort]
    frame = svg.ViewBoxSpec(-EDGE, -EDGE, WIDTH + 2 * EDGE, HEIGHT + 2 * EDGE)
    picture = canvas("Hand and decks", frame, elements, "oregon", "strip", clickable=bool(legal))
    scale = frame.width / (NARROW_WIDTH + 2 * EDGE)
    tall = scale * (NARROW_HEIGHT + 2 * EDGE)
    picture.style = f"--wide:{frame.width};--tall:{tall:.0f};--scale:{scale:.3f}"
    picture.preserveAspectRatio = svg.PreserveAspectRatio("xMidYMin")
    return picture


def piece(spot: Spot, group: svg.G, *, name: str = "", picked: bool = False, action: int = NONE) -> svg.G:
    """Return a group that `view.css` positions, clickable if it has an action."""
    if action != NONE:
        clickable(group, action)
    group.data = {**(group.data or {}), "frame": f"{spot.x:g} {spot.y:g}"}
    group.id = name or None
    group.class_ = ["piece", *(group.class_ or []), *(["picked"] if picked else [])]
    wide, narrow = f"--x:{spot.x}px;--y:{spot.y}px", f"--nx:{spot.narrow_x}px;--ny:{spot.narrow_y}px"
    group.style = f"{wide};{narrow}"
    return group


def one_of(legal: Sequence[int], action: int) -> int:
    """Return the action if it is legal, or NONE."""
    return action if action in legal else NONE


# --- cards ------------------------------------------------------------------------------------------------


def held_cards(s: State, seat: int, legal: Sequence[int], best: dict[int, int]) -> Elements:
    """Draw the cards in hand, each with the most points that it can earn. Chosen cards are raised."""
    found: Elements = []
    for i, (kind, picked) in enumerate(held(s, seat)):
        action = NONE if picked else action_of(s, kind, legal)
        useless = kind >= LANDS and s.stock[kind - LANDS] == 0
        found.append(card(i, kind, useless, picked, action, promise(kind, action, best)))
    return found


def promise(kind: int, action: int, best: dict[int, int]) -> Promise:
    """Return the most points that a card can earn if it can be chosen, and whether no other card earns more."""
    points = best.get(kind) if action != NONE else None
    return Promise(points, points is not None and points == max(best.values()))


def action_of(s: State, kind: int, legal: Sequence[int]) -> int:
    """Return the action of a click on a card, which plays, discards or exchanges it; or NONE."""
    if s.phase in (Phase.FIRST, Phase.SECOND):
        return one_of(legal, CARD + kind)
    return one_of(legal, SWAP + kind - LANDS) if kind >= LANDS else NONE


@cached_drawing
def card(place: int, kind: int, useless: bool, picked: bool, action: int, best: Promise) -> svg.G:
    """Draw a landscape or building card in hand. A chosen card is raised."""
    name = CARDS[kind]
    icon = drawing.on_card(kind)
    icon.transform = [svg.Translate(CARD_X / 2, 27), svg.Scale(1.2, 1.2)]
    drawn: Elements = [svg.Rect(width=CARD_X, height=CARD_Y, rx=8), icon]
    if useless:
        drawn.append(shape(f"M14 46L{CARD_X - 14} 8", "crossed"))
    lines = name.split()
    first = 67 - 8 * (len(lines) - 1)
    drawn += [label(line, CARD_X / 2, first + 14 * i, "name") for i, line in enumerate(lines)]
    drawn += badge(best, CARD_X - 18, 9)
    kinds = ["landscape", name] if kind < LANDS else ["building", *(["useless"] if useless else [])]
    x, y = place * STEP, 0 if picked else RAISED
    group = svg.G(class_=["card", *kinds], elements=drawn)
    return piece(Spot(x, y, x, y), group, name=f"hand-{place}", picked=picked, action=action)


def badge(best: Promise, x: float, y: float) -> Elements:
    """Draw the most points that a card can earn at its corner, hollow without a gain; nothing if unknown."""
    if best.points is None:
        return []
    return [group_at(x, y, *pill(best.points), classes=promise_classes(best.points, best.most))]


# --- tokens and tiles -------------------------------------------------------------------------------------


def tokens(s: State, seat: int, legal: Sequence[int], best: dict[int, int]) -> Elements:
    """Draw the joker and the extra turn token. Inactive tokens are crossed out."""
    me = s.seat[seat]
    chosen, joker = seat == s.turn and JOKER in s.chosen, one_of(legal, CARD + JOKER)
    return [
        token(0, bool(me.joker), joker, chosen, promise(JOKER, joker, best)),
        token(1, bool(me.extra), one_of(legal, EXTRA), False, Promise(None, False)),
    ]


def token_spot(place: int) -> Spot:
    """Return the position of the joker (place 0) or the extra turn token (1)."""
    y = 30 + RAISED
    return Spot(TOKENS + place * SLOT - 12 * (1 - place), y, (0.5 + place) * SLOT, SECOND + y)


@cached_drawing
def token(place: int, active: bool, action: int, picked: bool, best: Promise) -> svg.G:
    """Draw the joker (place 0) or the extra turn token (1): crossed out while inactive, raised if chosen."""
    sign, name = ((drawing.JOKER, "joker"), (drawing.EXTRA, "extra turn"))[place]
    hit = rect(-SLOT / 2, -30, SLOT, HEIGHT - 2, "hit")
    drawn: Elements = [hit, *drawing.token(sign), label(name, 0, 44, "name")]
    if not active:
        drawn.append(shape("M-16 16L16-16", "crossed"))
    drawn += badge(best, 22, -18)
    spot = token_spot(place)
    if picked:
        spot = spot._replace(y=spot.y - RAISED, narrow_y=spot.narrow_y - RAISED)
    group = svg.G(class_=["token"] if active else ["token", "spent"], elements=drawn)
    return piece(spot, group, name=f"token-{place}", picked=picked, action=action)


@cached_drawing
def own_tiles(sort: int, shown: tuple[int, ...]) -> svg.G:
    """Draw the total value of the reader's coal or gold tiles, with the single values in the tooltip."""
    icon = drawing.face_down(sort)
    icon.transform = [svg.Translate(14, 0), svg.Scale(0.8, 0.8)]
    name = SORTS[sort]
    words = f"worth {sum(shown)}" if shown else f"no {name}"
    title = svg.Title(text=f"Your {name} tiles: {' + '.join(map(str, shown)) or 'none'}")
    spot = Spot(WORTH, 26 + 38 * sort, 8 + 140 * sort, THIRD + 16)
    return piece(spot, svg.G(class_=["own-tiles"], elements=[title, icon, label(words, 34, 0, "worth")]))


# --- decks ------------------------------------------------------------------------------------------------


def deck_spot(kind: int) -> Spot:
    """Return the position of a deck, to the right of the tokens."""
    y = 30 + RAISED
    return Spot(DECKS_AT + kind * SLOT + 12, y, (2.5 + kind) * SLOT + 8, SECOND + y)


@cached_drawing
def deck(kind: int, left: int, action: int) -> svg.G:
    """Draw a face-down deck with the number of its cards."""
    name = DECKS[kind]
    drawn: Elements = [rect(-SLOT / 2, -30, SLOT, HEIGHT - 2, "hit")]
    drawn += [rect(3 * i - 25, -3 * i - 22, 46, 52, "back", rx=6) for i in range(min(left, 3))]
    if not left:
        drawn.append(rect(-25, -22, 46, 52, "none", rx=6))
    count = ("count",) if left else ("count", "bare")
    drawn += [label(left, 4 if left > 2 else 0, 4, *count), label(f"{name}s", 0, 44, "name")]
    group = svg.G(class_=["deck", name], elements=drawn)
    return piece(deck_spot(kind), group, name=f"deck-{name}", action=action)
