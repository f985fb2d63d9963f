"""Fixtures: a site in this process, and Chromium to visit it."""

import os
import shutil
from collections.abc import Callable, Iterator, Mapping
from contextlib import ExitStack, contextmanager, suppress
from itertools import count
from math import inf
from pathlib import Path
from time import monotonic
from types import SimpleNamespace

import pytest
from playwright.sync_api import Browser, BrowserContext, Error, Page, Playwright, expect, sync_playwright

from almunia import catalog
from almunia.core.optional import Column, Scoring
from almunia.library import Game
from almunia.server.app import create_app
from almunia.server.clock import Clock
from almunia.server.limits import Limits
from almunia.server.settings import Settings
from almunia.server.site import Site
from almunia.server.tables.service import TableService
from almunia.server.tables.viewer_history import Hint, ViewerHistory

from ..clock import BY_HAND, ShiftedClock
from ..serving import answering
from .settling import settle
from .sharing import play_for_others

WHOLE = ("chromium", "chromium-browser", "google-chrome")
BROWSERS = ("chromium-headless-shell", *WHOLE)  # the first one of these that is installed
QUIET = ["--no-sandbox", "--disable-gpu", "--disable-software-rasterizer", "--disable-background-networking"]
QUIET += ["--disable-component-update", "--disable-sync", "--no-first-run"]
# Chromium's address bar loads hidden pages, which doubles the work of each test. These features are switched off.
# The list repeats the features that Playwright switches off, because the last list of this option replaces the others.
OFF = ["WebUIOmniboxPopup", "WebUIOmniboxAimPopup", "WebUIOmniboxFullPopup"]
OFF += ["AvoidUnnecessaryBeforeUnloadCheckSync", "DestroyProfileOnBrowserClose", "HttpsUpgrades", "LensOverlay"]
OFF += ["HttpsFirstBalancedModeAutoEnable", "MediaRouter", "PaintHolding", "ThirdPartyStoragePartitioning"]
OFF += ["AvoidCorsURLLoaderRestartOnRedirect", "TcpPortRandomizationWin", "OptimizationHints", "AimEnabled"]
OFF += ["NetworkTimeServiceQuerying", "PreconnectToSearch"]
OFF += ["SpareRendererForSitePerProcess"]  # a spare process for each page
QUIET += [f"--disable-features={','.join(OFF)}"]
WAIT = 60_000  # milliseconds; any page is faster, so only a missing one fails a test
expect.set_options(timeout=WAIT)
STREAM_LEFT = "was interrupted while the page was loading"  # Firefox says so when a page with a stream is left
HERE = Path(__file__).parent
PICKING = Scoring("Picking", "1.1", (Column("By hand", (1,), (), ("space-0-0",)),))  # for one seat
AT_ONCE = {"pace": "off", "confirm": "never"}  # one click plays, and the present is shown at once


@pytest.fixture(scope="module")
def limits() -> Limits:
    """Return limits with which the site never counts as down, although tests shift its clock."""
    return Limits(outage_seconds=inf, maintenance_seconds=BY_HAND)


@pytest.fixture(scope="module")
def new_clock() -> Callable[[], Clock]:
    """Return a function that makes the clock of a site: the system's, which a test may shift."""
    return ShiftedClock


@pytest.fixture(scope="module")
def sites(
    tmp_path_factory: pytest.TempPathFactory, limits: Limits, new_clock: Callable[[], Clock]
) -> Iterator[Callable[[bool], tuple[Site, str]]]:
    """Yield a function that returns the site of a test file and its address.

    With `fresh`, it replaces the site first.
    """

    def build() -> Iterator[tuple[Site, str]]:
        app = create_app(
            Settings(data=tmp_path_factory.mktemp("site"), compiled=False, posts="10000/minute", argon2_memory_kib=8),
            clock=new_clock(),
            limits=limits,
        )
        with answering(app) as port:
            yield app.state.site, f"http://127.0.0.1:{port}"

    with ExitStack() as serving:
        current: list[tuple[Site, str]] = []

        def site(fresh: bool) -> tuple[Site, str]:
            if fresh or not current:
                serving.close()
                current[:] = [serving.enter_context(contextmanager(build)())]
            return current[0]

        yield site


