"""The tutorial: the game on docs/tutorial.md is built from the page itself, sample by sample, and checked.

A line such as "`src/lostcities/rules.py`:" names the file that the block below it is; with "continued", the block goes
at the end of that file. All other blocks are samples, which find no more than what stands above them.
"""

import os
import re
import shlex
import subprocess
import sys
import tomllib
from collections.abc import Iterator
from doctest import ELLIPSIS, NORMALIZE_WHITESPACE, OutputChecker
from pathlib import Path
from typing import NamedTuple

import pytest

from .test_house import cited, marks_in_rules, texts

HOME = Path(__file__).parents[1]
DOCS = HOME / "docs"
PAGE = DOCS / "tutorial.md"
PACKAGE = "src/lostcities"
PICTURE = "lostcities.svg"
BLOCK = re.compile(r"^(?:`([\w./]+)`(, continued)?:\n\n)?```(\w+)\n(.*?)^```$", re.MULTILINE | re.DOTALL)
LENIENT = ELLIPSIS | NORMALIZE_WHITESPACE

# A visitor of the site, who opens a table and looks at it.
VISIT = """
import sys
from pathlib import Path
from starlette.testclient import TestClient
from almunia.server.app import create_app
from almunia.server.settings import Settings

with TestClient(create_app(Settings(data=Path(sys.argv[1]), compiled=False))) as visitor:
    assert "Lost Cities" in visitor.get("/").text
    table = visitor.post("/games/lostcities/tables", data={"quick": 1}, headers={"Origin": "http://testserver"})
    assert 'id="expedition-0-4"' in table.text
"""


class Block(NamedTuple):
    """A block of the page: a file or the next part of one, or a sample."""

    path: str  # of the file; empty for a sample
    more: bool  # does it go on with the file?
    kind: str  # its language
    text: str


def blocks() -> Iterator[Block]:
    """The page's blocks, from the top down."""
    for path, more, kind, text in BLOCK.findall(PAGE.read_text("utf-8")):
        yield Block(path, bool(more), kind, text)


def write(folder: Path, block: Block) -> None:
    """Write a file, or go on with it."""
    file = folder / block.path
    assert file.is_file() == block.more, f"{block.path} is {'not ' * block.more}there before"
    before = file.read_text("utf-8") + "\n\n" if block.more else ""
    file.parent.mkdir(parents=True, exist_ok=True)
    file.write_text(before + block.text, "utf-8")


class Reader:
    """A reader who follows the page in an empty folder."""

    def __init__(self, home: Path) -> None:
        self.home, self.folder, self.installed = home, home / "lostcities", home / "installed"
        self.folder.mkdir()
        places = [HOME / "src", self.folder / "src", self.installed]
        self.env = os.environ | {"PYTHONPATH": os.pathsep.join(map(str, places))}

    def follow(self, block: Block) -> None:
        """Do what a block says."""
        if block.path:
            write(self.folder, block)
        elif block.kind == "sh":
            for line in block.text.splitlines():
                self.type(shlex.split(line))
        elif block.kind == "console":
            for sample in block.text.split("$ ")[1:]:
                command, _, expected = sample.partition("\n")
                self.compare(command, expected)
        else:
            assert (block.kind, block.text[:3]) == ("python", ">>>"), f"no file, and no sample: {block.text}"
            (self.home / "sample.txt").write_text(block.text, "utf-8")
            flags = ["-o", "ELLIPSIS", "-o", "NORMALIZE_WHITESPACE"]
            self.python("-m", "doctest", *flags, self.home / "sample.txt")

    def type(self, words: list[str]) -> None:
        """A command that changes folders or installs; those that wait for somebody are checked by conftest.py."""
        match words:
            case ["mkdir", "-p", *places]:
                for place in places:
                    (self.home / place).mkdir(parents=True, exist_ok=True)
            case ["pip", "install", "--editable", "."]:
                self.install()

    def install(self) -> None:
        """What pip leaves behind, as far as Almunia looks at it, without a network."""
        project = tomllib.loads((self.folder / "pyproject.toml").read_text("utf-8"))["project"]
        place = self.installed / f"{project['name']}-{project['version']}.dist-info"
        place.mkdir(parents=True)
        (place / "METADATA").write_text(f"Name: {project['name']}\nVersion: {project['version']}\n", "utf-8")
        ((group, games),) = project["entry-points"].items()
        lines = [f"[{group}]", *(f"{name} = {package}" for name, package in games.items())]
        (place / "entry_points.txt").write_text("\n".join(lines), "utf-8")

    def compare(self, command: str, expected: str) -> None:
        """Run `almunia ...` and compare what it prints."""
        words = shlex.split(command)
        assert words[0] == "almunia", f"{command!r} is no command of ours"
        found = self.python("-m", *words)
        same = OutputChecker().check_output(expected, found, LENIENT)
        assert same or not expected.strip(), f"{command}\nexpected:\n{expected}\nfound:\n{found}"

    def python(self, *words: object) -> str:
        """What Python prints when it is started in the game's folder."""
        process = [sys.executable, *map(str, words)]
        done = subprocess.run(process, cwd=self.folder, env=self.env, capture_output=True, text=True, check=False)
        assert done.returncode == 0, f"{' '.join(process[1:])}\n{done.stdout}\n{done.stderr}"
        return done.stdout


