"""Gymnasium environments: Gymnasium's own check, and further requirements."""

import itertools
import sys
from copy import deepcopy
from functools import partial
from importlib import import_module

import gymnasium
import numpy as np
import pytest
from gymnasium.utils.env_checker import check_env
from gymnasium.vector import AutoresetMode

import almunia
from almunia.batch.rewards import Rewards
from almunia.bots import make
from almunia.catalog import all_games
from almunia.envs import gymnasium as ours

IDS = [f"almunia/{meta.name}-v{meta.rules_version}" for meta in all_games()]
OREGON = next(name for name in IDS if "oregon" in name)
ORCHARD = next(name for name in IDS if "orchard" in name)


def played(env, seed=0):
    """Play at random to the end. Return the results of each step."""
    env.action_space.seed(seed)
    observation, info = env.reset(seed=seed)
    course, ended = [(observation, 0.0, info["action_mask"])], False
    while not ended:
        action = env.action_space.sample(info["action_mask"])
        observation, reward, ended, truncated, info = env.step(action)
        assert not truncated
        course.append((observation, reward, info["action_mask"]))
    return course


def same(one, other):
    return all(all(np.array_equal(a, b) for a, b in zip(*pair, strict=True)) for pair in zip(one, other, strict=True))


@pytest.mark.compiled
@pytest.mark.parametrize("name", IDS)
def test_environments_pass_the_check_of_gymnasium(name, capsys):
    env = gymnasium.make(name, illegal="penalty").unwrapped
    check_env(env)
    assert {"ansi", "svg", "rgb_array"} <= set(env.metadata["render_modes"])


def test_every_game_is_registered_and_a_second_time_does_no_harm():
    before = set(gymnasium.registry)
    assert set(IDS) <= before
    ours.register()
    assert set(gymnasium.registry) == before


@pytest.mark.compiled
@pytest.mark.parametrize("name", IDS)
def test_a_game_to_its_end(name):
    env = gymnasium.make(name, reward="points")
    course = played(env, 4)
    play = env.unwrapped.play
    assert play.over
    assert sum(reward for _, reward, _ in course) == play.score_table()[0, 0]
    assert all(observation in env.observation_space for observation, *_ in course)
    assert course[-1][2].all()
    assert all(mask.any() for *_, mask in course[:-1])
    assert same(course, played(env, 4))
    assert not same(course[:5], played(env, 5)[:5])


@pytest.mark.compiled
def test_the_observation_is_that_of_the_seat():
    env = gymnasium.make(OREGON, seats=3, seat=1, opponents="random").unwrapped
    observation, info = env.reset(seed=1)
    for _ in range(20):
        seen = env.play.observe(1)
        assert observation.tobytes() == seen.tensor().tobytes()
        assert (info["action_mask"].dtype, info["seat"].dtype, int(info["seat"])) == (np.int8, np.int64, 1)
        assert (info["action_mask"].astype(bool) == seen.action_mask()).all()
        assert (env.action_masks() == seen.action_mask()).all()
        observation, *_, info = env.step(seen.legal_actions[-1])


@pytest.mark.compiled
@pytest.mark.parametrize("opponents", ["greedy", "easy", "turn", "search:5", ["random", "turn"]])
def test_bots_play_the_other_seats_the_same_for_the_same_seed(opponents):
    given = {"seats": 3, "opponents": opponents, "max_episode_steps": 6}
    courses = []
    for _ in range(2):
        env, course = gymnasium.make(OREGON, **given), []
        for seed in (3, None, 3):
            observation, info = env.reset(seed=seed)
            for _ in range(3):
                course.append((observation, info["action_mask"]))
                observation, *_, info = env.step(int(info["action_mask"].argmax()))
        courses.append(course)
    assert same(*courses)
    assert same(courses[0][:3], courses[0][6:])
    assert not same(courses[0][:3], courses[0][3:6])


@pytest.mark.compiled
def test_the_default_reward_is_the_rank():
    env = gymnasium.make(OREGON, seats=3, seat="random", opponents="random")
    seats = set()
    for seed in range(6):
        course = played(env, seed)
        batch = env.unwrapped._batch
        seats.add(int(batch.learner_seats[0]))
        worths = Rewards(batch.game, 3).returns(batch.play(0))
        assert [reward for _, reward, _ in course[:-1]] == [0] * (len(course) - 1)
        assert course[-1][1] == worths[batch.learner_seats[0]]
    assert len(seats) > 1


