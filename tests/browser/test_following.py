"""Opponents' moves are shown one by one, and a move that cannot be undone is confirmed."""

import re

import pytest
from playwright.sync_api import expect

from almunia.server.users.visitors import PACES

from .conftest import PICKING
from .settling import rest, settle, settle_at
from .sharing import GAME, play_for_others, play_on
from .test_play import PLACES, await_version, version
from .test_turns import SPACES

pytestmark = pytest.mark.browser
exhaustive = pytest.mark.exhaustive
FAST = PACES["fast"]  # milliseconds
STEP = {"pace": "step", "confirm": "never"}
ENDLESS = """const animate = Element.prototype.animate;
    Element.prototype.animate = function (frames, how) {
        return animate.call(this, frames, {...how, duration: 1e6});
    };"""


def two_people(come, open_table, **preferences):
    """Return the pages of two players of Orchard, after the first one has chosen a card."""
    mine, theirs = come(preferences=preferences), come()
    open_table(mine, seed=3, seat_1="friend")
    theirs.goto(mine.locator(".invite input").input_value())
    theirs.get_by_label("Your name").fill("Bea")
    theirs.get_by_role("button", name="Sit down").click()
    expect(mine.locator("#log")).to_contain_text("Bea sits down")
    mine.locator(PLACES).first.click()
    settle_at(mine, 1)
    settle_at(theirs, 1)
    return mine, theirs


@pytest.fixture
def followed(come, open_table, tables):
    """Return a function that opens a page on which the first step of an opponent's move is shown."""

    def following(seed=3, **preferences):
        page = come(preferences={**STEP, **preferences})
        table = open_table(page, seed=seed, seat_1="friend")
        page.locator(PLACES).first.click()
        settle_at(page, 1)
        play_on(tables, table, 1)
        expect(page.locator("#to-now")).to_be_visible()
        rest(page)
        return page

    return following


def test_moves_of_others_are_replayed_until_the_present(followed):
    page = followed()
    expect(page.locator(".follow .asked")).to_contain_text("A friend:")
    told = page.locator(".follow .say > span")
    expect(told).to_have_text(re.compile(r"1 of 1.*A friend: Card.*Guest: Card", re.DOTALL))  # the friend first
    assert told.evaluate("one => one.clientHeight > 20")  # two lines on a wide page
    expect(page.locator("#board svg .told")).not_to_have_count(0)
    expect(page.locator("#play-it")).to_have_count(0)  # nothing can be chosen in the past
    expect(page.locator(".say .trace .here")).to_have_count(1)
    expect(page.locator("svg > .traces .outline.here").first).to_be_visible()
    number = page.locator("#board svg > .traces .badge text").first
    expect(number).to_have_text("1")
    assert number.evaluate("one => getComputedStyle(one).dominantBaseline") == "auto"  # the usual value
    expect(page).to_have_title(re.compile("^● Your turn"))
    icon = page.locator('link[rel="icon"]')
    expect(icon).to_have_attribute("href", re.compile("icon-turn"))
    page.keyboard.press("Escape")
    settle_at(page, 2)
    expect(page.locator("#board svg .told")).to_have_count(0)
    expect(page.locator("svg > .traces .outline.earlier").first).to_be_visible()  # until the next action
    page.get_by_role("link", name="Last moves").click()
    expect(page.locator(".follow .asked")).to_contain_text("A friend:")
    page.get_by_role("link", name="Skip to now").click()
    settle_at(page, 2)
    page.locator(PLACES).first.click()
    settle_at(page, 3)
    expect(page.locator("svg > .traces")).to_have_count(0)
    expect(icon).to_have_attribute("href", re.compile("icon[.]svg"))


PIECES = """() => {
    const box = (one) => { const {x, y, width, height} = one.getBoundingClientRect(); return [x, y, width, height]; };
    const told = [...document.querySelectorAll("#table svg .told")];
    return [told.map(box), [...document.querySelectorAll("svg > .traces .outline.here")].map(box)];
}"""


