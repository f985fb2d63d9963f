"""Batches: each row shows what a play shows, whatever the number of threads, and wrong arguments are refused."""

import copy
import pickle
from importlib.util import find_spec
from threading import Thread

import numpy as np
import pytest

import almunia
from almunia.batch import batch as batch_module
from almunia.batch.rewards import CODES, Rewards
from almunia.bots import make
from almunia.bots.external import RUNNING_PROGRAMS, ExternalBot
from almunia.catalog import game_packages
from almunia.engine.checked import checked_record
from almunia.library import Game

STEPS = 60
FEW = 24  # for the plain build; a game of Orchard for two takes 16 or 17
compiled, exhaustive = pytest.mark.compiled, pytest.mark.exhaustive
GAMES = game_packages()
# What is the same in every game is tried with the smallest one for every change, and with all of them by `test-all`.
SMALLEST_FIRST = [pytest.param(name, marks=[] if name == "oregon" else exhaustive) for name in GAMES]
ARRAYS = (
    "observations",
    "action_masks",
    "num_legal",
    "current_seats",
    "learner_seats",
    "rewards",
    "done",
    "seeds",
    "bot_seeds",
)


def picture(batch):
    """Return all arrays of a batch as bytes, without the unused ends of the lists of legal actions."""
    listed = b"".join(row[:count].tobytes() for row, count in zip(batch.legal_actions, batch.num_legal, strict=True))
    return b"".join(getattr(batch, name).tobytes() for name in ARRAYS) + listed


def course(batch, steps=STEPS, seed=0):
    """Return the pictures of a batch before and after each of some random steps."""
    rng = np.random.default_rng(seed)
    found = [picture(batch)]
    for _ in range(steps):
        batch.step(batch.sample(rng))
        found.append(picture(batch))
    return found


class Unreadable:
    """An object that NumPy cannot read, like a tensor with gradients."""

    def __array__(self, *_, **__):
        raise RuntimeError("Call detach() first.")


class OneByOne:
    """The oracle for one row of a batch: the same game, played through `Play`."""

    def __init__(self, batch, row, own=None, bots=()):
        self.batch, self.row, self.own, self.bots = batch, row, own, bots
        self.rewards = Rewards(batch.game, batch.seats, batch.reward)
        self.begin()

    def begin(self):
        self.play = self.batch.game.new(self.batch.seats, int(self.batch.seeds[self.row]))
        self.paid, self.decided = np.zeros(self.batch.seats), set()
        self.others()

    def others(self):
        """Let the bots play until the learner's turn or the end."""
        while self.own is not None and not self.play.over and self.play.turn != self.own:
            bot = self.bots[(self.play.turn - self.own - 1) % self.batch.seats]
            self.play.apply(bot.choose(self.play.observe(self.play.turn)))

    def step(self, action):
        """Apply an action. Return the rewards, and whether the game has ended."""
        found = np.zeros(self.batch.seats)
        self.decided.add(self.play.turn)
        self.play.apply(int(action))
        self.others()
        seen = self.play.observe(self.seat)
        if self.play.over:
            found = self.rewards.returns(self.play) - self.paid
        elif self.seat in self.decided:
            worth = self.rewards.potential(seen, self.seat)
            found[self.seat], self.paid[self.seat] = worth - self.paid[self.seat], worth
        return found, self.play.over

    @property
    def seat(self):
        return self.play.turn if self.own is None else self.own

    def compare(self):
        """Require that the row shows what this play shows."""
        batch, row, seen = self.batch, self.row, self.play.observe(self.seat)
        assert batch.current_seats[row] == self.seat
        assert batch.observations[row].tobytes() == seen.tensor().tobytes()
        assert batch.action_masks[row].tobytes() == seen.action_mask().tobytes()
        assert tuple(batch.legal_actions[row, : batch.num_legal[row]]) == seen.legal_actions
        assert batch.observe(row).to_state() == seen.to_state()
        assert batch.play(row).to_state() == self.play.to_state()


