"""Write a small complete game as a start for your own.

The game is a plug-in package in its own folder, with hidden cards, random draws, pictures and tests, and passes
'almunia check' as written. With --bare, the game has no pictures, and is shown as text: enough for research.
"""

import argparse
import keyword
import sys
from collections.abc import Iterable
from importlib.util import find_spec
from pathlib import Path
from shutil import rmtree
from tempfile import mkdtemp

from ...catalog import all_packages
from ...errors import SetupError
from ...files import check_folder
from .. import Exit

EXAMPLES = (
    "almunia new lantern",
    "almunia new lantern --bare",
    "almunia new lantern --title 'The Lantern' --folder games/lantern",
)
TEMPLATE = Path(__file__).parents[1] / "template"
PICTURES = ("view.py", "view.css")  # files that a bare game lacks
NAME, TITLE, DESIGNER = "highcard", "High Card", "Anonymous"  # the words of the template that are replaced


def add_arguments(parser: argparse.ArgumentParser) -> None:
    parser.add_argument("name", help="the name of the game and its package, one lower-case word")
    parser.add_argument("--title", help="the game's title (default: the name, capitalised)")
    parser.add_argument("--designer", default=DESIGNER, metavar="NAME", help="the game's designer (default: Anonymous)")
    parser.add_argument("--folder", type=Path, metavar="FOLDER", help="where to write (default: ./NAME)")
    parser.add_argument("--bare", action="store_true", help="write no pictures: the game is shown as text")


def run(args: argparse.Namespace) -> int:
    folder = args.folder or Path(args.name)
    if folder.exists():
        raise SetupError(f"{folder} exists already; remove it, or choose another with --folder.")
    check_name(args.name)
    words = {NAME: args.name, TITLE: args.title or args.name.capitalize(), DESIGNER: args.designer or DESIGNER}
    for word in words.values():
        if not word.isprintable() or set(word) & set('"\\'):
            raise SetupError(
                f"{word!r} cannot be a title or a name: it must be one line without quotation marks or backslashes."
            )
    write_package(folder, template_files(args.bare), words)
    print(f"{folder} is ready. Try: almunia check {folder}")
    return Exit.OK


def check_name(name: str) -> None:
    if not (name.isascii() and name.isidentifier() and name.islower()) or keyword.iskeyword(name):
        raise SetupError(f"{name!r} cannot be a game's name: it must be one lower-case word, such as lantern.")
    if name in all_packages():
        raise SetupError(f"There is already a game called {name!r}; choose another name.")
    if name in sys.stdlib_module_names or find_spec(name):
        raise SetupError(f"{name!r} is the name of an installed package; choose another name.")


def write_package(folder: Path, files: Iterable[Path], words: dict[str, str]) -> None:
    """Copy files of the template to a new folder, with each key of `words` replaced by its value."""
    check_folder(folder)
    draft = Path(mkdtemp(dir=folder.absolute().parent, prefix=f".{folder.name}."))
    try:
        for file in files:
            target = draft / replace_words(str(file.relative_to(TEMPLATE)), words)
            target.parent.mkdir(parents=True, exist_ok=True)
            target.write_text(replace_words(file.read_text("utf-8"), words), "utf-8")
        draft.chmod(0o755)
        draft.rename(folder)
    except BaseException:
        rmtree(draft, ignore_errors=True)
        raise


def replace_words(text: str, words: dict[str, str]) -> str:
    for old, new in words.items():
        text = text.replace(old, new)
    return text


def template_files(bare: bool = False) -> list[Path]:
    files = [path for path in TEMPLATE.rglob("*") if path.is_file() and "__pycache__" not in path.parts]
    return [path for path in files if not (bare and path.name in PICTURES)]
