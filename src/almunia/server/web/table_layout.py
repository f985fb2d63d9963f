"""The layout of a table's page: a pure function of the panels and the number of seats.

A pane is a panel, the seats, or the log; opponents' panels are on their seats' cards. A wide page shows all panes in
columns, which this module chooses. On a narrow page panes are behind tabs, and the style sheet does the rest. This
module knows no game: panels have roles (`contract.Role`) and sizes.
"""

from collections.abc import Iterator, Sequence
from dataclasses import dataclass, replace
from functools import lru_cache
from itertools import product
from typing import NamedTuple

from ...core.contract import Role

SEATS, LOG = "seats", "log"  # panes without a panel
BOARD, HAND, OTHERS = "board", "hand", "others"  # tabs, beside that of the log
TABS = {BOARD: "Board", HAND: "Mine", OTHERS: "Others", LOG: "Log"}
HAND_ROLES = (Role.HAND, Role.OFFER)
WIDE_WINDOW, WIDER_WINDOW = (1280, 800), (1600, 900)  # for which columns are optimized; the style sheet's breakpoints
TABLET_WINDOW = (768, 900)  # an upright tablet, with tabs
FRAME_HEIGHT = 176  # pixels of a tablet's page above and below its panes
STRIP_HEIGHT, QUESTION_HEIGHT, GAP, EDGE = 48, 64, 10, 12  # pixels
PANE_HEADING_HEIGHT, PANE_PADDING = 24, 22  # pixels of a pane besides its picture
CARD_HEIGHT, BOARD_CARD_HEIGHT = 84, 125  # pixels, at least, without and with an opponent's board
MIN_LOG_HEIGHT = 110
COLUMN_WIDTHS = range(280, 560, 20)  # pixels; the first column takes the rest
SINGLE_COLUMN_WIDTHS = range(280, 840, 20)  # of a single column beside the first
MIN_FONT_SIZE = 12  # pixels
MAX_OWN_BOARD_SIZE = 700  # units of a player's own board, in both directions
MAX_HAND_RATIO = 1 / 3  # height of a hand by its width

Columns = tuple[tuple[str, ...], ...]  # names of panes, from top to bottom
Score = tuple[float, float, float, float]


class PanelShape(NamedTuple):
    """The role and the size of a panel."""

    name: str
    role: str
    width: float  # of the picture, in its own units
    height: float
    min_font_size: float = 0

    def height_at(self, width: float) -> float:
        return PANE_HEADING_HEIGHT + PANE_PADDING + (width - PANE_PADDING) * self.height / self.width

    def is_legible_at(self, width: float) -> bool:
        """Whether the smallest text is legible in a pane of this width."""
        return self.min_font_size * (width - PANE_PADDING) / self.width >= MIN_FONT_SIZE or not self.min_font_size


@dataclass(frozen=True)
class Layout:
    """The columns of a wide page, each with its panes from top to bottom, and their widths."""

    columns: Columns
    wide: tuple[int, ...]  # pixels of each column but the first, which takes the rest
    wider: tuple[int, ...]  # likewise for the wider window
    span: int  # columns below the question; the others begin beside it
    below: tuple[str, ...] = ()  # standings that fit below the board on a tablet
    aside: str = ""  # a supply panel with a column in the wider window, after `span` columns

    @property
    def style(self) -> str:
        """The widths as custom properties of CSS."""
        wide, wider = (" ".join(f"{width}px" for width in widths) for widths in (self.wide, self.wider))
        columns = f"--cols:minmax(0,1fr) {wide};--cols-wider:minmax(0,1fr) {wider}"
        return f"{columns};--span:{self.span};--beside:{len(self.wide)}"


class ColumnPlan(NamedTuple):
    """The roles of the panes in each column, from top to bottom, and the number of columns below the question."""

    columns: Columns
    span: int


OWN_BOARDS = ColumnPlan(((Role.BOARD, Role.HAND), (Role.OFFER, Role.STANDINGS, LOG), (SEATS,)), 2)
OWN_BOARD_ALONE = ColumnPlan(((Role.BOARD,), (Role.HAND, Role.OFFER, Role.STANDINGS, LOG), (SEATS,)), 2)
THREE = ColumnPlan(((Role.BOARD,), (Role.HAND, Role.OFFER, Role.STANDINGS), (SEATS, LOG)), 2)
OVER_HAND = ColumnPlan(((Role.BOARD, Role.HAND), (SEATS, Role.OFFER, Role.STANDINGS, LOG)), 1)
OVER_TALLY = ColumnPlan(((Role.BOARD, Role.HAND, Role.STANDINGS), (SEATS, Role.OFFER, LOG)), 1)
HAND_BESIDE = ColumnPlan(((Role.BOARD,), (SEATS, Role.HAND, Role.OFFER, Role.STANDINGS, LOG)), 1)
ALONE = ColumnPlan(((Role.BOARD,), (SEATS, Role.HAND, Role.OFFER, Role.STANDINGS, LOG)), 2)


def arrange(shapes: Sequence[PanelShape], seats: int) -> Layout:
    """Return the layout that cuts off least, then has the fewest illegible panes, the largest board and hand."""
    return pack(tuple(max_shapes(shapes, seats)), seats)


@lru_cache(256)
def pack(shapes: tuple[PanelShape, ...], seats: int) -> Layout:
    """Return the best layout for panels with these mid-game shapes, cached."""
    plans: tuple[ColumnPlan, ...] = (OVER_TALLY, OVER_HAND, HAND_BESIDE, THREE)
    if seats == 1:
        plans = (ALONE,)
    elif any(shape.role == Role.OPPONENT for shape in shapes):
        plans = (OWN_BOARDS, OWN_BOARD_ALONE)
    _, best = max((evaluate(plan, shapes, seats) for plan in plans), key=lambda one: one[0])
    aside, wider = aside_column(best, shapes, seats)
    return replace(best, below=tuple(panes_below_board(shapes)), aside=aside, wider=wider)


