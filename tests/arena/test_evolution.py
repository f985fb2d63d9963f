"""Evolution of weights: a known optimum, interruptions, files, and real plays."""

import json

import numpy as np
import pytest

import almunia
from almunia.arena import evolution
from almunia.arena.evolution import Evolution, evolve, newton_steps, outcome
from almunia.arena.executors import ThreadExecutor
from almunia.cli import Exit, main
from almunia.conformance.rules import evaluate
from almunia.core.weights import complete_weights

PLAIN, COMPILED = almunia.game("oregon", "plain"), almunia.game("oregon")
OPTIMUM = 1.5  # in units of the scatter, from the game's own weights


class Valley(Evolution):
    """An evolution whose points fall with the distance of the weights from an optimum, and depend on luck."""

    def play(self, numbers, seeds, executor):
        """Return points without a play."""
        luck = np.random.default_rng(seeds[:, 0]).normal(size=numbers.shape[:2])
        distance = (numbers - self.own) / self.sigmas - OPTIMUM
        return 50 - (distance**2).sum(-1) / 4 + 2 * luck


@pytest.mark.parametrize("seats", [[2], [3], [2, 3, 4]])
def test_a_known_optimum_is_found(seats):
    valley = Valley(PLAIN, seats, plays=3000, seed=3)
    for _ in range(10):
        valley.run_round()
    found = (valley.means[-1] - valley.own) / valley.sigmas
    assert np.abs(found - OPTIMUM).max() < 0.4
    assert np.abs(found - OPTIMUM).mean() < 0.15
    assert [type(part) for part in valley.result.values()] == [
        list if isinstance(part, tuple) else int for part in PLAIN.bots.WEIGHTS.values()
    ]


def test_a_step_goes_to_the_top_of_a_curve_and_noise_makes_it_shorter():
    rng = np.random.default_rng(5)
    scatter = rng.normal(size=(4000, 2, 2))
    none = np.zeros((4000, 2, 0))
    own = -((scatter[..., 0] - 0.5) ** 2)
    clear = newton_steps(scatter, none, own + rng.normal(size=own.shape) / 100)
    assert clear[0] == pytest.approx(0.5, abs=0.2)
    assert abs(clear[1]) < 0.4
    assert abs(newton_steps(scatter, none, own * 0 + rng.normal(size=own.shape))).max() < 0.4


def test_old_weights_are_no_scatter():
    """Strong weights of the archive do not count as an effect of the scatter."""
    rng = np.random.default_rng(5)
    scatter, member = rng.normal(size=(4000, 3, 1)), (rng.random((4000, 3, 1)) < 1 / 3).astype(float)
    scatter[member[..., 0] == 1] = 0
    points = 30 * member[..., 0] + rng.normal(size=(4000, 3))
    assert abs(newton_steps(scatter, member, points))[0] < 0.3


def test_the_outcome_counts_the_win_and_the_lead():
    points = np.array([[10.0, 0.0, 0.0], [5.0, 5.0, 0.0], [0.0, 0.0, 30.0]])
    value = outcome(points, 0, [1, 2])
    assert value[0] > value[1] > value[2]
    assert value[1] == pytest.approx((0.5 + 0.5) / 2)
    alone = outcome(points[:, :1], 0, [])
    assert alone[0] > alone[1] == pytest.approx(0.5)


def test_archive_and_result_follow_the_rounds():
    valley = Valley(PLAIN, [2], plays=100)
    assert valley.result == {
        name: list(part) if isinstance(part, tuple) else part for name, part in PLAIN.bots.WEIGHTS.items()
    }
    for _ in range(9):
        valley.run_round()
    assert [old.tolist() for old in valley.archive] == [
        valley.own.tolist(),
        *(np.rint(valley.means[k]).tolist() for k in (3, 7)),
    ]
    assert valley.result["joker"] == round(np.mean([mean[1] for mean in valley.means[4:]]))


def test_rounds_take_turns_with_the_numbers_of_seats():
    seen = []

    class Watched(Valley):
        def play(self, numbers, seeds, executor):
            seen.append(numbers.shape[1])
            return super().play(numbers, seeds, executor)

    valley = Watched(PLAIN, [2, 4, 3], plays=100)
    for _ in range(4):
        valley.run_round()
    assert seen == [2, 4, 3, 2]


def test_an_interruption_changes_nothing(tmp_path):
    whole, parts = tmp_path / "whole.json", tmp_path / "parts.json"
    evolve(Valley(PLAIN, [2], plays=200, seed=7), 5, whole)
    for rounds in (2, 5):
        done = []
        evolve(Valley(PLAIN, [2], plays=200, seed=7), rounds, parts, progress=done.append)
        assert done == list(range(0 if rounds == 2 else 2, rounds + 1))
    assert whole.read_text() == parts.read_text()
    other = tmp_path / "other.json"
    evolve(Valley(PLAIN, [2], plays=200, seed=8), 5, other)
    assert json.loads(other.read_text())["weights"] != json.loads(whole.read_text())["weights"]
    assert complete_weights(PLAIN, whole) == json.loads(whole.read_text())["weights"]