@pytest.mark.compiled
def test_illegal_actions():
    env = gymnasium.make(OREGON).unwrapped
    with pytest.raises(almunia.IllegalAction, match=r"Oregon: no game is going on; call reset\(\) first"):
        env.step(0)
    _, info = env.reset(seed=1)
    wrong = int((info["action_mask"] == 0).argmax())
    with pytest.raises(almunia.IllegalAction, match=rf"Oregon: seat 1 may not choose {wrong} .*legal actions, such as"):
        env.step(wrong)
    for action in (1.5, None, "a", [1], 10**30, True, np.True_):
        with pytest.raises(almunia.IllegalAction, match="Oregon: an action is a number from 0 to 173, not"):
            env.step(action)
    env.step(np.array(info["action_mask"].argmax()))
    harsh = gymnasium.make(OREGON, illegal="penalty", penalty=-3).unwrapped
    harsh.reset(seed=1)
    _, reward, ended, _, info = harsh.step(wrong)
    assert (reward, ended, info["action_mask"].all(), harsh.action_masks().all()) == (-3, True, True, True)
    with pytest.raises(almunia.IllegalAction, match=r"no game is going on; call reset\(\) first"):
        harsh.step(0)
    for action in (1.5, None, 10**30, True):
        harsh.reset(seed=1)
        assert harsh.step(action)[1:3] == (-3, True)
    mild = gymnasium.make(OREGON, illegal="random").unwrapped
    mild.reset(seed=1)
    for action in (wrong, 1.5, 10**30):
        assert not mild.step(action)[2]


@pytest.mark.compiled
@pytest.mark.parametrize("opponents", ["greedy", "turn", "search:5"])
def test_copies_of_environments_are_independent(opponents):
    for env in (
        gymnasium.make(OREGON, seats=3, opponents=opponents).unwrapped,
        gymnasium.make_vec(OREGON, num_envs=2, opponents=opponents),
    ):
        _, info = env.reset(seed=2)
        twin = deepcopy(env)
        for _ in range(10):
            action = info["action_mask"].argmax(-1)
            steps = [one.step(action) for one in (env, twin)]
            assert np.array_equal(steps[0][0], steps[1][0])
            assert not np.shares_memory(steps[0][0], steps[1][0])
            info = steps[0][4]
        first, second = env.reset(), twin.reset()
        assert np.array_equal(first[0], second[0])


@pytest.mark.compiled
def test_positions_are_rendered(capsys):
    texts = {}
    for mode in ("ansi", "svg", "human"):
        env = gymnasium.make(OREGON, render_mode=mode)
        env.reset(seed=1)
        texts[mode] = env.render()
    assert texts["svg"].startswith("<svg")
    assert texts["human"] is None
    assert texts["ansi"] in capsys.readouterr().out


def test_an_unknown_keyword_is_refused_as_python_does():
    """TorchRL tries `frameskip`, and continues if the error has the words of Python."""
    for making in (gymnasium.make, partial(gymnasium.make_vec, num_envs=2)):
        with pytest.raises(TypeError, match=r"Env\(\) got an unexpected keyword argument 'frameskip'\. "):
            making(OREGON, frameskip=1)


def test_invalid_arguments_are_refused():
    for given, sentence in (
        ({"opponents": "deep-thought"}, "There is no bot 'deep-thought'"),
        ({"opponents": ["greedy"], "seats": 3}, "1 opponent cannot take 2 seats"),
        ({"seat": 4}, "The learner's seat is one of 0 to 1"),
        ({"reward": "fame"}, "no reward 'fame'"),
        ({"illegal": "maybe"}, "no effect of illegal actions 'maybe'"),
        ({"colour": 1}, "no option 'colour'"),
        ({"oponents": "random"}, r"no option 'oponents' here, and no such setting\. There .* mean 'opponents'\?"),
        *(
            ({name: 1}, f"no option '{name}' here")
            for name in ("n", "seed", "autoreset", "legal_as", "observe", "device")
        ),
    ):
        with pytest.raises(almunia.SetupError, match=sentence):
            gymnasium.make(OREGON, **given)
        with pytest.raises(almunia.SetupError, match=sentence):
            gymnasium.make_vec(OREGON, num_envs=2, **given)
    with (
        pytest.warns(UserWarning, match="not in the possible render_modes"),
        pytest.raises(almunia.SetupError, match="no render mode 'gif'"),
    ):
        gymnasium.make(OREGON, render_mode="gif")
    with pytest.raises(almunia.SetupError, match=r"no render mode 'human'\. There are: ansi, svg, rgb_array"):
        gymnasium.make_vec(OREGON, num_envs=2, render_mode="human")


