"""Games in OpenSpiel: OpenSpiel's own tests and bots, and further requirements."""

import copy
import pickle
import subprocess
import sys
from importlib import import_module
from itertools import count

import numpy as np
import pytest

pytest.importorskip("pyspiel", reason="OpenSpiel is not installed: pip install 'almunia[openspiel]'")

import pyspiel
from open_spiel.python import policy
from open_spiel.python.algorithms import cfr, expected_game_score, exploitability, ismcts, mcts
from open_spiel.python.observation import make_observation

import almunia
from almunia.batch.rewards import CODES, Rewards
from almunia.catalog import game_packages, meta, toy_packages
from almunia.envs.openspiel import NOT_DEALT, SpielEvaluator, register, spiel_name
from almunia.errors import SetupError
from almunia.play.position import Position

pytestmark = [pytest.mark.exhaustive, pytest.mark.compiled]

TABLES = [
    pytest.param(name, seats, id=f"{name}-{seats}")
    for name in (*game_packages(), *toy_packages())
    for seats in range(meta(name).seats[0], meta(name).seats[1] + 1)
]


def loaded(name, players, **settings):
    """Return a game that OpenSpiel has loaded."""
    return pyspiel.load_game(spiel_name(name), {"players": players, **settings})


def positions(spiel, wanted=6, apart=7, seed=1):
    """Yield states of one random play with gaps between them, the end included."""
    generator, state = np.random.default_rng(seed), spiel.new_initial_state()
    state.apply_action(seed)
    for number in count():
        if state.is_terminal() or (number % apart == 0 and number < wanted * apart):
            yield state.clone()
        if state.is_terminal():
            return
        state.apply_action(int(generator.choice(state.legal_actions())))


# --- its own tests, and its bots -------------------------------------------------------------------


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_games_pass_the_simulation_test_of_openspiel(name, seats, capfd):
    pyspiel.random_sim_test(loaded(name, seats), num_sims=1, serialize=seats < 3, verbose=False)


@pytest.mark.parametrize("name", game_packages())
def test_searches_of_openspiel_play(name):
    low, high = meta(name).seats
    for seats in {max(2, low), high}:
        spiel, lot = loaded(name, seats), np.random.RandomState(1)
        evaluator = mcts.RandomRolloutEvaluator(1, lot)
        state = next(positions(spiel))
        bots = (
            mcts.MCTSBot(spiel, 2, 3, evaluator, random_state=lot),
            ismcts.ISMCTSBot(spiel, evaluator, 2.0, 3, random_state=lot),
        )
        for bot in bots:
            assert bot.step(state) in state.legal_actions()


def test_a_program_that_uses_openspiel_exits_cleanly():
    """OpenSpiel crashes at exit if an object other than a class was registered."""
    code = "import pyspiel, almunia.envs.openspiel as o; pyspiel.load_game(o.spiel_name('oregon')).new_initial_state()"
    done = subprocess.run([sys.executable, "-c", code], capture_output=True, text=True, check=False)
    assert (done.returncode, done.stderr) == (0, "")


# --- a game with a known value ----------------------------------------------------------------------------


@pytest.fixture(scope="module")
def kuhn():
    """Return Kuhn poker with all six deals, in chips."""
    return pyspiel.load_game(spiel_name("kuhn"), {"deals": 6, "reward": "points"})


def test_exploitability_is_that_of_the_literature(kuhn):
    assert exploitability.nash_conv(kuhn, policy.UniformRandomPolicy(kuhn)) == pytest.approx(2 * 11 / 24)


def test_cfr_reaches_the_value_of_kuhn_poker(kuhn):
    solver = cfr.CFRPlusSolver(kuhn)
    for _ in range(300):
        solver.evaluate_and_update_policy()
    average = solver.average_policy()
    values = expected_game_score.policy_value(kuhn.new_initial_state(), [average, average])
    assert list(values) == pytest.approx([-1 / 18, 1 / 18], abs=1e-4)
    assert exploitability.nash_conv(kuhn, average) < 0.002


# --- what a player gets -------------------------------------------------------------------------------


