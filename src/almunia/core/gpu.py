"""The same rules on a graphics processor: a kernel per loop, one play per thread.

Needs numba-cuda (the extra [gpu]). `ptx` compiles without a device; `random_plays` runs on one.
"""

import sys
from collections.abc import Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MissingExtra, SetupError
from . import loops
from .arguments import checked_number, checked_seed
from .loops import LIMIT
from .twins import Twins

if TYPE_CHECKING:
    from .game import Game

CAPABILITY = (9, 0)  # what `ptx` compiles for: Hopper
THREADS = 128  # a block
LISTS = 1 << 30  # bytes of the device for lists of legal actions


def available() -> bool:
    """Is numba-cuda installed?"""
    return find_spec("numba_cuda") is not None


def ptx(game: "Game", name: str, capability: tuple[int, int] = CAPABILITY) -> str:
    """The PTX text of one kernel: `setup`, `legal`, `apply` or `random_play`."""
    cuda = needed()
    if game.build != "compiled":
        raise SetupError(f"The {game.build} build of {game.meta.title} does not compile; use the compiled one.")
    from numba import from_dtype, types

    known = kernels(game)
    if name not in known:
        raise SetupError(f"There is no kernel {name!r}. There are: {', '.join(known)}.")
    kernel, arguments = known[name]
    states = types.Array(from_dtype(game.rules.STATE), 1, "C")
    with pretending(capability):
        text, _ = cuda.compile(
            kernel, (states, types.int32[:, ::1], *arguments), cc=capability, device=False, abi="numba", output="ptx"
        )
    return text.decode() if isinstance(text, bytes) else str(text)


def random_plays(game: "Game", plays: int, seats: int | None = None, seed: int = 0, **options: Any) -> dict[str, Any]:
    """Play evenly chosen actions on the device, one play per thread.

    Play number i has the seed `seed + i` and gives the same state as `game.loops.random_play`
    with that seed, and its random numbers, on a processor.

    Returns:
        `states` (plays,) of the game's dtype, and `decisions` (plays,).

    Raises:
        MissingExtra: numba-cuda is not installed, or there is no device.
        SetupError: plays, seats, a seed or options the game does not take.
    """
    cuda = needed()
    plays, seats, seed = checked_number("plays", plays, 1), game.checked_seats(seats), checked_seed(seed)
    blank = game.blank(options)
    if not cuda.is_available():
        raise MissingExtra("There is no graphics processor here that numba-cuda can use.")
    kernel = cuda.jit(kernels(game)["random_play"][0])
    done = []
    chunk = max(1, LISTS // (4 * game.rules.ACTIONS))
    for start in range(0, plays, chunk):
        count = min(chunk, plays - start)
        states = cuda.to_device(np.repeat(blank, count))
        work = cuda.device_array((count, game.rules.ACTIONS), np.int32)
        rng, decisions = cuda.device_array((count, 4), np.int64), cuda.device_array(count, np.int64)
        kernel[(count + THREADS - 1) // THREADS, THREADS](states, work, seats, seed + start, rng, decisions)
        done.append((states.copy_to_host(), decisions.copy_to_host()))
    return {"states": np.concatenate([d[0] for d in done]), "decisions": np.concatenate([d[1] for d in done])}


def needed() -> Any:
    """The module numba.cuda; MissingExtra if it is not there."""
    if not available():
        raise MissingExtra.named("Graphics processors need", "numba-cuda", "gpu")
    from numba import cuda

    return cuda


def on_device(roots: tuple[str, ...]) -> Twins:
    """A family of twins that numba-cuda compiles for a device."""
    from numba import cuda

    from .compiled import called_alike, plain_numbers

    return Twins(function=lambda plain: called_alike(cuda.jit(device=True)(plain)), value=plain_numbers, roots=roots)


@cache
def device_loops(game: "Game") -> Any:
    """The core's loops, running this game on a device."""
    return game.family(on_device).of(loops)


def kernels(game: "Game") -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """The kernels by name, with the types of what they take beyond states and lists."""
    from numba import cuda, types

    twin = device_loops(game)
    begin, listing, apply, random_play = twin.begin, twin.listing, twin.rules.apply, twin.random_play
    shake, grid = twin.shake, cuda.grid

    def setup_kernel(states: Any, work: Any, seats: Any, seed: Any) -> None:
        i = grid(1)
        if i < states.shape[0]:
            begin(states[i : i + 1], seats, seed + i, work[i])

    def legal_kernel(states: Any, work: Any) -> None:
        i = grid(1)
        if i < states.shape[0]:
            listing(states[i : i + 1], work[i])

    def apply_kernel(states: Any, work: Any, actions: Any) -> None:
        i = grid(1)
        if i < states.shape[0]:
            apply(states[i], actions[i])

    def random_play_kernel(states: Any, work: Any, seats: Any, seed: Any, rng: Any, decisions: Any) -> None:
        i = grid(1)
        if i < states.shape[0]:
            shake(rng[i], seed + i)
            decisions[i] = random_play(states[i : i + 1], seats, seed + i, rng[i], work[i], LIMIT)

    number = types.int64
    return {
        "setup": (setup_kernel, (number, number)),
        "legal": (legal_kernel, ()),
        "apply": (apply_kernel, (types.int64[::1],)),
        "random_play": (random_play_kernel, (number, number, types.int64[:, ::1], types.int64[::1])),
    }


@contextmanager
def pretending(capability: tuple[int, int]) -> Iterator[None]:
    """Lend numba-cuda a device of this capability while it compiles on a machine that has none."""
    import numba.cuda.api  # noqa: F401 - so that all its modules are loaded

    class Device:
        compute_capability = capability
        MAX_THREADS_PER_BLOCK = 1024

    asking = [
        module for name, module in list(sys.modules.items()) if "cuda" in name and hasattr(module, "get_current_device")
    ]
    before = [vars(module)["get_current_device"] for module in asking]
    for module in asking:
        vars(module)["get_current_device"] = lambda: Device
    try:
        yield
    finally:
        for module, function in zip(asking, before, strict=True):
            vars(module)["get_current_device"] = function
