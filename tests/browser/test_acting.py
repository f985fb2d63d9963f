"""Acting at the table: several actions in one go, why not, hints, and what is on its way."""

import pytest
from playwright.sync_api import expect

from almunia.server import hints
from almunia.server.snapshot import Hint

from .test_play import PLACES, await_version, version
from .test_turns import SPACES, click

pytestmark = pytest.mark.browser

ASKING = {"pace": "off", "confirm": "final"}


@pytest.fixture
def oregon(address):
    """Opens a table of Oregon with a bot, and goes there."""

    def opening(page, **fields):
        form = {"seat-0": "me", "seat-1": "bot-easy", "seed": "5", "hints": "1", **fields}
        answer = page.request.post("/games/oregon/tables", form=form, headers={"Origin": address}, max_redirects=0)
        page.goto(answer.headers["location"])
        page.wait_for_selector("#play-it")

    return opening


def test_a_course_marks_its_cards_and_plays_them_in_one_go(come, oregon):
    page = come()
    oregon(page)
    click(page, SPACES)
    page.wait_for_selector("#choose .course")  # when the bot has placed its tile
    course = page.locator("#choose .course").first
    expect(course).to_have_class("course primary")
    course.hover()
    expect(page.locator(".hand [data-action].chosen")).not_to_have_count(0)
    expect(page.locator("#say")).to_contain_text(course.inner_text().partition("\n")[0])
    page.mouse.move(5, 5)
    expect(page.locator("[data-action].chosen")).to_have_count(0)
    seen = version(page)
    page.keyboard.press("Enter")
    await_version(page, seen + 1)
    expect(page.locator(".hand .picked")).to_have_count(2)
    page.keyboard.press("u")
    expect(page.locator(".hand .picked")).to_have_count(0)  # both are taken back


@pytest.mark.parametrize(("width", "height"), [(1280, 800), (360, 740)])
def test_why_not_is_said_at_the_place(come, oregon, width, height):
    page = come(width, height)
    oregon(page)
    space = page.locator("#space-64").bounding_box()  # a plain one, where no gold mine can start
    page.mouse.click(space["x"] + space["width"] / 2, space["y"] + space["height"] / 2)
    told = page.locator("#why")
    expect(told).to_contain_text("A gold mine goes on a mountain")
    expect(told.locator("a.rule")).to_have_attribute("href", "/games/oregon/rules#3.1")
    expect(page.locator("#space-64.barred")).to_have_count(1)
    expect(page.locator("#question.refused")).to_have_count(1)
    found = told.bounding_box()
    assert found["x"] >= 0
    assert found["x"] + found["width"] <= width
    assert found["y"] + found["height"] <= height
    page.keyboard.press("Escape")
    expect(told).to_be_empty()
    expect(page.locator(".barred, .refused")).to_have_count(0)
    assert version(page) == 0


def test_others_are_not_asked_why_not(come, oregon):
    mine, theirs = come(), come()
    oregon(mine)
    theirs.goto(mine.url)
    asked = []
    theirs.on("request", lambda request: "/why" in request.url and asked.append(request.url))
    theirs.locator("#board svg").click(position={"x": 300, "y": 200})
    theirs.wait_for_timeout(200)
    assert not asked


def test_a_hint_is_aimed_at_and_told(come, oregon, monkeypatch):
    monkeypatch.setattr(hints, "PLAIN", "none")
    monkeypatch.setattr(
        hints, "hint_on", lambda _, diary: Hint(diary.view.legal[-1], "Expert: the last one, for it pays.")
    )
    page = come()
    oregon(page)
    page.keyboard.press("h")
    expect(page.locator("#say")).to_have_text("Expert: the last one, for it pays.")
    expect(page.locator(f"{SPACES}.aimed")).to_have_count(1)
    expect(page.get_by_role("button", name="Hint")).to_have_count(0)
    page.locator(SPACES).first.hover()
    expect(page.locator("#say")).not_to_contain_text("Expert")
    page.mouse.move(5, 5)
    expect(page.locator("#say")).to_contain_text("Expert")
    seen = version(page)
    page.keyboard.press("Enter")
    await_version(page, seen + 1)


def test_what_is_sent_is_sent_once_and_seen_to_be_on_its_way(come, open_table):
    page = come()
    table = open_table(page, seed=3)
    held, sent = [], []
    page.on("request", lambda request: request.method == "POST" and sent.append(request.url))
    page.route(f"**{table}/act", lambda route: held.append(route))  # noqa: PLW0108 - playwright counts its parameters
    page.locator(PLACES).first.click()
    expect(page.locator("#question.sent")).to_have_count(1)
    page.locator(PLACES).first.click()
    page.keyboard.press("Enter")
    expect(page.locator("#question.slow")).to_have_count(1)
    held[0].continue_()
    await_version(page, 1)
    expect(page.locator("#question:is(.sent, .slow)")).to_have_count(0)
    assert len(sent) == 1
    page.unroute_all()
    page.locator(PLACES).first.click()
    await_version(page, 2)


def test_a_second_click_undoes_nothing_twice(come, oregon):
    page = come()
    oregon(page)
    click(page, SPACES)
    for card in (0, 1):
        page.locator(".hand .card[data-action]").nth(card).click()
        await_version(page, version(page))
    expect(page.locator(".hand .picked")).to_have_count(2)
    page.evaluate("document.querySelector('[data-key=u]').click(); document.querySelector('[data-key=u]').click()")
    expect(page.locator(".hand .picked")).to_have_count(1)
    page.wait_for_selector("#question:not(.sent)")
    expect(page.locator(".hand .picked")).to_have_count(1)


def test_the_list_of_moves_asks_before_what_stays(come, open_table):
    page = come(preferences=ASKING)
    open_table(page, seed=3)
    page.locator(".moves summary").click()
    page.locator(".moves button").first.click()
    expect(page.locator("#notice")).to_have_text("This cannot be undone.")
    assert version(page) == 0
    page.locator("#play-it").click()
    await_version(page, 1)


def test_a_page_without_scripts_asks_before_what_stays(come, open_table):
    page = come(preferences=ASKING, java_script_enabled=False)
    open_table(page, seed=3)
    page.locator(".moves button").first.click()
    expect(page.locator("#notice")).to_have_text("This cannot be undone.")
    page.get_by_role("button", name="Play it").click()
    assert version(page) == 1
