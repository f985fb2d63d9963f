"""A table on a phone: the bar stays low, and choices are large enough for a thumb."""

import re
from itertools import count
from operator import itemgetter
from random import Random

import pytest
from playwright.sync_api import expect

from almunia.games.alpujarras.components import LANDS
from almunia.games.alpujarras.rules.state import ADD
from tools.builtin_games import builtin_games

from .settling import MOVING, STILL, resize, settle, settle_at
from .sharing import play_on, play_out, uncover

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 740, "has_touch": True, "is_mobile": True, **STILL}
WHOLE = """one => { // what is clamped lies below
    const words = document.createRange();
    words.selectNodeContents(one);
    return words.getBoundingClientRect().bottom <= one.getBoundingClientRect().bottom + 1;
}"""
BAR = 120.5  # pixels, also while something is aimed at
CHOSEN = 152.5  # pixels at most; the panes leave room for it
FIRST = itemgetter(0)
FINGER = 43.9  # pixels; the style sheet uses 44
LETTERS = 11.9

SIZES = """names => [...document.querySelectorAll(names)].map((one) => {
    const { width, height } = one.getBoundingClientRect();
    return Math.min(width, height);
}).filter(Boolean)"""


# Return the elements that extend beyond the window to the left or right, unless they can be scrolled into view.
BEYOND = """() => {
    const parts = [...document.querySelectorAll(".top, .chips, .dock, .dock :is(button, label), .pane, .seat")];
    const outside = parts.filter((one) => {
        const { left, right, width } = one.getBoundingClientRect();
        return one.checkVisibility() && width && (left < -1 || right > screen.width + 1);
    });
    return outside.map((one) => one.className || one.id);
}"""


@pytest.fixture
def sit(address, tables):
    """Return a function that opens a table of a game, plays some actions, and goes there."""

    def sitting(page, name, acts=0, choose=FIRST, **fields):
        form = {"seat-0": "me", **{field.replace("_", "-"): str(value) for field, value in fields.items()}}
        answer = page.request.post(f"/games/{name}/tables", form=form, headers={"Origin": address}, max_redirects=0)
        table = answer.headers["location"]
        play_on(tables, table, acts, choose=choose)
        if "here" in fields.values():
            uncover(page, tables, address, table)
        page.goto(table)
        settle(page)
        return table

    return sitting


def height(page):
    """Return the height of the bar at rest, in pixels."""
    page.wait_for_function(MOVING)
    return page.locator(".dock").bounding_box()["height"]


def test_tables_of_all_games_fit_a_phone(come, sit):
    """Nothing lies outside of the window, the bar is low, and it does not cover the board."""
    page = come(**PHONE)
    for name in (meta.name for meta in builtin_games()):
        sit(page, name, seat_1="friend", seed=3)
        assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"], name
        assert page.evaluate(BEYOND) == [], name
        assert height(page) <= BAR, name
        board, bar = (page.locator(part).bounding_box() for part in ("#board", ".dock"))
        assert board["y"] + board["height"] <= bar["y"] + 1, name
        assert bar["y"] + bar["height"] <= PHONE["height"] + 1, name


def test_a_button_that_fits_is_beside_the_tabs(come, sit):
    page = come(**PHONE)
    sit(page, "caylus", seat_1="friend", seed=3, hints=1)
    assert height(page) <= BAR
    button, tabs = page.get_by_role("button", name="Pass"), page.locator(".dock .tabs")
    assert abs(button.bounding_box()["y"] - tabs.bounding_box()["y"]) < 8
    page.locator("#board svg [data-action]:not(.away)").first.tap()
    expect(page.locator("#play-it")).to_be_enabled()
    assert height(page) <= CHOSEN
    page.wait_for_function(MOVING)
    inside = page.locator("#choose button:visible").all()
    assert all(0 <= one.bounding_box()["x"] <= PHONE["width"] - one.bounding_box()["width"] for one in inside)


