"""Oregon as pictures: the board with the stacks below it, the hand with the decks, and the discards."""

from collections.abc import Iterator, Sequence

import svg

from ....core.contract import NONE, Panel, Part, Role
from ....core.drawing import at, canvas, clickable, label, moved, once, rect, shape
from ....core.plain import CheckedRecord as State
from ....core.words import signed
from .. import components as box
from ..components import BUILT, EMPTY, JOKER, LANDS, Building, Deck, Sort, Terrain
from ..rules.decks import in_deck
from ..rules.phases import chosen_row
from ..rules.scoring import tiles_left
from ..rules.state import CARD, DRAW, EXTRA, SPACE, SWAP, Phase
from ..text.actions import after_placing, open_spaces
from ..text.log import tiles_taken, tokens_turned
from ..text.words import BUILDINGS, CARDS, DECKS, SORTS, earned, kinds_of, spot, values
from . import drawing
from .drawing import Elements

PARTS = (
    Part("card", "Card"),
    Part("space", "Space"),
    Part("extra", "Extra turn"),
    Part("deck", "Deck"),
    Part("exchange", "Exchange"),
    Part("end", "End"),
)

U = 44  # one space
LEFT, TOP = 76, 70  # where the spaces begin: symbols and names of rows and columns come before
RULER = 16  # what the names of rows and columns take
STACKS = 78  # the height of the stacks below the board
CARD_WIDTH, CARD_HEIGHT = 64, 88
STEP = CARD_WIDTH + 10  # from one card to the next
RAISED = 12  # how far a card that is chosen stands out
HAND_WIDTH = (box.HAND + 2) * STEP - 10

# What stands for a tile or a token on a space: its path, how much it shrinks, and how far it is from the middle.
SMALL = {
    "coal": (drawing.COAL, 1.2, (0, -6.5)),
    "gold": (drawing.GOLD, 1.15, (0, -6.5)),
    "joker": (drawing.JOKER, 0.42, (0, 1)),
    "extra": (drawing.EXTRA, 0.36, (4, 1)),
}


def panels(s: State, seat: int, legal: Sequence[int]) -> list[Panel]:
    """The board, the hand, and what has been discarded."""
    return [
        Panel("board", "The board", board(s, legal), role=Role.BOARD),
        Panel("hand", "Hand and decks", hand(s, seat, legal), Role.HAND),
        Panel("discards", "Discards", discards(s), Role.TALLY),
    ]


def middle(cell: int) -> tuple[float, float]:
    """The middle of a space."""
    row, column = divmod(cell, box.COLUMNS)
    return LEFT + (column + 0.5) * U, TOP + (row + 0.5) * U


# --- the board ------------------------------------------------------------------------------------


def board(s: State, legal: Sequence[int]) -> svg.SVG:
    """Symbols, spaces, what stands on them, where something may be placed, and the stacks."""
    elements: Elements = [edges(), *(space(cell, s.space[cell]) for cell in range(box.CELLS)), areas()]
    if s.last != NONE:
        elements.append(newest(s.last))
    open_to = [action for action in legal if SPACE <= action < EXTRA]
    elements += [target(action) for action in open_to]
    if s.phase == Phase.SPACE:
        elements += [gain(s, action - SPACE) for action in open_to]
    elements += stacks(s)
    width, height = LEFT + box.COLUMNS * U + 6, TOP + box.ROWS * U + STACKS
    return canvas("The board", svg.ViewBoxSpec(0, 0, width, height), elements, "oregon", clickable=bool(legal))


@once
def edges() -> Elements:
    """The patterns, the symbols along the top and the left, and the names of columns and rows [1.1, D24]."""
    wide, high = box.AREA_WIDTH * U, box.AREA_HEIGHT * U
    found: Elements = [grounds()]
    for i, symbol in enumerate(box.TOP):
        found.append(edge(symbol, LEFT + i * wide, 2, wide, TOP - RULER - 4, flat=True))
    for i, symbol in enumerate(box.LEFT):
        found.append(edge(symbol, 2, TOP + i * high, LEFT - RULER - 4, high, flat=False))
    for column in range(box.COLUMNS):
        x, _ = middle(column)
        found.append(label(spot(column)[0], x, TOP - 5, "ruler"))
    for row in range(box.ROWS):
        _, y = middle(row * box.COLUMNS)
        found.append(label(row + 1, LEFT - 9, y + 4, "ruler"))
    return found


