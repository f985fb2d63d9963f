"""Background work: number of threads, periodic tasks, and logged failures."""

import os
import subprocess
import sys
from concurrent.futures import CancelledError, ThreadPoolExecutor
from contextlib import ExitStack
from queue import Queue
from threading import Event

import httpx2 as httpx
import pytest
from sqlalchemy.exc import OperationalError

from almunia.server.background import Lane, PeriodicTask, run_tasks

from ..serving import await_answers, free_port, in_event_loop
from ..tiers import rest
from ..waiting import TIMEOUT, wait_until

NEVER = 3600.0  # seconds
MAX_THREADS = 12  # of a process with a site
# A site that writes down the names of its threads when their number is highest.
SERVE = """import sys, threading
from pathlib import Path
from almunia.server import run

start, most = threading.Thread.start, [0]

def note(thread):
    start(thread)
    names = [one.name for one in threading.enumerate() if one.name != "compiling"]  # which ends soon
    if len(names) > most[0]:
        most[0] = len(names)
        Path(sys.argv[3]).write_text("\\n".join(names), "utf-8")

threading.Thread.start = note
run(port=int(sys.argv[1]), data=sys.argv[2])
"""


def test_a_task_runs_by_the_clock():
    done = Queue()
    with in_event_loop(run_tasks(PeriodicTask(lambda: done.put(1), 0.001, "Nothing is done"))):
        assert [done.get(timeout=TIMEOUT) for _ in range(3)] == [1, 1, 1]


@pytest.mark.parametrize("before", [False, True])
def test_a_task_runs_when_it_is_triggered_and_not_after_the_end(before):
    done = Queue()
    task = PeriodicTask(lambda: done.put(1), NEVER, "Nothing is done")
    if before:
        task.trigger()
    with in_event_loop(run_tasks(task)):
        if not before:
            task.trigger()
        assert done.get(timeout=TIMEOUT) == 1
    task.trigger()
    assert done.empty()


def test_a_trigger_during_a_run_leads_to_another_run():
    begun, go = Queue(), Event()

    def work():
        begun.put(1)
        assert go.wait(TIMEOUT)

    task = PeriodicTask(work, NEVER, "Nothing is done")
    task.trigger()
    with in_event_loop(run_tasks(task)):
        assert begun.get(timeout=TIMEOUT)
        task.trigger()
        go.set()
        assert begun.get(timeout=TIMEOUT)


def test_the_end_of_tasks_waits_for_the_current_run():
    begun, go, ended = Event(), Event(), []

    def work():
        begun.set()
        assert go.wait(TIMEOUT)
        ended.append(1)

    task = PeriodicTask(work, NEVER, "Nothing is done")
    task.trigger()
    with in_event_loop(run_tasks(task)):
        assert begun.wait(TIMEOUT)
        go.set()
    assert ended == [1]


def test_a_failure_is_logged_once_until_the_work_succeeds_again(caplog):
    faults, done = [ValueError("odd"), ValueError("odd"), None, ValueError("odd")], Queue()

    def work():
        done.put(1)
        if fault := faults.pop(0) if faults else None:
            raise fault

    with in_event_loop(run_tasks(PeriodicTask(work, 0.001, "Nothing is done"))):
        for _ in range(5):
            assert done.get(timeout=TIMEOUT), "the loop goes on"
    assert [record.getMessage() for record in caplog.records] == ["Nothing is done."] * 2
    assert all(record.exc_info for record in caplog.records)


def test_a_database_outage_is_logged_in_one_line(caplog):
    def work():
        raise OperationalError("SELECT", {}, Exception("gone"))

    PeriodicTask(work, NEVER, "Nothing is done").run_once()
    (record,) = caplog.records
    assert record.getMessage().startswith("Nothing is done: ")
    assert record.exc_info is None


@pytest.fixture
def threads():
    with ThreadPoolExecutor(4) as executor:
        yield executor


def test_a_lane_limits_threads_and_runs_calls_in_order(threads):
    lane, begun, go = Lane(threads, 2), Queue(), Event()

    def work(number):
        begun.put(number)
        assert go.wait(TIMEOUT)
        return number

    futures = [lane.submit(work, number) for number in range(6)]
    assert sorted(begun.get(timeout=TIMEOUT) for _ in range(2)) == [0, 1]
    assert threads.submit(bool).result(TIMEOUT) is False, "other threads are free"
    assert begun.empty()
    go.set()
    assert [future.result(TIMEOUT) for future in futures] == list(range(6))
    assert sorted(begun.get(timeout=TIMEOUT) for _ in range(4)) == [2, 3, 4, 5]


def test_a_failed_or_cancelled_call_releases_its_thread(threads):
    lane, go = Lane(threads), Event()
    first = lane.submit(go.wait, TIMEOUT)
    failing, cancelled, last = lane.submit(int, "x"), lane.submit(bool), lane.submit(int, "7")
    cancelled.cancel()
    go.set()
    assert first.result(TIMEOUT)
    with pytest.raises(ValueError, match="'x'"):
        failing.result(TIMEOUT)
    with pytest.raises(CancelledError):
        cancelled.result(TIMEOUT)
    assert last.result(TIMEOUT) == 7


@pytest.mark.parametrize("cancel", [False, True])
def test_a_closed_lane_finishes_running_calls_and_can_cancel_waiting_ones(threads, cancel):
    lane, go, begun = Lane(threads), Event(), Event()
    running = lane.submit(lambda: begun.set() or go.wait(TIMEOUT))
    assert begun.wait(TIMEOUT)
    waiting = lane.submit(bool)
    closing = threads.submit(lane.shutdown, wait=True, cancel_futures=cancel)
    wait_until(lambda: lane._is_closed, "the lane accepts no more calls")
    if cancel:
        wait_until(waiting.cancelled, "the call that waits is cancelled")
    assert not closing.done()
    go.set()
    closing.result(TIMEOUT)
    assert running.result() is True
    assert waiting.cancelled() is cancel
    with pytest.raises(RuntimeError, match="closed"):
        lane.submit(bool)


@pytest.mark.slow
@pytest.mark.parametrize("kind", rest(["sqlite", "postgres"], "sqlite"))
def test_a_busy_site_has_few_threads(tmp_path, kind, request):
    port, names = free_port(), tmp_path / "threads"
    with ExitStack() as stack:
        address = stack.enter_context(request.getfixturevalue("postgres").database()) if kind == "postgres" else ""
        command = [sys.executable, "-c", SERVE, str(port), str(tmp_path / "data"), str(names)]
        site = subprocess.Popen(command, env=os.environ | {"ALMUNIA_DATABASE": address})
        stack.callback(site.wait, TIMEOUT)
        stack.callback(site.terminate)
        await_answers(port, site)
        origin = f"http://127.0.0.1:{port}"

        def visit(number):
            with httpx.Client(base_url=origin, headers={"Origin": origin}, timeout=TIMEOUT) as guest:
                seats = {"seat-0": "me", "seat-1": f"bot-{('easy', 'medium')[number % 2]}"}
                table = guest.post("/games/alpujarras/tables", data=seats).headers["location"]
                pages = (table, "/lobby", "/health", "/my/games", f"{table}/move", "/account/export")
                return [guest.get(page).status_code for page in pages]

        with ThreadPoolExecutor(16) as crowd:
            assert [codes[:5] for codes in crowd.map(visit, range(32))] == [[200, 200, 200, 200, 405]] * 32
    found = names.read_text("utf-8").splitlines()
    assert "background_0" in found
    assert 6 < len(found) <= MAX_THREADS
