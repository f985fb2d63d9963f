"""Opponents of a batch that choose for all waiting rows at once: as bots that choose one by one, masked and checked."""

from importlib.util import find_spec

import numpy as np
import pytest

import almunia
from almunia.catalog import game_packages

from .test_batch import FAST, OREGON, STEPS, Unreadable, compiled, course


class Network:
    """A policy that depends on the whole observation, for all rows at once or for one."""

    def __init__(self, game, seed=0, answer=np.asarray):
        self.weights = np.random.default_rng(seed).normal(size=game.tensor_size)
        self.answer, self.sizes, self.seats = answer, [], set()

    def choose_batch(self, observations, masks, seats):
        assert observations.dtype == np.float32
        assert masks.dtype == np.bool_
        assert seats.dtype == np.int8
        assert len(observations) == len(masks) == len(seats) > 0
        self.sizes.append(len(seats))
        self.seats |= {*seats.tolist()}
        return self.answer([self.choose_one(*row) for row in zip(observations, masks, strict=True)])

    def choose_one(self, observation, mask):
        legal = mask.nonzero()[0]
        return legal[int(abs(observation @ self.weights) * 1000) % len(legal)]


class OneAtATime(Network):
    """The same policy as a bot that is asked for one row after the other."""

    choose_batch = None

    def choose(self, observation):
        (action,) = Network.choose_batch(
            self, observation.tensor()[None], observation.action_mask()[None], np.array([observation.seat], np.int8)
        )
        return int(action)


@pytest.mark.parametrize(
    ("name", "build"),
    [("oregon", "plain"), *(pytest.param(name, "compiled", marks=compiled) for name in game_packages())],
)
def test_choosing_for_all_rows_is_choosing_for_each(name, build):
    game = almunia.game(name, build)
    steps = 12 if build == "plain" else STEPS
    for seats in {2, min(3, game.meta.seats[1])}:
        given = {"seats": seats, "seed": 3, "seat": "random", "reward": "points"}
        at_once, one_by_one = Network(game), OneAtATime(game)
        batch = game.batch(5, opponents=at_once, **given)
        assert course(batch, steps) == course(game.batch(5, opponents=one_by_one, **given), steps)
        assert sum(at_once.sizes) == len(one_by_one.sizes)
        assert max(at_once.sizes) > 1
        assert at_once.seats == set(range(seats))


@compiled
@pytest.mark.parametrize("opponents", [["network", "greedy"], ["turn", "network"], ["network", "one"], ["network"] * 2])
def test_opponents_of_all_kinds_sit_side_by_side(opponents):
    def bots(single=False):
        kinds = {"network": (OneAtATime if single else Network)(FAST), "one": OneAtATime(FAST, seed=5)}
        return [kinds.get(name, name) for name in opponents]

    given = {"n": 5, "seats": 3, "seed": 9, "seat": "random"}
    expected = course(FAST.batch(opponents=bots(single=True), **given))
    for threads in (1, 2):
        assert course(FAST.batch(opponents=bots(), threads=threads, **given)) == expected


def test_an_object_in_several_seats_is_called_once():
    network = Network(OREGON)
    batch = OREGON.batch(20, 3, opponents=network, seat="random", seed=1)
    assert network.sizes[0] == 20 - int(
        (batch.learner_seats == [OREGON.new(3, int(s)).turn for s in batch.seeds]).sum()
    )
    two = [Network(OREGON, seed=0), Network(OREGON, seed=0)]
    assert course(OREGON.batch(20, 3, opponents=two, seat="random", seed=1), 3) == course(batch, 3)
    assert all(bot.sizes for bot in two)


class Spy(Network):
    """A network that requires that it sees what its seat may know, and nothing else."""

    batch = None

    def choose_batch(self, observations, masks, seats):
        if self.batch is not None:
            rows = self.batch._arrays.rows
            waiting = np.flatnonzero(rows["awaits_opponent"])
            for k, row in enumerate(waiting):
                seen = self.batch.play(row).observe(seats[k])
                assert seen.turn == seats[k] != rows["learner_seat"][row]
                assert observations[k].tobytes() == seen.tensor().tobytes()
                assert masks[k].tobytes() == seen.action_mask().tobytes()
            assert len(waiting) == len(seats)
        return super().choose_batch(observations, masks, seats)