def edge(symbol: int, x: float, y: float, width: float, height: float, *, flat: bool) -> svg.G:
    """A symbol beside the rows or columns it stands for."""
    name = box.SYMBOLS[symbol]
    icon = drawing.symbol(name)
    across, down = (x + 34, y + height / 2) if flat else (x + width / 2, y + height / 2 - 8)
    icon.transform = [svg.Translate(across, down)]
    words = label(name, x + 58, y + height / 2 + 5) if flat else label(name, across, y + height - 14)
    back = rect(x + 2, y + 2, width - 4, height - 4)
    return svg.G(class_=["edge", name, "flat" if flat else "tall"], elements=[back, icon, words])


def outline(cell: int, inset: float, name: str) -> svg.Rect:
    """The edge of a space."""
    x, y = middle(cell)
    side = U - 2 * inset
    return svg.Rect(class_=[name], x=x - U / 2 + inset, y=y - U / 2 + inset, width=side, height=side)


@once
def newest(cell: int) -> svg.Rect:
    """The edge of the space where something was placed last."""
    return outline(cell, 1.5, "newest")


@once
def space(cell: int, piece: int) -> svg.G:
    """A space with its terrain, and what stands on it."""
    x, y = middle(cell)
    ground = Terrain(box.TERRAIN[cell])
    name = ground.name.lower()
    elements: Elements = [
        svg.Title(text=f"{spot(cell)}: {name}{occupant(piece)}"),
        svg.Rect(x=-U / 2, y=-U / 2, width=U, height=U, fill=f"url(#ground-{name})"),
    ]
    if piece != EMPTY:
        elements.append(standing_piece(piece))
    return at(x, y, *elements, name=f"space-{cell}", classes=["space"])


def grounds() -> svg.Defs:
    """The pattern of each terrain."""
    return svg.Defs(
        elements=[
            svg.Pattern(
                id=f"ground-{ground.name.lower()}",
                class_=["ground", ground.name.lower()],
                patternUnits="userSpaceOnUse",
                x=-U / 2,
                y=-U / 2,
                width=U,
                height=U,
                viewBox=svg.ViewBoxSpec(-U / 2, -U / 2, U, U),
                elements=[svg.Rect(x=-U / 2, y=-U / 2, width=U, height=U), shape(drawing.TERRAINS[ground])],
            )
            for ground in Terrain
        ]
    )


def occupant(piece: int) -> str:
    """What stands on a space, in words."""
    if piece == EMPTY:
        return ""
    return f", {BUILDINGS[piece - BUILT]}" if piece >= BUILT else f", farmer of seat {piece + 1}"


def standing_piece(piece: int) -> svg.G:
    """A farmer or a building's tile, around 0, 0."""
    if piece < BUILT:
        return svg.G(
            class_=["farmer", f"of-{piece}"], elements=drawing.farmer(piece), transform=[svg.Scale(1.15, 1.15)]
        )
    return building_tile(piece - BUILT)


def building_tile(building: int) -> svg.G:
    """A building's tile, around 0, 0."""
    edge = rect(-19, -19, 38, 38, rx=6)
    return svg.G(class_=["built", Building(building).name.lower()], elements=[edge, drawing.building(building)])


@once
def areas() -> Elements:
    """Lines between the areas."""
    found: Elements = []
    right, bottom = LEFT + box.COLUMNS * U, TOP + box.ROWS * U
    for column in range(0, box.COLUMNS + 1, box.AREA_WIDTH):
        x = LEFT + column * U
        found.append(svg.Line(class_=["border"], x1=x, y1=TOP, x2=x, y2=bottom))
    for row in range(0, box.ROWS + 1, box.AREA_HEIGHT):
        y = TOP + row * U
        found.append(svg.Line(class_=["border"], x1=LEFT, y1=y, x2=right, y2=y))
    return found


