"""The picture of the reader's hand in Oregon, with the decks.

Each piece has two positions. `view.css` uses the second in a narrow pane.
"""

from collections.abc import Sequence
from typing import NamedTuple

import svg

from ....core.contract import NONE, Overlay
from ....core.svg import cached_drawing, canvas, group_at, label, rect, shape
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
JOKER_TOKEN, EXTRA_TOKEN = range(2)  # places of the tokens


class Spot(NamedTuple):
    x: float
    y: float
    narrow_x: float
    narrow_y: float


class Own(NamedTuple):
    cards: tuple[tuple[int, bool, bool], ...]  # kind, whether useless, and whether chosen
    joker: bool  # whether active
    joker_picked: bool
    extra: bool  # whether active
    tiles: tuple[tuple[int, ...], ...]  # values by sort


def hand_of(s: State, seat: int) -> tuple[tuple[int, ...], Own | None]:
    """Return the numbers of cards in the decks, and the reader's possessions (None for a spectator)."""
    decks = tuple(in_deck(s, kind) for kind in Deck)
    if seat == NONE:
        return decks, None
    cards = tuple((kind, kind >= LANDS and s.stock[kind - LANDS] == 0, bool(picked)) for kind, picked in held(s, seat))
    me, picked = s.seat[seat], seat == s.turn and JOKER in s.chosen
    return decks, Own(cards, bool(me.joker), picked, bool(me.extra), tuple(tuple(values(s, seat, one)) for one in Sort))


def hand(decks: tuple[int, ...], own: Own | None) -> svg.SVG:
    """Draw the decks, and unless `own` is None the cards, tokens and tiles of the reader."""
    elements: Elements = []
    if own:
        elements += [card(i, *one) for i, one in enumerate(own.cards)]
        elements += [token(JOKER_TOKEN, own.joker, own.joker_picked), token(EXTRA_TOKEN, own.extra, picked=False)]
    elements += [deck(kind, decks[kind]) for kind in Deck]
    if own:
        elements += [own_tiles(sort, own.tiles[sort]) for sort in Sort]
    frame = svg.ViewBoxSpec(-EDGE, -EDGE, WIDTH + 2 * EDGE, HEIGHT + 2 * EDGE)
    picture = canvas("Hand and decks", frame, elements, "oregon", "strip")
    scale = frame.width / (NARROW_WIDTH + 2 * EDGE)
    tall = scale * (NARROW_HEIGHT + 2 * EDGE)
    picture.style = f"--wide:{frame.width};--tall:{tall:.0f};--scale:{scale:.3f}"
    picture.preserveAspectRatio = svg.PreserveAspectRatio("xMidYMin")
    return picture


def piece(spot: Spot, group: svg.G, *, name: str = "", picked: bool = False) -> svg.G:
    """Give a group its position, id and classes, and return the group."""
    group.data = {**(group.data or {}), "frame": f"{spot.x:g} {spot.y:g}"}
    group.id = name or None
    group.class_ = ["piece", *(group.class_ or []), *(["picked"] if picked else [])]
    wide, narrow = f"--x:{spot.x}px;--y:{spot.y}px", f"--nx:{spot.narrow_x}px;--ny:{spot.narrow_y}px"
    group.style = f"{wide};{narrow}"
    return group


# --- choices ----------------------------------------------------------------------------------------------


def over_hand(s: State, seat: int, legal: Sequence[int]) -> list[Overlay]:
    """Return the overlays of the cards, tokens and decks that can be chosen."""
    best = best_by_card(s) if any(CARD <= action < SPACE for action in legal) else {}
    found: list[Overlay] = []
    for i, (kind, picked) in enumerate(held(s, seat)):
        action = action_of(s, kind)
        if action in legal and not picked:
            drawn = badge(best, kind, CARD_X - 18, 9)
            found.append(Overlay.clickable("hand", f"hand-{i}", action, drawn, is_best(best, kind)))
    if CARD + JOKER in legal:
        joker = badge(best, JOKER, 22, -18)
        target = f"token-{JOKER_TOKEN}"
        found.append(Overlay.clickable("hand", target, CARD + JOKER, joker, is_best(best, JOKER)))
    if EXTRA in legal:
        found.append(Overlay.clickable("hand", f"token-{EXTRA_TOKEN}", EXTRA))
    return found + [Overlay.clickable("hand", deck_id(kind), DRAW + kind) for kind in Deck if DRAW + kind in legal]


def action_of(s: State, kind: int) -> int:
    """Return the action for a click on a card of this kind, which may be illegal, or NONE without such an action."""
    if s.phase in (Phase.FIRST, Phase.SECOND):
        return CARD + kind
    return SWAP + kind - LANDS if kind >= LANDS else NONE


