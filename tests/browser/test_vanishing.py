"""A player who leaves a table of two. Each test shifts the time of the site, so this file has one site for itself."""

import re

import pytest
from playwright.sync_api import expect

from almunia.server.limits import Limits

from .settling import await_true
from .test_access import violations
from .test_people import pair
from .test_play import PLACES

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]
DAY = 86400  # seconds
AT_A_SCREEN = 2  # streams of one visible page: one for the table, one for the presence


@pytest.fixture
def later(running):
    """Return a function that advances the time of the site, and runs its maintenance."""

    def going_by(seconds):
        running[0].clock.advance(seconds)
        running[0].maintenance.run_once()
        running[0].broker.publish_all_local()  # timers would do this, but they do not use the test's clock

    return going_by


def test_an_absent_player_is_replaced_and_can_return(come, open_table, running, later):
    ana, bea = pair(come, open_table, clock="slow-24", zero="bot")
    ana.locator(PLACES).first.click()
    expect(bea).to_have_title(re.compile("Your turn"))
    kept = bea.context.storage_state()
    bea.context.close()
    presence = running[0].presence
    await_true(ana, lambda: len(presence.streams) == AT_A_SCREEN, "the site still counts those as here who have left")
    later(Limits().grace_seconds)
    expect(ana.locator(".seat .presence.away")).to_have_count(1)
    later(2 * DAY)
    expect(ana.locator("#log")).to_contain_text("Bea is replaced by Medium bot until they come back")
    expect(ana.locator("#log")).to_contain_text("The cards are placed")
    again = come(360, 740, has_touch=True, storage_state=kept)
    again.goto("/my/games")
    again.get_by_role("link", name=re.compile("A bot plays for you")).first.click()
    assert violations(again) == []
    again.get_by_role("button", name="Take your seat back").first.click()
    expect(ana.locator("#log")).to_contain_text("Bea is back")
    ana.locator(PLACES).first.click()
    expect(again).to_have_title(re.compile("Your turn"))
    expect(again.locator(".seat.own .clock.running")).to_have_text(re.compile(r"^(1 d|2\d:\d\d h)"))
