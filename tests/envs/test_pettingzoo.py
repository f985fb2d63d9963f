"""PettingZoo environments: PettingZoo's own tests, and further requirements."""

import copy
import pickle
import sys
from functools import partial
from importlib import import_module
from threading import Thread
from types import SimpleNamespace

import numpy as np
import pettingzoo
import pytest
from pettingzoo.test import api_test, parallel_api_test, render_test, seed_test
from pettingzoo.test.max_cycles_test import max_cycles_test
from pettingzoo.test.state_test import state_test

import almunia
from almunia.batch.rewards import CODES, Rewards
from almunia.catalog import game_packages, meta
from almunia.engine import state_dtype
from almunia.envs.pettingzoo import env, parallel_env, register

TABLES = [
    pytest.param(name, seats, id=f"{name}-{seats}", marks=[] if seats == fewest else pytest.mark.exhaustive)
    for name in game_packages()
    for fewest, most in [meta(name).seats]
    for seats in range(fewest, most + 1)
]
# PettingZoo knows by name which environments may observe a dictionary: its own.
pytestmark = [
    pytest.mark.filterwarnings("ignore:Observation is not a NumPy array"),
    pytest.mark.filterwarnings("ignore:Observation space for each agent probably should be"),
]


def chosen(environment, generator) -> int | None:
    """Return a random action for the agent to move, or None if the agent leaves."""
    seen, _, terminated, truncated, _ = environment.last()
    return None if terminated or truncated else int(generator.choice(seen["action_mask"].nonzero()[0]))


def played(environment, seed=0) -> dict[str, float]:
    """Play at random to the end, and return the sums of rewards."""
    environment.reset(seed=seed)
    generator, sums = np.random.default_rng(seed), dict.fromkeys(environment.agents, 0.0)
    for agent in environment.agent_iter():
        sums[agent] += environment.last(observe=False)[1]
        environment.step(chosen(environment, generator))
    return sums


# --- its own tests ---------------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_environments_pass_the_api_test_of_pettingzoo(name, seats):
    api_test(env(name, seats), num_cycles=30)
    seed_test(partial(env, name, seats), num_cycles=30)
    parallel_api_test(parallel_env(name, seats), num_cycles=30)


@pytest.mark.compiled
@pytest.mark.filterwarnings("error:Observation")
@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_flat_observations_are_as_pettingzoo_has_them(name, seats):
    """`parallel_api_test` finds no masks in infos, and chooses among all actions."""
    api_test(env(name, seats, flatten=True), num_cycles=30)
    seed_test(partial(env, name, seats, flatten=True), num_cycles=30)
    parallel_api_test(parallel_env(name, seats, flatten=True, illegal="random"), num_cycles=30)


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_the_state_is_as_pettingzoo_has_it(name, seats):
    """PettingZoo's test chooses among all actions, also illegal ones."""
    state_test(env(name, seats, illegal="random"), parallel_env(name, seats, illegal="random"))


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_cycles_are_counted(name, seats):
    """PettingZoo's test chooses among all actions, so illegal actions are replaced, and some are no-ops."""
    settings = {"illegal": "random"}
    module = SimpleNamespace(
        env=partial(env, name, seats, all_step=True, **settings),
        parallel_env=partial(parallel_env, name, seats, **settings),
    )
    max_cycles_test(module)


@pytest.mark.slow
@pytest.mark.parametrize(
    "name", [pytest.param(name, marks=[] if name == "oregon" else pytest.mark.exhaustive) for name in game_packages()]
)
def test_every_mode_renders(name):
    texts = dict.fromkeys(("ansi", "svg"), lambda found: isinstance(found, str) and len(found) > 50)
    render_test(partial(env, name, build="plain"), custom_tests=texts)


@pytest.mark.compiled
@pytest.mark.parametrize("name", game_packages())
def test_every_game_is_registered_and_a_second_time_does_no_harm(name):
    known = f"almunia/{name}-v{meta(name).rules_version}"
    most = meta(name).seats[1]
    for kind, made in (("aec", env), ("parallel", parallel_env)):
        registered = pettingzoo.make(kind, known, seats=most, max_cycles=9)
        assert type(registered) is type(made(name))
        assert len(registered.possible_agents) == most
        assert registered.unwrapped.max_cycles == 9
    before = set(pettingzoo.aec_registry)
    register()
    assert set(pettingzoo.aec_registry) == before


