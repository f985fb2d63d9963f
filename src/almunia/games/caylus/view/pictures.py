"""The panels of Caylus: the board, and the buildings that can be built."""

from collections.abc import Collection, Sequence
from typing import NamedTuple

import svg

from ....core.contract import NONE, Overlay, Panel, Part, Role
from ....core.memoize import memoize
from ....core.svg import canvas, group_at, use
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..components import Special
from ..rules.building import can_pay, in_supply
from ..rules.castle import building_site
from ..rules.phases import apply_one
from ..rules.road import trade_row
from ..rules.state import CASTLE, ActionKind, Phase, Stage
from ..text.actions import decode
from ..text.words import points_gained, tile_id
from .castle import FOOT, Castle, castle, castle_of, circle_x, favours, over_favours
from .gains import Choices, choices_of, on_piece, target, width_of_chips
from .icons import Icon, rect, row
from .plan import (
    ACROSS,
    HEIGHT,
    PRICED_ACROSS,
    PRICED_STEP_X,
    PRICED_STEP_Y,
    PRICED_Y,
    SHEET_SCALE,
    SPOTS,
    STRIP,
    TILE_X,
    WIDTH,
    Spot,
    band_of_cards,
    in_band,
    in_panel,
    rows,
)
from .road import (
    SPECIAL_FOOT,
    WALKER_SCALE,
    WORKER_AT,
    Head,
    Road,
    circles_of,
    head,
    head_of,
    land,
    on_space,
    over_places,
    road,
    road_of,
    special_x,
    ways,
)
from .shapes import symbols, worker
from .tiles import bargain, batch, coins, deal, priced, slot

LABELS = {
    ActionKind.PLACE: "Place a worker",
    ActionKind.PASS: "Or",
    ActionKind.MOVE: "Move the provost",
    ActionKind.JOUST: "Joust",
    ActionKind.STAY: "Inn",
    ActionKind.TAKE: "Take",
    ActionKind.GIVE: "Give",
    ActionKind.TRADE: "Trade",
    ActionKind.BUILD: "Build",
    ActionKind.CONVERT: "Make a residence",
    ActionKind.BATCH: "Give a batch",
    ActionKind.FAVOUR: "Use a favour",
}
PARTS = tuple(Part(kind.name.lower(), LABELS[kind]) for kind in ActionKind)


def panels(s: State, seat: int) -> list[Panel]:
    """Return the panels of a position as `seat` sees it."""
    own = max(seat, 0)
    prices = prices_of(s, own)
    return [
        Panel("board", "Board", board, (head_of(s), road_of(s), castle_of(s)), Role.BOARD, min_font_size=13),
        Panel("buildings", "Buildings", buildings, (supply(s, own, prices), prices), Role.SUPPLY, min_font_size=16.2),
    ]


def choices(s: State, seat: int, legal: Sequence[int]) -> list[Overlay]:
    """Return the overlays for the legal actions."""
    found = choices_of(s, legal)
    return [*over_places(s, found), *over_favours(s, found), *offered(s, found)]


def board(before: Head, beyond: Road, built: Castle) -> svg.SVG:
    landscape: list[svg.Element] = [symbols(), land(), ways(beyond.provost)]
    pieces = [*castle(built), *favours(built), *head(before), *road(beyond, built.section)]
    return canvas("Board", svg.ViewBoxSpec(0, 0, WIDTH, HEIGHT), [*landscape, *pieces], "caylus")


# --- tiles and bargains -----------------------------------------------------------------------------------------------


def cards_for(s: State, legal: Collection[int]) -> list[tuple[int, svg.Element]]:
    """Return the legal actions that have a card over the road, with their cards.

    If tiles and residences are offered together, no action has a card.
    """
    kinds = {decode(action)[0] for action in legal}
    if {ActionKind.BUILD, ActionKind.CONVERT} <= kinds:
        return []
    return [(action, card) for action in legal if (card := card_for(s, action))]


