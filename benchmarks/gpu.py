"""Measure games on a GPU, compared with one core, and the registers and memory of each thread of a kernel.

Without a GPU, only the registers and memory are measured. This needs numba-cuda: pip install 'almunia[gpu]'.
"""

import argparse
import re
import sys
from collections.abc import Callable, Iterator, Sequence
from typing import Any

import numpy as np

from almunia.arena.bench import Figure, calibrate, seconds_of
from almunia.batch import cuda
from almunia.cli.commands.bench import collect, print_figures, selected_games
from almunia.core.kernels.play import MAX_DECISIONS
from almunia.errors import MissingExtra
from almunia.library import Game, game
from benchmarks.command import make_parser, run_command

FIGURES_PER_GAME = 17
KERNELS = {"random_play": "a random game", "step": "a step", "step_against": "a step with opponents"}
GPU_GAMES, CORE_GAMES = 16384, 64  # games of a batch
GPU_PLAYS, CORE_PLAYS = 65536, 500  # random plays
OPPONENTS = (None, "random", "greedy")
NO_DEVICE = "There is no graphics processor here that numba-cuda can use, so no speeds were measured."


def measure(name: str, repeats: int = 5) -> Iterator[Figure]:
    """Yield every figure of one game as it is measured, with speeds if there is a GPU."""
    this = game(name)
    for kernel, what in KERNELS.items():
        for unit, value in resources(this, kernel).items():
            yield Figure(f"the kernel of {what}: {unit}", "a thread", [float(value)])
    if has_device():
        yield from speeds(this, repeats)


def has_device() -> bool:
    """Return whether there is a GPU to measure."""
    return bool(cuda.require_cuda().is_available())


def device_name() -> str:
    """Return the name of the GPU and its compute capability."""
    device = cuda.require_cuda().get_current_device()
    name = device.name.decode() if isinstance(device.name, bytes) else device.name
    return f"{name}, compute capability {'.'.join(map(str, device.compute_capability))}"


# --- resources of a kernel -------------------------------------------------------------------------


def resources(this: Game, kernel: str) -> dict[str, int]:
    """Return registers, bytes of stack and spilled bytes per thread of a kernel, from the log of nvJitLink."""
    log = assembler_log(cuda.ptx(this, kernel), cuda.CAPABILITY)
    spills = [int(number) for number in re.findall(r"(\d+) bytes spill (?:stores|loads)", log)]
    return {
        "registers": max(map(int, re.findall(r"Used (\d+) registers", log))),
        "bytes of stack": max(map(int, re.findall(r"(\d+) bytes stack frame", log))),
        "bytes spilled": sum(spills),
    }


def assembler_log(ptx: str, capability: tuple[int, int]) -> str:
    """Assemble PTX with nvJitLink and return its log. This needs no GPU. Raise MissingExtra without cuda-bindings."""
    try:
        from cuda.bindings import nvjitlink
    except ImportError:
        raise MissingExtra.named("Assembling PTX needs", "cuda-bindings", "gpu") from None
    text = ptx.encode()
    options = [f"-arch=sm_{''.join(map(str, capability))}", "-verbose", "-Xptxas=-v"]
    link = nvjitlink.create(len(options), options)
    try:
        nvjitlink.add_data(link, nvjitlink.InputType.PTX, text, len(text), "kernel")
        nvjitlink.complete(link)
        log = bytearray(nvjitlink.get_info_log_size(link))
        nvjitlink.get_info_log(link, log)
    finally:
        nvjitlink.destroy(link)
    return log.decode()


# --- speed -----------------------------------------------------------------------------------------


def speeds(this: Game, repeats: int) -> Iterator[Figure]:
    """Yield decisions per second of random games and of batches, on the GPU and on one core."""
    seats = max(2, this.meta.seats[0])
    play_on_gpu(this, seats)  # compiles
    play_on_core(this, seats)
    yield rate(f"{GPU_PLAYS} random games, on the device", lambda: play_on_gpu(this, seats), repeats)
    yield rate("random games, on one core", lambda: play_on_core(this, seats), repeats)
    for opponents in OPPONENTS:
        options: dict[str, Any] = {"seats": seats, "opponents": opponents}
        what = "masks and tensors" + (f" against {opponents}, the learner's alone" if opponents else "")
        yield batch_rate(f"{what}, {GPU_GAMES} games on the device", this, GPU_GAMES, repeats, device="cuda", **options)
        yield batch_rate(f"{what}, {CORE_GAMES} games on one core", this, CORE_GAMES, repeats, **options)


def rate(what: str, play: Callable[[], int], repeats: int) -> Figure:
    """Return the decisions per second of `play`, which returns the same number of decisions each time."""
    runs = [play() / seconds_of(play) for _ in range(repeats)]
    return Figure(what, "decisions/s", runs, higher_is_better=True)


def play_on_gpu(this: Game, seats: int) -> int:
    """Play at random on the GPU. Return the number of decisions."""
    _, decisions = cuda.Device(this).random_plays(GPU_PLAYS, seats, 0, this.empty_state({}))
    return int(decisions.copy_to_host().sum())


def play_on_core(this: Game, seats: int) -> int:
    """Play at random on one core. Return the number of decisions."""
    out, rng, blank = np.zeros(this.rules.ACTIONS, np.int32), np.ones(4, np.int64), this.empty_state({})
    states, decisions = blank.copy(), 0
    for seed in range(CORE_PLAYS):
        states[:] = blank
        decisions += this.loops.random_play(states, seats, seed, rng, out, MAX_DECISIONS)
    return decisions


def batch_rate(what: str, this: Game, n: int, repeats: int, **options: Any) -> Figure:
    """Return decisions per second of a batch that draws its actions, so that no data moves to or from the GPU."""
    batch = this.batch(n, illegal="random", **options)
    actions: Any = np.full(n, -1)  # never legal
    if options.get("device") == "cuda":
        actions = cuda.require_cuda().to_device(actions)

    def loop(times: int) -> None:
        for _ in range(times):
            batch.step(actions)
        if options.get("device") == "cuda":
            cuda.require_cuda().synchronize()

    times = calibrate(loop)
    runs = [n * times / seconds_of(lambda: loop(times)) for _ in range(repeats)]
    return Figure(what, "decisions/s", runs, higher_is_better=True)


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the games and print the figures. Return the exit code."""

    def run(args: argparse.Namespace) -> None:
        names = selected_games(args.games)
        measured = ((name, figure) for name in names for figure in measure(name, args.repeats))
        figures = collect(measured, FIGURES_PER_GAME * len(names))
        print_figures(args, figures, {"graphics processor": device_name() if has_device() else NO_DEVICE})

    return run_command(make_parser(__file__, __doc__), run, argv)


if __name__ == "__main__":
    sys.exit(main())
