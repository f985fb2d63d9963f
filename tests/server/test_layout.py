"""Where panes stand: columns that stay as they are while a game goes on."""

from almunia.core.contract import NONE, Role
from almunia.core.picture import Drawn
from almunia.server.layout import BOARD, HAND, LOG, SEATS, Shape, layout
from almunia.server.table_view import tab_of

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


def test_the_tab_in_which_choosing_begins():
    def panel(role, svg):
        return Drawn("one", "One", svg, role, NONE, "", (1, 1), 0)

    place, part = '<g data-action="1"/>', '<g data-part="card"/>'
    board, skip = panel(Role.BOARD, 2 * place), panel(Role.HAND, place)
    assert tab_of([board, skip]) == BOARD
    assert tab_of([board, panel(Role.OFFER, place), skip]) == HAND
    assert tab_of([board, panel(Role.HAND, part)]) == HAND
    assert tab_of([panel(Role.BOARD, ""), panel(Role.ASIDE, place)]) == BOARD
