"""The rules on a GPU: the kernels of `kernels/cuda.py`, with a thread for each play.

Compiling or running a kernel needs numba-cuda (extra [gpu]). `ptx` compiles without a GPU. `Device` and
`game.batch(device="cuda")` need a GPU.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager, suppress
from functools import cache
from importlib.metadata import PackageNotFoundError, version
from importlib.util import find_spec
from inspect import getsource
from pathlib import Path
from threading import RLock
from types import FunctionType, SimpleNamespace
from typing import Any

import numpy as np

from ..core.kernels.batch_step import InlineOpponents, ThreadScratch
from ..core.kernels.policies import PolicyScratch
from ..core.loaded import LoadedGame
from ..core.workspaces import allocate_policy_scratch
from ..engine.specialize import ModuleSpecializer
from ..errors import MissingExtra, SetupError
from ..files import write
from ..validation import check_one_of
from .buffers import CONFIG, allocate_batch, allocate_scratch

CAPABILITY = (9, 0)  # compute capability for `ptx`: Hopper
THREADS_PER_BLOCK = 128
NO_DEVICE = (
    "There is no graphics processor here that numba-cuda can use. It needs one by NVIDIA, with its driver. Leave out "
    "device='cuda' to use the processor."
)
KERNELS = ("legal", "random_play", "step", "step_against")  # that `ptx` compiles
COMPILERS = ("numba-cuda", "llvmlite", "nvidia-nvvm")  # packages
COMPILE_LOCK = RLock()  # numba-cuda can compile in one thread at a time
MANTISSA_BITS = {"f64": 52, "f32": 23}  # by float type in PTX


def has_numba_cuda() -> bool:
    return find_spec("numba_cuda") is not None


def require_cuda() -> Any:
    """Return the module numba.cuda. Raise MissingExtra if numba-cuda is not installed."""
    if not has_numba_cuda():
        raise MissingExtra.named("Graphics processors need", "numba-cuda", "gpu")
    from numba import cuda

    return cuda


def check_build(game: LoadedGame) -> None:
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
        self.game, self.cuda = game, require_cuda()
        check_build(game)
        if not self.cuda.is_available():
            raise MissingExtra(NO_DEVICE)

    def launch(self, name: str, threads: int, *args: Any) -> None:
        """Run a kernel of `kernels/cuda.py` in `threads` threads, on device arrays, tuples of them, and integers."""
        blocks = -(-threads // self.block)
        with tables_in_memory():  # the first launch compiles
            compiled_kernel(self.game, name)[blocks, self.block](*args)

    def random_plays(self, games: int, seats: int, seed: int, blank: Any) -> tuple[Any, Any]:
        """Play random actions on the device, with a thread for each play, to the end or to MAX_DECISIONS.

        Play i has the seed `seed + i`, and the same result as `game.loops.random_play` with a generator of this seed.

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
def compiled_kernel(game: LoadedGame, name: str) -> Any:
    """Return a kernel of this game. numba-cuda compiles the kernel at the first launch.

    The kernel is linked without optimization, so that the device runs the PTX that the conformance suite checks.
    """
    return require_cuda().jit(lto=False)(kernel_function(cuda_backend(game), name))


@cache
def cuda_backend(game: LoadedGame) -> Any:
    return game.make_backend(make_specializer)


def kernel_function(backend: Any, name: str) -> FunctionType:
    from .kernels import cuda

    function = getattr(backend.specialize(cuda), name)
    return getattr(function, "py_func", function)


def make_specializer(roots: tuple[str, ...]) -> ModuleSpecializer:
    from numba import cuda

    from ..engine.numba import enum_to_namedtuple, widen_int_arguments

    return ModuleSpecializer(
        function=lambda plain: widen_int_arguments(cuda.jit(device=True)(plain)), value=enum_to_namedtuple, roots=roots
    )


def per_thread_arrays(allocate: Callable[..., Any], threads: int, arrays: Any) -> Any:
    """Allocate and return an array like `arrays`, or a tuple of such arrays, with a first axis for the threads."""
    if isinstance(arrays, tuple):
        parts = (per_thread_arrays(allocate, threads, part) for part in arrays)
        return tuple.__new__(type(arrays), parts)
    return allocate((threads, *arrays.shape), arrays.dtype)


def per_thread_policy_scratch(allocate: Callable[..., Any], threads: int, work: PolicyScratch) -> PolicyScratch:
    """Allocate and return the scratch of the bots of `threads` threads, which share the weights."""
    evaluation = work.evaluation
    alone = work._replace(evaluation=evaluation._replace(weights=()))
    own: PolicyScratch = per_thread_arrays(allocate, threads, alone)
    return own._replace(evaluation=own.evaluation._replace(weights=evaluation.weights))


