"""The panels of Caylus: the board, castle and favours, and the buildings that can be built."""

from collections.abc import Collection, Sequence

import svg

from ....core.contract import Overlay, Panel, Part, Role
from ....core.memoize import memoize
from ....core.svg import group_at
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules.building import can_pay, in_supply
from ..rules.castle import building_site
from ..rules.phases import apply_one
from ..rules.road import trade_row
from ..rules.state import ActionKind, Phase, Stage
from ..text.actions import decode
from ..text.words import points_gained, tile_id
from .gains import Choices, choices_of
from .icons import Icon, rect, row, walker, worker
from .plan import (
    ACROSS,
    HEIGHT,
    NARROW_ACROSS,
    NARROW_HEIGHT,
    NARROW_PRICED,
    PRICED_Y,
    SPOTS,
    TILE_X,
    TILE_Y,
    band_of_cards,
    in_grid,
    rows,
)
from .road import (
    Head,
    Road,
    head,
    head_of,
    laid,
    on_piece,
    on_space,
    over_places,
    piece,
    road,
    road_of,
    target,
    ways,
)
from .tallies import over_tallies, tallies, tallies_of
from .tiles import bargain, batch, coins, deal, priced

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
    own, shown = max(seat, 0), (head_of(s), road_of(s))
    prices = prices_of(s, own)
    return [
        Panel("board", "Board", board, shown, Role.BOARD, min_font_size=15),
        Panel("tallies", "Castle and favours", tallies, (tallies_of(s),), Role.STANDINGS, min_font_size=13),
        Panel("buildings", "Buildings", buildings, (supply(s, own, prices), prices), min_font_size=15),
    ]


def choices(s: State, seat: int, legal: Sequence[int]) -> list[Overlay]:
    """Return the overlays for the legal actions."""
    found = choices_of(s, legal)
    return [*over_places(s, found), *over_tallies(s, found), *offered(s, found)]


def board(before: Head, beyond: Road) -> svg.SVG:
    return laid("Board", HEIGHT, NARROW_HEIGHT, [ways(), *head(before), *road(beyond)])


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
    top, _ = cards_band(s, cards)
    found = [
        Overlay("board", "", piece(in_grid(i, top, 4), "", [card, *priced_target(choices, action)]))
        for i, (action, card) in enumerate(cards)
    ]
    for action in () if cards else choices:
        kind, arg = decode(action)
        if kind == ActionKind.BUILD:
            found += on_piece("buildings", tile_id(arg + box.FIRST_BUILT), priced_target(choices, action))
    return found


def priced_target(choices: Choices, action: int) -> list[svg.Element]:
    """Return the clickable area of an action on a priced tile or a card."""
    return target(choices, action, rect(0, 0, TILE_X, PRICED_Y))


def cards_band(s: State, cards: Sequence[tuple[int, svg.Element]]) -> tuple[int, int]:
    """Return the top and bottom of the band for the cards."""
    if cards and decode(cards[0][0])[0] == ActionKind.BUILD:
        return band_of_cards(len(cards), built_on(s, cards[0][0]))
    return band_of_cards(len(cards), s.cursor if s.stage == Stage.ROAD else 0)


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


def shown_tiles(s: State) -> list[int]:
    """Return the tiles in the supply, in the order of the data."""
    return [tile for tile in range(box.FIRST_BUILT, box.FIRST_BUILT + box.BUILT) if in_supply(s, tile)]


Supply = tuple[tuple[int, int, bool], ...]  # tile, number, and whether the viewer has the cubes


def prices_of(s: State, own: int) -> Phase:
    """Return the phase whose prices the viewer pays."""
    return Phase.BUILDING if s.phase == Phase.BUILDING and s.turn == own else Phase.BUILD


@memoize(lambda s, own, phase: (s.road.to_bytes(), s.jeweller, s.seat[own].cubes.to_bytes(), phase))
def supply(s: State, own: int, phase: Phase) -> Supply:
    """Return the tiles in the supply, as the panel of buildings shows them."""
    trial = s.copy()
    trial.turn = own
    return tuple((tile, in_supply(s, tile), bool(can_pay(trial, phase, tile))) for tile in shown_tiles(s))


def buildings(tiles: Supply, phase: Phase) -> svg.SVG:
    pieces: list[svg.Element] = []
    for i, (tile, count, payable) in enumerate(tiles):
        drawing = priced(tile, count, "payable" if payable else "dear", phase)
        pieces.append(piece(in_grid(i, 2, 2), tile_id(tile), [drawing]))
    heights = rows(len(tiles), ACROSS) * (PRICED_Y + 6), rows(len(tiles), NARROW_ACROSS) * NARROW_PRICED
    return laid("Buildings that can be built", *heights, pieces)


# --- ghosts --------------------------------------------------------------------------------------------------


def preview(s: State, seat: int, action: int) -> svg.G:
    """Draw the worker, provost or tile that an action would put on the board, or an empty group."""
    kind, arg = decode(action)
    after = s.copy()
    apply_one(after, action)
    drawn: svg.Element
    match kind:
        case ActionKind.PLACE:
            far = arg < box.ROAD and arg >= s.provost
            space, drawn = arg, group_at(SPOTS[arg].width - 22, 86, worker(s.turn, far), scale=1.35)
        case ActionKind.MOVE:
            space, drawn = after.provost - 1, group_at(80, 90, walker("provost"), scale=1.3)
        case ActionKind.BUILD | ActionKind.CONVERT:
            space = built_on(s, action)
            drawn = on_space(space, *looks(after, space), space >= s.provost, ())
        case _:
            return svg.G(class_=["ghost"])
    below = group_at(SPOTS[space].width / 2, TILE_Y - 2, tag(s, after))
    return svg.G(class_=["ghost"], elements=[piece(SPOTS[space], "", [drawn, below])])


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
    return row(coins(max(paid, 0)) + brought, 60)
