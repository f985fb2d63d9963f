"""Opponents' boards on their cards: small text is left out, and a press enlarges the board."""

import pytest
from playwright.sync_api import expect

from .settling import MOVING, STILL, resize, settle
from .sharing import play_on, uncover
from .test_access import violations

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]
SIZES = """() => {
    const size = (one) => parseFloat(getComputedStyle(one).fontSize) / one.getBBox().height;
    const letters = [...document.querySelectorAll("#closer svg text")];
    const shown = letters.map((one) => [one, one.getBoundingClientRect().height]);
    return shown.filter(([_, height]) => height).map(([one, height]) => size(one) * height);
}"""


@pytest.fixture
def crowded(come, address, tables):
    """Return the page of a table of six, where some boards are too large for their cards."""
    page = come(**STILL)
    form = {"seat-0": "me", **{f"seat-{number}": "here" for number in range(1, 6)}, "seed": "3"}
    answer = page.request.post("/games/orchard/tables", form=form, headers={"Origin": address}, max_redirects=0)
    table = answer.headers["location"]
    play_on(tables, table, 36, choose=lambda legal: legal[0])  # the boards grow to one side
    uncover(page, tables, address, table)
    page.goto(table)
    settle(page)
    return page


def test_illegible_text_is_hidden_until_the_board_is_enlarged(crowded):
    page = crowded
    expect(page.locator(".theirs .tiny")).not_to_have_count(0)
    expect(page.locator(".theirs .tiny .die text").first).to_be_hidden()
    button = page.locator(".theirs:has(.tiny) button.closer").first
    button.focus()
    page.keyboard.press("Enter")
    large = page.locator("#closer")
    expect(large.locator(".die text").first).to_be_visible()
    page.wait_for_function(MOVING)
    assert min(page.evaluate(SIZES)) >= 12
    assert violations(page) == []
    page.keyboard.press("Escape")
    expect(large).to_be_hidden()
    expect(button).to_be_focused()


def test_enlarging_a_board_sends_no_request(crowded):
    page = crowded
    asked = []
    page.on("request", lambda request: "/previews/" in request.url or asked.append(request.url))
    page.locator(".theirs").last.click()
    expect(page.locator("#closer")).to_be_visible()
    page.locator("#closer").get_by_role("button", name="Close").click()
    expect(page.locator("#closer")).to_be_hidden()
    page.evaluate("fetch('/health/ready')")  # after all other requests
    assert [url.rpartition("/")[2] for url in asked] == ["ready"]
    resize(page, 1920, 1080)
    resize(page, 1280, 800)
    expect(page.locator(".theirs .tiny")).not_to_have_count(0)


def test_a_whole_board_on_a_phone_hides_illegible_text(come, address):
    """If there is no choice on the board, the page does not enlarge a part of it. A tap enlarges the whole board."""
    owner, page = come(**STILL), come(360, 740, has_touch=True, is_mobile=True, **STILL)
    form = {"seat-0": "me", "seat-1": "friend", "seed": "3"}
    answer = owner.request.post("/games/alpujarras/tables", form=form, headers={"Origin": address}, max_redirects=0)
    page.goto(answer.headers["location"])
    settle(page)
    expect(page.locator("#board > .tiny text").first).to_be_hidden()
    page.locator("#board").tap()
    expect(page.locator("#closer text").first).to_be_visible()
    page.wait_for_function(MOVING)
    assert min(page.evaluate(SIZES)) >= 11.75
    assert page.evaluate("document.documentElement.scrollWidth") == 360
    assert violations(page) == []
    page.locator("#closer").get_by_role("button", name="Close").tap()
    expect(page.locator("#closer")).to_be_hidden()