@pytest.fixture
def written(tmp_path) -> Path:
    """The folder of the whole game, as the page has it."""
    for block in blocks():
        if block.path:
            write(tmp_path, block)
    return tmp_path


def test_every_file_of_the_game_is_on_the_page(written) -> None:
    """No block is overlooked, and none has a name that is not meant."""
    package = written / PACKAGE
    found = {path.relative_to(package).as_posix() for path in package.rglob("*.*")}
    modules = {f"{name}.py" for name in ("__init__", "components", "rules", "observe", "text", "view", "bots")}
    assert modules | {"RULES.md", "components.toml", "view.css", "tests/scenes.py"} < found
    assert PAGE.read_text("utf-8").count("\n```") == 2 * len(list(blocks()))


def test_every_mark_is_cited(written) -> None:
    """By a rule and by a scenario, as in our own games (test_house.py)."""
    package = written / PACKAGE
    marks = marks_in_rules(package)
    assert cited(texts(package.glob("*.py"))) == marks
    assert cited(texts(package.glob("tests/scenarios/*.txt"))) == marks


@pytest.mark.slow
@pytest.mark.exhaustive
def test_the_files_keep_to_our_style(written) -> None:
    config = ["--no-cache", "--config", str(HOME / "pyproject.toml")]
    # As pyproject.toml has it for our own games.
    ignores = ["--extend-per-file-ignores", "**/rules.py:SIM110"]
    for words in (["check", *config, *ignores, "."], ["format", *config, "--check", "."]):
        done = subprocess.run(
            [sys.executable, "-m", "ruff", *words], cwd=written, capture_output=True, text=True, check=False
        )
        assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.exhaustive
def test_words_and_pictures_are_typed(written) -> None:
    flags = ["--config-file=", "--strict", "--allow-any-generics", "--no-warn-return-any", "--follow-imports=silent"]
    flags += ["--cache-dir", str(HOME / ".mypy_cache" / "tutorial")]  # what it knows of libraries
    modules = ["--untyped-calls-exclude", "lostcities", "-m", "lostcities.text", "-m", "lostcities.view"]
    done = subprocess.run(
        [sys.executable, "-m", "mypy", *flags, *modules],
        cwd=written,
        env=os.environ | {"MYPYPATH": os.pathsep.join([str(written / "src"), str(HOME / "src")])},
        capture_output=True,
        text=True,
        check=False,
    )
    assert done.returncode == 0, done.stdout + done.stderr


@pytest.mark.slow
@pytest.mark.exhaustive
def test_following_the_page_makes_the_game(tmp_path) -> None:
    """Each sample gives the printed output, also `almunia check`, and the site offers the game."""
    reader = Reader(tmp_path)
    for block in blocks():
        reader.follow(block)
    drawn = reader.folder / PICTURE
    same = drawn.read_text("utf-8") == (DOCS / PICTURE).read_text("utf-8")
    assert same, f"docs/{PICTURE} is another picture than the page draws: copy {drawn} there"
    reader.python("-c", VISIT, tmp_path / "site")
