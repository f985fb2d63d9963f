"""Play the ladder of the bots for docs/results.md, one match per core at a time.

    python -m tools.ladder                         all pairings of all games: some hours
    python -m tools.ladder --games orchard oregon  only these games; filter further with --seats 2 and --bots search:1s
    python -m tools.ladder --minutes 30            at most 30 minutes for each pairing; a later run continues

The page has a section for each game. A row stays until its pairing is played further, or the game's bots choose
differently. Every row names the command that plays it. The plays are also kept in build/ladder, where a match
continues as long as the code of its bots is unchanged.
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
from almunia.arena.report import format_number
from almunia.bots.levels import spec_for_level
from almunia.cli.arguments import core_count
from tools.builtin_games import builtin_games
from tools.results_page import almunia, read, write

# Plays of a pairing: with two seats, and with more.
QUICK_PLAYS, PLANNED_PLAYS, SLOW_PLAYS = (1000, 1000), (200, 120), (60, 60)
STRENGTH = (
    ("greedy", "random", QUICK_PLAYS),
    ("turn", "greedy", PLANNED_PLAYS),
    ("search:500", "greedy", PLANNED_PLAYS),
    ("search:2000", "greedy", PLANNED_PLAYS),
    ("search:8000", "greedy", PLANNED_PLAYS),
    ("search:1s", "greedy", SLOW_PLAYS),
)
BEAMS = (  # for games with a solo mode, where the search is a beam instead of a tree
    ("greedy", "random", QUICK_PLAYS),
    ("search:500", "greedy", PLANNED_PLAYS),
    ("search:1s", "greedy", SLOW_PLAYS),
)
LEVELS = (
    ("easy", "beginner", PLANNED_PLAYS),
    ("medium", "easy", PLANNED_PLAYS),
    ("hard", "medium", PLANNED_PLAYS),
    ("expert", "hard", SLOW_PLAYS),
)
SOLO_PLAYS, CLAIRVOYANT_PLAYS = 225, 200
FINGERPRINT_DECISIONS = 80  # decisions of each play that identify the bots
CLAIRVOYANT_BOT = "search:300ms,beam_width=32,candidates=60"
HEAD = """\
The bots are `{mark}`. The first bot of a row takes one seat and the other bot all the rest, in every seat in turn, on
the same deals. The first is stronger if its share of wins is above the fair share; shared wins count in parts.
Intervals cover 95% and count each deal once. Each match ran on one core of a busy machine, which lengthens times but
does not change the choices of a fixed number of simulations.
"""
TABLE = (
    "| command | plays | wins | 95% | fair | points ahead | s/decision |\n| --- | --- | --- | --- | --- | --- | --- |"
)
LEVELS_TABLE = f"\nLevels for people, two at a table:\n\n{TABLE}"
SOLO_TABLE = "\nAlone:\n\n| command | plays | mean | 95% |\n| --- | --- | --- | --- |"


class Pairing(NamedTuple):
    """A row of the page to be played."""

    game: str
    seats: int
    bot: str
    against: str  # "" for a bot that plays alone
    plays: int
    clairvoyant: bool = False  # whether the bot sees hidden information

    @property
    def arguments(self) -> list[str]:
        """The arguments of the command that plays the pairing."""
        if self.clairvoyant:
            return ["simulate", self.game, "--bot", self.bot, "--clairvoyant", "--games", str(self.plays)]
        against = ["--against", self.against] if self.against else []
        deals = str(self.plays // self.seats)
        return ["match", self.game, "--seats", str(self.seats), "--bot", self.bot, *against, "--deals", deals]

    @property
    def command(self) -> str:
        """The command as the page shows it. It identifies the row."""
        return f"`almunia {' '.join(self.arguments)}`"


Pairs = tuple[tuple[str, str, tuple[int, int]], ...]


def pairings(name: str, seats: tuple[int, ...], pairs: Pairs) -> list[Pairing]:
    """Return each pair of bots at each number of seats."""
    return [Pairing(name, n, bot, against, plays[n > 2]) for n in seats for bot, against, plays in pairs]


def sections(name: str) -> dict[str, list[Pairing]]:
    """Return the pairings of a game's section, by the head of their table."""
    levels = {LEVELS_TABLE: pairings(name, (2,), LEVELS)}
    if game(name).meta.seats[0] > 1:
        return {TABLE: pairings(name, (2, 3, 4), STRENGTH)} | levels
    solo = [
        Pairing(name, 1, "search:1s", "", SOLO_PLAYS),
        Pairing(name, 1, CLAIRVOYANT_BOT, "", CLAIRVOYANT_PLAYS, clairvoyant=True),
    ]
    return {TABLE: pairings(name, (2,), BEAMS)} | levels | {SOLO_TABLE: solo}