@pytest.fixture
def running(request: pytest.FixtureRequest, sites: Callable[[bool], tuple[Site, str]]) -> tuple[Site, str]:
    """Return the site of a test file and its address. A rerun of a test gets a new site."""
    return sites(getattr(request.node, "execution_count", 1) > 1)


@pytest.fixture
def address(running: tuple[Site, str]) -> str:
    return running[1]


@pytest.fixture
def tables(running: tuple[Site, str]) -> TableService:
    """Return the tables of the site, where tests can play without a page."""
    return running[0].tables


@pytest.fixture(scope="session")
def driver() -> Iterator[Playwright]:
    with sync_playwright() as playwright:
        yield playwright


@pytest.fixture(scope="session")
def browser(driver: Playwright, pytestconfig: pytest.Config) -> Iterator[Browser]:
    """Yield the browser with the engine that an option names; by default, the installed Chromium."""
    engine = pytestconfig.option.engine
    path = os.environ.get("CHROMIUM")
    launching = launched(driver, path, BROWSERS) if engine == "chromium" else launched_other(driver, engine)
    with launching as running:
        yield running


@pytest.fixture
def whole_browser(driver: Playwright) -> Iterator[Browser]:
    """Yield a Chromium that shows notifications, which the headless shell does not."""
    with launched(driver, None, WHOLE) as running:
        yield running


@contextmanager
def launched(driver: Playwright, path: str | None, names: tuple[str, ...]) -> Iterator[Browser]:
    """Launch the browser at a path, or the first installed one of some names. Skip the test if there is none."""
    found = path or next(filter(None, map(shutil.which, names)), None)
    if found is None:
        pytest.skip(f"no browser here: none of {', '.join(names)} is installed, and CHROMIUM is not set")
    running = driver.chromium.launch(executable_path=found, args=QUIET)
    try:
        yield running
    finally:
        running.close()


@contextmanager
def launched_other(driver: Playwright, engine: str) -> Iterator[Browser]:
    """Launch the Firefox or WebKit that Playwright has installed. Skip the test if there is none."""
    kind = getattr(driver, engine)
    if not Path(kind.executable_path).exists():
        pytest.skip(f"no {engine} here: run python -m playwright install {engine}")
    running = kind.launch()
    try:
        yield running
    finally:
        running.close()


@pytest.fixture(autouse=True)
def known_deals(request: pytest.FixtureRequest) -> None:
    """Give new tables the same deals in every run, so that no test meets a rare question by chance."""
    if "running" in request.fixturenames:
        site, _ = request.getfixturevalue("running")
        site.tables.seeds = count(1).__next__


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Run a browser test that fails once more; the summary lists it as RERUN."""
    for item in items:
        if item.path.is_relative_to(HERE):
            item.add_marker(pytest.mark.flaky(reruns=1))


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test with the fixture `together` for each game that the option names."""
    if "together" in metafunc.fixturenames:
        asked = metafunc.config.option.together
        metafunc.parametrize("together", catalog.game_packages() if asked == "all" else asked.split(","))


class Watched:
    """Collects the errors of pages, and their requests to other sites."""

    def __init__(self, address: str) -> None:
        self.address, self.wrong, self.ended, self._start = address, [], False, monotonic()
        self.expected: tuple[str, ...] = (STREAM_LEFT,)

    def watch(self, page: Page) -> None:
        page.on("console", lambda message: message.type == "error" and self.note(page, message.text))
        page.on("pageerror", lambda error: self.note(page, str(error)))
        page.on("request", lambda request: request.url.startswith(self.address) or self.note(page, request.url))

    def note(self, page: Page, complaint: str) -> None:
        """Keep an error with its page and the seconds since the start of the test, unless the test expects it."""
        if not self.ended and not any(words in complaint for words in self.expected):
            self.wrong.append(f"{page.url} after {monotonic() - self._start:.1f} s: {complaint}")