@pytest.mark.parametrize(
    ("name", "build", "reward"),
    [
        *(("orchard", "plain", reward) for reward in (None, "points")),
        *(pytest.param(name, "compiled", None, marks=compiled) for name in GAMES),
        *(
            pytest.param(name, "compiled", reward, marks=[compiled] if name == "oregon" else [compiled, exhaustive])
            for name in GAMES
            for reward in ("points", "lead")
        ),
    ],
)
def test_rows_are_plays(name, build, reward):
    game = almunia.game(name, build)
    for seats in range(*game.meta.seats, 2) if build == "compiled" else [2]:
        batch = game.batch(2, seats, seed=7, reward=reward)
        rows, rng = [OneByOne(batch, 0), OneByOne(batch, 1)], np.random.default_rng(seats)
        for _ in range(FEW if build == "plain" else STEPS if seats == 3 else 400):
            actions = batch.sample(rng)
            batch.step(actions)
            for row, one in enumerate(rows):
                rewards, over = one.step(actions[row])
                assert batch.done[row] == over
                np.testing.assert_array_equal(batch.rewards[row], rewards.astype(np.float32))
                if over:
                    one.begin()
                one.compare()


@pytest.mark.parametrize(
    ("name", "build", "spec"),
    [
        ("orchard", "plain", "greedy"),
        *(pytest.param(name, "compiled", "greedy", marks=compiled) for name in GAMES),
        *(pytest.param(name, "compiled", "random", marks=[compiled, exhaustive]) for name in GAMES),
    ],
)
def test_opponents_in_the_loop_are_the_bots(name, build, spec):
    game = almunia.game(name, build)
    batch = game.batch(2, 2, seed=3, opponents=spec, seat="random")
    rng = np.random.default_rng(1)

    def begun(row):
        return OneByOne(batch, row, int(batch.learner_seats[row]), [make(spec, game, int(batch.bot_seeds[row]))])

    rows = [begun(0), begun(1)]
    for _ in range(FEW if build == "plain" else STEPS):
        actions = batch.sample(rng)
        batch.step(actions)
        for row, one in enumerate(rows):
            rewards, over = one.step(actions[row])
            assert batch.done[row] == over
            np.testing.assert_array_equal(batch.rewards[row], rewards.astype(np.float32))
            if over:
                rows[row] = begun(row)
            rows[row].compare()


OREGON, FAST = almunia.game("oregon", "plain"), almunia.game("oregon")


class Lowest:
    """A bot that takes the lowest legal action and stores its observations."""

    def __init__(self):
        self.seen = []

    def choose(self, observation):
        self.seen.append((observation.turn, observation.seat, observation.determinize(1).observe(observation.seat)))
        assert self.seen[-1][2].to_state() == observation.to_state()  # nothing hidden is in it
        return observation.legal_actions[0]


@compiled
@pytest.mark.parametrize("opponents", ["greedy", "python", ["random", "python"]])
def test_rows_depend_only_on_the_seed(opponents):
    def bots():
        if isinstance(opponents, list):
            return [opponents[0], Lowest()]
        return Lowest() if opponents == "python" else opponents

    courses = [
        course(FAST.batch(5, 3, seed=9, threads=threads, opponents=bots(), seat="random")) for threads in (1, 2, 4)
    ]
    assert courses[0] == courses[1] == courses[2]
    few, many = (FAST.batch(n, 3, seed=9, opponents=bots(), seat=1) for n in (2, 5))
    assert few.seeds.tolist() == many.seeds[:2].tolist()
    assert len({*many.seeds.tolist()}) == 5


@pytest.mark.parametrize("game", [OREGON, pytest.param(FAST, marks=compiled)])
def test_rows_do_not_depend_on_threads_without_opponents(game):
    for n, threads in ((7, 3), (2, 5)):
        one, several = (course(game.batch(n, 2, seed=1, threads=threads), 12) for threads in (1, threads))
        assert one == several


def test_a_reset_with_a_seed_is_reproducible():
    batch = OREGON.batch(3, 2, seed=5)
    first = course(batch)
    batch.reset()
    assert picture(batch) != first[0]
    batch.reset(seed=5)
    assert course(batch) == first
    batch.reset(seed=6)
    assert course(batch) != first


@compiled
@pytest.mark.parametrize("name", ["orchard", "oregon"])
def test_rows_are_equal_in_all_builds(name):
    for given in ({}, {"opponents": "greedy", "reward": "points"}):
        builds = (almunia.game(name, "plain"), almunia.game(name))
        plain, fast = (course(game.batch(2, 2, seed=2, **given), 12) for game in builds)
        assert plain == fast


def test_python_opponents_get_their_own_observation_in_turn():
    bots = [Lowest(), Lowest()]
    batch = OREGON.batch(2, 3, opponents=bots, seat=1)
    course(batch, 20)
    assert {(turn, seat) for turn, seat, _ in bots[0].seen} == {(2, 2)}
    assert {(turn, seat) for turn, seat, _ in bots[1].seen} == {(0, 0)}
    batch.reset(seed=4)
    for row in range(2):
        OneByOne(batch, row, 1, [Lowest(), Lowest()]).compare()


