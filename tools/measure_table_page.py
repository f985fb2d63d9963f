"""Measure the table page of a running site as a player meets it, and print JSON.

    python -m tools.measure_table_page http://127.0.0.1:8000 > now.json    add names of games to measure only those
    python -m tools.measure_table_page --clicks http://127.0.0.1:8000         only the clicks of a whole game by mouse
    python -m tools.measure_table_page --compare before.json now.json      write the section Table of docs/results.md

It needs little of the page: targets have data-action, the bar is #question, the main picture #board. So it can measure
old versions of the site too. Run nothing else meanwhile, and allow many requests (ALMUNIA_RATE_LIMIT=10000/minute).
"""

import json
import shutil
import sys
from collections.abc import Iterator
from itertools import pairwise
from pathlib import Path
from statistics import median
from time import sleep
from typing import Any

from playwright.sync_api import Browser, sync_playwright

import almunia
from tools.builtin_games import builtin_games
from tools.page_player import Player
from tools.results_page import write

PHONE_DECISIONS, OTHERS_DECISIONS = 20, 6  # decisions that are measured on a phone, and while others move
SAME_CHANGE_MS = 100  # changes within this time count as one picture
WINDOWS = ((1280, 800), (1920, 1080), (768, 1024))
SLOW_NETWORK = {"offline": False, "latency": 2000, "downloadThroughput": -1, "uploadThroughput": -1}

Figures = Iterator[tuple[str, Any]]


def measure_game(browser: Browser, address: str, game: str) -> Figures:
    """Yield all figures of a game: name and value."""
    fewest, most = almunia.game(game).meta.seats
    few = max(2, fewest)
    for seats in sorted({few, most}):
        for window in WINDOWS:
            yield from first_screen(browser, address, game, seats, window)
    yield from by_mouse(browser, address, game, few)
    yield from by_finger(browser, address, game, few)
    yield from others_moves(browser, address, game, most)
    yield from pages(browser, address, game)


def first_screen(browser: Browser, address: str, game: str, seats: int, window: tuple[int, int]) -> Figures:
    """Yield what is visible at first, and the size of its letters."""
    player = Player(browser, address, *window, pace="off")
    player.sit_down(game, seats)
    looks, title = player.ask("looks"), f"{seats} seats, {window[0]} x {window[1]}"
    player.context.close()
    yield f"{title}: not wholly seen", looks["beyond"]
    if window == WINDOWS[0]:
        yield f"{title}: smallest letters (px)", round(looks["least"], 1)
        yield f"{title}: texts under 12 px", looks["small"]
    if window == WINDOWS[1]:
        yield f"{title}: width used (%)", round(100 * looks["wide"])


def by_mouse(browser: Browser, address: str, game: str, seats: int) -> Figures:
    """Yield the figures of a full play at 1280 x 800, with default preferences, and one without confirming."""
    for title, preferences in (("as it is set", {}), ("confirming never", {"confirm": "never"})):
        player = Player(browser, address, *WINDOWS[0], pace="off", **preferences)
        player.sit_down(game, seats)
        states = [player.ask("state")]
        while player.decide():
            states.append(player.ask("state"))
        yield f"clicks a turn, {title}", round(player.presses / player.turns(), 2)
        yield f"clicks a decision, {title}", round(player.presses / player.decisions, 2)
        player.context.close()
        if not preferences:
            yield "heights of the bar", len({state["bar"] for state in states})
            yield "moves of the board", sum(one["board"] != two["board"] for one, two in pairwise(states))
            yield "targets that show a number (%)", share(states, "gains", "targets")
            yield "targets that earn points, and show how many (%)", share(states, "told", "earning")


def share(states: list[dict[str, int]], part: str, whole: str) -> int | None:
    """Return which percentage of `whole` is `part`, summed over the states; None if there is none."""
    total = sum(state[whole] for state in states)
    return round(100 * sum(state[part] for state in states) / total) if total else None


def by_finger(browser: Browser, address: str, game: str, seats: int) -> Figures:
    """Yield the figures of the first decisions on a phone, at 360 x 740."""
    player = Player(browser, address, 360, 740, pace="off")
    player.sit_down(game, seats)
    states = [player.ask("state")]
    while player.decisions < PHONE_DECISIONS and player.decide():
        states.append(player.ask("state"))
    player.context.close()
    yield "phone: smallest target (px)", round(min(state["least"] for state in states if state["least"]), 1)
    yield (
        "phone: decisions with the bar at the foot (%)",
        round(100 * sum(one["foot"] <= 1 for one in states) / len(states)),
    )
    yield "phone: height of the bar (px, median)", median(state["bar"] for state in states)
    yield "phone: taps a decision", round(player.presses / player.decisions, 2)
    yield "phone: scrolls a decision", round(player.scrolls / player.decisions, 2)


