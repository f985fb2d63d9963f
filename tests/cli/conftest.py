"""The command line, run in this process."""

from collections.abc import Callable
from io import StringIO
from pathlib import Path
from typing import NamedTuple

import pytest

from almunia.cli import main


class Done(NamedTuple):
    """The exit code and the output of a command line."""

    code: int
    out: str
    err: str


Command = Callable[..., Done]


@pytest.fixture
def almunia(capsys: pytest.CaptureFixture[str], monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> Command:
    """Return a function that runs `almunia` in an empty folder, with arguments and `typed` as standard input."""
    monkeypatch.chdir(tmp_path)
    monkeypatch.setenv("COLUMNS", "100")

    def run(*words: object, typed: str = "") -> Done:
        monkeypatch.setattr("sys.stdin", StringIO(typed))
        code = main([str(word) for word in words])
        out, err = capsys.readouterr()
        return Done(code, out, err)

    return run


@pytest.fixture
def record(almunia: Command, tmp_path: Path) -> Path:
    """Return the file with the record of a whole play of Orchard."""
    path = tmp_path / "game.txt"
    assert almunia("play", "orchard", "--seed", 7, "--bot", "1=greedy", "--save", path).code == 0
    return path
