"""Functions that wait until a page has settled, by the state that it publishes (web/static/table-stream.js)."""

from collections.abc import Callable

from playwright.sync_api import Locator, Page, Route, expect

SETTLED = "main[data-stream=open][data-settled]"
MOVING = """() => document.getAnimations().every(
    (one) => one.playState !== "running" || one.effect.getComputedTiming().iterations === Infinity)"""
ROUND_TRIPS = 100_000  # to the browser, 0.7 ms each; more than any wait needs, so only a hang reaches it
# Listeners for the new size may wait for the next frame.
RESIZED = """() => {
    window.framed = false;
    const next = () => requestAnimationFrame(() => requestAnimationFrame(() => { window.framed = true; }));
    window.addEventListener("resize", next, { once: true });
}"""

STILL = {"reduced_motion": "reduce"}  # a window without animations, for tests of places


def settle(page: Page) -> None:
    """Wait until the page has settled at the version of its stream, and has no running animation."""
    expect(page.locator(SETTLED)).to_be_visible()
    rest(page)


def resize(page: Page, width: int, height: int) -> None:
    """Resize the window, and wait until the page has a new layout and no running animation."""
    if page.viewport_size == {"width": width, "height": height}:
        return
    page.evaluate(RESIZED)
    page.set_viewport_size({"width": width, "height": height})
    page.wait_for_function("() => window.framed")
    page.wait_for_function(MOVING)


def settle_at(page: Page, seen: int) -> None:
    """Wait until the page has settled at a version of its viewer."""
    expect(page.locator("#table")).to_have_attribute("data-seen", str(seen))
    settle(page)


def rest(page: Page) -> None:
    """Wait until the page has no running animation."""
    page.wait_for_function(MOVING)


def first_of(*locators: Locator) -> int:
    """Wait until one of these elements is visible, and return its index."""
    shown = [locator.filter(visible=True) for locator in locators]
    either = shown[0]
    for other in shown[1:]:
        either = either.or_(other)
    expect(either.first).to_be_visible()
    return next(index for index, locator in enumerate(shown) if locator.count())


def hold(page: Page, address: str) -> Callable[[], Route]:
    """Hold the requests of a page to an address. Return a function that waits for the next held request."""
    held: list[Route] = []
    page.route(address, lambda route: held.append(route))  # noqa: PLW0108 - Playwright counts the parameters

    def next_held() -> Route:
        await_true(page, lambda: held, f"the page has not asked for {address}")
        return held.pop(0)

    return next_held


def await_true(page: Page, look: Callable[[], object], otherwise: str) -> None:
    """Wait until a condition on events from the browser or on the site is true; fail with the sentence `otherwise`."""
    for _ in range(ROUND_TRIPS):
        if look():
            return
        page.context.cookies()  # a round trip, during which events arrive; the page need not respond
    raise AssertionError(otherwise)
