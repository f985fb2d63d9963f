"""Every page, light and dark, wide and narrow, as axe-core sees it."""

import re
from pathlib import Path

import pytest
from playwright.sync_api import expect

from almunia.server.play import hints
from almunia.server.play.diary import Hint
from tools.ours import ours

from ..serving import told
from .sharing import play_out

pytestmark = pytest.mark.browser

AXE = (Path(__file__).parent / "vendor" / "axe.min.js").read_text("utf-8")
PLACES = "#board svg [data-action]:not(.away)"


def violations(page, **options):
    """What axe finds wrong, in short."""
    if page.evaluate("typeof axe") == "undefined":
        page.evaluate(AXE)
    found = page.evaluate("options => axe.run(options)", {"resultTypes": ["violations"], **options})["violations"]
    return [(item["id"], node["html"][:160], node["failureSummary"]) for item in found for node in item["nodes"]]


def in_both_looks(page):
    """What axe finds wrong on a page in the light and in the dark, where colours alone are another."""
    page.emulate_media(color_scheme="light")
    found = in_this_look(page)
    page.emulate_media(color_scheme="dark")
    return found + in_this_look(page, runOnly=["color-contrast"])


def in_this_look(page, **options):
    """What axe finds wrong on a page at rest. Of a log a few lines are enough: it looks at each, and they are alike."""
    more = "#log li:not(:has(.scored), :nth-last-child(-n + 12))"
    page.evaluate("more => document.querySelectorAll(more).forEach((line) => line.remove())", more)
    at_rest(page)
    return violations(page, **options)


def at_rest(page):
    """Wait until nothing moves any more and no colour changes, but for what does so for ever."""
    endless = "one.effect.getComputedTiming().endTime === Infinity"
    page.wait_for_function(f"() => document.getAnimations().every((one) => {endless})")


def table(page, open_table):
    open_table(page, seed=3, seat_1="bot-easy", seat_2="friend")
    page.locator(PLACES).first.hover()
    page.wait_for_selector("#board .ghost")


def waiting(page, open_table):
    open_table(page, seed=3, seat_1="friend")
    page.locator(PLACES).first.click()
    page.wait_for_selector(".seat.asked:nth-of-type(2), .question:not(.yours)")


def finished(page, open_table):
    open_table(page, seed=3)
    for seen in range(1, 9):
        page.locator(PLACES).first.click()
        page.wait_for_function("seen => Number(document.querySelector('#table').dataset.seen) >= seen", arg=seen)
    page.wait_for_selector(".finale")
    at_rest(page)  # the score has risen


def replay(page, open_table):
    finished(page, open_table)
    page.get_by_role("link", name="Replay").click()
    page.wait_for_selector("#scrubber")


def curtain(page, open_table):
    open_table(page, seat_1="here")


def invitation(page, open_table):
    open_table(page, seat_1="friend")
    link = page.locator(".invite input").input_value()
    page.context.clear_cookies()
    page.goto(link)


def tables(page, open_table):
    open_table(page)
    page.goto("/tables")


def programs(page, open_table):
    page.goto("/programs")
    page.locator("#label").fill("Robot")
    page.get_by_role("button", name="Make a token").click()
    page.wait_for_selector("#made")


SCREENS = [table, waiting, finished, replay, curtain, invitation, tables, programs]
PAGES = [
    "/",
    "/lobby",
    "/lobby/chat",
    "/tables",
    "/preferences",
    "/programs",
    "/games/orchard",
    "/games/orchard/rules",
    "/games/orchard/leaderboard",
    "/daily",
    "/profile",
    "/nowhere",
]


@pytest.mark.parametrize("width", [1280, 360])
def test_pages(come, watched, width):
    watched.expected = ("404",)
    page = come(width, 800)
    for address in PAGES:
        page.goto(address)
        assert in_both_looks(page) == [], address


@pytest.mark.parametrize("screen", SCREENS, ids=lambda screen: screen.__name__)
def test_screens(come, open_table, screen):
    page = come(1280, 800)
    screen(page, open_table)
    assert in_both_looks(page) == []


@pytest.mark.parametrize(("scheme", "width"), [("light", 360), ("dark", 1280)])
def test_tables_and_sheets_of_every_game(come, address, scheme, width):
    page = come(width, 740, color_scheme=scheme)
    found = {}
    for name in (meta.name for meta in ours()):
        form = {"seat-0": "me", "seat-1": "bot-easy", "seed": "3"}
        answer = page.request.post(f"/games/{name}/tables", form=form, headers={"Origin": address}, max_redirects=0)
        page.goto(answer.headers["location"])
        page.wait_for_selector("#choose button", state="attached")
        found[name] = violations(page)
        for number in range(page.locator(".aside").count()):
            page.locator(".aside").nth(number).evaluate("sheet => sheet.showPopover()")
            found[f"{name}, sheet {number}"] = violations(page)
            page.keyboard.press("Escape")
        page.goto(f"/games/{name}/rules")
        found[f"{name}, rules"] = violations(page)
    assert {where: wrong for where, wrong in found.items() if wrong} == {}


