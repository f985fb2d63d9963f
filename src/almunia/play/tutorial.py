"""The first game that teaches, which a game may bring as `lesson.toml`: a fixed deal, and what is said on the way.

    seats = 2
    seed = 7
    learner = 1                       # the seat of whoever learns, from 1
    first = ["income"]                # what is done before the first step, in words, if anything is
    [options]                         # of the game, where they differ from the usual
    [[steps]]
    say = "You play two cards a turn: together they choose a row and a column."
    point = ["hand"]                  # a panel's name, the id of an element of a picture, or one of PLACES
    rule = "4.2"                      # the paragraph, where one fits
    [[steps]]
    say = "Play the bison."
    point = ["card-bison"]
    do = "play bison"                 # the one action this step allows; without it the step only tells something
    then = ["play eagle"]             # what follows at once, whoever acts, in order

Actions stand there in the words of `text.say`. Between the steps it is always the learner's turn, at the end too, when
the script is over and the play goes on. So where a play stands in its lesson follows from its actions alone.
"""

import re
import tomllib
from collections.abc import Iterator, Sequence
from dataclasses import dataclass
from difflib import get_close_matches
from typing import Any

from ..core.contract import NONE
from ..core.loaded import LoadedGame
from ..errors import IllegalAction, SetupError
from ..files import read_text
from .play import Play

FILE = "lesson.toml"
FEWEST, MOST = 12, 20  # steps
WORDS = 45  # of a step, at most
PLACES = ("board", "question", "seats", "log")  # what a step can point at, beside panels and elements of pictures

KINDS: dict[type, str] = {int: "a whole number", str: "a text", list: "a list", dict: "a table"}
HEAD: dict[str, type] = {"seats": int, "seed": int, "learner": int, "steps": list}
MAY_HEAD: dict[str, type] = {"options": dict, "first": list}
STEP: dict[str, type] = {"say": str, "point": list}
MAY_STEP: dict[str, type] = {"rule": str, "do": str, "then": list}

MARK = re.compile(r"\*\*(\d+\.\d+|D\d+)\*\*")


@dataclass(frozen=True)
class Step:
    """A step of a lesson."""

    say: str  # to whoever learns
    point: tuple[str, ...]  # what it is about: panels, elements of pictures, PLACES
    rule: str  # the mark of the paragraph, or empty
    begin: int  # how many actions have been done when it is told
    do: int = NONE  # the action that it asks for
    then: tuple[int, ...] = ()  # what follows at once


@dataclass(frozen=True)
class Lesson:
    """A fixed deal with the steps of its first turns."""

    seats: int
    seed: int
    learner: int  # the seat of whoever learns, from 0
    options: dict[str, str]
    actions: tuple[int, ...]  # the whole script, whoever acts
    steps: tuple[Step, ...]

    def standing(self, actions: Sequence[int]) -> tuple[Step, ...]:
        """What is told after these actions; nothing if the script is over, or the play has left it.

        Only the last of these steps can ask for an action.
        """
        done = len(actions)
        if tuple(actions) != self.actions[:done]:
            return ()
        return tuple(step for step in self.steps if step.begin == done)

    @property
    def first(self) -> tuple[int, ...]:
        """What is done before the first step."""
        return self.actions[: self.steps[0].begin]


def load(game: LoadedGame) -> Lesson | None:
    """The lesson of a game, None if it brings none; SetupError says what in the file cannot be."""
    file = game.file(FILE)
    if not file.is_file():
        return None
    try:
        data = tomllib.loads(read_text(file))
    except (UnicodeDecodeError, tomllib.TOMLDecodeError) as error:
        raise SetupError(f"The {FILE} of {game.meta.title} cannot be read: {error}.") from None
    return lesson_of(game, data)


def lesson_of(game: LoadedGame, data: dict[str, Any]) -> Lesson:
    """The lesson that such a file tells; SetupError says what in it cannot be."""
    refuse(game, shape_faults(data))
    refuse(game, word_faults(data, set(MARK.findall(game.file("RULES.md").read_text("utf-8")))))
    return script(game, data)


def check(game: LoadedGame) -> Lesson | None:
    """The lesson of a game, whose steps point at what is there; SetupError says where one does not."""
    lesson = load(game)
    if lesson:
        refuse(game, point_faults(game, lesson))
    return lesson


def refuse(game: LoadedGame, faults: Iterator[str]) -> None:
    """SetupError if anything is wrong with a lesson."""
    if found := list(faults):
        raise SetupError(f"The {FILE} of {game.meta.title} cannot be used: {' '.join(found)}")


# --- what stands in the file --------------------------------------------------------------------------


def shape_faults(data: dict[str, Any]) -> Iterator[str]:
    """What is missing, unknown or of the wrong kind, a sentence each."""
    yield from table_faults("The file", data, HEAD, MAY_HEAD)
    yield from text_faults("The file", data, "first")
    steps = data.get("steps")
    for number, step in enumerate(steps if isinstance(steps, list) else [], 1):
        name = f"Step {number}"
        if not isinstance(step, dict):
            yield f"{name} is not a table."
            continue
        yield from table_faults(name, step, STEP, MAY_STEP)
        yield from (fault for key in ("point", "then") for fault in text_faults(name, step, key))
        if "then" in step and "do" not in step:
            yield f"{name} has 'then' without 'do': put what follows into the step before, or into 'first'."


