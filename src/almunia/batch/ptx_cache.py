"""A cache of PTX on disk, in the folders of the machine code. Compiling a game's kernels to PTX takes a minute."""

from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path

from ..core.loaded import LoadedGame
from ..engine.code_hash import describe, digest, reaches_foreign_jit
from ..engine.numba import cache_folder
from ..errors import SetupError
from ..files import write
from . import cuda as gpu

COMPILERS = ("numba-cuda", "llvmlite", "nvidia-nvvm")  # packages
COMPILE_STEPS = (gpu.ptx, gpu.argument_types, gpu.kernel_function, gpu.on_device, gpu.tables_in_memory, gpu.fake_device)


def cached_ptx(game: LoadedGame, name: str) -> str:
    """Return `gpu.ptx(game, name)`, compiled again if the code, its tables or the compiler have changed."""
    path = ptx_path(game, name)
    if path and path.is_file():
        return path.read_text("utf-8")
    text = gpu.ptx(game, name)
    if path:
        with suppress(SetupError):  # no room on the disk
            write(path, text)
    return text


def ptx_path(game: LoadedGame, name: str) -> Path | None:
    """Return the cache file for a kernel of this game's current code; None if it cannot be cached."""
    from .kernels import cuda

    backend, module = gpu.cuda_backend(game), cuda.__name__
    backend.specialize(cuda)
    if reaches_foreign_jit(backend, module, backend.source_namespace):
        return None
    state = [
        digest(backend, module, backend.source_namespace),
        str(gpu.argument_types(game, name)),
        str(gpu.CAPABILITY),
    ]
    state += [*map(installed, COMPILERS), *(describe(step).hex() for step in COMPILE_STEPS)]
    folder = cache_folder(game.name, " ".join(state))
    return folder / f"{name}.ptx" if folder else None


def installed(package: str) -> str:
    """Return the name of a package with its version, or the name alone if it is not installed."""
    with suppress(PackageNotFoundError):
        return f"{package} {version(package)}"
    return package
