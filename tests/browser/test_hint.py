"""Where a hint stands: it covers nothing that can be chosen, and cuts nothing off, on any page and in any game."""

import pytest

from almunia.server.play import hints
from almunia.server.play.diary import Hint
from tools.ours import ours

from .sharing import play_on
from .test_first_screen import HIDDEN

LONG = "Expert: the last one of all that are offered here. Played on by good players it brings about 2.4 points "
LONG += "more than the next best, which is a long sentence about a place: +1.5 a source, +0.9 another."

# What can be chosen and lies under the hint, or under the dock's other words because of it.
COVERED = """() => {
    const hint = document.querySelector("#hint").getBoundingClientRect();
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


@pytest.mark.parametrize("name", [meta.name for meta in ours()])
def test_a_hint_covers_nothing(come, address, tables, monkeypatch, name):
    monkeypatch.setattr(hints, "PLAIN", "none")
    monkeypatch.setattr(hints, "hint_on", lambda _, diary: Hint(diary.view.legal[-1], LONG))
    page, found = come(), {}
    form = {"seat-0": "me", "seat-1": "here", "seed": "3", "hints": "1"}
    answer = page.request.post(f"/games/{name}/tables", form=form, headers={"Origin": address}, max_redirects=0)
    table = answer.headers["location"]
    for acts in (0, 9):
        play_on(tables, table, acts, choose=lambda legal: legal[len(legal) // 2])
        for width, height in ((1280, 800), (768, 1024), (360, 740)):
            page.set_viewport_size({"width": width, "height": height})
            page.goto(table)
            if page.locator(".curtain button").count():
                page.locator(".curtain button").click()
            page.wait_for_selector("#play-it", state="attached")
            board = page.locator("#board").bounding_box()
            if not page.locator("#hint").inner_text():
                page.keyboard.press("h")
            page.wait_for_selector(".hinted:not(:empty)")
            if width >= 1280:
                assert page.locator("#board").bounding_box() == board  # under the pointer
            covered = page.evaluate(COVERED)
            hidden = {kind: names for kind, names in page.evaluate(HIDDEN).items() if names} if width >= 1280 else {}
            if covered or hidden:
                found[width, acts] = covered, hidden
    assert found == {}


LOWEST = """() => {
    const choices = [...document.querySelectorAll("#board svg [data-action]:not(.away)")];
    const tops = choices.map((one) => one.getBoundingClientRect().top);
    return Number(choices[tops.indexOf(Math.max(...tops))].dataset.action);
}"""


def test_what_a_hint_means_is_brought_into_view(come, address, monkeypatch):
    """On a phone it may lie below what is seen of the board, and its button is lit all the same."""
    meant: list[int] = []
    monkeypatch.setattr(hints, "PLAIN", "none")
    monkeypatch.setattr(hints, "hint_on", lambda _, __: Hint(meant[0], LONG))
    page = come(360, 740)
    form = {"seat-0": "me", "seat-1": "here", "seed": "3", "hints": "1"}
    answer = page.request.post("/games/caylus/tables", form=form, headers={"Origin": address}, max_redirects=0)
    page.goto(answer.headers["location"])
    page.wait_for_selector("#play-it", state="attached")
    meant.append(page.evaluate(LOWEST))
    page.keyboard.press("h")
    page.wait_for_selector(".hinted:not(:empty)")
    place, board = page.locator("#board .aimed").bounding_box(), page.locator("#board").bounding_box()
    assert board["y"] <= place["y"]
    assert place["y"] + place["height"] <= board["y"] + board["height"]
