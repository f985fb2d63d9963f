"""Each highlighted element can be chosen: a click or tap on its centre changes the page."""

from random import Random

import pytest
from playwright.sync_api import expect

from almunia import catalog

from .settling import SETTLED
from .sharing import play_for_others, play_on, seen_by

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

DESK = {"width": 1280, "height": 800}
PHONE = {"width": 360, "height": 740, "has_touch": True, "is_mobile": True}
DECISIONS = 24  # of a game, spread over its length
CLICKS = 6  # for one decision, before a random action is played
APART = 3  # random actions for each seat between two decisions
USUAL = {"pace": "fast", "confirm": "final"}  # with flights, and with questions before actions that cannot be undone

# Return the visible choices in the pictures that are not chosen yet.
LIT = """() => {
    for (const one of document.querySelectorAll("[data-lit]")) delete one.dataset.lit;
    const lit = [...document.querySelectorAll("#table svg [data-action]:not(.away), #table svg [data-part]")];
    return lit.flatMap((one, number) => {
        one.dataset.lit = number;
        const pressed = one.getAttribute("aria-pressed") === "true" || getComputedStyle(one).pointerEvents === "none";
        return one.checkVisibility() && one.getBoundingClientRect().width && !pressed ? [number] : [];
    });
}"""
MIDDLE = """number => {
    const one = document.querySelector(`[data-lit="${number}"]`);
    one.scrollIntoView({ block: "nearest", inline: "nearest" });
    const { x, y, width, height } = one.getBoundingClientRect();
    return [x + width / 2, y + height / 2];
}"""
THERE = """([x, y]) => {
    const path = [];
    for (let one = document.elementFromPoint(x, y); one; one = one.parentElement) {
        path.push(one.id || one.getAttribute("class") || one.tagName);
    }
    return path.slice(0, 6).join(" < ");
}"""
STATE = """() => {
    const table = document.querySelector("#table");
    const told = [...table.querySelectorAll("#say, #notice, #choose, .ask")].filter((one) => one.checkVisibility());
    const said = told.map((one) => one.textContent);
    const meant = [...table.querySelectorAll(".aimed, .chosen")].map((one) => one.dataset.action ?? one.dataset.value);
    const tab = table.querySelector('.room > [name="tab"]:checked').value;
    const sheets = document.querySelectorAll(":popover-open").length;
    return JSON.stringify([table.dataset.mark, table.className, tab, sheets, said, meant]);
}"""


class Sitter:
    """A player who clicks random highlighted elements."""

    def __init__(self, page, tables, table, rng, touch):
        self.page, self.tables, self.table, self.rng, self.touch = page, tables, table, rng, touch
        self.dead = []  # clicks without an effect

    def point(self, x, y):
        """Click or tap a point. If nothing changes, keep the question and the elements at the point in `dead`."""
        if not self.touch:
            self.page.mouse.move(x, y)
        there, before = self.page.evaluate(THERE, [x, y]), self.page.evaluate(STATE)
        (self.page.touchscreen.tap if self.touch else self.page.mouse.click)(x, y)
        expect(self.page.locator(SETTLED)).to_be_visible()
        if self.page.evaluate(STATE) == before:
            self.dead.append((self.page.locator(".ask").inner_text(), there))

    def close(self):
        """Close the scorings that are shown."""
        while self.page.locator("#scoring[open]").count():
            self.page.locator("#scoring .foot .primary").click()
            expect(self.page.locator(SETTLED)).to_be_visible()

    def decide(self):
        """Click until a move is made, or play a random action after CLICKS clicks."""
        seen = seen_by(self.tables, self.table)
        meant = None
        for _ in range(CLICKS):
            lit = self.page.evaluate(LIT)
            play = self.page.locator("#play-it:enabled:visible")
            if meant is not None and play.count() and self.rng.random() < 0.5:
                box = play.bounding_box()
                self.point(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
            elif lit:
                meant = meant if meant in lit and self.touch else self.rng.choice(lit)
                self.point(*self.page.evaluate(MIDDLE, meant))
            else:
                break
            if seen_by(self.tables, self.table) != seen:
                return
        play_on(self.tables, self.table, 1, choose=self.rng.choice)


@pytest.mark.parametrize("touch", [False, True], ids=["mouse", "touch"])
@pytest.mark.parametrize("name", catalog.game_packages())
def test_every_highlighted_element_can_be_chosen(come, address, tables, name, touch):
    page, rng = come(**(PHONE if touch else DESK), preferences=USUAL), Random(name)
    form = {"seat-0": "me", "seat-1": "friend", "seed": "7"}
    answer = page.request.post(f"/games/{name}/tables", form=form, headers={"Origin": address}, max_redirects=0)
    table = answer.headers["location"]
    sitter = Sitter(page, tables, table, rng, touch)
    play_for_others(tables, table)
    page.goto(table)
    for decision in range(DECISIONS):
        if tables.get(table.rpartition("/")[2]).table.finished:
            break
        settle_at_once(page, seen_by(tables, table))
        sitter.close()
        sitter.decide()
        if decision % 4 == 3:
            page.goto("about:blank")  # an open page would render each action
            play_on(tables, table, 2 * APART, choose=rng.choice)
            play_for_others(tables, table)
            page.goto(table)
        play_for_others(tables, table)
    assert sitter.dead == []


def settle_at_once(page, seen):
    """Wait until the page shows a version of the table, the end or a scoring. Animations may still run."""
    shown = f"main[data-seen='{seen}'][data-stream=open][data-settled], #table .finale, #scoring[open]"
    expect(page.locator(shown).first).to_be_visible()
