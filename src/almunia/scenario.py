"""Scenarios: short texts that set up a position, apply actions, and state the expected results.

A scenario begins with `name: value` lines. After a blank line, each line is a step:

    game: orchard
    option deal: 6 14 16 18 1 2 3 4 5
    cites: 3.1 4.1

    do place 14 at 1,1 turned 270      a legal action in words
    refuse place 16 at 9,9             an action of the game that must not be legal here
    see die 1,1: plum 1                a question to the position, and the answer
    put rotten at 1,1                  a direct change of the state
    scores 2                           points by seat
    legal 55                           how many actions there are
    turn 0                             the seat to move
    undo                               undo the last action
    stays                              the last action cannot be undone
    as 1 see hand: hidden              a question to the observation of seat 1
    ranks 1 2                          ranks by seat
    over Every card is placed.         the ending

Seats count from 0, as in the state.

Fields of the state are named as in the rules, for `see` and for `put`:

    put s.seat[1].farmers: 3
    see s.earned[0, 2]: 12

All other words of `see` and `put` are the game's own, in its `tests/scenes.py` (`look` and `put`).
A line that begins with `#` is a comment.
"""

import re
from contextlib import suppress
from importlib import import_module
from pathlib import Path
from typing import Any

from .core.loaded import Build
from .errors import AlmuniaError, IllegalAction, RecordError
from .files import read_text
from .library import game
from .play.play import Play, fold_case

FIELD = re.compile(r"s((?:\.[a-z]\w*|\[\d+(?:, \d+)*\])+)")
PART = re.compile(r"\.(\w+)|\[([\d, ]+)\]")
FieldPath = list[str | int | tuple[int, ...]]  # fields and indexes
HEADINGS = ("game", "seats", "seed", "cites")
STEPS = ("do", "refuse", "put", "see", "as", "scores", "ranks", "legal", "turn", "undo", "stays", "over")


class ScenarioFailed(AssertionError):
    """The exception for an unexpected result in a scenario. The message names the line."""


def run(path: Path, build: Build = "plain") -> Play:
    """Run the scenario in a file and return the play at its end.

    Raises:
        ScenarioFailed: a result is not as expected.
        IllegalAction: an action is not legal.
        UndoRefused: an action cannot be undone.
        RecordError: the heading cannot be read, or a step cannot be done.
        SetupError: there is no such game, or a seed, seat, seat count or option is wrong.
        OSError: the file cannot be read.
        UnicodeDecodeError: the file is not text.
    """
    lines = [line.rstrip() for line in read_text(path).splitlines()]
    head = heading(lines)
    play = start(path, head, build)
    scenes = scenes_of(play)
    for number, line in enumerate(lines[len(head) :], len(head) + 1):
        words = line.strip()
        if words and not words.startswith("#"):
            location = f"{path.name}, line {number} ({words})"
            try:
                step(play, scenes, words)
            except (ScenarioFailed, AlmuniaError) as error:
                raise type(error)(f"{location}: {error}") from None
            except Exception as error:
                raise RecordError(f"{location} cannot be done: {type(error).__name__} {error}") from error
    return play


def heading(lines: list[str]) -> list[str]:
    return lines[: lines.index("")] if "" in lines else lines


def start(path: Path, head: list[str], build: Build) -> Play:
    """Start a play by the heading of a scenario, and return the play.

    Raise RecordError if the heading cannot be read, and SetupError for an unknown game, seat count, seed or option.
    """
    facts: dict[str, str] = {"seats": "", "seed": "1"}
    for line in head:
        name, colon, value = line.partition(":")
        if not line.startswith("#"):
            if not colon:
                raise RecordError(f"{path.name}: {line!r} is not 'name: value'. A blank line ends the heading.")
            if name not in HEADINGS and not name.startswith("option "):
                raise RecordError(f"{path.name}: a heading has no {name!r}; it has {', '.join(HEADINGS)} and options.")
            facts[name.strip()] = value.strip()
    if "game" not in facts:
        raise RecordError(f"{path.name} does not say which game it is about ('game: name').")
    options = {name.removeprefix("option "): value for name, value in facts.items() if name.startswith("option ")}
    try:
        seats, seed = int(facts["seats"]) if facts["seats"] else None, int(facts["seed"])
    except ValueError as error:
        raise RecordError(f"{path.name}: seats and seed are whole numbers: {error}.") from None
    return game(facts["game"], build).start(seats, seed, options)


