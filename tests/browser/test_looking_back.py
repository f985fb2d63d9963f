"""Looking back at a running game by keyboard, while the game moves on, and trying moves."""

import re

import pytest
from playwright.sync_api import expect

from .settling import STILL
from .sharing import play_on

pytestmark = pytest.mark.browser


def test_the_past_is_stepped_through_while_the_game_moves_on(come, open_table, tables):
    page = come(**STILL)
    table = open_table(page, seed=3, seat_1="friend")
    play_on(tables, table, 6)
    page.get_by_role("link", name="Look back").click()
    asked, moved = page.locator(".ask b"), page.locator("#moved")
    expect(asked).to_have_text("Move 6 of 6")
    expect(page.locator(".scrub button")).to_be_hidden()  # the script listens to keys
    page.keyboard.press("ArrowLeft")
    expect(asked).to_have_text("Move 5 of 6")
    page.keyboard.press("Home")
    expect(asked).to_have_text("The start")
    page.keyboard.press("ArrowRight")
    expect(asked).to_have_text("Move 1 of 6")
    expect(moved).to_have_text("")
    play_on(tables, table, 2)
    expect(moved).to_have_text("The game has moved on.")
    expect(asked).to_have_text("Move 1 of 8")
    page.keyboard.press("End")
    expect(asked).to_have_text("Move 8 of 8")
    expect(moved).to_have_text("The game has moved on.")
    page.get_by_role("link", name="Try moves").click()
    page.wait_for_url("**/try/8/0/start")
    page.locator("#board [data-action]").first.focus()
    page.keyboard.press("Enter")
    page.wait_for_url(re.compile(r"/try/8/0/\d+$"))
    page.keyboard.press("u")
    page.wait_for_url("**/try/8/0/start")
    page.get_by_role("link", name="Leave").click()
    page.get_by_role("link", name="Back to the present").click()
    page.wait_for_url(f"**{table}")
