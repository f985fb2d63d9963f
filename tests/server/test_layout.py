"""Where panes stand: columns that stay as they are while a game goes on."""

from almunia.core.contract import Role
from almunia.server.layout import LOG, SEATS, Shape, layout

OWN = (Shape("palace", Role.BOARD, 400, 300), Shape("hand", Role.HAND, 466, 74, 17))
THEIRS = (Shape("market", Role.OFFER, 316, 176, 14), Shape("theirs", Role.RIVAL, 300, 200))
COMMON = (Shape("map", Role.BOARD, 900, 600, 14), Shape("hand", Role.HAND, 790, 96, 13))


def test_columns_stay_while_boards_and_hands_grow():
    later = (OWN[0]._replace(width=600, height=700), OWN[1]._replace(height=150))
    theirs = (THEIRS[0], THEIRS[1]._replace(width=576, height=340))
    for seats in (2, 6):
        assert layout((*OWN, *THEIRS), seats) == layout((*later, *theirs), seats)
    assert layout(OWN, 1) == layout(later, 1)


def test_every_pane_stands_somewhere_once():
    for shapes, seats in (((*OWN, *THEIRS), 2), (OWN, 1), (COMMON, 3)):
        panes = [name for column in layout(shapes, seats).columns for name in column]
        wanted = [shape.name for shape in shapes if shape.role != Role.RIVAL]
        assert sorted(panes) == sorted([*wanted, SEATS, LOG])
        assert panes[0] == shapes[0].name


def test_a_common_board_is_measured_as_it_is():
    wide, square = layout(COMMON, 3), layout((COMMON[0]._replace(width=600), COMMON[1]), 3)
    assert wide != square
