"""At 1280 x 800 pixels all panes are on the first screen and legible, and nothing is cut off."""

import pytest
from playwright.sync_api import expect

import almunia
from tools.builtin_games import builtin_games

from .settling import STILL, settle
from .sharing import play_on, play_out, uncover

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

LEAST = 12  # pixels of the smallest font size
LATER = (30, 50)  # actions before the second check, by the parity of the number of seats

# Return the names of panes and cards that are partly hidden, and of their hidden contents. The log may scroll.
HIDDEN = """() => {
    const name = (one) => `${one.className} ${one.getAttribute("aria-label") ?? ""}`.trim();
    const parts = [...document.querySelectorAll(".pane, .seat, .question")].filter((one) => one.checkVisibility());
    const outside = parts.filter((one) => {
        const box = one.getBoundingClientRect();
        return box.bottom > innerHeight + 1 || box.right > innerWidth + 1 || box.left < -1 || box.top < -1;
    });
    const cut = parts.filter((one) => !one.matches(".log") && one.scrollHeight > one.clientHeight + 2);
    const drawn = [...document.querySelectorAll(".pane .drawn svg, #board svg")].filter((one) => {
        const box = one.getBoundingClientRect(), pane = one.closest(".pane").getBoundingClientRect();
        return box.bottom > pane.bottom + 1 || box.right > pane.right + 1;
    });
    const names = drawn.map((one) => one.getAttribute("aria-label"));
    return { outside: outside.map(name), cut: cut.map(name), drawn: names };
}"""

# Return the words whose font is too small, with its size.
SMALL = """least => {
    const found = [];
    for (const one of document.querySelectorAll("#table text")) {
        if (!one.textContent.trim() || one.closest("defs, symbol")) continue;
        if (!one.checkVisibility({ opacityProperty: true, visibilityProperty: true })) continue;
        if (!one.getBoundingClientRect().height) continue;
        const { fontSize, scale } = getComputedStyle(one);
        const { c, d } = one.getScreenCTM(); // of what may be turned
        const size = parseFloat(fontSize) * Math.hypot(c, d) * (parseFloat(scale) || 1);
        if (size < least - 0.25) found.push(`${one.textContent.trim()}: ${size.toFixed(1)}`);
    }
    const walker = document.createTreeWalker(document.querySelector("#table .room"), NodeFilter.SHOW_TEXT);
    while (walker.nextNode()) {
        const one = walker.currentNode.parentElement;
        if (!walker.currentNode.data.trim() || one.closest("svg, .visually-hidden") || !one.checkVisibility()) continue;
        const size = parseFloat(getComputedStyle(one).fontSize);
        if (size < least) found.push(`${walker.currentNode.data.trim()}: ${size}`);
    }
    return [...new Set(found)];
}"""


@pytest.mark.parametrize("name", [meta.name for meta in builtin_games()])
def test_all_panes_are_visible_and_legible_on_the_first_screen(come, address, tables, name):
    page = come(**STILL)
    fewest, most = almunia.game(name).meta.seats
    found = {}
    for seats in range(fewest, most + 1):
        form = {"seat-0": "me", **{f"seat-{number}": "here" for number in range(1, seats)}, "seed": "3"}
        answer = page.request.post(f"/games/{name}/tables", form=form, headers={"Origin": address}, max_redirects=0)
        table = answer.headers["location"]
        for acts in (0, LATER[seats % 2]):
            page.goto("about:blank")  # an open page would render each action
            play_on(tables, table, acts, choose=lambda legal: legal[len(legal) // 2])
            if tables.get(table.rpartition("/")[2]).table.finished:
                continue  # the page of a finished game scrolls
            uncover(page, tables, address, table)
            page.goto(table)
            settle(page)
            hidden = {kind: names for kind, names in page.evaluate(HIDDEN).items() if names}
            small = page.evaluate(SMALL, LEAST)
            if hidden or small:
                found[f"{seats} seats after {acts}"] = {**hidden, "small": small[:12]}
    assert found == {}


def test_the_board_is_as_large_at_the_end_as_in_the_game(come, address, tables):
    page = come(**STILL)
    form = {"seat-0": "me", "seat-1": "friend", "seed": "3"}
    answer = page.request.post("/games/oregon/tables", form=form, headers={"Origin": address}, max_redirects=0)
    page.goto(answer.headers["location"])
    settle(page)
    before = page.locator("#board").bounding_box()
    play_out(tables, answer.headers["location"])
    page.reload()
    expect(page.locator(".finale")).to_be_visible()
    settle(page)
    after = page.locator("#board").bounding_box()
    assert after["height"] >= before["height"] - 2
    assert page.evaluate(SMALL, LEAST) == []


@pytest.mark.parametrize(("name", "seats"), [("orchard", 6), ("caylus", 5)])
def test_invitations_have_room_on_the_cards_of_many_seats(come, address, name, seats):
    """If the link cannot be copied to the clipboard, the button shows the link."""
    page = come(**STILL)
    form = {"seat-0": "me", **{f"seat-{number}": "friend" for number in range(1, seats)}, "seed": "3"}
    answer = page.request.post(f"/games/{name}/tables", form=form, headers={"Origin": address}, max_redirects=0)
    page.goto(answer.headers["location"])
    settle(page)
    assert {kind: names for kind, names in page.evaluate(HIDDEN).items() if names} == {}
    page.evaluate("() => { navigator.clipboard.writeText = async () => { throw new Error('not here'); }; }")
    page.get_by_role("button", name="Copy the link").first.click()
    link = page.locator(".invite input").first
    expect(link).to_be_visible()
    assert link.bounding_box()["width"] > 100
    expect(link).to_be_focused()
