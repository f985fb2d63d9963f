"""Lessons: the faults of their files, and the steps to show after some actions."""

from copy import deepcopy

import pytest

import almunia
from almunia.errors import SetupError
from almunia.play import lesson

TELL = {"say": "You lay nine cards.", "point": ["board"]}
FIRST = {"say": "Lay card 14.", "point": ["hand", "question"], "rule": "3.1", "do": "place 14 at 1,1 turned 270"}
DATA = {
    "seats": 1,
    "seed": 1,
    "learner": 1,
    "options": {"deal": "6 14 16 18 1 2 3 4 5"},
    "steps": [TELL, TELL, FIRST, *[TELL] * 9],
}


@pytest.fixture
def game():
    return almunia.game("orchard", "plain")


def faulty(number, **changes):
    """Return the data with one step changed; a key with the value None is removed."""
    data = deepcopy(DATA)
    step = data["steps"][number - 1] | changes
    data["steps"][number - 1] = {key: value for key, value in step.items() if value is not None}
    return data


def test_a_lesson_has_the_steps_after_given_actions(game):
    found = lesson.lesson_of(game, DATA)
    (action,) = found.actions
    assert [step.do for step in found.steps_at([])] == [-1, -1, action]
    assert found.steps_at([])[2].say == "Lay card 14."
    assert len(found.steps_at([action])) == 9
    assert found.steps_at([action + 1]) == ()
    assert found.steps_at([action, action]) == ()
    assert (found.learner, found.first) == (0, ())
    assert not list(lesson.point_faults(game, found))


def test_first_actions_of_a_lesson_may_be_those_of_others():
    game = almunia.game("oregon", "plain")
    play, said = game.start(2, 7, {}), []
    while play.turn == 0:
        said.append(play.action_to_string(play.legal_actions[0]))
        play.apply(play.legal_actions[0])
    data = {"seats": 2, "seed": 7, "learner": 2, "first": said, "steps": [TELL] * 12}
    found = lesson.lesson_of(game, data)
    assert found.first == tuple(play.actions)
    assert len(found.steps_at(found.first)) == 12
    with pytest.raises(SetupError, match="step 1: it is the turn of seat 1, not of the learner in seat 2"):
        lesson.lesson_of(game, {**data, "first": []})


@pytest.mark.parametrize(
    ("data", "sentence"),
    [
        ({**DATA, "seats": "1"}, "The file: seats must be a whole number, not '1'."),
        ({**DATA, "seats": 9}, "Orchard takes 1 to"),
        ({**DATA, "learner": 2}, "the learner's seat is one of 1 to 1, not 2"),
        ({**DATA, "options": {"sun": 1}}, "There is no option 'sun'"),
        ({**DATA, "steps": [TELL] * 11}, "It has 11 steps; a lesson has 12 to 20."),
        ({**DATA, "title": "Trees"}, "The file has 'title', which is not known"),
        ({key: value for key, value in DATA.items() if key != "seed"}, "The file lacks 'seed'."),
        (faulty(2, say=None), "Step 2 lacks 'say'."),
        (faulty(2, say=" "), "Step 2 says 0 words"),
        (faulty(2, say="no " * 46), "Step 2 says 46 words"),
        (faulty(2, point=[]), "Step 2 points at nothing."),
        (faulty(2, point=[3]), "Step 2: point must be a list of texts"),
        (faulty(2, rule="99.1"), "Step 2 cites '99.1', no mark in RULES.md."),
        (faulty(2, then=["pass"]), "Step 2 has 'then' without 'do'"),
        (faulty(3, do="place 14 at 9,9"), "step 3: Orchard, action 1: 'place 14 at 9,9' is not possible here"),
        (faulty(4, do="place 14 at 1,1 turned 270"), "step 4: Orchard, action 2"),
    ],
)
def test_an_invalid_lesson_is_refused(game, data, sentence):
    with pytest.raises(SetupError) as refused:
        lesson.lesson_of(game, data)
    assert sentence in str(refused.value)


def test_a_step_that_points_at_an_unknown_element_is_reported(game):
    found = lesson.lesson_of(game, faulty(2, point=["board", "hnd"]))
    (sentence,) = lesson.point_faults(game, found)
    assert sentence.startswith("Step 2 points at 'hnd', which is not there at that moment; nearest: hand")


def test_a_game_without_a_lesson_has_none(game, monkeypatch):
    monkeypatch.setattr(lesson, "FILE", "none.toml")
    assert lesson.check(game) is None
