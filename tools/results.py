"""Measures this machine with `almunia bench`, plays the baselines, and learns, half an hour, for docs/results.md.

    python -m tools.results             all of Speed, Batches, Environments, Search, Site, Play, Styles,
                                        Observations and Learning
    python -m tools.results Search      one part alone
    ALMUNIA_DATABASE=postgresql://... python -m tools.results Processes
                                        a site in SQLite and in PostgreSQL, in a database of its own there
    python -m tools.results Kills       a site that is killed again and again under load, by the tests of it
    python -m tools.results Tests       how long the tests take: an hour for their three tiers

Beside OpenSpiel's searches if that is installed, and beside the environments of all the peers that are:
pip install -e '.[peers]'. The ladder of the bots is played by tools.ladder.
"""

import argparse
import os
import re
import subprocess
import sys
from collections.abc import Iterator
from time import monotonic
from typing import Any

from almunia import game
from almunia.cli.commands.bench import format_number as number
from tools.builtin_games import ours
from tools.linear_probe import table as probed
from tools.results_page import almunia, write
from tools.styles import styles
from tools.train_baseline import learning

SPEED = ("bench", "--repeats", "3", "--json")
SEARCH = ("bench", "search", "--repeats", "3", "--json")
BATCHES = ("bench", "batch", "--repeats", "3", "--json")
ENVIRONMENTS = ("bench", "envs", "--repeats", "5", "--json")
SITES = {
    "105 acts a second": ("bench", "site", "--rate", "105", "--seconds", "20", "--json"),
    "50 acts a second": ("bench", "site", "alhambra", "--rate", "50", "--seconds", "20", "--json"),
    "50 acts a second, with bots": (
        *("bench", "site", "alhambra", "--rate", "50", "--seconds", "20"),
        *("--bot", "medium", "--json"),
    ),
    "40 acts a second, for five minutes": ("bench", "site", "oregon", "--rate", "40", "--seconds", "300", "--json"),
}
DATABASE = os.environ.pop("ALMUNIA_DATABASE", "")  # for PostgreSQL alone: a site in SQLite would follow it too
KILLS = ("tests/attack/test_kills_under_load.py", "--attack-kills", "20", "--attack-tables", "400")
TIERS = "quick", "test", "test-all"
SLOW = re.compile(r"^(\d+\.\d+)s \w+ +(\S+)", re.MULTILINE)  # among the slowest of a run
OUTCOME = re.compile(r"(\d+ passed.*?) in [\d.]+s")
OREGON = ("bench", "site", "oregon", "--rate", "105", "--seconds", "20", "--json")
CALM = ("--tables", "20", "--streams", "50", "--rate", "5")
ALONE = [(meta.name, "1", "20000", (bot,)) for meta in ours() if meta.seats[0] == 1 for bot in ("random", "greedy")]
AGAINST = [(meta.name, "2", "1000", ("greedy", "random")) for meta in ours() if meta.seats[0] > 1]
RATIO = ("random plays, native", "random plays, stepped from Python")
PROTOCOL = """\
Random legal actions everywhere, with the observation and the legal actions read at each decision; what opponents and
chance do is not counted. A second is one of processor time on one core. All are measured by turns in one run. Figures
are medians, with the least and the most in brackets; higher is better. The games differ, and so does how much there is
to observe.
"""
PEER = "for comparison: Catanatron, random bots, Catan for two"


def speed() -> Iterator[str]:
    """How fast the games run."""
    for name, figures in almunia(*SPEED)["figures"].items():
        yield from table(name, SPEED, figures)
        yield from ratios(figures)


def batches() -> Iterator[str]:
    """How fast games are for learners, in batches and in the frameworks' environments."""
    for name, figures in almunia(*BATCHES)["figures"].items():
        yield from table(f"{name}, batches and environments", BATCHES, figures)


def environments() -> Iterator[str]:
    """How fast environments are, ours beside their peers."""
    report = almunia(*ENVIRONMENTS)
    packages = ", ".join(f"{name} {version}" for name, version in report["packages"].items())
    yield f"- **Peers:** {packages}"
    yield f"- **Command:** `almunia {' '.join(ENVIRONMENTS)}`, after `pip install -e '.[peers]'`"
    yield from (f"- **Left out:** {sentence}" for sentence in report["missing"])
    yield f"\n{PROTOCOL}"
    for way, figures in report["figures"].items():
        yield from columns(way, figures)


def search() -> Iterator[str]:
    """How fast the search is."""
    for name, figures in almunia(*SEARCH)["figures"].items():
        yield from table(f"{name}, search", SEARCH, figures)


def site() -> Iterator[str]:
    """What a site bears."""
    for load, command in SITES.items():
        for name, figures in almunia(*command)["figures"].items():
            yield from table(f"{name}, {load}", command, figures)


def processes() -> Iterator[str]:
    """What a site bears in SQLite, and in PostgreSQL by one process and by two."""
    yield "PostgreSQL waits for its disk here, as it does by default, and so does SQLite.\n"
    yield from table("oregon in SQLite", OREGON, almunia(*OREGON)["figures"]["oregon"])
    two = ("--processes", "2")
    for many, words in {"one process": (), "two processes": two, "two processes at rest": (*two, *CALM)}.items():
        figures = almunia(*OREGON, *words, "--database", DATABASE)["figures"]["oregon"]
        yield from table(f"oregon in PostgreSQL, {many}", (*OREGON, *words, "--database", "ADDRESS"), figures)