# --- what an agent gets -----------------------------------------------------------------------------


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_an_agent_gets_the_masked_observation_of_its_seat(name, seats):
    environment, generator = env(name, seats), np.random.default_rng(3)
    environment.reset(seed=5)
    for _ in range(40):
        play = environment.play
        for seat, agent in enumerate(environment.agents):
            seen, expected = environment.observe(agent), play.observe(seat)
            assert (seen["observation"] == expected.tensor()).all()
            assert (seen["action_mask"] == expected.action_mask()).all()
            guess = state_dtype.copy_states(expected.determinize(1).array)
            environment._cursor.array[:], true = guess, state_dtype.copy_states(environment._cursor.array)
            environment._cursor._observed = None
            other = environment.observe(agent)
            environment._cursor.array[:], environment._cursor._observed = true, None
            assert (seen["observation"] == other["observation"]).all()
            assert (seen["action_mask"] == other["action_mask"]).all()
        environment.step(chosen(environment, generator))
        if environment._ended:
            break


@pytest.mark.compiled
@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_the_state_has_the_observations_of_all_agents(name, seats):
    for environment in (env(name, seats), env(name, seats, all_step=True)):
        generator = np.random.default_rng(3)
        environment.reset(seed=5)
        for _ in range(20):
            if environment._ended:
                break
            state = environment.state()
            rows = state.reshape(seats, -1)
            for seat, agent in enumerate(environment.possible_agents):
                assert (rows[seat] == environment.observe(agent)["observation"]).all()
            environment.step(chosen(environment, generator))
        assert not np.shares_memory(state, environment.state())


@pytest.mark.compiled
@pytest.mark.parametrize("name", [name for name in game_packages() if meta(name).has_hidden_information])
def test_the_state_contains_secrets_that_observations_hide(name):
    environment, generator, told = env(name, 3), np.random.default_rng(3), 0
    environment.reset(seed=5)
    for _ in range(20):
        seen, state = environment.observe("player_0"), environment.state()
        true = state_dtype.copy_states(environment._cursor.array)
        environment._cursor.array[:] = environment.play.observe(0).determinize(1).array
        environment._cursor._observed = None
        assert (environment.observe("player_0")["observation"] == seen["observation"]).all()
        told += (environment.state() != state).any()
        environment._cursor.array[:], environment._cursor._observed = true, None
        environment.step(chosen(environment, generator))
    assert told


@pytest.mark.compiled
@pytest.mark.parametrize("given", [{}, {"all_step": True}, {"max_cycles": 9}, {"illegal": "penalty"}])
def test_flat_observations_have_their_masks_in_the_infos(given):
    flat, other = (env("oregon", 3, flatten=flatten, **given) for flatten in (True, False))
    generator = np.random.default_rng(3)
    for one in (flat, other):
        one.reset(seed=5)
    masks = []
    while not other._ended:
        masks.append({agent: flat.infos[agent]["action_mask"] for agent in flat.agents})
        kept = {agent: mask.copy() for agent, mask in masks[-1].items()}
        assert_same_observations(flat, other)
        action = -1 if given.get("illegal") and len(masks) == 20 else chosen(other, generator)
        for one in (flat, other):
            one.step(action)
        assert all((mask == kept[agent]).all() for agent, mask in masks[-1].items())
    assert_same_observations(flat, other)
    assert flat.last()[4]["action_mask"].all()
    flat.step(None)
    assert set(flat.infos) == set(flat.agents)


def assert_same_observations(flat, other):
    for agent in other.agents:
        seen = other.observe(agent)
        assert flat.observe(agent) in flat.observation_space(agent)
        assert (flat.observe(agent) == seen["observation"]).all()
        assert (flat.infos[agent]["action_mask"] == seen["action_mask"]).all()
        assert flat.infos[agent]["action_mask"].dtype == np.int8


@pytest.mark.compiled
def test_flat_observations_in_parallel():
    flat, other = parallel_env("oregon", 3, flatten=True), parallel_env("oregon", 3)
    (seen, infos), (wanted, _) = flat.reset(seed=1), other.reset(seed=1)
    for _ in range(9):
        for agent in other.agents:
            assert (seen[agent] == wanted[agent]["observation"]).all()
            assert (infos[agent]["action_mask"] == wanted[agent]["action_mask"]).all()
        actions = {agent: int(one["action_mask"].argmax()) for agent, one in wanted.items()}
        (seen, *_, infos), (wanted, *_) = flat.step(actions), other.step(actions)