def stacks(s: State) -> Iterator[svg.Element]:
    """The building tiles that are left, and the coal and gold."""
    for building in Building:
        yield stack(building, s.stock[building])
    for sort in Sort:
        yield stack(box.BUILDINGS + sort, tiles_left(s, sort))


@once
def stack(place: int, left: int) -> svg.G:
    """A stack of tiles, those of the buildings first, with the number that is left; pale when it is empty."""
    step = (box.COLUMNS * U + LEFT) / (box.BUILDINGS + 2)
    sort = place - box.BUILDINGS
    icon = building_tile(place) if sort < 0 else face_down(sort)
    name = box.NAMES[place] if sort < 0 else SORTS[sort].capitalize()
    number = label(f"\N{MULTIPLICATION SIGN}{left}", 25, 6, "left")
    below = label(name, 12, 36, "small")
    title = svg.Title(text=f"{name}{'' if sort < 0 else ' tiles'}: {left} left")
    x, y = 24 + place * step, TOP + box.ROWS * U + 26
    return at(x, y, title, icon, number, below, classes=["stack"] if left else ["stack", "spent"])


def face_down(sort: int) -> svg.G:
    """A coal or gold tile, around 0, 0."""
    mark = shape(drawing.COAL, "coal") if sort == Sort.COAL else shape(drawing.GOLD, "gold")
    mark.transform = [svg.Translate(0, -11), svg.Scale(1.7, 1.7)]
    return svg.G(class_=["tile", SORTS[sort]], elements=[rect(-17, -17, 34, 34, rx=5), mark])


# --- what may be chosen ------------------------------------------------------------------------------


@once
def target(action: int) -> svg.G:
    """A space where something may be placed."""
    return clickable(svg.G(elements=[outline(action - SPACE, 2.5, "spot")]), action)


def gain(s: State, cell: int) -> svg.Element:
    """The points that a placement earns, and below them its tiles and tokens."""
    after = after_placing(s, cell)
    points = earned(s, after, s.turn)
    signs = [SORTS[sort] for sort, count in tiles_taken(s, after, s.turn) for _ in range(count)]
    signs += [token.split()[0] for token in tokens_turned(s, after, s.turn)]
    return promise(cell, points, tuple(signs))


@once
def promise(cell: int, points: int, signs: tuple[str, ...]) -> svg.G:
    """Points, and below them tiles and tokens, on a space."""
    x, y = middle(cell)
    lines: Elements = []
    if points:
        lines.append(label(signed(points), x, y + (-1 if signs else 6), "points"))
    step = min(15, (U - 14) / max(len(signs) - 1, 1))
    for i, name in enumerate(signs):
        lines.append(small_sign(name, x + (i - (len(signs) - 1) / 2) * step, y + (11 if points else 1)))
    return svg.G(class_=["promise"], elements=lines)


def small_sign(name: str, x: float, y: float) -> svg.G:
    """What stands for a tile or a token where there is little room."""
    sign, scale, lift = SMALL[name]
    drawn = shape(sign, name if name in SORTS else "sign")
    drawn.transform = [svg.Scale(scale, scale), svg.Translate(*lift)]
    back = svg.Circle(class_=["back"], r=8)
    inner = svg.G(class_=["small-sign"], elements=[back, drawn])
    return at(x, y, inner)


def ghost(s: State, seat: int, action: int) -> svg.G:
    """The piece as it would stand, with what it earns; or the spaces that a card opens."""
    elements: Elements = []
    if action < SPACE and s.phase == Phase.SECOND:
        trial = s.copy()
        trial.chosen[1] = action
        if chosen_row(trial) != NONE:
            elements = [outline(cell, 2.5, "spot") for cell in open_spaces(trial)]
            elements += [gain(trial, cell) for cell in open_spaces(trial)]
    elif action < LANDS:
        elements = [rect(x, y, w, h, "band", rx=4) for x, y, w, h in bands(action)]
    elif SPACE <= action < EXTRA:
        elements = placed(s, action - SPACE)
    return svg.G(class_=["ghost"], elements=elements)


