"""The same rules on a graphics processor: a kernel per loop, one play per thread.

Needs numba-cuda (the extra [gpu]). `ptx` compiles without a device; `random_plays` runs on one.
"""

from importlib.util import find_spec
from typing import TYPE_CHECKING, Any

import numpy as np

from ..errors import MissingExtra

if TYPE_CHECKING:
    from .game import Game

CAPABILITY = (9, 0)  # what `ptx` compiles for: Hopper
THREADS = 128  # a block
LIMIT = 100_000  # decisions after which a play is stopped


def available() -> bool:
    """Is numba-cuda installed?"""
    return find_spec("numba_cuda") is not None


def ptx(game: "Game", name: str, capability: tuple[int, int] = CAPABILITY) -> str:
    """The PTX text of one kernel: `setup`, `legal`, `apply` or `random_play`."""
    cuda = needed()
    from numba import from_dtype, types

    kernel, arguments = kernels(game)[name]
    states = types.Array(from_dtype(game.rules.STATE), 1, "C")
    with pretending(capability):
        text, _ = cuda.compile(
            kernel, (states, types.int32[:, ::1], *arguments), cc=capability, device=False, abi="numba", output="ptx"
        )
    return text.decode() if isinstance(text, bytes) else str(text)


def random_plays(game: "Game", seats: int, plays: int, seed: int = 0) -> dict[str, np.ndarray]:
    """Play evenly chosen actions on the device, one play per thread.

    Play number i has the seed `seed + i` and gives the same state as
    `game.loops.random_play` with that seed on a processor.

    Returns:
        `states` (plays,) of the game's dtype, and `decisions` (plays,).
    """
    cuda = needed()
    states = cuda.to_device(np.zeros(plays, game.rules.STATE))
    paper = cuda.device_array((plays, game.rules.ACTIONS), np.int32)
    decisions = cuda.to_device(np.zeros(plays, np.int64))
    luck = cuda.to_device(np.zeros((plays, 4), np.int64))
    kernel = cuda.jit(kernels(game)["random_play"][0])
    kernel[(plays + THREADS - 1) // THREADS, THREADS](states, paper, seats, seed, luck, decisions)
    return {"states": states.copy_to_host(), "decisions": decisions.copy_to_host()}


def needed() -> Any:
    """The module numba.cuda; MissingExtra if it is not there."""
    if not available():
        raise MissingExtra("Graphics processors need numba-cuda: pip install 'almunia[gpu]'.")
    from numba import cuda

    return cuda


def kernels(game: "Game") -> dict[str, tuple[Any, tuple[Any, ...]]]:
    """The kernels by name, with the types of what they take beyond states and paper."""
    from numba import cuda, types

    loops = game.loops
    begin, listing, apply, random_play = loops.begin, loops.listing, loops.rules.apply, loops.random_play
    shake, grid = loops.shake, cuda.grid

    def setup_kernel(states: Any, paper: Any, seats: Any, seed: Any) -> None:
        i = grid(1)
        if i < states.shape[0]:
            begin(states[i : i + 1], seats, seed + i, paper[i])

    def legal_kernel(states: Any, paper: Any) -> None:
        i = grid(1)
        if i < states.shape[0]:
            listing(states[i : i + 1], paper[i])

    def apply_kernel(states: Any, paper: Any, actions: Any) -> None:
        i = grid(1)
        if i < states.shape[0]:
            apply(states[i], actions[i])

    def random_play_kernel(states: Any, paper: Any, seats: Any, seed: Any, luck: Any, decisions: Any) -> None:
        i = grid(1)
        if i < states.shape[0]:
            shake(luck[i], seed + i)
            decisions[i] = random_play(states[i : i + 1], seats, seed + i, luck[i], paper[i], LIMIT)

    number = types.int64
    return {
        "setup": (setup_kernel, (number, number)),
        "legal": (legal_kernel, ()),
        "apply": (apply_kernel, (types.int64[::1],)),
        "random_play": (random_play_kernel, (number, number, types.int64[:, ::1], types.int64[::1])),
    }


class pretending:  # noqa: N801 - reads as a verb in a with statement
    """Lend numba-cuda a device with a compute capability while it compiles on a machine that has none."""

    def __init__(self, capability: tuple[int, int]) -> None:
        class Device:
            compute_capability = capability
            MAX_THREADS_PER_BLOCK = 1024

        self._device = Device
        self._before: list[tuple[Any, Any]] = []

    def __enter__(self) -> None:
        import sys

        import numba.cuda.api  # noqa: F401 - so that all its modules are loaded

        for name, module in list(sys.modules.items()):
            if module is not None and "cuda" in name and hasattr(module, "get_current_device"):
                self._before.append((module, module.get_current_device))
                setattr(module, "get_current_device", lambda: self._device)  # noqa: B010 - not a name of every module

    def __exit__(self, *_: object) -> None:
        for module, function in self._before:
            setattr(module, "get_current_device", function)  # noqa: B010
