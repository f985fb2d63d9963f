"""States of batches: rows continue from states and plays as they would elsewhere, and wrong states are refused."""

import pickle
from dataclasses import replace
from hashlib import sha256

import numpy as np
import pytest

import almunia
from almunia.batch.buffers import row_dtype
from almunia.batch.rewards import Rewards
from almunia.batch.states import LAYOUT_VERSION
from almunia.bots import make
from almunia.catalog import game_packages

from .test_batch import ARRAYS, FEW, Lowest, course, picture

compiled, exhaustive = pytest.mark.compiled, pytest.mark.exhaustive
OREGON = almunia.game("oregon", "plain")


def played(batch, steps, seed=0):
    """Step a batch at random, and return it."""
    rng = np.random.default_rng(seed)
    for _ in range(steps):
        batch.step(batch.sample(rng))
    return batch


def row_picture(batch, row):
    """Return all arrays of a row, its legal actions and its true state as bytes."""
    shown = [getattr(batch, name)[row].tobytes() for name in ARRAYS]
    return shown, batch.legal_actions[row, : batch.num_legal[row]].tolist(), batch.play(row).to_state()


def after_setting(shown):
    """Return a row's picture as it is after its state has been set: without rewards and end of the last step."""
    arrays, legal, state = shown
    blank = {"rewards": bytes(len(arrays[ARRAYS.index("rewards")])), "done": b"\0"}
    return [blank.get(name, array) for name, array in zip(ARRAYS, arrays, strict=True)], legal, state


def views(batch, row):
    play = batch.play(row)
    return [play.observe(seat).to_state() for seat in range(-1, batch.seats)]


