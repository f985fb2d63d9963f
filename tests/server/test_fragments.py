"""The page of a table is made of fragments, each of which can be rendered alone from the facts of the page."""

import re

import pytest

from almunia.server.web import table_renderer
from almunia.server.web.templating import environment

NAMES = ("people", "question", "seats", "log", "moves", "chat")


@pytest.fixture
def rendered(monkeypatch):
    """The facts of the pages that are rendered."""
    found, render = [], table_renderer.render

    def listen(request, template, *given, **facts):
        found.append(facts)
        return render(request, template, *given, **facts)

    monkeypatch.setattr(table_renderer, "render", listen)
    return found


def check(page, facts):
    """Check that each fragment is a part of the page, and return the names of those that are there."""
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