@pytest.mark.parametrize("observe", [True, False])
@pytest.mark.parametrize("name", ["oregon", "alhambra"])
def test_an_opponent_for_all_rows_gets_masked_observations(name, observe):
    game = almunia.game(name, "plain")
    spy = Spy(game)
    spy.batch = game.batch(4, 3, opponents=spy, seat="random", seed=2, observe=observe)
    rng = np.random.default_rng(0)
    for _ in range(8):
        spy.batch.step(spy.batch.sample(rng))
    assert len(spy.sizes) > 8


@pytest.mark.parametrize(
    ("answer", "sentence"),
    [
        (
            lambda actions: actions[:-1],
            r"choose \d+ whole numbers?, an array of shape \(\d+,\), not list of \S+ and sh",
        ),
        (lambda actions: np.array(actions, float), "not ndarray of float64 and shape"),
        (lambda actions: np.array(actions)[:, None], r"of int64 and shape \(\d+, 1\)"),
        (lambda _: None, r"not NoneType of object and shape \(\)"),
        (lambda _: Unreadable(), r"not Unreadable of object and shape \(\)"),
        (lambda actions: [-1] * len(actions), r"game \d of the batch: the opponent .* in seat 1 may not choose -1\."),
        (lambda actions: [10**6] * len(actions), "in seat 1 may not choose 1000000"),
        (lambda actions: [*actions[:-1], 0 if actions[-1] else 1], r"in seat 1 may not choose \d"),
        (lambda actions: np.full(len(actions), 2**64 - 1, np.uint64), "may not choose 18446744073709551615"),
    ],
)
def test_wrong_answers_for_all_rows_are_refused(answer, sentence):
    network = Network(OREGON)
    batch = OREGON.batch(3, 2, opponents=network, seat=1, seed=1)
    rng, network.answer = np.random.default_rng(0), answer

    def play_on():
        for _ in range(20):
            batch.step(batch.sample(rng))

    with pytest.raises(almunia.BotFailure, match=sentence):
        play_on()
    with pytest.raises(almunia.IllegalAction, match="still waits for an opponent that failed: reset the batch"):
        batch.step(batch.sample(rng))
    network.answer = np.asarray
    batch.reset(seed=1)
    assert course(batch, 5) == course(OREGON.batch(3, 2, opponents=Network(OREGON), seat=1, seed=1), 5)


def test_an_error_of_an_opponent_for_all_rows_names_it():
    class Fails(Network):
        def __repr__(self):
            return "<Fails>"

        def answer_nothing(self, _):
            raise ZeroDivisionError

    network = Fails(OREGON)
    batch = OREGON.batch(3, 2, opponents=network, seed=1)
    network.answer = network.answer_nothing
    rng = np.random.default_rng(0)

    def play_on():
        for _ in range(20):
            batch.step(batch.sample(rng))

    with pytest.raises(ZeroDivisionError) as failed:
        play_on()
    assert failed.value.__notes__[0].startswith("Raised by <Fails> in Oregon, for ")


def test_no_row_is_stepped_if_a_second_opponent_fails():
    first, second = Network(OREGON), Network(OREGON, seed=1)
    batch = OREGON.batch(12, 3, opponents=[first, second], seat="random", seed=1)
    rng, runner = np.random.default_rng(0), batch._batch_runner
    choose, waiting, asked = runner.choose, [], []
    runner.choose = lambda rows: waiting.append(len(rows)) or choose(rows)
    first.answer = lambda actions: asked.append(len(waiting)) or np.asarray(actions)
    second.answer = lambda actions: [-1] * len(actions) if asked[-1:] == [len(waiting)] else np.asarray(actions)

    def play_on():
        for _ in range(20):
            batch.step(batch.sample(rng))

    with pytest.raises(almunia.BotFailure):
        play_on()
    assert batch._arrays.rows["awaits_opponent"].sum() == waiting[-1]


@compiled
@pytest.mark.skipif(not find_spec("torch"), reason="needs PyTorch")
def test_pytorch_chooses_for_all_rows():
    import torch

    class Policy:
        def __init__(self):
            self.layer = torch.nn.Linear(FAST.tensor_size, FAST.rules.ACTIONS)

        def choose_batch(self, observations, masks, _seats):
            with torch.inference_mode():
                logits = self.layer(torch.from_numpy(observations))
            return logits.masked_fill(~torch.from_numpy(masks), -torch.inf).argmax(1)

    batch = FAST.batch(16, 2, opponents=Policy(), seed=2)
    clone = batch.clone()
    assert course(batch, 20) == course(clone, 20)