@exhaustive
def test_outlines_are_at_the_final_positions_of_pieces(followed, tables):
    """A CSS transition moves cards, so an outline that is drawn during the transition would stay in a wrong place."""
    page = followed(seed=5)
    for seen in (2, 4, 6):
        expect(page.locator("svg > .traces .outline.here")).to_have_count(2)
        rest(page)
        pieces, outlines = page.evaluate(PIECES)
        for piece, outline in zip(sorted(pieces), sorted(outlines), strict=True):
            assert outline == pytest.approx([piece[0] - 3, piece[1] - 3, piece[2] + 6, piece[3] + 6], abs=1.5)
        page.keyboard.press("Escape")
        settle_at(page, seen)
        page.locator(PLACES).first.click()
        settle_at(page, seen + 1)
        play_on(tables, page.url, 1)


@exhaustive
def test_an_own_piece_is_placed_without_a_transition(come, open_table):
    page = come()
    open_table(page, seed=5)
    for _ in range(3):
        before = version(page)
        page.evaluate("""() => document.addEventListener("htmx:afterSettle", () => {
            const newest = document.querySelector("#board .newest").getBoundingClientRect();
            window.placed = [newest.x, newest.y];
        }, {once: true})""")
        page.locator(PLACES).first.click()
        settle_at(page, before + 1)
        placed = page.evaluate("window.placed")
        box = page.locator("#board .newest").bounding_box()
        assert placed == pytest.approx([box["x"], box["y"]], abs=5)


@exhaustive
def test_step_numbers_are_inside_their_picture(followed):
    page = followed()
    badge = page.locator("#board svg > .traces .badge").first
    expect(badge).to_be_visible()
    page.evaluate("""() => {
        const svg = document.querySelector("#board svg"), size = svg.getAttribute("viewBox").split(" ").slice(2);
        const {x, y} = svg.querySelector(":scope > .traces .outline").getBBox(); // as if it were the first thing there
        svg.setAttribute("viewBox", [x, y, ...size].join(" "));
        document.querySelector("#board svg > .traces .badge").remove();
        window.dispatchEvent(new Event("resize"));
    }""")
    expect(badge).to_be_visible()  # drawn again
    room = """badge => {
        const [put, scaled] = [...badge.transform.baseVal].map((one) => one.matrix);
        const {x, y} = badge.closest("svg").viewBox.baseVal;
        return Math.min(put.e - x, put.f - y) / scaled.a;
    }"""
    assert badge.evaluate(room) > 8.9


@exhaustive
@pytest.mark.parametrize(("motion", "flying"), [("auto", True), ("less", False)])
def test_pieces_are_not_animated_with_reduced_motion(come, open_table, tables, motion, flying):
    page = come(preferences={**STEP, "motion": motion})
    table = open_table(page, seed=3, seat_1="friend")
    page.locator(PLACES).first.click()
    settle_at(page, 1)
    flown = page.evaluate_handle("[]")
    page.evaluate(
        """flown => new MutationObserver(changes => changes.forEach(
            change => change.addedNodes.forEach(node => node.matches?.(".flight") && flown.push(1))
        )).observe(document.body, {childList: true})""",
        flown,
    )
    play_on(tables, table, 1)
    expect(page.locator("svg > .traces .outline.here").first).to_be_visible()  # drawn before the flight
    rest(page)
    assert bool(flown.json_value()) == flying


BOXES = """() => {
    const middle = (one) => {
        const {x, y, width, height} = one.getBoundingClientRect();
        return [x + width / 2, y + height / 2];
    };
    const flying = [...document.querySelectorAll("body > .flight .card")];
    return [middle(document.querySelector(".hand .held.chosen")), flying.map(middle)];
}"""