@pytest.mark.parametrize(
    ("name", "build", "opponents"),
    [
        *(("oregon", "plain", opponents) for opponents in (None, "greedy", "greedy,epsilon=0.5")),
        ("alhambra", "plain", "random"),
        *(pytest.param(name, "compiled", "random", marks=compiled) for name in game_packages()),
        *(pytest.param("oregon", "compiled", spec, marks=compiled) for spec in ("turn", "search:5")),
        pytest.param("orchard", "compiled", "turn", marks=[compiled, exhaustive]),
    ],
)
def test_a_state_continues_in_other_rows_and_batches(name, build, opponents):
    game = almunia.game(name, build)
    given = {"seats": 2, "reward": "points", "opponents": opponents, "seat": "random" if opponents else None}
    few = FEW if build == "plain" else 120 if name == "oregon" else 40
    batch, other = played(game.batch(3, seed=5, **given), few // 2), played(game.batch(6, seed=8, **given), 3)
    rows, before = [4, 0, 2], [row_picture(other, row) for row in range(6)]
    other.set_state(rows, batch.get_state())
    for row, place in enumerate(rows):
        assert row_picture(other, place) == after_setting(row_picture(batch, row))
        assert views(other, place) == views(batch, row)
    assert [row_picture(other, row) for row in (1, 3, 5)] == [before[row] for row in (1, 3, 5)]
    rng, going = np.random.default_rng(2), dict(enumerate(rows))
    for _ in range(few):
        actions, others = batch.sample(rng), other.sample(rng)
        for row, place in going.items():
            others[place] = actions[row]
        batch.step(actions)
        other.step(others)
        for row, place in list(going.items()):
            assert batch.done[row] == other.done[place]
            assert batch.rewards[row].tobytes() == other.rewards[place].tobytes()
            if batch.done[row]:
                del going[row]  # the next games are those of each batch
            else:
                assert row_picture(batch, row) == row_picture(other, place)
    if build == "compiled" and name == "oregon":
        assert len(going) < 3


@pytest.mark.parametrize("build", ["plain", pytest.param("compiled", marks=compiled)])
@pytest.mark.parametrize("opponents", [None, "greedy", ["random", Lowest()]])
def test_a_clone_continues_like_its_batch(build, opponents):
    batch = almunia.game("oregon", build).batch(3, 3, seed=4, reward="lead", opponents=opponents)
    clone = played(batch, 20).clone()
    assert picture(clone) == picture(batch)
    assert course(clone, 70) == course(batch, 70)
    seen = picture(batch)
    played(clone, 1)
    assert picture(batch) == seen


@pytest.mark.parametrize("build", ["plain", pytest.param("compiled", marks=compiled)])
def test_states_are_equal_in_all_builds_and_with_any_threads(build):
    states = played(OREGON.batch(3, 2, seed=4, opponents="greedy"), 12).get_state()
    game = almunia.game("oregon", build)
    batches = [game.batch(states=states, opponents="greedy", threads=threads, seed=3) for threads in (1, 2)]
    plain = OREGON.batch(states=states, opponents="greedy", seed=3)
    assert batches[0].get_state() == states
    courses = [course(batch, FEW) for batch in (plain, *batches)]
    assert courses[0] == courses[1] == courses[2]


# --- plays ----------------------------------------------------------------------------------------


def plays_of(game, seats, decisions):
    """Return plays after these numbers of random decisions."""
    plays = []
    for number, count in enumerate(decisions):
        play, rng = game.new(seats, seed=number), np.random.default_rng(number)
        for _ in range(count):
            if not play.over:
                play.apply(int(rng.choice(play.legal_actions)))
        plays.append(play)
    return plays


@pytest.mark.parametrize(
    ("name", "build"),
    [("oregon", "plain"), *(pytest.param(name, "compiled", marks=compiled) for name in game_packages())],
)
@pytest.mark.parametrize("reward", ["rank", "points", "lead"])
@pytest.mark.parametrize("opponents", [None, "greedy"])
def test_a_play_begins_an_episode_at_its_position(name, build, reward, opponents):
    game = almunia.game(name, build)
    plays = [play for play in plays_of(game, 2, [0, 5, 20, 33]) if not play.over]
    given = {"reward": reward, "opponents": opponents, "seat": "random" if opponents else None}
    batch, rewards = game.batch(states=plays, seed=7, **given), Rewards(game, 2, reward)
    assert batch.seeds.tolist() == [play.seed for play in plays]
    copies, starts, sums = [play.copy() for play in plays], [], np.zeros((len(plays), 2))
    bots = [make("greedy", game, int(batch.bot_seeds[row])) for row in range(batch.n)]

    def others(row):
        play = copies[row]
        while opponents and not play.over and play.turn != batch.learner_seats[row]:
            play.apply(bots[row].choose(play.observe(play.turn)))

    for row, play in enumerate(copies):
        starts.append([rewards.potential(play.observe(seat), seat) for seat in range(2)])
        others(row)
        assert batch.play(row).to_state() == play.to_state()
        assert batch.observations[row].tobytes() == play.observe(batch.current_seats[row]).tensor().tobytes()
    assert not batch.rewards.any()
    assert not batch.done.any()
    rng, going = np.random.default_rng(1), set(range(batch.n))
    for _ in range(FEW if build == "plain" else 2000):
        actions = batch.sample(rng)
        learners = batch.learner_seats.copy()
        for row in going:
            copies[row].apply(int(actions[row]))
            while opponents and not copies[row].over and copies[row].turn != learners[row]:
                copies[row].apply(bots[row].choose(copies[row].observe(copies[row].turn)))
        batch.step(actions)
        for row in list(going):
            sums[row] += batch.rewards[row]
            assert batch.done[row] == copies[row].over
            if batch.done[row]:
                going.remove(row)
                np.testing.assert_allclose(sums[row], rewards.returns(copies[row]) - starts[row], atol=1e-5)
            else:
                assert batch.play(row).to_state() == copies[row].to_state()
        if not going:
            return
    assert build == "plain"


def test_a_batch_starts_from_determinizations():
    (play,) = plays_of(OREGON, 3, [9])
    guesses = [play.observe(play.turn).determinize(seed) for seed in range(3)]
    batch = OREGON.batch(states=guesses)
    assert batch.seats == 3
    assert batch.seeds.tolist() == [-1] * 3
    assert [batch.play(row).to_state() for row in range(3)] == [guess.to_state() for guess in guesses]
    assert len({batch.observations[row].tobytes() for row in range(3)}) == 1
    assert play.to_state() == plays_of(OREGON, 3, [9])[0].to_state()


def test_each_episode_has_its_own_random_numbers():
    (play,) = plays_of(OREGON, 2, [9])
    batch, again = (OREGON.batch(states=[play] * 3, opponents="random", seat="random", seed=6) for _ in range(2))
    assert picture(batch) == picture(again)
    seen = [batch.bot_seeds.tolist()]
    for _ in range(3):
        batch.set_state(range(3), [play] * 3)
        seen.append(batch.bot_seeds.tolist())
    assert len({seed for seeds in seen for seed in seeds}) == 12
    again.set_state([1], [play])
    assert again.bot_seeds[1] == seen[1][1]
    again.reset(seed=6)
    assert picture(again) == picture(OREGON.batch(3, opponents="random", seat="random", seed=6))


def test_a_batch_from_states_deals_no_other_games():
    """An opponent that is an object would be asked about games that are discarded at once."""
    play, bot = OREGON.new(2, seed=1), Lowest()
    own, other = play.turn, 1 - play.turn
    OREGON.batch(states=[play] * 3, opponents=bot, seat=own)
    assert not bot.seen
    batch = OREGON.batch(states=[play] * 3, opponents=bot, seat=other)
    assert {seat for _, seat, _ in bot.seen} == {own}
    assert batch.current_seats.tolist() == [other] * 3


def test_an_opponent_may_end_a_play_that_was_set():
    """Its end counts, unlike that of a dealt game in which the learner was never asked."""
    play, rng = OREGON.new(2, seed=0), np.random.default_rng(0)
    while not play.over:
        last = play.copy()
        play.apply(int(rng.choice(play.legal_actions)))
    for opponents in ("random", Lowest()):
        for autoreset in (True, False):
            given = {"seat": 1 - last.turn, "autoreset": autoreset, "reward": "win"}
            batch = OREGON.batch(states=[last], opponents=opponents, **given)
            assert batch.done.tolist() == [True]
            assert batch.rewards.sum() == 1
            assert batch.num_legal[0] > 0 if autoreset else batch.play(0).over


# --- ends -----------------------------------------------------------------------------------------


@pytest.mark.parametrize("build", ["plain", pytest.param("compiled", marks=compiled)])
def test_states_of_finished_games_can_be_set_without_autoreset(build):
    game = almunia.game("oregon", build)
    batch = game.batch(2, 2, seed=1, autoreset=False, reward="points")
    rng = np.random.default_rng(0)
    while not batch.done.all():
        batch.step(batch.sample(rng), where=~batch.done)
    over = batch.get_state()
    assert [state.play().over for state in over] == [True, True]
    for states in (over, [batch.play(row) for row in range(2)]):
        other = game.batch(3, 2, seed=2, autoreset=False, reward="points")
        other.set_state([2, 0], states)
        assert other.done.tolist() == [True, False, True]
        assert not other.rewards.any()
        assert other.num_legal[[2, 0]].tolist() == [0, 0]
        assert other.action_masks[[2, 0]].all()
        assert other.observations[2].tobytes() == other.observe(2).tensor().tobytes()
        with pytest.raises(almunia.IllegalAction, match="game 0 of the batch is over: begin the next with reset"):
            other.step(other.sample(rng))
        other.reset(where=other.done)
        assert not other.done.any()
        resets = game.batch(3, 2, seed=2, reward="points")
        before = picture(resets)
        with pytest.raises(
            almunia.SetupError, match="State 0 is over, and this batch would deal the next game at once"
        ):
            resets.set_state([2, 0], states)
        assert picture(resets) == before


def test_a_state_of_the_next_game_has_no_end():
    batch, rng = OREGON.batch(2, 2, seed=1), np.random.default_rng(0)
    while not batch.done.any():
        batch.step(batch.sample(rng))
    batch.set_state([1, 0], batch.get_state())
    assert not batch.done.any()
    assert not batch.rewards.any()


def test_a_game_ended_by_a_penalty_stays_ended_in_its_state():
    given = {"seats": 2, "illegal": "penalty", "autoreset": False}
    batch = OREGON.batch(2, **given)
    batch.step([int(batch.legal_actions[0, 0]), -1])
    assert batch.done.tolist() == [False, True]
    other = OREGON.batch(states=batch.get_state(), illegal="penalty", autoreset=False)
    assert other.done.tolist() == [False, True]
    assert other.num_legal[1] == 0
    with pytest.raises(almunia.SetupError, match="State 1 is over"):
        OREGON.batch(states=batch.get_state(), illegal="penalty")


# --- refusals -------------------------------------------------------------------------------------

ORCHARD = almunia.game("orchard", "plain")


def state_of(game=OREGON, **given):
    return game.batch(1, **({"seats": 2} | given)).get_state()[0]


@pytest.mark.parametrize(
    ("make_states", "sentence"),
    [
        (lambda: [ORCHARD.new(2)], "State 0 is of orchard with rules"),
        (lambda: [state_of(), state_of(ORCHARD)], "State 1 is of orchard with rules"),
        (lambda: [OREGON.new(3)], "State 0 has 3 seats, and each game of the batch 2."),
        (lambda: [state_of(), state_of(seats=3)], "State 1 has 3 seats, and each game of the batch 2."),
        (lambda: [OREGON.new(2)] * 3, "3 states cannot be set in 2 rows: give one for each row."),
        (list, "0 states cannot be set in 2 rows"),
        (lambda: OREGON.new(2), "States are a list of plays, or of what get_state returned, not <Play of oregon"),
        (lambda: OREGON.new(2).to_bytes(), "States are a list of plays"),
        (lambda: [OREGON.new(2).to_bytes()] * 2, r"State 0 is b'ALMU"),
        (lambda: [state_of(), OREGON.new(2).observe(0)], "State 1 is an observation, which lacks what is hidden"),
        (lambda: [state_of(), state_of(reward="points")], "State 1 is of a batch with reward='points', not 'rank'"),
        (
            lambda: [OREGON.new(2), state_of(opponents="greedy", seat=1)],
            "State 1 is of a batch where the learner has seat 1, not all seats. Set state.play() instead",
        ),
    ],
)
def test_invalid_states_are_refused_and_change_nothing(make_states, sentence):
    batch = OREGON.batch(3, 2, seed=3)
    before, states = picture(batch), [batch.play(row).to_state() for row in range(3)]
    with pytest.raises(almunia.SetupError) as refused:
        batch.set_state([0, 2], make_states())
    assert sentence in str(refused.value)
    assert picture(batch) == before
    assert [batch.play(row).to_state() for row in range(3)] == states
    assert course(batch, 5) == course(OREGON.batch(3, 2, seed=3), 5)


def test_states_with_other_options_are_refused():
    game = almunia.game("alhambra", "plain")
    perfect = game.new(2, seed=1, memory="perfect")
    with pytest.raises(almunia.SetupError, match=r"State 1 was not played with memory='.*', as this batch is"):
        game.batch(states=[game.new(2), perfect])
    batch = game.batch(states=[perfect], memory="perfect")
    for state in (perfect, batch.get_state()[0], perfect.observe(0).determinize(1)):
        batch.set_state([0], [state])
    with pytest.raises(almunia.SetupError, match="State 0 was not played with memory="):
        game.batch(states=batch.get_state())


@compiled
@pytest.mark.parametrize("name", game_packages())
def test_options_last_until_the_end_of_a_play(name):
    game = almunia.game(name)
    for option in game.meta.options:
        for value in (option.default, *option.examples):
            seats = 2 if option.name != "deal" else game.meta.seats[0]
            batch = game.batch(2, seats, seed=1, **{option.name: value})
            for _ in range(60):
                played(batch, 1, 3)
                batch.set_state([1, 0], batch.get_state())


@pytest.mark.parametrize(
    ("seat", "theirs", "sentence"),
    [
        (0, {"seat": 1, "opponents": "random"}, "the learner has seat 1, not seat 0"),
        (0, {}, "the learner has all seats, not seat 0"),
        ("random", {}, "the learner has all seats, not a random seat"),
    ],
)
def test_the_learner_s_seat_is_part_of_a_state(seat, theirs, sentence):
    batch, state = OREGON.batch(2, 2, opponents="greedy", seat=seat), state_of(**theirs)
    with pytest.raises(almunia.SetupError, match=sentence):
        batch.set_state([1], [state])
    batch.set_state([1], [state.play()])
    fixed = [OREGON.batch(2, 2, seed=seed, opponents="random", seat=seat).get_state() for seed in (1, 2)]
    batch.set_state([0, 1], fixed[1])  # opponents in the loop may be others
    assert batch.get_state() == fixed[1]


@compiled
def test_the_memory_of_opponents_is_that_of_their_spec():
    fast = almunia.game("oregon")
    turn, search = (fast.batch(2, 2, opponents=spec) for spec in ("turn", "search:5"))
    with pytest.raises(almunia.SetupError, match=r"State 0 has the memory of other opponents, \['turn'\] and not \['s"):
        search.set_state([0], turn.get_state([1]))
    search.set_state([0], [state.play() for state in turn.get_state([1])])


@pytest.mark.parametrize(
    ("rows", "sentence"),
    [
        ([3], "<Batch of 3 games of oregon, 2 seats> has games 0 to 2, not 3"),
        ([0, -1], "has games 0 to 2, not -1"),
        ([1, 1], r"Rows are different games, not \[1, 1\]"),
        (1, r"Rows are a list of integers, such as \[0, 3\] or np.flatnonzero\(mask\), not int64 of shape \(\)"),
        ([True, False, True], r"np.flatnonzero\(mask\), not bool of shape \(3,\)"),
        ([0.0], "not float64 of shape"),
        (None, "not object of shape"),
    ],
)
def test_rows_are_different_games_of_the_batch(rows, sentence):
    batch = OREGON.batch(3, 2)
    before, states = picture(batch), batch.get_state()
    with pytest.raises(almunia.SetupError, match=sentence):
        batch.set_state(rows, states[:1])
    if rows is not None:
        with pytest.raises(almunia.SetupError, match=sentence):
            batch.get_state(rows)
    assert picture(batch) == before
    assert batch.get_state([]) == []
    batch.set_state([], [])
    assert picture(batch) == before
    assert batch.get_state(np.array([2, 0], np.uint8)) == [states[2], states[0]]


def test_a_row_waiting_for_a_failed_opponent_has_no_state_and_accepts_one():
    class Fails(Lowest):
        fails = False

        def choose(self, observation):
            if self.fails:
                raise ZeroDivisionError
            return super().choose(observation)

    bot = Fails()
    batch = OREGON.batch(2, 2, opponents=bot, seed=1)
    states, bot.fails = batch.get_state(), True
    with pytest.raises(ZeroDivisionError):
        played(batch, 20)
    waiting = np.flatnonzero(batch._arrays.rows["awaits_opponent"])
    with pytest.raises(almunia.IllegalAction, match=f"game {waiting[0]} of the batch still waits for an opponent that"):
        batch.get_state()
    batch.set_state(range(2), states)
    assert batch.get_state() == states
    with pytest.raises(ZeroDivisionError):
        batch.set_state([1], [next(play for play in plays_of(OREGON, 2, range(20)) if play.turn == 1)])
    bot.fails = False
    batch.set_state([1], [states[1]])
    played(batch, 5)


def test_a_closed_batch_gives_and_takes_no_states():
    batch = OREGON.batch(2, 2)
    states = batch.get_state()
    batch.close()
    for use in (batch.get_state, batch.clone, lambda: batch.set_state([0, 1], states)):
        with pytest.raises(almunia.SetupError, match="has been closed"):
            use()


def test_states_can_be_pickled_and_compared():
    batch = played(OREGON.batch(2, 2, seed=3, opponents="greedy"), 8)
    states = batch.get_state()
    again = pickle.loads(pickle.dumps(states))  # noqa: S301 - our own
    assert again == states
    assert states[0] != states[1]
    assert len({*states, *again}) == 2
    assert OREGON.batch(states=again, opponents="greedy").get_state() == states
    load, (layout, game, versions, *parts) = states[0].__reduce__()
    with pytest.raises(almunia.RecordError, match="was saved for oregon with rules 0"):
        load(layout, game, versions | {"rules": 0}, *parts)
    with pytest.raises(almunia.RecordError, match="not a saved play"):
        load(layout, game, versions, *parts[:3], parts[3][:-1], *parts[4:])
    with pytest.raises(almunia.RecordError, match=f"with layout {layout - 1}, and this .* has layout {layout}:"):
        load(layout - 1, game, versions, *parts)


def test_another_layout_of_rows_has_another_version():
    digest = sha256(repr(row_dtype(OREGON).descr).encode()).hexdigest()[:8]
    assert (LAYOUT_VERSION, digest) == (1, "528eb5ef"), "the layout has changed: raise LAYOUT_VERSION"


@compiled
def test_damaged_memories_are_refused():
    batch = played(almunia.game("oregon").batch(1, 2, seed=3, opponents="search:5"), 2)
    (state,) = batch.get_state()
    for memories in (b"", state.memories[:-8], state.memories + b"\0"):
        expected = (
            rf"State 0 is damaged: .* {len(memories)} bytes, and not {len(state.memories)}. Set state.play\(\) inst"
        )
        with pytest.raises(almunia.SetupError, match=expected):
            batch.set_state([0], [replace(state, memories=memories)])
    nodes = np.frombuffer(state.memories, np.int64).copy()
    nodes[-1] *= -1
    batch.set_state([0], [replace(state, memories=nodes.tobytes())])
    with pytest.raises(almunia.SetupError, match=r"is damaged: its tree has -4096 nodes, and trees have 4096 to"):
        played(batch, 20)
