"""What others do is shown move by move, and a move that cannot be undone takes a second press."""

import pytest
from playwright.sync_api import expect

from .test_play import PLACES, await_version, version

pytestmark = pytest.mark.browser


def two_people(come, open_table, **preferences):
    """A table of two, where it is the other one's turn: the pages of both."""
    mine, theirs = come(preferences=preferences), come()
    open_table(mine, seed=3, seat_1="friend")
    theirs.goto(mine.locator(".invite input").input_value())
    theirs.get_by_label("Your name").fill("Bea")
    theirs.get_by_role("button", name="Sit down").click()
    expect(mine.locator("#log")).to_contain_text("Bea sits down")
    mine.locator(PLACES).first.click()
    expect(theirs.locator("#play-it")).to_be_visible()
    return mine, theirs


def test_moves_of_others_are_shown_until_the_reader_is_at_now(come, open_table):
    mine, theirs = two_people(come, open_table, pace="step", confirm="never")
    theirs.locator(PLACES).first.click()
    expect(mine.locator(".follow .ask")).to_contain_text("Bea")
    expect(mine.locator("#board svg .told")).not_to_have_count(0)
    expect(mine.locator("#play-it")).to_have_count(0)  # nothing can be chosen in the past
    mine.keyboard.press("Escape")
    expect(mine.locator("#play-it")).to_be_visible()
    expect(mine.locator("#board svg .told")).to_have_count(0)
    mine.get_by_role("link", name="Last moves").click()
    expect(mine.locator(".follow .ask")).to_contain_text("Bea")
    mine.get_by_role("link", name="To now").click()
    expect(mine.locator("#play-it")).to_be_visible()


def test_they_pass_by_at_the_reader_s_pace(come, open_table):
    mine, theirs = two_people(come, open_table, pace="fast", confirm="never")
    shown = mine.evaluate_handle("[]")
    mine.evaluate(
        """shown => document.addEventListener("htmx:afterSettle",
            () => shown.push(Boolean(document.querySelector(".follow"))))""",
        shown,
    )
    theirs.locator(PLACES).first.click()
    expect(mine.locator("#play-it")).to_be_visible()
    assert shown.json_value() == [True, False]


def test_a_move_that_cannot_be_undone_is_confirmed(come, open_table):
    page = come(preferences={"pace": "off", "confirm": "final"})
    open_table(page, seed=3)
    before = version(page)
    page.locator(PLACES).first.click()
    expect(page.locator("#notice")).to_have_text("This cannot be undone.")
    assert version(page) == before
    expect(page.locator("#play-it")).to_be_enabled()
    page.locator("#play-it").click()
    await_version(page, before + 1)


def test_every_move_is_confirmed_for_whoever_wants_it(come, open_table):
    page = come(preferences={"pace": "off", "confirm": "always"})
    open_table(page, seed=3)
    before = version(page)
    page.locator(PLACES).first.click()
    expect(page.locator("#board .ghost")).to_have_count(1)
    assert version(page) == before
    page.locator(PLACES).first.click()
    await_version(page, before + 1)


def test_preferences_are_kept(come):
    page = come(preferences={})
    page.goto("/preferences")
    page.get_by_label("Step by step").check()
    page.get_by_label("Never").check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("Step by step")).to_be_checked()
    expect(page.get_by_label("Never")).to_be_checked()
    expect(page.get_by_label("As the system is set")).to_be_checked()