@exhaustive
@pytest.mark.parametrize("motion", ["auto", "less"])
def test_own_cards_fly_from_the_hand(come, open_table, motion):
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
        settle(page)
        expect(page.locator("body > .flight")).to_have_count(0)  # already shown


STARTS = """() => {
    const middles = (name) => [...document.querySelectorAll(name)].map((one) => {
        const {x, y, width, height} = one.getBoundingClientRect();
        return [x + width / 2, y + height / 2];
    });
    const marks = middles(".seat > h2 > .mark");
    const near = ([x, y]) => marks.findIndex(([left, top]) => Math.hypot(left - x, top - y) < 3);
    return middles("body > .flight .card").map(near).sort();
}"""


@exhaustive
def test_cards_revealed_together_fly_from_their_seats(come, open_table, tables):
    """In Orchard all cards are revealed after the last choice."""
    page = come(preferences=STEP)
    page.add_init_script(ENDLESS)
    table = open_table(page, seed=3, seat_1="friend")
    page.locator(PLACES).first.click()
    await_version(page, 1)
    play_on(tables, table, 1)
    expect(page.locator("#to-now")).to_be_visible()
    assert page.evaluate(STARTS) == [0, 1]


@exhaustive
def test_animated_pieces_are_upright(come, open_game, tables):
    """On a narrow page the board of Oregon is rotated, but the pieces on it are not."""
    page = come(360, 740, preferences=STEP, has_touch=True)
    page.add_init_script(ENDLESS)
    table = open_game(page, "oregon", seed=3)
    page.locator(SPACES).first.click()
    await_version(page, 1)
    play_for_others(tables, table)
    expect(page.locator("#to-now")).to_be_visible()
    flying = page.locator("body > .flight .upright").first
    expect(flying).to_be_attached()
    assert flying.evaluate("one => { const { a, b } = one.getScreenCTM(); return a > 0 && Math.abs(b) < 1e-6; }")
    *tabs, steps = (box.bounding_box() for box in (*page.locator(".tabs label").all(), page.locator(".steps")))
    assert all(tab["x"] + tab["width"] <= steps["x"] for tab in tabs)  # the links to all panes can be reached
    assert steps["x"] + steps["width"] <= 360
    assert all(step.bounding_box()["width"] >= 44 for step in page.locator(".steps > :visible").all())


@exhaustive
def test_a_worker_is_animated_without_its_building(come, open_game, tables):
    page = come(preferences=STEP)
    page.add_init_script(ENDLESS)
    table = open_game(page, "caylus", seed=3)
    seen = version(page)
    page.locator("#board [data-action]").first.click()
    await_version(page, seen + 1)
    play_on(tables, table, 1)  # the first legal action places a worker
    expect(page.locator("#to-now")).to_be_visible()
    expect(page.locator("body > .flight .worker")).to_have_count(1)
    expect(page.locator("body > .flight .pic")).to_have_count(0)


@exhaustive
def test_the_focus_moves_to_the_result_when_others_end_the_game(come, address, tables):
    page = come()
    form = {"seat-0": "me", "seat-1": "friend", "seed": "2"}
    answer = page.request.post("/games/oregon/tables", form=form, headers={"Origin": address}, max_redirects=0)
    table = answer.headers["location"]
    for _ in range(GAME):
        play = tables.get(table.rpartition("/")[2]).play
        if ends(play):
            break
        play_on(tables, table, 1)
    assert play.turn == 1  # the other seat
    page.goto(table)
    settle(page)
    page.locator("#board svg").evaluate("one => { one.tabIndex = -1; one.focus(); }")
    play_on(tables, table, 1)
    expect(page.locator(".finale h2")).to_be_focused()


def ends(play):
    """Whether the first legal action ends the play."""
    after = play.copy()
    after.apply(play.legal_actions[0])
    return after.over