@pytest.fixture
def watched(address: str) -> Iterator[Watched]:
    """Fail the test if a page had an error or a request to another site."""
    watching = Watched(address)
    yield watching
    assert watching.wrong == []


@pytest.fixture
def come(browser: Browser, address: str, watched: Watched) -> Iterator[Callable[..., Page]]:
    """Yield a function that opens a page in a new browser context, with the given preferences and settings."""
    contexts: list[BrowserContext] = []

    def coming(
        width: int = 1280,
        height: int = 800,
        preferences: Mapping[str, str] = AT_ONCE,
        within: Browser = browser,
        frozen: bool = False,
        **settings: object,
    ) -> Page:
        settings = {"base_url": address, "viewport": {"width": width, "height": height}, **settings}
        context = within.new_context(**settings)
        contexts.append(context)
        context.set_default_timeout(WAIT)
        origin = str(settings["base_url"])
        context.request.post("/preferences", form=dict(preferences), headers={"Origin": origin})
        if frozen:  # the pages' timers run only in page.clock.run_for
            context.clock.install(time=0)
            context.clock.pause_at(3600)
        page = context.new_page()
        watched.watch(page)
        return page

    yield coming
    for context in contexts:
        with suppress(Error):  # the browser is closed already
            context.cookies()  # a round trip, during which pending errors arrive
    watched.ended = True  # a stream may break while its page closes
    for context in contexts:
        with suppress(Error):  # the browser is closed already
            context.close()


@pytest.fixture
def hint_with(running: tuple[Site, str]) -> Iterator[Callable[[Callable[[Game, ViewerHistory], Hint]], None]]:
    """Yield a function that makes the site compute hints with another function, until the end of the test."""
    hinter = running[0].hints
    usual = hinter.compute

    def setting(hint: Callable[[Game, ViewerHistory], Hint]) -> None:
        hinter.compute, hinter.needs_compiled = hint, False

    yield setting
    hinter.compute, hinter.needs_compiled = usual, True


@pytest.fixture
def guide_orchard(running: tuple[Site, str]) -> Iterator[Callable[..., None]]:
    """Yield a function that adds functions to the text of Orchard, until the end of the test."""
    builds = running[0].builds
    usual = builds.get("orchard")

    def guiding(**functions: Callable[..., object]) -> None:
        own = Game("orchard", "plain")
        own.text = SimpleNamespace(**{**vars(own.text), **functions})
        builds.switch_to(own)

    yield guiding
    builds.switch_to(usual)


@pytest.fixture
def close_offers(running: tuple[Site, str]) -> Iterator[None]:
    """Close the open tables of the lobby after a test, so that they do not appear in other tests."""
    yield
    site = running[0]
    for shown in site.lobby.current().joinable:
        site.seats.close_table(shown.table.id, shown.table.host)


@pytest.fixture
def open_table(address: str) -> Callable[..., str]:
    """Return a function that opens a table of Orchard for the guest of a page, and goes there."""

    def opening(page: Page, **fields: object) -> str:
        form = {"seat-0": "me", **{name.replace("_", "-"): str(value) for name, value in fields.items()}}
        answer = page.request.post("/games/orchard/tables", form=form, headers={"Origin": address}, max_redirects=0)
        assert answer.status == 303, answer.text()
        page.goto(answer.headers["location"])
        return answer.headers["location"]

    return opening


@pytest.fixture
def open_game(address: str, tables: TableService) -> Callable[..., str]:
    """Return a function that opens a table of two, plays until the first seat is to move, and goes there."""

    def opening(page: Page, name: str, seed: int = 3, hints: int = 0) -> str:
        form = {"seat-0": "me", "seat-1": "friend", "seed": str(seed), **({"hints": "1"} if hints else {})}
        answer = page.request.post(f"/games/{name}/tables", form=form, headers={"Origin": address}, max_redirects=0)
        assert answer.status == 303, answer.text()
        table = answer.headers["location"]
        play_for_others(tables, table)
        page.goto(table)
        settle(page)
        return table

    return opening
