"""A game that asks for a card, a deck or the end of a turn in one question: Oregon, for a turn or two."""

import pytest
from playwright.sync_api import expect

from .conftest import AT_ONCE
from .test_play import await_version, version

pytestmark = pytest.mark.browser

ASKED = {**AT_ONCE, "forced": "ask"}  # every question is put, also one that has a single answer
CARDS = ".hand .card[data-action]"
SPACES = "#board svg [data-action]:not(.away)"
DECKS = ".hand .deck[data-action]"
TOKENS = ".hand .token[data-action]"  # the joker, and later the extra turn
BUTTONS = "#choose button:not(#play-it, .course, .more, .unfold)"


def click(page, what):
    """Click the first of these, and wait for what comes of it."""
    seen = version(page)
    page.locator(what).first.hover()
    page.locator(what).first.click()
    await_version(page, seen + 1)


def open_oregon(page, address, **fields):
    form = {"seat-0": "me", "seat-1": "bot-easy", "hints": "1", **fields}
    answer = page.request.post("/games/oregon/tables", form=form, headers={"Origin": address}, max_redirects=0)
    page.goto(answer.headers["location"])
    page.wait_for_selector("#play-it")


def test_a_turn_of_cards_spaces_and_decks(come, address):
    page = come(preferences=ASKED)
    open_oregon(page, address)
    click(page, SPACES)
    expect(page.locator(CARDS)).to_have_count(4)  # the bot has placed its tile
    expect(page.locator("#say")).to_have_text("There are 5 choices.")
    expect(page.locator(BUTTONS)).to_have_count(0)  # the pictures offer all of it
    click(page, TOKENS)
    click(page, CARDS)
    expect(page.locator(".hand .picked")).to_have_count(2)
    click(page, SPACES)
    click(page, TOKENS)
    click(page, CARDS)
    click(page, CARDS)
    click(page, SPACES)
    while page.locator(DECKS).count():
        click(page, DECKS)
    expect(page.locator(BUTTONS)).to_have_count(0)
    expect(page.locator("#play-it")).to_contain_text("End the turn")  # there is nothing else to mean
    page.set_viewport_size({"width": 360, "height": 740})
    assert page.locator("#choose").evaluate("one => one.scrollWidth <= one.clientWidth")  # a phone has room for it
    seen = version(page)
    page.keyboard.press("Enter")
    await_version(page, seen + 2)
    assert page.locator("#board svg .farmer").count() >= 2


def test_a_number_key_chooses_a_card(come, address):
    page = come()
    open_oregon(page, address)
    click(page, SPACES)
    expect(page.locator(CARDS)).to_have_count(4)  # the bot has placed its tile
    page.keyboard.press("2")
    expect(page.locator("#play-it")).to_be_enabled()
    page.keyboard.press("Escape")
    expect(page.locator("#play-it")).to_be_disabled()