@pytest.mark.parametrize(("name", "seats"), TABLES)
def test_a_resampled_state_looks_like_the_true_one_to_its_player(name, seats):
    spiel = loaded(name, seats)
    observers = [make_observation(spiel), make_observation(spiel, pyspiel.IIGObservationType(perfect_recall=True))]
    for state in positions(spiel):
        for player in range(seats):
            others = [state.resample_from_infostate(player, lambda value=value: value) for value in (0.1, 0.7)]
            for other in others:
                assert other.information_state_string(player) == state.information_state_string(player)
                assert other.observation_string(player) == state.observation_string(player)
                assert other.observation_tensor(player) == state.observation_tensor(player)
                assert other.information_state_tensor(player) == state.information_state_tensor(player)
                assert other.current_player() == state.current_player()
                for observer in observers:
                    assert observer.string_from(other, player) == observer.string_from(state, player)
            assert others[0].play.to_state() != others[1].play.to_state()
            if not state.is_terminal() and state.current_player() == player:
                assert others[0].legal_actions() == state.legal_actions()
                true = state.clone()
                for one in (true, *others):
                    one.apply_action(state.legal_actions()[0])
                for other in others:
                    same = other.play.observe(player).to_state() == true.play.observe(player).to_state()
                    assert (other.information_state_string(player) == true.information_state_string(player)) == same


@pytest.mark.parametrize("name", game_packages())
def test_an_observer_has_the_parts_of_the_game(name):
    spiel = loaded(name, meta(name).seats[1])
    state = list(positions(spiel))[1]
    observer = make_observation(spiel)
    for player in range(spiel.num_players()):
        observer.set_from(state, player)
        parts = state.play.observe(player).parts()
        assert list(observer.dict) == list(parts)
        assert all((observer.dict[part] == parts[part]).all() for part in parts)
        assert observer.string_from(state, player) == state.play.observe(player).board()
    public = make_observation(
        spiel, pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.NONE)
    )
    assert public.tensor is None
    assert public.string_from(state, 0) == public.string_from(state, 1) == state.play.observe().board()
    public = make_observation(
        spiel, pyspiel.IIGObservationType(perfect_recall=True, private_info=pyspiel.PrivateInfoType.NONE)
    )
    assert public.string_from(state, 0) == public.string_from(state, 1)
    private = make_observation(spiel, pyspiel.IIGObservationType(perfect_recall=True))
    assert private.string_from(state, 0) != private.string_from(state, 1)
    assert list(private.dict) == ["history", *spiel.game.observe.TENSOR_SHAPES]
    for player in range(spiel.num_players()):
        private.set_from(state, player)
        assert private.tensor.tolist() == state.information_state_tensor(player)
        assert private.tensor[private.dict["history"].size :].tolist() == state.observation_tensor(player)
    assert spiel.information_state_tensor_size() == private.tensor.size


def test_an_information_state_contains_all_observations_and_actions():
    spiel = loaded("oregon", 2)
    state = spiel.new_initial_state()
    assert str(state) == state.information_state_string(0) == state.observation_string(1) == NOT_DEALT
    assert not any(state.observation_tensor(0))
    state.apply_action(3)
    told = {state.information_state_string(0)}
    noticed = 1
    for _ in range(20):
        asked_late, before = state.clone(), state.play.observe(0).to_state()
        noticed += state.current_player() == 0
        state.apply_action(state.legal_actions()[-1])
        noticed += asked_late.current_player() == 1 and state.play.observe(0).to_state() != before
        told.add(state.information_state_string(0))
        asked_late.apply_action(asked_late.legal_actions()[-1])
        assert asked_late.information_state_string(0) == state.information_state_string(0)
        assert len(told) == noticed
    again = spiel.new_initial_state()
    for action in state.history():
        again.apply_action(action)
    assert again.information_state_string(0) == state.information_state_string(0)
    assert again.information_state_string(1) != state.information_state_string(0)
    other = spiel.new_initial_state()
    other.apply_action(4)
    assert other.information_state_string(0) not in told


def test_visible_actions_count_even_if_the_observation_is_unchanged():
    """In Oregon, other seats see the effects of cards, but not which cards were played."""
    spiel = loaded("oregon", 3)
    state = list(positions(spiel))[-2]
    history, seen = state.play_history, [state.information_state_string(player) for player in range(3)]
    secrets = set()
    for place, (actor, action) in enumerate(history._actions):
        if actor >= 0:
            other = copy.deepcopy(history)
            other._info_states, other._actions[place] = {}, (actor, action + 1)
            before = np.frombuffer(history._states[place - 1], history.play.array.dtype).copy()
            for player in range(3):
                is_secret = not spiel.game.may_see(Position(spiel.game, before).state, player)
                secrets.add(is_secret)
                assert (other.info_state(player) == history.info_state(player)) == is_secret
    assert secrets == {True, False}
    assert seen == [state.information_state_string(player) for player in range(3)]


