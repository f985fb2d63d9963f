"""Opponents of a batch that are specs: they choose in all threads, each game with its own random numbers."""

import copy
import pickle
from itertools import count
from threading import Event, Thread

import numpy as np
import pytest

import almunia
from almunia.bots import make
from almunia.bots.search import SearchBot, workers
from almunia.bots.search.kernels import turn_beam
from almunia.catalog import game_packages
from almunia.engine.pool import WorkerStopped, check_stop

from .test_batch import OneByOne, course, picture

OREGON = almunia.game("oregon")
pytestmark = pytest.mark.compiled  # in the plain build they think for too long


def compare(batch, specs, steps):
    """Require that the opponents of each row act like bots made for that row. Return the number of games that ended."""
    rng = np.random.default_rng(1)

    def begun(row):
        bots = [make(spec, batch.game, int(batch.bot_seeds[row]) ^ place) for place, spec in enumerate(specs)]
        return OneByOne(batch, row, int(batch.learner_seats[row]), bots)

    ones, ended = [begun(row) for row in range(batch.n)], 0
    for _ in range(steps):
        actions = batch.sample(rng)
        batch.step(actions)
        for row, one in enumerate(ones):
            rewards, over = one.step(actions[row])
            assert batch.done[row] == over
            np.testing.assert_array_equal(batch.rewards[row], rewards.astype(np.float32))
            if over:
                ended += 1
                ones[row] = begun(row)
            ones[row].compare()
    return ended


@pytest.mark.parametrize(
    ("name", "spec", "steps"),
    [
        pytest.param(name, spec, steps, marks=[] if name == "oregon" else pytest.mark.exhaustive)
        for name in game_packages()
        for spec, steps in (("turn", 40), ("turn,beam_width=3,determinizations=2", 10), ("search:7", 10))
    ],
)
def test_opponents_by_spec_are_the_bots(name, spec, steps):
    batch = almunia.game(name).batch(2, 2, seed=3, opponents=spec, seat="random", threads=2)
    compare(batch, [spec], steps)


@pytest.mark.parametrize(
    "specs", [["turn", "search:5"], ["search:5", "search:9"], ["greedy", "turn"], ["turn", "turn"]]
)
def test_each_game_and_seat_has_its_own_bot(specs):
    batch = OREGON.batch(3, 3, seed=5, opponents=specs, seat="random", threads=2)
    assert compare(batch, specs, 90)


def test_a_search_keeps_its_grown_tree_within_a_game(monkeypatch):
    monkeypatch.setattr(workers, "INITIAL_NODES", 64)
    batch = OREGON.batch(2, 2, seed=5, opponents="search:30", threads=2)
    compare(batch, ["search:30"], 20)


@pytest.mark.parametrize("name", ["oregon", pytest.param("orchard", marks=pytest.mark.exhaustive)])
@pytest.mark.parametrize("opponents", ["turn", "search:5", ["turn", "search:5"], ["random", "turn"]])
def test_rows_depend_only_on_the_seed(name, opponents):
    game = almunia.game(name)
    given = {"seed": 9, "opponents": opponents, "seat": "random", "seats": 2 + isinstance(opponents, list)}
    courses = [course(game.batch(5, threads=threads, **given), 12) for threads in (1, 2, 4)]
    assert courses[0] == courses[1] == courses[2]
    few, many = game.batch(2, **given), game.batch(5, **given)
    for batch in (few, many):
        for _ in range(10):
            batch.step(batch.legal_actions[:, 0])
    assert few.observations.tobytes() == many.observations[:2].tobytes()


@pytest.mark.parametrize("spec", ["turn", "search:5"])
def test_a_reset_with_a_seed_is_reproducible(spec):
    batch = OREGON.batch(3, 2, seed=5, opponents=spec, seat=1)
    first = course(batch, 8)
    batch.reset(seed=5)
    assert course(batch, 8) == first
    batch.reset(seed=6)
    assert course(batch, 8) != first


def test_rows_are_equal_in_all_builds():
    for name in ("oregon", "orchard"):
        plain, fast = (
            course(almunia.game(name, build).batch(2, 2, opponents="turn"), 2) for build in ("plain", "compiled")
        )
        assert plain == fast


def pickled(batch):
    return pickle.loads(pickle.dumps(batch))  # noqa: S301 - our own


@pytest.mark.parametrize("copied", [copy.deepcopy, pickled])
@pytest.mark.parametrize("opponents", ["turn", "search:5", ["search:5", "random"]])
def test_a_copy_plays_on_as_the_batch_does(opponents, copied):
    batch = OREGON.batch(2, 2 + isinstance(opponents, list), seed=1, opponents=opponents, threads=2)
    course(batch, 15)
    twin = copied(batch)
    assert picture(twin) == picture(batch)
    assert course(twin, 60) == course(batch, 60)


# --- what they see --------------------------------------------------------------------------------


def test_turn_bots_plan_from_masked_states(monkeypatch):
    game = almunia.game("alhambra", "plain")
    kernel, seen = game.kernel(turn_beam), []

    def spied(seat, determinizations, plan, space):
        state = space.states._array[:1].copy()
        masked = state.copy()
        game.loops.mask(game.wrap(masked), seat)
        seen.append(masked.tobytes() == state.tobytes())
        return plain(seat, determinizations, plan, space)

    plain = kernel.choose
    monkeypatch.setattr(kernel, "choose", spied)
    course(game.batch(1, 2, seed=1, opponents="turn", seat=1), 8)
    assert seen
    assert all(seen)


