"""How pages, sentences and guides speak: phrases in which native readers stumbled do not come back."""

import re
from functools import cache
from pathlib import Path

import pytest

HOME = Path(__file__).parents[1]
PACKAGE = HOME / "src" / "almunia"
READ = [
    *PACKAGE.glob("server/templates/*.html"),
    *PACKAGE.glob("server/static/*.js"),
    *PACKAGE.glob("server/*.py"),
    *(path for path in PACKAGE.glob("*/**/*.py") if "tests" not in path.parts),
    *(path for path in HOME.glob("docs/*.md") if path.name != "results.md"),
    HOME / "README.md",
    HOME / "CONTRIBUTING.md",
    HOME / "Makefile",
]
REFUSED = {
    "to be mended": "please correct",
    "best of people": "best human score",
    "as you like it": "custom",
    "as the system likes it": "system theme",
    "sit at no table": "have no games",
    "shall call you": "your name",
    "not for you, or not now": "not allowed",
    "there is nothing here": "page not found",
    "that is too much": "too large",
    "a little slower": "too many requests",
    "line to the table": "connection",
    "somebody alone": "one player",
    "at the same screen": "on the same device",
    "walled garden": "lock-in is not what we mean",
    "the own ": "your own, the reader's own",
    "by lot": "at random",
    "settles all luck": "makes it reproducible",
    "parted by blanks": "separated by spaces",
    "with a word in the log": "logs a warning",
    "what is no action": "an invalid action",
    "there is none of": "that does not exist",
    "points of chess": "Elo scale",
    "more is better": "higher is better",
    "lays open": "reveals",
    "mends": "fixes",
}


@cache
def lines() -> list[tuple[Path, int, str]]:
    """All that is read, line by line."""
    return [
        (path, number, line)
        for path in sorted(set(READ))
        for number, line in enumerate(path.read_text("utf-8").splitlines(), 1)
    ]


@pytest.mark.parametrize("phrase", REFUSED)
def test_it_is_said_otherwise(phrase: str) -> None:
    wanted = re.compile(rf"(?<![\w']){re.escape(phrase)}", re.IGNORECASE)
    found = [f"{path.relative_to(HOME)}, line {number}" for path, number, line in lines() if wanted.search(line)]
    assert not found, f"{', '.join(found)}: say {REFUSED[phrase]!r} instead of {phrase!r}."


def test_what_is_read_is_there() -> None:
    assert len(READ) > 200
    assert all(path.is_file() for path in READ)
