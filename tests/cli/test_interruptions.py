"""Ctrl-C ends a command that imports, compiles, plays, searches, or waits for a program."""

import os
import signal
import subprocess
import sys
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from pathlib import Path

import pytest

from almunia.cli import Exit
from almunia.cli.interruptions import MESSAGE

from ..tiers import rest
from ..waiting import TIMEOUT, wait_until

pytestmark = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT to send to another process")

COMPILING = [
    ["warm", "alhambra"],
    ["simulate", "orchard", "--seats", "2", "--bot", "search:10", "--games", "5", "--json"],
    ["simulate", "orchard", "--games", "5"],
    ["match", "orchard", "--seats", "2", "--bot", "search:10", "--against", "greedy", "--deals", "5"],
    ["play", "orchard", "--bot", "1=search:60s"],
]
WITH_BOTS = [
    ["simulate", "orchard", "--bot", "search:600s", "--seats", "2"],
    ["play", "orchard", "--bot", "1=search:600s"],
    ["simulate", "orchard", "--bot", "greedy", "--games", "1000000"],
]
# Whoever was started in the background ignores interruptions, and so do its children, unless they are told to.
COMMAND = """
import signal, sys
from almunia.cli import main
signal.signal(signal.SIGINT, signal.default_int_handler)
sys.exit(main(sys.argv[1:]))
"""
PROGRAM = """
import sys
from pathlib import Path
from threading import Event
Path({mark!r}).touch()
sys.stdin.readline()
Event().wait(600)
"""
# A program whose start takes until the command, having been interrupted, wants to end it.
SLOWLY = """
import subprocess
from threading import Event
from almunia.bots import external
closing, close, terminate_all = Event(), external.ExternalBot.close, external.terminate_all
class Slow(subprocess.Popen):
    def __init__(self, *args, **named):
        super().__init__(*args, **named)
        closing.wait(60)
def close_at_last(bot):
    closing.set()
    close(bot)
def end_at_last():
    closing.set()
    terminate_all()
subprocess.Popen, external.ExternalBot.close, external.terminate_all = Slow, close_at_last, end_at_last
"""
# Once the first Ctrl-C has closed the pool of workers, no KeyboardInterrupt ends the command.
PATIENT = """
from contextlib import suppress
from pathlib import Path
from threading import Event
from almunia.engine.pool import WorkerPool
def wait_for_workers(*_):
    Path("stopping").touch()
    for _ in range(9):
        with suppress(KeyboardInterrupt):
            Event().wait(600)
WorkerPool.__exit__ = wait_for_workers
"""
# Interrupts itself at the given number of calls of Python functions in the main thread.
AT_A_CALL = """
import signal, sys
from itertools import count
from almunia import cli
calls, set_components = count(), cli._set_components
def interrupt(*_):
    if next(calls) == {call}:
        sys.setprofile(None)
        signal.raise_signal(signal.SIGINT)
def begin(folder):
    sys.setprofile(interrupt)
    set_components(folder)
cli._set_components = begin
"""
# Says by a file when the first choice is asked for.
THINKING = """
from pathlib import Path
from almunia.arena import simulate
from almunia.bots.search import SearchBot
def marked(function, begins=lambda *_: True):
    def call(*given):
        if begins(*given):
            Path("thinks").touch()
        return function(*given)
    return call
SearchBot.choose = marked(SearchBot.choose)
simulate.play_in_kernel = marked(simulate.play_in_kernel, lambda *given: len(given[-1].ending))
"""


@contextmanager
def running(folder: Path, *words: str, first: str = "", **environment: str) -> Iterator["subprocess.Popen[bytes]"]:
    """Start a command after some code, yield the process, and end the process."""
    command = [sys.executable, "-c", first + COMMAND, *words]
    pipe = subprocess.PIPE
    with subprocess.Popen(
        command, stdin=pipe, stdout=pipe, stderr=pipe, cwd=folder, env=os.environ | environment
    ) as process:
        try:
            yield process
        finally:
            process.kill()


def wait_for(mark: Path, process: "subprocess.Popen[bytes]") -> None:
    """Wait until a running process has written a file."""

    def is_there() -> bool:
        assert process.poll() is None
        return mark.exists()

    wait_until(is_there, f"the process has made {mark.name}")


