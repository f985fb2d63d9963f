"""The state that a page publishes on <main>: whether its stream is open, and the version that has settled."""

import re

import pytest
from playwright.sync_api import expect

from .conftest import PICKING
from .settling import hold, settle, settle_at
from .sharing import play_on
from .test_play import PLACES

pytestmark = pytest.mark.browser
STREAM = """class Stream extends EventTarget { // its state and its words are the test's
    static OPEN = 1;
    static CLOSED = 2;
    static opened = 0;
    readyState = 0;
    constructor() { super(); window.stream = this; Stream.opened += 1; }
    open() { this.readyState = 1; this.onopen(); }
    say(data) { return this.onmessage({ data }); }
    fail() { this.readyState = 0; this.onerror(); }
    close() { this.readyState = 2; }
}
window.EventSource = Stream;"""
CLOSED, UNSETTLED = ("closed", None), ("open", None)


def published(page):
    """Return data-stream and data-settled of <main>. Each is None if it is absent."""
    return tuple(page.locator("main").get_attribute(f"data-{name}") for name in ("stream", "settled"))


def settled(page):
    """Return the attributes of a page that has settled at the version that it shows."""
    return "open", page.locator("#table").get_attribute("data-mark")


def fetch(page, table):
    """Let the page request its table."""
    how = "{target: '#table', source: '#table', swap: 'morph:outerHTML'}"
    page.evaluate(f"table => {{ htmx.ajax('GET', table, {how}) }}", table)


def test_a_page_settles_at_the_version_of_its_stream(come, open_table):
    page = come(frozen=True)
    page.add_init_script(STREAM)
    open_table(page, seed=3)
    shown = settled(page)
    say = "mark => { stream.say(mark) }"
    for _ in range(2):
        assert published(page) == CLOSED
        page.evaluate("stream.open()")
        assert published(page) == UNSETTLED
        page.evaluate(say, shown[1])
        assert published(page) == shown
        page.evaluate(say, "0.1")  # an unknown version, for which the page requests the present again
        expect(page.locator(".htmx-request")).to_have_count(0)
        page.clock.run_for(1)
        assert published(page) == UNSETTLED
        page.evaluate(say, shown[1])
        assert published(page) == shown
        page.evaluate("stream.fail()")
        assert published(page) == CLOSED
        page.clock.run_for(1000)  # the pause before the next attempt


def test_a_page_that_sends_or_fetches_has_not_settled(come, open_table, tables):
    """Each response replaces <main> without a reload, and the new <main> has no attribute yet."""
    page = come()
    table = open_table(page, seed=3, seat_1="friend")
    settle(page)
    assert published(page) == settled(page) == ("open", "0.0")
    page.evaluate("window.loadedOnce = true")
    held = hold(page, re.compile(f"{table}(/move)?$"))
    ways = (
        page.locator(PLACES).first.click,
        lambda: play_on(tables, table, 1),
        lambda: fetch(page, table),  # no new version
        page.locator(PLACES).first.click,
    )
    for way, version in zip(ways, (1, 2, 2, 3), strict=True):
        way()
        request = held()
        assert published(page) == UNSETTLED
        request.continue_()
        settle_at(page, version)
        assert published(page) == settled(page) == ("open", f"0.{version}")
    assert page.evaluate("window.loadedOnce")


def test_a_page_whose_request_was_lost_has_not_settled(come, watched, open_table):
    """The page has not settled before it knows whether the move was played."""
    watched.expected = ("ERR_FAILED", "htmx:")
    page = come(frozen=True)
    table = open_table(page, seed=3)
    settle(page)
    shown = settled(page)
    page.route(f"**{table}/move", lambda route: route.abort())
    page.locator(PLACES).first.click()
    expect(page.locator("#notice")).to_contain_text("checking")
    page.clock.run_for(1)
    assert published(page) == UNSETTLED
    asked = hold(page, f"**{table}")
    page.clock.run_for(1000)
    asked().continue_()
    expect(page.locator("#notice")).to_be_empty()
    page.clock.run_for(1)
    assert published(page) == shown


def test_a_page_that_shows_the_moves_of_others_has_not_settled(come, open_table, tables):
    page = come(preferences={"pace": "step", "confirm": "never"})
    table = open_table(page, seed=3, seat_1="friend")
    page.locator(PLACES).first.click()
    settle_at(page, 1)
    play_on(tables, table, 1)
    expect(page.locator("#to-now")).to_be_visible()
    page.evaluate("() => new Promise((resolve) => setTimeout(resolve))")  # all tasks of the response are finished
    assert published(page) == UNSETTLED
    page.locator("#to-now").click()
    settle_at(page, 2)
    assert published(page) == settled(page)


def test_a_page_that_waits_for_a_scoring_has_not_settled(come, open_table, guide_orchard):
    """The scoring will cover the choices, so a click before it would have no effect."""
    guide_orchard(scoring=lambda *_: PICKING)
    page = come(preferences={"pace": "fast", "confirm": "never"})
    table = open_table(page, seed=3)
    settle(page)
    asked = hold(page, f"**{table}?scoring=*")
    page.locator("#choices button").last.evaluate("button => button.click()")
    request = asked()
    page.evaluate("() => new Promise((resolve) => setTimeout(resolve))")  # all tasks of the response are finished
    assert published(page) == UNSETTLED
    request.continue_()
    settle(page)
    expect(page.locator("#scoring")).to_be_visible()
    page.get_by_role("button", name="Continue").click()
    expect(page.locator("#scoring")).to_be_hidden()
    assert published(page) == settled(page)


def test_the_lobby_settles_at_the_version_of_its_stream(come):
    page = come()
    page.add_init_script(STREAM)
    page.goto("/lobby")
    asked = hold(page, "**/lobby")
    shown = page.locator("#open").get_attribute("data-mark")
    settled, say = ("open", ""), "mark => stream.say(mark)"
    assert published(page) == CLOSED
    page.evaluate("stream.open()")
    assert published(page) == UNSETTLED
    page.evaluate(say, shown)
    assert published(page) == settled
    page.evaluate("window.looked = stream.say('another'); 0")
    request = asked()
    assert published(page) == UNSETTLED
    request.continue_()
    page.evaluate("window.looked")  # until the response is shown
    assert published(page) == UNSETTLED
    page.evaluate(say, shown)
    assert published(page) == settled
    page.evaluate("stream.fail()")
    assert published(page) == CLOSED


def test_a_page_opens_one_stream(come, open_table):
    """With HTTP/1.1 a browser opens only six connections to a site, for all tabs together."""
    page = come()
    page.add_init_script(STREAM)
    opened = {open_table(page, seed=3, seat_1="friend"): 1, "/": 1, "/my/games": 1, "/lobby": 1, "/games/orchard": 1}
    for path, count in opened.items():
        page.goto(path)
        assert page.evaluate("EventSource.opened") == count, path
