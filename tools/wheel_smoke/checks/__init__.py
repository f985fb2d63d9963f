"""What runs in fresh environments: each module with the library, one extra, and what Python brings.

They are scripts, run in order from top to bottom: what goes wrong ends them with a traceback.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

from almunia.core.registry import all_games

HOME = Path(__file__).parents[3]


def tables() -> Iterator[tuple[str, int]]:
    """Every game with every number of players it allows."""
    for meta in all_games():
        for seats in range(meta.seats[0], meta.seats[1] + 1):
            yield meta.name, seats


def at_every_table(what: str, check: Callable[[str, int], object]) -> None:
    """Run a check of a game and a number of players for all there are."""
    start, count = perf_counter(), 0
    for name, seats in tables():
        check(name, seats)
        count += 1
    print(f"{what}: {count} tables of {len(all_games())} games, {perf_counter() - start:.0f} s", flush=True)
