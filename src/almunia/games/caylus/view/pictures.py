"""The panels of Caylus: the board, castle and favours, and the buildings that can be built."""

from collections.abc import Collection, Sequence

import svg

from ....core.contract import Panel, Part, Role
from ....core.svg import group_at
from ....engine.checked import CheckedRecord as State
from .. import components as box
from ..rules.building import can_pay, in_supply
from ..rules.castle import building_site
from ..rules.phases import apply_one
from ..rules.road import trade_row
from ..rules.state import BUILD, ActionKind, Phase, Stage
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
from .road import head, laid, on_space, piece, road, target, ways
from .tallies import tallies
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


def panels(s: State, seat: int, legal: Sequence[int]) -> list[Panel]:
    """Return the panels: the board, castle and favours, and the buildings behind a button."""
    choices = choices_of(s, legal)
    return [
        Panel("board", "Board", board(s, choices), Role.BOARD, min_font_size=15),
        Panel("tallies", "Castle and favours", tallies(s, choices), Role.STANDINGS, min_font_size=13),
        Panel("buildings", "Buildings", buildings(s, max(seat, 0), choices), min_font_size=15),
    ]


def board(s: State, choices: Choices) -> svg.SVG:
    """Draw castle, special buildings, bridge and road, and cards for the actions that belong to no place."""
    pieces = [ways(), *head(s, choices), *road(s, choices), *offered(s, choices)]
    return laid("Board", HEIGHT, NARROW_HEIGHT, pieces, bool(choices))


# --- tiles and bargains -----------------------------------------------------------------------------------------------


def cards_for(s: State, legal: Collection[int]) -> list[tuple[int, svg.Element]]:
    """Return the actions offered by cards over rows of the road, with their cards: tiles, trades, batches and cubes.

    If residences are offered on the road as well, the list is empty, and the panel of buildings offers the tiles.
    """
    kinds = {decode(action)[0] for action in legal}
    if {ActionKind.BUILD, ActionKind.CONVERT} <= kinds:
        return []
    return [(action, card) for action in legal if (card := card_for(s, action))]


def offered(s: State, choices: Choices) -> list[svg.Element]:
    """Draw the cards of `cards_for` in their positions."""
    cards = cards_for(s, choices)
    top, _ = cards_band(s, cards)
    return [
        piece(in_grid(i, top, 4), "", [card, *target(choices, action, rect(0, 0, TILE_X, PRICED_Y))])
        for i, (action, card) in enumerate(cards)
    ]


def cards_band(s: State, cards: Sequence[tuple[int, svg.Element]]) -> tuple[int, int]:
    """Return the top and bottom of the cards, which do not cover the site of a tile or the building in use."""
    if cards and decode(cards[0][0])[0] == ActionKind.BUILD:
        return band_of_cards(len(cards), built_on(s, cards[0][0]))
    return band_of_cards(len(cards), s.cursor if s.stage == Stage.ROAD else 0)


def card_for(s: State, action: int) -> svg.Element | None:
    """Draw the card of an action without a place: a priced tile, a trade, a batch or a cube; None for other actions."""
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


def buildings(s: State, own: int, choices: Choices) -> svg.SVG:
    """Draw all tiles in the supply with their price and effect, marked if the viewer has the cubes."""
    tiles = shown_tiles(s)
    trial = s.copy()
    trial.turn = own
    phase = Phase.BUILDING if s.phase == Phase.BUILDING and s.turn == own else Phase.BUILD
    on_board = bool(cards_for(s, choices))
    pieces: list[svg.Element] = []
    for i, tile in enumerate(tiles):
        state = "payable" if can_pay(trial, phase, tile) else "dear"
        build = BUILD + tile - box.FIRST_BUILT
        click = [] if on_board else target(choices, build, rect(0, 0, TILE_X, PRICED_Y))
        pieces.append(piece(in_grid(i, 2, 2), tile_id(tile), [priced(tile, in_supply(s, tile), state, phase), *click]))
    heights = rows(len(tiles), ACROSS) * (PRICED_Y + 6), rows(len(tiles), NARROW_ACROSS) * NARROW_PRICED
    return laid("Buildings that can be built", *heights, pieces, bool(choices))


# --- ghosts --------------------------------------------------------------------------------------------------


def preview(s: State, seat: int, action: int) -> svg.G:
    """Draw the worker, provost or tile that an action puts on the board, with price and points, or nothing."""
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
    """Return the space that changes if a tile is built or a residence is made."""
    after = s.copy()
    apply_one(after, action)
    return next(space for space in range(box.ROAD) if looks(after, space) != looks(s, space))


def looks(s: State, space: int) -> tuple[int, int, int, int]:
    """Return the tile, owner, worker and pending residence of a space."""
    return s.road[space], s.owner[space], s.worker[space], s.pending[space]


def tag(s: State, after: State) -> svg.G:
    """Draw the deniers that the seat to move pays, and the points that it scores."""
    paid = s.seat[s.turn].money - after.seat[s.turn].money
    points = points_gained(s, after, s.turn)
    brought: tuple[Icon, ...] = (("points", points),) if points else ()
    return row(coins(max(paid, 0)) + brought, 60)