def main() -> None:
    """Play the selected pairings, and write each row as soon as it is played."""
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    games = [meta.name for meta in builtin_games()]
    parser.add_argument("--games", nargs="+", choices=games, default=games)
    parser.add_argument("--seats", nargs="+", type=int, default=(1, 2, 3, 4))
    parser.add_argument("--bots", nargs="+", help="play only the pairings of these bots as the first")
    parser.add_argument("--minutes", type=float, default=inf)
    options = parser.parse_args()
    selected = [
        pairing
        for name in options.games
        for part in sections(name).values()
        for pairing in part
        if pairing.seats in options.seats and pairing.bot in (options.bots or [pairing.bot])
    ]
    run_ladder(selected, options.minutes)


def run_ladder(selected: list[Pairing], minutes: float) -> None:
    """Play these pairings, those with the fewest plays first, and write every row once it is known."""
    rows = {name: kept_rows(name) for name in {pairing.game for pairing in selected}}
    with ThreadPoolExecutor(core_count()) as pool:
        selected = sorted(selected, key=lambda pairing: pairing.plays)
        pairings_by_future = {pool.submit(play_row, pairing, minutes): pairing for pairing in selected}
        for future in as_completed(pairings_by_future):
            pairing = pairings_by_future[future]
            rows[pairing.game][pairing.command] = future.result()
            write(f"Ladder: {pairing.game}", render_section(pairing.game, rows[pairing.game]))


def kept_rows(name: str) -> dict[str, str]:
    """Return the rows of a game's section by command, if the bots are still the same."""
    section = read().get(f"Ladder: {name}", "")
    if f"`{fingerprint(name)}`" not in section:
        return {}
    return {line.split(" | ")[0].removeprefix("| "): line for line in section.splitlines() if line.startswith("| `")}


@cache
def fingerprint(name: str) -> str:
    """Return a hash that identifies a game's bots: of plays among themselves, and of the meaning of its levels."""
    this = game(name)
    choices: list[object] = [spec_for_level(level, this) for level in bots.LEVELS]
    for seats, spec in product((2, 3, 4), ("greedy", "turn", "search:200")):
        play, players = this.new(seats, seed=1), [bots.make(spec, this, seed) for seed in range(seats)]
        while not play.over and len(play.actions) < FINGERPRINT_DECISIONS:
            play.apply(players[play.turn].choose(play.observe(play.turn)))
        choices.append(play.actions)
    return sha256(repr(choices).encode()).hexdigest()[:12]


def render_section(name: str, rows: Mapping[str, str]) -> str:
    """Return a game's section with these rows."""
    lines = [HEAD.format(mark=fingerprint(name))]
    for head, table_pairings in sections(name).items():
        played_rows = [rows[pairing.command] for pairing in table_pairings if pairing.command in rows]
        lines += [head, *played_rows] if played_rows else []
    return "\n".join(lines)


def play_row(pairing: Pairing, minutes: float) -> str:
    """Play a pairing as far as the minutes allow, and return its row."""
    play: Callable[[Pairing, float], str] = (
        clairvoyant_match if pairing.clairvoyant else match if pairing.against else solo_match
    )
    return f"| {pairing.command} | {play(pairing, minutes)} |"


def match(pairing: Pairing, minutes: float) -> str:
    """Play a bot against another, and return the cells of the row."""
    result = run_pairing(pairing, minutes)
    ahead, low, high = (format_number(number, "+.1f") for number in result["ahead"])
    return (
        f"{result['plays']:,} | {result['win_rate']:.1%} | {result['low']:.1%} to {result['high']:.1%} "
        f"| {result['fair']:.1%} | {ahead} ({low} to {high}) | {result['seconds']:.3f}"
    )


def solo_match(pairing: Pairing, minutes: float) -> str:
    """Play a bot alone, and return the cells of the row."""
    result = run_pairing(pairing, minutes)
    mean, low, high = (format_number(number, ".2f") for number in result["points"])
    return f"{result['plays']:,} | {mean} | {low} to {high}"


def clairvoyant_match(pairing: Pairing, _minutes: float) -> str:
    """Play a bot that sees hidden information. This takes some minutes, regardless of the limit."""
    (result,) = almunia(*pairing.arguments, "--json")["seats"]
    mean, half_width = result["mean"], 1.96 * result["sd"] / pairing.plays**0.5
    return f"{pairing.plays:,} | {mean:.2f} | {mean - half_width:.2f} to {mean + half_width:.2f}"


def run_pairing(pairing: Pairing, minutes: float) -> dict[str, Any]:
    """Return the result of a pairing, including all earlier plays."""
    name = "-".join([pairing.game, str(pairing.seats), pairing.bot, pairing.against]).replace(":", "-")
    folder = f"build/ladder/{fingerprint(pairing.game)}/{name}"  # other bots start from zero
    limit = [] if minutes == inf else ["--minutes", f"{minutes:g}"]
    (result,) = almunia(*pairing.arguments, *limit, "--threads", "1", "--folder", folder, "--json")["pairings"]
    return dict(result)


if __name__ == "__main__":
    main()
