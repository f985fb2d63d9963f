"""Simulations: the same for the same seed, however they are run."""

from dataclasses import dataclass

import numpy as np
import pytest

import almunia
from almunia.arena import simulate as simulating
from almunia.arena.match import Match
from almunia.arena.simulate import CHUNK_PLAYS, simulate
from almunia.arena.trace_writer import trace
from almunia.bots import make
from almunia.core.kernels import policies

FAST = almunia.game("orchard")


class First:
    """A bot that takes the first legal action."""

    def choose(self, observation):
        return observation.legal_actions[0]


@dataclass
class Nth:
    """A bot with settings, which Python makes unhashable because it compares by value."""

    index: int

    def choose(self, observation):
        return observation.legal_actions[self.index]


def same(one, two):
    return all((one[key] == two[key]).all() for key in one)


@pytest.mark.compiled
def test_results_do_not_depend_on_threads_or_build():
    one = almunia.simulate(FAST, 2 * CHUNK_PLAYS + 3, bots=["random"], seed=4)
    assert same(one, almunia.simulate(FAST, 2 * CHUNK_PLAYS + 3, bots=["random"], seed=4, threads=2))
    few = almunia.simulate(FAST, 3, seats=2, bots=["greedy", "random"], seed=4)
    assert same(few, almunia.simulate(almunia.game("orchard", "plain"), 3, seats=2, bots=["greedy", "random"], seed=4))
    assert not same(one, almunia.simulate(FAST, 2 * CHUNK_PLAYS + 3, bots=["random"], seed=5))


def test_random_plays_equal_those_of_random_bots(monkeypatch):
    """If all bots are random, the kernel does not compile the greedy bot, and plays the same."""
    plain = almunia.game("orchard", "plain")
    alone = almunia.simulate(plain, 3, seats=2, bots=["random"], seed=4)
    monkeypatch.setattr(simulating, "RANDOM", None)  # so that each seat is asked by its kind
    assert same(alone, almunia.simulate(plain, 3, seats=2, bots=["random"], seed=4))

    def chosen(*_):
        raise AssertionError("A bot was asked.")

    monkeypatch.undo()
    monkeypatch.setattr(plain.kernel(policies), "choose", chosen)
    assert same(alone, almunia.simulate(plain, 3, seats=2, bots=["random"], seed=4))


def test_a_level_plays_like_its_spec(monkeypatch):
    plain = almunia.game("orchard", "plain")
    monkeypatch.setattr(plain.bots, "LEVELS", {"medium": "greedy"})
    expected = almunia.simulate(plain, 2, seats=2, bots="greedy", seed=4)
    for spec in ("medium", "greedy,epsilon=0"):
        assert same(expected, almunia.simulate(plain, 2, seats=2, bots=spec, seed=4))
    assert not same(expected, almunia.simulate(plain, 2, seats=2, bots="greedy,epsilon=0.5", seed=4))


@pytest.mark.compiled
def test_a_play_can_be_found_again_by_its_seed():
    result = almunia.simulate(FAST, 5, bots=["random"], seed=1)
    assert set(result) == {"scores", "ranks", "score_table", "decisions", "seed", "bot_seed", "ending"}
    assert FAST.new(seed=int(result["seed"][3])).seed == result["seed"][3]
    assert len(np.unique(result["seed"])) == 5


@pytest.mark.compiled
def test_the_seed_and_the_bots_make_the_whole_play():
    """A play through `Play` gives the results of `simulate`, tie-breaks included."""
    result = almunia.simulate(FAST, 20, seats=3, bots=[First()], seed=3)
    for i in range(20):
        play = FAST.new(3, int(result["seed"][i]))
        while not play.over:
            play.apply(play.legal_actions[0])
        assert result["score_table"][i].tolist() == play.score_table().tolist()
        assert result["scores"][i].tolist() == list(play.outcome.scores)
        assert result["ranks"][i].tolist() == list(play.outcome.ranks)
        assert (result["decisions"][i], result["ending"][i]) == (len(play.actions), play.state.over)


@pytest.mark.compiled
def test_a_custom_bot_plays_with_built_in_bots():
    told = []
    result = simulate(FAST, 60, bots=[First(), "greedy"], seed=2, threads=2, progress=told.append)
    assert (max(told), result["scores"].shape) == (60, (60, 2))
    assert same(result, almunia.simulate(FAST, 60, bots=[First(), "greedy"], seed=2))
    assert (result["ranks"][:, 1] == 1).mean() > 0.9
    assert (result["seed"] == almunia.simulate(FAST, 60, seed=2)["seed"]).all()


def test_a_custom_bot_may_be_unhashable():
    plain = almunia.game("orchard", "plain")
    assert same(*(almunia.simulate(plain, 1, seats=2, bots=[bot, "random"], seed=1) for bot in (Nth(0), First())))


