"""The same rules on a graphics processor: the kernels in `kernels/cuda.py`, one play a thread.

Needs numba-cuda (the extra [gpu]). `ptx` compiles without a device; `random_plays` and `game.batch(device="cuda")` run
on one. With NUMBA_ENABLE_CUDASIM=1 numba's simulator stands in for it, a thread of Python for each of the device. Its
records give numbers of few bits, which overflow, so there the loops are the plain build's, over checked arrays: what it
shows is what kernels compute, thread by thread, and not how they compile.
"""

import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from functools import cache, partial
from importlib.util import find_spec
from threading import RLock
from types import FunctionType
from typing import Any

import numpy as np

from ..core.kernels.batch_step import Rivals, Work
from ..core.loaded import LoadedGame
from ..core.workspaces import blank_workspace
from ..engine.checked import CheckedArray, plain
from ..engine.specialize import ModuleSpecializer
from ..errors import MissingExtra, SetupError
from ..validation import checked_number, checked_seed
from .buffers import TERMS, blank_games, blank_work

CAPABILITY = (9, 0)  # what `ptx` compiles for: Hopper
THREADS = 128  # a block
NO_DEVICE = (
    "There is no graphics processor here that numba-cuda can use: that takes one of NVIDIA's, and its driver. Leave "
    "out device='cuda' to use the processor, or set NUMBA_ENABLE_CUDASIM=1 to simulate a device, slowly."
)
LISTS = 1 << 30  # bytes of the device for lists of legal actions
PLAYS = ("setup", "legal", "apply", "random_play")  # kernels of plays
BATCHES = ("step", "step_against")  # and of batches
COMPILING = RLock()  # held where numba-cuda may compile something of ours
FRACTIONS = {"f64": 52, "f32": 23}  # the bits of a mantissa by the type of a fraction in PTX


def available() -> bool:
    """Is numba-cuda installed?"""
    return find_spec("numba_cuda") is not None


def needed() -> Any:
    """The module numba.cuda; MissingExtra if it is not there."""
    if not available():
        raise MissingExtra.named("Graphics processors need", "numba-cuda", "gpu")
    from numba import cuda

    return cuda


def simulated() -> bool:
    """Does numba's simulator stand in for a device?"""
    import numba

    return bool(numba.config.ENABLE_CUDASIM)


def device(game: LoadedGame) -> Any:
    """The module numba.cuda, if this game can run on a device.

    MissingExtra if numba-cuda is not installed, or there is no device; SetupError for the plain build.
    """
    cuda = needed()
    check_build(game)
    if not cuda.is_available():
        raise MissingExtra(NO_DEVICE)
    return cuda


def check_build(game: LoadedGame) -> None:
    """SetupError for the plain build."""
    if game.build != "compiled":
        raise SetupError(f"The {game.build} build of {game.meta.title} does not compile; use the compiled one.")


# --- plays ----------------------------------------------------------------------------------------


