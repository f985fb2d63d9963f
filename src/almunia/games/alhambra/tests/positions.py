"""Plays for tests: changed positions, and scenarios."""

from pathlib import Path

import almunia
from almunia import scenario
from almunia.core.contract import NONE, ElementRef, Points, RuleRef, SeatName
from almunia.games.alhambra.tests import scenes
from almunia.scenario import put

PLAIN = almunia.game("alhambra", "plain")
SCENES = PLAIN.checked(scenes)
SCENARIOS = Path(__file__).parent / "scenarios"


def position(*changes, seats=3, **options):
    play = PLAIN.new(seats=seats, seed=1, **options)
    for change in changes:
        put(play.state, SCENES, change)
    play.refresh()
    return play


def done(play, *spoken):
    for words in spoken:
        play.apply(play.string_to_action(words))
    return play


def told(play, spoken, reader=0):
    """Apply an action, and return the log lines that a reader sees, as text with <seats> and [names]."""
    before, action = play.observe(reader), play.string_to_action(spoken)
    known = action if PLAIN.may_see(before.state, reader) else NONE
    play.apply(action)
    lines = PLAIN.text.log_lines(before.state, known, play.observe(reader).state)
    return ["".join(map(heard, line)) for line in lines]


def heard(piece):
    match piece:
        case SeatName():
            return f"<{piece.seat}>"
        case Points():
            return f"{piece.value:+d}"
        case ElementRef():
            return f"[{piece.words}]"
        case RuleRef():
            return ""
    return piece


def chronicle(name, reader=0):
    log = []
    play = begun(name)
    for verb, rest in lines_of(name):
        if verb == "do":
            log.append(told(play, rest, reader))
        else:
            scenario.step(play, SCENES, f"{verb} {rest}")
    return play, log


def steps(name):
    """Yield each action of a scenario with the play after the action."""
    play = begun(name)
    for verb, rest in lines_of(name):
        scenario.step(play, SCENES, f"{verb} {rest}")
        if verb == "do":
            yield rest, play


def begun(name):
    path = SCENARIOS / f"{name}.txt"
    return scenario.start(path, scenario.heading(path.read_text("utf-8").splitlines()), "plain")


def lines_of(name):
    """Yield the actions, changes and undo commands of a scenario as (verb, rest), line by line."""
    lines = (SCENARIOS / f"{name}.txt").read_text("utf-8").splitlines()
    for line in lines[len(scenario.heading(lines)) :]:
        verb, _, rest = line.strip().partition(" ")
        if verb in ("do", "put", "undo"):
            yield verb, rest
