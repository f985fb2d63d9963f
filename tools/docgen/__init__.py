"""Generate the pages and pictures in docs/ that come from the program: `make reference`."""

import sys
from pathlib import Path
from tempfile import TemporaryDirectory

from tools.docgen import api, commands, games, notebooks, pictures

DOCS = Path(__file__).parents[2] / "docs"


def generate() -> dict[str, str]:
    """Return every generated file of docs/ with its content."""
    with TemporaryDirectory() as folder:
        picture_files = pictures.generate(Path(folder))
    pages = {"commands.md": commands.render_page(), **api.pages(), **games.pages(), **notebooks.pages()}
    return {**pages, **picture_files}


def stale_files(docs: Path = DOCS) -> dict[str, str]:
    """Return the files that are missing or out of date, with their correct content."""
    return {
        name: text
        for name, text in generate().items()
        if not (docs / name).is_file() or (docs / name).read_text("utf-8") != text
    }


def update(docs: Path = DOCS) -> None:
    """Write the files that are out of date."""
    for name, text in stale_files(docs).items():
        (docs / name).parent.mkdir(parents=True, exist_ok=True)
        (docs / name).write_text(text, "utf-8")
        print(f"docs/{name} is written.", file=sys.stderr)


def check() -> None:
    """Exit with a sentence if any file is out of date."""
    names = ", ".join(f"docs/{name}" for name in stale_files())
    if names:
        sys.exit(f"Out of date: {names}. Run `make reference`.")