def random_plays(
    game: LoadedGame, games: int, seats: int | None = None, seed: int = 0, **options: Any
) -> dict[str, Any]:
    """Play evenly chosen actions on the device, one play per thread.

    Play number i has the seed `seed + i` and gives the same state as `game.loops.random_play`
    with that seed, and its random numbers, on a processor.

    Returns:
        `states` (games,) of the game's dtype, and `decisions` (games,).

    Raises:
        MissingExtra: numba-cuda is not installed, or there is no device.
        SetupError: a number of games, seats, a seed or options the game does not take.
    """
    needed()
    games, seats, seed = checked_number("games", games, 1), game.checked_seats(seats), checked_seed(seed)
    blank = game.blank(options)
    done = []
    chunk = max(1, LISTS // (4 * game.rules.ACTIONS))
    for start in range(0, games, chunk):
        states, decisions = played(game, min(chunk, games - start), seats, seed + start, blank)
        done.append((states.copy_to_host()[:, 0], decisions.copy_to_host()))
    return {"states": np.concatenate([d[0] for d in done]), "decisions": np.concatenate([d[1] for d in done])}


def played(game: LoadedGame, games: int, seats: int, seed: int, blank: Any) -> tuple[Any, Any]:
    """The states (games, 1) and decisions (games,) of random plays, on the device."""
    cuda = device(game)
    states, decisions = cuda.device_array((games, 1), game.rules.STATE), cuda.device_array(games, np.int64)
    lists, rng = cuda.device_array((games, game.rules.ACTIONS), np.int32), cuda.device_array((games, 4), np.int64)
    launch(game, "random_play", games, states, lists, cuda.to_device(blank), seats, seed, rng, decisions)
    return states, decisions


# --- kernels --------------------------------------------------------------------------------------


def launch(game: LoadedGame, name: str, threads: int, *given: Any) -> None:
    """Run a kernel of `kernels/cuda.py` in so many threads, on arrays of the device and tuples of them."""
    blocks = -(-threads // THREADS)
    if simulated():
        kernel(game, name)[blocks, THREADS](*map(checked, given))
        return
    with tables_in_memory():  # the first launch compiles
        kernel(game, name)[blocks, THREADS](*given)


def checked(given: Any) -> Any:
    """Arrays of the simulator, and tuples of them, as the plain build wants them."""
    if isinstance(given, tuple):
        return type(given)(*map(checked, given))
    return (
        given if isinstance(given, int) else CheckedArray(given.__array__())
    )  # np.asarray makes one that is read-only


@cache
def kernel(game: LoadedGame, name: str) -> Any:
    """A kernel of this game, to be launched; numba-cuda compiles it when that happens first.

    Not optimised while it is linked: what runs is then the PTX that `ptx` gives and `contracted` looks at.
    """
    options = {} if simulated() else {"lto": False}
    return needed().jit(**options)(text_of(game, name))


def text_of(game: LoadedGame, name: str) -> FunctionType:
    """The function of a kernel, among the twins of what it calls."""
    function = getattr(twins(game), name)
    return getattr(function, "py_func", function)


def twins(game: LoadedGame) -> Any:
    """The twin of `kernels/cuda.py`, running this game on a device."""
    from .kernels import cuda

    return family(game).of(cuda)


@cache
def family(game: LoadedGame) -> Any:
    """The family of twins in which this game runs on a device."""
    return game.family(partial(plain, compiles=True) if simulated() else on_device)


def on_device(roots: tuple[str, ...]) -> ModuleSpecializer:
    """A family of twins that numba-cuda compiles for a device."""
    from numba import cuda

    from ..engine.numba import called_alike, plain_numbers

    return ModuleSpecializer(
        function=lambda plain: called_alike(cuda.jit(device=True)(plain)), value=plain_numbers, roots=roots
    )


def per_thread(make: Callable[..., Any], threads: int, work: Any) -> Any:
    """Arrays made like these, and tuples of them, with an axis for the threads before the others."""
    if isinstance(work, tuple):
        return type(work)(*(per_thread(make, threads, part) for part in work))
    return make((threads, *work.shape), work.dtype)


def work_for(make: Callable[..., Any], threads: int, work: Work) -> Work:
    """What each thread writes on, beside terms and a blank state that all of them read."""
    apart = [per_thread(make, threads, part) for part in (work.seen, work.table, work.ranks)]
    return Work(work.terms, work.blank, *apart)


# --- compiling without a device -------------------------------------------------------------------


def ptx(game: LoadedGame, name: str, capability: tuple[int, int] = CAPABILITY) -> str:
    """The PTX text of one kernel: one of `PLAYS`, or of `BATCHES` as they are compiled for masks and observations."""
    cuda = needed()
    check_build(game)
    if simulated():
        raise SetupError("numba's simulator compiles nothing: unset NUMBA_ENABLE_CUDASIM.")
    if name not in (*PLAYS, *BATCHES):
        raise SetupError(f"There is no kernel {name!r}. There are: {', '.join((*PLAYS, *BATCHES))}.")
    with pretending(capability), tables_in_memory():
        text, _ = cuda.compile(
            text_of(game, name), kinds(game, name), cc=capability, device=False, abi="numba", output="ptx"
        )
    return text.decode() if isinstance(text, bytes) else str(text)


def kinds(game: LoadedGame, name: str) -> tuple[Any, ...]:
    """The types of what a kernel takes, as Numba has them."""
    import numba

    return tuple(numba.types.int64 if thing is int else numba.typeof(thing) for thing in arguments(game, name))


def contracted(text: str) -> list[str]:
    """The instructions of PTX by which fractions come out otherwise than on a processor.

    A device multiplies and adds with one rounding where it can (`fma`), a processor with two. That is the same only
    if the factor is a power of two: then the product is not rounded at all.
    """
    found, products = [], set()
    for line in map(str.strip, text.splitlines()):
        operation, _, rest = line.rstrip(";").partition(" ")
        kind, width = operation.partition(".")[0], operation.rpartition(".")[2]
        if width not in FRACTIONS or kind not in ("mul", "fma", "add", "sub"):
            continue
        result, *operands = rest.replace(",", " ").split()
        if kind in ("mul", "fma") and not any(map(is_power_of_two, operands[:2])):
            products.add(result)
        if (kind == "fma" and result in products) or (kind in ("add", "sub") and products.intersection(operands)):
            found.append(line)
    return found


def is_power_of_two(operand: str) -> bool:
    """Is this a constant of PTX such as 0d3FE0000000000000, which is 0.5?"""
    bits = FRACTIONS["f64" if operand[:2] == "0d" else "f32"]
    return operand[:2] in ("0d", "0f") and int.from_bytes(bytes.fromhex(operand[2:])) % (1 << bits) == 0


def arguments(game: LoadedGame, name: str) -> tuple[Any, ...]:
    """Arrays of the types that a kernel takes, and `int` for a whole number."""
    numbers, states = np.zeros(1, np.int64), np.zeros((1, 1), game.rules.STATE)
    lists, rng = np.zeros((1, game.rules.ACTIONS), np.int32), np.zeros((1, 4), np.int64)
    if name in PLAYS:
        beyond = {"setup": (int, int), "apply": (numbers,), "random_play": (states[0], int, int, rng, numbers)}
        return states, lists, *beyond.get(name, ())
    seats = game.meta.seats[1]
    terms = np.zeros(1, TERMS)
    terms["seats"] = seats
    games = blank_games(game, 1, seats, "masks", observe=True, finals=False)
    work = work_for(np.zeros, 1, blank_work(game, terms, game.blank({})))
    rivals = Rivals(numbers, numbers, per_thread(np.zeros, 1, blank_workspace(game)))
    return int, numbers, games, blank_shown(1), work, *((rivals,) if name == "step_against" else ())


def blank_shown(n: int) -> Any:
    """Arrays for what a batch shows of its slots."""
    from .kernels.cuda import Shown

    return Shown(np.zeros(n, np.int8), np.zeros(n, np.int64), np.zeros(n, np.int64))


@contextmanager
def tables_in_memory() -> Iterator[None]:
    """While something is compiled for a device, let its tables go into the device's memory.

    numba-cuda puts them into constant memory, a copy for each function that reads one; there is room for 64 KiB, and
    threads that read different places there wait for each other.
    """
    from numba.cuda.cudadrv import nvvm

    with COMPILING:
        before, nvvm.ADDRSPACE_CONSTANT = nvvm.ADDRSPACE_CONSTANT, nvvm.ADDRSPACE_GLOBAL
        try:
            yield
        finally:
            nvvm.ADDRSPACE_CONSTANT = before


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
