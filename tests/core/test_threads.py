"""Crews: threads that end when nobody waits for what they do."""

import sys
from threading import Event, Thread, enumerate as all_threads
from time import sleep

import pytest

from almunia.core.threads import NAME, Crew, Ended, first_done, left_over, side_by_side, start


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


def test_what_waits_is_dropped() -> None:
    done = []
    with Crew(1) as crew:
        first = crew.submit(done.append, 1)
        first_done([first])
        crew.submit(sleep, 0.2)
        crew.submit(done.append, 2)
    assert done == [1]
    for thread in all_threads():
        if isinstance(thread, Thread) and thread.name == NAME:
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
