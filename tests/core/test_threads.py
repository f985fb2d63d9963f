"""Crews: threads that end when nobody waits for what they do."""

import sys
from itertools import count
from threading import Event, Thread, enumerate as all_threads

import pytest

import almunia
from almunia import bots
from almunia.arena import executors
from almunia.arena.executors import ThreadExecutor
from almunia.engine import pool
from almunia.engine.pool import (
    MOST_THREADS,
    NAME,
    WorkerPool,
    WorkerStopped,
    first_done,
    left_over,
    side_by_side,
    start,
)

OTHERS: set[Thread] = set()  # threads of other tests: of batches, say, that nobody has thrown away yet


@pytest.fixture(autouse=True)
def note_others() -> None:
    OTHERS.clear()
    OTHERS.update(all_threads())


def crews() -> list[Thread]:
    """The threads of this test's crews."""
    return [thread for thread in all_threads() if thread.name == NAME and thread not in OTHERS]


def all_ended() -> bool:
    """Whether all of them have ended, or do so now: on a busy machine a thread that was told may take its time."""
    for thread in crews():
        thread.join(60)
    return not crews()


def busy(begun: Event) -> None:
    """Run Python code, in which an exception can be raised from outside, until that happens."""
    begun.set()
    nothing = Event()
    for _ in range(6000):
        nothing.wait(0.01)  # an exception from outside is raised between two calls; nothing wakes a longer one
    raise AssertionError("Nothing was raised for a minute.")


def test_calls_are_done_side_by_side() -> None:
    both = [Event(), Event()]

    def meet(mine: Event, other: Event) -> bool:
        mine.set()
        return other.wait(30)

    assert side_by_side(meet, both, both[::-1]) == [True, True]
    assert side_by_side(lambda n: n + 1, [1]) == [2]
    assert side_by_side(lambda n: n + 1, []) == []


def test_an_error_is_passed_on_and_ends_the_others() -> None:
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
        side_by_side(work, [False, True])
    assert let_go.is_set()
    assert all_ended()


def test_of_several_tasks_that_fail_the_first_one_tells(monkeypatch) -> None:
    """Even if another one is seen to have failed before."""
    seen = Event()

    def look(futures):
        done, left = first_done(futures)
        if any(future.exception() for future in done):
            seen.set()
        return done, left

    def work(number: int) -> int:
        if number == 1:
            assert seen.wait(60)
        if number:
            raise ValueError(f"Task {number}.")
        return number

    monkeypatch.setattr(executors, "first_done", look)
    results = ThreadExecutor(4).map_unordered(work, range(20))
    assert next(results) == 0
    with pytest.raises(ValueError, match=r"^Task 1\.$"):
        next(results)
    assert all_ended()


def test_whoever_swallows_it_is_told_again() -> None:
    begun, heard = Event(), []

    def stubborn() -> None:
        while len(heard) < 2:
            try:
                busy(begun)
            except WorkerStopped as ended:
                heard.append(ended)

    with WorkerPool(1, patience=60, again=0.01) as crew:
        crew.submit(stubborn)
        assert begun.wait(60)
    assert len(heard) == 2
    assert all_ended()


def test_there_are_no_more_threads_than_parts_of_work() -> None:
    with WorkerPool(MOST_THREADS) as crew:
        first_done([crew.submit(int), crew.submit(int)])
        assert len(crews()) == 2
    assert all_ended()


@pytest.mark.parametrize("number", [0, MOST_THREADS + 1, 1.5, "2", True])
def test_a_number_of_threads_that_is_none_is_refused(number) -> None:
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


def test_where_no_more_threads_can_be_started_those_that_were_are_ended(monkeypatch) -> None:
    def refuse(thread: Thread) -> None:
        if len(crews()) == 3:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(pool, "start", refuse)
    with pytest.raises(almunia.SetupError, match="no more than 3 threads can be started"):
        side_by_side(abs, range(9))
    assert all_ended()


def test_what_waits_is_dropped() -> None:
    done, begun, goes_on = [], Event(), Event()

    def wait() -> None:
        begun.set()
        assert goes_on.wait(60)

    with WorkerPool(1, patience=0) as crew:
        first_done([crew.submit(done.append, 1)])
        crew.submit(wait)
        crew.submit(done.append, 2)
        assert begun.wait(60)
    assert left_over()
    goes_on.set()
    assert all_ended()
    assert done == [1]


def test_a_thread_that_is_just_being_started_is_not_ended_instead(monkeypatch) -> None:
    """It has the number of the one that starts it for a moment."""
    lost: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)

    def work(begun: Event, before: int) -> None:
        for number in count():
            start(Thread(target=int))
            if number == before:
                begun.set()

    for turn in range(200):
        begun = Event()
        with WorkerPool(1, patience=60) as crew:
            crew.submit(work, begun, turn % 5)
            assert begun.wait(60)
        assert not crews()
    assert not lost
