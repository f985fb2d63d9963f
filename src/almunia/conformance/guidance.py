"""Checks of guidance for players: suggested sequences of actions, public questions, and refusals."""

import re
from collections.abc import Iterator

from ..core.english import capitalize
from ..core.optional import ActionSequence, is_default
from ..core.rich_text import plain_text
from ..play.panels import RenderedPanel
from ..play.play import Observation, Play
from .case import Case, check, require
from .pictures import ids
from .text import is_line

GRID_POINTS = 9  # per dimension of a picture
VIEW_BOX = re.compile(r'viewBox="([^"]+)"')


@check
def suggestions_are_legal(case: Case) -> None:
    """Require that each suggestion has two or more actions that stay legal in every determinization."""
    text = case.plain.text
    for play in case.positions(case.plain, 7, every=2):
        if play.over:
            continue
        seen = play.observe(play.turn)
        suggestions = text.suggestions(seen.state)
        labels = [plain_text(suggestion.offer) for suggestion in suggestions]
        require(len(set(labels)) == len(labels), f"Two suggestions share their words among {labels}.")
        actions = {suggestion.actions for suggestion in suggestions}
        require(len(actions) == len(suggestions), f"Two of the suggestions {labels} are the same.")
        for suggestion, label in zip(suggestions, labels, strict=True):
            are_lines = is_line(suggestion.offer) and is_line(suggestion.effect)
            require(are_lines, f"{suggestion} has words that are no line.")
            require(label == capitalize(label), f"{label!r} does not begin with a capital letter.")
            for possible in (play.copy(), seen.determinize(1), seen.determinize(2)):
                require_applicable(possible, suggestion, label)


def require_applicable(play: Play, suggestion: ActionSequence, label: str) -> None:
    """Apply the actions of a suggestion to `play`, and require that each action is legal."""
    seat = play.turn
    require(len(suggestion.actions) > 1, f"The suggestion {label!r} is a single action.")
    for number, action in enumerate(suggestion.actions, 1):
        is_legal = play.turn == seat and action in play.legal_actions
        require(is_legal, f"Action {number} of the suggestion {label!r} is not legal.")
        play.apply(action)


@check
def public_questions_are_public(case: Case) -> None:
    """Require that every observer can derive legal actions that are public, and knows whether they are public."""
    for play in case.positions(case.compiled, 8, every=2):
        if play.over:
            continue
        public = play.game.legal_is_public(play.state)
        for observer in case.observers():
            seen = play.observe(observer)
            same = play.game.legal_is_public(seen.state) == public
            require(same, f"Observer {observer} does not agree whether the legal actions are public.")
            determinized = (
                [seen.determinize(seed).legal_actions for seed in range(2)] if public and observer != play.turn else []
            )
            is_known = all(legal == play.legal_actions for legal in determinized)
            require(
                is_known,
                f"Observer {observer} cannot know the legal actions of seat {play.turn}, which are declared public.",
            )


@check
def explanations_are_valid(case: Case) -> None:
    """Require that every refusal at a point of a picture is a sentence that cites a paragraph of the rules."""
    text = case.plain.text
    if is_default(text.explain_illegal):
        return  # the game explains no refusals
    for play in case.positions(case.plain, 9, every=9):
        if play.over:
            continue
        seen, seat = play.observe(play.turn), play.turn
        targets = {"", *ids(seen)}
        for place in places(seen, seat):
            refusal = text.explain_illegal(seen.state, place, {})
            if refusal:
                require(is_line(refusal.sentence), f"The refusal of {place!r} is no line: {refusal.sentence!r}.")
                words = plain_text(refusal.sentence)
                require(words.endswith((".", "?")), f"The refusal of {place!r} is no sentence: {words!r}.")
                require(
                    refusal.rule in case.marks, f"The refusal of {place!r} cites {refusal.rule!r}, no mark in RULES.md."
                )
                require(
                    refusal.target in targets, f"The refusal of {place!r} names {refusal.target!r}, which is not there."
                )


def places(seen: Observation, seat: int) -> set[str]:
    """Return the places at the points of a grid over each picture of a position."""
    from ..play.panels import panels

    view = seen.game.view
    names = {view.hit_test(seen.state, seat, panel.name, x, y) for panel in panels(seen) for x, y in grid(panel)}
    require(all(isinstance(name, str) for name in names), f"Places are strings, and these are not: {names}.")
    return names - {""}


def grid(panel: RenderedPanel) -> Iterator[tuple[float, float]]:
    """Yield points on a grid over a picture, corners included, in its own units."""
    box = VIEW_BOX.search(panel.svg)
    left, top, width, height = map(float, box[1].replace(",", " ").split()) if box else (0.0, 0.0, *panel.size)
    for i in range(GRID_POINTS):
        for j in range(GRID_POINTS):
            yield left + width * i / (GRID_POINTS - 1), top + height * j / (GRID_POINTS - 1)