@compiled
def test_bots_by_spec_play_in_the_kernel_or_in_python():
    slow = FAST.batch(1, 2, seed=1, opponents=make("search:3", FAST, seed=1))
    course(slow, 5)
    assert slow.current_seats.tolist() == [0]
    named, made = (FAST.batch(2, 2, seed=1, opponents=bot) for bot in ("greedy", make("greedy", FAST, seed=8)))
    assert course(named) == course(made)
    easy = make("greedy,epsilon=0.5", FAST, seed=8)
    assert easy.kernel_policy == (1, 500, 0)
    assert course(FAST.batch(2, 2, seed=1, opponents=easy)) != course(named)


def test_a_batch_closes_only_the_bots_that_it_has_made(monkeypatch):
    ended, closing = [], Lowest()
    closing.close = lambda: ended.append("given")
    monkeypatch.setattr(ExternalBot, "close", lambda _: ended.append("made"))
    batch = OREGON.batch(1, 3, opponents=[closing, "external:sh"])
    batch.close()
    assert ended == ["made"]


class Failing:
    def choose(self, _observation):
        raise ZeroDivisionError


@pytest.mark.parametrize(
    ("given", "error"),
    [
        ({"seed": -1}, almunia.SetupError),
        ({"threads": 0}, almunia.SetupError),
        ({"device": "cuda"}, almunia.SetupError),
        ({"opponents": ["external:sleep 60", "external:/"]}, almunia.SetupError),
        ({"n": 1, "opponents": [Failing(), "external:sleep 60"], "seat": 2}, ZeroDivisionError),
    ],
)
def test_a_failed_batch_leaves_no_program_running(given, error):
    before = set(RUNNING_PROGRAMS)
    with pytest.raises(error) as refused:
        OREGON.batch(**({"n": 8, "seats": 3, "opponents": "external:sleep 60"} | given))
    assert refused.tb  # which holds what was made
    assert before == RUNNING_PROGRAMS


def test_programs_are_closed_if_another_cannot_be_started():
    before, failing = set(RUNNING_PROGRAMS), Failing()
    failing.prepare = failing.choose
    with pytest.raises(ZeroDivisionError):
        OREGON.batch(2, 3, opponents=["external:sleep 60", failing])
    assert before == RUNNING_PROGRAMS


def test_epsilon_is_the_share_of_random_choices():
    always = make("greedy,epsilon=1", OREGON, seed=0)
    batch = OREGON.batch(1, 2, seed=1, opponents=always)
    one = OneByOne(batch, 0, 0, [make("greedy,epsilon=1", OREGON, int(batch.bot_seeds[0]))])
    one.compare()
    rng = np.random.default_rng(0)
    for _ in range(10):
        action = batch.sample(rng)
        batch.step(action)
        one.step(action[0])
        one.compare()


# --- how legal actions are written ----------------------------------------------------------------


@pytest.mark.parametrize("name", ["oregon", "orchard"])
def test_the_mask_of_a_finished_game_allows_all_actions(name):
    """A policy over no actions computes NaN, even for rows whose action is not used."""
    game = almunia.game(name, "plain")
    masks, bits = (game.batch(3, 2, seed=1, autoreset=False, legal_as=offers) for offers in ("masks", "bits"))
    rng, marks = np.random.default_rng(0), []
    while not masks.done.all():
        actions, running = masks.sample(rng), ~masks.done
        for batch in (masks, bits):
            batch.step(actions, where=running)
        unpacked = np.unpackbits(bits.packed_masks, axis=1, bitorder="little")
        assert (unpacked[:, : game.rules.ACTIONS] == masks.action_masks).all()
        assert not unpacked[:, game.rules.ACTIONS :].any()
        marks.append(masks.action_masks.sum(1)[masks.done])
    assert np.concatenate(marks).tolist() == [game.rules.ACTIONS] * sum(map(len, marks))
    for batch in (masks, bits):
        batch.reset(where=[True, False, True])
    assert masks.action_masks.sum(1).tolist() == [masks.num_legal[0], game.rules.ACTIONS, masks.num_legal[2]]
    assert all(masks.action_masks[row, masks.legal_actions[row, : masks.num_legal[row]]].all() for row in range(3))
    assert (
        np.unpackbits(bits.packed_masks, axis=1, count=game.rules.ACTIONS, bitorder="little") == masks.action_masks
    ).all()


