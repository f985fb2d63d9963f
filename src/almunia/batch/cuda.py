"""The rules on a GPU: the kernels of `kernels/cuda.py`, with a thread for each play. Needs numba-cuda (extra [gpu]).

`ptx` compiles without a GPU. `Device` and `game.batch(device="cuda")` need a GPU.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache
from importlib.util import find_spec
from threading import RLock
from types import FunctionType
from typing import Any

import numpy as np

from ..core.kernels.batch_step import InlineOpponents, ThreadScratch
from ..core.loaded import LoadedGame
from ..core.workspaces import allocate_policy_scratch
from ..engine.specialize import ModuleSpecializer
from ..errors import MissingExtra, SetupError
from .buffers import CONFIG, allocate_batch, allocate_scratch

CAPABILITY = (9, 0)  # compute capability for `ptx`: Hopper
THREADS_PER_BLOCK = 128
NO_DEVICE = (
    "There is no graphics processor here that numba-cuda can use: that takes one of NVIDIA's, and its driver. Leave "
    "out device='cuda' to use the processor."
)
PLAYS = ("setup", "legal", "apply", "random_play")  # kernels of plays
BATCHES = ("step", "step_against")  # and of batches
COMPILE_LOCK = RLock()  # numba-cuda can compile in one thread at a time
MANTISSA_BITS = {"f64": 52, "f32": 23}  # by float type in PTX


def available() -> bool:
    """Return whether numba-cuda is installed."""
    return find_spec("numba_cuda") is not None


def needed() -> Any:
    """Return the module numba.cuda. Raise MissingExtra if numba-cuda is not installed."""
    if not available():
        raise MissingExtra.named("Graphics processors need", "numba-cuda", "gpu")
    from numba import cuda

    return cuda


def check_build(game: LoadedGame) -> None:
    """Raise SetupError for the plain build."""
    if game.build != "compiled":
        raise SetupError(f"The {game.build} build of {game.meta.title} does not compile; use the compiled one.")


# --- kernels --------------------------------------------------------------------------------------


class Device:
    """A GPU that runs the kernels of a game.

    Raises:
        MissingExtra: numba-cuda is not installed, or there is no GPU.
        SetupError: the game is in the plain build.
    """

    block = THREADS_PER_BLOCK

    def __init__(self, game: LoadedGame) -> None:
        self.game, self.cuda = game, needed()
        check_build(game)
        if not self.cuda.is_available():
            raise MissingExtra(NO_DEVICE)

    def launch(self, name: str, threads: int, *args: Any) -> None:
        """Run a kernel of `kernels/cuda.py` in `threads` threads, on device arrays, tuples of them, and integers."""
        blocks = -(-threads // self.block)
        with tables_in_memory():  # the first launch compiles
            kernel(self.game, name)[blocks, self.block](*args)

    def random_plays(self, games: int, seats: int, seed: int, blank: Any) -> tuple[Any, Any]:
        """Play random actions on the device, with a thread for each play, and return the final states.

        Play i has the seed `seed + i`, and the same result as `game.loops.random_play` on a CPU.

        Args:
            games: the number of plays. Each needs 4 * ACTIONS bytes of device memory for its legal actions.
            seats: the number of players.
            seed: the seed of the first play.
            blank: a state with the options set, from `game.empty_state`.

        Returns:
            The states (games, 1) of the game's dtype and the numbers of decisions, int64 (games,), on the device.
        """
        make, rules = self.cuda.device_array, self.game.rules
        states, decisions = make((games, 1), rules.STATE), make(games, np.int64)
        lists, rng = make((games, rules.ACTIONS), np.int32), make((games, 4), np.int64)
        self.launch("random_play", games, states, lists, self.cuda.to_device(blank), seats, seed, rng, decisions)
        return states, decisions


@cache
def kernel(game: LoadedGame, name: str) -> Any:
    """Return a kernel of this game. numba-cuda compiles it at the first launch.

    Links without optimization, so that the device runs the PTX that `ptx` returns. `contracted` checks the same PTX.
    """
    return needed().jit(lto=False)(kernel_function(cuda_backend(game), name))


@cache
def cuda_backend(game: LoadedGame) -> Any:
    """Return the backend that compiles this game for a GPU."""
    return game.make_backend(on_device)


def kernel_function(backend: Any, name: str) -> FunctionType:
    """Return the Python function of a kernel, with its globals specialized by a backend."""
    from .kernels import cuda

    function = getattr(backend.specialize(cuda), name)
    return getattr(function, "py_func", function)


def on_device(roots: tuple[str, ...]) -> ModuleSpecializer:
    """Return a specializer whose functions numba-cuda compiles for a GPU."""
    from numba import cuda

    from ..engine.numba import enum_to_namedtuple, widen_int_arguments

    return ModuleSpecializer(
        function=lambda plain: widen_int_arguments(cuda.jit(device=True)(plain)), value=enum_to_namedtuple, roots=roots
    )


def per_thread_arrays(allocate: Callable[..., Any], threads: int, arrays: Any) -> Any:
    """Allocate and return an array like `arrays`, or a tuple of such arrays, with a first axis for the threads."""
    if isinstance(arrays, tuple):
        return type(arrays)(*(per_thread_arrays(allocate, threads, part) for part in arrays))
    return allocate((threads, *arrays.shape), arrays.dtype)


def per_thread_scratch(allocate: Callable[..., Any], threads: int, scratch: ThreadScratch) -> ThreadScratch:
    """Allocate and return the scratch of `threads` threads, which share the configuration and the blank state."""
    own = [per_thread_arrays(allocate, threads, part) for part in (scratch.masked, scratch.table, scratch.ranks)]
    return ThreadScratch(scratch.config, scratch.blank, *own)


# --- compiling without a device -------------------------------------------------------------------


def ptx(game: LoadedGame, name: str, capability: tuple[int, int] = CAPABILITY) -> str:
    """Return the PTX of a kernel in `PLAYS` or `BATCHES`. Batches are compiled with masks and observations.

    Raises:
        MissingExtra: numba-cuda is not installed.
        SetupError: the game is in the plain build, or there is no such kernel.
    """
    cuda = needed()
    check_build(game)
    if name not in (*PLAYS, *BATCHES):
        raise SetupError(f"There is no kernel {name!r}. There are: {', '.join((*PLAYS, *BATCHES))}.")
    function = kernel_function(cuda_backend(game), name)
    with fake_device(capability), tables_in_memory():
        text, _ = cuda.compile(
            function, argument_types(game, name), cc=capability, device=False, abi="numba", output="ptx"
        )
    return text.decode() if isinstance(text, bytes) else str(text)


def argument_types(game: LoadedGame, name: str) -> tuple[Any, ...]:
    """Return the Numba types of a kernel's arguments."""
    import numba

    samples = sample_arguments(game, name)
    return tuple(numba.types.int64 if sample is int else numba.typeof(sample) for sample in samples)


