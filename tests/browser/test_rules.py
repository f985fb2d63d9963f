"""Rules in print, and pages on a phone."""

import re

import pytest

import almunia
from almunia.server.web.rulebook import has_summary

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


@pytest.mark.parametrize("name", [meta.name for meta in almunia.all_games() if has_summary(meta.name)])
def test_the_rules_in_short_fit_one_page(come, name):
    page = come()
    page.goto(f"/games/{name}/summary")
    assert len(re.findall(rb"/Type\s*/Page\b", page.pdf(prefer_css_page_size=True))) == 1


def test_pages_fit_a_phone(come, open_table):
    """The page does not scroll sideways, and its navigation has one row."""
    page = come(360, 740, is_mobile=True, has_touch=True)
    open_table(page, seed=3, seat_1="friend")
    invitation = page.locator(".invite input").first.get_attribute("value")
    page.context.clear_cookies()
    games = [f"/games/{meta.name}{more}" for meta in almunia.all_games() for more in ("", "/rules", "/summary")]
    for address in ("/", "/lobby", "/my/games", "/preferences", "/api-tokens", invitation, *games):
        page.goto(address)
        assert page.evaluate("innerWidth") == 360, address
        assert page.locator(".top").bounding_box()["height"] < 60, address
