"""Games of other libraries, as entries of `benchmarks.envs`.

Each game is stepped as its documentation shows. Rules and observations differ from game to game, so the figures compare
the waiting time of a learner, not the speed of the rules.
"""

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from benchmarks.entry import GAMES, LIBRARY, MANY, OPENSPIEL, PETTINGZOO, Entry
from benchmarks.frameworks import Loop, openspiel_loop, pettingzoo_loop, sample_outcome

PETTINGZOO_GAMES = ("tictactoe_v3", "connect_four_v3", "leduc_holdem_v4", "texas_holdem_v4", "chess_v6")
OPENSPIEL_GAMES = {
    "C++": ("chess", "hearts", "gin_rummy", "backgammon"),
    "Python": ("python_tic_tac_toe", "python_block_dominoes", "python_team_dominoes"),
}
RLCARD_GAMES = ("gin-rummy", "uno", "mahjong", "doudizhu")
PGX_GAMES = ("chess", "go_9x9", "backgammon")


def entries() -> Iterator[Entry]:
    """Yield an entry for every measured game of another library."""
    for name in PETTINGZOO_GAMES:
        yield Entry(PETTINGZOO, f"PettingZoo's {name}", partial(in_pettingzoo, name), owner="PettingZoo's own games")
    for language, names in OPENSPIEL_GAMES.items():
        for name in names:
            what = f"OpenSpiel's {name} ({language})"
            yield Entry(OPENSPIEL, what, partial(in_openspiel, name), owner="OpenSpiel")
    for name in RLCARD_GAMES:
        yield Entry(LIBRARY, f"RLCard's {name}", partial(in_rlcard, name), owner="RLCard")
    what = "Catanatron's Catan for two, legal actions alone"
    yield Entry(LIBRARY, what, in_catanatron, owner="Catanatron")
    for name in PGX_GAMES:
        yield Entry(MANY, f"Pgx's {name}, {GAMES} on the CPU", partial(in_pgx, name), GAMES, owner="Pgx")


def in_pettingzoo(name: str) -> Loop:
    """Return the loop of one of PettingZoo's own games, with the wrappers of its `env`."""
    return pettingzoo_loop(import_module(f"pettingzoo.classic.{name}").env())


def in_openspiel(name: str) -> Loop:
    """Return the loop of one of OpenSpiel's own games, with observations, or else with information states."""
    import pyspiel
    from open_spiel.python import games  # noqa: F401 - registers those in Python
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(name)
    recall = not game.get_type().provides_observation_tensor
    observer = make_observation(game, pyspiel.IIGObservationType(perfect_recall=recall))
    return openspiel_loop(game, observer, sample_outcome)


def in_rlcard(name: str) -> Loop:
    """Return the loop of a game of RLCard."""
    import rlcard

    return rlcard_loop(rlcard.make(name, config={"seed": 0}))


def rlcard_loop(env: Any) -> Loop:
    """Return a loop over an environment of RLCard."""
    random = np.random.default_rng(0)
    seen, _ = env.reset()

    def loop(times: int) -> None:
        nonlocal seen
        for number in random.random(times).tolist():
            legal = list(seen["legal_actions"])
            seen, _ = env.step(legal[int(number * len(legal))])
            if env.is_over():
                seen, _ = env.reset()

    return loop


def in_catanatron() -> Loop:
    """Return a loop in which Catanatron's random bots play. Its package has no observations."""
    from catanatron import Color, Game, RandomPlayer
    from catanatron.game import TURNS_LIMIT

    def new_match(seed: int) -> Any:
        return Game([RandomPlayer(Color.RED), RandomPlayer(Color.BLUE)], seed=seed)

    seed = 1
    match = new_match(seed)

    def loop(times: int) -> None:
        nonlocal match, seed
        for _ in range(times):
            match.play_tick()
            if match.winning_color() is not None or match.state.num_turns >= TURNS_LIMIT:
                seed += 1
                match = new_match(seed)

    return loop


def in_pgx(name: str) -> Loop:
    """Return a loop that steps many games of Pgx, and draws their actions, in one compiled call."""
    import jax
    import pgx
    from pgx.experimental import act_randomly, auto_reset

    jax.config.update("jax_platforms", "cpu")
    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit  # type: ignore[untyped-decorator]  # JAX is not installed where types are checked
    def move(state: Any, key: Any) -> tuple[Any, Any]:
        key, action_key, step_key = jax.random.split(key, 3)
        actions = act_randomly(action_key, state.legal_action_mask)
        return step(state, actions, jax.random.split(step_key, GAMES)), key

    key = jax.random.PRNGKey(0)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, GAMES))

    def loop(times: int) -> None:
        nonlocal state, key
        for _ in range(times):
            state, key = move(state, key)
        jax.block_until_ready(state)

    return loop