@pytest.mark.parametrize("name", SMALLEST_FIRST)
@pytest.mark.parametrize("build", ["plain", pytest.param("compiled", marks=compiled)])
def test_bits_masks_and_lists_agree(name, build):
    game = almunia.game(name, build)
    masks, bits, lists = (game.batch(3, 2, seed=1, legal_as=offers) for offers in ("masks", "bits", "lists"))
    rng = np.random.default_rng(0)
    for _ in range(FEW if build == "plain" else STEPS):
        actions = masks.sample(rng)
        for batch in (masks, bits, lists):
            batch.step(actions)
        unpacked = np.unpackbits(bits.packed_masks, axis=1, count=game.rules.ACTIONS, bitorder="little")
        assert (unpacked == masks.action_masks).all()
        assert (masks.action_masks.sum(1) == lists.num_legal).all()
        assert all(masks.action_masks[row, lists.legal_actions[row, : lists.num_legal[row]]].all() for row in range(3))
    with pytest.raises(almunia.SetupError, match="This batch writes no masks; make it with legal_as='masks'"):
        _ = bits.action_masks
    with pytest.raises(almunia.SetupError, match="writes no bits; make it with legal_as='bits'"):
        _ = lists.packed_masks


def test_shapes_types_and_buffers_that_stay():
    batch = OREGON.batch(4, 3)
    shapes = {name: (getattr(batch, name).shape, getattr(batch, name).dtype.name) for name in ARRAYS}
    assert shapes == {
        "observations": ((4, OREGON.tensor_size), "float32"),
        "action_masks": ((4, OREGON.rules.ACTIONS), "bool"),
        "num_legal": ((4,), "int64"),
        "current_seats": ((4,), "int8"),
        "learner_seats": ((4,), "int8"),
        "rewards": ((4, 3), "float32"),
        "done": ((4,), "bool"),
        "seeds": ((4,), "int64"),
        "bot_seeds": ((4,), "int64"),
    }
    kept = {name: getattr(batch, name) for name in ARRAYS}
    course(batch, 5)
    assert all(np.shares_memory(array, getattr(batch, name)) for name, array in kept.items())
    blind = OREGON.batch(2, 2, observe=False)
    with pytest.raises(almunia.SetupError, match="This batch writes no observations; make it with observe=True"):
        _ = blind.observations


def test_arrays_are_handed_on_without_a_copy():
    batch = OREGON.batch(2, 2)
    for array in (batch.observations, batch.action_masks, batch.rewards, batch.done, batch.current_seats):
        assert np.shares_memory(np.from_dlpack(array), array)


@exhaustive
@pytest.mark.skipif(not find_spec("torch"), reason="PyTorch is not installed")
def test_pytorch_shares_the_memory():
    import torch

    batch = OREGON.batch(2, 2)
    assert torch.from_dlpack(batch.observations).data_ptr() == batch.observations.ctypes.data


@pytest.mark.parametrize("n", [1, 3, 64])
def test_arrays_are_aligned_for_jax(n):
    """JAX silently copies an array that does not begin at a multiple of 64 bytes."""
    for given in ({}, {"legal_as": "bits"}, {"final_observations": True}):
        batch = OREGON.batch(n, 3, **given)
        marks = batch.packed_masks if "legal_as" in given else batch.action_masks
        for array in (
            batch.observations,
            marks,
            batch.rewards,
            batch.done,
            batch.current_seats,
            batch.num_legal,
            batch.legal_actions,
            batch.learner_seats,
            batch.seeds,
            batch.bot_seeds,
        ):
            assert array.ctypes.data % 64 == 0
            assert array.flags.c_contiguous


@exhaustive
@pytest.mark.skipif(not find_spec("jax"), reason="JAX is not installed")
def test_jax_shares_the_memory():
    import jax

    batch = OREGON.batch(3, 2)
    for array in (
        batch.observations,
        batch.action_masks,
        batch.rewards,
        batch.done,
        batch.current_seats,
        batch.legal_actions,
        batch.learner_seats,
    ):
        assert jax.dlpack.from_dlpack(array).unsafe_buffer_pointer() == array.ctypes.data


# --- some of the games ----------------------------------------------------------------------------


