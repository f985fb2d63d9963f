"""Others' boards on their cards: what can be read there, and all of it at a press."""

import pytest
from playwright.sync_api import expect

from .sharing import play_on
from .test_access import violations

pytestmark = pytest.mark.browser
SIZES = """() => {
    const size = (one) => parseFloat(getComputedStyle(one).fontSize) / one.getBBox().height;
    const letters = [...document.querySelectorAll("#closer svg text")];
    const shown = letters.map((one) => [one, one.getBoundingClientRect().height]);
    return shown.filter(([_, height]) => height).map(([one, height]) => size(one) * height);
}"""


@pytest.fixture
def crowded(come, address, tables):
    """The page of a table of six, some of whom have boards too large for their cards."""
    page = come()
    form = {"seat-0": "me", **{f"seat-{number}": "here" for number in range(1, 6)}, "seed": "3"}
    answer = page.request.post("/games/orchard/tables", form=form, headers={"Origin": address}, max_redirects=0)
    table = answer.headers["location"]
    play_on(tables, table, 36, choose=lambda legal: legal[0])  # to one side
    page.goto(table)
    if page.locator(".curtain button").count():
        page.locator(".curtain button").click()
    page.wait_for_selector("#play-it")
    return page


def test_letters_too_small_to_be_read_are_left_out_and_a_press_shows_them(crowded):
    page = crowded
    expect(page.locator(".theirs .tiny")).not_to_have_count(0)
    expect(page.locator(".theirs .tiny .die text").first).to_be_hidden()
    button = page.locator(".theirs:has(.tiny) button.closer").first
    button.focus()
    page.keyboard.press("Enter")
    large = page.locator("#closer")
    expect(large.locator(".die text").first).to_be_visible()
    assert min(page.evaluate(SIZES)) >= 12
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(large).to_be_hidden()
    expect(button).to_be_focused()


def test_looking_closer_is_no_move_and_asks_nothing(crowded):
    page = crowded
    asked = []
    page.on("request", lambda request: "/ghosts/" in request.url or asked.append(request.url))
    page.locator(".theirs").last.click()
    expect(page.locator("#closer")).to_be_visible()
    assert asked == []
    page.locator("#closer").get_by_role("button", name="Close").click()
    expect(page.locator("#closer")).to_be_hidden()
    page.set_viewport_size({"width": 1920, "height": 1080})
    page.set_viewport_size({"width": 1280, "height": 800})
    expect(page.locator(".theirs .tiny")).not_to_have_count(0)


def test_a_whole_board_on_a_phone_leaves_out_what_nobody_can_read(come, address):
    """Where nothing is to be chosen no part of it is shown large, but a tap shows all of it so."""
    owner, page = come(), come(360, 740, has_touch=True, is_mobile=True)
    form = {"seat-0": "me", "seat-1": "friend", "seed": "3"}
    answer = owner.request.post("/games/alpujarras/tables", form=form, headers={"Origin": address}, max_redirects=0)
    page.goto(answer.headers["location"])
    expect(page.locator("#board > .tiny text").first).to_be_hidden()
    page.locator("#board").tap()
    expect(page.locator("#closer text").first).to_be_visible()
    assert min(page.evaluate(SIZES)) >= 11.75
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert violations(page) == []
    page.locator("#closer").get_by_role("button", name="Close").tap()
    expect(page.locator("#closer")).to_be_hidden()
