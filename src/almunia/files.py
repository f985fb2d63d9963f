"""Atomic writes of files, and reading of text files in UTF-8 or UTF-16."""

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
def atomic_write(path: Path) -> Iterator[Path]:
    """Yield a temporary path. At the end, move the file from there to `path`, or delete the file after an error.

    Raise SetupError if `path` is a folder, or if its folder does not exist or cannot be written to.
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
    """Return the text of a file in UTF-8, or in UTF-16 with a byte-order mark.

    Raise UnicodeDecodeError for other encodings, and OSError if the file cannot be read.
    """
    data = path.read_bytes()
    marked = data.startswith((codecs.BOM_UTF16_LE, codecs.BOM_UTF16_BE))
    return data.decode("utf-16" if marked else "utf-8-sig")


def check_folder(path: Path) -> None:
    """Raise SetupError if `path` is a folder, or its parent folder does not exist."""
    if path.is_dir():
        raise SetupError(f"{path} cannot be written: it is a folder.")
    if not path.absolute().parent.is_dir():
        raise SetupError(f"There is no folder {str(path.parent)!r} to write {path.name} to.")


def write(path: Path, text: str) -> None:
    """Write a text file in UTF-8. Raise the errors of `atomic_write`."""
    with atomic_write(path) as draft:
        draft.write_text(text, "utf-8")


def _umask() -> int:
    """Return the umask of this process, which can only be read by setting it."""
    mask = os.umask(0)
    os.umask(mask)
    return mask


def package_file(package: str, name: str) -> Any:
    """Return the path of a file in a package's folder; the file need not exist.

    A file such as `view.css` may be in the folder of the module `view`.
    """
    folder = files(package)
    inside = folder.joinpath(name.partition(".")[0], name)
    return inside if inside.is_file() else folder.joinpath(name)
