"""A player at a table's page in a browser, who counts clicks and decisions.

A decision is an answer to a question with at least two choices. A click on an only choice counts, but decides nothing.
"""

import random
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Locator, Page

from almunia.library import new_from_record
from almunia.play.record import Record

MEASURE_SCRIPT = Path(__file__).with_name("page_player.js")
SEED = "7"
TIMEOUT_MS = 60_000
CLICK_TIMEOUT_MS = 3000  # for a click to reach its target
# The page shows the last event of the stream (static/table-stream.js).
SETTLED_SELECTOR = "main[data-stream=open][data-settled]"
ANIMATIONS_ENDED = """() => document.getAnimations().every(
    (one) => one.playState !== "running" || one.effect.getComputedTiming().iterations === Infinity)"""
DIALOG_SELECTOR = "dialog[open]"
MAX_SCORINGS = 5  # shown one after another
MAX_PHONE_WIDTH = 500  # pixels
IS_CLICKABLE = "one => getComputedStyle(one).pointerEvents !== 'none'"


class Player:
    """A guest at a page, who takes the suggestion, or else one of the first moves of the list."""

    def __init__(self, browser: Browser, address: str, width: int, height: int, **preferences: str) -> None:
        self.is_phone = width < MAX_PHONE_WIDTH
        self.context = browser.new_context(
            base_url=address,
            viewport={"width": width, "height": height},
            has_touch=self.is_phone,
            is_mobile=self.is_phone,
        )
        self.address, self.rng = address, random.Random(SEED)
        self.presses = self.scrolls = self.decisions = 0
        self.keeps_screenshots, self.screenshot_before = False, b""  # the page before the last click, if kept
        self.context.add_init_script(path=MEASURE_SCRIPT)
        self.page: Page = self.context.new_page()
        self.page.request.post("/preferences", form={"back": "/", **preferences}, headers={"Origin": address})

    def sit_down(self, game: str, seats: int) -> None:
        """Open a table with bots, and go there."""
        form = {"seat-0": "me", **{f"seat-{seat}": "bot-easy" for seat in range(1, seats)}, "seed": SEED, "hints": "1"}
        where = f"/games/{game}/tables"
        answer = self.page.request.post(where, form=form, headers={"Origin": self.address}, max_redirects=0)
        self.page.goto(answer.headers["location"])
        self.wait()

    def ask(self, what: str, *words: Any) -> Any:
        """Call a function of the measuring script in the page, and return its result."""
        return self.page.evaluate(f"(given) => measure.{what}(given)", *words)

    def has(self, what: str) -> bool:
        """Return whether an element is there and visible."""
        return self.page.locator(what).first.is_visible()

    @property
    def seen_version(self) -> str | None:
        """The version of the play that the page shows."""
        return self.page.get_attribute("#table", "data-seen")

    def reach(self, *places: str) -> None:
        """Wait until one of these is there, or a scoring covers the page."""
        self.page.wait_for_selector(", ".join([DIALOG_SELECTOR, *places]), state="attached", timeout=TIMEOUT_MS)

    def wait(self) -> bool:
        """Wait until there is something to choose. Return False at the end of the play."""
        places = [f"{SETTLED_SELECTOR} {what}" for what in (".finale", "#choices")]
        for _ in range(MAX_SCORINGS):
            self.reach(*places)
            if not self.has(DIALOG_SELECTOR):
                self.page.wait_for_function(ANIMATIONS_ENDED)
                return not self.has(".finale")
            self.page.keyboard.press("Escape")  # a scoring, which stays until it is closed
        raise TimeoutError(f"nothing to choose at {self.page.url} after {self.decisions} decisions")

    # --- choosing --------------------------------------------------------------------------

    def decide(self) -> bool:
        """Make one decision, with as many clicks as it takes. Return False once the play is over."""
        old_version = self.seen_version
        self.decisions += self.page.locator("#choices button[name=action]").count() > 1
        self.choose()
        self.reach(SETTLED_SELECTOR)  # the page has changed, or asks to confirm
        for confirmation in ("#choose .course[aria-pressed=true]", "#play-it:enabled"):
            if self.seen_version == old_version and self.has(confirmation):
                with suppress(Error):  # the page may change at this moment
                    self.press(self.page.locator(confirmation))
                break
        return self.wait()

    def choose(self) -> None:
        """Take the whole suggestion, or else one of the first moves."""
        course = self.page.locator("#choose .course")
        if course.count():
            return self.press(course)
        choice = self.ask("one", self.rng.random())
        target = f'svg [data-action="{choice["action"]}"]:not(.away)'
        for name, value, words in choice["parts"]:
            part = self.page.locator(f'svg [data-part="{name}"][data-value="{value}"]:not([aria-pressed=true])')
            labelled = self.page.locator("#choose button").filter(has_text=words)
            for place in (part, *[labelled] * 3):  # a card may have to be turned three times
                if not self.page.locator(target).count() and place.count() and place.first.evaluate(IS_CLICKABLE):
                    with suppress(Error):  # a small target may be covered by a larger one
                        self.press(place)
        button = f'#choose [data-choice="{choice["action"]}"]'
        candidates = (button, target) if self.is_phone else (target, button)
        for place in (*candidates, "#play-it:enabled"):
            if self.page.locator(place).count():
                return self.press(self.page.locator(place))
        self.presses += 1  # no picture offers the move, but the list of moves does
        return self.page.locator(f'#choices button[value="{choice["action"]}"]').first.dispatch_event("click")

    def press(self, what: Locator) -> None:
        """Click or tap, after a scroll if needed."""
        what = what.first
        self.open_tab(what)
        old_scroll = self.page.evaluate("scrollY")
        what.scroll_into_view_if_needed()
        self.scrolls += self.page.evaluate("scrollY") != old_scroll
        self.presses += 1
        if self.is_phone:
            return what.tap(timeout=CLICK_TIMEOUT_MS)
        what.hover()
        if self.keeps_screenshots:
            self.screenshot_before = self.page.screenshot()
        return what.click()

    def open_tab(self, what: Locator) -> None:
        """On a phone, open the tab that contains an element."""
        for tab in self.page.locator(".tabs label").all():
            if not what.is_visible() and tab.is_visible():
                tab.tap()
                self.presses += 1

    # --- counts ----------------------------------------------------------------------------

    def turns(self) -> int:
        """Return the number of turns of the first seat, from the record of the play."""
        return turns_of(Record.parse(self.page.request.get(self.page.url.split("?")[0] + "/record").text()))


def turns_of(record: Record) -> int:
    """Return the number of turns of the first seat in which it had a choice.

    A turn ends with a turn of the game, or when another seat acts: in some games a turn is a round of all seats.
    """
    play, turns, others_actions = new_from_record(record, "plain"), set[tuple[int, int]](), 0
    for seat, words in record.actions:
        others_actions += seat != 0
        if seat == 0 and len(play.legal_actions) > 1:
            turns.add((play.turns, others_actions))
        play.apply(play.string_to_action(words))
    return len(turns)