def kills() -> Iterator[str]:
    """What a site goes through that is killed again and again: the test that nothing is lost tells of it."""
    for title, database in {"SQLite, one process": "sqlite", "PostgreSQL, three processes": "postgres"}.items():
        words = ("pytest", "-n", "0", "-s", *KILLS, "-k", database)
        done = subprocess.run([sys.executable, "-m", *words], stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
        told = [line for line in done.stdout.splitlines() if "acts of a crowd" in line]
        if done.returncode or len(told) != 1:
            sys.exit(f"{' '.join(words)}: {done.stdout}")
        yield f"### Killed in {title}\n\n`python -m {' '.join(words)}`\n\n{told[0]}\n"


def play() -> Iterator[str]:
    """How the simple bots do."""
    yield "For comparison, Orchard's component data give means of 5.1 (random) and 39.6 (greedy).\n"
    yield "| command | seat | mean | sd | least | most | wins |\n| --- | --- | --- | --- | --- | --- | --- |"
    for name, seats, plays, bots in [*ALONE, *AGAINST]:
        yield from baseline(name, seats, plays, bots)


def observations() -> Iterator[str]:
    """What linear maps can read off observations."""
    yield from probed([game(meta.name) for meta in ours()])


def ways_to_play() -> Iterator[str]:
    """Where the points of bots come from, which win rates do not tell."""
    yield "`python -m tools.results Styles`: bots that play against themselves, `greedy` 100 games, `search:500` 10.\n"
    yield from styles([game(meta.name) for meta in ours()])


def table(title: str, command: tuple[str, ...], figures: list[dict[str, Any]]) -> Iterator[str]:
    """Figures with what measured them."""
    yield from columns(
        f"{title}\n\n`almunia {' '.join(command)}`; medians, with the least and the most in brackets.", figures
    )


def columns(head: str, figures: list[dict[str, Any]]) -> Iterator[str]:
    """Figures under a headline."""
    yield f"### {head}\n"
    yield "| what | measured | goal |\n| --- | --- | --- |"
    yield from map(row, figures)
    yield ""


def baseline(name: str, seats: str, plays: str, bots: tuple[str, ...]) -> Iterator[str]:
    """How bots do, as a row of the table for each seat."""
    words = ["simulate", name, "--seats", seats, "--plays", plays, *(word for bot in bots for word in ("--bot", bot))]
    for seat in almunia(*words, "--json")["seats"]:
        yield (
            f"| `almunia {' '.join(words)}` | {seat['bot']} | {seat['mean']:.2f} | {seat['sd']:.2f} "
            f"| {seat['least']} | {seat['most']} | {seat['wins'] / int(plays):.1%} |"
        )


def tests() -> Iterator[str]:
    """Yield how long each tier of the tests takes, and which tests take longest."""
    for tier in TIERS:
        began = monotonic()
        command = ["make", "--silent", tier, "ARGS=--durations=10"]
        done = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
        minutes, seconds = divmod(round(monotonic() - began), 60)
        if done.returncode:
            sys.exit(f"make {tier}: no result\n{done.stdout[-5000:]}")
        yield f"### `make {tier}`\n"
        yield f"{minutes}:{seconds:02} minutes: {'; '.join(OUTCOME.findall(done.stdout))}.\n"
        yield "| slowest | seconds |\n| --- | --- |"
        yield from (f"| `{test}` | {float(spent):.1f} |" for spent, test in SLOW.findall(done.stdout))
        yield ""


def row(figure: dict[str, Any]) -> str:
    """One figure as a row of the table."""
    spread = f"({number(min(figure['runs']))} to {number(max(figure['runs']))})" if len(figure["runs"]) > 1 else ""
    goal = ""
    if figure["goal"] is not None:
        sign = "at least" if figure["higher_is_better"] else "at most"
        goal = f"{sign} {number(figure['goal'])}: {'met' if figure['reached'] else '**not met**'}"
    value = " ".join(filter(None, [number(figure["value"]), figure["unit"], spread]))
    return f"| {figure['what']} | {value} | {goal} |"


def ratios(figures: list[dict[str, Any]]) -> Iterator[str]:
    """How many times as fast as the peer measured in the same run."""
    values = {figure["what"]: figure["value"] for figure in figures}
    if PEER in values:
        times = " and ".join(f"{values[what] / values[PEER]:.1f} times ({what})" for what in RATIO)
        yield f"Compared with Catanatron in the same run: {times} as many decisions a second. The games differ.\n"


MEASURES = {
    "Speed": speed,
    "Batches": batches,
    "Environments": environments,
    "Search": search,
    "Site": site,
    "Processes": processes,
    "Kills": kills,
    "Play": play,
    "Styles": ways_to_play,
    "Observations": observations,
    "Learning": learning,
    "Tests": tests,
}
SHARED = "which the site, its visitors and PostgreSQL share"
USED = {
    "Site": "of which the site and its visitors have one each",
    "Processes": SHARED,
    "Kills": SHARED,
    "Play": "",
    "Styles": "",
    "Observations": "",
    "Tests": "",
}
APART = {"Processes", "Kills", "Tests"}  # what is measured only if it is named

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(MEASURES)} (default: all)")
    parts = parser.parse_args().parts or [part for part in MEASURES if part not in APART]
    if wrong := set(parts) - MEASURES.keys():
        parser.error(f"there is no part {wrong.pop()!r}; there are {', '.join(MEASURES)}")
    if "Processes" in parts and not DATABASE:
        parser.error("Processes needs the address of a database in PostgreSQL, as ALMUNIA_DATABASE")
    for part in parts:
        text = "\n".join(MEASURES[part]())
        used = USED.get(part, "of which one is used")
        write(part, text, f", {used}; load average {os.getloadavg()[1]:.1f} while measuring" if used else "")