def test_illegal_actions_are_ignored_outside_of_where():
    batch = OREGON.batch(5, 2, seed=1)
    before = picture(batch)
    actions = batch.legal_actions[:, 0].astype(np.int64)
    actions[3] = -1
    with pytest.raises(almunia.IllegalAction, match=r"Oregon, game 3 of the batch: seat \d may not choose -1"):
        batch.step(actions, where=[True, False, False, True, True])
    assert picture(batch) == before
    batch.step(actions, where=[True, True, True, False, True])
    batch.step(actions, where=[False] * 5)
    with pytest.raises(almunia.SetupError, match=r"`where` is an array of True and False of shape \(5,\), not"):
        batch.step(actions, where=[1] * 5)


# --- illegal actions and ends ---------------------------------------------------------------------


def test_an_illegal_action_is_refused_and_changes_nothing():
    batch = OREGON.batch(3, 2, seed=1)
    before, legal = picture(batch), batch.legal_actions[np.arange(3), 0].copy()
    wrong = int(np.flatnonzero(~batch.action_masks[2])[0])
    for action in (wrong, -1, OREGON.rules.ACTIONS, 10**12):
        actions = legal.astype(np.int64)
        actions[2] = action
        with pytest.raises(
            almunia.IllegalAction, match=rf"Oregon, game 2 of the batch: seat 2 may not choose {action}"
        ):
            batch.step(actions)
        assert picture(batch) == before
    with pytest.raises(almunia.IllegalAction, match=r"It has \d+ legal actions, such as \d+ \(.*\), \d+ \("):
        batch.step(actions)


@pytest.mark.parametrize("autoreset", [True, False])
@pytest.mark.parametrize("opponents", [None, "random"])
def test_a_penalty_ends_the_game_of_an_illegal_action(autoreset, opponents):
    given = {"reward": "points", "autoreset": autoreset, "opponents": opponents}
    batch, rng = OREGON.batch(3, 2, seed=4, illegal="penalty", penalty=-2.5, **given), np.random.default_rng(0)
    while not batch.play(1).score_table()[1 - batch.current_seats[1], 0]:  # points that an illegal action must not pay
        batch.step(batch.sample(rng), where=[False, True, False])
    actions = batch.legal_actions[np.arange(3), 0].astype(np.int64)
    seat, old = int(batch.current_seats[1]), batch.seeds.copy()
    actions[1] = np.flatnonzero(~batch.action_masks[1])[0]
    batch.step(actions)
    assert batch.done.tolist() == [False, True, False]
    assert batch.rewards[1, seat] == -2.5
    assert batch.rewards[1, 1 - seat] == 0
    assert (batch.seeds[1] != old[1]) == autoreset
    assert (batch.num_legal[1] > 0) == autoreset == (not batch.action_masks[1].all())


def test_illegal_actions_can_be_replaced_by_random_ones():
    batches = [OREGON.batch(4, 2, seed=1, illegal="random", threads=threads) for threads in (1, 3)]
    for batch in batches:
        for _ in range(STEPS):
            batch.step(np.full(4, -1))
            assert (batch.num_legal > 0).all()
    assert picture(batches[0]) == picture(batches[1])
    assert len({row.tobytes() for row in batches[0].observations}) == 4


def test_tensors_are_written_from_masked_states(monkeypatch):
    """The state that `observe.tensor` gets is masked, even at the end of a game."""
    game, masked = Game("orchard", "plain"), []
    observe = game.kernel(game.observe)
    write = observe.tensor

    def spied(s, seat, out):
        state = np.frombuffer(s.to_bytes(), game.rules.STATE).copy()
        observe.mask(checked_record(state), seat)
        masked.append(state.tobytes() == s.to_bytes())
        write(s, seat, out)

    monkeypatch.setattr(observe, "tensor", spied)
    batch, rng = game.batch(1, 2, seed=2, final_observations=True), np.random.default_rng(0)
    while not batch.done[0]:
        batch.step(batch.sample(rng))
    assert len(masked) > 16
    assert all(masked)


@pytest.mark.parametrize("opponents", [None, "random"])
def test_final_observations_are_kept_if_wanted(opponents):
    given = {"seed": 2, "opponents": opponents}
    batch, stays = OREGON.batch(1, 2, final_observations=True, **given), OREGON.batch(1, 2, autoreset=False, **given)
    rng = np.random.default_rng(0)
    while not batch.done[0]:
        actions = batch.sample(rng)
        batch.step(actions)
        stays.step(actions)
    assert stays.done[0]
    assert batch.final_observations.tobytes() == stays.observations.tobytes()
    assert batch.observations.tobytes() != stays.observations.tobytes()
    assert batch.rewards.tobytes() == stays.rewards.tobytes()
    with pytest.raises(almunia.SetupError, match="writes no final observations; make it with final_observations=True"):
        _ = stays.final_observations


