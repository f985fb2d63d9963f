"""Scenarios: short texts that set up a position, act, and say what must come of it.

A scenario begins with `name: value` lines and goes on, after a blank line, with one step a line:

    game: orchard
    option deal: 6 14 16 18 1 2 3 4 5
    cites: 3.1 4.1

    do place 14 at 1,1 turned 270      a legal action in words
    refuse place 16 at 9,9             an action that must not be legal
    see die 1,1: plum 1                a question to the position, and the answer
    put rotten at 1,1                  a change made by hand
    scores 2                           points by seat
    legal 55                           how many actions there are
    turn 0                             the seat to move
    over Every card is placed.         the ending

`see` and `put` are answered by the game's own `tests/scenes.py` (`look` and `put`). A line that
begins with `#` is a remark.
"""

from importlib import import_module
from pathlib import Path
from typing import TYPE_CHECKING, Any

from ..errors import AlmuniaError, IllegalAction, RecordError

if TYPE_CHECKING:
    from .play import Play


class ScenarioFailed(AssertionError):
    """A scenario whose position is not what it says; the message names the line."""


def run(path: Path, build: str = "plain") -> "Play":
    """Run the scenario in a file and return the play at its end.

    Raises:
        ScenarioFailed: something is not as the scenario says.
        RecordError: the scenario cannot be read.
    """
    lines = path.read_text("utf-8").splitlines()
    head = heading(lines)
    play = start(path, head, build)
    scenes = scenes_of(play)
    for number, line in enumerate(lines[len(head) :], len(head) + 1):
        words = line.strip()
        if words and not words.startswith("#"):
            try:
                step(play, scenes, words)
            except (ScenarioFailed, AlmuniaError) as error:
                raise type(error)(f"{path.name}, line {number} ({words}): {error}") from None
    return play


def heading(lines: list[str]) -> list[str]:
    """The lines before the first blank one."""
    return lines[: lines.index("")] if "" in lines else lines


def start(path: Path, head: list[str], build: str) -> "Play":
    """The play that a scenario's heading asks for."""
    from .game import game

    facts: dict[str, str] = {"seats": "", "seed": "1"}
    for line in head:
        name, colon, value = line.partition(":")
        if not line.startswith("#"):
            if not colon:
                raise RecordError(f"{path.name}: {line!r} is not 'name: value'. A blank line ends the heading.")
            facts[name.strip()] = value.strip()
    if "game" not in facts:
        raise RecordError(f"{path.name} does not say which game it is about ('game: name').")
    options = {name.removeprefix("option "): value for name, value in facts.items() if name.startswith("option ")}
    seats = int(facts["seats"]) if facts["seats"] else None
    return game(facts["game"], build).new(seats, int(facts["seed"]), **options)


def scenes_of(play: "Play") -> Any:
    """The game's words for positions, or None if it has none."""
    package = play.game.file("tests/scenes.py")
    return play.game.reader(import_module(f"{play.game.package}.tests.scenes")) if package.is_file() else None


def step(play: "Play", scenes: Any, words: str) -> None:
    """Do one step of a scenario."""
    verb, _, rest = words.partition(" ")
    match verb:
        case "do":
            play.apply(play.hear(rest))
        case "refuse":
            refuse(play, rest)
        case "put":
            scenes.put(play.state, rest)
            play.refresh()
        case "see":
            question, _, answer = rest.partition(":")
            expect(scenes.look(play.state, question.strip()), answer.strip())
        case "scores":
            expect(" ".join(map(str, play.standing()[:, 0])), rest)
        case "legal":
            expect(str(len(play.legal)), rest)
        case "turn":
            expect(str(play.turn), rest)
        case "over":
            expect(play.outcome.reason if play.outcome else "not over", rest)
        case _:
            raise RecordError(f"{verb!r} is no step; there are: do, refuse, put, see, scores, legal, turn, over.")


def refuse(play: "Play", words: str) -> None:
    """Check that an action is not legal."""
    try:
        play.hear(words)
    except IllegalAction:
        return
    raise ScenarioFailed("this action is legal")


def expect(found: str, wanted: str) -> None:
    """Check an answer."""
    if found != wanted:
        raise ScenarioFailed(f"found {found!r}, expected {wanted!r}")
