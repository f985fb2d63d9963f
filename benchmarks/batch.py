"""Measure batches for learners: decisions per second of random play, with legal actions and observations written.

Everything runs on one core. Searching opponents are measured on two threads as well. Networks choose for all waiting
games at once, and their runs alternate with runs against greedy, for the ratio. PyTorch and the environments of
Gymnasium, PettingZoo and OpenSpiel are measured if these packages are installed.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import partial
from importlib.util import find_spec
from itertools import pairwise
from time import perf_counter
from typing import Any

import numpy as np

from almunia.arena.bench import Figure, calibrate, seconds_of
from almunia.batch.batch import Batch
from almunia.library import Game, game
from benchmarks.command import make_parser, measure_games
from benchmarks.frameworks import (
    Loop,
    gymnasium_loop,
    openspiel_loop,
    pettingzoo_loop,
    sample_deal,
    vector_loop,
)
from benchmarks.targets import BATCH, STEPS, target

FIGURES_PER_GAME = 24
LARGE, SMALL = 1024, 64  # games of a batch
WITH_TARGET = "masks and tensors, 64 games"
FORMATS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("masks and tensors, 1024 games", LARGE, {}),
    (WITH_TARGET, SMALL, {}),
    ("bits and tensors, 64 games", SMALL, {"legal_as": "bits"}),
    ("lists and tensors, 64 games", SMALL, {"legal_as": "lists"}),
    ("masks alone, 64 games", SMALL, {"observe": False}),
)
KERNEL_OPPONENTS = ("random", "greedy")
LAYERS = 64, 32  # units of the networks' hidden layers
TARGET_RATIO = 0.5  # of the speed against a network to that against greedy
PYTHON_OPPONENTS = {"turn": SMALL, "search:50": 16}  # by spec: number of games


def measure(name: str, repeats: int = 5) -> Iterator[Figure]:
    """Yield every figure of one game as it is measured."""
    this = game(name)
    for what, n, options in FORMATS:
        goal = target(BATCH, name) if what == WITH_TARGET else None
        yield rate(what, batch_loop(this, n, **options), n, repeats, goal)
    seats = max(2, this.meta.seats[0])
    for spec in KERNEL_OPPONENTS:
        loop = batch_loop(this, SMALL, seats=seats, opponents=spec)
        yield rate(f"the same against {spec}, the learner's alone", loop, SMALL, repeats)
    for n in (SMALL, LARGE):
        yield from network_figures(this, n, seats, repeats)
    for spec, n in PYTHON_OPPONENTS.items():
        for threads, words in {1: "one thread", 2: "two threads"}.items():
            batch = this.batch(n, seats, opponents=spec, threads=threads)
            yield rate_of_whole_games(f"{n} games against {spec}, {words}, the learner's alone", batch, repeats)
    for what, n, loop, goal in environments(name, seats):
        yield rate(what, loop, n, repeats, goal)


def environments(name: str, seats: int) -> Iterator[tuple[str, int, Loop, float | None]]:
    """Yield the name, games, loop and target of each installed environment."""
    options: dict[str, Any] = {"seats": seats, "opponents": "random"}
    if find_spec("gymnasium"):
        from almunia.envs.gymnasium import GameEnv, GameVectorEnv

        yield "Gymnasium, one game against random", 1, gymnasium_loop(GameEnv(name, **options)), None
        vector_env = GameVectorEnv(name, num_envs=SMALL, copy=False, **options)
        yield "Gymnasium, 64 games against random", SMALL, vector_loop(vector_env), None
    if find_spec("pettingzoo"):
        from almunia.envs.pettingzoo import GameEnv as AgentEnv

        yield "PettingZoo, one game", 1, pettingzoo_loop(AgentEnv(name, seats)), target(STEPS, name)
    if find_spec("pyspiel"):
        from almunia.envs.openspiel import load

        spiel = load(name, {"players": seats})
        for what, observer in {", legal actions alone": None, "": spiel.make_py_observer()}.items():
            yield f"OpenSpiel, one game{what}", 1, openspiel_loop(spiel, observer, sample_deal), None


class Network:
    """An untrained policy with two hidden layers, in NumPy."""

    def __init__(self, this: Game) -> None:
        random, sizes = np.random.default_rng(0), (this.tensor_size, *LAYERS, this.rules.ACTIONS)
        self.weights = [random.normal(scale=0.1, size=size).astype(np.float32) for size in pairwise(sizes)]

    def choose_batch(self, observations: Any, masks: Any, _seats: Any) -> Any:
        first, second, last = self.weights
        hidden = np.maximum(np.maximum(observations @ first, 0) @ second, 0)
        return np.where(masks, hidden @ last, -np.inf).argmax(axis=1)


class TorchNetwork(Network):
    """The same policy in PyTorch, on one core."""

    def __init__(self, this: Game) -> None:
        import torch

        super().__init__(this)
        torch.set_num_threads(1)
        self.torch, self.tensors = torch, [torch.from_numpy(weights) for weights in self.weights]

    def choose_batch(self, observations: Any, masks: Any, _seats: Any) -> Any:
        torch, (first, second, last) = self.torch, self.tensors
        with torch.inference_mode():
            hidden = torch.relu(torch.relu(torch.from_numpy(observations) @ first) @ second)
            return (hidden @ last).masked_fill_(~torch.from_numpy(masks), -torch.inf).argmax(1)


def network_figures(this: Game, n: int, seats: int, repeats: int) -> Iterator[Figure]:
    """Yield decisions per second of `n` games against each network, and the ratio to those against greedy."""
    networks: dict[str, type[Network]] = {"NumPy": Network}
    if find_spec("torch"):
        networks["PyTorch"] = TorchNetwork
    for where, network in networks.items():
        loops = [batch_loop(this, n, seats=seats, opponents=opponent) for opponent in (network(this), "greedy")]
        times = [calibrate(loop) for loop in loops]
        runs = [
            [n * k / seconds_of(partial(loop, k)) for loop, k in zip(loops, times, strict=True)] for _ in range(repeats)
        ]
        what = f"{n} games against a network in {where}"
        yield Figure(f"{what}, the learner's alone", "decisions/s", [own for own, _ in runs], higher_is_better=True)
        ratios = [own / greedy for own, greedy in runs]
        goal = TARGET_RATIO if n == LARGE else None
        yield Figure(f"{what}: ratio to greedy", "times", ratios, goal, higher_is_better=True)


def rate(what: str, loop: Loop, n: int, repeats: int, goal: float | None = None) -> Figure:
    """Return decisions per second of a loop that steps `n` games at a time."""
    times = calibrate(loop)
    runs = [n * times / seconds_of(lambda: loop(times)) for _ in range(repeats)]
    return Figure(what, "decisions/s", runs, goal, higher_is_better=True)


def rate_of_whole_games(what: str, batch: Batch, repeats: int) -> Figure:
    """Return decisions per second of whole games, since the time of a search depends on the position."""
    play_to_end(batch)  # compiles
    return Figure(what, "decisions/s", [play_to_end(batch) for _ in range(repeats)], higher_is_better=True)


def play_to_end(batch: Batch) -> float:
    """Step the same games until each has ended once. Return decisions per second."""
    batch.reset(seed=0)
    random, over, steps, start = np.random.default_rng(0), np.zeros(batch.n, np.bool_), 0, perf_counter()
    while not over.all():
        batch.step(batch.sample(random))
        over |= batch.done
        steps += 1
    return batch.n * steps / (perf_counter() - start)


def batch_loop(this: Game, n: int, **options: Any) -> Callable[[int], None]:
    """Return a loop that steps a batch at random. Drawing the actions is part of its time."""
    batch, random = this.batch(n, **options), np.random.default_rng(0)

    def loop(times: int) -> None:
        for _ in range(times):
            batch.step(batch.sample(random))

    return loop


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the games and print the figures. Return the exit code."""
    return measure_games(make_parser(__file__, __doc__), measure, FIGURES_PER_GAME, argv)


if __name__ == "__main__":
    sys.exit(main())
