"""What pages offer beside single actions: several in one go, answers at once, and the reason why not."""

import re
from collections.abc import Iterator
from typing import Any

from ..core.english import capital
from ..core.optional import ActionSequence, Explanation
from ..core.rich_text import spoken
from ..play.panels import RenderedPanel
from ..play.play import Observation, Play
from .case import Case, check, require
from .pictures import ids
from .words import is_line

POINTS = 9  # across a picture and down it, that are asked about
VIEW_BOX = re.compile(r'viewBox="([^"]+)"')


@check
def courses_can_be_done(case: Case) -> None:
    """Each proposed course is two or more actions that can be done in a row, whatever comes to light meanwhile."""
    text: Any = case.plain.text
    if not hasattr(text, "suggestions"):
        return  # single actions are all there is
    for play in case.positions(case.plain, 7, every=2):
        if play.over:
            continue
        seen = play.observe(play.turn)
        found = text.suggestions(seen.state)
        offers = [spoken(course.offer) for course in found]
        require(len(set(offers)) == len(offers), f"Two courses share their words among {offers}.")
        require(len({course.actions for course in found}) == len(found), f"Two of the courses {offers} are the same.")
        for course, words in zip(found, offers, strict=True):
            require(is_line(course.offer) and is_line(course.effect), f"{course} has words that are no line.")
            require(words == capital(words), f"{words!r} begins with a small letter.")
            for true in (play.copy(), seen.determinize(1), seen.determinize(2)):
                require_done(true, course, words)


def require_done(play: Play, course: ActionSequence, words: str) -> None:
    """Do a course."""
    seat = play.turn
    require(len(course.actions) > 1, f"The course {words!r} is a single action.")
    for number, action in enumerate(course.actions, 1):
        require(
            play.turn == seat and action in play.legal_actions,
            f"Action {number} of the course {words!r} is not possible.",
        )
        play.apply(action)


@check
def public_questions_are_public(case: Case) -> None:
    """Where everybody is said to know the legal actions, every reader does, and all say so."""
    for play in case.positions(case.fast, 8, every=2):
        if play.over:
            continue
        public = play.game.legal_is_public(play.state)
        for reader in case.readers():
            seen = play.observe(reader)
            same = play.game.legal_is_public(seen.state) == public
            require(same, f"To reader {reader} it is not the same whether the legal actions are public.")
            guesses = (
                [seen.determinize(seed).legal_actions for seed in range(2)] if public and reader != play.turn else []
            )
            known = all(legal == play.legal_actions for legal in guesses)
            require(known, f"Reader {reader} cannot know the legal actions of seat {play.turn}, said to be public.")


@check
def refusals_are_told(case: Case) -> None:
    """At every point of every picture there is a place or none, and why it is refused is a line with its paragraph."""
    text: Any = case.plain.text
    view: Any = case.plain.view
    if not (hasattr(text, "explain_illegal") and hasattr(view, "hit_test")):
        return  # a click at no target says nothing
    for play in case.positions(case.plain, 9, every=9):
        if play.over:
            continue
        seen, seat = play.observe(play.turn), play.turn
        there = {"", *ids(seen)}
        for place in places(seen, seat):
            refusal: Explanation | None = text.explain_illegal(seen.state, place, {})
            if refusal:
                require(is_line(refusal.sentence), f"The refusal of {place!r} is no line: {refusal.sentence!r}.")
                words = spoken(refusal.sentence)
                require(words.endswith((".", "?")), f"The refusal of {place!r} is no sentence: {words!r}.")
                require(
                    refusal.rule in case.marks, f"The refusal of {place!r} cites {refusal.rule!r}, no mark in RULES.md."
                )
                require(
                    refusal.target in there, f"The refusal of {place!r} names {refusal.target!r}, which is not there."
                )


def places(seen: Observation, seat: int) -> set[str]:
    """The places that a grid of points meets in the pictures of a position."""
    from ..play.panels import panels

    view: Any = seen.game.view
    found = {view.hit_test(seen.state, seat, drawn.name, x, y) for drawn in panels(seen) for x, y in grid(drawn)}
    require(all(isinstance(place, str) for place in found), f"Places are words, and these are not: {found}.")
    return found - {""}


def grid(drawn: RenderedPanel) -> Iterator[tuple[float, float]]:
    """Points all over a picture, in its own units, its corners among them."""
    box = VIEW_BOX.search(drawn.svg)
    left, top, width, height = map(float, box[1].replace(",", " ").split()) if box else (0.0, 0.0, *drawn.size)
    for i in range(POINTS):
        for j in range(POINTS):
            yield left + width * i / (POINTS - 1), top + height * j / (POINTS - 1)