def per_thread_scratch(allocate: Callable[..., Any], threads: int, scratch: ThreadScratch) -> ThreadScratch:
    """Allocate and return the scratch of `threads` threads, which share the configuration and the blank state."""
    own = [per_thread_arrays(allocate, threads, part) for part in (scratch.masked, scratch.table, scratch.ranks)]
    return ThreadScratch(scratch.config, scratch.blank, *own)


# --- compiling without a device -------------------------------------------------------------------


def ptx(game: LoadedGame, name: str, capability: tuple[int, int] = CAPABILITY) -> str:
    """Return the PTX of a kernel in `KERNELS`. Kernels of batches are compiled for batches with masks and observations.

    Raises:
        MissingExtra: numba-cuda is not installed.
        SetupError: the game is in the plain build, or there is no such kernel.
    """
    cuda = require_cuda()
    check_build(game)
    check_one_of("kernel", name, KERNELS)
    function = kernel_function(cuda_backend(game), name)
    with fake_device(capability), tables_in_memory():
        text, _ = cuda.compile(
            function, argument_types(game, name), cc=capability, device=False, abi="numba", output="ptx"
        )
    return text.decode() if isinstance(text, bytes) else str(text)


def cached_ptx(game: LoadedGame, name: str) -> str:
    """Return the PTX of a kernel from the cache folder of machine code, or compile and store the PTX.

    Compiling takes a minute. A change of the code, its tables, this module or a compiler outdates the stored PTX. Raise
    the errors of `ptx`.
    """
    path = ptx_path(game, name)
    if path and path.is_file():
        return path.read_text("utf-8")
    text = ptx(game, name)
    if path:
        with suppress(SetupError):  # no room on the disk
            write(path, text)
    return text


def ptx_path(game: LoadedGame, name: str) -> Path | None:
    """Return the cache file for a kernel of this game's current code; None if the kernel cannot be cached."""
    from ..engine.code_hash import digest, reaches_foreign_jit
    from ..engine.numba import cache_folder
    from .kernels import cuda

    backend, module = cuda_backend(game), cuda.__name__
    backend.specialize(cuda)
    if reaches_foreign_jit(backend, module, backend.source_namespace):
        return None
    code, types = digest(backend, module, backend.source_namespace), str(argument_types(game, name))
    state = [code, types, getsource(sys.modules[__name__]), *map(installed, COMPILERS)]
    folder = cache_folder(game.name, " ".join(state))
    return folder / f"{name}.ptx" if folder else None


def installed(package: str) -> str:
    with suppress(PackageNotFoundError):
        return f"{package} {version(package)}"
    return package


def argument_types(game: LoadedGame, name: str) -> tuple[Any, ...]:
    import numba

    samples = sample_arguments(game, name)
    return tuple(numba.types.int64 if sample is int else numba.typeof(sample) for sample in samples)


def inexact_instructions(text: str) -> list[str]:
    """Return the PTX instructions that can round differently from a CPU.

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
    """Return an argument for each parameter of a kernel: an array or a tuple of its type, or `int` for an integer."""
    numbers, states = np.zeros(1, np.int64), np.zeros((1, 1), game.rules.STATE)
    lists, rng = np.zeros((1, game.rules.ACTIONS), np.int32), np.zeros((1, 4), np.int64)
    if name == "legal":
        return states, lists
    if name == "random_play":
        return states, lists, states[0], int, int, rng, numbers
    seats = game.meta.seats[1]
    config = np.zeros(1, CONFIG)
    config["seats"] = seats
    arrays = allocate_batch(game, 1, seats, "masks", observe=True, final_observations=False)
    scratch = per_thread_scratch(np.zeros, 1, allocate_scratch(game, config, game.empty_state({})))
    work = per_thread_policy_scratch(np.zeros, 1, allocate_policy_scratch(game))
    opponents = InlineOpponents(numbers, numbers, numbers, work)
    return int, numbers, arrays, scratch, *((opponents,) if name == "step_against" else ())


@contextmanager
def tables_in_memory() -> Iterator[None]:
    """Make kernels that compile in this block store tables in global device memory.

    By default, numba-cuda stores tables in constant memory, with a copy for each function that reads a table. Constant
    memory has 64 KiB, and threads that read different entries of a table wait for each other.
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
    """Let numba-cuda compile device functions for this compute capability in this block, even without a GPU."""
    from numba.cuda import dispatcher

    before = dispatcher.get_current_device
    dispatcher.get_current_device = lambda: SimpleNamespace(compute_capability=capability)
    try:
        yield
    finally:
        dispatcher.get_current_device = before