def interrupted(process: "subprocess.Popen[bytes]") -> None:
    """Interrupt a process, and check the exit code and the output."""
    process.send_signal(signal.SIGINT)
    ended(process)


def ended(process: "subprocess.Popen[bytes]") -> None:
    """Check the exit code and the output of a process after an interruption."""
    _, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == Exit.INTERRUPTED, errors.decode()
    assert errors.decode().splitlines()[-1:] == [MESSAGE]
    assert b"Traceback" not in errors


def terminated(process: "subprocess.Popen[bytes]") -> None:
    """Terminate a process, and check that its exit status shows SIGTERM."""
    process.send_signal(signal.SIGTERM)
    _, errors = process.communicate(timeout=TIMEOUT)
    assert process.returncode == -signal.SIGTERM
    assert errors == b""


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.parametrize("words", rest(COMPILING, COMPILING[0]), ids=["warm", "search", "simulate", "match", "play"])
def test_while_it_compiles(tmp_path: Path, words: list[str]) -> None:
    with running(tmp_path, *words, ALMUNIA_CACHE=str(tmp_path / "cache")) as process:
        assert process.stderr
        assert b"Compiling" in process.stderr.readline()
        interrupted(process)


@pytest.mark.slow
@pytest.mark.parametrize("words", rest(WITH_BOTS, WITH_BOTS[0]), ids=["simulate", "play", "greedy"])
def test_while_bots_think(tmp_path: Path, words: list[str]) -> None:
    with running(tmp_path, *words, "--build", "plain", first=THINKING) as process:
        wait_for(tmp_path / "thinks", process)
        interrupted(process)


@pytest.mark.slow
@pytest.mark.parametrize("call", rest([20_000, 1, 500, 5_000, 80_000, 150_000, 200_000, 250_000], 20_000))
def test_at_any_moment(tmp_path: Path, call: int) -> None:
    """The interruption comes while modules are imported, or while the main thread waits for workers."""
    words = ["simulate", "orchard", "--build", "plain", "--bot", "greedy", "--games", "1000000"]
    with running(tmp_path, *words, first=AT_A_CALL.format(call=call)) as process:
        ended(process)


@pytest.mark.slow
def test_a_second_ctrl_c_ends_the_process_at_once(tmp_path: Path) -> None:
    words = ["simulate", "orchard", "--build", "plain", "--bot", "search:600s", "--seats", "2"]
    with running(tmp_path, *words, first=THINKING + PATIENT) as process:
        wait_for(tmp_path / "thinks", process)
        process.send_signal(signal.SIGINT)
        wait_for(tmp_path / "stopping", process)
        interrupted(process)


@pytest.mark.slow
@pytest.mark.parametrize(
    ("end", "first"),
    [
        pytest.param(interrupted, "", id="interrupted-thinks"),
        pytest.param(terminated, SLOWLY, id="terminated-is_being_started"),
        pytest.param(interrupted, SLOWLY, id="interrupted-is_being_started", marks=pytest.mark.exhaustive),
        pytest.param(terminated, "", id="terminated-thinks", marks=pytest.mark.exhaustive),
    ],
)
def test_while_a_program_thinks(tmp_path: Path, end: Callable[["subprocess.Popen[bytes]"], None], first: str) -> None:
    """The program ends together with the command."""
    how = "slowly" if first else "at_once"
    mark, program = tmp_path / "started", f"{end.__name__}_{how}.py"  # its own name, for others run beside it
    (tmp_path / program).write_text(PROGRAM.format(mark=str(mark)))
    words = ["simulate", "orchard", "--build", "plain", "--bot", f"external:600s:{sys.executable} {program}"]
    with running(tmp_path, *words, first=first) as process:
        wait_for(mark, process)
        end(process)
    found = subprocess.run(["ps", "-eo", "args"], capture_output=True, text=True, check=True).stdout
    assert f"{sys.executable} {program}" not in found


@pytest.mark.slow
@pytest.mark.compiled
@pytest.mark.exhaustive
def test_termination_while_it_compiles(tmp_path: Path) -> None:
    with running(tmp_path, "warm", "alhambra", ALMUNIA_CACHE=str(tmp_path / "cache")) as process:
        assert process.stderr
        assert b"Compiling" in process.stderr.readline()
        process.send_signal(signal.SIGTERM)
        process.communicate(timeout=TIMEOUT)
    assert process.returncode in (-signal.SIGTERM, 128 + signal.SIGTERM)
