"""Two browsers, a phone, a program and two bots play at one table, while the site is killed and restarted.

The site runs in another process. The option `--together` has the names of the games, or `all`. A game with fewer seats
leaves out the last players in SITTERS.
"""

import os
from collections import Counter
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path
from random import Random
from threading import Thread
from typing import Any

import pytest
from playwright.sync_api import Browser, Page, expect

from almunia import catalog
from almunia.client import Client, Position
from almunia.library import replay
from almunia.play.record import Record

from ..serving import await_answers, free_port, serve
from .conftest import AT_ONCE

pytestmark = [pytest.mark.browser, pytest.mark.slow, pytest.mark.exhaustive]

LOOKS = 1_000_000  # for each page, some milliseconds for all pages; more than any game needs, so only a hang reaches it
WHOLE = 6  # seats, at most
ACTS = 12  # of people, before the site is killed
TRIES = 6  # on the pictures and in the bar, before a move is chosen from the list
PHONE = {"viewport": {"width": 360, "height": 740}, "has_touch": True, "is_mobile": True}
SITTERS = ("me", "friend", "friend", "bot-easy", "friend", "bot-medium")  # the third one is a program
NAMES = ("Ana", "Phoebe", "Robot", "Easy bot", "Bea", "Medium bot")
STATE = """() => {
    const table = document.querySelector("#table");
    return {
        seen: Number(table.dataset.seen),
        over: Boolean(table.querySelector(".finale")),
        due: Boolean(table.querySelector(".question.yours")),
        busy: table.matches(".htmx-request, .htmx-settling, .htmx-swapping"),
        dialog: Boolean(document.querySelector("dialog[open]")),
        wide: document.documentElement.scrollWidth > document.documentElement.clientWidth,
    };
}"""
CHOICES = """() => {
    const places = "svg [data-action]:not(.away), [data-part]:not([aria-pressed='true'])";
    const within = (one) => {
        const { x, y, width, height } = one.getBoundingClientRect();
        const [left, top] = [x + width / 2, y + height / 2];
        const there = document.elementFromPoint(left, top);
        return width && there && (one.contains(there) || there.contains(one)) ? [left, top] : null;
    };
    const shown = (names) => [...document.querySelectorAll(names)].filter((one) => one.checkVisibility());
    const found = (names) => shown(names).map(within).filter(Boolean);
    return {
        places: found(places),
        buttons: found("#choose button:enabled"),
        tabs: found(".tabs label"),
        play: found("#play-it:enabled"),
        dialog: found("dialog[open] button"),
    };
}"""

LISTED = """share => {
    const all = document.querySelectorAll("#choices button[name=action]");
    all[Math.floor(share * all.length)]?.click();
}"""


class Sitter:
    """A player with a browser, who clicks or taps what the page shows."""

    def __init__(self, page: Page, rng: Random, *, touch: bool) -> None:
        self.page, self.rng, self.touch = page, rng, touch
        self.ways: Counter[str] = Counter()  # how many moves were made in which way
        self.wrong: list[str] = []
        self._tries, self._seen, self._way = 0, -1, ""
        page.on("pageerror", lambda error: self.wrong.append(str(error)))

    def come_to(self, table: str) -> None:
        """Open a table, and mark the page to notice a reload."""
        self.page.goto(table)
        self.page.evaluate("window.cameOnce = true")

    def look(self) -> bool:
        """Make a move if one is due, and return whether the game goes on."""
        state = self.page.evaluate(STATE)
        assert not state["wide"], "the page is wider than its window"
        if state["dialog"]:
            self._point_at_first("dialog")
        elif state["due"] and not state["busy"]:
            if state["seen"] != self._seen:
                if self._way:
                    self.ways[self._way] += 1
                self._tries, self._seen = 0, state["seen"]
            self._try()
        return not state["over"]

    def _try(self) -> None:
        """Click a choice on a picture or in the bar, or after some tries an entry of the list of moves."""
        self._tries += 1
        if self._tries > TRIES:
            self._way = "list"
            self.page.evaluate(LISTED, self.rng.random())  # also if the list is on another tab
            return
        shown = self.page.evaluate(CHOICES)
        self._way = "picture" if shown["places"] and (not shown["buttons"] or self._tries % 2) else "bar"
        choices = shown["places"] if self._way == "picture" else shown["buttons"] or shown["tabs"]
        if choices:
            self._point(*self.rng.choice(choices))
        if self.touch and self._way == "picture":
            self._point_at_first("play")

    def _point_at_first(self, what: str) -> None:
        """Click the first of these elements, at its present position."""
        for x, y in self.page.evaluate(CHOICES)[what][:1]:
            self._point(x, y)

    def _point(self, x: float, y: float) -> None:
        if self.touch:
            self.page.touchscreen.tap(x, y)
        else:
            self.page.mouse.click(x, y)


