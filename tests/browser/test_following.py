"""What others do is shown move by move, and a move that cannot be undone takes a second press."""

import re

import pytest
from playwright.sync_api import expect

from almunia.core.guidance import Column, Scoring
from almunia.core.play import Observation

from .sharing import play_on
from .test_play import PLACES, await_version, version
from .test_turns import SPACES, open_oregon

pytestmark = pytest.mark.browser
ENDLESS = """const animate = Element.prototype.animate;
    Element.prototype.animate = function (frames, how) {
        return animate.call(this, frames, {...how, duration: 1e6});
    };"""


def two_people(come, open_table, **preferences):
    """A table of two, where it is the other one's turn: the pages of both."""
    mine, theirs = come(preferences=preferences), come()
    open_table(mine, seed=3, seat_1="friend")
    theirs.goto(mine.locator(".invite input").input_value())
    theirs.get_by_label("Your name").fill("Bea")
    theirs.get_by_role("button", name="Sit down").click()
    expect(mine.locator("#log")).to_contain_text("Bea sits down")
    mine.locator(PLACES).first.click()
    expect(theirs.locator("#play-it")).to_be_visible()
    return mine, theirs


def test_moves_of_others_are_shown_until_the_reader_is_at_now(come, open_table):
    mine, theirs = two_people(come, open_table, pace="step", confirm="never")
    theirs.locator(PLACES).first.click()
    expect(mine.locator(".follow .asked")).to_contain_text("Bea:")
    expect(mine.locator("#board svg .told")).not_to_have_count(0)
    expect(mine.locator("#play-it")).to_have_count(0)  # nothing can be chosen in the past
    mine.keyboard.press("Escape")
    expect(mine.locator("#play-it")).to_be_visible()
    expect(mine.locator("#board svg .told")).to_have_count(0)
    mine.get_by_role("link", name="Last moves").click()
    expect(mine.locator(".follow .asked")).to_contain_text("Bea:")
    mine.get_by_role("link", name="To now").click()
    expect(mine.locator("#play-it")).to_be_visible()


def test_what_was_touched_stays_outlined_until_the_reader_acts(come, open_table):
    mine, theirs = two_people(come, open_table, pace="step", confirm="never")
    theirs.locator(PLACES).first.click()
    expect(mine.locator(".say .trace .here")).to_have_count(1)
    expect(mine.locator("svg > .traces .outline.here").first).to_be_visible()
    expect(mine.locator("svg > .traces .badge").first).to_have_text("1")
    expect(mine).to_have_title(re.compile("^● Your turn"))
    icon = mine.locator('link[rel="icon"]')
    expect(icon).to_have_attribute("href", re.compile("icon-turn"))
    mine.keyboard.press("Escape")
    expect(mine.locator("#play-it")).to_be_visible()
    expect(mine.locator("svg > .traces .outline.earlier").first).to_be_visible()
    mine.locator(PLACES).first.click()
    expect(mine.locator("#play-it")).to_have_count(0)
    expect(mine.locator("svg > .traces")).to_have_count(0)
    expect(icon).to_have_attribute("href", re.compile("icon[.]svg"))


PIECES = """() => {
    const box = (one) => { const {x, y, width, height} = one.getBoundingClientRect(); return [x, y, width, height]; };
    const told = [...document.querySelectorAll("#table svg .told")];
    return [told.map(box), [...document.querySelectorAll("svg > .traces .outline.here")].map(box)];
}"""


def test_outlines_lie_where_the_pieces_have_come_to(come, open_table):
    """A style sheet lets cards slide to their places: an outline drawn meanwhile would lie elsewhere for good."""
    page = come(preferences={"pace": "step", "confirm": "never"})
    open_table(page, seed=5, seat_1="bot-easy")
    for _ in range(3):
        page.locator(PLACES).first.click()
        expect(page.locator("svg > .traces .outline.here")).to_have_count(2)
        page.wait_for_function("() => !document.getAnimations().length")
        pieces, outlines = page.evaluate(PIECES)
        for piece, outline in zip(sorted(pieces), sorted(outlines), strict=True):
            assert outline == pytest.approx([piece[0] - 3, piece[1] - 3, piece[2] + 6, piece[3] + 6], abs=1.5)
        page.keyboard.press("Escape")
        expect(page.locator("#play-it")).to_be_visible()


