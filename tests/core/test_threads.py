"""Crews: threads that end when nobody waits for what they do."""

import sys
from threading import Event, Thread, enumerate as all_threads
from time import sleep

import pytest

import almunia
from almunia import bots
from almunia.arena.engines import Threads
from almunia.core import threads
from almunia.core.threads import MOST_THREADS, NAME, Crew, Ended, first_done, left_over, side_by_side, start


def crews() -> list[Thread]:
    """The threads of all crews."""
    return [thread for thread in all_threads() if thread.name == NAME]


def test_calls_are_done_side_by_side() -> None:
    both = [Event(), Event()]

    def meet(mine: Event, other: Event) -> bool:
        mine.set()
        return other.wait(30)

    assert side_by_side(meet, both, both[::-1]) == [True, True]
    assert side_by_side(lambda n: n + 1, [1]) == [2]
    assert side_by_side(lambda n: n + 1, []) == []


def test_an_error_is_passed_on_and_ends_the_others() -> None:
    let_go = Event()

    def work(fails: bool) -> None:
        if fails:
            raise ValueError("Wrong.")
        try:
            while True:
                sleep(0.01)
        finally:
            let_go.set()

    with pytest.raises(ValueError, match="Wrong"):
        side_by_side(work, [False, True])
    assert let_go.is_set()
    assert not left_over()


def test_whoever_swallows_it_is_told_again() -> None:
    heard = []

    def stubborn() -> None:
        while len(heard) < 2:
            try:
                while True:
                    sleep(0.01)
            except Ended as ended:
                heard.append(ended)

    begun = Event()
    with Crew(1) as crew:
        crew.submit(begun.set)
        crew.submit(stubborn)
        assert begun.wait(30)
        sleep(0.1)
    assert heard


def test_there_are_no_more_threads_than_parts_of_work() -> None:
    with Crew(MOST_THREADS) as crew:
        first_done([crew.submit(int), crew.submit(int)])
        assert len(crews()) == 2
    assert not left_over()


@pytest.mark.parametrize("count", [0, MOST_THREADS + 1, 1.5, "2", True])
def test_a_number_of_threads_that_is_none_is_refused(count) -> None:
    for make in (Crew, Threads, lambda count: bots.make("search:2", almunia.game("orchard"), 1, count)):
        with pytest.raises(
            almunia.SetupError, match=f"number of threads is a whole number from 1 to 1024, not {count!r}"
        ):
            make(count)
    assert not left_over()


def test_where_no_more_threads_can_be_started_those_that_were_are_ended(monkeypatch) -> None:
    def refuse(thread: Thread) -> None:
        if len(crews()) == 3:
            raise RuntimeError("can't start new thread")
        start(thread)

    monkeypatch.setattr(threads, "start", refuse)
    with pytest.raises(almunia.SetupError, match="no more than 3 threads can be started"):
        side_by_side(sleep, [0.01] * 9)
    assert not left_over()


def test_what_waits_is_dropped() -> None:
    done = []
    with Crew(1) as crew:
        first = crew.submit(done.append, 1)
        first_done([first])
        crew.submit(sleep, 0.2)
        crew.submit(done.append, 2)
    assert done == [1]
    for thread in crews():
        thread.join(30)
    assert not left_over()


def test_a_thread_that_is_just_being_started_is_not_ended_instead(monkeypatch) -> None:
    """It has the number of the one that starts it for a moment."""
    lost: list[object] = []
    monkeypatch.setattr(sys, "unraisablehook", lost.append)

    def work() -> None:
        while True:
            start(Thread(target=int))

    for _ in range(200):
        with Crew(1) as crew:
            crew.submit(work)
            sleep(0.001)
    assert not lost
    assert not left_over()