@pytest.mark.compiled
def test_a_game_with_one_seat_refuses_opponents_and_other_seats():
    for given, sentence in (
        ({"opponents": "gredy"}, "There is no bot 'gredy'"),
        ({"opponents": ["greedy"]}, "A game with one seat has no opponents"),
        ({"seat": 3}, "The learner's seat is one of 0 to 0"),
    ):
        with pytest.raises(almunia.SetupError, match=sentence):
            gymnasium.make(ORCHARD, **given)
        with pytest.raises(almunia.SetupError, match=sentence):
            gymnasium.make_vec(ORCHARD, num_envs=2, **given)
    for given in ({"opponents": "search:5"}, {"opponents": []}, {"opponents": None}, {"seat": "random"}):
        gymnasium.make(ORCHARD, **given).reset(seed=1)


@pytest.mark.compiled
def test_the_learner_of_a_game_with_one_seat_has_seat_0():
    env, envs = gymnasium.make(ORCHARD), gymnasium.make_vec(ORCHARD, num_envs=2)
    ended, (_, info), (_, infos) = False, env.reset(seed=1), envs.reset(seed=1)
    while not ended:
        assert (info["seat"], infos["seat"].tolist()) == (0, [0, 0])
        *_, ended, _, info = env.step(info["action_mask"].argmax())
        *_, infos = envs.step(infos["action_mask"].argmax(1))
    assert info["seat"] == 0


@pytest.mark.compiled
@pytest.mark.parametrize("opponents", ["greedy", "turn"])
def test_a_closed_environment_refuses_to_step(opponents):
    one = gymnasium.make(OREGON, opponents=opponents).unwrapped
    several = gymnasium.make_vec(OREGON, num_envs=2, opponents=opponents)
    for env, action in ((one, 0), (several, [0, 0])):
        env.reset(seed=1)
        env.close()
        env.close()
        for use in (lambda: env.step(action), env.reset, lambda: env.reset(seed=1)):  # noqa: B023 - at once
            with pytest.raises(almunia.SetupError, match=r"This environment of Oregon has been closed: make another"):
                use()


def test_a_missing_gymnasium_is_reported(monkeypatch):
    monkeypatch.setitem(sys.modules, "gymnasium", None)
    monkeypatch.delitem(sys.modules, "almunia.envs.gymnasium")
    with pytest.raises(almunia.MissingExtra, match=r"the package gymnasium, .* pip install 'almunia\[gymnasium\]'"):
        import_module("almunia.envs.gymnasium")


# --- side by side -----------------------------------------------------------------------------------


@pytest.mark.compiled
def test_rows_are_single_games():
    envs = gymnasium.make_vec(OREGON, num_envs=3, seats=3, seat="random", opponents="random", reward="points")
    assert isinstance(envs, ours.GameVectorEnv)
    assert envs.metadata["autoreset_mode"] == AutoresetMode.SAME_STEP
    observations, infos = envs.reset(seed=5)
    batch = almunia.game("oregon").batch(
        3,
        3,
        int(np.random.default_rng(0).integers(9)),
        opponents="random",
        seat="random",
        reward="points",
        final_observations=True,
    )
    batch.reset(seed=int(gymnasium.utils.seeding.np_random(5)[0].integers(ours.MAX_SEED)))
    rng, ended = np.random.default_rng(0), 0
    for _ in range(200):
        assert observations in envs.observation_space
        assert observations.tobytes() == batch.observations.tobytes()
        assert infos["action_mask"].tobytes() == batch.action_masks.tobytes()
        actions, own = batch.sample(rng), batch.learner_seats.copy()
        observations, rewards, terminated, truncated, infos = envs.step(actions)
        batch.step(actions)
        assert rewards.tolist() == batch.rewards[np.arange(3), own].tolist()
        assert terminated.tolist() == batch.done.tolist()
        assert not truncated.any()
        assert ("final_obs" in infos) == batch.done.any()
        for row in batch.done.nonzero()[0]:
            ended += 1
            assert infos["_final_obs"][row]
            assert infos["final_obs"][row].tobytes() == batch.final_observations[row].tobytes()
            assert not np.shares_memory(infos["final_obs"][row], envs._batch.final_observations)
    assert ended
    assert (envs.action_masks() == batch.action_masks).all()
    envs.close()