@pytest.mark.compiled
def test_the_built_in_bots_play_as_well_in_either_loop():
    """Greedy bots score the same mean in Python as in machine code."""

    class Greedy:
        def choose(self, observation):
            return self.bot.choose(observation)

    own = Greedy()
    own.bot = make("greedy", FAST, seed=1)
    means = [almunia.simulate(FAST, 1500, bots=bots, seed=6)["scores"].mean() for bots in ([own], "greedy")]
    assert means[0] == pytest.approx(means[1], abs=0.8)


@pytest.mark.compiled
def test_an_illegal_choice_is_refused():
    class Cheat:
        def choose(self, observation):
            return observation.legal_actions[-1] + 1

    with pytest.raises(almunia.IllegalAction, match="seat 1 may not choose"):
        almunia.simulate(FAST, 3, bots=Cheat())


def test_the_name_of_a_game_is_refused(tmp_path):
    for takes in (
        lambda name: almunia.simulate(name, 3, bots="greedy"),
        lambda name: make("greedy", name),
        lambda name: Match(name, ["greedy"], seats=2, deals=2),
        lambda name: trace(name, tmp_path / "trace", 1, bots="greedy"),
    ):
        with pytest.raises(almunia.SetupError, match=r"This takes a game, not its name: almunia\.game\('orchard'\)\."):
            takes("orchard")


@pytest.mark.compiled
def test_one_spec_fills_all_seats_and_bots_set_the_seats():
    assert almunia.simulate(FAST, 2, seats=3, bots="random")["scores"].shape == (2, 3)
    assert almunia.simulate(FAST, 2, bots=["random", "greedy"])["scores"].shape == (2, 2)
    assert almunia.simulate(FAST, 2)["scores"].shape == (2, 1)


def test_the_plain_build_reports_progress_after_each_play():
    told = []
    simulate(almunia.game("orchard", "plain"), 3, progress=told.append)
    assert told == [1, 2, 3]


@pytest.mark.compiled
def test_ranks_follow_the_scores():
    result = almunia.simulate(FAST, 300, seats=3, bots=["greedy", "random", "greedy"])
    best = result["scores"].max(axis=1, keepdims=True)
    assert (result["scores"][result["ranks"] == 1] == np.repeat(best, 3, 1)[result["ranks"] == 1]).all()
    assert (result["ranks"][:, 1] == 1).mean() < 0.01
    assert result["scores"].shape == (300, 3)


@pytest.mark.compiled
def test_progress_is_reported_and_options_are_used():
    told = []
    simulate(FAST, CHUNK_PLAYS + 1, progress=told.append)
    assert max(told) == CHUNK_PLAYS + 1
    old = simulate(FAST, 500, bots=["greedy"], edition="2018")
    assert old["scores"].mean() < simulate(FAST, 500, bots=["greedy"])["scores"].mean() - 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"games": -1}, "number of games is a whole number from 0 to 1099511627776, not -1"),
        ({"games": 1.5}, "number of games is .*, not 1.5"),
        ({"games": 10**30}, "number of games is"),
        ({"games": 1, "threads": 0}, "number of threads is a whole number from 1 to .*, not 0"),
        ({"games": 2, "threads": 100_000}, "number of threads is a whole number from 1 to 1024, not 100000"),
        ({"games": 1, "threads": "2"}, "number of threads is .*, not '2'"),
        ({"games": 1, "seats": 9}, "1 to 6 seats, not 9"),
        ({"games": 1, "seats": 3, "bots": ["random", "greedy"]}, "2 bots cannot share 3 seats"),
        ({"games": 1, "bots": ["wizard"]}, "no bot 'wizard'. There are: random, greedy"),
        ({"games": 1, "bots": "wizard"}, "no bot 'wizard'. There are: random, greedy"),
        ({"games": 1, "bots": []}, "0 bots cannot share 1 seat;"),
        ({"games": 1, "bots": ["random", 7]}, "has a method choose.*: not 7"),
        ({"games": 1, "bots": [First]}, "has a method choose.*: not <class"),
        ({"games": 1, "bots": None}, "has a method choose.*: not None"),
        ({"games": 0, "bots": [First()], "weather": "fine"}, "no option 'weather'"),
        ({"games": 1, "seed": -4}, "A seed is"),
        ({"games": 1, "weather": "fine"}, "no option 'weather'"),
    ],
)
def test_invalid_arguments_of_simulate_are_refused(arguments, reason):
    with pytest.raises(almunia.SetupError, match=reason):
        almunia.simulate(FAST, **arguments)


def test_no_plays_give_empty_arrays():
    assert almunia.simulate(FAST, 0)["scores"].shape == (0, 1)