@pytest.mark.compiled
def test_later_steps_do_not_change_an_observation():
    environment, generator = env("oregon"), np.random.default_rng(0)
    environment.reset(seed=0)
    first = environment.observe("player_0")
    before = copy.deepcopy(first)
    for _ in range(6):
        environment.step(chosen(environment, generator))
    assert all((first[name] == before[name]).all() for name in first)


@pytest.mark.compiled
@pytest.mark.parametrize("reward", CODES)
@pytest.mark.parametrize(("name", "seats"), [("oregon", 2), ("oregon", 4), ("alpujarras", 3), ("orchard", 2)])
def test_rewards_sum_to_the_returns(name, seats, reward):
    environment = env(name, seats, reward=reward)
    for seed in range(3):
        sums = played(environment, seed)
        worths = Rewards(environment.game, seats, reward).returns(environment.play)
        assert list(sums.values()) == pytest.approx(worths.tolist())


@pytest.mark.compiled
def test_a_game_with_one_player_is_rewarded_for_points():
    environment = env("orchard")
    assert played(environment) == {"player_0": environment.play.score_table()[0, 0]}


@pytest.mark.compiled
def test_seeds_settle_deals_and_actions_lead_to_a_record():
    one, other = env("alhambra"), env("alhambra")
    assert played(one, 4) == played(other, 4)
    assert almunia.replay(one.play.record()).to_state() == other.play.to_state()
    seeds = set()
    for _ in range(5):
        one.reset()
        seeds.add(one.play.seed)
    assert len(seeds) == 5


@pytest.mark.compiled
def test_both_builds_play_the_same():
    assert played(env("oregon")) == played(env("oregon", build="plain"))


@pytest.mark.compiled
def test_options_are_the_games():
    environment = env("alhambra", memory="perfect")
    environment.reset(seed=1)
    assert environment.play.record().options["memory"] == "perfect"


@pytest.mark.compiled
@pytest.mark.parametrize("copied", [copy.deepcopy, lambda one: pickle.loads(pickle.dumps(one))])  # noqa: S301
def test_a_copied_environment_is_independent(copied):
    environment, generator = env("oregon", 3, reward="lead", illegal="random"), np.random.default_rng(2)
    environment.reset(seed=8)
    for _ in range(9):
        environment.step(chosen(environment, generator))
    twin = copied(environment)
    assert twin.play.to_state() == environment.play.to_state()
    finals = []
    for one in (environment, twin):
        lot = np.random.default_rng(3)
        while not one._ended:
            one.step(-1 if lot.random() < 0.2 else chosen(one, lot))
        finals.append((one.play.to_state(), one.rewards, one._cumulative_rewards))
        one.reset()
        finals[-1] += (one.play.seed,)
    assert finals[0] == finals[1]


@pytest.mark.parametrize("name", game_packages())
def test_a_copy_before_the_first_reset_can_be_reset(name):
    copied = copy.deepcopy(env(name, build="plain"))
    with pytest.raises(almunia.IllegalAction, match="call reset"):
        copied.observe("player_0")
    copied.reset(seed=1)
    assert copied.play.legal_actions


# --- what may not be chosen --------------------------------------------------------------------------


@pytest.mark.compiled
def test_an_illegal_action_is_an_error_that_changes_nothing():
    environment = env("oregon")
    environment.reset(seed=1)
    before = environment.play.to_state()
    illegal = int(np.flatnonzero(environment.observe(environment.agent_selection)["action_mask"] == 0)[0])
    for action in (illegal, -1, 10**6, 10**30, 2.5, "0", None, True, np.True_):
        with pytest.raises(
            almunia.IllegalAction, match=r"Oregon, action 1: seat \d may not choose .* legal actions, such"
        ):
            environment.step(action)
    with pytest.raises(almunia.IllegalAction, match=r"may not choose 2\.5 \(float, not int\)\. It has \d+ legal"):
        environment.step(2.5)
    with pytest.raises(almunia.IllegalAction, match=rf"may not choose {illegal} .*, such as 'place at .*' \(\d+\)\."):
        environment.step(np.array(illegal))
    assert environment.play.to_state() == before
    environment.step(environment.play.legal_actions[0])