def test_a_second_tap_shows_a_warning_and_a_third_plays(come, sit, tables):
    page = come(**PHONE)
    play_on(tables, sit(page, "alpujarras", seat_1="friend", seed=3), 5)
    page.reload()
    settle_at(page, 5)
    far = page.locator("#board svg [data-action][aria-label*=' markets']").last
    for _ in range(2):
        expect(page.locator("#notice")).to_be_empty()
        far.evaluate("one => one.scrollIntoView()")
        far.tap()
    expect(page.locator("#notice")).to_contain_text("This passes")
    expect(page.locator(".ask")).to_be_in_viewport()
    expect(page.locator("#say")).to_be_in_viewport()
    seen = page.locator("#table").get_attribute("data-seen")
    far.evaluate("one => one.scrollIntoView()")
    far.tap()
    expect(page.locator("#table")).not_to_have_attribute("data-seen", seen)


def test_the_bar_stays_low_while_moves_are_replayed(come, sit, tables):
    page = come(**PHONE, preferences={"pace": "step", "confirm": "never"})
    table = sit(page, "caylus", seat_1="friend", seed=3)
    page.locator("#board svg [data-action]:not(.away)").first.tap()
    page.locator("#play-it:enabled").tap()
    settle_at(page, 1)
    play_on(tables, table, 1)
    line = page.locator(".follow .ask")
    expect(line).to_contain_text("1 of 1")
    page.wait_for_function(MOVING)
    assert line.evaluate(WHOLE), line.inner_text()
    line.evaluate("one => one.append(' and whatever else has come of it, at some length')")
    assert height(page) <= BAR
    page.evaluate("dispatchEvent(new Event('resize'))")  # the page handles the event before this call returns
    assert line.evaluate(WHOLE), line.inner_text()
    assert height(page) <= BAR


@pytest.mark.exhaustive
def test_marks_on_a_part_of_the_board_are_as_large_as_a_finger(come, sit):
    """The part of the board is low beside a hand, and was once treated like a minimized board."""
    page = come(**PHONE)
    sit(page, "orchard", acts=6, choose=lambda legal: legal[-1], seed=7)
    expect(page.locator("#board.near")).to_have_count(1)
    assert min(page.evaluate(SIZES, "#board svg .target:not(.away)")) >= FINGER
    letters = "[...document.querySelectorAll('#board .place:not(.away) text')]"
    scaled = f"{letters}.map((one) => one.getBoundingClientRect().height)"
    assert min(page.evaluate(scaled)) >= LETTERS
    page.locator(".tabs label", has_text="Mine").tap()
    page.wait_for_function(MOVING)
    assert max(page.evaluate(SIZES, "#board svg .place .pill")) < 20  # the board is a preview here


@pytest.mark.exhaustive
def test_targets_on_a_scrolling_picture_are_brought_into_view(come, sit):
    page, places = come(**PHONE), count(54, 7)
    sit(page, "alhambra", acts=30, choose=lambda legal: legal[next(places) % len(legal)], seat_1="friend", seed=54)
    drawn = page.locator(".drawn.grown")
    expect(drawn).to_have_count(1)
    drawn.evaluate("""one => {
        const cards = [...one.querySelectorAll("[data-action]:not(.away)")];
        const at = (card) => card.getBoundingClientRect().x;
        const far = cards.reduce((found, card) => at(card) > at(found) ? card : found);
        for (const card of cards) if (card !== far) card.classList.add("away");
        const picture = one.querySelector("svg"); // as if it stood at the other end
        const room = picture.getBoundingClientRect().right - far.getBoundingClientRect().right;
        far.setAttribute("transform", `translate(${room / picture.getScreenCTM().a} 0)`);
        one.scrollTo(0, 0);
    }""")
    page.locator(".tabs label", has_text="Log").tap()
    page.locator(".tabs label", has_text="Mine").tap()
    page.wait_for_function(MOVING)
    frame, card = drawn.bounding_box(), drawn.locator("[data-action]:not(.away)").bounding_box()
    assert frame["x"] - 1 <= card["x"] <= frame["x"] + frame["width"] - card["width"] + 3


def test_long_descriptions_of_a_choice_are_shown_whole(come, sit):
    """The question keeps a line above a long text, and the bar its height."""
    page = come(**PHONE)
    sit(page, "caylus", seat_1="friend", seed=3)
    before = height(page)
    for name in ("peddler", "farm", "peddler"):
        page.locator(f"#board svg [aria-label*='{name}']").first.tap()
        say = page.locator("#say")
        expect(say).to_contain_text(re.compile(f"{name}.*Tap again to play"))
        assert say.evaluate("one => one.scrollHeight <= one.clientHeight + 1")
        assert page.locator(".ask").bounding_box()["height"] >= LETTERS
        assert height(page) == before


