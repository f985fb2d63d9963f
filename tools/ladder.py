"""Plays the ladder of the bots, for docs/results.md: as many matches at a time as there are cores, each on one.

    python -m tools.ladder                         every pairing of every game: some hours
    python -m tools.ladder --games orchard oregon  these games alone; --seats 2 and --bots search:1s choose further
    python -m tools.ladder --minutes 30            every pairing may take so long; a later run goes on from there

The page has a part for each game. A row stays there until its pairing is played further or the bots of its game
choose otherwise; every row names the command that plays it alone. What was played is kept in build/ladder as well,
where a match goes on as long as no code that its bots run has changed.
"""

import argparse
from collections.abc import Callable, Mapping
from concurrent.futures import ThreadPoolExecutor, as_completed
from functools import cache
from hashlib import sha256
from itertools import product
from math import inf
from typing import Any, NamedTuple

from almunia import bots, game
from almunia.arena.report import shown
from almunia.bots.levels import meaning
from almunia.cli.options import core_count
from tools.builtin_games import ours
from tools.results_page import almunia, read, write

QUICK, PLANNED, SLOW = (1000, 1000), (200, 120), (60, 60)  # plays of a pairing: at two seats, and at more
STRENGTH = (
    ("greedy", "random", QUICK),
    ("turn", "greedy", PLANNED),
    ("search:500", "greedy", PLANNED),
    ("search:2000", "greedy", PLANNED),
    ("search:8000", "greedy", PLANNED),
    ("search:1s", "greedy", SLOW),
)
BEAMS = (("greedy", "random", QUICK), ("search:500", "greedy", PLANNED), ("search:1s", "greedy", SLOW))  # no trees
LEVELS = (("medium", "easy", PLANNED), ("hard", "medium", PLANNED), ("expert", "hard", SLOW))
ALONE_PLAYS, TOLD_PLAYS = 225, 200
KNOWN_BY = 80  # decisions of each play by which bots are known again
TOLD = "search:300ms,beam=32,candidates=60"
HEAD = """\
The bots are `{mark}`. The first of a row takes one seat, the other all the rest, in every seat in turn, on the same
deals; it is the stronger one if its share of wins, a shared win counting in parts, lies above the fair share. Intervals
cover 95% and count a deal once. Every match was played on one core, beside others and whatever else the machine did:
that lengthens times, and leaves what a fixed number of simulations chooses as it is.
"""
TABLE = (
    "| command | plays | wins | 95% | fair | points ahead | s/decision |\n| --- | --- | --- | --- | --- | --- | --- |"
)
LEVELS_TABLE = f"\nLevels for people, two at a table:\n\n{TABLE}"
ALONE_TABLE = "\nAlone:\n\n| command | plays | mean | 95% |\n| --- | --- | --- | --- |"


