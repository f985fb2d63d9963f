"""Waiting for what a page publishes of its state (server/static/live.js), so that what is read next stays true."""

from playwright.sync_api import Locator, Page, expect

MOVING = """() => document.getAnimations().every(
    (one) => one.playState !== "running" || one.effect.getComputedTiming().iterations === Infinity)"""


def settle(page: Page) -> None:
    """Wait until the page shows what its stream said last, asks for nothing, and nothing on it moves."""
    expect(page.locator("main[data-stream=open][data-settled]")).to_be_visible()
    page.wait_for_function(MOVING)


def settle_at(page: Page, seen: int) -> None:
    """Wait until the page has settled at this version of the table, as its reader counts."""
    expect(page.locator("#table")).to_have_attribute("data-seen", str(seen))
    settle(page)


def first_of(*locators: Locator) -> int:
    """Wait until one of these is visible, and return its index, by which a test decides how to go on."""
    either = locators[0]
    for other in locators[1:]:
        either = either.or_(other)
    expect(either.first).to_be_visible()
    return next(index for index, locator in enumerate(locators) if locator.first.is_visible())
