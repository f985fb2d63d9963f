"""Other libraries' games, to be measured beside ours where those are installed: pip install 'almunia[peers]'.

Each is stepped in the way that its own documentation shows. Rules and observations differ from game to game, so what is
compared is what a learner waits for, not whose rules are faster.
"""

from collections.abc import Iterator
from functools import partial
from importlib import import_module
from typing import Any

import numpy as np

from .adapters import GAMES, LIBRARY, MANY, OPENSPIEL, PETTINGZOO
from .envs import Entry
from .frameworks import Loop, by_share, in_openspiel, in_turns

CLASSIC = ("tictactoe_v3", "connect_four_v3", "leduc_holdem_v4", "texas_holdem_v4", "chess_v6")
SPIELS = {
    "C++": ("chess", "hearts", "gin_rummy", "backgammon"),
    "Python": ("python_tic_tac_toe", "python_block_dominoes", "python_team_dominoes"),
}
CARDS = ("gin-rummy", "uno", "mahjong", "doudizhu")
JITTED = ("chess", "go_9x9", "backgammon")


def entries() -> Iterator[Entry]:
    """Every game of somebody else's that is measured."""
    for name in CLASSIC:
        yield Entry(PETTINGZOO, f"PettingZoo's {name}", partial(in_classic, name), owner="PettingZoo's own games")
    for language, names in SPIELS.items():
        for name in names:
            what = f"OpenSpiel's {name} ({language})"
            yield Entry(OPENSPIEL, what, partial(in_theirs, name), owner="OpenSpiel")
    for name in CARDS:
        yield Entry(LIBRARY, f"RLCard's {name}", partial(in_rlcard, name), owner="RLCard")
    what = "Catanatron's Catan for two, legal actions alone"
    yield Entry(LIBRARY, what, in_catanatron, owner="Catanatron")
    for name in JITTED:
        yield Entry(MANY, f"Pgx's {name}, {GAMES} on the CPU", partial(in_pgx, name), GAMES, owner="Pgx")


def in_classic(name: str) -> Loop:
    """One of PettingZoo's own games, with the wrappers that its `env` puts around it."""
    return in_turns(import_module(f"pettingzoo.classic.{name}").env())


def in_theirs(name: str) -> Loop:
    """One of OpenSpiel's own games, looked at as an observation, or where it has none, as an information state."""
    import pyspiel
    from open_spiel.python import games  # noqa: F401 - which makes known those in Python
    from open_spiel.python.observation import make_observation

    game = pyspiel.load_game(name)
    recalls = not game.get_type().provides_observation_tensor
    return in_openspiel(game, make_observation(game, pyspiel.IIGObservationType(perfect_recall=recalls)), by_share)


def in_rlcard(name: str) -> Loop:
    """A loop that plays a game of RLCard at random."""
    import rlcard

    return in_cards(rlcard.make(name, config={"seed": 0}))


def in_cards(env: Any) -> Loop:
    """The same with an environment of RLCard that has been made."""
    random = np.random.default_rng(0)
    seen, _ = env.reset()

    def loop(times: int) -> None:
        nonlocal seen
        for lot in random.random(times).tolist():
            legal = list(seen["legal_actions"])
            seen, _ = env.step(legal[int(lot * len(legal))])
            if env.is_over():
                seen, _ = env.reset()

    return loop


def in_catanatron() -> Loop:
    """A loop in which Catanatron's random bots play; its package has no observations."""
    from catanatron import Color, Game, RandomPlayer
    from catanatron.game import TURNS_LIMIT

    def deal(seed: int) -> Any:
        return Game([RandomPlayer(Color.RED), RandomPlayer(Color.BLUE)], seed=seed)

    match, dealt = deal(1), 1

    def loop(times: int) -> None:
        nonlocal match, dealt
        for _ in range(times):
            match.play_tick()
            if match.winning_color() is not None or match.state.num_turns >= TURNS_LIMIT:
                dealt += 1
                match = deal(dealt)

    return loop


def in_pgx(name: str) -> Loop:
    """A loop in which many games of Pgx are stepped in one compiled call, with what is chosen in them."""
    import jax
    import pgx
    from pgx.experimental import act_randomly, auto_reset

    jax.config.update("jax_platforms", "cpu")
    env = pgx.make(name)
    step = jax.vmap(auto_reset(env.step, env.init))

    @jax.jit  # type: ignore[untyped-decorator]  # it is not installed where types are checked
    def move(state: Any, key: Any) -> tuple[Any, Any]:
        key, choosing, stepping = jax.random.split(key, 3)
        actions = act_randomly(choosing, state.legal_action_mask)
        return step(state, actions, jax.random.split(stepping, GAMES)), key

    key = jax.random.PRNGKey(0)
    state = jax.jit(jax.vmap(env.init))(jax.random.split(key, GAMES))

    def loop(times: int) -> None:
        nonlocal state, key
        for _ in range(times):
            state, key = move(state, key)
        jax.block_until_ready(state)

    return loop