@pytest.mark.compiled
def test_an_environment_serves_one_thread_at_a_time():
    """In machine code, two threads would overwrite each other's memory."""
    environment = env("oregon")
    environment.reset(seed=1)
    cursor, said = environment._cursor, []
    step, observe, legal = cursor._step, cursor._observe, environment.play.legal_actions[0]

    def meddle():
        for use in (
            lambda: environment.step(legal),
            lambda: environment.reset(seed=2),
            lambda: cursor.observation_arrays(1),
        ):
            with pytest.raises(almunia.SetupError) as told:
                use()
            said.append(str(told.value))

    def meanwhile(inner):
        def call(*given):
            thread = Thread(target=meddle)
            thread.start()
            thread.join()
            return inner(*given)

        return call

    cursor._step, cursor._observe = meanwhile(step), meanwhile(observe)
    environment.step(legal)
    environment.observe("player_0")
    sentence = "<GameCursor of oregon, 2 seats> is at work for another thread: one may use it at a time."
    assert said == [sentence] * 6
    cursor._step, cursor._observe = step, observe
    environment.step(environment.play.legal_actions[0])


@pytest.mark.compiled
def test_an_illegal_action_can_end_the_game():
    environment = env("oregon", 3, illegal="penalty", penalty=-5)
    environment.reset(seed=1)
    agent = environment.agent_selection
    environment.step(-1)
    assert environment.rewards == {one: -5.0 * (one == agent) for one in environment.possible_agents}
    assert environment._cumulative_rewards == environment.rewards
    assert all(environment.terminations.values())
    api_test(env("oregon", 3, illegal="penalty"), num_cycles=10)


@pytest.mark.compiled
def test_an_illegal_action_can_be_replaced():
    finals = []
    for _ in range(2):
        environment = env("oregon", illegal="random")
        environment.reset(seed=1)
        while environment.agents:
            environment.step(None if environment._ended else -1)
        finals.append(environment.play.to_state())
    assert finals[0] == finals[1]
    assert environment.play.over


@pytest.mark.compiled
@pytest.mark.parametrize("all_step", [False, True])
def test_the_mask_of_a_finished_game_allows_all_actions(all_step):
    """The game is over, or an illegal action has ended it. A policy computes NaN from an empty mask."""
    for given in ({}, {"max_cycles": 3}):
        environment, generator = env("oregon", all_step=all_step, **given), np.random.default_rng(3)
        environment.reset(seed=5)
        while not environment._ended:
            assert not all(environment.observe(agent)["action_mask"].all() for agent in environment.agents)
            environment.step(chosen(environment, generator))
        masks = [environment.observe(agent)["action_mask"] for agent in environment.agents]
        assert [mask.tolist() for mask in masks] == [[1] * (environment.noop + all_step)] * 2


@pytest.mark.compiled
def test_an_agent_that_is_not_to_move_can_only_choose_the_noop():
    environment = env("oregon", all_step=True)
    environment.reset(seed=1)
    noop, mover = environment.noop, f"player_{environment.play.turn}"
    for agent in environment.agents:
        mask = environment.observe(agent)["action_mask"]
        assert bool(mask[noop]) == (agent != mover)
        assert bool(mask[:noop].any()) == (agent == mover)
    other = 1 - environment.play.turn
    for agent in environment.agents:
        legal = environment.play.legal_actions[0]
        if agent == mover:
            with pytest.raises(almunia.IllegalAction, match=r"Oregon, action 1: seat \d may not choose 174"):
                environment.step(noop)
            environment.step(legal)
        else:
            with pytest.raises(
                almunia.IllegalAction, match=rf"player_{other} is not to move, and can only choose the no-op \(174\)"
            ):
                environment.step(legal)
            environment.step(noop)
    assert len(environment.play.actions) == 1
    spoiled = env("oregon", all_step=True, illegal="penalty")
    spoiled.reset(seed=1)
    for _ in spoiled.agents:
        spoiled.step(-1)
    assert list(spoiled.rewards.values()) == [-1.0, -1.0]
    assert not spoiled.play.actions


@pytest.mark.compiled
def test_a_cycle_is_applied_in_full_or_not_at_all():
    cycles = parallel_env("oregon", 3)
    with pytest.raises(almunia.IllegalAction, match=r"Oregon: no game is going on; call reset\(\) first\."):
        cycles.step({})
    observations, _ = cycles.reset(seed=1)
    right = {agent: int(seen["action_mask"].argmax()) for agent, seen in observations.items()}
    before, noop = cycles.unwrapped.play.to_state(), cycles.unwrapped.noop
    for wrong in ({}, {"player_0": noop}, right | {"player_3": noop}, [*right.values()], None):
        with pytest.raises(
            almunia.IllegalAction, match="a dictionary with an action for each of player_0, player_1, play"
        ):
            cycles.step(wrong)
    for agent in right:
        for action in (-1, 0.5, None, float("nan"), np.array([1, 2]), "noop"):
            with pytest.raises(almunia.IllegalAction, match=r"Oregon.*(may not choose|can only choose the no-op)"):
                cycles.step(right | {agent: action})
    assert cycles.unwrapped.play.to_state() == before
    assert all(np.array_equal(cycles.unwrapped.observe(agent)["action_mask"], seen["action_mask"])
               for agent, seen in observations.items())  # fmt: skip
    cycles.step(right)
    assert len(cycles.unwrapped.play.actions) == 1