def aside_column(layout: Layout, shapes: Sequence[PanelShape], seats: int) -> tuple[str, tuple[int, ...]]:
    """Return the supply panel that fits into the wider window with all panes legible, and the widths with it.

    Without such a panel, return an empty name and the widths of the layout.
    """
    panes, span = {shape.name: shape for shape in shapes}, layout.span
    for shape in shapes:
        if shape.role == Role.SUPPLY:
            columns = (*layout.columns[:span], (shape.name,), *layout.columns[span:])
            (missing, illegible, *_), widths = best_widths(columns, span, panes, seats, WIDER_WINDOW)
            if missing == illegible == 0:
                return shape.name, widths
    return "", layout.wider


def panes_below_board(shapes: Sequence[PanelShape]) -> Iterator[str]:
    """Yield the standings that fit on a tablet's page below the board, hands and offers."""
    width, height = TABLET_WINDOW[0] - 2 * GAP, TABLET_WINDOW[1] - FRAME_HEIGHT
    board, *others = shapes
    hands = sum(GAP + shape.height_at(width) for shape in others if shape.role in HAND_ROLES)
    left = height - board.height_at(width) - hands
    for shape in others:
        needed = GAP + shape.height_at(width)
        if shape.role == Role.STANDINGS and needed <= left:
            left -= needed
            yield shape.name


def max_shapes(shapes: Sequence[PanelShape], seats: int) -> list[PanelShape]:
    """Return the shapes as large as they may become in mid-game, so that columns keep their widths.

    Games of several players with one common board keep their shapes.
    """
    if seats > 1 and not any(shape.role == Role.OPPONENT for shape in shapes):
        return list(shapes)

    def whole(shape: PanelShape) -> PanelShape:
        if shape.role in (Role.BOARD, Role.OPPONENT):
            return shape._replace(width=MAX_OWN_BOARD_SIZE, height=MAX_OWN_BOARD_SIZE)
        is_hand = shape.role == Role.HAND
        return shape._replace(height=max(shape.height, MAX_HAND_RATIO * shape.width)) if is_hand else shape

    return [whole(shape) for shape in shapes]


def evaluate(plan: ColumnPlan, shapes: Sequence[PanelShape], seats: int) -> tuple[tuple[float, ...], Layout]:
    """Return the score of a plan at its best widths, and its layout."""
    panes = {shape.name: shape for shape in shapes}
    columns = tuple(column for roles in plan.columns if (column := tuple(pane_names(roles, shapes))))
    points, wide = best_widths(columns, plan.span, panes, seats, WIDE_WINDOW)
    _, wider = best_widths(columns, plan.span, panes, seats, WIDER_WINDOW)
    return (*points, -len(columns)), Layout(columns, wide, wider, min(plan.span, len(columns)))


def best_widths(
    columns: Columns, span: int, panes: dict[str, PanelShape], seats: int, window: tuple[int, int]
) -> tuple[Score, tuple[int, ...]]:
    """Return the best score of columns in a window, and their widths, without that of the first column."""
    choices = product(SINGLE_COLUMN_WIDTHS if len(columns) == 2 else COLUMN_WIDTHS, repeat=len(columns) - 1)
    rated = ((score(columns, span, panes, seats, window, widths), widths) for widths in choices)
    return max(rated, key=lambda one: (one[0], -sum(one[1])))


def pane_names(roles: Sequence[str], shapes: Sequence[PanelShape]) -> Iterator[str]:
    """Yield the panes of a column, role by role."""
    for role in roles:
        yield from (role,) if role in (SEATS, LOG) else (shape.name for shape in shapes if shape.role == role)


def score(
    columns: Columns,
    span: int,
    panes: dict[str, PanelShape],
    seats: int,
    window: tuple[int, int],
    widths: tuple[int, ...],
) -> Score:
    """Return missing height and illegible panes, both negative, and the scales of board and hand, for these widths.

    So columns take from the board only what would be empty beside it.
    """
    across = (window[0] - 2 * EDGE - sum(widths) - 12 * len(widths), *widths)
    whole = window[1] - STRIP_HEIGHT - 2 * GAP
    missing, illegible, scale, hand = 0.0, 0.0, 0.0, 0.0
    for number, column in enumerate(columns):
        width = across[number]
        room: float = whole - (QUESTION_HEIGHT + GAP if number < span else 0) - GAP * (len(column) - 1)
        for name in column:
            shape = panes.get(name)
            if shape and shape.role == Role.BOARD:
                continue
            room -= shape.height_at(width) if shape else min_height(name, panes, seats)
            illegible += bool(shape and not shape.is_legible_at(width))
            hand = (width - PANE_PADDING) / shape.width if shape and shape.role == Role.HAND else hand
        if number == 0:
            board = panes[column[0]]
            scale = min((width - 12) / board.width, (room - 12) / board.height)
            illegible += not board.is_legible_at(scale * board.width + PANE_PADDING)
        else:
            missing += max(0.0, -room)
    return -round(missing / 8), -illegible, round(scale, 2), hand


def min_height(name: str, panes: dict[str, PanelShape], seats: int) -> float:
    """Return the least height of the seats or the log."""
    if name == LOG:
        return MIN_LOG_HEIGHT
    rivals = sum(shape.role == Role.OPPONENT for shape in panes.values())
    return seats * (CARD_HEIGHT + 6) + rivals * (BOARD_CARD_HEIGHT - CARD_HEIGHT)