@pytest.mark.parametrize(
    "actions",
    [
        *([0, 1], [[0], [1], [2]], [0.0, 1.0, 2.0], 0, "abc", [True, True, True], [0, [1, 2], 3]),
        np.ma.masked_array([0, 0, 0], [False, True, False]),
        Unreadable(),
    ],
)
def test_actions_of_another_shape_or_type_are_refused(actions):
    batch = OREGON.batch(3, 2)
    with pytest.raises(
        almunia.IllegalAction, match=r"takes 3 whole numbers, an array of shape \(3,\), not \S+ of shape"
    ):
        batch.step(actions)


def test_finished_games_stay_and_refuse_steps_without_autoreset():
    batch = OREGON.batch(3, 2, seed=2, autoreset=False, reward="points")
    rng, total = np.random.default_rng(0), np.zeros((3, 2))
    while not batch.done.any():
        batch.step(batch.sample(rng))
        total += batch.rewards
    over = batch.done.copy()
    row = int(over.argmax())
    assert batch.play(row).over
    assert batch.num_legal[row] == 0
    assert batch.action_masks[row].all()
    assert batch.observe(row).action_mask().all()
    assert batch.observations[row].tobytes() == batch.observe(row).tensor().tobytes()
    assert total[row].tolist() == batch.play(row).score_table()[:, 0].tolist()
    with pytest.raises(
        almunia.IllegalAction, match=rf"game {row} of the batch is over: begin the next with reset\(where"
    ):
        batch.step(batch.sample(rng))
    others = batch.observations[~over].tobytes()
    batch.reset(where=over)
    assert batch.observations[~over].tobytes() == others
    assert not batch.done.any()
    assert (batch.num_legal > 0).all()
    batch.step(batch.sample(rng))


@pytest.mark.parametrize("answer", [-5, None, "place", 3.0, True])
def test_an_illegal_action_of_an_opponent_fails_the_batch(answer):
    class Wrong:
        def choose(self, _observation):
            return answer

    batch = OREGON.batch(1, 2, opponents=Wrong(), seat=1, seed=1)
    rng = np.random.default_rng(0)

    def play_on():
        for _ in range(20):
            batch.step(batch.sample(rng))

    with pytest.raises(almunia.BotFailure, match=rf"the opponent .*Wrong.* in seat 1 may not choose {answer!r}"):
        play_on()
    with pytest.raises(almunia.IllegalAction, match="still waits for an opponent that failed: reset the batch"):
        batch.step(batch.sample(rng))


def test_a_reset_of_other_games_does_not_ask_an_opponent_that_failed():
    class FailsOnce(Lowest):
        fails = False

        def choose(self, observation):
            if self.fails:
                self.fails = False
                raise ZeroDivisionError
            return super().choose(observation)

    opponent, rng = FailsOnce(), np.random.default_rng(0)
    batch = OREGON.batch(3, 2, opponents=opponent, seed=1)
    opponent.fails = True

    def play_on():
        for _ in range(20):
            batch.step(batch.sample(rng))

    with pytest.raises(ZeroDivisionError):
        play_on()
    waiting = batch._arrays.rows["awaits_opponent"] != 0
    assert waiting.any()
    before, seeds = batch._arrays.states[waiting].tobytes(), batch.seeds[waiting].tolist()
    batch.reset(where=np.zeros(3, bool))
    batch.step(batch.sample(rng), where=~waiting)
    assert batch._arrays.states[waiting].tobytes() == before
    with pytest.raises(almunia.IllegalAction, match="still waits for an opponent that failed: reset the batch"):
        batch.step(batch.sample(rng))
    batch.reset(where=waiting)
    assert batch.seeds[waiting].tolist() != seeds
    batch.step(batch.sample(rng))


