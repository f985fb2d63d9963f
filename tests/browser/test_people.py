"""Players at one table: presence, leaving and returning, proposals, and clocks."""

import re

import pytest
from playwright.sync_api import expect

from .settling import first_of, rest, settle
from .test_access import violations
from .test_play import PLACES

pytestmark = pytest.mark.browser
exhaustive = pytest.mark.exhaustive


def pair(come, open_table, **fields):
    """Return the pages of two players at a table: one at a desktop, one on a phone."""
    ana, bea = come(), come(360, 740, has_touch=True)
    open_table(ana, seed=3, seat_1="friend", **fields)
    bea.goto(ana.locator(".invite input").input_value())
    bea.get_by_label("Your name").fill("Bea")
    bea.get_by_role("button", name="Sit down").click()
    expect(ana.locator("#log")).to_contain_text("Bea sits down")
    for page in (ana, bea):  # afterwards the pages do not change by themselves
        expect(page.locator("#chat-link[role=button]")).to_have_count(1)  # the scripts have started
        expect(page.locator(".seat .presence:not(.away)")).to_have_count(2)
    return ana, bea


def menu(page):
    """Open the menu of the own seat when the page has settled, and return it."""
    settle(page)
    own, opened = page.get_by_role("button", name="Your seat"), page.locator(".relief:popover-open")
    tab = page.locator('.tabs label[data-tab="others"]')
    if first_of(own, tab):  # on a phone it is on another tab
        tab.click()
    own.click()
    expect(opened).to_be_visible()
    rest(page)
    return opened


@exhaustive
def test_presence_is_shown_and_a_bot_plays_for_a_leaving_player(come, open_table):
    ana, bea = pair(come, open_table)
    expect(ana.locator(".seat .presence:not(.away)")).to_have_count(2)
    assert violations(ana) == []
    menu(ana)
    assert violations(ana) == []
    ana.get_by_role("button", name="Easy bot").click()
    expect(bea.locator("#log")).to_contain_text("is replaced by Easy bot until they come back")
    expect(bea).to_have_title(re.compile("Your turn"))  # the bot has moved
    ana.get_by_role("button", name="Take your seat back").first.click()
    expect(bea.locator("#log")).to_contain_text("is back")


def test_resigning_takes_two_presses_even_if_the_page_updates(come, open_table):
    ana, bea = pair(come, open_table)
    opened = menu(ana)
    opened.locator("summary", has_text="Resign").click()
    expect(opened).to_contain_text("You lose, and the game is over.")
    menu(bea).get_by_role("button", name="Ask the others to end the game").click()
    expect(ana.locator("#proposal")).to_contain_text("Bea asks to end the game now")
    settle(ana)
    expect(opened).to_have_count(1)
    opened.get_by_role("button", name="Resign").click()
    expect(bea.locator(".finale")).to_contain_text("You win")


@exhaustive
def test_proposals_are_shown_and_answered(come, open_table):
    ana, bea = pair(come, open_table)
    menu(bea).get_by_role("button", name="Ask the others to end the game").click()
    question = ana.locator("#proposal")
    expect(question).to_contain_text("Bea asks to end the game now")
    expect(bea.locator("#proposal")).to_contain_text("Withdraw")
    assert violations(ana) == violations(bea) == []
    question.get_by_role("button", name="Decline").click()
    expect(bea.locator("#log")).to_contain_text("declines")
    menu(ana).get_by_role("button", name="Ask the others to end the game").click()
    bea.locator("#proposal").get_by_role("button", name="Agree").click()
    expect(ana.locator(".finale")).to_contain_text("All players agreed to end this game.")


def test_the_clock_of_the_seat_to_move_counts_down(come, open_table):
    """The site sends its time, so that the clock of the browser may be wrong."""
    ana, bea = pair(come, open_table, clock="live-5")
    bea.clock.install(time=0)
    bea.clock.pause_at(3600)
    bea.reload()
    running = bea.locator(".seat .clock.running")
    expect(running).to_have_text(re.compile(r"^[0-5]:\d\d$"))  # the site has sent its time
    minutes, seconds = map(int, running.inner_text().split(":"))
    left = 60 * minutes + seconds - 10
    bea.clock.run_for(10_000)
    expect(running).to_have_text(f"{left // 60}:{left % 60:02}")
    bea.clock.resume()
    ana.locator(PLACES).first.click()
    expect(bea).to_have_title(re.compile("Your turn"))
    expect(bea.locator(".seat.own .clock.running")).to_have_count(1)
    expect(bea.locator(".chips .clock")).to_have_count(2)