FLOWN = """new MutationObserver((changes) => {
    const added = changes.flatMap((change) => [...change.addedNodes]).filter((node) => node.matches?.(".flight"));
    const drawn = added.flatMap((flight) => [...flight.querySelectorAll("[class]")]);
    window.flown = [...(window.flown ?? []), ...drawn.flatMap((one) => [...one.classList])];
}).observe(document, { childList: true, subtree: true });"""


@pytest.mark.exhaustive
def test_unmoved_pieces_are_not_animated_when_the_board_is_panned(come, sit, tables):
    page = come(**{**PHONE, "reduced_motion": "no-preference"})
    page.add_init_script(FLOWN)
    table = sit(page, "alpujarras", acts=2, choose=Random(5).choice, seat_1="here", seed=4)
    adding = farmers_to_add(tables, table)
    page.locator(f'#choices button[value="{adding[0]}"]').dispatch_event("click")
    page.wait_for_function("() => window.flown?.includes('seat-farmer')")
    settle(page)
    assert not {"land", "place", "number"} & set(page.evaluate("window.flown"))


def farmers_to_add(tables, table):
    """Return the legal actions that add a farmer."""
    legal = tables.get(table.rpartition("/")[2]).play.legal_actions
    return [action for action in legal if ADD <= action < ADD + LANDS]


@pytest.mark.exhaustive
def test_targets_in_landscape_are_large_enough_for_a_finger(come, sit):
    page = come(**{**PHONE, "width": 740, "height": 360})
    sit(page, "oregon", seat_1="friend", seed=7)
    expect(page.locator(".overview")).to_have_count(1)
    assert min(page.evaluate(SIZES, "#board svg .target:not(.away)")) >= FINGER


@pytest.mark.exhaustive
@pytest.mark.parametrize("replayed", ["", "/replay"], ids=["game", "replay"])
def test_the_stock_of_caylus_is_beside_the_road_in_a_wide_window(come, sit, tables, replayed):
    """In a smaller window a button shows the stock."""
    page = come(1600, 900, **STILL)
    table = sit(page, "caylus", seat_1="here", seed=3)
    if replayed:
        play_out(tables, table)
        page.goto(f"{table}{replayed}")
        page.wait_for_function(MOVING)
    board, stock, seats = (page.locator(name).bounding_box() for name in (".pane.board", "#aside-buildings", ".seats"))
    assert board["x"] + board["width"] <= stock["x"]
    assert stock["x"] + stock["width"] <= seats["x"]
    assert stock["y"] == seats["y"]
    picture = page.locator("#aside-buildings svg").bounding_box()
    assert picture["y"] + picture["height"] <= stock["y"] + stock["height"] <= 900
    button = page.locator("button", has_text="Buildings")
    expect(button).to_be_hidden()
    resize(page, 1280, 800)
    expect(page.locator("#aside-buildings")).to_be_hidden()
    button.click()
    expect(page.locator("#aside-buildings:popover-open")).to_be_visible()
    last = page.locator("#aside-buildings .piece").last.bounding_box()
    assert last["y"] + last["height"] <= 800


SMALLEST = """() => Math.min(...[...document.querySelectorAll("#board > svg text")].map((one) => {
    const { c, d } = one.getScreenCTM(); // of what may be turned
    return one.checkVisibility() ? parseFloat(getComputedStyle(one).fontSize) * Math.hypot(c, d) : Infinity;
}))"""


@pytest.mark.exhaustive
@pytest.mark.parametrize(("game", "acts", "screen"), [("alpujarras", 7, (360, 740)), ("caylus", 5, (740, 360))])
def test_a_board_is_enlarged_until_its_text_is_legible(come, sit, game, acts, screen):
    """The board is enlarged for its text, even if no target on it is small."""
    page = come(**{**PHONE, "width": screen[0], "height": screen[1]})
    sit(page, game, acts=acts, choose=Random(3).choice, seat_1="here", seat_2="here", seed=3)
    page.locator(".tabs label", has_text="Board").tap()
    expect(page.locator("#board.near")).to_have_count(1)
    assert page.evaluate(SMALLEST) >= LETTERS - 0.2
    expect(page.locator(".overview")).to_have_count(1)