@pytest.mark.compiled
def test_final_infos_have_the_format_of_gymnasium():
    given = {"num_envs": 3, "seats": 3, "seat": 1, "opponents": "random", "illegal": "penalty"}
    own = {"vectorization_mode": "sync", "vector_kwargs": {"autoreset_mode": AutoresetMode.SAME_STEP}}
    told = []
    for envs in (gymnasium.make_vec(OREGON, **given), gymnasium.make_vec(OREGON, **given, **own)):
        _, infos = envs.reset(seed=1)
        actions = infos["action_mask"].argmax(1)
        actions[1] = infos["action_mask"][1].argmin()
        *_, terminated, _, infos = envs.step(actions)
        assert terminated.tolist() == [False, True, False]
        told.append(infos)
    ours_told, theirs = told
    assert set(ours_told) == set(theirs)
    for name in ("_final_obs", "_final_info", "_action_mask", "seat", "_seat"):
        assert ours_told[name].tolist() == theirs[name].tolist()
    assert [row is None for row in ours_told["final_obs"]] == [True, False, True]
    assert set(ours_told["final_info"]) == set(theirs["final_info"])
    for name, column in theirs["final_info"].items():
        assert ours_told["final_info"][name].dtype == column.dtype
        assert ours_told["final_info"][name].tolist() == column.tolist()


@pytest.mark.compiled
def test_a_random_seat_is_reported():
    env, envs = (
        make(OREGON, seats=3, seat="random") for make in (gymnasium.make, partial(gymnasium.make_vec, num_envs=64))
    )
    drawn = set()
    for seed in range(30):
        _, info = env.reset(seed=seed)
        assert info["seat"] == env.unwrapped.play.turn
        drawn.add(info["seat"])
    assert drawn == {0, 1, 2}
    _, infos = envs.reset(seed=1)
    before = infos["seat"]
    assert before.tolist() == envs._batch.current_seats.tolist()
    assert set(before.tolist()) == {0, 1, 2}
    while not (infos.get("_final_info", False) & (infos["seat"] != before)).any():
        before = infos["seat"]
        *_, infos = envs.step(infos["action_mask"].argmax(1))
    over = infos["_final_info"]
    assert (infos["final_info"]["seat"][over] == before[over]).all()


@pytest.mark.compiled
def test_arrays_are_copied_by_default():
    with pytest.raises(almunia.SetupError, match="`copy` is True or False, not 'no'"):
        gymnasium.make_vec(OREGON, num_envs=2, copy="no")
    for copy in (True, False):
        envs = gymnasium.make_vec(OREGON, num_envs=2, copy=copy, threads=2)
        first, infos = envs.reset(seed=1)
        second, *others, told = envs.step(infos["action_mask"].argmax(1))
        batch = envs._batch
        for own, kept in ((second, first), (told["action_mask"], infos["action_mask"]), (others[1], batch.done)):
            assert np.shares_memory(own, kept) != copy
        envs.close()


def courses(mode, steps, **given):
    """Return the reward, whether a game was terminated or truncated, and the observation of steps of three games."""
    envs = gymnasium.make_vec(OREGON, num_envs=3, opponents="random", autoreset_mode=mode, **given)
    assert envs.metadata["autoreset_mode"] == envs.autoreset_mode == AutoresetMode(mode)
    observations, infos = envs.reset(seed=3)
    rows = [[(0, "", observations[row].tobytes(), infos["action_mask"][row].tobytes())] for row in range(3)]
    for _ in range(steps):
        observations, rewards, terminated, truncated, infos = envs.step(infos["action_mask"].argmax(1))
        assert not (terminated & truncated).any()
        for row in range(3):
            end = "terminated" if terminated[row] else "truncated" if truncated[row] else ""
            seen, mask = observations[row], infos["action_mask"][row]
            if "final_obs" in infos and end:
                last = infos["final_obs"][row], infos["final_info"]["action_mask"][row]
                rows[row].append((rewards[row], end, *(array.tobytes() for array in last)))
                rows[row].append((0, "", seen.tobytes(), mask.tobytes()))
            else:
                rows[row].append((rewards[row], end, seen.tobytes(), mask.tobytes()))
    envs.close()
    return rows


