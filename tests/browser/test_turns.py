"""A turn of each game by mouse, from the choices on the pictures and in the bar."""

import pytest
from playwright.sync_api import expect

import almunia

from .conftest import AT_ONCE
from .settling import resize
from .sharing import await_turn
from .test_play import await_version, version

pytestmark = pytest.mark.browser
exhaustive = pytest.mark.exhaustive

ASKED = {**AT_ONCE, "forced": "ask"}  # every question is asked, also with a single answer
CARDS = ".hand .card[data-action]"
SPACES = "#board svg [data-action]:not(.away)"
HAND = 6  # cards, at most
DECKS = ".hand .deck[data-action]"
TOKENS = ".hand .token[data-action]"  # the joker, and later the extra turn
BUTTONS = "#choose button:not(#play-it, .course, .more, .unfold)"


def click(page, what):
    """Click the first matching element, and wait for a new version of the table."""
    seen = version(page)
    page.locator(what).first.click()
    await_version(page, seen + 1)


def test_a_turn_of_cards_spaces_and_decks(come, open_game, tables):
    page = come(preferences=ASKED)
    table = open_game(page, "oregon", seed=1)
    click(page, SPACES)
    await_turn(page, tables, table)  # after the opponent has placed a tile
    expect(page.locator(CARDS)).to_have_count(4)
    expect(page.locator("#say")).to_have_text("There are 5 choices.")
    expect(page.locator(BUTTONS)).to_have_count(0)  # the pictures offer all choices
    click(page, TOKENS)
    click(page, CARDS)
    expect(page.locator(".hand .picked")).to_have_count(2)
    click(page, SPACES)
    click(page, TOKENS)
    click(page, CARDS)
    click(page, CARDS)
    click(page, SPACES)
    for _ in range(HAND):
        if page.locator(DECKS).count():  # a deck may be empty, or the hand full
            click(page, DECKS)
    expect(page.locator(DECKS)).to_have_count(0)
    expect(page.locator(BUTTONS)).to_have_count(0)
    expect(page.locator("#play-it")).to_contain_text("End the turn")  # no other choice is left
    resize(page, 360, 740)
    assert page.locator("#choose").evaluate("one => one.scrollWidth <= one.clientWidth")  # fits on a phone
    seen = version(page)
    page.keyboard.press("Enter")
    await_version(page, seen + 1)
    await_turn(page, tables, table)
    assert page.locator("#board svg use[href='#ore-piece-0']").count() >= 2


@exhaustive
def test_a_number_key_chooses_a_card(come, open_game, tables):
    page = come()
    table = open_game(page, "oregon", seed=1)
    click(page, SPACES)
    await_turn(page, tables, table)
    expect(page.locator(CARDS)).to_have_count(4)
    page.keyboard.press("2")
    expect(page.locator("#play-it")).to_be_enabled()
    page.keyboard.press("Escape")
    expect(page.locator("#play-it")).to_be_disabled()


OTHERS = [meta.name for meta in almunia.all_games() if meta.name not in ("orchard", "oregon")]
OFFERED = "#table svg [data-action]:not(.away), #choose [data-choice]:enabled"  # in the pictures or only in the bar
ACTS = 30  # more than a turn has


@pytest.mark.parametrize("name", OTHERS)
def test_a_turn_of_the_other_games(come, open_game, tables, name):
    page = come()
    table = open_game(page, name)
    mine = page.locator(".question.yours")
    for _ in range(ACTS):
        if not mine.count():
            break
        click(page, OFFERED)
    expect(mine).to_have_count(0)
    await_turn(page, tables, table)
    expect(mine).to_have_count(1)