@pytest.mark.parametrize("name", game_packages())
def test_the_history_is_the_actions_that_a_player_has_noticed(name):
    players = min(3, meta(name).seats[1])
    spiel = loaded(name, players)
    observer = make_observation(spiel, pyspiel.IIGObservationType(perfect_recall=True))
    state = spiel.new_initial_state()
    assert not any(state.information_state_tensor(0))
    state.apply_action(3)
    expected, generator = [[] for _ in range(players)], np.random.default_rng(1)
    for _ in range(60):
        if state.is_terminal():
            break
        actor, action = state.current_player(), int(generator.choice(state.legal_actions()))
        before = [state.play.observe(player) for player in range(players)]
        state.apply_action(action)
        for player in range(players):
            who = ((actor - player) % players + 1) / players
            if actor == player or spiel.game.may_see(before[player].state, player):
                expected[player].append([who, (action + 1) / spiel.num_distinct_actions()])
            elif state.play.observe(player).to_state() != before[player].to_state():
                expected[player].append([who, 0.0])
            observer.set_from(state, player)
            rows = np.array(expected[player], np.float32).reshape(-1, 2)
            assert (observer.dict["history"][: len(rows)] == rows).all()
            assert not observer.dict["history"][len(rows) :].any()


def test_secret_actions_of_others_do_not_change_the_information_state():
    """In Alhambra, an unseen draw changes only what its owner knows."""
    spiel = loaded("alhambra", 3)
    for state in positions(spiel, apart=1, wanted=25):
        if state.is_terminal():
            break
        mover, before = state.current_player(), [state.play.observe(player).to_state() for player in range(3)]
        told = [state.information_state_string(player) for player in range(3)]
        after = state.clone()
        after.apply_action(after.legal_actions()[0])
        for player in range(3):
            same = after.play.observe(player).to_state() == before[player] and player != mover
            assert (after.information_state_string(player) == told[player]) == same


# --- plays ------------------------------------------------------------------------------------------


@pytest.mark.parametrize("reward", CODES)
def test_returns_are_the_worth_of_the_end(reward):
    spiel = loaded("oregon", 3, reward=reward)
    *running, end = positions(spiel)
    assert all(state.returns() == [0, 0, 0] for state in running if not state.is_terminal())
    assert end.returns() == Rewards(almunia.game("oregon"), 3, reward).returns(end.play).tolist()
    assert end.rewards() == end.returns() == [end.player_return(player) for player in range(3)]
    kind = spiel.get_type().utility
    assert kind == {"rank": kind.ZERO_SUM, "win": kind.CONSTANT_SUM}.get(reward, kind.GENERAL_SUM)
    assert all(spiel.min_utility() <= value <= spiel.max_utility() for value in end.returns())


def test_the_lead_of_two_is_zero_sum():
    spiel = loaded("oregon", 2, reward="lead")
    kind = spiel.get_type().utility
    assert (kind, spiel.utility_sum()) == (kind.ZERO_SUM, 0)
    *_, end = positions(spiel)
    assert sum(end.returns()) == 0
    assert any(end.returns())


@pytest.mark.parametrize("name", game_packages())
def test_bounds_are_those_of_the_game(name):
    low, high = meta(name).points
    spiel = loaded(name, 2, reward="points")
    assert (spiel.min_utility(), spiel.max_utility(), spiel.max_game_length()) == (low, high, meta(name).decisions)
    spiel = loaded(name, 2, reward="lead")
    assert (spiel.min_utility(), spiel.max_utility()) == (low - high, high - low)
    assert high <= 2000
    assert spiel.max_game_length() <= 30_000


