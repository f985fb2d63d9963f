"""A game's facts, its written rules, and the scenarios and records it brings."""

import tomllib
from pathlib import Path

from .. import figures
from ..engine import state_dtype
from ..library import replay
from ..play import tutorial
from ..play.record import Record
from ..scenario import ScenarioFailed, run
from .case import Case, Failure, Skipped, check, check_once, require

IN_SHORT = 350  # words of the rules on a page
TAKEN = {
    "game",
    "seats",
    "seed",
    "build",
    "games",
    "bots",
    "threads",
    "progress",
    "clairvoyant",
}  # names that options cannot have


@check
def facts_are_complete(case: Case) -> None:
    """META, the rules in words and the component data are there."""
    meta = case.plain.meta
    require(meta.name == case.name, f"META.name is {meta.name!r}, but the game is found as {case.name!r}.")
    require(1 <= meta.seats[0] <= meta.seats[1], f"META.seats is {meta.seats}.")
    require("**1.1**" in case.plain.file("RULES.md").read_text("utf-8"), "RULES.md has no paragraph **1.1**.")
    require(case.plain.file("view.css").is_file(), "view.css is missing.")
    tomllib.loads(case.plain.file("components.toml").read_text("utf-8"))
    require(case.plain.components, "The component tables have no hash.")
    names = case.plain.rules.STATE.names or ()
    header = tuple(state_dtype.HEADER)
    require(names[: len(header)] == header, f"STATE does not begin with the header {header}.")
    for option in meta.options:
        require(option.name in names, f"The option {option.name!r} has no field in STATE.")
        require(option.name not in TAKEN, f"An option cannot be called {option.name!r}.")
        require(option.read(option.default) == option.default, f"The option {option.name!r} refuses its default.")


@check_once
def scenarios_hold(case: Case) -> None:
    """The scenarios in the game's folder come out, in both builds."""
    for path in brought(case, "tests/scenarios"):
        for build in ("plain", "compiled"):
            try:
                run(path, build)
            except ScenarioFailed as error:
                raise Failure(str(error)) from None


@check_once
def records_replay(case: Case) -> None:
    """The recorded plays in the game's folder still come out as they did."""
    for path in brought(case, "tests/records"):
        replay(Record.parse(path.read_text("utf-8")))


@check_once
def the_first_game_teaches(case: Case) -> None:
    """The game's `lesson.toml`: what it says and allows can be done, and every step points at what is there."""
    if tutorial.check(case.plain) is None:
        raise Skipped("The game has no lesson.toml: nothing teaches its first game.")


@check_once
def the_rules_are_told_in_short(case: Case) -> None:
    """RULES.md has a section that says it all on one page."""
    rules = case.plain.file("RULES.md").read_text("utf-8")
    _, heading, rest = rules.partition("\n## In short\n")
    if not heading:
        raise Skipped("RULES.md has no section 'In short'.")
    count = sum(any(map(str.isalnum, word)) for word in rest.partition("\n## ")[0].split())
    require(count <= IN_SHORT, f"The section 'In short' has {count} words, and at most {IN_SHORT} fit a page.")


@check_once
def figures_in_the_rules_can_be_drawn(case: Case) -> None:
    """Every figure of RULES.md shows a scenario that holds, and lights up what is there."""
    found = list(figures.figures_in(case.plain.file("RULES.md").read_text("utf-8")))
    if not found:
        raise Skipped("RULES.md has no figures.")
    for figure in found:
        figures.drawn(case.plain, figure)


def brought(case: Case, folder: str) -> list[Path]:
    """The text files in a folder of the game; Skipped if there are none."""
    found = sorted(Path(str(case.plain.file(folder))).glob("*.txt"))
    if not found:
        raise Skipped(f"The game has no texts in {folder} (an installed game comes without its tests).")
    return found
