"""The sound for the player's turn. The tests count tones, since they cannot hear them."""

import pytest
from playwright.sync_api import expect

from .settling import settle_at
from .sharing import play_on

pytestmark = pytest.mark.browser
PLACES = "#board svg [data-action]:not(.away)"
WATCHED = """
    window.tones = [];
    window.OscillatorNode = class extends OscillatorNode {
        constructor(context, how) { super(context, how); window.tones.push(how.type); }
    };
"""


def heard(page):
    """Return the types of the tones since the page was loaded."""
    return page.evaluate("window.tones")


@pytest.mark.parametrize(
    ("sound", "tones"),
    [
        ("bell", ["sine"] * 3),
        pytest.param("off", [], marks=pytest.mark.exhaustive),
        pytest.param("wood", ["triangle", "square"], marks=pytest.mark.exhaustive),
    ],
)
def test_a_sound_is_played_when_others_have_moved(come, open_table, tables, sound, tones):
    page = come(preferences={"pace": "off", "confirm": "never", "sound": sound})
    page.add_init_script(WATCHED)
    table = open_table(page, seed=3, seat_1="friend")
    page.locator(PLACES).first.click()
    settle_at(page, 1)
    assert heard(page) == []  # no sound, since it was the reader's turn, and the reader moved
    play_on(tables, table, 1)
    settle_at(page, 2)
    expect(page.locator("#table")).to_have_attribute("data-due", "1")
    assert heard(page) == tones
    assert page.locator('link[rel="icon"]').get_attribute("href") == page.locator("#table").get_attribute("data-icon")


@pytest.mark.exhaustive
def test_a_sound_can_be_tried_in_the_preferences(come):
    page = come()
    page.add_init_script(WATCHED)
    page.goto("/preferences")
    page.get_by_role("button", name="Play the sound").click()
    assert heard(page) == []
    page.get_by_label("A knock on wood").check()
    page.get_by_role("button", name="Play the sound").click()
    assert heard(page) == ["triangle", "square"]
