"""The order of the tests, their options, and the samples in the documents.

Of the samples Python runs as it stands, and `console` blocks run as a person would type them.
"""

import argparse
import gc
import os
import shlex
import subprocess
import sys
import tempfile
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path
from random import SystemRandom
from typing import Any

import pytest
from hypothesis import settings
from sybil import Example, Sybil
from sybil.document import PythonDocStringDocument
from sybil.parsers.markdown import CodeBlockParser, PythonCodeBlockParser
from sybil.parsers.rest import DocTestParser
from sybil.sybil import SybilCollection

HOME = Path(__file__).parent
LENIENT = ELLIPSIS | NORMALIZE_WHITESPACE
MEMORY = Path("/dev/shm")  # noqa: S108 - each test has a folder in it; there no database waits for a disk
ROOM = 4 << 30  # bytes; tests need far less
SHORTEST = "orchard"  # the game that is over first
DATABASES = ("sqlite", "postgres")
ENGINES = ("chromium", "firefox", "webkit")
PAGES = ["README.md", "ARCHITECTURE.md", "CONTRIBUTING.md", "docs/*.md", "docs/dev/*.md"]
OTHER_EXTRAS = ("traces.md",)  # pages whose samples need what only the extra [dev] installs
TUTORIAL = "docs/tutorial.md"  # its samples need the game that it writes: tests/test_tutorial.py runs them


def pytest_addoption(parser: pytest.Parser) -> None:
    """Options of the attack on the site."""
    group = parser.getgroup("attack", "the attack on the site (tests/attack)")
    group.addoption("--attack-minutes", type=float, default=0.0, metavar="N", help="how long it lasts in all")
    group.addoption("--attack-seed", type=int, metavar="N", help="what its first round does (drawn, if it has minutes)")
    group.addoption("--attack-kills", type=int, default=0, metavar="N", help="under load (default: some, on SQLite)")
    group.addoption("--attack-tables", type=int, default=6, metavar="N", help="of that load (default: %(default)s)")
    group = parser.getgroup("together", "all ways to play at one table (tests/browser/test_together.py)")
    group.addoption("--together", default=SHORTEST, metavar="GAMES", help="titles, or all (default: %(default)s)")
    group = parser.getgroup("browser", "the browser of the tests in tests/browser")
    group.addoption("--engine", choices=ENGINES, default=ENGINES[0], help="(default: %(default)s)")
    group = parser.getgroup("database", "the database of the site")
    group.addoption("--database", choices=DATABASES, help="run the tests of the site with this one alone")
    group.addoption("--need-postgres", action="store_true", help="fail where there is no PostgreSQL, and do not skip")
    group = parser.getgroup("tiers", "how much is tested")
    group.addoption("--no-compiler", action="store_true", help="fail each test that would compile a game")
    group.addoption("--thorough", action="store_true", help="look at more positions of each game")


def pytest_configure(config: pytest.Config) -> None:
    """Choose the seed of the attack and the folder for temporary files, before workers start and inherit both."""
    if config.option.attack_seed is None:
        config.option.attack_seed = SystemRandom().randrange(10**6) if config.option.attack_minutes else 1
    settings.register_profile("repeatable", derandomize=True, deadline=None, print_blob=True)
    settings.register_profile("random", deadline=None, print_blob=True)
    settings.load_profile("repeatable" if "CI" in os.environ else "random")
    if config.option.no_compiler:
        forbid_compiling()
    os.environ.setdefault("OPENBLAS_NUM_THREADS", "1")  # more would wait for each other, in several processes
    if "TMPDIR" not in os.environ and serves(MEMORY):
        os.environ["TMPDIR"] = str(MEMORY)
        tempfile.tempdir = None  # Python looks again


def pytest_collection() -> None:
    """Switch garbage collection off: collecting makes thousands of objects, and drops none."""
    gc.disable()


def pytest_collection_finish() -> None:
    """Keep what was collected out of later garbage collections, as it stays until the end."""
    gc.collect()
    gc.freeze()
    gc.enable()


def serves(folder: Path) -> bool:
    """Whether the folder has enough room and allows running programs."""
    try:
        found = os.statvfs(folder)
    except (AttributeError, OSError):
        return False
    return found.f_bavail * found.f_frsize > ROOM and not found.f_flag & os.ST_NOEXEC


