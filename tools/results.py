"""Measure this machine with `benchmarks`, play the baselines and train, for docs/results.md. Takes half an hour.

    python -m tools.results             Speed, Batches, Environments, Search, Analysis, Site, Play, Styles,
                                        Observations, Learning
    python -m tools.results Search      one section
    ALMUNIA_DATABASE=postgresql://... python -m tools.results Processes
                                        a site in SQLite and in PostgreSQL, in its own database there
    python -m tools.results Kills       a site that is killed repeatedly under load, by its tests
    python -m tools.results Tests       the duration of the three tiers of tests: an hour

OpenSpiel's searches and the environments of the peers are measured for comparison, if they are installed:
pip install -e '.[peers]'. tools.ladder plays the ladder of the bots.
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
from almunia.cli.commands.bench import format_number
from benchmarks.speed import PEER
from tools.builtin_games import builtin_games
from tools.linear_probe import results_table as probe_table
from tools.results_page import almunia, read_json, write
from tools.styles import style_tables
from tools.train_baseline import training_section

SPEED_COMMAND = ("speed", "--repeats", "3", "--json")
SEARCH_COMMAND = ("search", "--repeats", "3", "--json")
ANALYSIS_COMMAND = ("analysis", "--json")
BATCH_COMMAND = ("batch", "--repeats", "3", "--json")
ENV_COMMAND = ("envs", "--repeats", "5", "--json")
SITE_COMMANDS = {
    "105 acts a second": ("site", "--rate", "105", "--seconds", "20", "--json"),
    "50 acts a second": ("site", "alhambra", "--rate", "50", "--seconds", "20", "--json"),
    "50 acts a second, with bots": (
        *("site", "alhambra", "--rate", "50", "--seconds", "20"),
        *("--bot", "medium", "--json"),
    ),
    "40 acts a second, for five minutes": ("site", "oregon", "--rate", "40", "--seconds", "300", "--json"),
}
DATABASE = os.environ.pop("ALMUNIA_DATABASE", "")  # removed from the environment: the site in SQLite must not use it
KILL_TEST_ARGUMENTS = ("tests/attack/test_kills_under_load.py", "--attack-kills", "20", "--attack-tables", "400")
TIERS = "quick", "test", "test-all"
SLOW_TEST_PATTERN = re.compile(r"^(\d+\.\d+)s \w+ +(\S+)", re.MULTILINE)  # a line of pytest's --durations
OUTCOME_PATTERN = re.compile(r"(\d+ passed.*?) in [\d.]+s")
OREGON_COMMAND = ("site", "oregon", "--rate", "105", "--seconds", "20", "--json")
LOW_LOAD = ("--tables", "20", "--streams", "50", "--rate", "5")
SOLO_BASELINES = [
    (meta.name, "1", "20000", (bot,)) for meta in builtin_games() if meta.seats[0] == 1 for bot in ("random", "greedy")
]
MATCH_BASELINES = [(meta.name, "2", "1000", ("greedy", "random")) for meta in builtin_games() if meta.seats[0] > 1]
RATIO_FIGURES = ("random plays, native", "random plays, stepped from Python")
PROTOCOL = """\
Random legal actions everywhere, with the observation and the legal actions read at each decision; what opponents and
chance do is not counted. A second is one of processor time on one core. All are measured by turns in one run. Figures
are medians, with the least and the most in brackets; higher is better. The games differ, and so does how much there is
to observe.
"""


def benchmark(program: str, *words: str) -> Any:
    """Run one of the programs in `benchmarks` and return its JSON output. Exit if it fails."""
    return read_json(f"benchmarks.{program}", *words)


def command_line(command: tuple[str, ...]) -> str:
    """Return the words that run a benchmark."""
    return f"python -m benchmarks.{' '.join(command)}"


def speed() -> Iterator[str]:
    """Yield the speed of the rules."""
    for name, figures in benchmark(*SPEED_COMMAND)["figures"].items():
        yield from table(name, SPEED_COMMAND, figures)
        yield from ratios(figures)


def batches() -> Iterator[str]:
    """Yield the speed of batches and of the frameworks' environments."""
    for name, figures in benchmark(*BATCH_COMMAND)["figures"].items():
        yield from table(f"{name}, batches and environments", BATCH_COMMAND, figures)