def test_a_board_of_a_replay_is_enlarged_until_it_is_read(come, sit, tables):
    page = come(**PHONE)
    table = sit(page, "caylus", seat_1="here", seed=3)
    play_out(tables, table)
    page.goto(f"{table}/replay?at=9")
    for at in ("9", "10"):
        expect(page.locator("#scrubber")).to_have_value(at)
        page.wait_for_function(MOVING)
        expect(page.locator("#board.near")).to_have_count(1)
        expect(page.locator(".overview")).to_have_count(1)
        assert page.evaluate(SMALLEST) >= LETTERS - 0.2
        page.locator(".steps a[data-key=ArrowRight]").tap()


def test_oregon_lies_on_its_side_in_a_game_and_in_its_replay(come, sit, tables):
    page = come(**PHONE)
    table = sit(page, "oregon", seat_1="here", seed=3)
    expect(page.locator("#board.near")).to_have_count(1)
    for part in ("#board > svg", ".overview .small"):
        box = page.locator(part).bounding_box()
        assert box["height"] > 1.3 * box["width"], part
    play_out(tables, table)
    page.goto(f"{table}/replay?at=9")
    page.wait_for_function(MOVING)
    box = page.locator("#board > svg").bounding_box()
    assert box["height"] > 1.3 * box["width"]


@pytest.mark.exhaustive
@pytest.mark.parametrize(("game", "seats"), [("alhambra", 3), ("alpujarras", 3), ("caylus", 3)])
def test_questions_leave_the_bar_low(come, sit, tables, address, game, seats):
    """The bar is measured at random positions with different questions."""
    page = come(**PHONE, preferences={"pace": "off", "confirm": "never", "forced": "ask"})
    rng = Random(1)
    table = sit(page, game, 3, rng.choice, **{f"seat_{number}": "here" for number in range(1, seats)}, seed=1)
    assert height(page) <= BAR, page.locator("#question").inner_text()
    for _ in range(12):
        page.goto("about:blank")  # an open page would render each action
        play_on(tables, table, 3, choose=rng.choice)
        uncover(page, tables, address, table)
        page.goto(table)
        settle(page)
        assert height(page) <= BAR, page.locator("#question").inner_text()


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("game", "seats", "acts", "button", "folded"),
    [("caylus", 3, 26, "1 stone", True), ("alpujarras", 2, 10, "Let Zara take", False)],
)
def test_answers_leave_the_bar_low(come, sit, game, seats, acts, button, folded):
    """If the answers have no room, a button shows the others."""
    page = come(**PHONE)
    people = {f"seat_{number}": "here" for number in range(1, seats)}
    sit(page, game, acts=acts, choose=Random(3).choice, **people, seed=3)
    first = page.locator("#choose button:visible").first
    expect(first).to_contain_text(button)
    assert height(page) <= BAR
    for one in page.locator("#choose button:visible").all():
        assert one.evaluate("one => one.scrollHeight <= one.clientHeight + 1 && one.offsetWidth >= 44")
    others = page.locator("#choose .unfold")
    expect(others).to_be_visible(visible=folded)
    if folded:
        others.tap()
        expect(page.get_by_role("button", name="Leave it")).to_be_visible()
        expect(others).to_be_hidden()
        assert height(page) <= CHOSEN


@pytest.mark.parametrize("width", [pytest.param(360, marks=pytest.mark.exhaustive), 378])  # 378: wide enough to fold
def test_two_answers_are_visible_if_no_picture_has_a_target(come, sit, width):
    """If a tile fits nowhere, both answers are shown and not folded."""
    page = come(**{**PHONE, "width": width})
    sit(page, "alhambra", acts=70, choose=Random(3).choice, seat_1="here", seed=5)
    expect(page.locator("#table svg [data-action]:not(.away)")).to_have_count(0)
    answers = page.locator("#choose button:visible")
    expect(answers).to_have_text(["Put it on the reserve board", "Give it to Dirk"])
    assert all(0 <= one.bounding_box()["x"] <= width - one.bounding_box()["width"] for one in answers.all())
    assert height(page) <= CHOSEN
    answers.last.tap()  # plays at once, so the other seat is to move
    expect(page.locator(".curtain")).to_be_visible()