def test_others_doings_are_told_before_my_own(come, open_table):
    mine, theirs = two_people(come, open_table, pace="step", confirm="never")
    theirs.locator(PLACES).first.click()
    told = mine.locator(".follow .say > span")
    expect(told).to_have_text(re.compile(r"1 of 1.*Bea: Card.*Guest: Card", re.DOTALL))
    assert told.evaluate("one => one.clientHeight > 20")  # on a wide page in two lines


def test_numbers_lie_in_the_middle_of_their_marks(come, open_table):
    mine, theirs = two_people(come, open_table, pace="step", confirm="never")
    theirs.locator(PLACES).first.click()
    number = mine.locator("#board svg > .traces .badge text").first
    expect(number).to_have_text("1")
    assert number.evaluate("one => getComputedStyle(one).dominantBaseline") == "auto"  # as in no game


def test_what_i_have_placed_lies_there_at_once(come, open_table):
    page = come()
    open_table(page, seed=5)
    for _ in range(3):
        before = version(page)
        page.evaluate("""() => document.addEventListener("htmx:afterSettle", () => {
            const newest = document.querySelector("#board .newest").getBoundingClientRect();
            window.placed = [newest.x, newest.y];
        }, {once: true})""")
        page.locator(PLACES).first.click()
        await_version(page, before + 1)
        placed = page.evaluate("window.placed")
        page.wait_for_function("() => !document.getAnimations().length")
        rest = page.locator("#board .newest").bounding_box()
        assert placed == pytest.approx([rest["x"], rest["y"]], abs=5)


def test_a_number_lies_on_its_picture_as_a_whole(come, open_table):
    mine, theirs = two_people(come, open_table, pace="step", confirm="never")
    theirs.locator(PLACES).first.click()
    badge = mine.locator("#board svg > .traces .badge").first
    expect(badge).to_be_visible()
    mine.evaluate("""() => {
        const svg = document.querySelector("#board svg"), size = svg.getAttribute("viewBox").split(" ").slice(2);
        const {x, y} = svg.querySelector(":scope > .traces .outline").getBBox(); // as if it were the first thing there
        svg.setAttribute("viewBox", [x, y, ...size].join(" "));
        document.querySelector("#board svg > .traces .badge").remove();
        window.dispatchEvent(new Event("resize"));
    }""")
    expect(badge).to_be_visible()  # drawn anew
    room = """badge => {
        const [put, scaled] = [...badge.transform.baseVal].map((one) => one.matrix);
        const {x, y} = badge.closest("svg").viewBox.baseVal;
        return Math.min(put.e - x, put.f - y) / scaled.a;
    }"""
    assert badge.evaluate(room) > 8.9


def test_nothing_flies_for_whoever_wants_little_movement(come, open_table):
    for motion, flying in (("auto", True), ("less", False)):
        mine, theirs = two_people(come, open_table, pace="step", confirm="never", motion=motion)
        flown = mine.evaluate_handle("[]")
        mine.evaluate(
            """flown => new MutationObserver(changes => changes.forEach(
                change => change.addedNodes.forEach(node => node.matches?.(".flight") && flown.push(1))
            )).observe(document.body, {childList: true})""",
            flown,
        )
        theirs.locator(PLACES).first.click()
        expect(mine.locator("svg > .traces .outline.here").first).to_be_visible()
        assert bool(flown.json_value()) == flying


BOXES = """() => {
    const middle = (one) => {
        const {x, y, width, height} = one.getBoundingClientRect();
        return [x + width / 2, y + height / 2];
    };
    const flying = [...document.querySelectorAll("body > .flight .card")];
    return [middle(document.querySelector(".hand .held.chosen")), flying.map(middle)];
}"""