def environments() -> Iterator[str]:
    """Yield the speed of environments, compared with their peers."""
    report = benchmark(*ENV_COMMAND)
    packages = ", ".join(f"{name} {version}" for name, version in report["packages"].items())
    yield f"- **Peers:** {packages}"
    yield f"- **Command:** `{command_line(ENV_COMMAND)}`, after `pip install -e '.[peers]'`"
    yield from (f"- **Left out:** {sentence}" for sentence in report["missing"])
    yield f"\n{PROTOCOL}"
    for way, figures in report["figures"].items():
        yield from columns(way, figures)


def search() -> Iterator[str]:
    """Yield the speed of the search."""
    for name, figures in benchmark(*SEARCH_COMMAND)["figures"].items():
        yield from table(f"{name}, search", SEARCH_COMMAND, figures)


def analysis() -> Iterator[str]:
    """Yield the chances that an analysis states beside the wins, and the accuracy of levels."""
    for name, figures in benchmark(*ANALYSIS_COMMAND)["figures"].items():
        yield from table(f"{name}, analysis", ANALYSIS_COMMAND, figures)


def site() -> Iterator[str]:
    """Yield the load that a site can take."""
    for load, command in SITE_COMMANDS.items():
        for name, figures in benchmark(*command)["figures"].items():
            yield from table(f"{name}, {load}", command, figures)


def processes() -> Iterator[str]:
    """Yield the load that a site can take in SQLite, and in PostgreSQL with one process and with two."""
    yield "PostgreSQL waits for its disk here, as it does by default, and so does SQLite.\n"
    yield from table("oregon in SQLite", OREGON_COMMAND, benchmark(*OREGON_COMMAND)["figures"]["oregon"])
    two = ("--processes", "2")
    for title, options in {"one process": (), "two processes": two, "two processes at rest": (*two, *LOW_LOAD)}.items():
        figures = benchmark(*OREGON_COMMAND, *options, "--database", DATABASE)["figures"]["oregon"]
        yield from table(
            f"oregon in PostgreSQL, {title}", (*OREGON_COMMAND, *options, "--database", "ADDRESS"), figures
        )


