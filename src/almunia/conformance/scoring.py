"""Checks of citations of the rules, of sources of points, and of scorings."""

from collections.abc import Callable, Iterator
from random import Random

from ..core.contract import RuleRef
from ..core.optional import Scoring, is_default
from ..play.play import Observation, Play
from .case import Case, check, require
from .pictures import ids

MAX_NOTE_LENGTH = 40  # characters


@check
def citations_lead_to_the_rules(case: Case) -> None:
    """Require that questions, log lines and sources of points cite no missing mark of RULES.md."""
    text = case.plain.text
    for before, action, after in observed_actions(case, 5, lambda _, play: play.over or len(play.actions) % 4 == 0):
        if not is_default(text.rule_of_question):
            require_mark(text.rule_of_question(before.state), case.marks, "The question")
        for line in before.log_lines(action, after):
            for part in line:
                if isinstance(part, RuleRef):
                    require_mark(part.mark, case.marks, "A log line")
        for source in text.score_breakdown(after.state):
            if source.rule:
                require_mark(source.rule, case.marks, f"The source {source.name!r}")


def require_mark(mark: str, marks: set[str], what: str) -> None:
    require(mark in marks, f"{what} cites {mark!r}, no mark in RULES.md.")


@check
def sources_add_up(case: Case) -> None:
    """Require that the sources of points have unique names, and add up to the score, for every observer."""
    text = case.plain.text
    if is_default(text.score_breakdown):
        return  # the score has one source
    for _, seen in case.observations(case.plain, 1, every=4):
        sources = text.score_breakdown(seen.state)
        names = [source.name for source in sources]
        require(len(set(names)) == len(names), f"Sources share a name: {names}.")
        total = [sum(source.points[seat] for source in sources) for seat in range(case.seats)]
        scored = [int(row[0]) for row in seen.score_table()]
        require(total == scored, f"The sources add up to {total}, and the scores are {scored}.")


@check
def scorings_add_up(case: Case) -> None:
    """Require that a scoring adds up, has valid columns, and cites a mark, and that its action has log lines."""
    if is_default(case.plain.text.scoring):
        return  # the game has none
    for before, action, after in observed_actions(case, 6, scores_change):
        scoring = before.scoring(action, after)
        if scoring:
            check_scoring(scoring, before, after)
            require_mark(scoring.rule, case.marks, f"The scoring {scoring.title!r}")
            require(before.log_lines(action, after), f"The log does not mention the scoring {scoring.title!r}.")


def check_scoring(scoring: Scoring, before: Observation, after: Observation) -> None:
    """Require that a scoring adds up to the change of the scores, and has columns with unique names.

    Notes must be short, and targets must exist in the picture.
    """
    changes = (after.score_table() - before.score_table())[:, 0].tolist()
    totals = [sum(column.points[seat] for column in scoring.columns) for seat in range(after.seats)]
    require(totals == changes, f"{scoring.title!r} adds up to {totals}, and the scores change by {changes}.")
    names = [column.name for column in scoring.columns]
    require(names and len(set(names)) == len(names), f"{scoring.title!r} needs columns with unique names: {names}.")
    for column in scoring.columns:
        require(len(column.notes) in (0, after.seats), f"{column.name!r} has notes for {len(column.notes)} seats.")
        long = [note for note in column.notes if len(note) > MAX_NOTE_LENGTH]
        require(not long, f"Notes have at most {MAX_NOTE_LENGTH} characters, and these are longer: {long}.")
    missing = {target for column in scoring.columns for target in column.targets} - set(ids(after))
    require(not missing, f"{scoring.title!r} names {sorted(missing)}, which the picture for {after.seat} lacks.")


def scores_change(before: Play, after: Play) -> bool:
    return bool((before.score_table()[:, 0] != after.score_table()[:, 0]).any())


def observed_actions(
    case: Case, seed: int, select: Callable[[Play, Play], bool]
) -> Iterator[tuple[Observation, int, Observation]]:
    """Yield each selected action of a random play, with each observer's observations before and after the action."""
    play, rng = case.start(case.plain, seed), Random(seed)
    while not play.over:
        action, before = rng.choice(play.legal_actions), play.copy()
        play.apply(action)
        if select(before, play):
            for observer in case.observers():
                yield before.observe(observer), action, play.observe(observer)