@pytest.mark.compiled
@pytest.mark.parametrize("mode", ["NextStep", AutoresetMode.NEXT_STEP])
@pytest.mark.parametrize("threads", [1, 2])
def test_autoreset_in_the_next_step_plays_the_same_games(mode, threads):
    given = {"seats": 3, "seat": "random", "reward": "points", "threads": threads}
    same_step, next_step = courses("SameStep", 150, **given), courses(mode, 160, **given)
    for one, other in zip(same_step, next_step, strict=True):
        assert any(end == "terminated" for _, end, *_ in one)
        assert one[:150] == other[:150]


@pytest.mark.compiled
def test_a_limit_of_steps_truncates_a_game():
    env = gymnasium.make(OREGON, opponents="random", max_episode_steps=3)
    _, info = env.reset(seed=1)
    for truncated in (False, False, True):
        *_, found, info = env.step(info["action_mask"].argmax())
        assert found == truncated
    with pytest.raises(almunia.SetupError, match="The number of steps in an episode"):
        gymnasium.make_vec(OREGON, num_envs=2, max_episode_steps=0)


@pytest.mark.compiled
@pytest.mark.parametrize("limit", [1, 7, 90])  # of 85 to 101
def test_a_limit_of_steps_truncates_games_side_by_side(limit):
    given = {"seats": 3, "seat": "random", "reward": "points", "max_episode_steps": limit}
    same_step, next_step = courses("SameStep", 300, **given), courses("NextStep", 600, **given)
    ends = set()
    for one, other in zip(same_step, next_step, strict=True):
        assert one[:300] == other[:300]
        stops = [0, *(place + 1 for place, (_, end, *_) in enumerate(one) if end)]
        steps = [last - first - 1 for first, last in itertools.pairwise(stops)]
        for count, place in zip(steps, stops[1:], strict=True):
            end = one[place - 1][1]
            ends.add(end)
            assert count == limit if end == "truncated" else count <= limit
    assert ends == {"truncated"} | ({"terminated"} if limit == 90 else set())


@pytest.mark.compiled
def test_truncated_games_wait_for_a_reset_if_autoreset_is_disabled():
    envs = gymnasium.make_vec(OREGON, num_envs=3, opponents="random", autoreset_mode="Disabled", max_episode_steps=2)
    _, infos = envs.reset(seed=3)
    *_, infos = envs.step(infos["action_mask"].argmax(1))
    first = np.array([True, False, False])
    _, infos = envs.reset(options={"reset_mask": first})
    *_, truncated, infos = envs.step(infos["action_mask"].argmax(1))
    assert truncated.tolist() == (~first).tolist()
    with pytest.raises(almunia.IllegalAction, match=r"Oregon, game 1 has been truncated: begin the next with reset"):
        envs.step(infos["action_mask"].argmax(1))
    _, infos = envs.reset(options={"reset_mask": truncated})
    *_, truncated, infos = envs.step(infos["action_mask"].argmax(1))
    assert truncated.tolist() == first.tolist()
    _, infos = envs.reset()
    assert not envs.step(infos["action_mask"].argmax(1))[3].any()


@pytest.mark.parametrize("name", IDS)
def test_no_game_reaches_the_limit_of_its_spec(name):
    assert gymnasium.spec(name).max_episode_steps == almunia.game(name[8:-3], "plain").meta.decisions


@pytest.mark.compiled
def test_gymnasiums_own_wrappers_change_observations_of_games_that_begin_in_the_next_step():
    from gymnasium.wrappers.vector import TransformObservation

    envs = gymnasium.make_vec(OREGON, num_envs=2, opponents="random", autoreset_mode="NextStep")
    doubled = TransformObservation(envs, lambda observations: 2 * observations)
    observations, infos = doubled.reset(seed=1)
    assert (observations == 2 * envs._batch.observations).all()
    assert (doubled.step(infos["action_mask"].argmax(1))[0] == 2 * envs._batch.observations).all()