def kills() -> Iterator[str]:
    """Yield what happened to a site that was killed repeatedly, as reported by the test that nothing is lost."""
    for title, database in {"SQLite, one process": "sqlite", "PostgreSQL, three processes": "postgres"}.items():
        arguments = ("pytest", "-n", "0", "-s", *KILL_TEST_ARGUMENTS, "-k", database)
        result = subprocess.run([sys.executable, "-m", *arguments], stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
        reports = [line for line in result.stdout.splitlines() if "acts of a crowd" in line]
        if result.returncode or len(reports) != 1:
            sys.exit(f"{' '.join(arguments)}: {result.stdout}")
        yield f"### Killed in {title}\n\n`python -m {' '.join(arguments)}`\n\n{reports[0]}\n"


def play() -> Iterator[str]:
    """Yield the results of the simple bots."""
    yield "For comparison, Orchard's component data give means of 5.1 (random) and 39.6 (greedy).\n"
    yield "| command | seat | mean | sd | least | most | wins |\n| --- | --- | --- | --- | --- | --- | --- |"
    for name, seats, plays, bots in [*SOLO_BASELINES, *MATCH_BASELINES]:
        yield from baseline(name, seats, plays, bots)


def observations() -> Iterator[str]:
    """Yield what linear maps can read from observations."""
    yield from probe_table([game(meta.name) for meta in builtin_games()])


def play_styles() -> Iterator[str]:
    """Yield where the points of bots come from."""
    yield "`python -m tools.results Styles`: bots that play against themselves, `greedy` 100 games, `search:500` 10.\n"
    yield from style_tables([game(meta.name) for meta in builtin_games()])


def table(title: str, command: tuple[str, ...], figures: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a table of figures with the command that measured them."""
    yield from columns(
        f"{title}\n\n`{command_line(command)}`; medians, with the least and the most in brackets.", figures
    )


def columns(head: str, figures: list[dict[str, Any]]) -> Iterator[str]:
    """Yield a table of figures under a heading."""
    yield f"### {head}\n"
    yield "| what | measured | goal |\n| --- | --- | --- |"
    yield from map(row, figures)
    yield ""


def baseline(name: str, seats: str, plays: str, bots: tuple[str, ...]) -> Iterator[str]:
    """Yield the results of bots, one row for each seat."""
    words = ["simulate", name, "--seats", seats, "--games", plays, *(word for bot in bots for word in ("--bot", bot))]
    for seat in almunia(*words, "--json")["seats"]:
        yield (
            f"| `almunia {' '.join(words)}` | {seat['bot']} | {seat['mean']:.2f} | {seat['sd']:.2f} "
            f"| {seat['least']} | {seat['most']} | {seat['wins'] / int(plays):.1%} |"
        )


def tests() -> Iterator[str]:
    """Yield the duration of each tier of the tests, and its slowest tests."""
    for tier in TIERS:
        start = monotonic()
        command = ["make", "--silent", tier, "ARGS=--durations=10"]
        result = subprocess.run(command, stdout=subprocess.PIPE, text=True, check=False)  # noqa: S603
        minutes, seconds = divmod(round(monotonic() - start), 60)
        if result.returncode:
            sys.exit(f"make {tier}: no result\n{result.stdout[-5000:]}")
        yield f"### `make {tier}`\n"
        yield f"{minutes}:{seconds:02} minutes: {'; '.join(OUTCOME_PATTERN.findall(result.stdout))}.\n"
        yield "| slowest | seconds |\n| --- | --- |"
        yield from (f"| `{test}` | {float(spent):.1f} |" for spent, test in SLOW_TEST_PATTERN.findall(result.stdout))
        yield ""


def row(figure: dict[str, Any]) -> str:
    """Return a figure as a row of a table."""
    spread = (
        f"({format_number(min(figure['runs']))} to {format_number(max(figure['runs']))})"
        if len(figure["runs"]) > 1
        else ""
    )
    goal = ""
    if figure["goal"] is not None:
        sign = "at least" if figure["higher_is_better"] else "at most"
        goal = f"{sign} {format_number(figure['goal'])}: {'met' if figure['reached'] else '**not met**'}"
    value = " ".join(filter(None, [format_number(figure["value"]), figure["unit"], spread]))
    return f"| {figure['what']} | {value} | {goal} |"


def ratios(figures: list[dict[str, Any]]) -> Iterator[str]:
    """Yield how many times faster Almunia is than the peer measured in the same run."""
    values = {figure["what"]: figure["value"] for figure in figures}
    if PEER in values:
        times = " and ".join(f"{values[what] / values[PEER]:.1f} times ({what})" for what in RATIO_FIGURES)
        yield f"Compared with Catanatron in the same run: {times} as many decisions a second. The games differ.\n"


SECTIONS = {
    "Speed": speed,
    "Batches": batches,
    "Environments": environments,
    "Search": search,
    "Analysis": analysis,
    "Site": site,
    "Processes": processes,
    "Kills": kills,
    "Play": play,
    "Styles": play_styles,
    "Observations": observations,
    "Learning": training_section,
    "Tests": tests,
}
SHARED_CORES = "which the site, its visitors and PostgreSQL share"
CORE_USE = {
    "Site": "of which the site and its visitors have one each",
    "Processes": SHARED_CORES,
    "Kills": SHARED_CORES,
    "Play": "",
    "Styles": "",
    "Observations": "",
    "Tests": "",
}
NAMED_ONLY = {"Processes", "Kills", "Tests"}  # sections that run only if they are named

if __name__ == "__main__":
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("parts", nargs="*", metavar="PART", help=f"{', '.join(SECTIONS)} (default: all)")
    parts = parser.parse_args().parts or [part for part in SECTIONS if part not in NAMED_ONLY]
    if wrong := set(parts) - SECTIONS.keys():
        parser.error(f"there is no part {wrong.pop()!r}; there are {', '.join(SECTIONS)}")
    if "Processes" in parts and not DATABASE:
        parser.error("Processes needs the address of a database in PostgreSQL, as ALMUNIA_DATABASE")
    for part in parts:
        text = "\n".join(SECTIONS[part]())
        used = CORE_USE.get(part, "of which one is used")
        write(part, text, f", {used}; load average {os.getloadavg()[1]:.1f} while measuring" if used else "")