@pytest.mark.parametrize(
    ("given", "sentence"),
    [
        ({"n": 0}, "The number of games is a whole number from 1 to"),
        ({"seats": 9}, "Oregon takes 2 to 4 seats, not 9"),
        ({"seed": -1}, "A seed is a whole number"),
        ({"threads": 0}, "The number of threads"),
        (
            {"legal_as": "mask"},
            "format of legal actions 'mask'. There are: masks, bits, lists. Did you mean 'masks'",
        ),
        ({"reward": "win!"}, "no reward 'win!'"),
        ({"penalty": "hard"}, "A penalty is a number from -2**40 to 2**40, such as -1, not 'hard'"),
        ({"penalty": float("nan")}, "A penalty is a number from"),
        ({"penalty": -1e39}, "A penalty is a number from"),
        ({"penalty": 10**400}, "A penalty is a number from"),
        ({"penalty": True}, "A penalty is a number from"),
        ({"reward": ["rank"]}, "no reward ['rank']"),
        ({"illegal": ["error"]}, "no effect of illegal actions ['error']"),
        ({"illegal": "ignore"}, "no effect of illegal actions 'ignore'. There are: error, penalty, random."),
        (
            {"opponents": "gredy"},
            "There is no bot 'gredy'. There are: random, greedy, turn, search, external, beginner,",
        ),
        ({"opponents": ["turn", "gredy"], "seats": 3}, "Did you mean 'greedy'?"),
        ({"opponents": "search:0"}, "A search thinks for a number of simulations such as 2000"),
        ({"opponents": "turn,guess=2"}, "The bot 'turn' has no setting 'guess'. It has: beam_width, determinizations"),
        ({"opponents": 7}, "or has a method choose(observation) or choose_batch(observations, masks, seats): not 7"),
        (
            {"opponents": Lowest},
            "An opponent is a spec such as 'greedy', or has a method choose(observation) or choose_",
        ),
        ({"opponents": ["greedy"], "seats": 3}, "1 opponent cannot take 2 seats; give one for all, or one for each"),
        ({"seat": 1}, "Seat 1 alone is the learner's only if `opponents` play the others"),
        ({"seat": np.zeros(2), "opponents": "random"}, "The learner's seat is one of 0 to 1, or 'random' to draw it"),
        ({"opponents": np.array(["greedy"])}, "An opponent is a spec such as 'greedy', or has a method choose"),
        ({"reward": np.array(["rank", "win"])}, "There is no reward array("),
        ({"illegal": np.array(["error", "penalty"])}, "There is no effect of illegal actions array("),
        ({"legal_as": np.array(["masks", "bits"])}, "There is no format of legal actions array("),
        ({"device": np.array(["cpu", "cuda"])}, "There is no device array("),
        ({"seat": 2, "opponents": "random"}, "The learner's seat is one of 0 to 1, or 'random' to draw it, not 2"),
        ({"deal": 1}, "no option 'deal'"),
        ({"auto_reset": False}, "no option 'auto_reset' here, and no such setting. There are: n, seats, seed, threads"),
        ({"auto_reset": False}, "Did you mean 'autoreset'?"),
        ({"observe": "no"}, "`observe` is True or False, not 'no'"),
        ({"autoreset": 0}, "`autoreset` is True or False, not 0"),
        ({"final_observations": True, "observe": False}, "leave out observe=False and autoreset=False"),
        ({"final_observations": True, "autoreset": False}, "leave out observe=False and autoreset=False"),
    ],
)
def test_invalid_arguments_of_a_batch_are_refused(given, sentence):
    with pytest.raises(almunia.SetupError) as refused:
        OREGON.batch(**({"n": 2} | given))
    assert sentence in str(refused.value)


def test_a_batch_that_does_not_fit_into_memory_is_refused(monkeypatch):
    def full(*_):
        raise MemoryError

    monkeypatch.setattr(batch_module, "allocate_batch", full)
    with pytest.raises(almunia.SetupError, match="<Batch of 2 games of oregon, 2 seats> does not fit into the memory"):
        OREGON.batch(2)


def test_opponents_are_refused_in_a_game_with_one_seat():
    with pytest.raises(almunia.SetupError, match="A game with one seat has no opponents"):
        almunia.game("orchard").batch(2, 1, opponents="greedy")


@pytest.mark.parametrize("row", [3, -1, None, 1.5, "first", slice(2)])
def test_games_that_are_not_in_the_batch_are_refused(row):
    batch = OREGON.batch(3, 2)
    for ask in (batch.play, batch.observe):
        with pytest.raises(almunia.SetupError, match="<Batch of 3 games of oregon, 2 seats> has games 0 to 2, not"):
            ask(row)


@pytest.mark.parametrize("rng", [None, 5, np.random])
def test_random_actions_take_a_generator(rng):
    with pytest.raises(
        almunia.SetupError, match=r"Random actions take a generator such as np.random.default_rng\(0\), "
    ):
        OREGON.batch(3, 2).sample(rng)


