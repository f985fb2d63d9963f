"""Writes what the documentation takes from the command line itself: its reference, and an example of a game.

With --check nothing is written, and the exit code is 1 if a file is out of date.
"""

import argparse
import sys
from contextlib import redirect_stdout
from io import StringIO
from pathlib import Path
from tempfile import TemporaryDirectory

from almunia.cli import all_verbs, build_parser, main

DOCS = Path(__file__).parents[1] / "docs"
HEAD = """\
# The command line

This page is made from the command itself by `make reference`; a test checks that it is up to date.
Every verb says the same with `--help`.

The exit code is 0 if all went well, 1 if what was asked for ran and the answer is no (a game failed
its check, say), 2 if it could not be done as it was asked, and 130 after an interruption. What went
wrong is said in a sentence on the error stream.
"""


def reference() -> str:
    """The whole page."""
    parser = build_parser()
    sections = [HEAD, "## almunia\n", f"{parser.description}\n", table(parser)]
    for name, verb in all_verbs().items():
        (actions,) = (action for action in parser._actions if isinstance(action, argparse._SubParsersAction))  # noqa: SLF001
        examples = "\n".join(verb.EXAMPLES)
        words = (verb.__doc__ or "").strip()
        sections += [f"## almunia {name}\n", f"{words}\n", f"```sh\n{examples}\n```\n", table(actions.choices[name])]
    return "\n".join(section for section in sections if section)


def table(parser: argparse.ArgumentParser) -> str:
    """The arguments of one parser as a table."""
    rows = [row(action) for action in parser._actions if action.help and not is_common(action)]  # noqa: SLF001
    return "\n".join(["| argument | what it does |", "| --- | --- |", *rows]) + "\n" if rows else ""


def is_common(action: argparse.Action) -> bool:
    """Is it an argument that every verb has, or the list of verbs?"""
    return isinstance(action, argparse._HelpAction | argparse._SubParsersAction)  # noqa: SLF001


def row(action: argparse.Action) -> str:
    """One argument."""
    value = ""
    if action.nargs != 0:
        value = "{" + ",".join(map(str, action.choices)) + "}" if action.choices else str(action.metavar or action.dest)
        value = value if action.metavar or action.choices or not action.option_strings else value.upper()
    names = ", ".join(action.option_strings)
    words = " ".join(part for part in (names, value) if part).replace("|", "\\|")
    return f"| `{words}` | {(action.help or '').replace('|', chr(92) + '|')} |"


def example(folder: Path) -> tuple[str, str]:
    """The record of a whole game of Orchard, and a picture of its seventh position, made in a folder."""
    record, picture = folder / "orchard.txt", folder / "orchard.svg"
    run("play", "orchard", "--build", "plain", "--seed", "90", "--bot", "1=greedy", "--save", str(record))
    run("show", str(record), "--ply", "7", "--out", str(picture))
    return record.read_text("utf-8"), picture.read_text("utf-8")


def run(*words: str) -> None:
    """Run one command without its output."""
    with redirect_stdout(StringIO()):
        code = main(words)
    if code:
        sys.exit(code)


def made() -> dict[str, str]:
    """Every file in docs/ that is made here, with what it should hold."""
    with TemporaryDirectory() as folder:
        record, picture = example(Path(folder))
    return {"commands.md": reference(), "orchard.txt": record, "orchard.svg": picture}


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
        (docs / name).write_text(text, "utf-8")
        print(f"docs/{name} is written.", file=sys.stderr)


def check() -> None:
    """Leave with a sentence if anything is out of date."""
    names = ", ".join(f"docs/{name}" for name in stale())
    if names:
        sys.exit(f"Out of date: {names}. Run `make reference`.")


if __name__ == "__main__":
    options = argparse.ArgumentParser(description=__doc__)
    options.add_argument("--check", action="store_true", help="write nothing; fail if a file is out of date")
    (check if options.parse_args().check else update)()