@pytest.mark.parametrize(("scheme", "width"), [("dark", 360), ("light", 1280)])
def test_what_has_happened_in_every_game(come, address, tables, scheme, width):
    """The end, a scoring as a sheet, a move that is followed, and the replay, each width in the look left out above."""
    page = come(width, 740, preferences={"motion": "less", "pace": "step"}, color_scheme=scheme)
    found = {}
    for name in (meta.name for meta in ours()):
        form = {"seat-0": "me", "seat-1": "friend", "seed": "3"}
        answer = page.request.post(f"/games/{name}/tables", form=form, headers={"Origin": address}, max_redirects=0)
        table = answer.headers["location"]
        play_out(tables, table)
        page.goto(table)
        page.wait_for_selector(".finale")
        found[name, "end"] = in_this_look(page)
        if page.locator("#log a.scored").count():
            page.locator("#log a.scored").last.dispatch_event("click")
            page.wait_for_selector("#scoring[open]")
            found[name, "scoring"] = in_this_look(page)
        step = tables.snapshot(table.rpartition("/")[2]).diary(0).steps[-1].seen
        page.goto(f"{table}?at={step}&first={step}")
        page.wait_for_selector(".follow")
        found[name, "following"] = in_this_look(page)
        page.goto(f"{table}/replay?at=5")
        page.wait_for_selector("#scrubber")
        found[name, "replay"] = in_this_look(page)
    assert {where: wrong for where, wrong in found.items() if wrong} == {}
    assert {screen for _, screen in found} == {"end", "scoring", "following", "replay"}


@pytest.mark.parametrize("width", [360, 1280])
def test_what_helps(come, open_table, monkeypatch, width):
    """A step of a lesson that tells, one that asks for something, and a hint."""
    monkeypatch.setattr(hints, "PLAIN", "none")
    monkeypatch.setattr(hints, "hint_on", lambda _, diary: Hint(diary.view.legal[-1], "Expert: the last one, it pays."))
    page, found = come(width, 740, preferences={"motion": "less", "pace": "off"}), {}
    page.goto("/games/orchard")
    page.get_by_role("button", name="Learn by playing").click()
    page.wait_for_selector("#lesson.telling")
    found["telling"] = in_both_looks(page)
    while page.locator("#lesson.telling").count():
        page.locator("#lesson .on").click()
    page.wait_for_selector("#board .ghost")
    found["asking"] = in_both_looks(page)
    open_table(page, seed=3, seat_1="friend", hints=1)
    page.get_by_role("button", name="Hint").click()
    page.wait_for_selector(".hinted:not(:empty)")
    found["hint"] = in_both_looks(page)
    assert {where: wrong for where, wrong in found.items() if wrong} == {}


def test_a_chosen_look_beats_the_system(come):
    page = come(color_scheme="light")
    page.goto("/")
    light = page.evaluate("getComputedStyle(document.body).backgroundColor")
    page.get_by_role("button", name="Dark theme").click()
    page.wait_for_selector("html[data-theme=dark]")
    dark = page.evaluate("getComputedStyle(document.body).backgroundColor")
    assert light != dark
    assert violations(page) == []


def test_what_can_be_read_on_a_target_can_be_said(come, address):
    """Oregon's decks have words of their own once a card is to be drawn."""
    page = come(1280, 800)
    form, headers = {"seat-0": "me", "seat-1": "bot-easy", "seed": "3"}, {"Origin": address}
    answer = page.request.post("/games/oregon/tables", form=form, headers=headers, max_redirects=0)
    table = answer.headers["location"]
    while "Draw a landscape card" not in (shown := page.request.get(table).text()):
        seat, seen, actions = told(shown)
        if actions:
            act = {"action": str(actions[0]), "seat": str(seat), "seen": str(seen), "sure": "1"}
            page.request.post(f"{table}/act", form=act, headers=headers)
    page.goto(table)
    deck = page.locator(".deck[data-action][role=button]").first
    expect(deck).to_have_attribute("aria-label", re.compile(r"Draw a landscape card, \d+ landscapes"))
    assert violations(page) == []
