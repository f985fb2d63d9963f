"""Plays the ladder of the bots, for docs/results.md.

What was played before stays in build/ladder and counts, until the bots change.

    python tools/ladder.py --minutes 30    every pairing may take so long (default: 5; 0: play nothing but what is told
                                         everything, some minutes, and write the page)

Every row of the page names the command that plays it alone.
"""

import argparse
from typing import Any

from page import almunia, write

from almunia import game
from almunia.arena.report import shown
from almunia.bots.fingerprint import fingerprint

GAMES = ("alhambra", "oregon", "alpujarras")
SEATS = ("2", "3", "4")
PAIRS = (
    ("greedy", "random"),
    ("search:100ms", "greedy"),
    ("search:300ms", "greedy"),
    ("search:1s", "greedy"),
)
LEVELS = (("medium", "easy"), ("hard", "medium"), ("expert", "hard"))
PLAYS = 1000  # of a pairing, or as many as its minutes allow
ALONE = ("orchard", "search:1s")
TOLD = ("simulate", "orchard", "--bot", "search:300ms,beam=32,candidates=60", "--clairvoyant", "--plays", "200")
HEAD = f"""\
The first bot takes one seat, the other all the rest, in every seat in turn, on the same deals; it is the stronger one
if its share of wins, a shared win counting in parts, lies above the fair share. Intervals cover 95 % and count a deal
once. Each pairing is to play {PLAYS:,} times; the slow ones have come as far as there was time, on one core each, and
`make ladder MINUTES=30` plays on.
"""
TABLE = (
    "| command | plays | wins | 95 % | fair | points ahead | s a choice |\n| --- | --- | --- | --- | --- | --- | --- |"
)


def main() -> None:
    """Play what is asked for, then write the page from all that was played."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--minutes", type=float, default=5.0)
    minutes = parser.parse_args().minutes
    rows = [row(name, seats, pair, minutes) for name in GAMES for seats in SEATS for pair in PAIRS]
    levels = [row(name, SEATS[0], pair, minutes) for name in GAMES for pair in LEVELS]
    parts = [HEAD, TABLE, *rows, "\nLevels for people, two at a table:\n", TABLE, *levels]
    write("Ladder", "\n".join([*parts, "\nAlone:\n", alone(minutes), told()]))


def row(name: str, seats: str, pair: tuple[str, str], minutes: float) -> str:
    """A pairing as a row of the table, played as far as its minutes allow."""
    command, found = match(name, seats, pair[0], ("--against", pair[1]), minutes)
    ahead, low, high = (shown(number, "+.1f") for number in found["ahead"])
    return (
        f"| {command} | {found['plays']:,} | {found['win_rate']:.1%} "
        f"| {found['low']:.1%} to {found['high']:.1%} | {found['fair']:.1%} "
        f"| {ahead} ({low} to {high}) | {found['seconds']:.3f} |"
    )


def alone(minutes: float) -> str:
    """What a bot reaches alone, as an item, played as far as its minutes allow."""
    name, bot = ALONE
    command, found = match(name, "1", bot, (), minutes)
    mean, low, high = (shown(number, ".2f") for number in found["points"])
    return f"- {command}: mean {mean} ({low} to {high}) of {found['plays']:,} plays, {found['seconds']:.3f} s a choice"


def match(name: str, seats: str, bot: str, against: tuple[str, ...], minutes: float) -> tuple[str, dict[str, Any]]:
    """The command that plays a pairing, and what came of that and of all it had played before."""
    words = ["match", name, "--seats", seats, "--bot", bot, *against]
    words += ["--deals", str(PLAYS // int(seats))]
    pairing = "-".join([name, seats, bot, *against[1:]]).replace(":", "-")
    folder = f"build/ladder/{fingerprint(game(name))}/{pairing}"  # other bots begin anew
    (found,) = almunia(*words, "--minutes", f"{minutes:g}", "--folder", folder, "--json")["pairings"]
    return f"`almunia {' '.join(words)}`", found


def told() -> str:
    """What a bot reaches that is told everything, as an item."""
    (found,) = almunia(*TOLD, "--json")["seats"]
    reach = 1.96 * found["sd"] / int(TOLD[-1]) ** 0.5
    return f"- `almunia {' '.join(TOLD)}`: mean {found['mean']:.2f} (+- {reach:.2f})"


if __name__ == "__main__":
    main()