def table_faults(name: str, table: dict[str, Any], must: dict[str, type], may: dict[str, type]) -> Iterator[str]:
    """What a table lacks, and what it has that it cannot have."""
    kinds = must | may
    yield from (f"{name} lacks {key!r}." for key in must if key not in table)
    for key, value in table.items():
        if key not in kinds:
            yield f"{name} has {key!r}, which is not known; there are: {', '.join(kinds)}."
        elif not isinstance(value, kinds[key]) or isinstance(value, bool):
            yield f"{name}: {key} must be {KINDS[kinds[key]]}, not {value!r}."


def text_faults(name: str, table: dict[str, Any], key: str) -> Iterator[str]:
    """What in a list is no text."""
    values = table.get(key, [])
    if isinstance(values, list) and not all(isinstance(value, str) for value in values):
        yield f"{name}: {key} must be a list of texts, not {values!r}."


def word_faults(data: dict[str, Any], marks: set[str]) -> Iterator[str]:
    """What is wrong with what is said: too much or too little, or a paragraph that the rules do not have."""
    steps = data["steps"]
    if not FEWEST <= len(steps) <= MOST:
        yield f"It has {len(steps)} steps; a lesson has {FEWEST} to {MOST}."
    for number, step in enumerate(steps, 1):
        count = len(step["say"].split())
        if not 1 <= count <= WORDS:
            yield f"Step {number} says {count} words; a step says 1 to {WORDS}."
        if not step["point"]:
            yield f"Step {number} points at nothing."
        if "rule" in step and step["rule"] not in marks:
            yield f"Step {number} cites {step['rule']!r}, no mark in RULES.md."


# --- what is done on the way ----------------------------------------------------------------------------


def script(game: LoadedGame, data: dict[str, Any]) -> Lesson:
    """A lesson whose actions have been tried; SetupError names the step with the first that cannot be done."""
    place = f"The {FILE} of {game.meta.title}"
    try:
        play = Play.start(game, data["seats"], data["seed"], data.get("options", {}))
    except SetupError as error:
        raise SetupError(f"{place}: {error}") from None
    learner = data["learner"] - 1
    if not 0 <= learner < play.seats:
        raise SetupError(f"{place}: the learner's seat is one of 1 to {play.seats}, not {data['learner']}.")
    do_all(play, data.get("first", []), f"{place}, first")
    steps = [taken(play, learner, table, f"{place}, step {number}") for number, table in enumerate(data["steps"], 1)]
    require_turn(play, learner, f"{place}, after its last step")
    return Lesson(play.seats, data["seed"], learner, play.options, tuple(play.actions), tuple(steps))


def taken(play: Play, learner: int, table: dict[str, Any], place: str) -> Step:
    """A step, after its actions have been done."""
    require_turn(play, learner, place)
    begin = len(play.actions)
    do = do_all(play, [table["do"]], place) if "do" in table else [NONE]
    then = do_all(play, table.get("then", []), place)
    return Step(table["say"], tuple(table["point"]), table.get("rule", ""), begin, do[0], tuple(then))


def do_all(play: Play, said: Sequence[str], place: str) -> list[int]:
    """Do actions in words; SetupError if one of them cannot be done."""
    actions = []
    for words in said:
        try:
            actions.append(play.string_to_action(words))
        except IllegalAction as error:
            raise SetupError(f"{place}: {error}") from None
        play.apply(actions[-1])
    return actions


def require_turn(play: Play, learner: int, place: str) -> None:
    """SetupError unless the learner is asked now: what others do, and what is forced, follows on a step at once."""
    if play.over:
        raise SetupError(f"{place}: the play is over, and a lesson ends before.")
    if play.turn != learner:
        raise SetupError(
            f"{place}: it is the turn of seat {play.turn + 1}, not of the learner in seat {learner + 1}. "
            f"Let {play.action_to_string(play.legal_actions[0])!r} or the like follow in 'then' of the step before, "
            "or in 'first'."
        )


# --- what is pointed at -----------------------------------------------------------------------------------


def point_faults(game: LoadedGame, lesson: Lesson) -> Iterator[str]:
    """What the learner's pictures do not show when a step points at it."""
    play = Play.start(game, lesson.seats, lesson.seed, lesson.options)
    for done in range(len(lesson.actions) + 1):
        told = lesson.standing(play.actions)
        known = pointed_at(play, lesson.learner, told[-1].do) if told else set()
        for step in told:
            yield from (lost(step, lesson, point, known) for point in step.point if point not in known)
        if done < len(lesson.actions):
            play.apply(lesson.actions[done])


def lost(step: Step, lesson: Lesson, point: str, known: set[str]) -> str:
    """The sentence on a point that is not there."""
    near = get_close_matches(point, sorted(known), 4, 0.3) or sorted(known)[:4]
    number = lesson.steps.index(step) + 1
    return f"Step {number} points at {point!r}, which is not there at that moment; nearest: {', '.join(near)}."


def pointed_at(play: Play, learner: int, do: int) -> set[str]:
    """All that can be pointed at when this action is allowed, or any if it is NONE."""
    from .panels import ids_of, panels  # needs svg.py

    view = play.observe(learner)
    drawn = panels(view, view.legal_actions if do == NONE else (do,))
    return {*PLACES, *(panel.name for panel in drawn), *(name for panel in drawn for name in ids_of(panel.svg))}
