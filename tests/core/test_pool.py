"""Worker pools: their threads stop at the next safe point when their results are no longer needed."""

import os
import signal
from collections.abc import Callable, Iterator
from contextlib import contextmanager
from threading import Event, Thread, current_thread, enumerate as all_threads, main_thread
from typing import Any

import numba
import pytest
from numba.core import event

import almunia
from almunia import bots
from almunia.arena import executors
from almunia.arena.executors import ThreadExecutor
from almunia.engine.numba import compiled_in_worker, register_listeners
from almunia.engine.pool import (
    MAX_THREADS,
    THREAD_NAME,
    WorkerPool,
    WorkerStopped,
    check_stop,
    has_running_workers,
    parallel_map,
    wait_first,
)

OTHERS: set[Thread] = set()  # workers of other tests, such as those of batches that are not collected yet


@pytest.fixture(autouse=True)
def note_others() -> None:
    OTHERS.clear()
    OTHERS.update(all_threads())


def workers() -> list[Thread]:
    """Return the workers of this test's pools."""
    return [thread for thread in all_threads() if thread.name.startswith(THREAD_NAME) and thread not in OTHERS]


def all_ended() -> bool:
    """Wait for the workers of this test, and return whether all have ended."""
    for thread in workers():
        thread.join(60)
    return not workers()


def busy(begun: Event) -> None:
    """Do nothing in many short steps, as a search does, until the pool is closed."""
    begun.set()
    pause = Event()
    for _ in range(6000):
        check_stop()
        pause.wait(0.01)
    raise AssertionError("The pool was not closed for a minute.")


def test_calls_run_concurrently() -> None:
    both = [Event(), Event()]

    def meet(mine: Event, other: Event) -> bool:
        mine.set()
        return other.wait(30)

    assert parallel_map(meet, both, both[::-1]) == [True, True]
    assert parallel_map(lambda n: n + 1, [1]) == [2]
    assert parallel_map(lambda n: n + 1, []) == []


def test_an_error_is_passed_on_and_stops_the_others() -> None:
    begun, let_go = Event(), Event()

    def work(fails: bool) -> None:
        if fails:
            assert begun.wait(60)
            raise ValueError("Wrong.")
        try:
            busy(begun)
        finally:
            let_go.set()

    with pytest.raises(ValueError, match="Wrong"):
        parallel_map(work, [False, True])
    assert let_go.wait(60)
    assert all_ended()


def test_the_error_of_the_first_failed_task_is_raised(monkeypatch) -> None:
    """The first in order is raised, even if another task is known to have failed before."""
    seen = Event()

    def look(futures):
        done, left = wait_first(futures)
        if any(future.exception() for future in done):
            seen.set()
        return done, left

    def work(number: int) -> int:
        if number == 1:
            assert seen.wait(60)
        if number:
            raise ValueError(f"Task {number}.")
        return number

    monkeypatch.setattr(executors, "wait_first", look)
    results = ThreadExecutor(4).map_unordered(work, range(20))
    assert next(results) == 0
    with pytest.raises(ValueError, match=r"^Task 1\.$"):
        next(results)
    assert all_ended()


def test_except_clauses_do_not_catch_the_stop() -> None:
    begun, errors = Event(), list[BaseException]()

    def work() -> None:
        try:
            busy(begun)
        except Exception as error:  # noqa: BLE001 - as around the bot of a match
            errors.append(error)

    with WorkerPool(1, stop_timeout=60) as workers:
        future = workers.submit(work)
        assert begun.wait(60)
    assert type(future.exception(60)) is WorkerStopped
    assert not errors


def test_a_stop_reaches_the_pools_within_a_worker() -> None:
    """A match, for example, runs searches with several threads in its workers."""
    begun = [Event(), Event()]
    with WorkerPool(1, stop_timeout=60) as outer:
        future = outer.submit(parallel_map, busy, begun)
        assert all(one.wait(60) for one in begun)
    assert type(future.exception(60)) is WorkerStopped
    assert all_ended()


def test_a_pool_starts_at_most_one_thread_per_task() -> None:
    with WorkerPool(MAX_THREADS) as one:
        wait_first([one.submit(int), one.submit(int)])
        assert 1 <= len(workers()) <= 2
    assert all_ended()