class Site:
    """The process of `almunia serve`, which can be killed."""

    def __init__(self, folder: Path) -> None:
        self._folder, self.port = folder, free_port()
        self.address = f"http://127.0.0.1:{self.port}"

    def start(self) -> None:
        self._process = serve(self.port, self._folder, env={**os.environ, "ALMUNIA_RATE_LIMIT": "1000000/minute"})
        await_answers(self.port, self._process)

    def kill(self) -> None:
        self._process.kill()
        self._process.wait()


@pytest.fixture
def site(tmp_path: Path) -> Iterator[Site]:
    found = Site(tmp_path)
    try:
        found.start()
        yield found
    finally:
        found.kill()


@contextmanager
def coming(browser: Browser, site: Site, name: str, rng: Random, **settings: Any) -> Iterator[Sitter]:
    """Open a new browser context for a guest, and yield its player."""
    context = browser.new_context(base_url=site.address, **settings)
    context.request.post("/preferences", form={**AT_ONCE, "name": name}, headers={"Origin": site.address})
    yield Sitter(context.new_page(), rng, touch="has_touch" in settings)
    context.close()


def sat_down(sitter: Sitter, invitation: str) -> None:
    """Take a seat by an invitation."""
    sitter.page.goto(invitation)
    sitter.page.get_by_role("button", name="Sit down").click()
    expect(sitter.page.locator("#table")).to_be_visible(timeout=60_000)


def token_for(browser: Browser, site: Site) -> str:
    """Create a token on the page of the site, and return it."""
    with coming(browser, site, "Robot", Random(0)) as maker:
        maker.page.goto("/api-tokens")
        maker.page.get_by_label("Name of the program").fill("A program")
        maker.page.get_by_role("button", name="Make a token").click()
        return maker.page.locator("#made").input_value()


def chooser(rng: Random, made: list[int]) -> Callable[[Position], Any]:
    """Return a bot that chooses actions or sequences at random, and adds the `seen` of each choice to `made`."""

    def choose(position: Position) -> Any:
        made.append(position.seen)
        return rng.choice([*position.legal, *position.courses])

    return choose


def opened(ana: Sitter, site: Site, game: str, seats: int) -> tuple[str, list[str]]:
    """Open a table, and return its path and the invitations to its open seats."""
    form = {f"seat-{number}": who for number, who in enumerate(SITTERS[:seats])} | {"seed": "7"}
    answer = ana.page.request.post(
        f"/games/{game}/tables", form=form, headers={"Origin": site.address}, max_redirects=0
    )
    assert answer.status == 303, answer.text()
    ana.come_to(answer.headers["location"])
    links = [field.input_value() for field in ana.page.locator(".invite input").all()]
    return answer.headers["location"], links


def test_people_programs_and_bots_play_a_whole_game_at_one_table(together, browser, site):
    seats = min(WHOLE, catalog.meta(together).seats[1])
    rng, made, ends = Random(11), [], []
    token = token_for(browser, site)
    with (
        coming(browser, site, "Ana", rng, viewport={"width": 1280, "height": 800}) as ana,
        coming(browser, site, "Phoebe", rng, **PHONE) as phoebe,
        coming(browser, site, "Bea", rng, viewport={"width": 1280, "height": 800}) as bea,
        Client(site.address, token, retry_seconds=60) as program,
    ):
        table, links = opened(ana, site, together, seats)
        name = program.join(links[1], "Robot").table
        people = [ana, phoebe, bea][: len(links)]
        for sitter, link in zip(people[1:], links[::2], strict=True):
            sat_down(sitter, link)
            sitter.come_to(table)
        player = Thread(target=lambda: ends.append(program.play(chooser(rng, made), name)), daemon=True)
        player.start()
        play(site, people, player, made)
        player.join(60)
        assert ends[0].finished
        assert [seat.name for seat in program.table(name).seats] == list(NAMES[:seats])
        record = Record.parse(program.record(name))
        assert replay(record, build="plain").over
        print(f"{together}: {seats} seats, {len(record.actions)} actions, {[dict(sitter.ways) for sitter in people]}")
        for sitter in people:
            assert sitter.wrong == []
            assert sitter.page.evaluate("window.cameOnce"), "a page was loaded anew"
            assert sitter.ways["picture"], sitter.ways
            assert sitter.page.request.get(f"{table}/record").text() == str(record)


def play(site: Site, people: list[Sitter], player: Thread, made: list[int]) -> None:
    """Play until all players see the end, and kill the site once during the game."""
    killed = False
    for _ in range(LOOKS):
        going = [sitter.look() for sitter in people].count(True) > 0
        if not going:
            break
        assert player.is_alive() or killed, "the program has given up"
        if not killed and made and sum(sitter.ways.total() for sitter in people) >= ACTS:
            site.kill()
            for sitter in people:
                sitter.look()
            for sitter in people:  # until all pages have lost the connection, some with a request under way
                expect(sitter.page.locator("#table")).to_have_attribute("data-stream", "closed")
            site.start()
            killed = True
    assert not going, f"the game does not end: {[sitter.ways for sitter in people]}"
    assert killed
