"""OpenSpiel's own test of every game at every table, its searches, and what its algorithms need of a game."""

import pickle
from collections.abc import Iterator

import numpy as np
import pyspiel
from open_spiel.python import rl_environment
from open_spiel.python.algorithms import ismcts, mcts

from almunia.envs.openspiel import name_of

from . import at_every_table

POSITIONS, APART = 5, 9  # states of a random play that are looked at, and how many decisions apart


def loaded(name: str, players: int) -> pyspiel.Game:
    """A game as OpenSpiel loads it."""
    return pyspiel.load_game(name_of(name), {"players": players})


def states(game: pyspiel.Game) -> Iterator[pyspiel.State]:
    """Some states of a random play."""
    random, state = np.random.default_rng(1), game.new_initial_state()
    state.apply_action(7)
    for number in range(POSITIONS * APART):
        if state.is_terminal():
            return
        if number % APART == 0:
            yield state.clone()
        state.apply_action(int(random.choice(state.legal_actions())))


def simulated(name: str, players: int) -> None:
    """`random_sim_test`, which serialises every state on the way."""
    pyspiel.random_sim_test(loaded(name, players), num_sims=1, serialize=True, verbose=False)


def resampled(name: str, players: int) -> None:
    """No player can tell a resampled state from the true one; states and games survive a pickle."""
    game = loaded(name, players)
    assert pickle.loads(pickle.dumps(game)).get_parameters() == game.get_parameters()  # noqa: S301 - our own
    for state in states(game):
        assert str(pickle.loads(pickle.dumps(state))) == str(state)  # noqa: S301 - our own
        for player in range(players):
            other = state.resample_from_infostate(player, lambda: 0.3)
            assert other.information_state_string(player) == state.information_state_string(player)
            assert other.observation_tensor(player) == state.observation_tensor(player)
            if player == state.current_player():
                assert other.legal_actions() == state.legal_actions()


def searched(name: str, players: int) -> None:
    """MCTS and IS-MCTS play."""
    game, random = loaded(name, players), np.random.RandomState(1)
    evaluator = mcts.RandomRolloutEvaluator(1, random)
    state = next(states(game))
    for bot in (
        mcts.MCTSBot(game, 2, 5, evaluator, random_state=random),
        ismcts.ISMCTSBot(game, evaluator, 2.0, 5, random_state=random),
    ):
        assert bot.step(state) in state.legal_actions()


def stepped(name: str, players: int) -> None:
    """`rl_environment`, as OpenSpiel's agents use it, steps a whole game."""
    env = rl_environment.Environment(loaded(name, players), observation_type=rl_environment.ObservationType.OBSERVATION)
    env.seed(1)
    step, random = env.reset(), np.random.default_rng(1)
    while not step.last():
        legal = step.observations["legal_actions"][step.observations["current_player"]]
        step = env.step([int(random.choice(legal))])
    assert len(step.rewards) == players


if __name__ == "__main__":
    at_every_table("pyspiel.random_sim_test", simulated)
    at_every_table("resample_from_infostate, pickles", resampled)
    at_every_table("MCTS, IS-MCTS", searched)
    at_every_table("rl_environment", stepped)
