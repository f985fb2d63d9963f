"""Long names and names in any script stay in their places."""

from itertools import pairwise

import pytest
from playwright.sync_api import Page, expect

from almunia.server.tables.service import TableService

from .settling import STILL, resize, settle
from .sharing import play_on
from .test_play import fits

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]
WIDE, NARROW = 1280, 360
MANY = 1000  # actions, more than a game has
PERSIAN = ("علی", "مریم")

# Return the place of words within an element, such as a name.
PLACE = """(element, words) => {
    const walker = document.createTreeWalker(element, NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const at = walker.currentNode.data.indexOf(words);
        if (at < 0) continue;
        const range = document.createRange();
        range.setStart(walker.currentNode, at);
        range.setEnd(walker.currentNode, at + words.length);
        const { left, right, top, bottom } = range.getBoundingClientRect();
        return { left, right, top, bottom };
    }
}"""

# Return the texts with a name that is not isolated from its surroundings.
BARE = """names => {
    const found = [], walker = document.createTreeWalker(document.querySelector("main"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const { data, parentElement } = walker.currentNode;
        const bare = (name) => data.replaceAll(`\u2068${name}\u2069`, "").includes(name);
        if (names.some(bare) && !parentElement.closest("bdi")) found.push(data);
    }
    return found;
}"""


def play_out(page: Page, table: str, tables: TableService) -> None:
    """Play first actions until the game is over, and open the page again."""
    page.goto("about:blank")  # an open page would render each action
    play_on(tables, table, MANY)
    page.goto(table)
    settle(page)


def test_right_to_left_names_are_isolated(come, open_table, tables):
    page = come(**STILL)
    first, second = PERSIAN
    table = open_table(page, seed=3, seat_0="here", seat_1="here", name_0=first, name_1=second)
    assert page.evaluate(BARE, PERSIAN) == []  # on the curtain
    play_out(page, table, tables)
    expect(page.locator(".ranking")).to_have_css("flex-wrap", "wrap")  # no name is broken on a narrow page
    for name in PERSIAN:
        place = page.locator(".ranking li", has_text=name)
        points = place.locator("b").bounding_box()
        assert place.evaluate(PLACE, name)["right"] <= points["x"]
    assert page.evaluate(BARE, PERSIAN) == []
    for there in (f"{table}/replay", "/my/games"):
        page.goto(there)
        assert page.evaluate(BARE, PERSIAN) == [], there
    open_table(page, seed=3, seat_0="here", name_0=first, seat_1="friend")
    link = page.locator(".invite input").input_value()
    other = come(**STILL)
    for there in (page.url, link):
        other.goto(there)
        expect(other.locator("main", has_text=first)).to_have_count(1)
        assert other.evaluate(BARE, PERSIAN) == [], there


def test_a_long_name_stays_on_its_card(come, open_table, tables):
    page = come(WIDE, 800, **STILL)
    name = "W" * 30
    table = open_table(page, seed=3, seat_0="here", seat_1="here", name_0=name, name_1="Bea")
    check_fit(page)  # on the curtain
    page.locator(".curtain button").click()
    expect(page.locator("#play-it")).to_be_attached()
    settle(page)
    check_card(page, name)
    check_fit(page)
    play_out(page, table, tables)
    check_card(page, name)
    for there in (table, f"{table}/replay", "/my/games"):
        page.goto(there)
        check_fit(page)


def check_fit(page: Page) -> None:
    """Check that a wide and a narrow page fit the window, and that names fit their elements."""
    wide = "[...document.querySelectorAll('li, a, button, p, h2')].filter(one => one.scrollWidth > one.clientWidth + 1)"
    for width in (WIDE, NARROW):
        resize(page, width, 800)
        assert fits(page), (page.url, width)
        beyond = page.evaluate(f"{wide}.filter(one => one.clientWidth && one.querySelector('bdi')).length")
        assert beyond == 0, (page.url, width)
    resize(page, WIDE, 800)


def check_card(page: Page, name: str) -> None:
    """Check the card of a player on a wide and on a narrow page."""
    lies_on_card(page, name)
    resize(page, NARROW, 800)
    page.locator(".tabs label", has_text="Others").click()
    lies_on_card(page, name)
    resize(page, WIDE, 800)


def lies_on_card(page: Page, name: str) -> None:
    """Check that a name and the words about its seat lie on the card, to the left of the points."""
    card = page.locator(".seat", has_text=name)
    box, points = card.bounding_box(), card.locator(".score").bounding_box()
    place = card.locator("h2 bdi").bounding_box()  # a name that is too long ends in an ellipsis
    assert box["x"] <= place["x"] <= place["x"] + place["width"] <= points["x"]
    assert box["y"] <= place["y"] <= place["y"] + place["height"] <= box["y"] + box["height"]
    for now in card.locator(".now").all():
        said = now.bounding_box()
        assert said["x"] + said["width"] <= points["x"]


HEADS = """heads => heads.map((head) => {
    const words = document.createRange();
    words.selectNodeContents(head);
    const { left, right } = words.getBoundingClientRect();
    return [left, right];
})"""


def test_names_above_points_do_not_overlap(come, address, tables):
    page = come(**STILL)
    form = {"seed": "3"} | {f"seat-{seat}": "here" for seat in range(3)}
    form |= {f"name-{seat}": name for seat, name in enumerate(("Anna Maria", "Eva Maria", "Bea"))}
    answer = page.request.post("/games/oregon/tables", form=form, headers={"Origin": address}, max_redirects=0)
    play_out(page, answer.headers["location"], tables)
    for width in (360, 768, 1280, 1920):
        resize(page, width, 1000)
        places = page.locator(".from .accounts thead th").evaluate_all(HEADS)
        assert len(places) == 4
        assert all(right <= left for (_, right), (left, _) in pairwise(places)), width
