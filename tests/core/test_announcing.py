"""Notices of compiling: once for each game, only if compiling takes long, and silenced by ALMUNIA_COMPILE_QUIET."""

import logging
import os
import subprocess
import sys
from collections.abc import Callable
from functools import partial
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import pytest

from almunia.engine import compile_progress
from almunia.engine.compile_progress import CLEAR_LINE, CompileProgress, notify

PROGRAM = """
import almunia
almunia.game("orchard").new(seed=1)
"""


def compiled(announcer: CompileProgress, game: str, nested: int = 0) -> None:
    """Report to the listener that a function of a game is compiled, with the functions that it calls."""
    noted = SimpleNamespace(game=game, title=game.capitalize())
    event: Any = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=noted)})
    announcer.on_start(event)
    for _ in range(nested):
        compiled(announcer, game)
    if announcer._timer:
        announcer._timer.join()
    announcer.on_end(event)


def test_each_game_is_announced_once(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    monkeypatch.setattr(compile_progress, "notify", told.append)
    announcer = CompileProgress(delay_seconds=0.0)
    for game in ("orchard", "orchard", "oregon", "", "orchard"):
        compiled(announcer, game, nested=2)
    assert [sentence.split()[1] for sentence in told] == ["Orchard", "Oregon"]
    assert "almunia warm oregon" in told[1]


class ManualTimer:
    """A timer that the test fires by hand."""

    def __init__(self, seconds: float, act: Callable[..., None], given: list[str]) -> None:
        self.seconds, self.up = seconds, partial(act, *given)
        self.started = self.cancelled = False

    def start(self) -> None:
        self.started = True

    def cancel(self) -> None:
        self.cancelled = True


def test_quick_compilations_are_announced_when_they_add_up(monkeypatch: pytest.MonkeyPatch) -> None:
    told: list[str] = []
    timers: list[ManualTimer] = []
    monkeypatch.setattr(compile_progress, "notify", told.append)

    def timer(*given: Any) -> Any:
        timers.append(ManualTimer(*given))
        return timers[-1]

    announcer = CompileProgress(delay_seconds=1.0, timer=timer, clock=iter([10.0, 10.25, 20.0, 20.5, 30.0]).__next__)
    event: Any = SimpleNamespace(data={"dispatcher": SimpleNamespace(py_func=SimpleNamespace(game="orchard"))})
    for _ in range(2):
        announcer.on_start(event)
        assert timers[-1].started
        announcer.on_end(event)
        assert timers[-1].cancelled
    announcer.on_start(event)
    assert [timer.seconds for timer in timers] == [1.0, 0.75, 0.25]
    assert not told
    timers[-1].up()
    assert len(told) == 1


def test_a_terminal_shows_how_far_it_is(monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]) -> None:
    """A line below the notice counts functions, and is cleared at the end."""
    monkeypatch.setattr(compile_progress, "on_terminal", lambda: True)
    monkeypatch.setattr(compile_progress.log, "hasHandlers", lambda: False)
    compiled(CompileProgress(delay_seconds=0.0), "orchard", nested=2)
    sentence, line = capsys.readouterr().err.split("\n")
    assert "is kept for the next time" in sentence
    assert line == f"{CLEAR_LINE}1 functions so far{CLEAR_LINE}2 functions so far{CLEAR_LINE}"


def test_progress_is_not_counted_without_a_terminal(
    monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setattr(compile_progress.log, "hasHandlers", lambda: False)
    compiled(CompileProgress(delay_seconds=0.0), "orchard", nested=2)
    assert "so far" not in capsys.readouterr().err


@pytest.mark.parametrize(("quiet", "expected"), [("", True), ("0", True), ("1", False)])
def test_notices_are_written_to_stderr_unless_silenced(
    quiet: str, expected: bool, monkeypatch: pytest.MonkeyPatch, capsys: pytest.CaptureFixture[str]
) -> None:
    monkeypatch.setenv("ALMUNIA_COMPILE_QUIET", quiet)
    monkeypatch.setattr(compile_progress.log, "hasHandlers", lambda: False)
    notify("A sentence.")
    assert (capsys.readouterr().err == "almunia: A sentence.\n") is expected


def test_notices_are_logged_if_logging_is_set_up(
    capsys: pytest.CaptureFixture[str], caplog: pytest.LogCaptureFixture
) -> None:
    with caplog.at_level(logging.INFO, "almunia"):
        notify("A sentence.")
    assert caplog.messages == ["A sentence."]
    assert capsys.readouterr().err == ""


@pytest.mark.exhaustive  # it compiles a game anew
def test_a_first_use_is_announced_and_a_second_is_silent(tmp_path: Path) -> None:
    def run() -> str:
        environment = {**os.environ, "ALMUNIA_CACHE": str(tmp_path)}
        command = [sys.executable, "-c", PROGRAM]
        done = subprocess.run(command, capture_output=True, text=True, env=environment, check=True)
        assert done.stdout == ""
        return done.stderr

    first = run()
    assert first.startswith("almunia: Compiling Orchard to machine code")
    assert first.count("\n") == 1
    assert run() == ""