def bands(symbol: int) -> list[tuple[float, float, float, float]]:
    """The row and the column of a symbol."""
    wide, high = box.AREA_WIDTH * U, box.AREA_HEIGHT * U
    return [
        (LEFT + box.TOP.index(symbol) * wide, TOP, wide, box.ROWS * U),
        (LEFT, TOP + box.LEFT.index(symbol) * high, box.COLUMNS * U, high),
    ]


def placed(s: State, cell: int) -> Elements:
    """A piece as it would stand here, with a label for what it earns."""
    if s.phase == Phase.START:
        piece, words = BUILT + s.seat[s.turn].start, ""
    else:
        after = after_placing(s, cell)
        piece, points = after.space[cell], earned(s, after, s.turn)
        words = signed(points) if points else ""
    x, y = middle(cell)
    group = at(x, y, standing_piece(piece))
    elements: Elements = [outline(cell, 1, "under"), group]
    if words:
        elements.append(at(x, y - U * 0.52, rect(-17, -10, 34, 20, rx=10), label(words, y=5), classes=["gain"]))
    return elements


# --- the hand and the decks -----------------------------------------------------------------------------


def hand(s: State, seat: int, legal: Sequence[int]) -> svg.SVG:
    """The reader's cards and tokens, both decks, and the reader's coal and gold."""
    elements: Elements = []
    if seat != NONE:
        elements += held(s, seat, legal)
        elements += tokens(s, seat, legal)
    y = CARD_HEIGHT + RAISED + 14 if seat != NONE else 0
    for kind in Deck:
        elements.append(deck(kind, in_deck(s, kind), y, DRAW + kind if DRAW + kind in legal else NONE))
    if seat != NONE:
        elements += [own_tiles(sort, tuple(values(s, seat, sort)), y) for sort in Sort]
    return canvas(
        "Hand and decks",
        svg.ViewBoxSpec(-4, -4, HAND_WIDTH + 8, y + CARD_HEIGHT * 0.8 + 10),
        elements,
        "oregon",
        "hand",
        clickable=bool(legal),
    )


def held(s: State, seat: int, legal: Sequence[int]) -> Elements:
    """The cards in hand; those chosen stand out."""
    kinds = [kind for kind in range(box.KINDS) for _ in range(s.seat[seat].hand[kind])]
    waiting = [kind for kind in s.chosen if kind != NONE] if seat == s.turn else []
    found: Elements = []
    for i, kind in enumerate(kinds):
        picked = kind in waiting
        if picked:
            waiting.remove(kind)
        action = NONE if picked else action_of(s, kind, legal)
        useless = kind >= LANDS and s.stock[kind - LANDS] == 0
        found.append(card(i, kind, useless, picked, action))
    return found


def action_of(s: State, kind: int, legal: Sequence[int]) -> int:
    """What a click on a card does: play or discard it, or exchange it for another; or NONE."""
    playing = s.phase in (Phase.FIRST, Phase.SECOND)
    action = CARD + kind if playing else SWAP + kind - LANDS
    return action if action in legal and (playing or kind >= LANDS) else NONE


@once
def card(place: int, kind: int, useless: bool, picked: bool, action: int) -> svg.G:
    """A landscape or building card in hand; one that is picked stands out."""
    name = CARDS[kind]
    icon = icon_of(kind)
    icon.transform = [svg.Translate(CARD_WIDTH / 2, 36), svg.Scale(1.25, 1.25)]
    lines = name.split()
    spans: Elements = [
        svg.TSpan(x=CARD_WIDTH / 2, y=CARD_HEIGHT + 1 - 11 * (len(lines) - i), text=f"{line} ")
        for i, line in enumerate(lines)
    ]
    drawn: Elements = [
        svg.Rect(width=CARD_WIDTH, height=CARD_HEIGHT, rx=8),
        icon,
        svg.Text(class_=["name"], elements=spans),
    ]
    if useless:
        drawn.append(shape(f"M8 {CARD_HEIGHT - 34}L{CARD_WIDTH - 8} 12", "crossed"))
    kinds = ["landscape", name] if kind < LANDS else ["building", *(["useless"] if useless else [])]
    face = chooseable(svg.G(class_=["card", *kinds], elements=drawn), action)
    face.id, face.style = f"hand-{place}", moved(place * STEP, 0 if picked else RAISED)
    face.class_ = [*(face.class_ or []), *(["picked"] if picked else [])]
    return face


