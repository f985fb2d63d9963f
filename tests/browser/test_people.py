"""People at one table: who is here, going away and coming back, asking the others, and clocks that run."""

import re
from contextlib import suppress
from math import inf
from time import time

import pytest
from playwright.sync_api import TimeoutError as TooLate, expect

from .test_access import violations
from .test_play import PLACES

pytestmark = pytest.mark.browser
DAY = 86400  # seconds


@pytest.fixture
def later(running, monkeypatch):
    """Lets time go by at the site, which looks after its tables then."""
    ahead = [0.0]
    monkeypatch.setattr("almunia.server.times.time", lambda: time() + ahead[0])
    monkeypatch.setattr("almunia.server.storage.store.AWAY", inf)  # nor was it away for so long

    def going_by(seconds):
        ahead[0] += seconds
        running[0].caretaker.look()

    return going_by


def pair(come, open_table, **fields):
    """The pages of two people at a table: one on a desk, one on a phone."""
    ana, bea = come(), come(360, 740, has_touch=True)
    open_table(ana, seed=3, seat_1="friend", **fields)
    bea.goto(ana.locator(".invite input").input_value())
    bea.get_by_label("Your name").fill("Bea")
    bea.get_by_role("button", name="Sit down").click()
    expect(ana.locator("#log")).to_contain_text("Bea sits down")
    for page in (ana, bea):  # after which nothing is drawn anew by itself
        expect(page.locator("#chat-link[role=button]")).to_have_count(1)  # the scripts are there
        expect(page.locator(".seat .presence:not(.away)")).to_have_count(2)
    return ana, bea


def menu(page):
    """What can be done about one's own seat, opened."""
    own, opened = page.get_by_role("button", name="Your seat"), page.locator(".relief:popover-open")
    for _ in range(20):  # a page that is drawn anew meanwhile may open another tab
        if not own.is_visible():
            page.locator('.tabs label[data-tab="others"]').click()
        with suppress(TooLate):
            own.click(timeout=1000)
            break
    return opened


def test_who_is_here_is_seen_and_a_bot_plays_for_whoever_leaves(come, open_table):
    ana, bea = pair(come, open_table)
    expect(ana.locator(".seat .presence:not(.away)")).to_have_count(2)
    assert violations(ana) == []
    menu(ana)
    assert violations(ana) == []
    ana.get_by_role("button", name="Easy bot").click()
    expect(bea.locator("#log")).to_contain_text("is replaced by Easy bot until they are back")
    expect(bea).to_have_title(re.compile("Your turn"))  # the bot has moved
    ana.get_by_role("button", name="Take your seat back").first.click()
    expect(bea.locator("#log")).to_contain_text("is back")


def test_what_somebody_reads_stays_open_when_the_table_is_drawn_anew(come, open_table):
    ana, bea = pair(come, open_table)
    opened = menu(ana)
    opened.locator("summary", has_text="Resign").click()
    menu(bea).get_by_role("button", name="Ask the others to end the game").click()
    expect(ana.locator("#proposal")).to_contain_text("Bea asks to end the game now")
    expect(opened).to_have_count(1)
    expect(opened.get_by_role("button", name="Resign")).to_be_visible()


def test_the_others_are_asked_and_answer(come, open_table):
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
    expect(ana.locator(".finale")).to_contain_text("All agreed to end this game.")


def test_a_clock_counts_down_for_whoever_is_to_move(come, open_table):
    ana, bea = pair(come, open_table, clock="live-5")
    running = bea.locator(".seat .clock.running")
    expect(running).to_have_count(1)
    expect(running).to_have_text(re.compile("4:5[0-8]"))
    ana.locator(PLACES).first.click()
    expect(bea).to_have_title(re.compile("Your turn"))
    expect(bea.locator(".seat.own .clock.running")).to_have_count(1)
    expect(bea.locator(".chips .clock")).to_have_count(2)


def test_giving_up_takes_two_presses(come, open_table):
    ana, bea = pair(come, open_table)
    found = menu(ana)
    found.get_by_text("Resign", exact=True).first.click()
    expect(found).to_contain_text("You lose, and the game is over.")
    bea.reload()  # the page is drawn anew for whoever has the menu open
    bea.wait_for_timeout(500)
    found.get_by_role("button", name="Resign").click()
    expect(bea.locator(".finale")).to_contain_text("You win")


def test_a_player_who_vanishes_is_replaced_and_comes_back(come, open_table, later):
    ana, bea = pair(come, open_table, clock="slow-24", zero="bot")
    ana.locator(PLACES).first.click()
    expect(bea).to_have_title(re.compile("Your turn"))
    kept = bea.context.storage_state()
    bea.context.close()
    expect(ana.locator(".seat .presence.away")).to_have_count(1, timeout=40_000)
    later(2 * DAY)
    expect(ana.locator("#log")).to_contain_text("Bea is replaced by Medium bot until they are back")
    expect(ana.locator("#log")).to_contain_text("The cards are laid")
    again = come(360, 740, has_touch=True, storage_state=kept)
    again.goto("/tables")
    again.get_by_role("link", name=re.compile("A bot plays for you")).first.click()
    assert violations(again) == []
    again.get_by_role("button", name="Take your seat back").first.click()
    expect(ana.locator("#log")).to_contain_text("Bea is back")
    ana.locator(PLACES).first.click()
    expect(again).to_have_title(re.compile("Your turn"))
    expect(again.locator(".seat.own .clock.running")).to_have_text(re.compile("23:5|24:00|1 d"))
