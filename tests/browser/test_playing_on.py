"""Continuing from a position of a finished game: with and without scripts, on a desktop and on a phone."""

import pytest
from playwright.sync_api import expect

from .sharing import GAME, play_on

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


@pytest.mark.parametrize("width", [360, 1280])
@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_play_on_from_a_position(come, open_table, tables, width, scripts):
    page = come(width, 740, java_script_enabled=scripts)
    table = open_table(page, seed=3, seat_1="here")
    play_on(tables, table, GAME)
    last = len(tables.get(table.rpartition("/")[2]).play.actions)
    page.goto(table)
    page.get_by_role("link", name="Replay").click()
    expect(page.locator(".ask")).to_have_text("The start")
    page.get_by_role("link", name="Next move").click()
    expect(page.locator(".ask")).to_have_text(f"Move 1 of {last}")
    page.get_by_role("button", name="Continue from here").click()
    sheet = page.locator("#aside-on")
    expect(sheet).to_contain_text("Continue from move 1")
    sheet.get_by_label("Your seat").select_option(index=1)
    sheet.get_by_label("Bots").select_option("easy")
    sheet.get_by_role("button", name="Start the game").click()
    page.wait_for_url(lambda url: "/replay" not in url and table not in url)
    expect(page.locator("body")).to_contain_text("Continued from move 1")
    page.goto(f"{table}/replay?at={last}")
    expect(page.get_by_role("button", name="Continue from here")).to_have_count(0)