def pytest_report_header(config: pytest.Config) -> str:
    """Show the seed of the attack, which repeats it."""
    return f"attack: --attack-seed {config.option.attack_seed}"


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark the samples of documents."""
    name = item.path.name
    if not name.startswith("test_"):
        item.add_marker(pytest.mark.compiled)
        if name in OTHER_EXTRAS:
            item.add_marker(pytest.mark.exhaustive)


def pytest_collection_modifyitems(items: list[pytest.Item]) -> None:
    """Order the files for several workers.

    The file that compiles every game comes first, and then those that compile nothing: when they are through, the
    others find machine code.
    """
    marks: dict[Path, set[str]] = {}
    for item in items:
        marks.setdefault(item.path, set()).update(mark.name for mark in item.iter_markers())
    items.sort(key=lambda item: ("compiles" not in marks[item.path], "compiled" in marks[item.path]))


def forbid_compiling() -> None:
    """Fail whatever asks for the compiled build of a game."""
    from almunia.core.loaded import LoadedGame, locked_cached_property

    class Forbidden(locked_cached_property):
        def __get__(self, game: Any, owner: type | None = None) -> Any:
            if game is not None and game.build == "compiled":
                pytest.fail(f"This compiles {game.name}, which --no-compiler forbids: mark the test `compiled`.")
            return super().__get__(game, owner)

    forbidden = Forbidden(vars(LoadedGame)["backend"].func)
    forbidden.__set_name__(LoadedGame, "backend")
    LoadedGame.backend = forbidden  # type: ignore[method-assign]


def run_console(example: Example) -> str | None:
    """Run each `$ ...` line in the page's folder and compare the output that follows it."""
    for block in example.parsed.split("$ ")[1:]:
        command, _, expected = block.partition("\n")
        words = shlex.split(command)
        assert words[0] == "almunia", f"{command!r} is no command of ours"
        done = subprocess.run(
            [sys.executable, "-m", "almunia", *words[1:]], capture_output=True, text=True, check=False
        )
        if done.returncode:
            return f"{command}: exit code {done.returncode}\n{done.stdout}{done.stderr}"
        if expected.strip() and not OutputChecker().check_output(
            expected, done.stdout, ELLIPSIS | NORMALIZE_WHITESPACE
        ):
            return f"{command}\nexpected:\n{expected}\ngot:\n{done.stdout}"
    return None


def check_shell(example: Example) -> str | None:
    """Parse the commands of a `sh` block, which wait for people and are not run."""
    from almunia.cli import build_parser

    for line in example.parsed.splitlines():
        words = shlex.split(line, comments=True)
        if words[:1] == ["almunia"] and "--help" not in words:
            try:
                build_parser().parse_args(words[1:])
            except (SystemExit, argparse.ArgumentError):
                return f"{line!r} does not parse"
        elif words[:1] == ["make"]:
            targets = (HOME / "Makefile").read_text("utf-8")
            if f"\n{words[1]}:" not in targets:
                return f"{line!r}: the Makefile has no such target"
    return None


def enter(namespace: dict[str, Any]) -> None:
    """Enter a temporary folder, which the samples of one page write to."""
    namespace["_home"], namespace["_folder"] = Path.cwd(), tempfile.TemporaryDirectory()
    os.chdir(namespace["_folder"].name)


def leave(namespace: dict[str, Any]) -> None:
    """Leave the temporary folder and delete it."""
    os.chdir(namespace["_home"])
    namespace["_folder"].cleanup()


def documents(patterns: list[str], parsers: list[Any], **more: Any) -> Sybil:
    """Return the samples of the files that match."""
    return Sybil(parsers=parsers, path=str(HOME), patterns=patterns, setup=enter, teardown=leave, **more)


PYTHON = PythonCodeBlockParser(doctest_optionflags=LENIENT)
SHELL = CodeBlockParser("sh", check_shell)
pages = documents(PAGES, [PYTHON, CodeBlockParser("console", run_console), SHELL], excludes=[TUTORIAL])
tutorial = documents([TUTORIAL], [SHELL])
docstrings = documents(["src/almunia/__init__.py"], [DocTestParser()], document_types={".py": PythonDocStringDocument})

pytest_collect_file = SybilCollection([pages, tutorial, docstrings]).pytest()