@pytest.mark.exhaustive
@pytest.mark.parametrize("game", ["alpujarras", "caylus", "orchard"])
def test_a_question_that_fits_has_the_usual_font_size(come, sit, game):
    page = come(**PHONE)  # the link to the rule extends beyond its line, so that a finger can hit it
    sit(page, game, seed=5, seat_1="friend")
    asked = page.locator(".ask")
    expect(asked.locator(".rule")).to_have_count(1)
    expect(asked).to_have_css("font-size", "14.5px")


@pytest.mark.exhaustive
def test_the_own_seat_is_shown_in_landscape_without_a_hand(come, sit):
    page = come(**{**PHONE, "width": 740, "height": 360})
    sit(page, "caylus", seat_1="friend", seed=3)
    page.locator(".tabs label", has_text="Mine").tap()
    expect(page.locator(".seat.own")).to_be_visible()


@pytest.mark.exhaustive
def test_the_hand_in_landscape_has_no_small_buttons(come, sit):
    """In landscape a card is chosen as a whole, and its rotations are on another tab."""
    page = come(**{**PHONE, "width": 740, "height": 360})
    sit(page, "orchard", seat_1="friend", seed=3)
    expect(page.locator(".way").first).to_be_attached()
    pressed = "[...document.querySelectorAll('.way')].filter((one) => getComputedStyle(one).pointerEvents !== 'none')"
    assert page.evaluate(f"{pressed}.length") == 0


@pytest.mark.exhaustive
def test_a_long_waiting_text_is_shown_whole(come, sit):
    page = come(**PHONE)
    sit(page, "caylus", seat_1="friend", seed=3)
    page.locator("#board svg [data-action]:not(.away)").first.tap()
    page.locator("#play-it:enabled").tap()
    expect(page.locator(".question .asked")).to_contain_text("has not joined yet")
    settle(page)
    for line in page.locator(".question .asked p").all():
        line.evaluate("one => one.append(' and so on, for as long as it takes, and then for a while more')")
        assert line.evaluate("one => one.scrollHeight <= one.clientHeight + 1")


@pytest.mark.exhaustive
def test_a_link_at_the_edge_makes_the_end_no_wider(come, sit, tables):
    """The touch area of the link is larger than its sign."""
    page = come(**PHONE)
    table = sit(page, "orchard", seat_1="friend", seed=3)
    play_out(tables, table)
    page.goto(table)
    settle(page)
    page.locator(".turnings .rule").first.evaluate("one => { one.style.float = 'right'; }")
    assert page.evaluate("document.documentElement.scrollWidth") == PHONE["width"]


@pytest.mark.exhaustive
def test_long_words_stay_inside_their_button(come, sit):
    page = come(**PHONE)
    sit(page, "oregon", seat_1="friend", seed=7)
    beyond = page.locator("#choose").evaluate("""place => {
        const one = document.createElement("button");
        Object.assign(one, { className: "course primary", textContent: "Draw 2 landscapes, 1 building" });
        one.style.width = "70px"; // what is left beside tabs, hint and undo
        place.replaceChildren(one);
        place.classList.add("snug");
        return one.scrollWidth - one.clientWidth;
    }""")
    assert beyond <= 0


LINES = """one => {
    const words = document.createRange();
    words.selectNodeContents(one);
    return words.getClientRects().length;
}"""


@pytest.mark.exhaustive
@pytest.mark.parametrize(
    ("fields", "state"), [({}, "Waiting for players"), ({"unrated": 1, "seed": 3}, "A friend to move")]
)
def test_games_on_the_front_page_keep_their_titles_whole(come, sit, fields, state):
    page = come(320, 640, **STILL)
    sit(page, "alpujarras", seat_1="friend", **fields)
    page.goto("/")
    row = page.locator(".waiting a:not(.mine)").first
    for width in (320, 360):
        resize(page, width, 640)
        expect(row).to_contain_text(state)
        assert row.locator("b").evaluate(LINES) == 1
        assert page.evaluate("document.documentElement.scrollWidth") == width