@exhaustive
def test_a_scoring_stays_until_it_is_closed(come, open_table, guide_orchard):
    guide_orchard(scoring=lambda *_: PICKING)
    page = come(preferences={"pace": "fast", "confirm": "never"})
    open_table(page, seed=3)
    sheet = page.locator("#scoring")
    page.locator("#choices button").last.evaluate("button => button.click()")
    expect(sheet.get_by_role("heading", name="Picking")).to_be_visible()
    expect(sheet.get_by_role("button", name="Continue")).to_be_focused()
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


def test_the_end_shows_the_result_and_not_the_last_scoring(come, open_table, guide_orchard, tables):
    guide_orchard(scoring=lambda *_: PICKING)
    page = come(preferences={"pace": "fast", "confirm": "never"})
    table = open_table(page, seed=3)
    while not ends(tables.get(table.rpartition("/")[2]).play):
        play_on(tables, table, 1)
    page.reload()
    settle(page)
    page.locator("#choices button").first.evaluate("button => button.click()")
    expect(page.locator(".finale h2")).to_be_visible()
    settle(page)
    sheet = page.locator("#scoring")
    expect(sheet).to_be_hidden()
    page.get_by_role("link", name="Last scoring").click()
    expect(sheet).to_be_visible()


def test_they_pass_by_at_the_reader_s_pace(come, open_table, tables):
    page = come(frozen=True, preferences={"pace": "fast", "confirm": "never"})
    table = open_table(page, seed=3, seat_1="friend")
    page.locator(PLACES).first.click()
    expect(page.locator("#table")).to_have_attribute("data-seen", "1")
    page.clock.run_for(1)
    settle(page)
    play_on(tables, table, 1)
    expect(page.locator("#to-now")).to_be_visible()
    asked = []
    page.on("request", lambda request: request.url.endswith(table) and asked.append(request.url))
    page.clock.run_for(FAST - 1)
    page.evaluate("0")  # a round trip, so that requests of the page have arrived
    assert not asked
    page.clock.run_for(1)
    expect(page.locator("#play-it")).to_be_visible()
    page.clock.run_for(1)
    settle_at(page, 2)
    assert not asked, "how the table stands has come along with the move"


@exhaustive
def test_a_move_that_cannot_be_undone_is_confirmed(come, open_table):
    page = come(preferences={"pace": "off", "confirm": "final"})
    open_table(page, seed=3)
    before = version(page)
    page.locator(PLACES).first.click()
    expect(page.locator("#notice")).to_contain_text("This cannot be undone.")
    settle(page)
    assert version(page) == before
    expect(page.locator("#play-it")).to_be_enabled()
    page.locator("#play-it").click()
    await_version(page, before + 1)


@exhaustive
def test_every_move_is_confirmed_if_the_player_wants_that(come, open_table):
    page = come(preferences={"pace": "off", "confirm": "always"})
    open_table(page, seed=3)
    before = version(page)
    page.locator(PLACES).first.click()
    expect(page.locator("#board .ghost")).to_have_count(1)
    assert version(page) == before
    page.locator(PLACES).first.click()
    await_version(page, before + 1)


@exhaustive
def test_preferences_are_kept(come):
    page = come(preferences={})
    page.goto("/preferences")
    page.get_by_label("Step by step").check()
    page.locator('[name="confirm"][value="never"]').check()
    page.locator('input[name="theme"][value="dark"]').check()
    expect(page.locator("html")).to_have_attribute("data-theme", "dark")  # applied at once
    expect(page.locator(".look [value=dark]")).to_have_attribute("aria-pressed", "true")
    expect(page.locator("#saved")).to_have_text("Saved.")
    page.reload()
    expect(page.get_by_label("Step by step")).to_be_checked()
    expect(page.locator('[name="confirm"][value="never"]')).to_be_checked()
    expect(page.locator('input[name="theme"][value="dark"]')).to_be_checked()
    expect(page.locator('input[name="sound"][value="off"]')).to_be_checked()
