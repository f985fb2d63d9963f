"""Simulations: the same for the same seed, however they are run."""

import numpy as np
import pytest

import almunia
from almunia.arena.simulate import CHUNK, simulate

FAST = almunia.game("orchard")


def same(one, two):
    return all((one[key] == two[key]).all() for key in one)


def test_results_do_not_depend_on_threads_or_build():
    one = FAST.simulate(2 * CHUNK + 3, bots=["random"], seed=4)
    assert same(one, FAST.simulate(2 * CHUNK + 3, bots=["random"], seed=4, threads=2))
    few = FAST.simulate(3, seats=2, bots=["greedy", "random"], seed=4)
    assert same(few, almunia.game("orchard", "plain").simulate(3, seats=2, bots=["greedy", "random"], seed=4))
    assert not same(one, FAST.simulate(2 * CHUNK + 3, bots=["random"], seed=5))


def test_a_play_can_be_found_again_by_its_seed():
    result = FAST.simulate(5, bots=["random"], seed=1)
    assert set(result) == {"scores", "ranks", "decisions", "seed", "reason"}
    assert FAST.new(seed=int(result["seed"][3])).seed == result["seed"][3]
    assert len(np.unique(result["seed"])) == 5


def test_ranks_follow_the_scores():
    result = FAST.simulate(300, seats=3, bots=["greedy", "random", "greedy"])
    best = result["scores"].max(axis=1, keepdims=True)
    assert (result["scores"][result["ranks"] == 1] == np.repeat(best, 3, 1)[result["ranks"] == 1]).all()
    assert (result["ranks"][:, 1] == 1).mean() < 0.01
    assert result["scores"].shape == (300, 3)


def test_progress_is_told_and_options_are_used():
    told = []
    simulate(FAST, CHUNK + 1, progress=told.append)
    assert max(told) == CHUNK + 1
    old = simulate(FAST, 500, bots=["greedy"], edition="2018")
    assert old["scores"].mean() < simulate(FAST, 500, bots=["greedy"])["scores"].mean() - 1


@pytest.mark.parametrize(
    ("arguments", "reason"),
    [
        ({"plays": -1}, "-1 plays on 1 threads"),
        ({"plays": 1, "threads": 0}, "1 plays on 0 threads"),
        ({"plays": 1, "seats": 9}, "1 to 6 seats, not 9"),
        ({"plays": 1, "seats": 3, "bots": ["random", "greedy"]}, "2 bots cannot share 3 seats"),
        ({"plays": 1, "bots": ["wizard"]}, "no bot 'wizard'. There are: random, greedy"),
        ({"plays": 1, "seed": -4}, "A seed is"),
        ({"plays": 1, "weather": "fine"}, "no option 'weather'"),
    ],
)
def test_what_cannot_be_simulated_is_refused(arguments, reason):
    with pytest.raises(almunia.SetupError, match=reason):
        FAST.simulate(**arguments)


def test_no_plays_give_empty_arrays():
    assert FAST.simulate(0)["scores"].shape == (0, 1)
