"""OpenSpiel's own test of every game at every table, its searches, and what its algorithms need of a game."""

import pickle
from collections.abc import Iterator

import numpy as np
import pyspiel
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import ismcts, mcts

from almunia.envs.openspiel import spiel_name

from . import at_every_table

POSITIONS, DECISIONS_APART = 5, 9  # sampled states of a random play, and their distance in decisions


def load(name: str, players: int) -> pyspiel.Game:
    """Load a game through OpenSpiel."""
    return pyspiel.load_game(spiel_name(name), {"players": players})


def states(game: pyspiel.Game) -> Iterator[pyspiel.State]:
    """Yield some states of a random play."""
    random, state = np.random.default_rng(1), game.new_initial_state()
    state.apply_action(7)
    for number in range(POSITIONS * DECISIONS_APART):
        if state.is_terminal():
            return
        if number % DECISIONS_APART == 0:
            yield state.clone()
        state.apply_action(int(random.choice(state.legal_actions())))


def check_simulation(name: str, players: int) -> None:
    """Run `random_sim_test`, which serializes every state."""
    pyspiel.random_sim_test(load(name, players), num_sims=1, serialize=True, verbose=False)


def check_resampling(name: str, players: int) -> None:
    """Check that no player can tell a resampled state from the true one, and that pickles work."""
    game = load(name, players)
    assert pickle.loads(pickle.dumps(game)).get_parameters() == game.get_parameters()  # noqa: S301 - our own
    for state in states(game):
        assert str(pickle.loads(pickle.dumps(state))) == str(state)  # noqa: S301 - our own
        for player in range(players):
            other = state.resample_from_infostate(player, lambda: 0.3)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.observation_tensor(player) == state.observation_tensor(player)
            assert other.information_state_tensor(player) == state.information_state_tensor(player)
            if player == state.current_player():
                assert other.legal_actions() == state.legal_actions()


def check_search(name: str, players: int) -> None:
    """Check that MCTS and IS-MCTS play."""
    game, random = load(name, players), np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    state = next(states(game))
    for bot in (
        mcts.MCTSBot(game, 2, 5, evaluator, random_state=random),
        ismcts.ISMCTSBot(game, evaluator, 2.0, 5, random_state=random),
    ):
        assert bot.step(state) in state.legal_actions()


def check_steps(name: str, players: int) -> None:
    """Step a full game with `rl_environment`, as OpenSpiel's agents do."""
    env = rl_environment.Environment(load(name, players), observation_type=rl_environment.ObservationType.OBSERVATION)
    env.seed(1)
    step, random = env.reset(), np.random.default_rng(1)
    while not step.last():
        legal = step.observations["legal_actions"][step.observations["current_player"]]
        step = env.step([int(random.choice(legal))])
    assert len(step.rewards) == players


if __name__ == "__main__":
    at_every_table("pyspiel.random_sim_test", check_simulation)
    at_every_table("resample_from_infostate, pickles", check_resampling)
    at_every_table("MCTS, IS-MCTS", check_search)
    at_every_table("rl_environment", check_steps)
