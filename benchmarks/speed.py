"""Measure the rules as `almunia bench` does, and Catanatron's random bots in the same run, for the ratio."""

import sys
from collections.abc import Iterator, Sequence
from importlib.util import find_spec
from time import perf_counter

from almunia.arena import bench
from almunia.arena.bench import Figure
from benchmarks.command import make_parser, measure_games

FIGURES_PER_GAME = 16
PEER = "for comparison: Catanatron, random bots, Catan for two"
MATCHES = 10  # in one repeat


def measure(name: str, repeats: int = 5) -> Iterator[Figure]:
    """Yield every figure of one game, and Catanatron's if it is installed."""
    yield from bench.measure(name, repeats)
    if find_spec("catanatron"):
        yield catanatron(repeats)


def catanatron(repeats: int) -> Figure:
    """Return the decisions per second of Catanatron's random bots at Catan for two."""
    from catanatron import Color, Game, RandomPlayer

    def play(matches: int) -> int:
        decisions = 0
        for seed in range(matches):
            match = Game([RandomPlayer(Color.RED), RandomPlayer(Color.BLUE)], seed=seed)
            match.play()
            decisions += len(match.state.actions)
        return decisions

    play(1)
    runs = []
    for _ in range(repeats):
        start = perf_counter()
        decisions = play(MATCHES)
        runs.append(decisions / (perf_counter() - start))
    return Figure(PEER, "decisions/s", runs, higher_is_better=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the games and print the figures. Return the exit code."""
    return measure_games(make_parser(__file__, __doc__), measure, FIGURES_PER_GAME, argv)


if __name__ == "__main__":
    sys.exit(main())
