"""The panels of Caylus: the road with the reader's things, castle and favours, the buildings, and what all have."""

from collections.abc import Sequence

import svg

from ....core.contract import Panel, Part, Role
from ....core.drawing import at, canvas
from ....core.lines import spoken
from ....core.plain import CheckedRecord as State
from .. import components as box
from ..rules.building import can_pay, in_supply
from ..rules.castle import building_site
from ..rules.phases import do
from ..rules.road import trade_row
from ..rules.state import Deed, Phase
from ..text.actions import effect, offer, taken_apart
from ..text.position import order_of
from ..text.words import points_gained
from .icons import Icon, rect, row, walker, worker
from .plan import (
    ACROSS,
    HEIGHT,
    NARROW_ACROSS,
    NARROW_HEIGHT,
    NARROW_PRICED,
    NARROW_STRIP,
    PRICED_Y,
    SPOTS,
    STRIP,
    TILE_X,
    WIDTH,
    in_grid,
    rows,
)
from .road import Choices, head, holdings, on_space, piece, road, strip, target, ways
from .tallies import tallies
from .tiles import bargain, batch, coins, deal, priced

LABELS = {
    Deed.PLACE: "Place a worker",
    Deed.PASS: "Or",
    Deed.MOVE: "Move the provost",
    Deed.JOUST: "Joust",
    Deed.STAY: "Inn",
    Deed.TAKE: "Take",
    Deed.GIVE: "Give",
    Deed.TRADE: "Trade",
    Deed.BUILD: "Build",
    Deed.CONVERT: "Make a residence",
    Deed.BATCH: "Give a batch",
    Deed.FAVOUR: "Use a favour",
}
PARTS = tuple(Part(deed.name.lower(), LABELS[deed]) for deed in Deed)


def panels(s: State, seat: int, legal: Sequence[int]) -> list[Panel]:
    """The board, the tallies beside it, and below them the buildings and what everybody has."""
    choices = {action: said(s, action) for action in legal}
    own = max(seat, 0)
    return [
        Panel("board", "Board", board(s, own, choices), role=Role.BOARD),
        Panel("tallies", "Castle and favours", tallies(s, choices), Role.TALLY),
        Panel("buildings", "Buildings", buildings(s, own)),
        Panel("players", "Players", players(s)),
    ]


def said(s: State, action: int) -> str:
    """An action with what it would do."""
    words, more = spoken(offer(s, action)), spoken(effect(s, action))
    return f"{words}: {more}" if more else words


def board(s: State, own: int, choices: Choices) -> svg.SVG:
    """The main picture: castle, special buildings and road, what the reader has, and what it may build."""
    pieces = [ways(), *head(s, choices), *road(s, choices), *strip(s, own, choices), *offered(s, choices)]
    return laid("Board", HEIGHT, NARROW_HEIGHT, pieces, bool(choices))


def laid(name: str, height: int, narrow: int, pieces: list[svg.Element], clickable: bool = False) -> svg.SVG:
    """A picture of pieces that lie otherwise on narrow pages, where it is as tall as `narrow` says."""
    picture = canvas(name, svg.ViewBoxSpec(0, 0, WIDTH, height), pieces, "caylus", "laid", clickable=clickable)
    picture.style, picture.preserveAspectRatio = f"--tall:{narrow}", svg.PreserveAspectRatio("xMidYMin")
    return picture


# --- tiles and bargains -----------------------------------------------------------------------------------------------


def offered(s: State, choices: Choices) -> list[svg.Element]:
    """The tiles that may be built now, and the trades and batches, over the lower rows of the road."""
    cards = [(action, card) for action in choices if (card := card_for(s, action))]
    top = STRIP - rows(len(cards), ACROSS) * (PRICED_Y + 6) - 4
    return [
        piece(in_grid(i, top, NARROW_STRIP), "", [card, *target(choices, action, rect(0, 0, TILE_X, PRICED_Y))])
        for i, (action, card) in enumerate(cards)
    ]


def card_for(s: State, action: int) -> svg.Element | None:
    """What stands for an action that names no place: a tile with its price, or what is paid and gained."""
    kind, which = taken_apart(action)
    match kind:
        case Deed.BUILD:
            return priced(which + box.FIRST_BUILT, 1, "offered")
        case Deed.TRADE:
            return bargain("Trade", deal(trade_row(s, s.phase), which))
        case Deed.BATCH:
            return bargain("Batch", batch(which, building_site(s)))
    return None


def buildings(s: State, own: int) -> svg.SVG:
    """All tiles that can be built, by class: what they cost and do, and whether the reader has the cubes."""
    tiles = [tile for tile in range(box.FIRST_BUILT, box.FIRST_BUILT + box.BUILT) if in_supply(s, tile)]
    trial = s.copy()
    trial.turn = own
    pieces: list[svg.Element] = []
    for i, tile in enumerate(tiles):
        state = "payable" if can_pay(trial, Phase.BUILD, tile) else "dear"
        pieces.append(piece(in_grid(i, 2, 2), "", [priced(tile, in_supply(s, tile), state)]))
    heights = rows(len(tiles), ACROSS) * (PRICED_Y + 6), rows(len(tiles), NARROW_ACROSS) * NARROW_PRICED
    return laid("Buildings that can be built", *heights, pieces)


def players(s: State) -> svg.SVG:
    """What everybody has, in turn order."""
    pieces: list[svg.Element] = []
    for i, p in enumerate(order_of(s)):
        pieces += holdings(s, p, 92 * i, 370 * i)
    return laid("What the players have", 92 * s.seats, 370 * s.seats, pieces)


# --- ghosts --------------------------------------------------------------------------------------------------


def ghost(s: State, seat: int, action: int) -> svg.G:
    """What an action would put on the board, with what it costs and brings: a worker, the provost, or a tile."""
    kind, which = taken_apart(action)
    after = s.copy()
    do(after, action)
    drawn: svg.Element
    match kind:
        case Deed.PLACE:
            far = which < box.ROAD and which >= s.provost
            space, drawn = which, at(SPOTS[which].width - 22, 86, worker(s.turn, far), scale=1.35)
        case Deed.MOVE:
            space, drawn = after.provost - 1, at(80, 90, walker("provost"), scale=1.3)
        case Deed.BUILD | Deed.CONVERT:
            space = next(i for i in range(box.ROAD) if looks(after, i) != looks(s, i))
            drawn = on_space(space, *looks(after, space), space >= s.provost, ())
        case _:
            return svg.G(class_=["ghost"])
    return svg.G(class_=["ghost"], elements=[piece(SPOTS[space], "", [drawn, tag(s, after)])])


def looks(s: State, space: int) -> tuple[int, int, int, int]:
    """What stands on a space, and whose it is."""
    return s.road[space], s.owner[space], s.worker[space], s.pending[space]


def tag(s: State, after: State) -> svg.G:
    """The deniers that somebody pays, and the points that come of it."""
    paid = s.seat[s.turn].money - after.seat[s.turn].money
    points = points_gained(s, after, s.turn)
    brought: tuple[Icon, ...] = (("points", points),) if points else ()
    return at(34, 86, row(coins(max(paid, 0)) + brought, 60))