@pytest.mark.parametrize("number", [0, MAX_THREADS + 1, 1.5, "2", True])
def test_a_wrong_number_of_threads_is_refused(number) -> None:
    for make in (
        WorkerPool,
        ThreadExecutor,
        lambda number: bots.make("search:2", almunia.game("orchard", "plain"), 1, number),
    ):
        with pytest.raises(
            almunia.SetupError, match=f"number of threads is a whole number from 1 to 1024, not {number!r}"
        ):
            make(number)
    assert all_ended()


def test_running_threads_are_stopped_if_no_more_can_be_started(monkeypatch) -> None:
    begin = Thread.start

    def start(thread: Thread) -> None:
        if len(workers()) == 3:
            raise RuntimeError("can't start new thread")
        begin(thread)

    monkeypatch.setattr(Thread, "start", start)
    with pytest.raises(almunia.SetupError, match="no more than 3 threads can be started"):
        parallel_map(busy, [Event() for _ in range(9)])
    assert all_ended()


def test_a_closed_pool_refuses_tasks() -> None:
    with WorkerPool(1) as pool:
        assert pool.submit(int).result() == 0
    with pytest.raises(almunia.SetupError, match="This pool of threads is closed, so it takes no more tasks"):
        pool.submit(int)


def test_waiting_tasks_are_dropped() -> None:
    done, begun, goes_on = [], Event(), Event()

    def wait() -> None:
        begun.set()
        assert goes_on.wait(60)

    with WorkerPool(1, stop_timeout=0) as one:
        wait_first([one.submit(done.append, 1)])
        one.submit(wait)
        dropped = one.submit(done.append, 2)
        assert begun.wait(60)
    assert dropped.cancelled()
    assert has_running_workers()
    goes_on.set()
    assert all_ended()
    assert done == [1]


# --- compiling ------------------------------------------------------------------------------------


@contextmanager
def at_each_pass(do: Callable[[str], None]) -> Iterator[None]:
    """Call `do` at the start of each compiler pass, with the pass' name."""

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, event: event.Event) -> None:
            do(event.data["name"].partition(" ")[0])

        def on_end(self, _event: event.Event) -> None:
            pass

    listener = Listener()
    event.register("numba:run_pass", listener)
    try:
        yield
    finally:
        event.unregister("numba:run_pass", listener)


def doubled(number: Any) -> Any:
    return number * 2


@pytest.mark.slow
@pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT that a process could send to itself")
def test_ctrl_c_stops_a_compilation_between_two_passes(monkeypatch) -> None:
    """The main thread raises KeyboardInterrupt at once, and the function can be compiled later."""
    inner, stopped, passes = compiled_in_worker(numba.njit(doubled)), Event(), list[str]()
    function = compiled_in_worker(numba.njit(lambda number: inner(number) + 1))

    def interrupt(step: str) -> None:
        assert current_thread() is not main_thread()
        passes.append(step)
        if step == "native_lowering":
            signal.raise_signal(signal.SIGINT)
            assert stopped.wait(60)
            passes.append("went on")

    stop = WorkerPool.stop

    def stop_and_tell(self: WorkerPool) -> None:
        stop(self)
        stopped.set()

    monkeypatch.setattr(WorkerPool, "stop", stop_and_tell)
    register_listeners()
    before = signal.signal(signal.SIGINT, signal.default_int_handler)  # a process in the background ignores Ctrl-C
    try:
        with at_each_pass(interrupt), pytest.raises(KeyboardInterrupt):
            function(3)
    finally:
        signal.signal(signal.SIGINT, before)
    assert all_ended()
    assert passes[-2:] == ["native_lowering", "went on"]
    assert function(3) == 7


@pytest.mark.slow
def test_a_nested_compilation_does_not_wait_for_a_worker() -> None:
    """The main thread then holds Numba's lock, for which a worker would wait forever."""
    inner = compiled_in_worker(numba.njit(doubled))

    @numba.njit
    def outer(number: Any) -> Any:
        return inner(number) + 1

    assert outer(3) == 7
