"""How fast games run on a graphics processor, beside one core; and what their kernels take of one, which needs none."""

import re
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

from ...batch import cuda
from ...core.kernels.play import LIMIT
from ...errors import MissingExtra
from ...library import Game, game
from .games import Figure, enough, timed

KERNELS = {"random_play": "a random game", "step": "a step", "step_against": "a step with opponents"}
MANY, FEW = 16384, 64  # games of a batch on a device, and on a core
PLAYS = 65536  # random games on a device
PLAYS_ON_A_CORE = 500
RIVALS = (None, "random", "greedy")
NO_DEVICE = "There is no graphics processor here that numba-cuda can use, so no speeds were measured."


def measure(name: str, repeats: int = 5) -> Iterator[Figure]:
    """Every figure of one game, one after the other as it is found; speeds where there is a device."""
    this = game(name)
    for kernel, what in KERNELS.items():
        for unit, value in resources(this, kernel).items():
            yield Figure(f"the kernel of {what}: {unit}", "a thread", [float(value)])
    if is_there():
        yield from speeds(this, repeats)


def is_there() -> bool:
    """Is there a device to measure?"""
    return bool(cuda.needed().is_available()) and not cuda.simulated()


def device() -> str:
    """The name of the device."""
    found = cuda.needed().get_current_device()
    name = found.name.decode() if isinstance(found.name, bytes) else found.name
    return f"{name}, compute capability {'.'.join(map(str, found.compute_capability))}"


# --- what a kernel takes ---------------------------------------------------------------------------


def resources(this: Game, kernel: str) -> dict[str, int]:
    """Registers, and bytes of stack and of spills, of each thread of a kernel, as nvJitLink assembles it."""
    log = assembled(cuda.ptx(this, kernel), cuda.CAPABILITY)
    spills = [int(number) for number in re.findall(r"(\d+) bytes spill (?:stores|loads)", log)]
    return {
        "registers": max(map(int, re.findall(r"Used (\d+) registers", log))),
        "bytes of stack": max(map(int, re.findall(r"(\d+) bytes stack frame", log))),
        "bytes spilled": sum(spills),
    }


def assembled(ptx: str, capability: tuple[int, int]) -> str:
    """What nvJitLink tells of assembling PTX; it needs no device."""
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


# --- how fast it is --------------------------------------------------------------------------------


def speeds(this: Game, repeats: int) -> Iterator[Figure]:
    """Decisions a second of random games and of batches, on the device and beside it on one core."""
    seats = max(2, this.meta.seats[0])
    on_device(this, seats)  # compiles
    on_a_core(this, seats)
    yield rate(f"{PLAYS} random games, on the device", lambda: on_device(this, seats), repeats)
    yield rate("random games, on one core", lambda: on_a_core(this, seats), repeats)
    for rivals in RIVALS:
        terms: dict[str, Any] = {"seats": seats, "opponents": rivals}
        what = "masks and tensors" + (f" against {rivals}, the learner's alone" if rivals else "")
        yield steps(f"{what}, {MANY} games on the device", this, MANY, repeats, device="cuda", **terms)
        yield steps(f"{what}, {FEW} games on one core", this, FEW, repeats, **terms)


def rate(what: str, play: Callable[[], int], repeats: int) -> Figure:
    """Decisions a second of something that says how many it makes, always the same."""
    runs = [play() / timed(play) for _ in range(repeats)]
    return Figure(what, "decisions/s", runs, higher_is_better=True)


def on_device(this: Game, seats: int) -> int:
    """Random games on the device; how many decisions."""
    _, decisions = cuda.played(this, PLAYS, seats, 0, this.blank({}))
    return int(decisions.copy_to_host().sum())


def on_a_core(this: Game, seats: int) -> int:
    """The same on a core."""
    out, rng, blank = np.zeros(this.rules.ACTIONS, np.int32), np.ones(4, np.int64), this.blank({})
    states, decisions = blank.copy(), 0
    for seed in range(PLAYS_ON_A_CORE):
        states[:] = blank
        decisions += this.loops.random_play(states, seats, seed, rng, out, LIMIT)
    return decisions


def steps(what: str, this: Game, n: int, repeats: int, **terms: Any) -> Figure:
    """Decisions a second of a batch that draws its actions itself: nothing passes between device and processor."""
    batch = this.batch(n, illegal="random", **terms)
    given: Any = np.full(n, -1)  # never legal
    if terms.get("device") == "cuda":
        given = cuda.needed().to_device(given)

    def loop(times: int) -> None:
        for _ in range(times):
            batch.step(given)
        if terms.get("device") == "cuda":
            cuda.needed().synchronize()

    times = enough(loop)
    runs = [n * times / timed(lambda: loop(times)) for _ in range(repeats)]
    return Figure(what, "decisions/s", runs, higher_is_better=True)
