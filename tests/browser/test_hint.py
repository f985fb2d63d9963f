"""The place of a hint: it covers no choice and cuts nothing off, on any page and in any game."""

import pytest
from playwright.sync_api import expect

from almunia.server.tables.viewer_history import Hint
from tools.builtin_games import builtin_games

from .settling import STILL, resize, settle
from .sharing import play_on, uncover
from .test_first_screen import HIDDEN

pytestmark = pytest.mark.browser
SMOKE = "caylus"  # the game whose choices begin right below the bar
WINDOWS = ((1280, 800), (768, 1024), (360, 740))
LONG = "Expert: Space 12, carpenter. \u22121 denier; builds a wood building. It brings about 2 points "
LONG += "more than the second best, mostly in buildings. Second best: Space 13, peddler at the end of the road."

# Return the choices that lie under a message of the site.
COVERED = """said => {
    const hint = document.querySelector(said).getBoundingClientRect();
    const choices = [...document.querySelectorAll(".panes [data-action], .dock button")];
    const under = choices.filter((one) => one.checkVisibility()).filter((one) => {
        const box = one.getBoundingClientRect();
        const pane = (one.closest("#board, .drawn, .panes") ?? document.body).getBoundingClientRect();
        const top = Math.max(box.top, pane.top), bottom = Math.min(box.bottom, pane.bottom);
        return Math.min(bottom, hint.bottom) - Math.max(top, hint.top) > 1
            && Math.min(box.right, hint.right) - Math.max(box.left, hint.left) > 1;
    });
    return under.map((one) => one.dataset.action ?? one.textContent);
}"""


@pytest.mark.parametrize(
    "name",
    [pytest.param(meta.name, marks=[pytest.mark.exhaustive] if meta.name != SMOKE else []) for meta in builtin_games()],
)
def test_a_hint_covers_no_choice(come, address, tables, hint_with, name):
    hint_with(lambda _, history: Hint(history.view.legal_actions[-1], LONG))
    page, found = come(**STILL), {}
    form = {"seat-0": "me", "seat-1": "here", "seed": "3", "hints": "1"}
    answer = page.request.post(f"/games/{name}/tables", form=form, headers={"Origin": address}, max_redirects=0)
    table = answer.headers["location"]
    for acts in (0, 9):
        page.goto("about:blank")  # an open page would render each action
        play_on(tables, table, acts, choose=lambda legal: legal[len(legal) // 2])
        uncover(page, tables, address, table)
        resize(page, *WINDOWS[0])
        page.goto(table)
        settle(page)
        board = page.locator("#board").bounding_box()
        page.keyboard.press("h")
        expect(page.locator("#hint")).to_have_text(LONG)
        settle(page)
        assert page.locator("#board").bounding_box() == board  # the board does not move under the pointer
        for width, height in WINDOWS:
            resize(page, width, height)
            hint, asked = (page.locator(name).bounding_box() for name in ("#hint", "#question .asked"))
            assert 0 <= hint["y"] <= height - hint["height"], (width, acts)
            covered = page.evaluate(COVERED, "#hint")
            assert width < 1280 or lies_within(page, "#hint", "#question"), acts  # not over the page's header
            assert hint["y"] >= asked["y"] + asked["height"] - 1, (width, acts)  # below the question
            hidden = {kind: names for kind, names in page.evaluate(HIDDEN).items() if names} if width >= 1280 else {}
            if covered or hidden:
                found[width, acts] = covered, hidden
    assert found == {}


def lies_within(page, inner, outer):
    """Whether an element lies wholly within another one."""
    (one, other) = (page.locator(name).bounding_box() for name in (inner, outer))
    across = other["x"] <= one["x"] and one["x"] + one["width"] <= other["x"] + other["width"]
    return across and other["y"] <= one["y"] and one["y"] + one["height"] <= other["y"] + other["height"]


def test_a_selected_choice_hides_a_hint_about_another_one(come, open_game, hint_with):
    hint_with(lambda _, history: Hint(history.view.legal_actions[-1], LONG))
    page = come(**STILL)
    open_game(page, "oregon", hints=1)
    page.keyboard.press("h")
    hint = page.locator("#hint")
    expect(hint).to_have_css("visibility", "visible")
    page.locator("#board svg [data-action]:not(.away)").first.hover()
    expect(hint).to_have_css("visibility", "hidden")
    page.mouse.move(5, 5)
    expect(hint).to_have_css("visibility", "visible")


LOWEST = """() => {
    const choices = [...document.querySelectorAll("#board svg [data-action]:not(.away)")];
    const tops = choices.map((one) => one.getBoundingClientRect().top);
    return Number(choices[tops.indexOf(Math.max(...tops))].dataset.action);
}"""


@pytest.mark.exhaustive
def test_the_target_of_a_hint_is_brought_into_view(come, address, hint_with):
    """On a phone the place can lie below the visible part of the board."""
    meant: list[int] = []
    hint_with(lambda _, __: Hint(meant[0], LONG))
    page = come(360, 740, **STILL)
    form = {"seat-0": "me", "seat-1": "here", "seed": "3", "hints": "1"}
    answer = page.request.post("/games/caylus/tables", form=form, headers={"Origin": address}, max_redirects=0)
    page.goto(answer.headers["location"])
    settle(page)
    meant.append(page.evaluate(LOWEST))
    page.keyboard.press("h")
    expect(page.locator("#hint")).to_have_text(LONG)
    settle(page)
    place, board = page.locator("#board .aimed").bounding_box(), page.locator("#board").bounding_box()
    assert board["y"] <= place["y"]
    assert place["y"] + place["height"] <= board["y"] + board["height"]
