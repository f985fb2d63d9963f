"""How fast batches run: decisions a second of random play, with all that a learner gets.

All on one core, but for opponents that think, which two threads ask as well.
"""

from collections.abc import Callable, Iterator
from importlib.util import find_spec
from time import perf_counter
from typing import Any

import numpy as np

from ...batch.batch import Batch
from ...library import Game, game
from .frameworks import loops_of
from .games import Figure, enough, timed
from .goals import BATCH, goal

MANY, FEW = 1024, 64
USUAL = "masks and tensors, 64 games"  # what the goals are about
WAYS: tuple[tuple[str, int, dict[str, Any]], ...] = (
    ("masks and tensors, 1024 games", MANY, {}),
    (USUAL, FEW, {}),
    ("bits and tensors, 64 games", FEW, {"offers": "bits"}),
    ("lists and tensors, 64 games", FEW, {"offers": "lists"}),
    ("masks alone, 64 games", FEW, {"observe": False}),
)
RIVALS = ("random", "greedy")
THINKERS = {"turn": FEW, "search:50": 16}  # opponents that are asked outside the loop, and how many games they play


def measure(name: str, repeats: int = 5) -> Iterator[Figure]:
    """Every figure of one game, one after the other as it is found."""
    this = game(name)
    for what, n, terms in WAYS:
        aim = goal(BATCH, name) if what == USUAL else None
        yield rate(what, stepper(this, n, **terms), n, repeats, aim)
    seats = max(2, this.meta.seats[0])
    for spec in RIVALS:
        loop = stepper(this, FEW, seats=seats, opponents=spec)
        yield rate(f"the same against {spec}, the learner's alone", loop, FEW, repeats)
    for spec, n in THINKERS.items():
        for threads, words in {1: "one thread", 2: "two threads"}.items():
            batch = this.batch(n, seats, opponents=spec, threads=threads)
            yield whole(f"{n} games against {spec}, {words}, the learner's alone", batch, repeats)
    if find_spec("gymnasium"):
        yield from of_gymnasium(this, seats, repeats)
    for what, loop, aim in loops_of(name, seats):
        yield rate(what, loop, 1, repeats, aim)


def rate(what: str, loop: Callable[[int], Any], n: int, repeats: int, goal: float | None = None) -> Figure:
    """Decisions a second of a loop that steps so many games so many times."""
    times = enough(loop)
    runs = [n * times / timed(lambda: loop(times)) for _ in range(repeats)]
    return Figure(what, "decisions/s", runs, goal, higher_is_better=True)


def whole(what: str, batch: Batch, repeats: int) -> Figure:
    """Decisions a second of whole games: how long somebody thinks depends on how far a game is."""
    played_out(batch)  # compiles it
    return Figure(what, "decisions/s", [played_out(batch) for _ in range(repeats)], higher_is_better=True)


def played_out(batch: Batch) -> float:
    """Decisions a second until each game has ended once, always of the same games."""
    batch.reset(seed=0)
    random, over, steps, start = np.random.default_rng(0), np.zeros(batch.n, np.bool_), 0, perf_counter()
    while not over.all():
        batch.step(batch.sample(random))
        over |= batch.done
        steps += 1
    return batch.n * steps / (perf_counter() - start)


def stepper(this: Game, n: int, **terms: Any) -> Callable[[int], None]:
    """A loop that plays at random; to draw the actions counts as well."""
    batch, random = this.batch(n, **terms), np.random.default_rng(0)

    def loop(times: int) -> None:
        for _ in range(times):
            batch.step(batch.sample(random))

    return loop


def of_gymnasium(this: Game, seats: int, repeats: int) -> Iterator[Figure]:
    """The same through Gymnasium, one game and many, against random bots."""
    from ...envs.gymnasium import GameEnv, GameVectorEnv

    terms: dict[str, Any] = {"seats": seats, "opponents": "random"}
    yield rate("Gymnasium, one game against random", single(GameEnv(this.name, **terms)), 1, repeats)
    many = GameVectorEnv(this.name, num_envs=FEW, copy=False, **terms)
    yield rate("Gymnasium, 64 games against random", side_by_side(many), FEW, repeats)


def single(env: Any) -> Callable[[int], None]:
    """A loop that plays one environment at random."""
    random = np.random.default_rng(0)
    _, info = env.reset(seed=0)

    def loop(times: int) -> None:
        nonlocal info
        for lot in random.random(times).tolist():
            legal = info["action_mask"].view(np.bool_).nonzero()[0]
            _, _, ended, _, info = env.step(legal[int(lot * len(legal))])
            if ended:
                _, info = env.reset()

    return loop


def side_by_side(envs: Any) -> Callable[[int], None]:
    """A loop that plays many environments at random."""
    random = np.random.default_rng(0)
    _, infos = envs.reset(seed=0)

    def loop(times: int) -> None:
        nonlocal infos
        for _ in range(times):
            rows, legal = infos["action_mask"].view(np.bool_).nonzero()
            counts = np.bincount(rows)
            chosen = counts.cumsum() - 1 - (random.random(len(counts)) * counts).astype(np.int64)
            infos = envs.step(legal[chosen])[4]

    return loop