def scenes_of(play: Play) -> Any:
    package = play.game.file("tests/scenes.py")
    return play.game.checked(import_module(f"{play.game.package}.tests.scenes")) if package.is_file() else None


def step(play: Play, scenes: Any, words: str) -> None:
    verb, _, rest = words.partition(" ")
    match verb:
        case "do":
            play.apply(play.string_to_action(rest))
        case "refuse":
            refuse(play, rest)
        case "undo":
            play.undo()
        case "put":
            put(play.state, scenes, rest)
            play.refresh()
        case "see":
            see(play.state, scenes, rest)
        case "as":
            seat, _, question = rest.partition(" see ")
            see(play.observe(int(seat)).state, scenes, question)
        case _:
            expect(fact(play, verb), rest)


def fact(play: Play, name: str) -> str:
    """Return the result of a play with this name, as a scenario writes it. Raise RecordError for an unknown name."""
    match name:
        case "scores":
            return " ".join(map(str, play.score_table()[:, 0]))
        case "ranks":
            return " ".join(map(str, play.ranks()))
        case "legal":
            return str(len(play.legal_actions))
        case "turn":
            return str(play.turn)
        case "stays":
            return "and can be undone" if play.can_undo else ""
        case "over":
            return play.outcome.reason if play.outcome else "not over"
    raise RecordError(f"{name!r} is no step; there are: {', '.join(STEPS)}.")


def refuse(play: Play, words: str) -> None:
    """Check that the words name an action of the game that is not legal here.

    Raise ScenarioFailed if the action is legal, and RecordError if no action has these words.
    """
    try:
        play.string_to_action(words)
    except IllegalAction:
        if not any(has_words(play, action, words) for action in range(play.game.rules.ACTIONS)):
            raise RecordError("no action has these words here, so there is nothing to refuse") from None
        return
    raise ScenarioFailed("this action is legal")


def has_words(play: Play, action: int, words: str) -> bool:
    with suppress(Exception):
        return fold_case(play.action_to_string(action)) == fold_case(words)
    return False


def see(s: Any, scenes: Any, words: str) -> None:
    """Raise ScenarioFailed unless the answer to a question is as expected. `words` are `question: answer`."""
    question, _, answer = (part.strip() for part in words.partition(":"))
    expect(str(resolve(s, parse_path(question))) if FIELD.fullmatch(question) else scenes.look(s, question), answer)


def put(s: Any, scenes: Any, words: str) -> None:
    """Change a field of a state, or run a command of the game's `tests/scenes.py` on the state."""
    name, _, number = (part.strip() for part in words.partition(":"))
    if not FIELD.fullmatch(name):
        scenes.put(s, words)
        return
    *path, last = parse_path(name)
    owner = resolve(s, path)
    if isinstance(last, str):
        setattr(owner, last, int(number))
    else:
        owner[last] = int(number)


def parse_path(name: str) -> FieldPath:
    found: FieldPath = []
    for field, index in PART.findall(name):
        numbers = tuple(map(int, index.split(", "))) if index else ()
        found.append(field or (numbers[0] if len(numbers) == 1 else numbers))
    return found


def resolve(s: Any, path: FieldPath) -> Any:
    for name in path:
        s = getattr(s, name) if isinstance(name, str) else s[name]
    return s


def expect(found: str, wanted: str) -> None:
    if found != wanted:
        raise ScenarioFailed(f"found {found!r}, expected {wanted!r}")
