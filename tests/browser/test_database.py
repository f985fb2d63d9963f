"""An open page while the database fails: it shows a notice, loses no move, and recovers by itself."""

from collections.abc import Iterator
from contextlib import contextmanager

import pytest
from playwright.sync_api import Page, expect
from sqlalchemy import Engine, event
from sqlalchemy.exc import OperationalError

from almunia.server.limits import Limits

from .settling import settle
from .test_line import DOWN
from .test_play import PLACES, await_version, version

pytestmark = pytest.mark.browser
exhaustive = pytest.mark.exhaustive
FAILED = "Something went wrong on the site. Your move may or may not have been played; checking…"
WATCH = """window.notices = [];
new MutationObserver(() => window.notices.push(document.querySelector("#notice").textContent))
  .observe(document.body, {subtree: true, childList: true, characterData: true});"""


@pytest.fixture(scope="module")
def limits():
    """Return limits with frequent keep-alive events."""
    return Limits(ping_seconds=0.3)


@contextmanager
def failing(beginning: str = "") -> Iterator[None]:
    """Let statements with this beginning fail, as if the file of the database could not be reached."""

    def fail(_connection, _cursor, statement: str, parameters, *_more) -> None:
        if statement.startswith(beginning):
            raise OperationalError(statement, parameters, OSError("disk I/O error"))

    event.listen(Engine, "before_cursor_execute", fail)
    try:
        yield
    finally:
        event.remove(Engine, "before_cursor_execute", fail)


def await_notice(page: Page, sentence: str) -> None:
    """Wait until the page has shown a notice at least once since WATCH ran."""
    page.wait_for_function("sentence => window.notices.includes(sentence)", arg=sentence)


def version_anew(page: Page, table: str) -> int:
    """Return the version on a newly opened page of a table."""
    other = page.context.new_page()
    other.goto(table)
    return version(other)


@exhaustive
def test_a_page_recovers_from_a_database_outage(come, watched, open_table):
    watched.expected = ("500", "503", "ERR_INCOMPLETE_CHUNKED_ENCODING")
    page = come()
    table = open_table(page, seed=3)
    page.evaluate(WATCH)
    with failing():
        await_notice(page, DOWN)
        page.locator(PLACES).first.click()
        await_notice(page, FAILED)
    settle(page)
    expect(page.locator("#notice")).to_be_empty()
    assert version(page) == version_anew(page, table) == 0
    page.locator(PLACES).first.click()
    await_version(page, 1)
    assert version_anew(page, table) == 1
    assert page.evaluate("window.notices")  # the page was not reloaded


def test_a_move_that_could_not_be_stored_is_not_shown(come, watched, open_table):
    watched.expected = ("500", "503")
    page = come()
    table = open_table(page, seed=3)
    page.evaluate(WATCH)
    with failing("INSERT INTO table_event"):
        page.locator(PLACES).first.click()
        await_notice(page, FAILED)
        assert version_anew(page, table) == 0
    expect(page.locator("#notice")).not_to_have_text(FAILED)  # the page has found that the move was not stored
    settle(page)
    page.locator(PLACES).first.click()
    await_version(page, 1)
    expect(page.locator("#notice")).to_be_empty()
    assert version_anew(page, table) == 1
