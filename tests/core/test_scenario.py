"""Error messages of scenarios: the line that fails, and the reason."""

import pytest

from almunia.errors import AlmuniaError
from almunia.scenario import ScenarioFailed, run

HEAD = "game: orchard\noption deal: 6 14 16 18 1 2 3 4 5\n\n"


def scenario(tmp_path, steps, head=HEAD):
    path = tmp_path / "case.txt"
    path.write_text(head + steps)
    return run(path)


def test_a_valid_scenario_returns_its_play(tmp_path):
    play = scenario(
        tmp_path,
        "# a remark\ndo place 14 at 1,1 turned 270\nscores 2\nturn 0\nrefuse place 16 at 9,9\nstays\nranks 1\n",
    )
    assert len(play.actions) == 1


def test_numbers_of_the_state_are_named_as_the_rules_name_them(tmp_path):
    play = scenario(
        tmp_path,
        "see s.drawn: 3\nsee s.seat[0].hand[1]: 16\nput s.drawn: 5\nput s.seat[0].rotten: 2\nput s.seat[0].hand[1]: 0\n"
        "see s.seat[0].rotten: 2\nput s.seat[0].trees[3, 18]: 6\nsee s.seat[0].trees[3, 18]: 6\n",
    )
    state = play.state
    assert (state.drawn, state.seat[0].rotten, state.seat[0].hand[1], state.seat[0].trees[3, 18]) == (5, 2, 0, 6)


@pytest.mark.parametrize(
    ("steps", "reason"),
    [
        ("scores 9\n", r"case.txt, line 4 \(scores 9\): found '0', expected '9'"),
        ("turn 1\n", "found '0', expected '1'"),
        ("legal 1\n", "expected '1'"),
        ("over Every card is placed.\n", "found 'not over'"),
        ("see hand: 1 2\n", "found '14 16', expected '1 2'"),
        ("see s.drawn: 4\n", "found '3', expected '4'"),
        ("refuse place 14 at 1,1 turned 270\n", "this action is legal"),
    ],
)
def test_a_scenario_that_does_not_hold_names_the_line(tmp_path, steps, reason):
    with pytest.raises(ScenarioFailed, match=reason):
        scenario(tmp_path, steps)


@pytest.mark.parametrize(
    ("steps", "head", "reason"),
    [
        ("jump\n", HEAD, "'jump' is no step"),
        ("do nothing\n", HEAD, "not possible here"),
        ("undo\n", HEAD, "Nothing has been done yet"),
        ("refuse plaec sixten\n", HEAD, "no action has these words"),
        ("refuse\n", HEAD, "no action has these words"),
        ("put castle at 1,1\n", HEAD, "line 4 .*nothing that can be put"),
        ("see colour: red\n", HEAD, "line 4 .*KeyError 'colour'"),
        ("see s.colour: red\n", HEAD, "line 4 .*this record has no field 'colour'"),
        ("see s.seat[9].rotten: 0\n", HEAD, "line 4 .*IndexError"),
        ("put s.drawn: many\n", HEAD, "line 4 .*ValueError .*'many'"),
        ("", "game: orchard\nseets: 3\n\n", "a heading has no 'seets'"),
        ("", "game: orchard\nseats: two\n\n", "whole numbers"),
        ("", "seats: 1\n\n", "does not say which game"),
        ("", "orchard\n\n", "is not 'name: value'"),
    ],
)
def test_an_invalid_scenario_is_refused_with_a_reason(tmp_path, steps, head, reason):
    with pytest.raises(AlmuniaError, match=reason):
        scenario(tmp_path, steps, head)
