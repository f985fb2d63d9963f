"""The page of a table consists of fragments. Each can be rendered alone from the facts of the page."""

import re
from dataclasses import replace

import pytest
from markupsafe import Markup

from almunia.core.contract import Role
from almunia.play.panels import RenderedPanel
from almunia.server.web import table_renderer
from almunia.server.web.game_icons import IconSet
from almunia.server.web.seat_cards import SeatCard, seat_fragment
from almunia.server.web.templating import environment

NAMES = ("people", "question", "seats", "log", "moves", "chat")
NO_MENU = Markup()
NO_ICONS = IconSet((), {}, {}, "")
CARD = SeatCard(0, "Ann", "", "bot", False, False, 0, 1, (), (), "", "", None, unready="waits")
BOARD = RenderedPanel("board", "Board", "<svg/>", Role.OPPONENT, 0, "a1", (1, 1), 0)


@pytest.fixture
def rendered(monkeypatch):
    """Return the list of the facts of all rendered pages."""
    found, render = [], table_renderer.render

    def listen(request, template, *given, **facts):
        found.append(facts)
        return render(request, template, *given, **facts)

    monkeypatch.setattr(table_renderer, "render", listen)
    return found


def check(page, facts):
    """Check that each fragment is a part of the page, and return the names of the fragments."""
    hidden = {"moves": not facts["view"].my_turn, "chat": facts["room"] is None}
    names = [name for name in NAMES if not hidden.get(name)]
    for name in names:
        assert environment().get_template(f"_{name}.html").render(facts) in page, name
    return names


def test_each_fragment_is_a_part_of_the_page(visitor, stranger, rendered):
    table = visitor.open("orchard", **{"seat-0": "me", "seat-1": "friend", "unrated": 1, "hints": 1})
    link = re.search(r"/join/[\w.-]+", visitor.get(table).text)[0]
    assert "moves" not in check(stranger.get(table).text, rendered[-1])
    stranger.post(link, data={"name": "Bea"})
    visitor.act(table)
    stranger.act(table)
    visitor.post(f"{table}/propose", data={"seat": 0, "what": "end"})
    found = [name for one in (visitor, stranger) for name in check(one.get(table).text, rendered[-1])]
    assert set(found) == set(NAMES)
    assert 'id="proposal"' in environment().get_template("_log.html").render(rendered[-1])
    visitor.post(f"{table}/resign", data={"seat": 0})
    for one in (visitor, stranger):
        check(one.get(table).text, rendered[-1])


def test_the_hash_of_a_seat_covers_its_whole_section():
    sections = [
        seat_fragment(CARD, NO_ICONS, [BOARD], True, NO_MENU),
        seat_fragment(CARD, NO_ICONS, [BOARD._replace(digest="b2")], True, NO_MENU),
        seat_fragment(CARD, NO_ICONS, [], True, NO_MENU),
        seat_fragment(CARD, NO_ICONS, [BOARD], True, Markup("<p>Menu</p>")),
        seat_fragment(replace(CARD, points=1), NO_ICONS, [BOARD], True, NO_MENU),
        seat_fragment(replace(CARD, turn_label="to move"), NO_ICONS, [BOARD], True, NO_MENU),
        seat_fragment(replace(CARD, is_viewed=True), NO_ICONS, [BOARD], True, NO_MENU),
    ]
    assert len({section.hash for section in sections}) == len(sections)