def test_deals_are_seeds():
    spiel = loaded("alhambra", 4, deals=3, seed=20, memory="perfect")
    state = spiel.new_initial_state()
    assert state.is_chance_node()
    assert state.chance_outcomes() == [(deal, pytest.approx(1 / 3)) for deal in range(3)]
    assert state.action_to_string(2) == "deal 2"
    with pytest.raises(almunia.IllegalAction, match="Alhambra: the deal is one of 0 to 2, not 3"):
        state.clone().apply_action(3)
    for action in (True, 10**30, -1, 1.5):
        with pytest.raises(almunia.IllegalAction, match=r"Alhambra: .* is no action: take one of legal_actions"):
            state.apply_action(action)
    state.apply_action(2)
    for action in (True, 10**30, -1, 1.5):
        with pytest.raises(almunia.IllegalAction, match=r"Alhambra: .* is no action: take one of legal_actions"):
            state.apply_action(action)
    assert state.play.to_state() == almunia.game("alhambra").new(4, 22, memory="perfect").to_state()
    action = state.legal_actions()[0]
    assert state.action_to_string(action) == state.play.action_to_string(action)
    assert state.legal_actions(1 - state.current_player() % 2) == []


def test_options_are_parameters():
    options = {option.name: option.examples[0] for name in game_packages() for option in meta(name).options}
    for name in game_packages():
        for option in meta(name).options:
            value = options[option.name]
            spiel = pyspiel.load_game(f"{spiel_name(name)}({option.name}={value})")
            assert spiel.options[option.name] == value
            assert pyspiel.load_game(str(spiel)).options == spiel.options


def test_states_and_games_are_copied_and_pickled():
    spiel = loaded("oregon", 3, reward="win")
    state = list(positions(spiel))[2]
    for twin in (state.clone(), copy.deepcopy(state), pickle.loads(pickle.dumps(state))):  # noqa: S301
        assert twin.play.to_state() == state.play.to_state()
        assert twin.information_state_string(1) == state.information_state_string(1)
        assert twin.history() == state.history()
        before = state.play.to_state()
        twin.apply_action(twin.legal_actions()[0])
        assert state.play.to_state() == before
    assert pickle.loads(pickle.dumps(spiel)).reward == "win"  # noqa: S301
    _, state_again = pyspiel.deserialize_game_and_state(pyspiel.serialize_game_and_state(spiel, state))
    assert state_again.play.to_state() == state.play.to_state()


# --- its evaluators in a search of ours --------------------------------------------------------------


class FirstPlayerWins(mcts.Evaluator):
    """An evaluator that gives player 0 the largest value, and all the policy to the last legal action."""

    def __init__(self, low, high):
        self.values = low, high

    def evaluate(self, state):
        low, high = self.values
        assert state.current_player() >= 0
        return np.array([high, *(low for _ in range(state.num_players() - 1))])

    def prior(self, state):
        return [(action, float(action == max(state.legal_actions()))) for action in state.legal_actions()]


@pytest.mark.parametrize(("reward", "low", "high"), [("rank", -1.0, 1.0), ("win", 0.0, 1.0)])
@pytest.mark.parametrize("seats", [2, 3])
def test_an_evaluator_is_scaled_and_begins_with_the_seat_to_move(reward, low, high, seats):
    evaluator = SpielEvaluator(loaded("oregon", seats, reward=reward), FirstPlayerWins(low, high))
    play, met = almunia.game("oregon").new(seats=seats, seed=4), set()
    while len(met) < seats:
        values, policies = evaluator.evaluate_plays([play.copy()])
        assert values.tolist() == [[float((play.turn + i) % seats == 0) for i in range(seats)]]
        assert policies[0].nonzero()[0].tolist() == [max(play.legal_actions)]
        met.add(play.turn)
        play.apply(play.legal_actions[0])
    view = play.observe(play.turn)
    found = almunia.analyse(view, "30", evaluator=evaluator)
    assert found[0].action == max(view.legal_actions)
    assert found[0].value == pytest.approx(float(play.turn == 0))


class Returns:
    """An evaluator that returns these values and pairs of the prior."""

    def __init__(self, values=(0.0, 0.0), prior=((0, 1.0), (1, 1.0))):
        self.values, self.pairs = values, prior

    def evaluate(self, _state):
        return self.values

    def prior(self, _state):
        return self.pairs