@pytest.mark.parametrize("motion", ["auto", "less"])
def test_what_i_lay_flies_from_my_hand(come, open_table, motion):
    page = come(preferences={"pace": "off", "confirm": "never", "motion": motion})
    page.add_init_script(ENDLESS)
    open_table(page, seed=3)
    hand, _ = page.evaluate(BOXES)
    page.locator(PLACES).first.click()
    await_version(page, 1)
    _, flying = page.evaluate(BOXES)
    if motion == "less":
        assert flying == []
    else:
        assert flying == [pytest.approx(hand, abs=12)]
        page.reload()
        expect(page.locator("#play-it")).to_be_visible()
        expect(page.locator("body > .flight")).to_have_count(0)  # it has been seen


STARTS = """() => {
    const middles = (name) => [...document.querySelectorAll(name)].map((one) => {
        const {x, y, width, height} = one.getBoundingClientRect();
        return [x + width / 2, y + height / 2];
    });
    const marks = middles(".seat > h2 > .mark");
    const near = ([x, y]) => marks.findIndex(([left, top]) => Math.hypot(left - x, top - y) < 3);
    return middles("body > .flight .card").map(near).sort();
}"""


def test_what_all_lay_at_once_flies_from_everybody_s_own_card(come, open_table):
    """In Orchard the last to choose uncovers the cards of all."""
    mine, theirs = come(preferences={"pace": "step", "confirm": "never"}), come()
    mine.add_init_script(ENDLESS)
    open_table(mine, seed=3, seat_1="friend")
    theirs.goto(mine.locator(".invite input").input_value())
    theirs.get_by_role("button", name="Sit down").click()
    mine.locator(PLACES).first.click()
    expect(theirs.locator("#play-it")).to_be_visible()
    theirs.locator(PLACES).first.click()
    expect(mine.locator("#to-now")).to_be_visible()
    assert mine.evaluate(STARTS) == [0, 1]


def test_what_flies_is_the_right_way_up(come, address):
    """On a narrow page Oregon's board lies on its side, but not what stands on it."""
    page = come(360, 740, preferences={"pace": "step", "confirm": "never"}, has_touch=True)
    page.add_init_script(ENDLESS)
    open_oregon(page, address, seed="3")  # the bot comes second
    page.locator(SPACES).first.click()
    expect(page.locator("#to-now")).to_be_visible()
    flying = page.locator("body > .flight .upright").first
    expect(flying).to_be_attached()
    assert flying.evaluate("one => { const { a, b } = one.getScreenCTM(); return a > 0 && Math.abs(b) < 1e-6; }")
    *tabs, steps = (box.bounding_box() for box in (*page.locator(".tabs label").all(), page.locator(".steps")))
    assert all(tab["x"] + tab["width"] <= steps["x"] for tab in tabs)  # all panes stay in reach
    assert steps["x"] + steps["width"] <= 360
    assert all(step.bounding_box()["width"] >= 44 for step in page.locator(".steps > :visible").all())


def test_a_worker_flies_without_the_building_that_it_comes_to(come, address, tables):
    page = come(preferences={"pace": "step", "confirm": "never"})
    page.add_init_script(ENDLESS)
    form = {"seat-0": "me", "seat-1": "friend", "seed": "3"}  # the friend comes second
    answer = page.request.post("/games/caylus/tables", form=form, headers={"Origin": address}, max_redirects=0)
    table = answer.headers["location"]
    page.goto(table)
    seen = version(page)
    page.locator("#board [data-action]").first.click()
    await_version(page, seen + 1)
    play_on(tables, table, 1)  # the first that may be done sends a worker somewhere
    expect(page.locator("#to-now")).to_be_visible()
    expect(page.locator("body > .flight .worker")).to_have_count(1)
    expect(page.locator("body > .flight .face")).to_have_count(0)