@pytest.mark.compiled
def test_an_illegal_action_is_refused_while_other_games_are_reset():
    envs = gymnasium.make_vec(OREGON, num_envs=3, opponents="random", autoreset_mode="NextStep")
    _, infos = envs.reset(seed=3)
    ended = np.zeros(3, bool)
    while not ended.any() or ended.all():
        *_, ended, _, infos = envs.step(infos["action_mask"].argmax(1))
    row, over = int((~ended).argmax()), int(ended.argmax())
    before = envs._batch.seeds.copy()
    actions = infos["action_mask"].argmax(1)
    actions[row] = -1
    with pytest.raises(almunia.IllegalAction, match=rf"Oregon, game {row} of the batch: seat 1 may not choose -1"):
        envs.step(actions)
    assert envs._batch.seeds.tolist() == before.tolist()
    actions[row], actions[over] = infos["action_mask"][row].argmax(), -1
    _, rewards, after, _, _ = envs.step(actions)
    assert (rewards[over], after[over]) == (0, False)


@pytest.mark.compiled
def test_finished_games_wait_for_a_reset_if_autoreset_is_disabled():
    envs = gymnasium.make_vec(OREGON, num_envs=3, opponents="random", autoreset_mode=AutoresetMode.DISABLED)
    _, infos = envs.reset(seed=3)
    ended = np.zeros(3, bool)
    while not ended.any():
        *_, ended, _, infos = envs.step(infos["action_mask"].argmax(1))
    assert infos["action_mask"].all(1).tolist() == ended.tolist()
    with pytest.raises(almunia.IllegalAction, match=r"is over: begin the next with reset\(where=batch.done\)"):
        envs.step(infos["action_mask"].argmax(1))
    _, infos = envs.reset(options={"reset_mask": ended})
    envs.step(infos["action_mask"].argmax(1))
    with pytest.raises(
        almunia.SetupError, match=r"There is no autoreset mode 'later'\. There are: NextStep, SameStep, D"
    ):
        gymnasium.make_vec(OREGON, num_envs=2, autoreset_mode="later")


@pytest.mark.compiled
def test_bots_that_think_play_side_by_side():
    seen = []
    for threads in (1, 2):
        envs = gymnasium.make_vec(OREGON, num_envs=2, opponents="search:3", threads=threads)
        _, infos = envs.reset(seed=2)
        seen.append([envs.step(infos["action_mask"].argmax(1))[0].tobytes() for _ in range(1)])
    assert seen[0] == seen[1]
    own = gymnasium.make_vec(OREGON, num_envs=2, opponents=make("turn", almunia.game("oregon"), seed=1))
    own.reset(seed=1)


@pytest.mark.compiled
def test_some_games_can_be_reset():
    envs = gymnasium.make_vec(ORCHARD, num_envs=3, render_mode="ansi")
    for use in (lambda: envs.step(np.zeros(3, np.int64)), lambda: envs.reset(options={"reset_mask": np.ones(3, bool)})):
        with pytest.raises(almunia.IllegalAction, match=r"no game is going on; call reset\(\) first"):
            use()
    before, _ = envs.reset(seed=1)
    after, _ = envs.reset(options={"reset_mask": np.array([False, True, False])})
    assert [np.array_equal(*rows) for rows in zip(before, after, strict=True)] == [True, False, True]
    assert [text.count("\n") > 1 for text in envs.render()] == [True] * 3
    with pytest.raises(almunia.SetupError, match=r"A seed deals all games again: leave out options\['reset_mask'\]"):
        envs.reset(seed=1, options={"reset_mask": np.array([False, True, False])})
    with pytest.raises(almunia.SetupError, match="The options of a reset are a dictionary"):
        envs.reset(options=["reset_mask"])
    with pytest.raises(almunia.SetupError, match=r"`where` is an array of True and False of shape \(3,\)"):
        envs.reset(options={"reset_mask": np.array([0, 1, 0])})
    with pytest.raises(almunia.SetupError, match=r"All games of Orchard take one seed, an integer, not \[1, 2, 3\]"):
        envs.reset(seed=[1, 2, 3])