def others_moves(browser: Browser, address: str, game: str, seats: int) -> Figures:
    """Yield how bots' moves are shown, and how the page answers clicks."""
    player = Player(browser, address, *WINDOWS[0])
    player.sit_down(game, seats)
    player.ask("watch")
    gaps: list[float] = []
    while player.decisions < OTHERS_DECISIONS and player.decide():
        gaps += [later - sooner for sooner, later in pairwise(player.ask("taken")) if later - sooner > SAME_CHANGE_MS]
    yield "between two pictures while bots move (ms, median)", round(median(gaps)) if gaps else None
    yield "others' moves can be seen again", player.has("text=Last moves")
    yield "a wrong place is answered with its paragraph", wrong_place(player)
    yield "a click shows at once that it was taken", shows_taking(player)
    player.context.close()


def wrong_place(player: Player) -> bool:
    """Return whether one of some clicks outside all targets is answered."""
    box = player.page.locator("#board").bounding_box()
    assert box
    for _ in range(40):
        share = player.rng.uniform(0.05, 0.95), player.rng.uniform(0.05, 0.95)
        x, y = box["x"] + box["width"] * share[0], box["y"] + box["height"] * share[1]
        if player.ask("free", [x, y]):
            player.page.mouse.click(x, y)
            sleep(0.2)
        if player.has("#why a"):
            player.page.keyboard.press("Escape")
            return True
    return False


def shows_taking(player: Player) -> bool:
    """Return whether the page changes within half a second of a click, if the answer takes two seconds."""
    player.page.emulate_media(reduced_motion="reduce")
    player.wait()
    player.keeps_screenshots = True
    player.context.new_cdp_session(player.page).send("Network.emulateNetworkConditions", SLOW_NETWORK)
    player.choose()
    sleep(0.5)
    return bool(player.page.screenshot() != player.screenshot_before)


def pages(browser: Browser, address: str, game: str) -> Figures:
    """Yield what there is to learn from, and the number of preferences."""
    page = browser.new_page(base_url=address)
    page.goto(f"/games/{game}")
    yield "a first game that teaches", page.get_by_text("Learn by playing").count() > 0
    page.goto(f"/games/{game}/rules")
    yield "drawn examples on the page of the rules", page.locator("figure svg").count()
    answer = page.goto("/preferences")
    yield "preferences", page.locator("fieldset legend").count() if answer and answer.ok else 0
    page.close()


def compare(before: dict[str, Any], now: dict[str, Any]) -> Iterator[str]:
    """Yield two measurements side by side, a table for each game."""
    yield (
        "`python -m tools.measure_table_page ADDRESS` at a site before its table was rebuilt (2026-11-23), and now. "
        "The player takes the suggestion, or one of the first moves of the list, against easy bots. Other programs ran "
        "meanwhile, which matters only for the time between two pictures: the time between changes of the board.\n"
    )
    for game, figures in now.items():
        yield f"### {game}, its table\n\n| what | before | now |\n| --- | --- | --- |"
        yield from (
            f"| {what} | {format_value(before.get(game, {}).get(what))} | {format_value(value)} |"
            for what, value in figures.items()
        )
        yield ""


def format_value(value: Any) -> str:
    """Return a figure as text."""
    match value:
        case None:
            return "none"
        case bool():
            return "yes" if value else "no"
        case list():
            return ", ".join(value) or "nothing"
        case _:
            return str(value)


def main() -> None:
    """Measure, or write the measurements into the page."""
    if sys.argv[1:2] == ["--compare"]:
        before, now = (json.loads(Path(name).read_text("utf-8")) for name in sys.argv[2:4])
        write("Table", "\n".join(compare(before, now)))
        return
    clicks_only = sys.argv[1:2] == ["--clicks"]
    address, *games = sys.argv[1 + clicks_only :]
    figures = {}
    with sync_playwright() as playwright:
        browser = playwright.chromium.launch(executable_path=shutil.which("chromium"), args=["--no-sandbox"])
        for game in games or [meta.name for meta in builtin_games()]:
            fewest = max(2, almunia.game(game).meta.seats[0])
            found = by_mouse(browser, address, game, fewest) if clicks_only else measure_game(browser, address, game)
            figures[game] = dict(found)
            print(f"{game} is measured.", file=sys.stderr)
    print(json.dumps(figures, indent=2))


if __name__ == "__main__":
    main()
