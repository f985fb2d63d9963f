"""The guided first game, from a game's `lesson.toml`: a fixed deal, and explanations.

    seats = 2
    seed = 7
    learner = 1                       # the learner's seat, from 1
    first = ["income"]                # optional: actions before the first step, in words
    [options]                         # optional: options of the game
    [[steps]]
    say = "You play two cards a turn: together they choose a row and a column."
    point = ["hand"]                  # names of panels, ids of elements in pictures, or PLACES
    rule = "4.2"                      # optional: the mark of the paragraph
    [[steps]]
    say = "Play the bison."
    point = ["card-bison"]
    do = "play bison"                 # optional: the one action that this step allows
    then = ["play eagle"]             # optional: actions that follow at once, of any seat

Actions are in the words of `text.action_to_string`. Between steps, and at the end of the script, it is always the
learner's turn. So the actions of a play alone determine its step. The play continues after the script.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any, get_args

from ..core.contract import NONE
from ..core.loaded import LoadedGame
from ..errors import IllegalAction, SetupError
from ..files import read_text
from .panels import ids_of, panels
from .play import Play

FILE = "lesson.toml"
MIN_STEPS, MAX_STEPS = 12, 20
MAX_WORDS = 45  # of a step
PLACES = ("board", "question", "seats", "log")  # parts of the page that a step can point at

KINDS: dict[Any, str] = {  # of values, for error messages
    int: "a whole number",
    str: "a text",
    dict: "a table",
    list[str]: "a list of texts",
    list[dict]: "a list of tables",
}
REQUIRED_KEYS = {"seats": int, "seed": int, "learner": int, "steps": list[dict]}
OPTIONAL_KEYS = {"options": dict, "first": list[str]}
REQUIRED_STEP_KEYS = {"say": str, "point": list[str]}
OPTIONAL_STEP_KEYS = {"rule": str, "do": str, "then": list[str]}

MARK = re.compile(r"\*\*(\d+\.\d+|D\d+)\*\*")


@dataclass(frozen=True)
class Step:
    """A step of a lesson."""

    say: str  # the words to the learner
    point: tuple[str, ...]  # panels, elements of pictures, PLACES
    rule: str  # the mark of the paragraph, or empty
    begin: int  # the number of actions before this step
    do: int = NONE  # the action that the learner must do; NONE if the step asks for none
    then: tuple[int, ...] = ()  # actions that follow at once


@dataclass(frozen=True)
class Lesson:
    """A fixed deal with the steps of its first turns."""

    seats: int
    seed: int
    learner: int  # seat, from 0
    options: dict[str, str]
    actions: tuple[int, ...]  # the whole script, of all seats
    steps: tuple[Step, ...]

    def steps_at(self, actions: Sequence[int]) -> tuple[Step, ...]:
        """Return the steps to show after these actions.

        Return no steps after the script, or if the actions differ from the script. Only the last of the returned steps
        can ask for an action.
        """
        done = len(actions)
        if tuple(actions) != self.actions[:done]:
            return ()
        return tuple(step for step in self.steps if step.begin == done)

    @property
    def first(self) -> tuple[int, ...]:
        return self.actions[: self.steps[0].begin]


def load(game: LoadedGame) -> Lesson | None:
    """Return the lesson of a game, or None if the game has none. Raise SetupError if the file has a fault."""
    file = game.file(FILE)
    if not file.is_file():
        return None
    try:
        data = tomllib.loads(read_text(file))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SetupError(f"The {FILE} of {game.meta.title} cannot be read: {error}.") from None
    return lesson_of(game, data)


def check(game: LoadedGame) -> Lesson | None:
    """Return the lesson of a game as `load` does. Raise SetupError also if a step points at a missing target."""
    lesson = load(game)
    if lesson:
        raise_faults(game, point_faults(game, lesson))
    return lesson


def raise_faults(game: LoadedGame, faults: Iterator[str]) -> None:
    if found := list(faults):
        raise SetupError(f"The {FILE} of {game.meta.title} cannot be used: {' '.join(found)}")


# --- the file -----------------------------------------------------------------------------------------


def shape_faults(data: dict[str, Any]) -> Iterator[str]:
    """Yield a sentence on each key that is missing, unknown or of the wrong kind, and on each `then` without `do`."""
    yield from table_faults("The file", data, REQUIRED_KEYS, OPTIONAL_KEYS)
    steps = data.get("steps", [])
    for number, step in enumerate(steps if is_of_kind(steps, list[dict]) else [], 1):
        yield from table_faults(f"Step {number}", step, REQUIRED_STEP_KEYS, OPTIONAL_STEP_KEYS)
        if "then" in step and "do" not in step:
            yield f"Step {number} has 'then' without 'do': put what follows into the step before, or into 'first'."


def table_faults(name: str, table: dict[str, Any], must: dict[str, Any], may: dict[str, Any]) -> Iterator[str]:
    kinds = must | may
    yield from (f"{name} lacks {key!r}." for key in must if key not in table)
    for key, value in table.items():
        if key not in kinds:
            yield f"{name} has {key!r}, which is not known; there are: {', '.join(kinds)}."
        elif not is_of_kind(value, kinds[key]):
            yield f"{name}: {key} must be {KINDS[kinds[key]]}, not {value!r}."


def is_of_kind(value: object, kind: Any) -> bool:
    if of := get_args(kind):
        return isinstance(value, list) and all(isinstance(item, of) for item in value)
    return isinstance(value, kind) and not isinstance(value, bool)


def word_faults(data: dict[str, Any], marks: set[str]) -> Iterator[str]:
    """Yield a sentence on a wrong number of steps, or of words in a step, on missing targets, and on unknown marks."""
    steps = data["steps"]
    if not MIN_STEPS <= len(steps) <= MAX_STEPS:
        yield f"It has {len(steps)} steps; a lesson has {MIN_STEPS} to {MAX_STEPS}."
    for number, step in enumerate(steps, 1):
        count = len(step["say"].split())
        if not 1 <= count <= MAX_WORDS:
            yield f"Step {number} says {count} words; a step says 1 to {MAX_WORDS}."
        if not step["point"]:
            yield f"Step {number} points at nothing."
        if "rule" in step and step["rule"] not in marks:
            yield f"Step {number} cites {step['rule']!r}, no mark in RULES.md."


# --- the actions ----------------------------------------------------------------------------------------


def lesson_of(game: LoadedGame, data: dict[str, Any]) -> Lesson:
    """Return the lesson in the data of a file, after playing its actions. Raise SetupError if the data has a fault."""
    raise_faults(game, shape_faults(data))
    raise_faults(game, word_faults(data, set(MARK.findall(game.file("RULES.md").read_text("utf-8")))))
    place = f"The {FILE} of {game.meta.title}"
    try:
        play = Play.start(game, data["seats"], data["seed"], data.get("options", {}))
    except SetupError as error:
        raise SetupError(f"{place}: {error}") from None
    learner = data["learner"] - 1
    if not 0 <= learner < play.seats:
        raise SetupError(f"{place}: the learner's seat is one of 1 to {play.seats}, not {data['learner']}.")
    apply_all(play, data.get("first", []), f"{place}, first")
    steps = []
    for number, table in enumerate(data["steps"], 1):
        here, begin = f"{place}, step {number}", len(play.actions)
        require_turn(play, learner, here)
        do = apply_all(play, [table["do"]], here) if "do" in table else [NONE]
        then = apply_all(play, table.get("then", []), here)
        steps.append(Step(table["say"], tuple(table["point"]), table.get("rule", ""), begin, do[0], tuple(then)))
    require_turn(play, learner, f"{place}, after its last step")
    return Lesson(play.seats, data["seed"], learner, play.options, tuple(play.actions), tuple(steps))


def apply_all(play: Play, said: Sequence[str], place: str) -> list[int]:
    """Apply actions in words to `play` and return their codes. Raise SetupError if an action is not legal."""
    actions = []
    for words in said:
        try:
            actions.append(play.string_to_action(words))
        except IllegalAction as error:
            raise SetupError(f"{place}: {error}") from None
        play.apply(actions[-1])
    return actions


def require_turn(play: Play, learner: int, place: str) -> None:
    if play.over:
        raise SetupError(f"{place}: the play is over, and a lesson ends before.")
    if play.turn != learner:
        raise SetupError(
            f"{place}: it is the turn of seat {play.turn + 1}, not of the learner in seat {learner + 1}. "
            f"Let {play.action_to_string(play.legal_actions[0])!r} or the like follow in 'then' of the step before, "
            "or in 'first'."
        )


# --- the pictures -----------------------------------------------------------------------------------------


def point_faults(game: LoadedGame, lesson: Lesson) -> Iterator[str]:
    """Yield a sentence on each target of a step that is not among `visible_targets` before the step."""
    play = Play.start(game, lesson.seats, lesson.seed, lesson.options)
    for done in range(len(lesson.actions) + 1):
        steps = lesson.steps_at(play.actions)
        targets = visible_targets(play, lesson.learner, steps[-1].do) if steps else set()
        for number, point in ((lesson.steps.index(step) + 1, point) for step in steps for point in step.point):
            if point not in targets:
                near = ", ".join(get_close_matches(point, sorted(targets), 4, 0.3) or sorted(targets)[:4])
                yield f"Step {number} points at {point!r}, which is not there at that moment; nearest: {near}."
        if done < len(lesson.actions):
            play.apply(lesson.actions[done])


def visible_targets(play: Play, learner: int, do: int) -> set[str]:
    """Return the targets that a step can point at: PLACES, and the names and ids in the learner's pictures.

    The pictures offer only the action `do`, or all legal actions if `do` is NONE.
    """
    view = play.observe(learner)
    drawn = panels(view, view.legal_actions if do == NONE else (do,))
    return {*PLACES, *(panel.name for panel in drawn), *(name for panel in drawn for name in ids_of(panel.svg))}
