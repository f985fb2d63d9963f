"""The analysis of a finished game in a browser: on the replay and at the end, on a desktop and on a phone."""

from threading import Event

import pytest
from playwright.sync_api import expect

from ..analysing import cheap
from ..waiting import TIMEOUT
from .sharing import GAME, play_on

pytestmark = [pytest.mark.browser, pytest.mark.exhaustive]


@pytest.fixture
def over(running, tables, open_table):
    """Return a function that opens a finished game of two for a page, at a site that analyses without searches."""
    analyses, worker = running[0].analyses, running[0].analysis_worker
    worker.analyse, worker.needs_compiled, analyses.needs_compiled = cheap, False, False

    def finished(page):
        table = open_table(page, seed=3, seat_1="here")
        play_on(tables, table, GAME)
        return table

    return finished


@pytest.mark.parametrize("width", [360, 1280])
def test_the_chart_leads_to_positions(come, running, over, tables, width):
    page, shown = come(width, 740), Event()
    table = over(page)

    def analyse(play, progress):
        assert shown.wait(TIMEOUT)
        return cheap(play, progress)

    running[0].analysis_worker.analyse = analyse
    last = len(tables.get(table.rpartition("/")[2]).play.actions)
    page.goto(f"{table}/replay")
    page.get_by_role("button", name="Analyse this game").click()
    expect(page.locator("#analysis .progress")).to_be_visible()
    shown.set()
    chart = page.get_by_label("Position on the chart")
    expect(chart).to_be_visible()  # the page loads it when it is finished
    expect(page.get_by_text("The analysis is finished.")).to_have_attribute("role", "status")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    page.mouse.click(box["x"] + box["width"] / 2, box["y"] + box["height"] / 2)
    expect(page.locator(".ask")).to_contain_text(f"Move {last // 2} of {last}")
    page.keyboard.press("ArrowRight")
    expect(page.locator(".ask")).to_contain_text(f"Move {last // 2 + 1} of {last}")
    assert page.evaluate("document.documentElement.scrollWidth <= innerWidth")


@pytest.mark.parametrize("scripts", [True, False], ids=["scripts", "no scripts"])
def test_the_better_move_is_shown_and_played_on_from(come, over, scripts):
    page = come(1280, 800, java_script_enabled=scripts)
    table = over(page)
    page.goto(f"{table}/replay")
    page.get_by_role("button", name="Analyse this game").click()
    better = page.get_by_role("link", name="Show the better move")
    while not scripts and not better.count():
        page.get_by_role("link", name="Reload").click()
    better.first.click()
    expect(page.locator(".ask")).to_contain_text("Better: ")
    expect(page.locator("#board .ghost")).to_have_count(1)
    page.get_by_role("button", name="Play on from here").first.click()
    page.wait_for_url(lambda url: "/replay" not in url and table not in url)
    expect(page.locator("body")).to_contain_text("Continued from")


def test_the_end_of_a_game_shows_it_too(come, over):
    page = come(1280, 800)
    table = over(page)
    page.goto(table)
    page.get_by_role("button", name="Analyse this game").click()
    page.wait_for_url(lambda url: url.endswith("#analysis"))
    chart = page.get_by_label("Position on the chart")
    chart.scroll_into_view_if_needed()
    box = chart.bounding_box()
    page.mouse.click(box["x"] + 9, box["y"] + box["height"] / 2)
    page.wait_for_url("**/replay?**at=0")
    expect(page.locator(".ask")).to_have_text("The start")