@pytest.mark.compiled
def test_agents_that_do_not_exist_are_refused():
    environment = env("oregon")
    environment.reset(seed=1)
    for ask in (environment.observe, environment.observation_space, environment.action_space):
        for agent in ("player_2", 0, None, ["player_0"]):
            with pytest.raises(almunia.SetupError, match=r"no agent .* of Oregon\. There are: player_0, player_1\."):
                ask(agent)


@pytest.mark.compiled
def test_steps_before_and_after_a_game_are_refused():
    environment = env("oregon", max_cycles=2)
    calls = (
        *(environment.last, environment.agent_iter, environment.state, environment.render),
        *(lambda: environment.step(0), lambda: environment.observe("player_0")),
    )
    for call in calls:
        with pytest.raises(almunia.IllegalAction, match=r"call reset\(\) first\."):
            call()
    environment.reset(seed=1)
    for _ in range(2):
        environment.step(environment.play.legal_actions[0])
    assert all(environment.truncations.values())
    assert not any(environment.terminations.values())
    with pytest.raises(almunia.IllegalAction, match="Oregon: the game has ended, so player_0 can only step with None"):
        environment.step(0)
    for _ in range(2):
        environment.step(None)
    for call in (lambda: environment.step(None), environment.last):
        with pytest.raises(almunia.IllegalAction, match=r"no game is going on; call reset\(\) first\."):
            call()


@pytest.mark.compiled
def test_a_truncated_game_pays_by_observations():
    environment = env("alpujarras", 3, reward="points", max_cycles=60)
    sums = played(environment)
    play, rewards = environment.play, Rewards(environment.game, 3, "points")
    assert list(sums.values()) == [rewards.potential(play.observe(seat), seat) for seat in range(3)]


@pytest.mark.compiled
def test_settings_that_do_not_exist_are_refused():
    for settings, sentence in (
        ({"illegal": "ignore"}, r"no effect of illegal actions 'ignore'\. There are: error, penalty, random\."),
        ({"seats": 9}, "Oregon takes 2 to 4 seats, not 9"),
        ({"max_cycles": 0}, "number of cycles"),
        ({"render_mode": "3d"}, "no render mode '3d'"),
        ({"reward": "fame"}, "no reward 'fame'"),
        ({"penalty": None}, r"A penalty is a number from -2\*\*40 to 2\*\*40, such as -1, not None"),
        ({"penalty": float("nan")}, r"A penalty is a number from -2\*\*40 to 2\*\*40, such as -1, not nan"),
        ({"colour": "red"}, "colour"),
        ({"max_cycle": 3}, r"no option 'max_cycle' here, and no such setting\. There are: .* mean 'max_cycles'\?"),
        ({"all_step": "no"}, "`all_step` is True or False, not 'no'"),
        ({"flatten": 1}, "`flatten` is True or False, not 1"),
    ):
        with pytest.raises(almunia.SetupError, match=sentence):
            env("oregon", **settings)
    assert parallel_env("oregon", all_step=True).unwrapped.all_step
    with pytest.raises(almunia.SetupError, match="all agents step in every cycle: leave out all_step=F"):
        parallel_env("oregon", all_step=False)
    with pytest.raises(almunia.SetupError, match="no game called 'chess'"):
        env("chess")
    with pytest.raises(almunia.SetupError, match="no game called None"):
        env(None)
    with pytest.raises(almunia.SetupError, match="A seed is a whole number"):
        env("oregon").reset(seed=-1)


def test_a_missing_framework_is_named(monkeypatch):
    monkeypatch.setitem(sys.modules, "pettingzoo", None)
    monkeypatch.delitem(sys.modules, "almunia.envs.pettingzoo")
    monkeypatch.delattr("almunia.envs.pettingzoo")
    with pytest.raises(almunia.MissingExtra, match=r"pip install 'almunia\[pettingzoo\]'"):
        import_module("almunia.envs.pettingzoo")
