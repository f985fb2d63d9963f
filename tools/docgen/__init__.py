"""Writes those pages and pictures in docs/ that are taken from the program itself: `make reference`."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.docgen import api, architecture as house, commands, games, notebooks, pictures

DOCS = Path(__file__).parents[2] / "docs"


def made() -> dict[str, str]:
    """Every file in docs/ that is made here, with what it should hold."""
    with TemporaryDirectory() as folder:
        drawn = pictures.made(Path(folder))
    pages = {"commands.md": commands.page(), **api.pages(), **games.pages(), **notebooks.pages()}
    return {**pages, "house.svg": house.drawing(), **drawn}


def stale(docs: Path = DOCS) -> dict[str, str]:
    """The files that are missing or hold something else, with what they should hold."""
    return {
        name: text
        for name, text in made().items()
        if not (docs / name).is_file() or (docs / name).read_text("utf-8") != text
    }


def update(docs: Path = DOCS) -> None:
    """Write anew what is out of date."""
    for name, text in stale(docs).items():
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text(text, "utf-8")
        print(f"docs/{name} is written.", file=sys.stderr)


def check() -> None:
    """Leave with a sentence if anything is out of date."""
    names = ", ".join(f"docs/{name}" for name in stale())
    if names:
        sys.exit(f"Out of date: {names}. Run `make reference`.")
