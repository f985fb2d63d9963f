"""Write a small complete game to start your own from.

It is a plug-in package in a folder of its own, with hidden cards, random draws, pictures and tests, and it
passes 'almunia check' as written.
"""

import argparse
import keyword
import sys
from collections.abc import Iterator
from importlib.resources import files
from importlib.resources.abc import Traversable
from importlib.util import find_spec
from pathlib import Path, PurePosixPath
from shutil import rmtree
from tempfile import mkdtemp

from ...core.registry import packages
from ...errors import SetupError
from ...files import check_folder
from .. import Exit
from .bench import SEARCH, SITE

EXAMPLES = ("almunia new lantern", "almunia new lantern --title 'The Lantern' --folder games/lantern")
NAME, TITLE, DESIGNER = "highcard", "High Card", "Anonymous"  # what the template is called


def arguments(parser: argparse.ArgumentParser) -> None:
    """The game's names, and where it goes."""
    parser.add_argument("name", help="one lower-case word: the game's name and its package's")
    parser.add_argument("--title", help="the game's title (default: the name, capitalised)")
    parser.add_argument("--designer", default=DESIGNER, metavar="NAME", help="whose game it is (default: Anonymous)")
    parser.add_argument("--folder", type=Path, metavar="FOLDER", help="where to write (default: ./NAME)")


def run(args: argparse.Namespace) -> int:
    """Write the package, whole or not at all."""
    folder = args.folder or Path(args.name)
    if folder.exists():
        raise SetupError(f"{folder} is there already; remove it, or name another with --folder.")
    check_name(args.name)
    words = {NAME: args.name, TITLE: args.title or args.name.capitalize(), DESIGNER: args.designer or DESIGNER}
    for word in words.values():
        if not word.isprintable() or set(word) & set('"\\'):
            raise SetupError(
                f"{word!r} cannot be a title or a name: it takes one line without quotation marks or backslashes."
            )
    write_package(folder, words)
    print(f"{folder} is ready. Try: almunia check {folder}")
    return Exit.OK


def check_name(name: str) -> None:
    """SetupError if no game can be called so."""
    if not (name.isascii() and name.isidentifier() and name.islower()) or keyword.iskeyword(name):
        raise SetupError(f"{name!r} cannot be a game's name: it should be one lower-case word, such as lantern.")
    if name in (SEARCH, SITE):
        raise SetupError(f"{name!r} cannot be a game's name: 'almunia bench {name}' measures something else.")
    if name in packages():
        raise SetupError(f"There is a game called {name!r} already; choose another name.")
    if name in sys.stdlib_module_names or find_spec(name):
        raise SetupError(f"{name!r} is the name of a package that is installed here; choose another.")


def write_package(folder: Path, words: dict[str, str]) -> None:
    """Copy the template, with `words` in place of its own."""
    check_folder(folder)
    draft = Path(mkdtemp(dir=folder.absolute().parent, prefix=f".{folder.name}."))
    try:
        for place, file in template_files():
            target = draft / replaced(place, words)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(replaced(file.read_text("utf-8"), words), "utf-8")
        draft.chmod(0o755)
        draft.rename(folder)
    except BaseException:
        rmtree(draft, ignore_errors=True)
        raise


def replaced(text: str, words: dict[str, str]) -> str:
    """The text with the template's words replaced."""
    for old, new in words.items():
        text = text.replace(old, new)
    return text


def template_files() -> Iterator[tuple[str, Traversable]]:
    """Every file of the template, with its place in it."""
    folders = [(PurePosixPath(), files("almunia.cli").joinpath("template"))]
    while folders:
        place, folder = folders.pop()
        for entry in sorted(folder.iterdir(), key=lambda entry: entry.name):
            if entry.is_dir() and entry.name != "__pycache__":
                folders.append((place / entry.name, entry))
            elif entry.is_file():
                yield str(place / entry.name), entry
