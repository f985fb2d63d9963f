"""Integer arguments are widened, so that Numba compiles one version of a function for all integer types."""

from enum import IntEnum
from functools import cached_property
from random import Random
from typing import Any

import numba
import numpy as np
import pytest

from almunia.engine import numba as compiled
from almunia.engine.numba import enum_to_namedtuple, read_only_copy, widen_int_arguments
from almunia.engine.specialize import ModuleSpecializer
from almunia.library import Game

pytestmark = pytest.mark.slow  # what comes first gets Numba's compiler ready


class Fruit(IntEnum):
    APPLE = 3
    PEAR = 5


def test_a_function_is_compiled_once_for_all_integer_types() -> None:
    @widen_int_arguments
    @numba.njit
    def doubled(number: Any, more: Any = 0) -> Any:
        return 2 * number + more

    @numba.njit
    def caller(small: Any, large: Any) -> Any:
        return doubled(7) + doubled(8) + doubled(small) + doubled(number=small) + doubled(large)

    assert caller(np.int8(100), 10**9) == 2 * (7 + 8 + 100 + 100 + 10**9)
    assert [signature[0] for signature in doubled.signatures] == [numba.int64]


def test_other_types_are_not_widened() -> None:
    @widen_int_arguments
    @numba.njit
    def same(number: Any) -> Any:
        return number

    @numba.njit
    def caller(mark: Any, half: Any, yes: Any) -> Any:
        return same(mark), same(half), same(yes)

    assert caller(np.uint64(2**64 - 1), 0.5, True) == (2**64 - 1, 0.5, True)
    assert {signature[0] for signature in same.signatures} == {numba.uint64, numba.float64, numba.boolean}


def test_enumerations_are_converted_to_named_tuples() -> None:
    numbers = enum_to_namedtuple("Fruit", Fruit)
    assert (numbers.APPLE, numbers.PEAR) == (3, 5)
    assert type(numbers.APPLE) is int
    for thing in (Fruit.APPLE, int, 7):
        assert enum_to_namedtuple("thing", thing) is thing


def test_a_function_that_cannot_be_cached_runs(monkeypatch, caplog) -> None:
    """A full disk causes one warning, and the compiled function is used."""

    def double(number):
        return 2 * number

    def full(*_: object) -> None:
        raise OSError(28, "No space left on device")

    compiled.warn_cache_unwritable.cache_clear()
    for _ in range(2):
        function = compiled.compiled_in_worker(numba.njit(double))
        monkeypatch.setattr(function._cache, "save_overload", full)
        assert function(4) == 8
    assert [record.getMessage().partition(":")[0] for record in caplog.records] == [
        "Machine code cannot be cached on disk, so it is compiled again at each start",
    ]


class AsItComes(Game):
    """A build by Numba without our dispatcher and our cache."""

    @cached_property
    def backend(self) -> Any:
        def function(plain: Any) -> Any:
            return widen_int_arguments(numba.njit(plain, error_model="numpy"))

        return self.make_backend(
            lambda roots: ModuleSpecializer(function, read_only_copy, roots, value=enum_to_namedtuple)
        )


def played(game: Game, seed: int) -> bytes:
    """Return a play of two seats, played at random to the end."""
    play, rng = game.new(2, seed), Random(seed)
    while not play.over:
        play.apply(rng.choice(play.legal_actions))
    return play.to_bytes()


@pytest.mark.exhaustive  # what Numba's next version might change
def test_unmodified_numba_gives_equal_plays() -> None:
    alone, checked = AsItComes("orchard"), Game("orchard", "plain")
    for seed in range(5):
        assert played(alone, seed) == played(checked, seed)
