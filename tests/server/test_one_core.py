"""The threads that answer requests share a core, as long as others do not crowd it."""

import os
import re
import subprocess
import sys
import threading
from pathlib import Path

import httpx2 as httpx
import pytest

from almunia.server.limits import Limits
from almunia.server.processes import one_core
from almunia.server.processes.artists import Artist, Artists
from almunia.server.processes.one_core import CROWDED, chosen

from ..serving import await_answers, free_port
from ..waiting import TIMEOUT, wait_until

EVERY = Limits.core_check_seconds
TICKS = EVERY * os.sysconf("SC_CLK_TCK") if hasattr(os, "sysconf") else 0
MUCH, LITTLE = int(TICKS * CROWDED * 1.5), int(TICKS * CROWDED / 2)
# A site that looks often at where its threads are, with a thread that works and answers nobody.
SERVE = """import sys, threading, time
from almunia.server import run
from almunia.server.limits import Limits
threading.Thread(target=time.sleep, args=(600,), name="thinker", daemon=True).start()
run(port=int(sys.argv[1]), data=sys.argv[2], limits=Limits(core_check_seconds=0.1))
"""
several = pytest.mark.skipif(len(one_core.allowed()) < 2, reason="there is but one core, or it cannot be chosen")


def cores_of(process: int) -> dict[str, set[str]]:
    """The cores that the threads of a process may use: the main one, and all others together."""
    found: dict[str, set[str]] = {"main": set(), "others": set()}
    for task in Path(f"/proc/{process}/task").iterdir():
        listed = re.search(r"^Cpus_allowed_list:\s*(\S+)$", (task / "status").read_text("utf-8"), re.MULTILINE)
        found["main" if task.name == str(process) else "others"].add(listed[1])
    return found


@several
@pytest.mark.slow
@pytest.mark.exhaustive
def test_threads_that_answer_share_a_core_and_others_may_use_all(tmp_path: Path) -> None:
    everywhere = re.search(r"^Cpus_allowed_list:\s*(\S+)$", Path("/proc/self/status").read_text("utf-8"), re.MULTILINE)
    port = free_port()
    site = subprocess.Popen([sys.executable, "-c", SERVE, str(port), str(tmp_path)], env=os.environ)
    try:
        await_answers(port, site)

        def apart() -> dict[str, set[str]] | None:
            httpx.get(f"http://127.0.0.1:{port}/", timeout=TIMEOUT)  # so there are threads that answer
            cores = cores_of(site.pid)
            return cores if cores["main"] < cores["others"] else None

        found = wait_until(apart, "the threads that answer share a core")
        (core,) = found["main"]
        assert core.isdigit()
        assert found["others"] == {core, everywhere[1]}
    finally:
        site.kill()
        site.wait()


def test_a_core_that_others_use_is_left_for_a_much_better_one(monkeypatch: pytest.MonkeyPatch) -> None:
    monkeypatch.setattr(one_core, "random", lambda: 0.4)
    assert chosen(None, {0: LITTLE, 1: 0}, EVERY) == 1
    assert chosen(0, {0: MUCH, 1: 0}, EVERY) == 1
    assert chosen(0, {0: LITTLE, 1: 0}, EVERY) == 0, "a small difference moves no thread"
    assert chosen(0, {0: MUCH, 1: MUCH - 1}, EVERY) == 0, "nor does a core that is as busy"


def test_half_of_those_on_one_core_leave_it(monkeypatch: pytest.MonkeyPatch) -> None:
    """Else two processes would go on together for ever."""
    monkeypatch.setattr(one_core, "random", lambda: 0.6)
    assert chosen(0, {0: MUCH, 1: 0}, EVERY) == 0


@several
def test_what_these_threads_do_themselves_crowds_nobody_out(monkeypatch: pytest.MonkeyPatch) -> None:
    here = one_core.OneCore()
    first, *_ = here._cores
    nothing = dict.fromkeys(here._cores, 0)
    looks, own, used = iter([nothing, nothing | {first: MUCH + LITTLE}]), iter([0, MUCH]), []
    monkeypatch.setattr(one_core, "worked", lambda: next(looks))
    monkeypatch.setattr(one_core, "answers", lambda thread: thread.name == "MainThread")
    monkeypatch.setattr(one_core, "work_of", lambda _: next(own))
    monkeypatch.setattr(one_core, "keep", lambda *_: None)
    monkeypatch.setattr(one_core, "chosen", lambda core, found, _: used.append((core, found)) or first)
    here.look()
    here._core = first
    here.look()
    assert used == [(first, nothing | {first: LITTLE})]


@several
def test_all_may_be_used_again_when_it_ends() -> None:
    before, (main,) = os.sched_getaffinity(0), {threading.main_thread().native_id}
    with one_core.OneCore(interval_seconds=0.05):
        wait_until(lambda: len(os.sched_getaffinity(main)) == 1, "the main thread has one core")
    assert os.sched_getaffinity(main) == before


def test_a_core_that_is_gone_is_no_fault(monkeypatch: pytest.MonkeyPatch, tmp_path: Path) -> None:
    """Containers may number them otherwise than the system does, or hide them."""
    told = tmp_path / "stat"
    monkeypatch.setattr(one_core, "TICKS", told)
    assert one_core.allowed() == set()
    told.write_text("cpu 9 9 9 9 9 9\ncpu901 5 0 5 100 7 2\nintr 1 2\n")
    assert one_core.worked() == {901: 12}
    assert one_core.allowed() == set()
    assert chosen(7, {1: 5, 2: 4}, EVERY) == 2
    one_core.keep(threading.main_thread().native_id or 0, {901})


def test_what_begins_processes_that_draw_is_none_of_them() -> None:
    """They would get its core for good."""
    some = Artists(1)
    assert not one_core.answers(some._rounds._thread)
    artist = Artist()
    assert one_core.answers(artist._reader)
    artist.end()


@several
def test_a_thread_that_has_ended_is_no_fault() -> None:
    ended = subprocess.run([sys.executable, "-c", "import os; print(os.getpid())"], capture_output=True, check=True)
    one_core.keep(int(ended.stdout), {0})
    assert one_core.work_of(int(ended.stdout)) == 0