def is_best(best: dict[int, int], kind: int) -> bool:
    """Return whether a card can earn the most points, if any earns points."""
    return best.get(kind, 0) == max(best.values(), default=0) > 0


def badge(best: dict[int, int], kind: int, x: float, y: float) -> svg.G | None:
    """Draw the most points that a card can earn, or return None for a card that is not in `best`."""
    if kind not in best:
        return None
    points = best[kind]
    return group_at(x, y, *pill(points), classes=promise_classes(points, is_best(best, kind)))


# --- cards ------------------------------------------------------------------------------------------------


@cached_drawing
def card(place: int, kind: int, useless: bool, picked: bool) -> svg.G:
    name = CARDS[kind]
    icon = drawing.on_card(kind)
    icon.transform = [svg.Translate(CARD_X / 2, 27), svg.Scale(1.2, 1.2)]
    drawn: Elements = [svg.Rect(width=CARD_X, height=CARD_Y, rx=8), icon]
    if useless:
        drawn.append(shape(f"M14 46L{CARD_X - 14} 8", "crossed"))
    lines = name.split()
    first = 67 - 8 * (len(lines) - 1)
    drawn += [label(line, CARD_X / 2, first + 14 * i, "name") for i, line in enumerate(lines)]
    kinds = ["landscape", name] if kind < LANDS else ["building", *(["useless"] if useless else [])]
    x, y = place * STEP, 0 if picked else RAISED
    group = svg.G(class_=["card", *kinds], elements=drawn)
    return piece(Spot(x, y, x, y), group, name=f"hand-{place}", picked=picked)


# --- tokens and tiles -------------------------------------------------------------------------------------


def token_spot(place: int) -> Spot:
    y = 30 + RAISED
    return Spot(TOKENS + place * SLOT - 12 * (1 - place), y, (0.5 + place) * SLOT, SECOND + y)


@cached_drawing
def token(place: int, active: bool, picked: bool) -> svg.G:
    """Draw the joker (place 0) or the extra turn token (1): crossed out while inactive, raised if chosen."""
    sign, name = ((drawing.JOKER, "joker"), (drawing.EXTRA, "extra turn"))[place]
    hit = rect(-SLOT / 2, -30, SLOT, HEIGHT - 2, "hit")
    drawn: Elements = [hit, *drawing.token(sign), label(name, 0, 44, "name")]
    if not active:
        drawn.append(shape("M-16 16L16-16", "crossed"))
    spot = token_spot(place)
    if picked:
        spot = spot._replace(y=spot.y - RAISED, narrow_y=spot.narrow_y - RAISED)
    group = svg.G(class_=["token"] if active else ["token", "spent"], elements=drawn)
    return piece(spot, group, name=f"token-{place}", picked=picked)


@cached_drawing
def own_tiles(sort: int, shown: tuple[int, ...]) -> svg.G:
    icon = drawing.face_down(sort)
    icon.transform = [svg.Translate(14, 0), svg.Scale(0.8, 0.8)]
    name = SORTS[sort]
    words = f"worth {sum(shown)}" if shown else f"no {name}"
    title = svg.Title(text=f"Your {name} tiles: {' + '.join(map(str, shown)) or 'none'}")
    spot = Spot(WORTH, 26 + 38 * sort, 8 + 140 * sort, THIRD + 16)
    return piece(spot, svg.G(class_=["own-tiles"], elements=[title, icon, label(words, 34, 0, "worth")]))


# --- decks ------------------------------------------------------------------------------------------------


def deck_spot(kind: int) -> Spot:
    y = 30 + RAISED
    return Spot(DECKS_AT + kind * SLOT + 12, y, (2.5 + kind) * SLOT + 8, SECOND + y)


@cached_drawing
def deck(kind: int, left: int) -> svg.G:
    name = DECKS[kind]
    drawn: Elements = [rect(-SLOT / 2, -30, SLOT, HEIGHT - 2, "hit")]
    drawn += [rect(3 * i - 25, -3 * i - 22, 46, 52, "back", rx=6) for i in range(min(left, 3))]
    if not left:
        drawn.append(rect(-25, -22, 46, 52, "none", rx=6))
    count = ("count",) if left else ("count", "bare")
    drawn += [label(left, 4 if left > 2 else 0, 4, *count), label(f"{name}s", 0, 44, "name")]
    group = svg.G(class_=["deck", name], elements=drawn)
    return piece(deck_spot(kind), group, name=deck_id(kind))


def deck_id(kind: int) -> str:
    return f"deck-{DECKS[kind]}"
