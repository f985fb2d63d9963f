"""Functions that kernels call are lowered to bitcode once; only entry points are optimized as a whole."""

from pathlib import Path
from types import FunctionType
from typing import Any

import pytest
from numba.core.codegen import CPUCodeLibrary

from almunia.engine.numba import enable_caching, widen_int_arguments
from almunia.engine.numba_dispatcher import BitcodeLibrary, KernelDispatcher

pytestmark = pytest.mark.slow  # what comes first gets Numba's compiler ready


def function(plain: FunctionType) -> Any:
    """Return a function as the compiled build makes it."""
    made = KernelDispatcher(plain)
    widen_int_arguments(made.part)
    return made


def test_only_entry_points_are_optimized(monkeypatch: pytest.MonkeyPatch) -> None:
    optimised: list[str] = []

    def optimise(library: Any) -> None:
        optimised.append(library.name.rpartition(".")[2])
        inner(library)

    inner = CPUCodeLibrary._optimize_final_module
    monkeypatch.setattr(CPUCodeLibrary, "_optimize_final_module", optimise)

    @function
    def deepest(n: Any) -> Any:
        return 3 * n

    @function
    def middle(n: Any) -> Any:
        return deepest(n) + deepest(n + 1)

    @function
    def outermost(n: Any) -> Any:
        return middle(n) - 1

    assert outermost(5) == 15 + 18 - 1
    ours = {"outermost", "middle", "deepest"}
    assert [name for name in optimised if name in ours] == ["outermost"]
    (part,) = middle.part.overloads.values()
    assert isinstance(part.library, BitcodeLibrary)
    assert not middle.overloads

    assert middle(5) == 33  # what Python calls later becomes machine code then
    assert [name for name in optimised if name in ours] == ["outermost", "middle"]


def test_recursive_functions_compile() -> None:
    @function
    def product(n: Any) -> Any:
        if n < 2:
            return 1
        return n * product(n - 1)

    assert product(10) == 3628800


def test_an_error_in_a_called_function_keeps_its_arguments() -> None:
    @function
    def checked(n: Any) -> Any:
        if n > 6:
            raise ValueError("too many", n)
        return n

    @function
    def doubled(n: Any) -> Any:
        return 2 * checked(n)

    assert doubled(6) == 12
    with pytest.raises(ValueError, match="too many") as error:
        doubled(7)
    assert error.value.args == ("too many", 7)


def test_a_cached_function_is_linked_into_another_caller(tmp_path: Path) -> None:
    def third(n: Any) -> Any:
        if n < 0:
            raise ValueError("below nothing", n)
        return n // 3

    def made() -> Any:
        part = function(third)
        enable_caching(part, tmp_path)
        return part

    first, second = made(), made()

    @function
    def one(n: Any) -> Any:
        return first(n) + 1

    @function
    def other(n: Any) -> Any:
        return second(n) + 2

    assert (one(9), other(9)) == (4, 5)
    assert sum(first.part.stats.cache_hits.values()) == 0
    assert sum(second.part.stats.cache_hits.values()) == 1
    with pytest.raises(ValueError, match="below nothing"):
        other(-1)
    assert second(9) == 3  # the whole is another file
    assert sum(second.stats.cache_hits.values()) == 0


def test_a_cached_entry_point_is_loaded_as_machine_code(tmp_path: Path) -> None:
    def half(n: Any) -> Any:
        return n // 2

    def made() -> Any:
        whole = function(half)
        enable_caching(whole, tmp_path)
        return whole

    first, second = made(), made()
    assert (first(8), second(8)) == (4, 4)
    assert sum(second.stats.cache_hits.values()) == 1
    (result,) = second.overloads.values()
    assert result.library._shared_module is None

    @function
    def other(n: Any) -> Any:
        return second(n) + 1

    assert other(8) == 5, "it takes the part"
