"""Checks of guidance for players."""

from collections.abc import Iterator
from functools import partial
from itertools import product
from typing import Any

import numpy as np

from ..core.english import capitalize
from ..core.optional import ActionSequence, is_default
from ..core.rich_text import plain_text
from ..play.play import Observation, Play
from .case import Case, check, require
from .pictures import ids
from .text import is_line

GRID_POINTS = 9  # per dimension of a picture


@check
def suggestions_are_legal(case: Case) -> None:
    """Require suggestions that differ, have valid labels, and are legal in the position and two determinizations."""
    text = case.plain.text
    for play, seen in case.decisions(case.plain, 7, every=2):
        suggestions = text.suggestions(seen.state)
        labels = [plain_text(suggestion.offer) for suggestion in suggestions]
        require(len(set(labels)) == len(labels), f"Two suggestions share their words among {labels}.")
        actions = {suggestion.actions for suggestion in suggestions}
        require(len(actions) == len(suggestions), f"Two of the suggestions {labels} are the same.")
        for suggestion, label in zip(suggestions, labels, strict=True):
            are_lines = is_line(suggestion.offer) and is_line(suggestion.effect)
            require(are_lines, f"The words of {suggestion} are not lines.")
            require(label == capitalize(label), f"{label!r} does not begin with a capital letter.")
            for possible in (play.copy(), seen.determinize(1), seen.determinize(2)):
                require_applicable(possible, suggestion, label)


def require_applicable(play: Play, suggestion: ActionSequence, label: str) -> None:
    """Require that a suggestion has several actions, each legal for the same seat when applied to `play` in order."""
    seat = play.turn
    require(len(suggestion.actions) > 1, f"The suggestion {label!r} is a single action.")
    for number, action in enumerate(suggestion.actions, 1):
        is_legal = play.turn == seat and action in play.legal_actions
        require(is_legal, f"Action {number} of the suggestion {label!r} is not legal.")
        play.apply(action)


@check
def public_questions_are_public(case: Case) -> None:
    """Require that every observer knows whether the legal actions are public, and can derive public legal actions."""
    for play, _ in case.decisions(case.compiled, 8, every=2):
        public = play.game.legal_is_public(play.state)
        for observer in case.observers():
            seen = play.observe(observer)
            same = play.game.legal_is_public(seen.state) == public
            require(same, f"Observer {observer} does not agree whether the legal actions are public.")
            if public and observer != play.turn:
                is_known = all(seen.determinize(seed).legal_actions == play.legal_actions for seed in range(2))
                require(is_known, f"Observer {observer} cannot know the legal actions, which are declared public.")


@check
def explanations_are_valid(case: Case) -> None:
    """Require that every refusal is a sentence that cites a mark of RULES.md, and names no missing target.

    The check asks for refusals at the points of a grid over each picture.
    """
    text = case.plain.text
    if is_default(text.explain_illegal):
        return  # the game explains no refusals
    for _, seen in case.decisions(case.plain, 9, every=9):
        targets = {"", *ids(seen)}
        for place in places(seen):
            refusal = text.explain_illegal(seen.state, place, {})
            if refusal:
                require(is_line(refusal.sentence), f"The refusal of {place!r} is no line: {refusal.sentence!r}.")
                words = plain_text(refusal.sentence)
                require(words.endswith((".", "?")), f"The refusal of {place!r} is no sentence: {words!r}.")
                require(
                    refusal.rule in case.marks, f"The refusal of {place!r} cites {refusal.rule!r}, no mark in RULES.md."
                )
                require(
                    refusal.target in targets,
                    f"The refusal of {place!r} names a missing target: {refusal.target!r}.",
                )


def places(seen: Observation) -> set[str]:
    """Return the places at the points of a grid over each picture of a position."""
    from ..play.panels import describe_panels

    hit_test = partial(seen.game.view.hit_test, seen.state, seen.seat)
    names = {hit_test(panel.name, x, y) for panel in describe_panels(seen) for x, y in grid(panel.picture.viewBox)}
    require(all(isinstance(name, str) for name in names), f"Places are strings, and these are not: {names}.")
    return names - {""}


def grid(box: Any) -> Iterator[tuple[float, float]]:
    xs = np.linspace(float(box.min_x), float(box.min_x + box.width), GRID_POINTS)
    ys = np.linspace(float(box.min_y), float(box.min_y + box.height), GRID_POINTS)
    return product(xs.tolist(), ys.tolist())