@pytest.mark.parametrize(
    ("content", "why"),
    [
        ("no json", "no file of an evolution"),
        ('{"game": "oregon", "weights": {}}', "no file of an evolution"),
        ('{"game": "caylus", "settings": {}, "means": []}', "of the game 'caylus'"),
        ('{"game": "oregon", "settings": {"seats": [3]}, "means": []}', "give the same settings"),
    ],
)
def test_other_files_are_not_continued(content, why, tmp_path):
    file = tmp_path / "tuned.json"
    file.write_text(content)
    with pytest.raises(almunia.SetupError, match=why):
        evolve(Valley(PLAIN, [2], plays=100), 1, file)
    assert file.read_text() == content


def test_means_of_another_length_are_not_continued(tmp_path):
    file = tmp_path / "tuned.json"
    evolution = Valley(PLAIN, [2], plays=100)
    evolution.means = [np.zeros(3)]
    file.write_text(json.dumps({"game": "oregon", "settings": evolution.settings, "means": [[1, 2]]}))
    with pytest.raises(almunia.SetupError, match="name a new file"):
        evolve(Valley(PLAIN, [2], plays=100), 1, file)


@pytest.mark.parametrize(
    ("given", "why"),
    [
        ({"game": almunia.game("orchard", "plain")}, "Orchard has no weights"),
        ({"seats": [3, 9]}, "2 to 4 seats"),
        ({"seats": []}, "at least one number of seats"),
        ({"plays": 3}, "number of plays"),
        ({"seed": -1}, "seed"),
        ({"scatter_share": 0.0}, "above 0"),
    ],
)
def test_invalid_evolutions_are_refused(given, why):
    with pytest.raises(almunia.SetupError, match=why):
        Evolution(**{"game": PLAIN, "seats": [2]} | given)


def test_every_seat_plays_with_its_weights():
    """A seat that avoids points loses to a seat that wants them."""
    whole = Evolution(PLAIN, [2], plays=100)
    good, bad = whole.own, -whole.own
    numbers = np.array([[good, bad], [bad, good]] * 2)
    points = whole.play(numbers, np.arange(8).reshape(4, 2), None)
    assert (points[::2, 0] > points[::2, 1]).all()
    assert (points[1::2, 1] > points[1::2, 0]).all()


@pytest.mark.compiled
def test_plays_with_the_own_weights_are_those_of_greedy_bots():
    evolution = Evolution(COMPILED, [3], plays=300)
    seeds = np.random.default_rng(2).integers(0, 2**63, (250, 2), np.int64)
    numbers = np.broadcast_to(evolution.own, (250, 3, len(evolution.own)))
    alone = evolution.play(numbers, seeds, None)
    assert (alone == almunia.simulate(COMPILED, 250, seats=3, bots="greedy", seed=2)["scores"]).all()
    assert (alone == evolution.play(numbers, seeds, ThreadExecutor(2))).all()


@pytest.mark.compiled
def test_the_command_tunes_and_continues(tmp_path, capsys):
    file = tmp_path / "tuned.json"
    words = ["tune", "oregon", "--weights", str(file), "--plays", "100", "--threads", "1", "--json", "--rounds"]
    assert main([*words, "1"]) == Exit.OK
    first = json.loads(capsys.readouterr().out)
    assert main([*words, "2"]) == Exit.OK
    second = json.loads(capsys.readouterr().out)
    assert (first["rounds"], second["rounds"]) == (1, 2)
    assert first["weights"] != second["weights"] == complete_weights(COMPILED, file)
    play = COMPILED.new(seats=2, seed=1)
    assert evaluate(play, weights=second["weights"]).shape == (2,)


@pytest.mark.parametrize(
    ("words", "why"),
    [
        ([], "Say what to tune"),
        (["--weights", "tuned.json", "--bot", "search:20"], "leave out --bot"),
        (["--weights", "nowhere/tuned.json"], "no folder"),
        (["--bot", "search:9", "--set", "exploration=0:1", "--seats", "2", "--seats", "3"], "give --seats once"),
    ],
)
def test_the_command_refuses_conflicting_arguments(words, why, capsys):
    assert main(["tune", "oregon", *words]) != Exit.OK
    assert why in capsys.readouterr().err


def test_seats_with_old_weights_have_no_scatter(monkeypatch):
    """They play with whole old sets, and a third of the seats does."""
    seen = []

    class Watched(Valley):
        def play(self, numbers, seeds, executor):
            seen.append(numbers)
            return super().play(numbers, seeds, executor)

    def steps(scatter, is_member, _points):
        (numbers,), member = seen, is_member[..., 0] == 1
        assert (numbers[member] == valley.own).all()
        assert (scatter[member] == 0).all()
        assert (scatter[~member] != 0).any(-1).all()
        assert 0.3 < member.mean() < 0.37
        return np.zeros(scatter.shape[-1])

    valley = Watched(PLAIN, [3], plays=3000)
    monkeypatch.setattr(evolution, "newton_steps", steps)
    valley.run_round()
    assert (valley.means[0] == valley.own).all()


def test_an_uncertain_slope_makes_a_shorter_step():
    """A weight without effect is not moved by luck alone, as far as the regression says."""
    rng, lengths = np.random.default_rng(6), []
    for _ in range(40):
        points = rng.normal(size=(400, 2))
        lengths += abs(newton_steps(rng.normal(size=(400, 2, 1)), np.zeros((400, 2, 0)), points)).tolist()
    assert np.mean(lengths) < 0.4
