"""The first game that teaches, at a table: what is told now, what may be done, and what follows at once.

Where a table stands in its lesson follows from its entries alone. Until the script is over it is always the learner's
turn between two requests, for what others do is written together with what the learner did.
"""

import logging
from collections.abc import Iterable, Sequence
from dataclasses import dataclass
from functools import cache

from ... import catalog
from ...core.contract import NONE
from ...errors import AlmuniaError
from ...library import game
from ...play.lesson import FILE, Lesson, Step, load
from ..errors import Forbidden, NotFound
from .model import PERSON, PLAY_ON, Table, TableEvent

BOT = "easy"  # the level of the others, once the script is over
OTHER = "The lesson asks for another move here. Leave the lesson to play as you like."

log = logging.getLogger(__name__)


def teaches(name: str) -> bool:
    """Does this game bring a lesson?"""
    return bool(catalog.game_file(name, FILE).is_file())


@cache
def lesson_of(name: str) -> Lesson | None:
    """The lesson of a game; none if it brings none, and a warning in the log if it cannot be used."""
    try:
        return load(game(name, "plain"))
    except AlmuniaError as error:
        log.warning("The lesson of %s cannot be given: %s", name, error)
        return None


def offered(name: str) -> Lesson:
    """The lesson of a game; NotFound if there is none to be had."""
    lesson = lesson_of(name)
    if lesson is None:
        raise NotFound(f"{catalog.meta(name).title} has no first game that teaches. Its rules are on the game's page.")
    return lesson


@dataclass(frozen=True)
class LessonProgress:
    """Where a table stands in its lesson: before its end, or just at it."""

    lesson: Lesson
    told: tuple[Step, ...]  # what is told now; only the last step can ask for something
    over: bool  # has everything been done?

    @property
    def learner(self) -> int:
        """The seat of whoever learns."""
        return self.lesson.learner

    @property
    def only(self) -> int:
        """The one action that is allowed; NONE if all are."""
        return self.told[-1].do if self.told else NONE

    @property
    def number(self) -> int:
        """Of the first step that is told, from 1."""
        return 1 + (self.lesson.steps.index(self.told[0]) if self.told else len(self.lesson.steps))

    @property
    def so_far(self) -> tuple[Step, ...]:
        """All steps up to those that are told now."""
        return self.lesson.steps[: self.number - 1 + len(self.told)] if self.told else self.lesson.steps

    @property
    def count(self) -> int:
        """How many steps there are."""
        return len(self.lesson.steps)

    @property
    def asks(self) -> bool:
        """Is one action asked for?"""
        return self.only != NONE

    def check(self, action: int) -> None:
        """Forbidden unless the lesson asks for this action."""
        if action != self.only:
            raise Forbidden(OTHER)

    @property
    def next(self) -> tuple[int, ...]:
        """What follows at once on the action that is allowed."""
        return self.told[-1].then if self.told else ()


def standing(table: Table, actions: Sequence[int], entries: Iterable[TableEvent]) -> LessonProgress | None:
    """Where a table stands in its lesson; None if it is none, is over, or has been left."""
    lesson = lesson_of(table.game) if table.lesson and not table.finished else None
    if lesson is None or (table.seed, len(table.seats)) != (lesson.seed, lesson.seats):
        return None
    told, over = lesson.steps_at(actions), tuple(actions) == lesson.actions
    learner = table.seats[lesson.learner]
    alone = learner.kind != PERSON or learner.stand_in != ""
    if alone or not (told or over) or any(entry.kind == PLAY_ON for entry in entries):
        return None
    return LessonProgress(lesson, told, over)
