"""PTX that was compiled before, kept on the disk beside the machine code, for it takes longer to make than that."""

from contextlib import suppress
from importlib.metadata import PackageNotFoundError, version
from pathlib import Path
from tempfile import NamedTemporaryFile

from ..core.loaded import LoadedGame
from ..engine.code_hash import description, digest, sealed
from ..engine.numba import cache_folder
from . import cuda as gpu

COMPILERS = ("numba-cuda", "llvmlite", "nvidia-nvvm")  # packages
WAYS = (gpu.ptx, gpu.kinds, gpu.text_of, gpu.on_device, gpu.tables_in_memory, gpu.pretending)


def kept_ptx(game: LoadedGame, name: str) -> str:
    """What `gpu.ptx` gives, and fails by; compiled if the code, its tables or the compiler are not what they were."""
    place = place_of(game, name)
    if place and place.is_file():
        return place.read_text("utf-8")
    text = gpu.ptx(game, name)
    if place:
        with suppress(OSError):  # it is compiled anew the next time
            keep(place, text)
    return text


def place_of(game: LoadedGame, name: str) -> Path | None:
    """The file for a kernel of this game's code in its present state; None if it cannot be kept."""
    from .kernels import cuda

    family, module = gpu.family(game), cuda.__name__
    family.of(cuda)
    if sealed(family, module, family.origin):
        return None
    state = [digest(family, module, family.origin), str(gpu.kinds(game, name)), str(gpu.CAPABILITY)]
    state += [*map(made_by, COMPILERS), *(description(way).hex() for way in WAYS)]
    folder = cache_folder(game.name, " ".join(state))
    return folder / f"{name}.ptx" if folder else None


def made_by(package: str) -> str:
    """A package with its version, or without one where it is not installed."""
    with suppress(PackageNotFoundError):
        return f"{package} {version(package)}"
    return package


def keep(place: Path, text: str) -> None:
    """Write all of it or nothing."""
    with NamedTemporaryFile("w", encoding="utf-8", dir=place.parent, delete=False) as file:
        file.write(text)
    Path(file.name).replace(place)
