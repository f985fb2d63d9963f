"""Checks of a game's metadata and files."""

import tomllib
from importlib import import_module
from pathlib import Path

from .. import figures
from ..core import contract
from ..core.english import join_words
from ..core.optional import members
from ..engine import state_dtype
from ..library import replay
from ..play import lesson
from ..play.record import Record
from ..scenario import ScenarioFailed, run
from .case import Case, Failure, Skipped, check, check_once, require

MAX_SUMMARY_WORDS = 350  # as many as fit on a page
# Names of arguments of functions that also take options by name, so no option may have them.
RESERVED_NAMES = (
    "all_step autoreset autoreset_mode bots build clairvoyant copy deals device executor final_observations "
    "finished flatten folder form game games illegal legal_as max_cycles max_episode_steps n name num_envs observe "
    "opponents penalty players progress render_mode reward seat seats seed self states threads"
)


@check
def facts_are_complete(case: Case) -> None:
    """Require valid names, seats and options in META, and the files and the state header that games must have."""
    meta = case.plain.meta
    require(meta.name == case.name, f"META.name is {meta.name!r}, but the game is found as {case.name!r}.")
    require(1 <= meta.seats[0] <= meta.seats[1], f"META.seats is {meta.seats}.")
    require("**1.1**" in case.plain.file("RULES.md").read_text("utf-8"), "RULES.md has no paragraph **1.1**.")
    require(not case.plain.has_pictures or case.plain.file("view.css").is_file(), "view.css is missing.")
    tomllib.loads(case.plain.file("components.toml").read_text("utf-8"))
    require(case.plain.components_hash, "The component tables have no hash.")
    names = case.plain.rules.STATE.names or ()
    header = tuple(state_dtype.HEADER)
    require(names[: len(header)] == header, f"STATE does not begin with the header {header}.")
    for option in meta.options:
        require(option.name in names[len(header) :], f"The option {option.name!r} has no field of its own in STATE.")
        require(option.name not in RESERVED_NAMES.split(), f"An option cannot be called {option.name!r}.")
        require(option.read(option.default) == option.default, f"The option {option.name!r} refuses its default.")


@check_once
def modules_are_complete(case: Case) -> None:
    """Require that every module has the members that `core/contract.py` demands. A game may have no module `view`."""
    protocols = (contract.Components, contract.Rules, contract.Observe, contract.Text)
    for protocol in (*protocols, contract.View) if case.plain.has_pictures else protocols:
        name = protocol.__name__.lower()
        there = vars(import_module(f"{case.plain.package}.{name}"))
        missing = [member for member in members(protocol) if member not in there]
        require(not missing, f"The module {name!r} lacks {join_words(missing)}: see core/contract.py.")


@check_once
def scenarios_hold(case: Case) -> None:
    """Require that the scenarios in the game's folder hold in both builds."""
    for path in text_files(case, "tests/scenarios"):
        for build in ("plain", "compiled"):
            try:
                run(path, build)
            except ScenarioFailed as error:
                raise Failure(str(error)) from None


@check_once
def records_replay(case: Case) -> None:
    for path in text_files(case, "tests/records"):
        replay(Record.parse(path.read_text("utf-8")))


@check_once
def the_first_game_teaches(case: Case) -> None:
    """Require that the steps of the game's `lesson.toml` can be played, and point at existing elements."""
    if lesson.check(case.plain) is None:
        raise Skipped("The game has no lesson.toml.")


@check_once
def rules_have_a_summary(case: Case) -> None:
    """Require that the summary of the rules, if RULES.md has one, has at most MAX_SUMMARY_WORDS words."""
    rules = case.plain.file("RULES.md").read_text("utf-8")
    _, heading, rest = rules.partition("\n## In short\n")
    if not heading:
        raise Skipped("RULES.md has no section 'In short'.")
    count = sum(any(map(str.isalnum, word)) for word in rest.partition("\n## ")[0].split())
    require(
        count <= MAX_SUMMARY_WORDS,
        f"The section 'In short' has {count} words, and at most {MAX_SUMMARY_WORDS} fit a page.",
    )


@check_once
def figures_in_the_rules_can_be_drawn(case: Case) -> None:
    """Require that the figures of RULES.md can be drawn, from scenarios that hold and with existing targets."""
    in_rules = list(figures.figures_in(case.plain.file("RULES.md").read_text("utf-8")))
    if not in_rules:
        raise Skipped("RULES.md has no figures.")
    for figure in in_rules:
        figures.render_figure(case.plain, figure)


def text_files(case: Case, folder: str) -> list[Path]:
    paths = sorted(Path(str(case.plain.file(folder))).glob("*.txt"))
    if not paths:
        raise Skipped(f"The game has no texts in {folder} (an installed game comes without its tests).")
    return paths