class Pairing(NamedTuple):
    """What is to be played for one row of the page."""

    game: str
    seats: int
    bot: str
    against: str  # "" for nobody: a bot alone
    plays: int
    clairvoyant: bool = False  # is it told everything that is hidden?

    @property
    def words(self) -> list[str]:
        """The command that plays it."""
        if self.clairvoyant:
            return ["simulate", self.game, "--bot", self.bot, "--clairvoyant", "--plays", str(self.plays)]
        against = ["--against", self.against] if self.against else []
        deals = str(self.plays // self.seats)
        return ["match", self.game, "--seats", str(self.seats), "--bot", self.bot, *against, "--deals", deals]

    @property
    def command(self) -> str:
        """The same as the page shows it, which is how a row is known again."""
        return f"`almunia {' '.join(self.words)}`"


Pairs = tuple[tuple[str, str, tuple[int, int]], ...]


def pairings(name: str, seats: tuple[int, ...], pairs: Pairs) -> list[Pairing]:
    """Each of these bots against the other, at so many seats."""
    return [Pairing(name, n, bot, against, plays[n > 2]) for n in seats for bot, against, plays in pairs]


def sections(name: str) -> dict[str, list[Pairing]]:
    """The tables of a game's part of the page, with the pairings of their rows."""
    levels = {LEVELS_TABLE: pairings(name, (2,), LEVELS)}
    if game(name).meta.seats[0] > 1:
        return {TABLE: pairings(name, (2, 3, 4), STRENGTH)} | levels
    alone = [Pairing(name, 1, "search:1s", "", ALONE_PLAYS), Pairing(name, 1, TOLD, "", TOLD_PLAYS, clairvoyant=True)]
    return {TABLE: pairings(name, (2,), BEAMS)} | levels | {ALONE_TABLE: alone}


def main() -> None:
    """Play what is asked for, and write the page as it comes in."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    games = [meta.name for meta in ours()]
    parser.add_argument("--games", nargs="+", choices=games, default=games)
    parser.add_argument("--seats", nargs="+", type=int, default=(1, 2, 3, 4))
    parser.add_argument("--bots", nargs="+", help="of all pairings those that one of these bots is the first in")
    parser.add_argument("--minutes", type=float, default=inf)
    asked = parser.parse_args()
    wanted = [
        pairing
        for name in asked.games
        for part in sections(name).values()
        for pairing in part
        if pairing.seats in asked.seats and pairing.bot in (asked.bots or [pairing.bot])
    ]
    climb(wanted, asked.minutes)


def climb(wanted: list[Pairing], minutes: float) -> None:
    """Play these pairings, the slow ones first, and write every row once it is known."""
    rows = {name: known(name) for name in {pairing.game for pairing in wanted}}
    with ThreadPoolExecutor(core_count()) as pool:
        wanted = sorted(wanted, key=lambda pairing: pairing.plays)
        playing = {pool.submit(row, pairing, minutes): pairing for pairing in wanted}
        for done in as_completed(playing):
            pairing = playing[done]
            rows[pairing.game][pairing.command] = done.result()
            write(f"Ladder: {pairing.game}", page(pairing.game, rows[pairing.game]))


def known(name: str) -> dict[str, str]:
    """The rows that a game's part of the page has, by their commands, if the bots are the same."""
    part = read().get(f"Ladder: {name}", "")
    if f"`{mark(name)}`" not in part:
        return {}
    return {line.split(" | ")[0].removeprefix("| "): line for line in part.splitlines() if line.startswith("| `")}


@cache
def mark(name: str) -> str:
    """What a game's bots are known by: the plays they play among themselves, and what its levels mean."""
    this = game(name)
    found: list[object] = [meaning(level, this) for level in bots.LEVELS]
    for seats, spec in product((2, 3, 4), ("greedy", "turn", "search:200")):
        play, players = this.new(seats, seed=1), [bots.make(spec, this, seed) for seed in range(seats)]
        while not play.over and len(play.actions) < KNOWN_BY:
            play.apply(players[play.turn].choose(play.observe(play.turn)))
        found.append(play.actions)
    return sha256(repr(found).encode()).hexdigest()[:12]


def page(name: str, rows: Mapping[str, str]) -> str:
    """A game's part of the page, with the rows that there are."""
    lines = [HEAD.format(mark=mark(name))]
    for head, part in sections(name).items():
        found = [rows[pairing.command] for pairing in part if pairing.command in rows]
        lines += [head, *found] if found else []
    return "\n".join(lines)


def row(pairing: Pairing, minutes: float) -> str:
    """A pairing as a row of its table, played as far as its minutes allow."""
    kind: Callable[[Pairing, float], str] = told if pairing.clairvoyant else match if pairing.against else alone
    return f"| {pairing.command} | {kind(pairing, minutes)} |"


def match(pairing: Pairing, minutes: float) -> str:
    """How a bot does against another."""
    found = played(pairing, minutes)
    ahead, low, high = (shown(number, "+.1f") for number in found["ahead"])
    return (
        f"{found['plays']:,} | {found['win_rate']:.1%} | {found['low']:.1%} to {found['high']:.1%} "
        f"| {found['fair']:.1%} | {ahead} ({low} to {high}) | {found['seconds']:.3f}"
    )


def alone(pairing: Pairing, minutes: float) -> str:
    """What a bot reaches alone."""
    found = played(pairing, minutes)
    mean, low, high = (shown(number, ".2f") for number in found["points"])
    return f"{found['plays']:,} | {mean} | {low} to {high}"


def told(pairing: Pairing, _minutes: float) -> str:
    """What a bot reaches that is told everything; that takes some minutes, however many are allowed."""
    (found,) = almunia(*pairing.words, "--json")["seats"]
    reach = 1.96 * found["sd"] / pairing.plays**0.5
    return f"{pairing.plays:,} | {found['mean']:.2f} | {found['mean'] - reach:.2f} to {found['mean'] + reach:.2f}"


def played(pairing: Pairing, minutes: float) -> dict[str, Any]:
    """What came of a pairing, with all that it had played before."""
    name = "-".join([pairing.game, str(pairing.seats), pairing.bot, pairing.against]).replace(":", "-")
    folder = f"build/ladder/{mark(pairing.game)}/{name}"  # other bots begin anew
    limit = [] if minutes == inf else ["--minutes", f"{minutes:g}"]
    (found,) = almunia(*pairing.words, *limit, "--threads", "1", "--folder", folder, "--json")["pairings"]
    return dict(found)


if __name__ == "__main__":
    main()
