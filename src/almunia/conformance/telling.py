"""What a game tells beyond its log lines: the paragraphs behind questions and points, and scorings."""

from collections.abc import Callable, Iterator
from random import Random
from typing import Any

from ..core.contract import RuleRef
from ..core.optional import Scoring
from ..play.play import Observation, Play
from .case import Case, check, require
from .pictures import ids

LONGEST_NOTE = 40  # letters


@check
def citations_lead_to_the_rules(case: Case) -> None:
    """Marks behind questions, in log lines and of sources of points stand in RULES.md."""
    text: Any = case.plain.text
    for before, action, after in acts(case, 5):
        if hasattr(text, "rule_of_question"):
            require_mark(text.rule_of_question(before.state), case.marks, "The question")
        for line in before.log_lines(action, after):
            for part in line:
                if isinstance(part, RuleRef):
                    require_mark(part.mark, case.marks, "A log line")
        if hasattr(text, "score_breakdown"):
            for source in text.score_breakdown(after.state):
                if source.rule:
                    require_mark(source.rule, case.marks, f"The source {source.name!r}")


def require_mark(mark: str, marks: set[str], what: str) -> None:
    """Fail unless a mark is one of those in the rules."""
    require(mark in marks, f"{what} cites {mark!r}, no mark in RULES.md.")


@check
def scorings_add_up(case: Case) -> None:
    """For every reader a scoring accounts for what all scores changed by, and names what is in the picture."""
    text: Any = case.plain.text
    if not hasattr(text, "scoring"):
        return
    for before, action, after in acts(case, 6, scores_change):
        found = before.scoring(action, after)
        if found:
            check_scoring(found, before, after)
            require_mark(found.rule, case.marks, f"The scoring {found.title!r}")
            require(before.log_lines(action, after), f"The log says nothing of the scoring {found.title!r}.")


def check_scoring(found: Scoring, before: Observation, after: Observation) -> None:
    """Fail unless a scoring adds up, its notes are short, and its targets are there."""
    changed = (after.score_table() - before.score_table())[:, 0].tolist()
    told = [sum(column.points[seat] for column in found.columns) for seat in range(after.seats)]
    require(told == changed, f"{found.title!r} adds up to {told}, and the scores change by {changed}.")
    names = [column.name for column in found.columns]
    require(names and len(set(names)) == len(names), f"{found.title!r} needs columns with names of their own: {names}.")
    for column in found.columns:
        require(len(column.notes) in (0, after.seats), f"{column.name!r} has notes for {len(column.notes)} seats.")
        long = [note for note in column.notes if len(note) > LONGEST_NOTE]
        require(not long, f"Notes have at most {LONGEST_NOTE} letters, and these are longer: {long}.")
    missing = {target for column in found.columns for target in column.targets} - set(ids(after))
    require(not missing, f"{found.title!r} names {sorted(missing)}, which the picture for {after.seat} lacks.")


def fourth(before: Play, after: Play) -> bool:
    """Is this the fourth action after the last such one, or the end?"""
    return after.over or len(after.actions) % 4 == 0


def scores_change(before: Play, after: Play) -> bool:
    """Has an action changed the score of a seat?"""
    return bool((before.score_table()[:, 0] != after.score_table()[:, 0]).any())


def acts(
    case: Case, seed: int, wanted: Callable[[Play, Play], bool] = fourth
) -> Iterator[tuple[Observation, int, Observation]]:
    """Those actions of a random play that are wanted, with what every reader sees before and after it."""
    play, rng = case.start(case.plain, seed), Random(seed)
    while not play.over:
        action, before = rng.choice(play.legal_actions), play.copy()
        play.apply(action)
        if wanted(before, play):
            for reader in case.readers():
                yield before.observe(reader), action, play.observe(reader)