def icon_of(kind: int) -> svg.G:
    """What is drawn on a kind of card, around 0, 0."""
    return drawing.symbol(box.SYMBOLS[kind]) if kind < LANDS else drawing.building(kind - LANDS)


def chooseable(group: svg.G, action: int) -> svg.G:
    """Something that may be clicked, if there is an action for it."""
    return group if action == NONE else clickable(group, action)


def tokens(s: State, seat: int, legal: Sequence[int]) -> Elements:
    """The joker and the extra turn token, pale on their inactive side."""
    me = s.seat[seat]
    chosen = seat == s.turn and JOKER in s.chosen
    action = CARD + JOKER if CARD + JOKER in legal else NONE
    return [token(0, bool(me.joker), action, chosen), token(1, bool(me.extra), NONE, False)]


@once
def token(place: int, active: bool, action: int, picked: bool) -> svg.G:
    """A token beside the hand; one that is used lies on its other side, crossed out."""
    sign, name = ((drawing.JOKER, "Joker"), (drawing.EXTRA, "Extra turn"))[place]
    drawn: Elements = [svg.Circle(r=24), shape(sign, "sign"), label(name, 0, 40, "name")]
    if not active:
        drawn.append(shape("M-16 16L16-16", "crossed"))
    group = chooseable(svg.G(class_=["token"] if active else ["token", "spent"], elements=drawn), action)
    group.style = moved((box.HAND + place) * STEP + CARD_WIDTH / 2, CARD_HEIGHT / 2 + (0 if picked else RAISED))
    group.class_ = [*(group.class_ or []), *(["picked"] if picked else [])]
    return group


@once
def deck(kind: int, left: int, y: int, action: int) -> Elements:
    """A face-down deck, and beside it the number of its cards."""
    x = kind * (1.9 * STEP + 8)
    width, height = 48, CARD_HEIGHT * 0.78
    drawn: Elements = [rect(-4, -4, 1.9 * STEP, height + 6, "hit")]
    drawn += [rect(3 * i, 6 - 3 * i, width, height - 8, rx=6) for i in range(min(left, 3))]
    pile = svg.G(class_=["deck", DECKS[kind]], id=f"deck-{DECKS[kind]}", style=moved(x, y), elements=drawn)
    return [
        chooseable(pile, action),
        label(left, x + 66, y + height / 2 - 2, "count"),
        label(f"{DECKS[kind]}s", x + 66, y + height / 2 + 16, "count", "small"),
    ]


@once
def own_tiles(sort: int, shown: tuple[int, ...], y: int) -> Elements:
    """The reader's coal or gold tiles with their values."""
    x, line = 4 * STEP + 4, y + 16 + 34 * sort
    icon = face_down(sort)
    icon.style = moved(x + 8, line) + " scale(.72)"
    words = " + ".join(map(str, shown)) if shown else "none"
    return [icon, label(words, x + 28, line + 5, "worth")]


def discards(s: State) -> svg.SVG:
    """How many cards of each kind have been discarded since their deck was last shuffled, a row for each deck."""
    return canvas(
        "Discards",
        svg.ViewBoxSpec(-2, -2, box.BUILDINGS * 70, 132),
        [gone(kind, s.discard[kind], i * 70, row * 68) for row in Deck for i, kind in enumerate(kinds_of(row))],
        "oregon",
        "discards",
    )


@once
def gone(kind: int, number: int, x: int, y: int) -> svg.G:
    """A kind of card with the number that lies on the discards."""
    icon = icon_of(kind)
    icon.transform = [svg.Translate(20, 21), svg.Scale(0.9, 0.9)]
    sort = box.SYMBOLS[kind] if kind < LANDS else "building"
    title, edge = svg.Title(text=f"{CARDS[kind]}: {number} discarded"), rect(0, 0, 64, 42, rx=6)
    count, below = label(number, 49, 27, "left"), label(CARDS[kind], 32, 55, "small")
    return at(x, y, title, edge, icon, count, below, classes=["gone", sort, *([] if number else ["spent"])])
