"""The layout of panes: columns keep their widths during a game."""

import pytest

from almunia.core.contract import NONE, Role
from almunia.play.panels import RenderedOverlay, RenderedPanel
from almunia.server.web.table_layout import (
    BOARD,
    GAP,
    HAND,
    LOG,
    MAX_HAND_RATIO,
    OTHERS,
    QUESTION_HEIGHT,
    SEATS,
    STRIP_HEIGHT,
    WIDE_WINDOW,
    WIDER_WINDOW,
    PanelShape,
    arrange,
    max_shapes,
    min_height,
    score,
)
from almunia.server.web.table_page import tab_of

OWN = (PanelShape("palace", Role.BOARD, 400, 300), PanelShape("hand", Role.HAND, 466, 74, 17))
THEIRS = (PanelShape("market", Role.OFFER, 316, 176, 14), PanelShape("theirs", Role.OPPONENT, 300, 200))
COMMON = (PanelShape("map", Role.BOARD, 900, 600, 14), PanelShape("hand", Role.HAND, 790, 96, 13))


def test_columns_stay_while_boards_and_hands_grow():
    later = (OWN[0]._replace(width=600, height=700), OWN[1]._replace(height=150))
    theirs = (THEIRS[0], THEIRS[1]._replace(width=576, height=340))
    for seats in (2, 6):
        assert arrange((*OWN, *THEIRS), seats) == arrange((*later, *theirs), seats)
    assert arrange(OWN, 1) == arrange(later, 1)


def test_a_hand_is_measured_by_its_maximum_height():
    for height, expected in ((74, 466 * MAX_HAND_RATIO), (200, 200)):
        hand = max_shapes((OWN[0], OWN[1]._replace(height=height), *THEIRS), 2)[1]
        assert hand.height == pytest.approx(expected)


def test_a_tablet_shows_the_standings_below_the_board_if_they_fit():
    tally = PanelShape("castle", Role.STANDINGS, 900, 130, 14)
    low, hand = COMMON[0]._replace(height=400), COMMON[1]
    assert arrange((low, hand, tally), 3).below == ("castle",)
    assert arrange((low, hand, tally, tally._replace(name="crown")), 3).below == ("castle",)
    assert arrange((*COMMON, tally), 3).below == ()
    assert arrange((*OWN, *THEIRS, tally), 3).below == ()


def test_a_supply_has_a_column_in_the_wider_window_if_all_can_be_read_there():
    board, stock = COMMON[0], PanelShape("stock", Role.SUPPLY, 400, 900, 16)
    with_stock = arrange((board, stock), 3)
    assert with_stock.aside == "stock"
    assert len(with_stock.wider) == len(with_stock.wide) + 1 == len(with_stock.columns)
    assert "stock" not in {name for column in with_stock.columns for name in column}
    assert arrange((board, stock._replace(height=2000)), 3).aside == "", "it is cut off at a width where it can be read"
    assert arrange((board, stock._replace(role=Role.SECONDARY)), 3).aside == "", "it is needed seldom"
    assert arrange((board._replace(min_font_size=11), stock), 3).aside == "", "the board cannot be read beside it"
    assert arrange((board,), 3).aside == ""


def test_every_pane_is_in_one_column():
    for shapes, seats in (((*OWN, *THEIRS), 2), (OWN, 1), (COMMON, 3)):
        panes = [name for column in arrange(shapes, seats).columns for name in column]
        wanted = [shape.name for shape in shapes if shape.role != Role.OPPONENT]
        assert sorted(panes) == sorted([*wanted, SEATS, LOG])
        assert panes[0] == shapes[0].name


@pytest.mark.parametrize(
    ("shapes", "seats"),
    [((*OWN, *THEIRS), 2), ((*OWN, *THEIRS, THEIRS[1]), 3), ((COMMON[0], COMMON[1]._replace(min_font_size=30)), 4)],
)
def test_panes_fit_into_their_columns_and_are_legible(shapes, seats):
    found, panes = arrange(shapes, seats), {shape.name: shape for shape in max_shapes(shapes, seats)}
    for window, widths in ((WIDE_WINDOW, found.wide), (WIDER_WINDOW, found.wider)):
        for number, (column, width) in enumerate(zip(found.columns[1:], widths, strict=True), 1):
            room = window[1] - STRIP_HEIGHT - 2 * GAP - (QUESTION_HEIGHT + GAP if number < found.span else 0)
            drawn = [panes[name] for name in column if name in panes]
            tall = sum(shape.height_at(width) for shape in drawn)
            tall += sum(min_height(name, panes, seats) for name in column if name not in panes)
            assert tall + GAP * (len(column) - 1) <= room
            assert all(shape.is_legible_at(width) for shape in drawn)


def test_widths_are_scored_by_clipping_then_legibility_then_the_board():
    panes = {shape.name: shape for shape in COMMON}
    columns = (("map",), ("hand", SEATS, LOG))

    def rated(width, seats=3, letter=13):
        given = panes | {"hand": panes["hand"]._replace(min_font_size=letter)}
        return score(columns, 1, given, seats, WIDE_WINDOW, (width,))

    assert rated(400)[2] > rated(480)[2], "a wide column leaves the board less"
    assert rated(400)[1] == -1, "letters of 13 units in a picture of 790 are 6 pixels high there"
    assert rated(400, letter=30)[1] == 0
    assert rated(400, seats=3)[0] == 0
    assert rated(400, seats=9)[0] < rated(400, seats=8)[0] < 0, "so many cards have no room"


def test_a_hand_takes_the_room_that_the_board_cannot_use():
    found, panes = arrange(OWN, 1), {shape.name: shape for shape in max_shapes(OWN, 1)}
    rated = {
        width: score(found.columns, found.span, panes, 1, WIDER_WINDOW, (width,)) for width in (560, *found.wider, 830)
    }
    assert found.wider[0] > 560
    assert rated[560][:3] == rated[found.wider[0]][:3], "the board is as large beside a narrow column"
    assert rated[560][3] < rated[found.wider[0]][3]
    assert rated[830][2] < rated[560][2]


def test_a_board_on_a_seats_card_needs_room_there():
    plain = min_height(SEATS, {}, 3)
    assert min_height(SEATS, {"theirs": THEIRS[1]}, 3) > plain
    assert min_height(SEATS, {"theirs": THEIRS[1]._replace(role=Role.SECONDARY)}, 3) == plain


def test_the_tab_in_which_choosing_begins():
    def tab(proposed=NONE, **choices):
        panels = [RenderedPanel(name, name, "", Role[name.upper()], NONE, "", (1, 1), 0) for name in choices]
        marks = [(name, f' data-{kind}="1"') for name, kinds in choices.items() for kind in kinds]
        on_elements = [RenderedOverlay(name, "place", mark, "", "", None) for name, mark in marks[::2]]
        drawn = [RenderedOverlay(name, "", "", "", f"<g{mark}/>", None) for name, mark in marks[1::2]]
        return tab_of(panels, [*on_elements, *drawn], proposed)

    assert tab(board=["action", "action"], hand=["action"]) == BOARD
    assert tab(board=["action"], offer=["action"], hand=["action"]) == HAND
    assert tab(board=["action", "action"], hand=["part"]) == HAND
    assert tab(board=[], secondary=["action"]) == BOARD
    assert tab(board=["action"], standings=["action", "action"]) == OTHERS
    assert tab(board=["action"], hand=["part"]) == HAND
    assert tab(proposed=1, board=["action"], hand=["part"]) == BOARD
