"""An interruption waits until Numba is between two passes over a function, and is raised there."""

import os
import signal
from collections.abc import Iterator
from contextlib import contextmanager
from threading import Event, enumerate as all_threads
from typing import Any
from weakref import WeakKeyDictionary

import numba
import pytest
from numba.core import event

from almunia.engine import interrupts
from almunia.engine.interrupts import deferred, heed
from almunia.engine.numba import heed_between_passes, uninterrupted
from almunia.engine.pool import WorkerPool

posix = pytest.mark.skipif(os.name == "nt", reason="Windows has no SIGINT that a process could send to itself")


@pytest.fixture(autouse=True)
def interruptible() -> Iterator[None]:
    """As a program is that was started at a terminal: one that was started in the background ignores Ctrl-C."""
    before = signal.signal(signal.SIGINT, signal.default_int_handler)
    yield
    assert signal.getsignal(signal.SIGINT) is signal.default_int_handler
    assert not any(interrupts.DEPTHS.values())
    assert not interrupts.MEANT
    signal.signal(signal.SIGINT, before)


@contextmanager
def at_each_pass(do: Any) -> Iterator[None]:
    """Do something at the start of each pass over a function, with the function's name and the pass'."""

    class Listener(event.Listener):  # type: ignore[misc]
        def on_start(self, event: event.Event) -> None:
            do(event.data["qualname"], event.data["name"].partition(" ")[0])

        def on_end(self, _event: event.Event) -> None:
            pass

    listener = Listener()
    event.register("numba:run_pass", listener)
    try:
        yield
    finally:
        event.unregister("numba:run_pass", listener)


@posix
def test_an_interruption_waits_for_the_end_of_the_block() -> None:
    reached = []

    def interrupted(within: str) -> None:
        with deferred():
            signal.raise_signal(signal.SIGINT)
            reached.append(within)

    with pytest.raises(KeyboardInterrupt):
        interrupted("alone")
    with deferred(), pytest.raises(KeyboardInterrupt):
        interrupted("another block")
    assert reached == ["alone", "another block"]


@posix
def test_an_interruption_is_raised_where_it_does_no_harm() -> None:
    with deferred():
        heed()
        signal.raise_signal(signal.SIGINT)
        with pytest.raises(KeyboardInterrupt):
            heed()
        heed()


@posix
def test_a_way_of_its_own_is_left_to_the_program() -> None:
    heard = []
    signal.signal(signal.SIGINT, lambda *_: heard.append(1))
    try:
        with deferred():
            signal.raise_signal(signal.SIGINT)
            assert heard
    finally:
        signal.signal(signal.SIGINT, signal.default_int_handler)


@pytest.mark.slow
@posix
@pytest.mark.parametrize("where", ["outer", "inner"])
def test_a_function_can_be_compiled_after_an_interruption(where: str) -> None:
    @uninterrupted
    @numba.njit
    def inner(number: Any) -> Any:
        return number + 1

    @uninterrupted
    @numba.njit
    def outer(number: Any) -> Any:
        return inner(number) * 2

    passes = []

    def interrupt(name: str, step: str) -> None:
        passes.append(step)
        if name.endswith(where) and step == "native_lowering":
            signal.raise_signal(signal.SIGINT)
            passes.append("went on")

    heed_between_passes()
    with at_each_pass(interrupt), pytest.raises(KeyboardInterrupt):
        outer(3)
    assert passes[-2:] == ["native_lowering", "went on"]
    assert outer(3) == 8


@pytest.mark.slow
def test_a_thread_of_a_crew_ends_between_two_passes(monkeypatch: pytest.MonkeyPatch) -> None:
    at_it, told, passes = Event(), Event(), []

    class Meant(WeakKeyDictionary):  # type: ignore[type-arg]
        """What is meant for threads; tells when something is."""

        def __setitem__(self, thread: Any, error: Any) -> None:
            super().__setitem__(thread, error)
            told.set()

    @uninterrupted
    @numba.njit
    def doubled(number: Any) -> Any:
        return number * 2

    def wait(_name: str, step: str) -> None:
        passes.append(step)
        if step == "native_lowering":
            at_it.set()
            assert told.wait(60)
            passes.append("went on")

    monkeypatch.setattr(interrupts, "MEANT", Meant())
    heed_between_passes()
    others = set(all_threads())  # of batches, say, that nobody has thrown away yet
    with at_each_pass(wait), WorkerPool(1) as crew:
        crew.submit(doubled, 3)
        assert at_it.wait(60)
    assert set(all_threads()) <= others
    assert passes[-2:] == ["native_lowering", "went on"]
    assert doubled(3) == 6