def test_a_search_is_given_an_observation(monkeypatch):
    choose, seen = SearchBot.choose, []

    def spied(bot, observation):
        seen.append(observation.to_state() == observation.determinize(1).observe(observation.seat).to_state())
        return choose(bot, observation)

    monkeypatch.setattr(SearchBot, "choose", spied)
    course(OREGON.batch(2, 2, opponents="search:5", seat=1), 5)
    assert seen
    assert all(seen)


# --- other bots by spec, and failures ---------------------------------------------------------------


@pytest.mark.parametrize("spec", ["beginner", "medium", "greedy,epsilon=0.5", "greedy,noise=4"])
def test_levels_are_specs(spec):
    batch = OREGON.batch(2, 2, seed=3, opponents=spec)
    compare(batch, [spec], 20)


def test_programs_are_closed_with_their_batch(tmp_path):
    program = tmp_path / "lowest.py"
    program.write_text(
        "import json, sys\n"
        "for line in sys.stdin:\n"
        "    told = json.loads(line)\n"
        "    if told['type'] == 'choose':\n"
        "        print(json.dumps({'action': told['actions'][0]['code']}), flush=True)\n"
    )
    batch = OREGON.batch(2, 3, opponents=[f"external:python3 {program}", "turn"], threads=2)
    course(batch, 3)
    running = batch._opponents.shared_bots[0]._process
    assert running.poll() is None
    batch.close()
    running.wait(60)


def test_a_failed_program_refuses_further_calls(tmp_path):
    """The program has been ended, and a reset starts none, so a second call fails at once."""
    program = tmp_path / "silent.py"
    program.write_text("")
    bot, play = make(f"external:python3 {program}", OREGON), OREGON.new(2, seed=1)
    for said in (
        "ended instead of answering, with exit status 0",
        "has been ended, or has failed before: make another",
    ):
        with pytest.raises(almunia.BotFailure, match=said):
            bot.choose(play.observe(play.turn))


def test_an_interrupted_batch_refuses_steps_until_its_threads_have_ended(monkeypatch):
    """A caller must not write into a batch while threads of an interrupted step still write."""
    batch = OREGON.batch(4, 2, seed=1, opponents="search:5", threads=2)
    choose, goes_on, failed = SearchBot.choose, Event(), []

    def waits(bot, observation):
        if not failed:
            failed.append(True)
            raise ZeroDivisionError
        assert goes_on.wait(60)
        return choose(bot, observation)

    monkeypatch.setattr(SearchBot, "choose", waits)
    with pytest.raises(ZeroDivisionError):
        course(batch, 30)
    with pytest.raises(almunia.SetupError, match="oregon, 2 seats> was interrupted, and its threads are still at work"):
        batch.reset(seed=1)
    goes_on.set()
    for future in batch._pending:
        future.exception(60)
    with pytest.raises(almunia.IllegalAction, match="still waits for an opponent that failed: reset the batch"):
        batch.step(batch.legal_actions[:, 0])
    batch.reset(seed=1)
    batch.step(batch.legal_actions[:, 0])


def test_a_failed_search_stops_the_other_searches_of_a_batch(monkeypatch):
    """Otherwise Python would wait at its end for a search of minutes."""
    batch, calls = OREGON.batch(4, 2, seed=1, opponents="search:5", threads=2), count()
    begun, pause = Event(), Event()

    def fails_or_searches(_bot, _observation):
        if next(calls):
            assert begun.wait(60)
            raise ZeroDivisionError
        begun.set()
        for _ in range(6000):
            check_stop()
            pause.wait(0.01)

    monkeypatch.setattr(SearchBot, "choose", fails_or_searches)
    with pytest.raises(ZeroDivisionError):
        course(batch, 30)
    assert {type(future.exception(60)) for future in batch._pending} == {ZeroDivisionError, WorkerStopped}


def test_a_deleted_batch_ends_its_threads():
    batch = OREGON.batch(4, 2, opponents=["search:5"], threads=2)
    course(batch, 3)
    threads = list(batch._pool._threads)
    assert all(isinstance(thread, Thread) and thread.is_alive() for thread in threads)
    del batch
    for thread in threads:
        thread.join(60)
        assert not thread.is_alive()


# --- some of the games --------------------------------------------------------------------------------


@pytest.mark.parametrize("threads", [1, 2, 4])
@pytest.mark.parametrize("opponents", [None, "greedy", "turn"])
def test_some_of_the_games_are_stepped(threads, opponents):
    given = {"seed": 4, "opponents": opponents, "autoreset": False}
    batch, alone = OREGON.batch(5, 2, threads=threads, **given), OREGON.batch(5, 2, **given)
    rng = np.random.default_rng(2)
    for _ in range(30):
        where = rng.random(5) < 0.5
        before = [(batch.observations[row].tobytes(), batch.rewards[row].tobytes()) for row in range(5)]
        actions = np.where(where, batch.sample(rng), -1)
        batch.step(actions, where)
        for row in np.flatnonzero(~where):
            assert (batch.observations[row].tobytes(), batch.rewards[row].tobytes()) == before[row]
        for row in np.flatnonzero(where):
            alone.step(actions, np.arange(5) == row)
        assert picture(alone) == picture(batch)
