"""Tuning: trials, interruptions, and invalid tunings."""

from math import isclose

import pytest

import almunia
from almunia.arena import tuning
from almunia.arena.standings import Estimate
from almunia.arena.tuning import Trial, Tuning, tune
from almunia.cli import Exit, main

ORCHARD = almunia.game("orchard")
RANGES = {"exploration": (0.01, 1.0)}


@pytest.mark.parametrize(
    ("wrong", "why"),
    [
        ({"bot": "random"}, "Only a search can be tuned"),
        ({"bot": "expert"}, "Only a search can be tuned"),
        ({"ranges": {"luck": (0.0, 1.0)}}, "no setting 'luck'"),
        ({"ranges": {"exploration": (2.0, 1.0)}}, "the lower one first"),
        ({"ranges": {"exploration": (-1.0, 1.0)}}, "between 0 and 100, not from -1 to 1"),
        ({"seats": 1, "against": "greedy"}, "give the number of seats"),
    ],
)
def test_invalid_tunings_are_refused(wrong, why):
    given = {"game": ORCHARD, "bot": "search:20", "ranges": RANGES, "seats": 2, "deals": 2} | wrong
    with pytest.raises(almunia.SetupError, match=why):
        Tuning(**given)


def found_by(monkeypatch, **given):
    """Return the trials of a tuning in which the share of wins falls with the distance of `exploration` from 0.3."""

    def run_trial(self, settings, _executor=None):
        wins = 1 - abs(settings.get("exploration", 1.0) - 0.3)
        return Trial(f"search:20 {settings}", Estimate(wins, wins, wins))

    monkeypatch.setattr(Tuning, "run_trial", run_trial)
    return tune(Tuning(ORCHARD, "search:20", RANGES, seats=2, deals=2, **given), 25)


@pytest.mark.parametrize("seed", [0, 2**40])
def test_trials_are_sorted_and_include_the_default_settings(monkeypatch, seed):
    found = found_by(monkeypatch, seed=seed)
    assert len(found) == 26
    assert "search:20 {}" in [trial.spec for trial in found]
    values = [trial.result.value for trial in found]
    assert values == sorted(values, reverse=True)
    assert values[0] > 0.9
    assert found == found_by(monkeypatch, seed=seed)


def test_an_interruption_loses_no_trial(monkeypatch):
    results = iter([0.2, 0.7, 0.5])

    def run_trial(_self, settings, _executor=None):
        for value in results:
            return Trial(repr(settings), Estimate(value, value, value))
        raise KeyboardInterrupt

    monkeypatch.setattr(tuning.Tuning, "run_trial", run_trial)
    found = tune(Tuning(ORCHARD, "search:20", RANGES, seats=2, deals=2), 10)
    assert [trial.result.value for trial in found] == [0.7, 0.5, 0.2]


def test_an_interruption_of_the_first_trial_leaves_no_results(monkeypatch, capsys):
    def run_trial(*_):
        raise KeyboardInterrupt

    monkeypatch.setattr(tuning.Tuning, "run_trial", run_trial)
    assert tune(Tuning(ORCHARD, "search:20", RANGES, seats=2, deals=2), 10) == []
    words = ("tune", "orchard", "--bot", "search:20", "--set", "exploration=0.1:1", "--trials", "5")
    assert main([*words]) == Exit.INTERRUPTED
    assert "Traceback" not in capsys.readouterr().err


def test_an_interruption_prints_the_results_so_far(monkeypatch, capsys):
    done = [Trial("search:20", Estimate(0.5, 0.4, 0.6))]
    monkeypatch.setattr(tuning, "tune", lambda *_: done)
    words = ("tune", "orchard", "--bot", "search:20", "--set", "exploration=0.1:1", "--trials")
    assert main([*words, "5"]) == Exit.INTERRUPTED
    assert "0.500 [0.400, 0.600]  search:20" in capsys.readouterr().out
    done *= 6
    assert main([*words, "5"]) == Exit.OK


@pytest.mark.compiled
def test_a_trial_is_a_match_with_these_settings():
    alone = Tuning(ORCHARD, "search:4", {"beam_width": (1.0, 4.0)}, seats=1, deals=2).run_trial({"beam_width": 2.0})
    assert alone.spec == "search:4,beam_width=2"
    assert alone.result.value > 5
    several = Tuning(ORCHARD, "search:4", RANGES, seats=2, deals=2, against="random").run_trial({"exploration": 0.5})
    assert isclose(several.result.value, 1.0)


def test_a_bot_against_itself_has_the_fair_share():
    itself = Tuning(ORCHARD, "search:4", RANGES, seats=4, deals=2, against="search:4")
    assert itself.run_trial({}).result == Estimate(0.25, 0.0, 1.0)
    other = Tuning(ORCHARD, "search:4", RANGES, seats=2, deals=2, against="search:4,exploration=0.5")
    assert other.run_trial({"exploration": 0.5}).result.value == 0.5
