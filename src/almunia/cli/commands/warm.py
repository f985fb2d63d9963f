"""Compile games ahead of time, so that their first use is fast.

The machine code is cached in a folder of this user, or in the folder that ALMUNIA_CACHE names. Code is compiled again
after a change of its source or tables, of Almunia's compiling code, of Python, NumPy, Numba, or the processor.
Compiling changed code of a game deletes the game's folders that have not been used for 60 days.
"""

import argparse
from collections.abc import Callable
from time import perf_counter

from ...bots import warm_up
from ...catalog import game_packages
from ...library import Game, game
from .. import Exit
from ..arguments import add_json, print_result, progress_bar

EXAMPLES = ("almunia warm", "almunia warm orchard")


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("games", nargs="*", metavar="GAME", help="names of games (default: all)")
    add_json(parser)


def run(args: argparse.Namespace) -> int:
    seconds_by_game = {}
    names = args.games or sorted(game_packages())
    games = [game(name) for name in names]
    with progress_bar("Compiling", sum(len(compile_steps(this)) for this in games)) as progress:
        done = 0
        for this in games:
            start = perf_counter()
            for label, step in compile_steps(this):
                progress(done, f"{this.meta.title}: {label}")
                step()
                done += 1
            seconds_by_game[this.name] = round(perf_counter() - start, 3)
    lines = [f"{name}: ready after {seconds:.1f} s" for name, seconds in seconds_by_game.items()]
    print_result(args, seconds_by_game, lines)
    return Exit.OK


def compile_steps(this: Game) -> list[tuple[str, Callable[[], object]]]:
    from ...arena.simulate import simulate

    return [
        ("plays", lambda: run_play(this)),
        ("bots", lambda: warm_up(this)),
        ("simulations", lambda: [simulate(this, 1, bots=bots) for bots in ("random", "greedy")]),
        ("batches", lambda: run_batches(this)),
    ]


def run_play(this: Game) -> None:
    """Use a play and an observation once, so that their kernels are compiled."""
    play = this.new(seed=0)
    play.apply(play.legal_actions[0])
    play.score_table()
    observation = play.observe(play.turn)
    observation.tensor()
    observation.determinize(0)


def run_batches(this: Game) -> None:
    """Step a batch without opponents and batches with opponents once, so that their kernels are compiled."""
    fewest, most = this.meta.seats
    for opponents in (None, "greedy", "turn") if most > 1 else (None,):
        batch = this.batch(1, min(max(2, fewest), most), opponents=opponents)
        batch.step(batch.legal_actions[:, 0])
