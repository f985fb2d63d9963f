"""Compile games ahead of time, so that their first use is quick.

Machine code is kept in a folder of this user, and made anew only when a source file changes.
"""

import argparse
from collections.abc import Callable
from time import perf_counter

from ...core.game import Game, game
from ...core.registry import packages
from .. import Exit
from ..options import Progress, add_json, print_json

EXAMPLES = ("almunia warm", "almunia warm orchard")


def arguments(parser: argparse.ArgumentParser) -> None:
    """Which games."""
    parser.add_argument("games", nargs="*", metavar="GAME", help="names of games (default: all)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    """Compile, with a progress bar, and say how long it took."""
    taken = {}
    names = args.games or sorted(packages())
    games = [game(name) for name in names]
    with Progress("Compiling", sum(len(steps(this)) for this in games)) as progress:
        done = 0
        for this in games:
            start = perf_counter()
            for label, step in steps(this):
                progress(done, f"{this.meta.title}: {label}")
                step()
                done += 1
            taken[this.name] = round(perf_counter() - start, 3)
    if args.json:
        print_json(taken)
    else:
        print("\n".join(f"{name}: ready after {seconds:.1f} s" for name, seconds in taken.items()))
    return Exit.OK


def steps(this: Game) -> list[tuple[str, Callable[[], object]]]:
    """What to run once so that everything is compiled: a label and a call each."""
    from ...arena.simulate import simulate
    from ...bots import prepare

    return [
        ("plays", lambda: step_through(this)),
        ("bots", lambda: prepare(this)),
        ("simulations", lambda: [simulate(this, 1, bots=bots) for bots in ("random", "greedy")]),
        ("batches", lambda: step_batches(this)),
    ]


def step_through(this: Game) -> None:
    """One action and one observation."""
    play = this.new(seed=0)
    play.apply(play.legal[0])
    play.score_table()
    observation = play.observe(play.turn)
    observation.tensor()
    observation.redeal(0)


def step_batches(this: Game) -> None:
    """One decision in a batch where the learner has all seats, and in one where bots have the others."""
    fewest, most = this.meta.seats
    for opponents in (None, "greedy", "turn") if most > 1 else (None,):
        batch = this.batch(1, min(max(2, fewest), most), opponents=opponents)
        batch.step(batch.lists[:, 0])
