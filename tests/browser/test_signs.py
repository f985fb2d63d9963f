"""The tooltips of icons: on hover, on focus and on tap."""

import pytest
from playwright.sync_api import expect

from .settling import settle

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]

LONG = 5000  # milliseconds, longer than a short name is shown


@pytest.fixture
def sit(address):
    """Return a function that opens a table of a game for the guest of a page, and goes there."""

    def sitting(page, name="oregon", **fields):
        form = {"seat-0": "me", "seat-1": "friend", **fields}  # a friend does not move, so the page is not drawn again
        origin = {"Origin": address}
        answer = page.request.post(f"/games/{name}/tables", form=form, headers=origin, max_redirects=0)
        page.goto(answer.headers["location"])
        settle(page)

    return sitting


def test_an_icon_shows_its_name_on_hover(come, sit):
    page = come()
    page.clock.install()
    sit(page)
    page.locator(".seat.own [data-sign]").first.hover()
    naming = page.locator("#naming")
    expect(naming).to_contain_text("§")
    expect(naming.locator(".sign")).to_have_count(1)
    behind = naming.evaluate("one => getComputedStyle(one, '::backdrop').backgroundColor")
    assert behind == "rgba(0, 0, 0, 0)"  # pointing at a sign does not dim the table
    naming.hover()  # keeps the name open
    page.clock.run_for(LONG)
    expect(naming).to_be_visible()
    page.keyboard.press("Escape")
    expect(naming).to_be_hidden()


def test_an_icon_shows_its_name_on_focus(come, sit):
    page = come()
    sit(page)
    last = page.locator(".seat.own [data-sign]").last
    page.locator(".seat.own .more").focus()
    page.keyboard.press("Shift+Tab")
    expect(page.locator("#naming")).to_be_visible()
    expect(last).to_have_attribute("aria-describedby", "naming")


def test_a_tap_shows_the_name_of_an_icon_and_the_title_of_a_picture(come, sit):
    page = come(360, 740, has_touch=True, is_mobile=True)
    sit(page)
    page.locator('.tabs [data-tab="others"]').tap()
    page.locator(".seat.own [data-sign]").first.tap()
    expect(page.locator("#naming")).to_be_visible()
    page.locator(".chips").tap()
    expect(page.locator("#naming")).to_be_hidden()
    titled = page.locator(".in-others svg :has(> title):not([data-action], [data-action] *)").first
    words = titled.evaluate("it => it.querySelector(':scope > title').textContent")
    titled.tap()
    expect(page.locator("#naming")).to_have_text(words)


def test_a_reason_replaces_the_name_of_an_icon(come, sit):
    page = come(360, 740, has_touch=True, is_mobile=True)
    sit(page, "caylus", seed="3")
    expect(page.locator("#table[data-why]")).to_be_attached()
    page.locator("#board svg :has(> title):not([data-action], [data-action] *)", has_text="Stables").first.tap()
    expect(page.locator("#why")).to_contain_text("Stables")
    expect(page.locator("#naming")).to_be_hidden()