@pytest.mark.parametrize(
    ("evaluator", "words"),
    [
        (Returns(values=[0.0] * 3), r"values have the shape \(1, 3\) .* numbers of the shape \(1, 2\)"),
        (Returns(values=0.5), r"values have the shape \(1,\)"),
        (Returns(values=None), r"values have the shape \(1,\) and the dtype object"),
        (Returns(values={0: 1.0}), "dtype object"),
        (Returns(values=[3.0, -3.0]), r"0 to 1 with several seats .* not \[2.0, -1.0\]"),
        (Returns(prior=None), r"a list of pairs \(action, probability\), but None was returned"),
        (Returns(prior=[0.5, 0.5]), r"list of pairs .*\[0.5, 0.5\] was returned"),
        (Returns(prior=[(0.5, 1.0)]), "list of pairs .*'float' object cannot be interpreted as an integer"),
        (Returns(prior=[(0, "much")]), "list of pairs .*could not convert"),
        (Returns(prior=[(9, 1.0), (-1, 1.0), (0, 1.0)]), r"actions that are not legal: \[-1, 9\]"),
    ],
)
def test_an_evaluator_that_returns_other_things_is_refused(evaluator, words):
    play = almunia.game("kuhn").new(seed=1)
    with pytest.raises(SetupError, match=words):
        almunia.analyse(play.observe(0), "9", evaluator=SpielEvaluator(loaded("kuhn", 2), evaluator))


def test_an_evaluator_plays_the_game_that_it_was_loaded_for():
    with pytest.raises(SetupError, match=r"the methods evaluate\(state\) and prior\(state\)"):
        SpielEvaluator(loaded("kuhn", 2), object())
    play, evaluator = almunia.game("oregon").new(seats=3, seed=1), SpielEvaluator(loaded("oregon", 2), Returns())
    with pytest.raises(SetupError, match="for oregon with 2 players, not for oregon with 3"):
        evaluator.evaluate_plays([play])
    with pytest.raises(SetupError, match="for oregon with 2 players, not for kuhn with 2"):
        evaluator.evaluate_plays([almunia.game("kuhn").new(seed=1)])


def test_its_rollouts_evaluate_a_search():
    spiel = loaded("orchard", 2)
    rollouts = SpielEvaluator(spiel, mcts.RandomRolloutEvaluator(1, np.random.RandomState(1)))
    play = almunia.game("orchard").new(seats=2, seed=1)
    found = almunia.analyse(play.observe(play.turn), "20", evaluator=rollouts)
    assert {one.action for one in found} <= set(play.legal_actions)
    assert all(0 <= one.value <= 1 for one in found)
    assert len({one.value for one in found}) > 1, "some rollouts are won"


def test_evaluators_use_points_for_one_player_and_results_for_more():
    solo = SpielEvaluator(loaded("orchard", 1), FirstPlayerWins(0.0, 31.0))
    play = almunia.game("orchard").new(seats=1, seed=1)
    assert solo.evaluate_plays([play])[0].tolist() == [[31.0]]
    with pytest.raises(almunia.SetupError, match="'points' has others: load the game with reward=rank"):
        SpielEvaluator(loaded("orchard", 2, reward="points"), FirstPlayerWins(0.0, 1.0))


def test_errors_are_explained(monkeypatch):
    for settings, sentence in (
        ({"reward": "fame"}, "no reward 'fame'"),
        ({"deals": 0}, "number of deals"),
        ({"seed": -1}, "A seed is a whole number"),
    ):
        with pytest.raises(almunia.SetupError, match=sentence):
            loaded("oregon", 2, **settings)
    with pytest.raises(almunia.SetupError, match="no game called 'chess'"):
        register("chess")
    with pytest.raises(almunia.SetupError, match=f"{NOT_DEALT} Apply one of its chance outcomes first"):
        _ = loaded("oregon", 2).new_initial_state().play
    for player in (-1, 2):
        with pytest.raises(almunia.SetupError, match=rf"The players of this game of Oregon are 0 to 1, not {player}\."):
            loaded("oregon", 2).new_initial_state().resample_from_infostate(player, lambda: 0.5)
    everything = pyspiel.IIGObservationType(perfect_recall=False, private_info=pyspiel.PrivateInfoType.ALL_PLAYERS)
    with pytest.raises(almunia.SetupError, match="observe for one player, or for the public"):
        loaded("oregon", 2).make_py_observer(everything)
    monkeypatch.setitem(sys.modules, "pyspiel", None)
    monkeypatch.delitem(sys.modules, "almunia.envs.openspiel")
    monkeypatch.delattr("almunia.envs.openspiel")
    with pytest.raises(almunia.MissingExtra, match=r"pip install 'almunia\[openspiel\]'"):
        import_module("almunia.envs.openspiel")
