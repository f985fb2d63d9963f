"""Games are compiled in a separate process, because a compiler never returns its memory."""

import logging
import os
import subprocess
import sys

import pytest

import almunia
from almunia.server.tables import compiler as compiling
from almunia.server.tables.builds import GameBuilds
from almunia.server.tables.compiler import Compiler, compiled_marker


@pytest.fixture
def asked(monkeypatch) -> list[list[str]]:
    """Return the list of the commands that were run. Each ends with the exit code in the variable `CODE`."""
    commands: list[list[str]] = []

    class Process:
        def __init__(self, command: list[str], **_kinds: object) -> None:
            commands.append(command)

        def wait(self) -> int:
            return int(os.environ.get("CODE", "0"))

    monkeypatch.setattr(compiling.subprocess, "Popen", Process)
    return commands


@pytest.fixture
def fresh(monkeypatch, tmp_path) -> almunia.Game:
    """Return a game with an empty folder for machine code."""
    monkeypatch.setenv("ALMUNIA_CACHE", str(tmp_path))
    return almunia.game("orchard")


def test_a_game_is_compiled_in_a_process_unless_it_is_cached(asked, fresh) -> None:
    compiler = Compiler()
    compiler.ensure_compiled(fresh)
    assert [command[1:] for command in asked] == [["-P", "-m", "almunia.server.tables.compiler", "orchard"]]
    compiled_marker(fresh).touch()
    compiler.ensure_compiled(fresh)
    assert len(asked) == 1


def test_a_read_only_cache_is_used_without_compiling(asked, fresh, monkeypatch) -> None:
    monkeypatch.setattr(compiling.os, "access", lambda *_: False)
    assert compiled_marker(fresh) is None
    assert Compiler().ensure_compiled(fresh)
    assert asked == []


def test_a_closed_compiler_starts_no_process(asked, fresh) -> None:
    compiler = Compiler()
    compiler.close()
    compiler.ensure_compiled(fresh)
    assert asked == []


def test_a_failed_compilation_process_is_logged(asked, fresh, monkeypatch, caplog) -> None:
    monkeypatch.setenv("CODE", "1")
    with caplog.at_level(logging.WARNING):
        Compiler().ensure_compiled(fresh)
    assert "Orchard could not be compiled in a process of its own" in caplog.text


def test_no_process_is_started_without_a_writable_cache(asked, fresh, monkeypatch, tmp_path) -> None:
    (tmp_path / "file").touch()
    monkeypatch.setenv("ALMUNIA_CACHE", str(tmp_path / "file"))
    Compiler().ensure_compiled(fresh)
    assert asked == []


def test_the_process_ends_with_the_site(fresh) -> None:
    compiler = Compiler()
    compiler._process = subprocess.Popen([sys.executable, "-c", "import signal; signal.pause()"])
    compiler.close()
    assert compiler._process.wait(60) != 0


def test_the_process_finds_no_modules_in_the_folder_of_the_site(monkeypatch, tmp_path) -> None:
    (tmp_path / "numba.py").write_text("raise SystemExit(7)")
    monkeypatch.chdir(tmp_path)
    done = subprocess.run([*compiling.COMMAND, "nothing"], stdin=subprocess.PIPE, capture_output=True, check=False)
    assert done.returncode == 1  # there is no such game


def test_a_game_is_not_made_ready_if_its_compilation_was_cancelled(monkeypatch) -> None:
    builds = GameBuilds()
    monkeypatch.setattr(builds._compiler, "ensure_compiled", lambda _: False)
    builds._compile("orchard", lambda _: pytest.fail("A game was made ready."))
    assert builds._ready == {}


def test_closed_builds_compile_no_more_games(monkeypatch) -> None:
    builds = GameBuilds()
    builds.close()
    builds._compile_all(lambda _: pytest.fail("A game was made ready."))


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.exhaustive
def test_the_process_marks_the_game_as_compiled() -> None:
    """The machine code of other tests is used, so the process takes seconds."""
    done = compiled_marker(almunia.game("orchard"))
    done.unlink(missing_ok=True)
    with subprocess.Popen([sys.executable, "-m", compiling.__name__, "orchard"], stdin=subprocess.PIPE) as process:
        assert process.wait() == 0
    assert done.exists()


def test_the_process_ends_with_a_site_that_has_been_killed() -> None:
    with subprocess.Popen([sys.executable, "-m", compiling.__name__, "orchard"], stdin=subprocess.PIPE) as process:
        process.stdin.close()
        assert process.wait(60) == 1
