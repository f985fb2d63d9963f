"""The command `almunia match`."""

import json

import pytest

pytestmark = pytest.mark.compiled
MATCH = ("match", "orchard", "--seats", "2", "--bot", "greedy", "--against", "random", "--deals", "2", "--threads", "1")
TUNE = ("tune", "orchard", "--seats", "2", "--bot", "search:4", "--against", "random", "--trials", "2", "--deals", "1")


def test_a_match_of_zero_minutes_summarizes_its_folder(almunia):
    played = json.loads(almunia(*MATCH, "--folder", "kept", "--json").out)
    more = (*MATCH[:9], "50", *MATCH[10:])
    kept = json.loads(almunia(*more, "--folder", "kept", "--minutes", 0, "--json").out)
    assert kept == played
    assert played["plays"] == 4


def test_a_match_without_plays_is_reported(almunia):
    done = almunia(*MATCH, "--minutes", 0)
    assert done.code == 2
    assert "Nothing has been played" in done.err


def test_minutes_must_be_a_number(almunia):
    done = almunia(*MATCH, "--minutes", "soon")
    assert done.code == 2
    assert "'soon' is not a number of minutes, 0 or more" in done.err


def test_a_missing_folder_is_not_created_for_a_summary(almunia, tmp_path):
    done = almunia(*MATCH, "--minutes", 0, "--folder", "typo")
    assert done.code == 2
    assert "There is no match in 'typo'" in done.err
    assert not (tmp_path / "typo").exists()


def test_an_invalid_plot_file_is_refused_before_the_match(almunia, tmp_path):
    (tmp_path / "folder").mkdir()
    done = almunia(*MATCH, "--plot", "folder")
    assert (done.code, done.out) == (2, "")
    assert "it is a folder" in done.err


def test_zero_seats_are_refused(almunia):
    for command, extra in ((MATCH, ()), (TUNE, ("--set", "exploration=0.1:1"))):
        done = almunia(*command[:3], "0", *command[4:], *extra)
        assert done.code == 2
        assert "takes 1 to 6 seats" in done.err


def test_tuning_as_typed(almunia):
    facts = json.loads(almunia(*TUNE, "--set", "exploration=0.1:1", "--json").out)["trials"]
    assert len(facts) == 3
    assert {"spec", "value", "low", "high"} == facts[0].keys()
    words = almunia(*TUNE, "--set", "exploration=0.1:1").out
    assert words.count("search:4") == 3
    done = almunia(*TUNE, "--set", "explore")
    assert "'explore' is not of the form NAME=LOW:HIGH" in done.err
