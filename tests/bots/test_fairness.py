"""Bots get masked observations and nothing else, in every game and with each number of seats."""

import random

import pytest

import almunia
from almunia import bots, catalog
from almunia.arena import runner
from almunia.engine import state_dtype
from almunia.play.play import Observation

SPECS = ("random", "greedy", "turn", "search:40")
TABLES = [
    pytest.param(name, seats, id=f"{name}-{seats}", marks=[] if seats == fewest else pytest.mark.exhaustive)
    for name in catalog.game_packages()
    for fewest, most in [catalog.meta(name).seats]
    for seats in range(fewest, most + 1)
]
pytestmark = pytest.mark.compiled


def positions(name, seats, wanted=4, seed=11):
    """Return copies of a random play at several decisions with a choice."""
    lot, play, found = random.Random(seed), almunia.game(name).new(seats=seats, seed=seed), []
    while not play.over and len(found) < wanted:
        for _ in range(lot.randrange(2, 5) * seats):
            if not play.over:
                play.apply(lot.choice(play.legal_actions))
        if len(play.legal_actions) > 1:
            found.append(play.copy())
    assert found
    return found


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_choice_does_not_depend_on_hidden_information(name, seats):
    for play in positions(name, seats):
        seat = play.turn
        others = [play.observe(seat).determinize(seed) for seed in range(3)]
        assert any(other.to_state() != play.to_state() for other in others)
        for spec in SPECS:
            chosen = {bots.make(spec, play.game, seed=5).choose(one.observe(seat)) for one in (play, *others)}
            assert len(chosen) == 1, spec


class Spy(bots.NamedBot):
    """A bot that stores the observations that it was given."""

    spec = "spy"

    def __init__(self):
        self.given = []

    def choose(self, observation):
        assert type(observation) is Observation
        self.given.append((observation.seat, observation.array.copy()))
        return observation.legal_actions[-1]


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_bots_get_only_masked_states(name, seats, monkeypatch):
    spy, game = Spy(), almunia.game(name)
    monkeypatch.setattr(runner, "make", lambda *_, **__: spy)
    almunia.simulate(game, 1, seats=seats, bots=[spy] * seats, seed=3)
    runner.run_task(runner.Task(name, {}, 0, 3, 4, "spies", ("spy",) * seats), {})
    for seat, array in spy.given[:: max(1, len(spy.given) // 20)]:
        masked = Observation(game, state_dtype.copy_states(array), seat)
        assert masked.to_state() == array.tobytes()  # there is nothing left to hide