def contracted(text: str) -> list[str]:
    """Return the PTX instructions that round differently from a CPU.

    A GPU rounds a multiplication with an addition once (`fma`), and a CPU rounds twice. The results are always equal
    only if a factor is a power of two, because then the product is exact.
    """
    lines, products = [], set()
    for line in map(str.strip, text.splitlines()):
        operation, _, rest = line.rstrip(";").partition(" ")
        kind, width = operation.partition(".")[0], operation.rpartition(".")[2]
        if width not in MANTISSA_BITS or kind not in ("mul", "fma", "add", "sub"):
            continue
        result, *operands = rest.replace(",", " ").split()
        if kind in ("mul", "fma") and not any(map(is_power_of_two, operands[:2])):
            products.add(result)
        if (kind == "fma" and result in products) or (kind in ("add", "sub") and products.intersection(operands)):
            lines.append(line)
    return lines


def is_power_of_two(operand: str) -> bool:
    """Return whether a PTX operand is a constant power of two, such as 0d3FE0000000000000, which is 0.5."""
    bits = MANTISSA_BITS["f64" if operand[:2] == "0d" else "f32"]
    return operand[:2] in ("0d", "0f") and int.from_bytes(bytes.fromhex(operand[2:])) % (1 << bits) == 0


def sample_arguments(game: LoadedGame, name: str) -> tuple[Any, ...]:
    """Return an argument for each parameter of a kernel: an array of its type, or `int` for an integer."""
    numbers, states = np.zeros(1, np.int64), np.zeros((1, 1), game.rules.STATE)
    lists, rng = np.zeros((1, game.rules.ACTIONS), np.int32), np.zeros((1, 4), np.int64)
    if name in PLAYS:
        more = {"setup": (int, int), "apply": (numbers,), "random_play": (states[0], int, int, rng, numbers)}
        return states, lists, *more.get(name, ())
    seats = game.meta.seats[1]
    config = np.zeros(1, CONFIG)
    config["seats"] = seats
    arrays = allocate_batch(game, 1, seats, "masks", observe=True, final_observations=False)
    scratch = per_thread_scratch(np.zeros, 1, allocate_scratch(game, config, game.empty_state({})))
    opponents = InlineOpponents(numbers, numbers, per_thread_arrays(np.zeros, 1, allocate_policy_scratch(game)))
    return int, numbers, arrays, allocate_info(1), scratch, *((opponents,) if name == "step_against" else ())


def allocate_info(n: int) -> Any:
    """Allocate and return the RowInfo of n rows."""
    from .kernels.cuda import RowInfo

    return RowInfo(np.zeros(n, np.int8), np.zeros(n, np.int64), np.zeros(n, np.int64))


@contextmanager
def tables_in_memory() -> Iterator[None]:
    """Make kernels that compile in this block store tables in global device memory.

    By default, numba-cuda stores tables in constant memory, with a copy for each function that reads a table. Constant
    memory has 64 KiB, and threads that read different entries of it wait for each other.
    """
    from numba.cuda.cudadrv import nvvm

    with COMPILE_LOCK:
        before, nvvm.ADDRSPACE_CONSTANT = nvvm.ADDRSPACE_CONSTANT, nvvm.ADDRSPACE_GLOBAL
        try:
            yield
        finally:
            nvvm.ADDRSPACE_CONSTANT = before


@contextmanager
def fake_device(capability: tuple[int, int]) -> Iterator[None]:
    """Let numba-cuda compile for this compute capability in this block, even without a GPU."""
    import numba.cuda.api  # noqa: F401 - so that all its modules are loaded

    class Device:
        compute_capability = capability
        MAX_THREADS_PER_BLOCK = 1024

    modules = [
        module for name, module in list(sys.modules.items()) if "cuda" in name and hasattr(module, "get_current_device")
    ]
    before = [vars(module)["get_current_device"] for module in modules]
    for module in modules:
        vars(module)["get_current_device"] = lambda: Device
    try:
        yield
    finally:
        for module, function in zip(modules, before, strict=True):
            vars(module)["get_current_device"] = function
