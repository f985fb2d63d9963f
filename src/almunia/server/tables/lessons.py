"""Lessons at tables: the current steps, the required action, and the scripted replies.

The position in a lesson follows from the table's moves. Replies are written together with the learner's move.
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
from .model import LESSON_LEFT, PERSON, Table, TableEvent

BOT_LEVEL = "beginner"  # of the opponents once the script is over, and in the first game
WRONG_MOVE_MESSAGE = "The lesson asks for a different move. Leave the lesson to choose your own moves."

log = logging.getLogger(__name__)


def has_lesson(name: str) -> bool:
    return bool(catalog.game_file(name, FILE).is_file())


@cache
def lesson_of(name: str) -> Lesson | None:
    """Return the lesson of a game; None if it cannot be loaded."""
    try:
        return load(game(name, "plain"))
    except AlmuniaError as error:
        log.warning("The lesson of %s cannot be given: %s", name, error)
        return None


def get_lesson(name: str) -> Lesson:
    """Return the lesson of a game; raise NotFound if it cannot be loaded."""
    lesson = lesson_of(name)
    if lesson is None:
        raise NotFound(f"{catalog.meta(name).title} has no lesson. Its rules are on the game's page.")
    return lesson


@dataclass(frozen=True)
class LessonProgress:
    lesson: Lesson
    current_steps: tuple[Step, ...]  # only the last one can require an action
    is_over: bool  # whether all steps are done

    @property
    def learner(self) -> int:
        return self.lesson.learner

    @property
    def required_action(self) -> int:
        """The action that the lesson requires, or NONE."""
        return self.current_steps[-1].do if self.current_steps else NONE

    @property
    def first_step_number(self) -> int:
        """The number of the first current step, from 1; one more than the last step's if no step is current."""
        return 1 + (self.lesson.steps.index(self.current_steps[0]) if self.current_steps else len(self.lesson.steps))

    @property
    def steps_so_far(self) -> tuple[Step, ...]:
        return self.lesson.steps[: self.first_step_number - 1 + len(self.current_steps)]

    @property
    def step_count(self) -> int:
        return len(self.lesson.steps)

    def check(self, action: int) -> None:
        """Raise Forbidden unless the lesson requires this action."""
        if action != self.required_action:
            raise Forbidden(WRONG_MOVE_MESSAGE)

    @property
    def followup_actions(self) -> tuple[int, ...]:
        """The actions that the script plays after the required action."""
        return self.current_steps[-1].then if self.current_steps else ()


def lesson_progress(table: Table, actions: Sequence[int], events: Iterable[TableEvent]) -> LessonProgress | None:
    """Return a table's position in its lesson; None if no lesson is in progress."""
    lesson = lesson_of(table.game) if table.lesson and not table.finished else None
    if lesson is None or (table.seed, len(table.seats)) != (lesson.seed, lesson.seats):
        return None
    steps, is_over = lesson.steps_at(actions), tuple(actions) == lesson.actions
    learner = table.seats[lesson.learner]
    has_left = learner.kind != PERSON or learner.substitute_bot or any(one.kind == LESSON_LEFT for one in events)
    if has_left or not (steps or is_over):
        return None
    return LessonProgress(lesson, steps, is_over)
