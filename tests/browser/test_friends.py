"""Friends in two browsers: following, a challenge that appears on open pages, and a block."""

import re

import pytest
from playwright.sync_api import expect

from .test_access import violations
from .test_people import pair

pytestmark = [pytest.mark.browser, pytest.mark.usefixtures("close_offers")]


@pytest.fixture
def friends(come, open_table):
    """Return the pages of two friends, at the table at which they have met."""
    ana, bea = pair(come, open_table)
    for page, seat in ((ana, 1), (bea, 0)):
        page.goto(f"{page.url}/player?seat={seat}")
        assert violations(page) == []
        page.get_by_role("button", name="Follow", exact=True).click()
        expect(page).to_have_url(re.compile("/friends$"))
        assert violations(page) == []
    return ana, bea


def test_a_challenge_reaches_each_page_of_a_friend(friends):
    ana, bea = friends
    phone = bea.context.new_page()
    phone.set_viewport_size({"width": 360, "height": 740})
    phone.goto("/lobby")
    rules = bea.context.new_page()
    rules.goto("/games/orchard/rules")
    ana.goto("/friends")
    expect(ana.locator(".contacts li").first).to_contain_text("is here")
    ana.get_by_role("link", name=re.compile("Challenge")).first.click()
    ana.get_by_label("Game").select_option("oregon")
    assert violations(ana) == []
    ana.get_by_role("button", name="Challenge").click()
    expect(ana).to_have_url(re.compile("/table/"))
    for page in (bea, phone, rules):  # without a reload
        expect(page.locator(".invited")).to_contain_text("invited to Oregon")
        assert violations(page) == []
    phone.get_by_role("button", name="Sit down at Oregon").click()
    expect(phone).to_have_url(ana.url)
    expect(rules.locator(".invited")).to_have_count(0)


def test_a_challenge_reaches_a_table_and_is_declined(friends):
    ana, bea = friends
    bea.go_back()
    bea.go_back()
    expect(bea.locator("#table")).to_be_visible()
    ana.goto("/friends")
    ana.get_by_role("link", name=re.compile("Challenge")).first.click()
    ana.get_by_role("button", name="Challenge").click()
    expect(bea.locator(".invited")).to_contain_text("You're invited")
    bea.get_by_role("button", name="Decline").click()
    expect(ana.locator("#log")).to_contain_text("declines the invitation")