def offered(s: State, choices: Choices) -> list[Overlay]:
    """Return overlays for the cards of `cards_for`, or without cards for the tiles that can be built."""
    cards = cards_for(s, choices)
    top, bottom = cards_band(s, cards)
    found = [Overlay("board", "", rect(8, top, WIDTH - 16, bottom - top, "sheet", rx=10))] if cards else []
    for i, (action, card) in enumerate(cards):
        x, y, _, _ = in_band(i, top)
        found.append(Overlay("board", "", group_at(x, y, card, *priced_target(choices, action))))
    for action in () if cards else choices:
        kind, arg = decode(action)
        if kind == ActionKind.BUILD:
            found += on_piece("buildings", tile_id(arg + box.FIRST_BUILT), priced_target(choices, action))
    return found


def priced_target(choices: Choices, action: int) -> list[svg.Element]:
    """Return the clickable area of an action on a priced tile or a card."""
    half = width_of_chips(choices[action].chips) / 2
    return target(choices, action, rect(0, 0, TILE_X, PRICED_Y), TILE_X - 2 - half, 66)


def cards_band(s: State, cards: Sequence[tuple[int, svg.Element]]) -> tuple[int, int]:
    """Return the top and bottom of the band for the cards. Cards for the castle and for favours lie close to these."""
    if cards and decode(cards[0][0])[0] == ActionKind.BUILD:
        return band_of_cards(len(cards), built_on(s, cards[0][0]))
    return band_of_cards(len(cards), s.cursor if s.stage == Stage.ROAD else box.ROAD - 1)


def card_for(s: State, action: int) -> svg.Element | None:
    """Draw the card of an action, or return None if the action has no card."""
    kind, arg = decode(action)
    match kind:
        case ActionKind.BUILD:
            return priced(arg + box.FIRST_BUILT, 1, "offered", Phase(s.phase))
        case ActionKind.TRADE:
            return bargain("Trade", deal(trade_row(s, s.phase), arg))
        case ActionKind.BATCH:
            return bargain("Batch", batch(arg, building_site(s)))
        case ActionKind.TAKE | ActionKind.GIVE:
            return bargain(LABELS[ActionKind(kind)], ((box.CUBES[arg], 1),))
    return None


def tiles_of_play(s: State) -> list[int]:
    """Return the tiles that can be built in this play, in the order of the data."""
    tiles = range(box.FIRST_BUILT, box.FIRST_BUILT + box.BUILT)
    return [tile for tile in tiles if s.jeweller or not box.OPTIONAL[tile]]


class Stock(NamedTuple):
    """A tile in the panel of buildings."""

    tile: int
    left: int  # copies in the supply
    payable: bool  # whether the viewer has the cubes
    built: tuple[tuple[int, int], ...]  # owner and space of each copy that is built


def prices_of(s: State, own: int) -> Phase:
    """Return the phase whose prices the viewer pays."""
    return Phase.BUILDING if s.phase == Phase.BUILDING and s.turn == own else Phase.BUILD


@memoize(lambda s, own, phase: (s.road.to_bytes(), s.owner.to_bytes(), s.jeweller, s.seat[own].cubes.to_bytes(), phase))
def supply(s: State, own: int, phase: Phase) -> tuple[Stock, ...]:
    """Return the tiles that can be built, as the panel of buildings shows them."""
    trial = s.copy()
    trial.turn = own
    return tuple(
        Stock(tile, int(in_supply(s, tile)), bool(can_pay(trial, phase, tile)), copies_built(s, tile))
        for tile in tiles_of_play(s)
    )


def copies_built(s: State, tile: int) -> tuple[tuple[int, int], ...]:
    return tuple((int(s.owner[space]), space) for space in range(box.ROAD) if s.road[space] == tile)


