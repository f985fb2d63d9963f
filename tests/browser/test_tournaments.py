"""A tournament on a phone, by keyboard alone."""

import re

import pytest
from playwright.sync_api import expect

from .test_access import violations

pytestmark = pytest.mark.browser


def test_a_tournament_is_opened_and_started_by_keyboard_on_a_phone(come):
    page = come(360, 740)
    page.goto("/tournaments")
    assert violations(page) == []
    for label, value in (("Name", "Spring cup"), ("Players at a table", "2"), ("Places", "4"), ("Rounds", "1")):
        page.get_by_label(label, exact=True).fill(value)
    page.get_by_label("Name", exact=True).press("Enter")
    expect(page).to_have_url(re.compile("/tournaments/[^/]+$"))
    for name in ("Enter", "Start now"):
        page.get_by_role("button", name=name).focus()
        page.keyboard.press("Enter")
    status = page.locator("main").get_by_role("status").first
    expect(status).to_contain_text(re.compile("is about to start|Round 1 of 1"))
    expect(status).to_contain_text("Round 1 of 1")  # the page follows the tournament
    expect(page.get_by_role("row")).to_have_count(5)
    expect(page.get_by_role("link", name=re.compile("^Your (turn|game) with"))).to_be_visible()
    assert violations(page) == []
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth"), "nothing scrolls sideways"
