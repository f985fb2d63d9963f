"""What others do is shown move by move, and a move that cannot be undone takes a second press."""

import re

import pytest
from playwright.sync_api import expect

from almunia.core.guidance import Column, Scoring
from almunia.core.play import Observation

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


def test_what_was_touched_stays_outlined_until_the_reader_acts(come, open_table):
    mine, theirs = two_people(come, open_table, pace="step", confirm="never")
    theirs.locator(PLACES).first.click()
    expect(mine.locator(".say .trace .here")).to_have_count(1)
    expect(mine.locator("svg > .traces .outline.here").first).to_be_visible()
    expect(mine.locator("svg > .traces .badge").first).to_have_text("1")
    expect(mine).to_have_title(re.compile("^● Your turn"))
    icon = mine.locator('link[rel="icon"]')
    expect(icon).to_have_attribute("href", re.compile("icon-turn"))
    mine.keyboard.press("Escape")
    expect(mine.locator("#play-it")).to_be_visible()
    expect(mine.locator("svg > .traces .outline.earlier").first).to_be_visible()
    mine.locator(PLACES).first.click()
    expect(mine.locator("#play-it")).to_have_count(0)
    expect(mine.locator("svg > .traces")).to_have_count(0)
    expect(icon).to_have_attribute("href", re.compile("icon[.]svg"))


def test_nothing_flies_for_whoever_wants_little_movement(come, open_table):
    for motion, flying in (("auto", True), ("less", False)):
        mine, theirs = two_people(come, open_table, pace="step", confirm="never", motion=motion)
        flown = mine.evaluate_handle("[]")
        mine.evaluate(
            """flown => new MutationObserver(changes => changes.forEach(
                change => change.addedNodes.forEach(node => node.matches?.(".flight") && flown.push(1))
            )).observe(document.body, {childList: true})""",
            flown,
        )
        theirs.locator(PLACES).first.click()
        expect(mine.locator("svg > .traces .outline.here").first).to_be_visible()
        assert bool(flown.json_value()) == flying


def scored(before, action, after):
    """A scoring whenever a play of Orchard brings points."""
    gains = tuple((after.score_table() - before.score_table())[:, 0].tolist())
    return Scoring("Picking", "1.1", (Column("By hand", gains, (), ("space-0-0",)),)) if any(gains) else None


def test_a_scoring_stays_until_it_is_put_away(come, open_table, monkeypatch):
    monkeypatch.setattr(Observation, "scoring", scored)
    page = come(preferences={"pace": "fast", "confirm": "never"})
    open_table(page, seed=3)
    sheet = page.locator("#scoring")
    for _ in range(9):
        page.locator("#choices button").last.evaluate("button => button.click()")
        page.wait_for_load_state("networkidle")
        if sheet.is_visible():
            break
    expect(sheet.get_by_role("heading", name="Picking")).to_be_visible()
    expect(sheet.get_by_role("button", name="Go on")).to_be_focused()
    sheet.get_by_role("button", name="Show it on the board").click()
    expect(sheet.locator("tbody")).to_be_hidden()
    sheet.get_by_role("button", name="Show the table").click()
    expect(sheet.locator("tbody")).to_be_visible()
    page.keyboard.press("Escape")
    expect(sheet).to_be_hidden()
    again = page.locator("#log a.scored").last
    again.focus()
    page.keyboard.press("Enter")
    expect(sheet).to_be_visible()
    page.keyboard.press("Enter")
    expect(sheet).to_be_hidden()
    expect(again).to_be_focused()


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
    page.locator('[name="confirm"][value="never"]').check()
    page.get_by_role("button", name="Save").click()
    expect(page.get_by_label("Step by step")).to_be_checked()
    expect(page.locator('[name="confirm"][value="never"]')).to_be_checked()
    expect(page.locator('input[name="theme"][value="auto"]')).to_be_checked()
