"""Plays for tests of words, pictures and bots: a start with changes made by hand, and scenarios step by step."""

from pathlib import Path

import almunia
from almunia.core import scenario
from almunia.core.contract import NONE, Points, Ref, Who
from almunia.games.alhambra.tests import scenes

PLAIN = almunia.game("alhambra", "plain")
SCENES = PLAIN.reader(scenes)
SCENARIOS = Path(__file__).parent / "scenarios"


def position(*changes, seats=3, **options):
    """A play with some changes made by hand."""
    play = PLAIN.new(seats=seats, seed=1, **options)
    for change in changes:
        SCENES.put(play.state, change)
    play.refresh()
    return play


def done(play, *spoken):
    """The same play after some actions."""
    for words in spoken:
        play.apply(play.hear(words))
    return play


def told(play, spoken, reader=0):
    """Do this, and return the log lines that a reader gets, with <seats> and [names]."""
    before, action = play.observe(reader), play.hear(spoken)
    known = action if PLAIN.may_see(before.state, reader) else NONE
    play.apply(action)
    lines = PLAIN.text.tell(before.state, known, play.observe(reader).state)
    return ["".join(map(heard, line)) for line in lines]


def heard(piece):
    """A piece of a log line as plain words."""
    match piece:
        case Who():
            return f"<{piece.seat}>"
        case Points():
            return f"{piece.value:+d}"
        case Ref():
            return f"[{piece.words}]"
    return piece


def chronicle(name, reader=0):
    """A scenario's play, and the log lines of each of its actions."""
    path = SCENARIOS / f"{name}.txt"
    lines = path.read_text("utf-8").splitlines()
    head = scenario.heading(lines)
    play, log = scenario.start(path, head, "plain"), []
    for line in lines[len(head) :]:
        verb, _, rest = line.partition(" ")
        if verb == "do":
            log.append(told(play, rest, reader))
        elif verb in ("put", "undo"):
            scenario.step(play, SCENES, line)
    return play, log
