"""Somebody who plays at a table's page in a browser, and counts what it takes."""

import random
from contextlib import suppress
from pathlib import Path
from typing import Any

from playwright.sync_api import Browser, Error, Locator, Page

from almunia.core.game import new_from_record
from almunia.core.record import Record

SCRIPT = Path(__file__).with_name("table.js")
SEED = "7"
PATIENCE = 60_000  # milliseconds
SOON = 3000  # milliseconds in which a press must reach what it is meant for
SETTLED = "main[data-stream=open][data-settled]"  # the page shows what the stream said last (static/live.js)
MOVING = """() => document.getAnimations().every(
    (one) => one.playState !== "running" || one.effect.getComputedTiming().iterations === Infinity)"""
DIALOG = "dialog[open]"
SHEETS = 5  # scorings at most that are shown one after the other
PHONE = 500  # pixels
PRESSABLE = "one => getComputedStyle(one).pointerEvents !== 'none'"


class Player:
    """A guest at a page, who takes what is proposed, or else one of the first moves of the list."""

    def __init__(self, browser: Browser, address: str, width: int, height: int, **preferences: str) -> None:
        self.finger = width < PHONE
        self.context = browser.new_context(
            base_url=address,
            viewport={"width": width, "height": height},
            has_touch=self.finger,
            is_mobile=self.finger,
        )
        self.address, self.luck = address, random.Random(SEED)
        self.presses = self.scrolls = self.decisions = 0
        self.careful, self.before = False, b""  # what the page looked like before the last click, if that matters
        self.context.add_init_script(path=SCRIPT)
        self.page: Page = self.context.new_page()
        self.page.request.post("/me", form={"back": "/", **preferences}, headers={"Origin": address})

    def sit_down(self, game: str, seats: int) -> None:
        """Open a table with bots."""
        form = {"seat-0": "me", **{f"seat-{seat}": "bot-easy" for seat in range(1, seats)}, "seed": SEED, "hints": "1"}
        where = f"/games/{game}/tables"
        answer = self.page.request.post(where, form=form, headers={"Origin": self.address}, max_redirects=0)
        self.page.goto(answer.headers["location"])
        self.wait()

    def ask(self, what: str, *words: Any) -> Any:
        """What a function of the script says of the page."""
        return self.page.evaluate(f"(given) => measure.{what}(given)", *words)

    def has(self, what: str) -> bool:
        """Is it there, and not hidden?"""
        return self.page.locator(what).first.is_visible()

    @property
    def seen(self) -> str | None:
        """How much of the play the page shows."""
        return self.page.get_attribute("#table", "data-seen")

    def reach(self, *places: str) -> None:
        """Wait until one of these is there, or a scoring lies over the page."""
        self.page.wait_for_selector(", ".join([DIALOG, *places]), state="attached", timeout=PATIENCE)

    def wait(self) -> bool:
        """Wait until there is something to choose, and return True, or False at the end of the play."""
        places = [f"{SETTLED} {what}" for what in (".finale", "#choices")]
        for _ in range(SHEETS):
            self.reach(*places)
            if not self.has(DIALOG):
                self.page.wait_for_function(MOVING)
                return not self.has(".finale")
            self.page.keyboard.press("Escape")  # a scoring, which waits for its reader
        raise TimeoutError(f"nothing to choose at {self.page.url} after {self.decisions} decisions")

    # --- choosing --------------------------------------------------------------------------

    def decide(self) -> bool:
        """One decision, however many presses it takes; False once the play is over."""
        past = self.seen
        self.decisions += 1
        self.choose()
        self.reach(SETTLED)  # the answer has come, or the page asks whether it is meant
        for again in ("#choose .course[aria-pressed=true]", "#play-it:enabled"):
            if self.seen == past and self.has(again):
                with suppress(Error):  # the answer may come just now
                    self.press(self.page.locator(again))
                break
        return self.wait()

    def choose(self) -> None:
        """What is proposed whole, or else one of the first moves."""
        course = self.page.locator("#choose .course")
        if course.count():
            return self.press(course)
        wanted = self.ask("one", self.luck.random())
        target = f'svg [data-action="{wanted["action"]}"]:not(.away)'
        for name, value, words in wanted["parts"]:
            part = self.page.locator(f'svg [data-part="{name}"][data-value="{value}"]:not([aria-pressed=true])')
            written = self.page.locator("#choose button").filter(has_text=words)
            for place in (part, *[written] * 3):  # a card may have to be turned three times
                if not self.page.locator(target).count() and place.count() and place.first.evaluate(PRESSABLE):
                    with suppress(Error):  # a small one may be covered by what is large enough
                        self.press(place)
        button = f'#choose [data-choice="{wanted["action"]}"]'
        within_reach = (button, target) if self.finger else (target, button)
        for place in (*within_reach, "#play-it:enabled"):
            if self.page.locator(place).count():
                return self.press(self.page.locator(place))
        self.presses += 1  # no picture leads there: the list of moves does
        return self.page.locator(f'#choices button[value="{wanted["action"]}"]').first.dispatch_event("click")

    def press(self, what: Locator) -> None:
        """A click, or a tap, after a scroll if one is needed."""
        what = what.first
        self.open_tab(what)
        before = self.page.evaluate("scrollY")
        what.scroll_into_view_if_needed()
        self.scrolls += self.page.evaluate("scrollY") != before
        self.presses += 1
        if self.finger:
            return what.tap(timeout=SOON)
        what.hover()
        if self.careful:
            self.before = self.page.screenshot()
        return what.click()

    def open_tab(self, what: Locator) -> None:
        """On a phone, the tab in which something lies."""
        for tab in self.page.locator(".tabs label").all():
            if not what.is_visible() and tab.is_visible():
                tab.tap()
                self.presses += 1

    # --- what it took ----------------------------------------------------------------------

    def turns(self) -> int:
        """How many turns the first seat has had, as the record of the play tells."""
        return turns_of(Record.parse(self.page.request.get(self.page.url.split("?")[0] + "/record").text()))


def turns_of(record: Record) -> int:
    """How many turns the first seat has had in a play, of those in which it had something to choose.

    One ends with a turn of the game, and when somebody else acts: in some games a turn is a round of all seats.
    """
    play, found, others = new_from_record(record, "plain"), set[tuple[int, int]](), 0
    for seat, words in record.actions:
        others += seat != 0
        if seat == 0 and len(play.legal) > 1:
            found.add((play.turns, others))
        play.apply(play.hear(words))
    return len(found)
