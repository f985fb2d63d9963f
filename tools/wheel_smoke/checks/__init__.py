"""The checks of the wheel, which use only the library, one extra, and the standard library.

They are scripts that run from top to bottom. A failure ends them with a traceback.
"""

from collections.abc import Callable, Iterator
from pathlib import Path
from time import perf_counter

from almunia.catalog import all_games

HOME = Path(__file__).parents[3]


def tables() -> Iterator[tuple[str, int]]:
    """Yield every game with every number of players."""
    for meta in all_games():
        for seats in range(meta.seats[0], meta.seats[1] + 1):
            yield meta.name, seats


def at_every_table(what: str, check: Callable[[str, int], object]) -> None:
    """Run a check for every game and number of players, and print the time it took."""
    start, count = perf_counter(), 0
    for name, seats in tables():
        check(name, seats)
        count += 1
    print(f"{what}: {count} tables of {len(all_games())} games, {perf_counter() - start:.0f} s", flush=True)
