"""Files: written whole or not at all, and read as editors on any system save them."""

import codecs
import os
from collections.abc import Iterator
from contextlib import contextmanager
from importlib.resources import files
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from .errors import SetupError


@contextmanager
def whole(path: Path) -> Iterator[Path]:
    """A path to write to, which takes the place of `path` if all goes well and is gone if not.

    SetupError if the folder is not there or may not be written to.
    """
    try:
        handle, name = mkstemp(dir=path.parent, prefix=f".{path.name}.")
        os.close(handle)
    except OSError as error:
        raise SetupError(f"{path} cannot be written: {error.strerror}.") from None
    draft = Path(name)
    try:
        yield draft
        draft.chmod(0o666 & ~_umask())
        draft.replace(path)
    except IsADirectoryError:
        raise SetupError(f"{path} cannot be written: it is a folder.") from None
    finally:
        draft.unlink(missing_ok=True)


def read_text(path: Path) -> str:
    """Return the text of a file in UTF-8, or in UTF-16 if a byte-order mark says so; UnicodeDecodeError for another."""
    data = path.read_bytes()
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if marked else "utf-8-sig")


def check_folder(path: Path) -> None:
    """SetupError if `path` could not be written for want of a folder or because it is one: said before the work."""
    if path.is_dir():
        raise SetupError(f"{path} cannot be written: it is a folder.")
    if not path.absolute().parent.is_dir():
        raise SetupError(f"There is no folder {str(path.parent)!r} to write {path.name} to.")


def write(path: Path, text: str) -> None:
    """Write a text file, whole or not at all."""
    with whole(path) as draft:
        draft.write_text(text, "utf-8")


def _umask() -> int:
    """The permissions that new files do not get; the system only tells it when it is set."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def package_file(package: str, name: str) -> Any:
    """Return a file of a package's folder; `view.css`, which belongs to the module `view`, may lie in its folder."""
    folder = files(package)
    inside = folder.joinpath(name.partition(".")[0], name)
    return inside if inside.is_file() else folder.joinpath(name)
