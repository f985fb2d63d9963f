"""The interfaces of bots, by which a batch decides where an opponent chooses."""

import numpy as np
import pytest

import almunia
from almunia import bots
from almunia.batch.opponents import Opponents
from almunia.bots.base import NamedBot, PreparedBot, StatefulBot, is_bot
from almunia.bots.builtin import KernelBot

PLAIN = almunia.game("oregon", "plain")


class Lowest:
    """A bot without any optional method."""

    def choose(self, observation):
        return observation.legal_actions[0]


class Prepared(Lowest):
    """A bot with `prepare`."""

    def __init__(self):
        self.seats = []

    def prepare(self, seats):
        self.seats.append(seats)


@pytest.mark.parametrize(
    ("spec", "interface"),
    [
        ("random", KernelBot),
        ("greedy,epsilon=0.3", KernelBot),
        ("turn", StatefulBot),
        ("search:5", StatefulBot),
        ("external:sh", NamedBot),
    ],
)
def test_a_bot_by_spec_has_the_interface_of_its_kind(spec, interface):
    bot = bots.make(spec, PLAIN, seed=1)
    assert isinstance(bot, interface)
    assert [isinstance(bot, other) for other in (KernelBot, StatefulBot)].count(True) == (interface is not NamedBot)
    assert isinstance(bot, PreparedBot)
    assert repr(bot) == f"<Bot {spec} for oregon>"
    bot.close()


@pytest.mark.compiled
@pytest.mark.parametrize("spec", ["turn", "search:5"])
def test_a_memory_is_a_copy_of_a_length_that_preparation_settles(spec):
    game = almunia.game("oregon")
    bot, other = bots.make(spec, game, seed=1), bots.make(spec, game, seed=2)
    bot.memory = bot.memory
    bot.prepare(2)
    memory, before = bot.memory, bot.memory.tolist()
    play = game.new(seats=2, seed=1)
    bot.choose(play.observe(play.turn))
    assert memory.tolist() == before != bot.memory.tolist()
    if spec != "turn":
        with pytest.raises(almunia.SetupError, match=r"prepare\(seats\)` before its memory is set"):
            other.memory = memory
    other.prepare(2)
    other.memory = memory
    assert other.memory.tolist() == before


@pytest.mark.parametrize("spec", ["random", "greedy", "turn"])
def test_preparation_makes_a_choice_that_changes_no_other(spec):
    bot, other = (bots.make(spec, PLAIN, seed=1) for _ in range(2))
    bot.prepare(2)
    assert bot._work.states.tobytes() != other._work.states.tobytes()  # so that what a choice needs is compiled
    play = PLAIN.new(seats=2, seed=1)
    assert bot.choose(play.observe(play.turn)) == other.choose(play.observe(play.turn))
    assert bot._work.rng.tolist() == other._work.rng.tolist()


def test_classes_and_arrays_are_not_bots():
    assert [is_bot(thing) for thing in (Lowest(), Lowest, np.zeros(1), "greedy", None)] == [True, *[False] * 4]


@pytest.mark.parametrize(
    ("given", "policies", "has_spec", "shared"),
    [
        ("greedy", (1, 0, 0), False, False),
        ("greedy,epsilon=0.25", (1, 250, 0), False, False),
        (bots.make("greedy,epsilon=0.25", PLAIN), (1, 250, 0), False, False),
        ("turn", (-1, 0, 0), True, False),
        ("external:sh", (-1, 0, 0), False, True),
        (Lowest(), (-1, 0, 0), False, True),
        ("greedy,noise=0.5", (1, 0, 50), False, False),
        (bots.make("turn", PLAIN), (-1, 0, 0), False, True),
    ],
    ids=["greedy", "epsilon", "policy", "turn", "external", "python", "noise", "stateful"],
)
def test_the_interface_of_an_opponent_decides_where_it_chooses(given, policies, has_spec, shared):
    """An opponent chooses by a policy in the loop, by a bot in each thread, or in the caller's thread."""
    opponents = Opponents(PLAIN, 2, given)
    (kind,), (permille,), (noise,), _ = opponents.kernel_args()
    assert (kind, permille, noise) == policies
    assert (opponents.make_thread_bots() != [None], opponents.shared_bots != [None]) == (has_spec, shared)
    assert opponents.all_inline == (kind >= 0)
    opponents.close()


def test_opponents_with_a_prepare_method_are_prepared():
    prepared = Prepared()
    Opponents(PLAIN, 3, [prepared, Lowest()]).prepare()
    assert prepared.seats == [3]
