"""An open page recovers by itself: from errors of a proxy, a restart of the site, and sleep of the machine."""

import socket
from contextlib import closing

import pytest
from playwright.sync_api import Page, expect

from almunia.server.limits import Limits
from almunia.server.settings import Settings

from ..serving import served
from .settling import await_true, hold, settle
from .test_play import PLACES, await_version
from .test_published import STREAM

pytestmark = pytest.mark.browser
exhaustive = pytest.mark.exhaustive
LOST = "The site cannot be reached. Your move may or may not have been played; checking…"
FAILED = LOST.replace("The site cannot be reached", "Something went wrong on the site")
DOWN = "Connection lost. Reconnecting…"


OFTEN = pytest.mark.parametrize("limits", [Limits(ping_seconds=0.5)], ids=["signs of life"], indirect=True)


@pytest.fixture(scope="module")
def limits(request):
    """Return limits without keep-alive events, unless a test sets others."""
    return getattr(request, "param", Limits(ping_seconds=3600))


def streams(page: Page) -> list[str]:
    """Return a list to which the addresses of the page's new streams are added."""
    asked: list[str] = []
    page.on("request", lambda request: request.url.endswith("/stream") and asked.append(request.url))
    return asked


@exhaustive
def test_a_page_recovers_from_errors_of_a_proxy(come, watched, open_table):
    watched.expected = ("502",)
    page = come()
    table = open_table(page, seed=3)
    other = page.context.new_page()
    other.goto(table)
    refused = []

    def proxy(route) -> None:
        refused.append(1)
        route.fulfill(status=502, body="Bad gateway")

    page.route("**/stream", proxy)
    page.reload()
    expect(page.locator("#notice")).to_have_text(DOWN)
    await_true(page, lambda: len(refused) > 1, "the page has not tried again")
    page.unroute("**/stream")
    other.locator(PLACES).first.click()
    await_version(other, 1)
    await_version(page, 1)
    expect(page.locator("#notice")).to_be_empty()


@OFTEN
@exhaustive
def test_a_failed_request_of_the_page_is_repeated(come, watched, open_table):
    """The stream is open but the request for the page failed. The next keep-alive event triggers another request."""
    watched.expected = ("503",)
    page = come(frozen=True)
    table = open_table(page, seed=3)
    settle(page)
    other = page.context.new_page()
    other.goto(table)
    settle(other)
    page.route(f"**{table}", lambda route: route.fulfill(status=503, body="Not now"))
    other.locator(PLACES).first.click()
    expect(page.locator("#notice")).to_contain_text("Something went wrong on the site")
    page.unroute(f"**{table}")
    expect(page.locator("#table")).to_have_attribute("data-seen", "1")


def test_a_stream_is_reopened_after_the_machine_has_slept(come, open_table):
    page = come(frozen=True)
    open_table(page, seed=3)
    settle(page)
    asked = streams(page)
    page.clock.fast_forward("08:00:00")
    expect(page.locator("#notice")).to_have_text(DOWN)
    page.clock.run_for(1000)
    settle(page)
    expect(page.locator("#notice")).to_be_empty()
    assert len(asked) == 1


def test_pauses_between_tries_grow_until_a_line_is_open(come, open_table):
    """A site that is down must not get a request from each open page every second."""
    page = come(frozen=True)
    page.add_init_script(STREAM)
    open_table(page, seed=3)
    for count, seconds in enumerate((1, 2, 5, 10, 30, 30), 1):
        page.evaluate("stream.fail()")
        page.clock.run_for(1000 * seconds - 1)
        assert page.evaluate("EventSource.opened") == count
        page.clock.run_for(1)
        assert page.evaluate("EventSource.opened") == count + 1
    page.evaluate("stream.open(); stream.fail()")
    page.clock.run_for(1000)
    assert page.evaluate("EventSource.opened") == count + 2


@exhaustive
def test_pauses_between_page_requests_grow_until_one_succeeds(come, watched, open_table):
    watched.expected = ("503",)
    page = come(frozen=True)
    page.add_init_script(STREAM)
    table = open_table(page, seed=3)
    underway = page.locator(".htmx-request")
    asked = hold(page, f"**{table}")
    page.evaluate("stream.open(); stream.say('0.1')")  # an unknown version
    for seconds in (1, 2, 5):
        asked().fulfill(status=503, body="Not now")
        expect(underway).to_have_count(0)
        page.clock.run_for(1000 * seconds - 1)
        assert underway.count() == 0
        page.clock.run_for(1)
        assert underway.count() > 0
    asked().continue_()
    expect(page.locator("#notice")).to_be_empty()


def test_a_page_recovers_from_a_restart_of_the_site(come, watched, tmp_path):
    refused = ("REFUSED", "RESET", "CLOSED")
    watched.expected = (*(f"ERR_CONNECTION_{how}" for how in refused), "ERR_INCOMPLETE_CHUNKED", "ERR_EMPTY_RESPONSE")
    with closing(socket.socket()) as kept:  # keeps the port for the site while it is down
        kept.setsockopt(socket.SOL_SOCKET, socket.SO_REUSEADDR, 1)
        kept.bind(("127.0.0.1", 0))
        port = kept.getsockname()[1]
        watched.address = address = f"http://127.0.0.1:{port}"
        with served(Settings(data=tmp_path, compiled=False), port):
            page = come(base_url=address)
            form = {"seat-0": "me", "seed": "3"}
            answer = page.request.post("/games/orchard/tables", form=form, headers={"Origin": address}, max_redirects=0)
            table = answer.headers["location"]
            page.goto(table)
            settle(page)
        expect(page.locator("#notice")).to_have_text(DOWN)
        with served(Settings(data=tmp_path, compiled=False), port):
            other = page.context.new_page()
            other.goto(table)
            other.locator(PLACES).first.click()
            await_version(page, 1)
            expect(page.locator("#notice")).to_be_empty()


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [(None, LOST), pytest.param(502, FAILED, marks=exhaustive)],
    ids=["no answer", "the answer of a proxy"],
)
def test_a_page_finds_a_move_whose_response_was_lost(come, watched, open_table, answer, sentence):
    """The site has played the action, but its response is lost.

    The page says that the result is unknown, and finds out.
    """
    watched.expected = ("ERR_FAILED", "htmx:", "502")
    page = come()
    table = open_table(page, seed=3)
    said = page.evaluate_handle("[]")
    page.evaluate(
        """said => new MutationObserver(() => said.push(document.querySelector("#notice").textContent))
            .observe(document.querySelector("main"), { childList: true, characterData: true, subtree: true })""",
        said,
    )

    def lose(route) -> None:
        route.fetch(max_redirects=0)
        if answer:
            route.fulfill(status=answer, body="Bad gateway")
        else:
            route.abort()

    page.route(f"**{table}/move", lose)
    page.locator(PLACES).first.click()
    await_version(page, 1)
    expect(page.locator("#notice")).to_be_empty()
    assert sentence in said.json_value()


def test_a_page_shows_the_present_after_a_move_that_never_arrived(come, watched, open_table):
    """When the network is back, the page shows the present position, and the player can move again."""
    watched.expected = ("ERR_INTERNET_DISCONNECTED", "htmx:")
    page = come()
    open_table(page, seed=3)
    settle(page)
    page.context.set_offline(True)
    page.locator(PLACES).first.click()
    expect(page.locator("#notice")).to_have_text(LOST)
    page.context.set_offline(False)
    expect(page.locator("#notice")).to_be_empty()
    settle(page)
    page.locator(PLACES).first.click()
    await_version(page, 1)
    expect(page.locator("#notice")).to_be_empty()