@pytest.mark.parametrize("where", [[True], [1, 0, 1], True])
def test_an_invalid_where_of_a_reset_is_refused(where):
    batch = OREGON.batch(3, 2)
    with pytest.raises(almunia.SetupError, match=r"an array of True and False of shape \(3,\), not"):
        batch.reset(where=where)
    with pytest.raises(almunia.SetupError, match="A seed restarts all games"):
        batch.reset(seed=1, where=[True, False, False])


def test_threads_end_with_their_batch():
    from threading import enumerate as all_threads

    from almunia.engine.pool import THREAD_NAME

    before = {thread for thread in all_threads() if thread.name.startswith(THREAD_NAME)}
    batch = OREGON.batch(4, 2, threads=2)
    batch.step(batch.legal_actions[:, 0])
    made = {thread for thread in all_threads() if thread.name.startswith(THREAD_NAME)} - before
    assert made
    del batch
    for thread in made:
        thread.join(60)
        assert not thread.is_alive()


@pytest.mark.parametrize("threads", [1, 2])
def test_a_closed_batch_refuses_steps_and_resets(threads):
    batch = OREGON.batch(2, 2, threads=threads)
    actions = batch.sample(np.random.default_rng(0))
    batch.close()
    batch.close()
    for more in (lambda: batch.step(actions), batch.reset):
        with pytest.raises(almunia.SetupError, match="oregon, 2 seats> has been closed: make another one"):
            more()


def test_a_batch_serves_one_thread_at_a_time():
    """Two threads at once would overwrite each other's memory in machine code, and Python would crash."""

    class Meddler:
        """An opponent that uses the batch from other threads while it chooses."""

        uses, said = (), ()

        def choose(self, observation):
            uses, self.uses = self.uses, ()
            for use in uses:
                thread = Thread(target=self.meddle, args=(use,))
                thread.start()
                thread.join()
            return observation.legal_actions[0]

        def meddle(self, use):
            try:
                use()
            except almunia.SetupError as refusal:
                self.said = (*self.said, str(refusal))

    bot = Meddler()
    batch = OREGON.batch(1, 2, seed=1, opponents=bot)
    bot.uses = (lambda: batch.step([0]), batch.reset, lambda: batch.reset(seed=3), batch.close)
    rng = np.random.default_rng(0)
    for _ in range(20):
        batch.step(batch.sample(rng))
    sentence = "<Batch of 1 game of oregon, 2 seats> is at work for another thread: one may use it at a time."
    assert bot.said == (sentence,) * 4
    with pytest.raises(almunia.IllegalAction):
        batch.step([-1])
    batch.step(batch.sample(rng))  # a refusal leaves it open


@pytest.mark.parametrize("build", ["plain", pytest.param("compiled", marks=compiled)])
def test_random_actions_follow_from_the_lots(build):
    batch = almunia.game("oregon", build).batch(40, 2, seed=3)
    for seed in range(3):
        lots = np.random.default_rng(seed).random(40)
        chosen = batch.sample(np.random.default_rng(seed))
        places = (lots * batch.num_legal).astype(np.int64)
        assert chosen.dtype == np.int32
        assert chosen.tolist() == batch.legal_actions[np.arange(40), places].tolist()
        assert len({*places.tolist()}) > 1
        batch.step(chosen)


def pickled(batch):
    return pickle.loads(pickle.dumps(batch))  # noqa: S301 - our own


@compiled
@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
@pytest.mark.parametrize("given", [{}, {"opponents": "greedy", "seat": "random", "threads": 2}, {"legal_as": "bits"}])
def test_copies_of_a_batch_are_independent(copied, given):
    given = {"reward": "points", "final_observations": True} | given
    batch = FAST.batch(3, 3, seed=1, **given)
    batch.reset(seed=7)
    rng = np.random.default_rng(0)
    for _ in range(20):
        batch.step(batch.sample(rng))
    twin = copied(batch)
    before, seen = twin.observations.tobytes(), []
    for one in (batch, twin):
        assert one.observations.tobytes() == before
        again = np.random.default_rng(1)
        for _ in range(300):
            one.step(one.sample(again))
        seen.append(
            [getattr(one, name).tobytes() for name in ARRAYS if name != "action_masks"]
            + [one.final_observations.tobytes()]
        )
    assert seen[0] == seen[1]


def test_observations_are_pickled_once():
    bare, batch = (OREGON.batch(50, observe=observe) for observe in (False, True))
    assert len(pickle.dumps(batch)) - len(pickle.dumps(bare)) < 1.5 * batch.observations.nbytes


def test_a_batch_takes_every_reward_convention():
    for reward in CODES:
        assert OREGON.batch(1, 2, reward=reward).reward == reward
