"""Accessibility of every page according to axe-core, in light and dark, wide and narrow."""

import re
from collections import defaultdict
from pathlib import Path

import pytest
from playwright.sync_api import expect

from almunia.server.tables.viewer_history import Hint
from tools.builtin_games import builtin_games

from .settling import MOVING, STILL, first_of, resize, settle, settle_at
from .sharing import play_on, play_out

pytestmark = pytest.mark.browser

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text("utf-8")
PLACES = "#board svg [data-action]:not(.away)"
HEIGHT = 800
MOST_STEPS = 20  # of a lesson, before its first question
MINE = defaultdict(lambda: "3", alpujarras="2")  # seeds with which the first seat begins


def violations(page, within=None, **options):
    """Return the violations that axe finds on a page, or within a part of it."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE)
    asked = [within or "html", {"resultTypes": ["violations"], **options}]
    found = page.evaluate("asked => axe.run(...asked)", asked)["violations"]
    return [(item["id"], node["html"][:160], node["failureSummary"]) for item in found for node in item["nodes"]]


def in_both_looks(page):
    """Return the violations on a page in light colours, and its contrast violations in dark colours."""
    page.emulate_media(color_scheme="light")
    found = in_this_look(page)
    page.emulate_media(color_scheme="dark")
    return found + in_this_look(page, runOnly=["color-contrast"])


def at_widths(page, *widths):
    """Return the violations on a page in both colour schemes, at each of these widths."""
    found = []
    for width in widths:
        resize(page, width, HEIGHT)
        found += in_both_looks(page)
    return found


def in_this_look(page, within=None, **options):
    """Return the violations on a page at rest, after removing most log lines to save time."""
    more = "#log li:not(:has(.scored), :nth-last-child(-n + 12))"
    page.evaluate("more => document.querySelectorAll(more).forEach((line) => line.remove())", more)
    page.wait_for_function(MOVING)
    return violations(page, within, **options)


def in_looks(page, looks, within=None):
    """Return the violations on a page, or within a part of it, for each pair of a width and a colour scheme."""
    found = []
    for width, scheme in looks:
        resize(page, width, HEIGHT)
        page.emulate_media(color_scheme=scheme)
        found += in_this_look(page, within)
    return found


def table(page, open_table, tables):
    open_table(page, seed=3, seat_1="bot-easy", seat_2="friend")
    settle(page)
    page.locator(PLACES).first.hover()
    expect(page.locator("#board .ghost")).to_be_visible()


def waiting(page, open_table, tables):
    open_table(page, seed=3, seat_1="friend")
    page.locator(PLACES).first.click()
    settle_at(page, 1)


def finished(page, open_table, tables):
    there = open_table(page, seed=3)
    play_out(tables, there)
    page.goto(there)
    expect(page.locator(".finale")).to_be_visible()
    settle(page)


def replay(page, open_table, tables):
    finished(page, open_table, tables)
    page.get_by_role("link", name="Replay").click()
    expect(page.locator("#scrubber")).to_be_visible()


def curtain(page, open_table, tables):
    open_table(page, seed=3, seat_1="here")
    expect(page.locator(".curtain")).to_be_visible()
    settle(page)


def invitation(page, open_table, tables):
    open_table(page, seat_1="friend")
    link = page.locator(".invite input").input_value()
    page.context.clear_cookies()
    page.goto(link)


def my_tables(page, open_table, tables):
    open_table(page)
    page.goto("/my/games")


def programs(page, open_table, tables):
    page.goto("/api-tokens")
    page.locator("#label").fill("Robot")
    page.get_by_role("button", name="Make a token").click()
    expect(page.locator("#made")).to_be_visible()


SCREENS = [table, waiting, finished, replay, curtain, invitation, my_tables, programs]
MAIN_PAGES = ["/", "/lobby", "/preferences", "/games/orchard"]
PAGES = [
    *MAIN_PAGES,
    "/lobby/chat",
    "/my/games",
    "/api-tokens",
    "/games/orchard/rules",
    "/games/orchard/leaderboard",
    "/games/orchard/statistics",
    "/daily",
    "/puzzles",
    "/puzzles/oregon-1",
    "/profile",
    "/nowhere",
]


def test_main_pages_and_a_table(come, open_table, tables):
    page = come(**STILL)
    for address in MAIN_PAGES:
        page.goto(address)
        assert in_this_look(page) == [], address
    table(page, open_table, tables)
    assert in_this_look(page) == []


@pytest.mark.exhaustive
def test_pages(come, watched):
    watched.expected = ("404",)
    page = come(height=HEIGHT, **STILL)
    for address in PAGES:
        page.goto(address)
        assert at_widths(page, 1280, 360) == [], address


@pytest.mark.exhaustive
@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.__name__)
def test_screens(come, open_table, tables, screen):
    page = come(height=HEIGHT, **STILL)
    screen(page, open_table, tables)
    assert in_both_looks(page) == []


@pytest.mark.exhaustive
def test_tables_and_sheets_of_every_game(come, address):
    page, found = come(height=HEIGHT, **STILL), {}
    looks = [(360, "light"), (1280, "dark")]
    for name in (meta.name for meta in builtin_games()):
        form = {"seat-0": "me", "seat-1": "friend", "seed": MINE[name]}
        answer = page.request.post(f"/games/{name}/tables", form=form, headers={"Origin": address}, max_redirects=0)
        page.goto(answer.headers["location"])
        settle(page)
        expect(page.locator("#play-it")).to_be_attached()
        found[name] = in_looks(page, looks)
        for number in range(page.locator(".aside").count()):
            page.locator(".aside").nth(number).evaluate("sheet => sheet.showPopover()")
            found[f"{name}, sheet {number}"] = in_looks(page, looks, ".aside:popover-open")
            page.keyboard.press("Escape")
        page.goto(f"/games/{name}/rules")
        found[f"{name}, rules"] = in_looks(page, looks)
    assert {where: wrong for where, wrong in found.items() if wrong} == {}


@pytest.mark.exhaustive
def test_end_pages_and_scorings_of_every_game_are_accessible(come, address, tables):
    """Each width has the colour scheme that the test above leaves out."""
    page, found = come(height=HEIGHT, preferences={"motion": "less", "pace": "step"}, **STILL), {}
    looks = [(1280, "light"), (360, "dark")]
    for name in (meta.name for meta in builtin_games()):
        form = {"seat-0": "me", "seat-1": "friend", "seed": "3"}
        answer = page.request.post(f"/games/{name}/tables", form=form, headers={"Origin": address}, max_redirects=0)
        table = answer.headers["location"]
        play_out(tables, table)
        page.goto(table)
        expect(page.locator(".finale")).to_be_visible()
        settle(page)
        found[name, "end"] = in_looks(page, looks)
        if page.locator("#log a.scored").count():
            page.locator("#log a.scored").last.dispatch_event("click")
            expect(page.locator("#scoring")).to_be_visible()
            found[name, "scoring"] = in_looks(page, looks, "#scoring")
        step = tables.get(table.rpartition("/")[2]).history(0).steps[-1].version
        page.goto(f"{table}?at={step}&first={step}")
        expect(page.locator(".follow")).to_be_visible()
        found[name, "following"] = in_looks(page, looks)
        page.goto(f"{table}/replay?at=5")
        expect(page.locator("#scrubber")).to_be_visible()
        found[name, "replay"] = in_looks(page, looks)
    assert {where: wrong for where, wrong in found.items() if wrong} == {}
    assert {screen for _, screen in found} == {"end", "scoring", "following", "replay"}


@pytest.mark.exhaustive
def test_lessons_and_hints_are_accessible(come, open_table, hint_with):
    """The test covers both kinds of steps of a lesson, and a hint."""
    hint_with(lambda _, history: Hint(history.view.legal_actions[-1], "Expert: the last one, it pays."))
    page, found = come(1280, HEIGHT, preferences={"motion": "less", "pace": "off"}, **STILL), {}
    page.goto("/games/orchard")
    page.get_by_role("button", name="Learn by playing").click()
    expect(page.locator("#lesson.telling")).to_be_visible()
    found["telling"] = at_widths(page, 1280, 360)
    for _ in range(MOST_STEPS):
        if first_of(page.locator("#lesson.telling"), page.locator("#board .ghost")):
            break
        page.locator("#lesson .on").click()
    expect(page.locator("#board .ghost")).to_be_visible()
    found["asking"] = at_widths(page, 360, 1280)
    open_table(page, seed=3, seat_1="friend", hints=1)
    settle(page)
    page.get_by_role("button", name="Hint").click()
    expect(page.locator("#hint")).to_contain_text("it pays")
    settle(page)
    found["hint"] = at_widths(page, 1280, 360)
    assert {where: wrong for where, wrong in found.items() if wrong} == {}


@pytest.mark.exhaustive
def test_the_chosen_theme_overrides_the_system(come):
    page = come(color_scheme="light", **STILL)
    page.goto("/")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.locator(".menu > summary").click()
    assert page.locator(".menu > summary").evaluate("e => getComputedStyle(e, '::before').content") == "none"
    assert violations(page) == []
    page.get_by_role("button", name="Dark theme").click()
    expect(page.locator("html[data-theme=dark]")).to_be_attached()
    page.wait_for_function(MOVING)
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert light != dark
    assert violations(page) == []


@pytest.mark.exhaustive
def test_labels_of_targets_contain_their_visible_text(come, address, tables):
    """The decks of Oregon contain text, which their labels must contain as well."""
    page = come(**STILL)
    form = {"seat-0": "me", "seat-1": "friend", "seed": "3"}
    answer = page.request.post("/games/oregon/tables", form=form, headers={"Origin": address}, max_redirects=0)
    table = answer.headers["location"]
    for _ in range(60):
        if "Draw a landscape card" in page.request.get(table).text():
            break
        play_on(tables, table, 1)
    page.goto(table)
    settle(page)
    deck = page.locator(".deck[data-action][role=button]").first
    expect(deck).to_have_attribute("aria-label", re.compile(r"Draw a landscape card, \d+ landscapes"))
    assert violations(page) == []
