"""A table on a phone: the bar stays low, and what may be chosen is in reach of a thumb."""

import re

import pytest
from playwright.sync_api import expect

from .sharing import play_on, play_out

pytestmark = pytest.mark.browser

PHONE = {"width": 360, "height": 740, "has_touch": True, "is_mobile": True}
BAR = 96.5  # pixels, while nothing is chosen
CHOSEN = 152.5  # and at most: panes leave so much room
FINGER = 43.9  # pixels, where the loupe aims at 44
LETTERS = 11.9

SIZES = """names => [...document.querySelectorAll(names)].map((one) => {
    const { width, height } = one.getBoundingClientRect();
    return Math.min(width, height);
}).filter(Boolean)"""


@pytest.fixture
def sit(address):
    """Opens a table of a game, and goes there."""

    def sitting(page, name, **fields):
        form = {"seat-0": "me", **{field.replace("_", "-"): str(value) for field, value in fields.items()}}
        answer = page.request.post(f"/games/{name}/tables", form=form, headers={"Origin": address}, max_redirects=0)
        page.goto(answer.headers["location"])
        page.wait_for_selector("#table .asked")
        return answer.headers["location"]

    return sitting


def height(page):
    """Of the bar."""
    return page.locator(".dock").bounding_box()["height"]


def test_a_button_that_has_room_stands_beside_the_tabs(come, sit):
    page = come(**PHONE)
    sit(page, "caylus", seat_1="bot-easy", seed=7, hints=1)
    assert height(page) <= BAR
    button, tabs = page.get_by_role("button", name="Pass"), page.locator(".dock .tabs")
    assert abs(button.bounding_box()["y"] - tabs.bounding_box()["y"]) < 8
    page.locator("#board svg [data-action]:not(.away)").first.tap()
    expect(page.locator("#play-it")).to_be_enabled()
    assert height(page) <= CHOSEN
    inside = page.locator("#choose button:visible").all()
    assert all(0 <= one.bounding_box()["x"] <= PHONE["width"] - one.bounding_box()["width"] for one in inside)


def test_a_line_of_two_leaves_the_bar_low_while_moves_are_followed(come, sit):
    page = come(**PHONE, preferences={"pace": "step", "confirm": "never"})
    sit(page, "caylus", seat_1="bot-easy", seed=7)
    page.locator("#board svg [data-action]:not(.away)").first.tap()
    page.locator("#play-it:enabled").tap()
    line = page.locator(".follow .ask")
    expect(line).to_contain_text("1 of 1")
    assert line.evaluate("one => one.scrollHeight <= one.clientHeight")
    line.evaluate("one => one.append(' and whatever else has come of it, at some length')")  # two lines
    assert height(page) <= BAR


def test_marks_on_a_part_of_the_board_are_as_large_as_a_finger(come, sit, tables):
    """Beside a hand the part is low: once it was taken for a board that only peeks in."""
    page = come(**PHONE)
    table = sit(page, "orchard", seed=7)
    play_on(tables, table, 6, choose=lambda legal: legal[-1])
    page.reload()
    expect(page.locator("#board.near")).to_have_count(1)
    assert min(page.evaluate(SIZES, "#board svg .target:not(.away)")) >= FINGER
    letters = "[...document.querySelectorAll('#board .place:not(.away) text')]"
    scaled = f"{letters}.map((one) => one.getBoundingClientRect().height)"
    assert min(page.evaluate(scaled)) >= LETTERS
    page.locator(".tabs label", has_text="Mine").tap()
    assert max(page.evaluate(SIZES, "#board svg .place .pill")) < 20  # there it peeks in


def test_what_may_be_chosen_on_a_picture_that_scrolls_sideways_is_brought_into_view(come, sit, tables):
    page = come(**PHONE)
    table = sit(page, "alhambra", seat_1="friend", seed=54)
    for act in range(30):
        play_on(tables, table, 1, choose=lambda legal, at=act: legal[(7 * at + 54) % len(legal)])
    page.reload()
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
    frame, card = drawn.bounding_box(), drawn.locator("[data-action]:not(.away)").bounding_box()
    assert frame["x"] - 1 <= card["x"] <= frame["x"] + frame["width"] - card["width"] + 3


def test_all_of_what_is_aimed_at_is_said(come, sit):
    """Beyond two lines it takes that of the question, and the bar stays as high as it is for others."""
    page = come(**PHONE)
    sit(page, "caylus", seat_1="bot-easy", seed=7)
    for name in ("peddler", "farm", "peddler"):
        page.locator(f"#board svg [aria-label*='{name}']").first.tap()
        say = page.locator("#say")
        expect(say).to_contain_text(re.compile(f"{name}.*Tap again to play"))
        assert say.evaluate("one => one.scrollHeight <= one.clientHeight + 1")
        assert height(page) <= CHOSEN


def test_a_phone_that_lies_has_marks_for_fingers_too(come, sit):
    page = come(**{**PHONE, "width": 740, "height": 360})
    sit(page, "oregon", seat_1="bot-easy", seed=7)
    expect(page.locator(".overview")).to_have_count(1)
    assert min(page.evaluate(SIZES, "#board svg .target:not(.away)")) >= FINGER


@pytest.mark.parametrize("replayed", ["", "/replay"], ids=["game", "replay"])
def test_caylus_shows_castle_and_favours_below_the_board_of_a_tablet(come, sit, tables, replayed):
    page = come(768, 1024)
    table = sit(page, "caylus", seat_1="here", seed=3)
    if replayed:
        play_out(tables, table)
        page.goto(f"{table}{replayed}")
    board, below = (page.locator(name).bounding_box() for name in (".pane.board", ".pane.tally"))
    assert board["y"] + board["height"] <= below["y"]
    assert board["height"] > 500, "what stands below takes no more than the board leaves"
    assert below["height"] < 160
    assert below["y"] + below["height"] <= page.locator(".dock").bounding_box()["y"] + 1
    assert below["width"] > 700
    page.set_viewport_size({"width": 768, "height": 800})
    assert not page.locator(".pane.tally").is_visible()