def buildings(tiles: tuple[Stock, ...], phase: Phase) -> svg.SVG:
    """Draw the tiles that can be built. A tile whose copies are all built leaves an empty slot, so that none moves."""
    pieces: list[svg.Element] = []
    for i, (tile, left, payable, built) in enumerate(tiles):
        drawing = priced(tile, left, "payable" if payable else "dear", phase) if left else slot(tile, built)
        pieces.append(svg.G(id=tile_id(tile), class_=["piece"], style=style(*in_panel(i)), elements=[drawing]))
    width, height = PRICED_ACROSS * PRICED_STEP_X + 3, rows(len(tiles), PRICED_ACROSS) * PRICED_STEP_Y
    picture = canvas("Buildings", svg.ViewBoxSpec(0, 0, width, height), pieces, "caylus", "supply")
    low = rows(len(tiles), ACROSS) * PRICED_STEP_Y * SHEET_SCALE
    picture.style = f"--spare:{(height - low) / width:.2f}"
    picture.preserveAspectRatio = svg.PreserveAspectRatio("xMidYMin")
    return picture


def style(beside: Spot, sheet: Spot) -> str:
    """Return the CSS variables with a tile's positions in a column and in a sheet."""
    return f"--x:{beside.x:g}px;--y:{beside.y:g}px;--sx:{sheet.x:.1f}px;--sy:{sheet.y:.1f}px"


# --- ghosts --------------------------------------------------------------------------------------------------


def preview(s: State, seat: int, action: int) -> svg.G:
    """Draw the worker, provost or tile that an action would put on the board, or an empty group."""
    kind, arg = decode(action)
    after = s.copy()
    apply_one(after, action)
    drawn: svg.Element
    match kind:
        case ActionKind.PLACE:
            space, drawn = arg, worker(s.turn, *worker_at(s, arg), far=s.provost <= arg < box.ROAD)
        case ActionKind.MOVE:
            space, drawn = after.provost - 1, use("provost", 64, STRIP + 10, WALKER_SCALE, "provost")
        case ActionKind.BUILD | ActionKind.CONVERT:
            space = built_on(s, action)
            drawn = on_space(space, *looks(after, space), space >= s.provost)
        case _:
            return svg.G(class_=["ghost"])
    beside = group_at(*tag_at(s, space), tag(s, after))
    return svg.G(class_=["ghost"], elements=[group_at(SPOTS[space].x, SPOTS[space].y, drawn, beside)])


def tag_at(s: State, space: int) -> tuple[float, float]:
    """Return the middle of what a ghost pays and gains, clear of numbers and signs, from the place's corner."""
    if space >= box.ROAD:
        spot = SPOTS[space]
        return (spot.width - 24, spot.height / 2) if space == CASTLE else (spot.width / 2, spot.height + 12)
    return (44 if space + 1 in list(box.TRIGGER)[s.section :] else 104), STRIP - 1


def worker_at(s: State, place: int) -> tuple[float, float]:
    """Return the foot of a worker who comes to a place, from the place's corner."""
    if place < box.ROAD:
        return WORKER_AT
    spot = SPOTS[place]
    if place == CASTLE:
        return circle_x(sum(seat != NONE for seat in s.castle)) - spot.x, FOOT - spot.y
    circles = circles_of(s, Special(place - box.ROAD))
    return special_x(spot.width, len(circles), circles.index(NONE)), SPECIAL_FOOT


def built_on(s: State, action: int) -> int:
    """Return the space that an action to build or to make a residence would change."""
    after = s.copy()
    apply_one(after, action)
    return next(space for space in range(box.ROAD) if looks(after, space) != looks(s, space))


def looks(s: State, space: int) -> tuple[int, int, int, int]:
    return s.road[space], s.owner[space], s.worker[space], s.pending[space]


def tag(s: State, after: State) -> svg.G:
    paid = s.seat[s.turn].money - after.seat[s.turn].money
    points = points_gained(s, after, s.turn)
    brought: tuple[Icon, ...] = (("points", points),) if points else ()
    return row(coins(max(paid, 0)) + brought)