def test_the_focus_goes_to_the_end_that_others_bring_about(come, address, tables):
    page = come()
    form = {"seat-0": "me", "seat-1": "friend", "seed": "2"}
    answer = page.request.post("/games/oregon/tables", form=form, headers={"Origin": address}, max_redirects=0)
    table = answer.headers["location"]
    while not ends(play := tables.snapshot(table.rpartition("/")[2]).play):
        play_on(tables, table, 1)
    assert play.turn == 1  # the other one
    page.goto(table)
    page.locator("#board svg").evaluate("one => { one.tabIndex = -1; one.focus(); }")
    play_on(tables, table, 1)
    expect(page.locator(".finale h2")).to_be_focused()


def ends(play):
    """Is the next act the last one?"""
    after = play.copy()
    after.apply(play.legal[0])
    return after.over


def scored(before, action, after):
    """A scoring whenever a play of Orchard brings points."""
    gains = tuple((after.score_table() - before.score_table())[:, 0].tolist())
    return Scoring("Picking", "1.1", (Column("By hand", gains, (), ("space-0-0",)),)) if any(gains) else None


def test_a_scoring_stays_until_it_is_put_away(come, open_table, monkeypatch):
    monkeypatch.setattr(Observation, "scoring", scored)
    page = come(preferences={"pace": "fast", "confirm": "never"})
    open_table(page, seed=3)
    sheet = page.locator("#scoring")
    while not page.locator("#log a.scored").count():
        seen = version(page)
        page.locator("#choices button").last.evaluate("button => button.click()")
        await_version(page, seen + 1)
    expect(sheet.get_by_role("heading", name="Picking")).to_be_visible()
    expect(sheet.get_by_role("button", name="Go on")).to_be_focused()
    sheet.get_by_role("button", name="Show it on the board").click()
    expect(sheet.locator("tbody")).to_be_hidden()
    sheet.get_by_role("button", name="Show the table").click()
    expect(sheet.locator("tbody")).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    again = page.locator("#log a.scored").last
    again.focus()
    page.keyboard.press("Enter")
    expect(sheet).to_be_visible()
    page.keyboard.press("Enter")
    expect(sheet).to_be_hidden()
    expect(again).to_be_focused()


def test_they_pass_by_at_the_reader_s_pace(come, open_table):
    mine, theirs = two_people(come, open_table, pace="fast", confirm="never")
    shown = mine.evaluate_handle("[]")
    mine.evaluate(
        """shown => document.addEventListener("htmx:afterSettle",
            () => shown.push(Boolean(document.querySelector(".follow"))))""",
        shown,
    )
    theirs.locator(PLACES).first.click()
    expect(mine.locator("#play-it")).to_be_visible()
    assert shown.json_value() == [True, False]


@pytest.mark.usefixtures("unwarned")
def test_a_move_that_cannot_be_undone_is_confirmed(come, open_table):
    page = come(preferences={"pace": "off", "confirm": "final"})
    open_table(page, seed=3)
    before = version(page)
    page.locator(PLACES).first.click()
    expect(page.locator("#notice")).to_contain_text("This cannot be undone.")
    assert version(page) == before
    expect(page.locator("#play-it")).to_be_enabled()
    page.locator("#play-it").click()
    await_version(page, before + 1)


def test_every_move_is_confirmed_for_whoever_wants_it(come, open_table):
    page = come(preferences={"pace": "off", "confirm": "always"})
    open_table(page, seed=3)
    before = version(page)
    page.locator(PLACES).first.click()
    expect(page.locator("#board .ghost")).to_have_count(1)
    assert version(page) == before
    page.locator(PLACES).first.click()
    await_version(page, before + 1)


def test_preferences_are_kept(come):
    page = come(preferences={})
    page.goto("/preferences")
    page.get_by_label("Step by step").check()
    page.locator('[name="confirm"][value="never"]').check()
    page.locator('input[name="theme"][value="dark"]').check()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")  # it is seen at once
    expect(page.get_by_role("button", name="Dark theme")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#saved")).to_have_text("Saved.")
    page.reload()
    expect(page.get_by_label("Step by step")).to_be_checked()
    expect(page.locator('[name="confirm"][value="never"]')).to_be_checked()
    expect(page.locator('input[name="theme"][value="dark"]')).to_be_checked()
    expect(page.locator('input[name="sound"][value="off"]')).to_be_checked()
