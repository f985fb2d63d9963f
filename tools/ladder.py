"""Plays the ladder of the bots, for docs/results.md: as many matches at a time as there are cores, each on one.

What was played before stays in build/ladder and counts, until the bots change.

    python tools/ladder.py --minutes 30    every pairing may take so long (default: as long as it takes; 0: play nothing
                                         but what is told everything, some minutes, and write the page)

Every row of the page names the command that plays it alone.
"""

import argparse
import os
from concurrent.futures import ThreadPoolExecutor
from functools import partial
from math import inf
from typing import Any

from page import almunia, write

from almunia import game
from almunia.arena.report import shown
from almunia.bots.fingerprint import fingerprint

GAMES = ("alhambra", "oregon", "alpujarras")
SEATS = ("2", "3", "4")
QUICK, PLANNED, SLOW = (1000, 1000), (200, 120), (60, 60)  # plays of a pairing: at two seats, and at more
PAIRS = (
    ("greedy", "random", QUICK),
    ("turn", "greedy", QUICK),
    ("search:500", "greedy", PLANNED),
    ("search:2000", "greedy", PLANNED),
    ("search:8000", "greedy", PLANNED),
    ("search:1s", "greedy", SLOW),
)
PEOPLE = ("orchard", *GAMES)
LEVELS = (("medium", "easy", QUICK), ("hard", "medium", PLANNED), ("expert", "hard", SLOW))
ALONE_PLAYS = 225
ALONE = ("orchard", "search:1s")
TOLD = ("simulate", "orchard", "--bot", "search:300ms,beam=32,candidates=60", "--clairvoyant", "--plays", "200")
HEAD = """\
The first bot takes one seat, the other all the rest, in every seat in turn, on the same deals; it is the stronger one
if its share of wins, a shared win counting in parts, lies above the fair share. Intervals cover 95 % and count a deal
once. As many matches were played at a time as there are cores, each on one; `make ladder` plays on.
"""
TABLE = (
    "| command | plays | wins | 95 % | fair | points ahead | s a choice |\n| --- | --- | --- | --- | --- | --- | --- |"
)


def main() -> None:
    """Play what is asked for, then write the page from all that was played."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=inf)
    minutes = parser.parse_args().minutes
    pairings = [(name, seats, pair) for name in GAMES for seats in SEATS for pair in PAIRS]
    levels = [(name, SEATS[0], pair) for name in PEOPLE for pair in LEVELS]
    with ThreadPoolExecutor(os.cpu_count()) as pool:
        solo = pool.submit(lambda: [alone(minutes), told()])
        rows = [pool.submit(partial(row, minutes=minutes), *asked) for asked in pairings + levels]
    table = [future.result() for future in rows]
    parts = [HEAD, TABLE, *table[: len(pairings)], "\nLevels for people, two at a table:\n", TABLE]
    write("Ladder", "\n".join([*parts, *table[len(pairings) :], "\nAlone:\n", *solo.result()]))


def row(name: str, seats: str, pair: tuple[str, str, tuple[int, int]], minutes: float) -> str:
    """A pairing as a row of the table, played as far as its minutes allow."""
    stronger, weaker, plays = pair
    command, found = match(name, seats, stronger, ("--against", weaker), plays[seats != SEATS[0]], minutes)
    ahead, low, high = (shown(number, "+.1f") for number in found["ahead"])
    return (
        f"| {command} | {found['plays']:,} | {found['win_rate']:.1%} "
        f"| {found['low']:.1%} to {found['high']:.1%} | {found['fair']:.1%} "
        f"| {ahead} ({low} to {high}) | {found['seconds']:.3f} |"
    )


def alone(minutes: float) -> str:
    """What a bot reaches alone, as an item, played as far as its minutes allow."""
    name, bot = ALONE
    command, found = match(name, "1", bot, (), ALONE_PLAYS, minutes)
    mean, low, high = (shown(number, ".2f") for number in found["points"])
    return f"- {command}: mean {mean} ({low} to {high}) of {found['plays']:,} plays, {found['seconds']:.3f} s a choice"


def match(
    name: str, seats: str, bot: str, against: tuple[str, ...], plays: int, minutes: float
) -> tuple[str, dict[str, Any]]:
    """The command that plays a pairing, and what came of that and of all it had played before."""
    words = ["match", name, "--seats", seats, "--bot", bot, *against]
    words += ["--deals", str(plays // int(seats))]
    pairing = "-".join([name, seats, bot, *against[1:]]).replace(":", "-")
    folder = f"build/ladder/{fingerprint(game(name))}/{pairing}"  # other bots begin anew
    limit = [] if minutes == inf else ["--minutes", f"{minutes:g}"]
    (found,) = almunia(*words, *limit, "--threads", "1", "--folder", folder, "--json")["pairings"]
    return f"`almunia {' '.join(words)}`", found


def told() -> str:
    """What a bot reaches that is told everything, as an item."""
    (found,) = almunia(*TOLD, "--json")["seats"]
    reach = 1.96 * found["sd"] / int(TOLD[-1]) ** 0.5
    return f"- `almunia {' '.join(TOLD)}`: mean {found['mean']:.2f} (+- {reach:.2f})"


if __name__ == "__main__":
    main()
