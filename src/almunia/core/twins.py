"""Twins of plain modules: the same text, run another way.

A rules module is plain Python on plain names. A twin is a copy of it in which every function of
ours has been handed to a wrapper (Numba's compiler, or nothing) and every table to another (a
checker of bounds, or nothing). The module itself is never touched.
"""

import sys
import types
from collections.abc import Callable
from typing import Any

import numpy as np

PACKAGE = __name__.partition(".")[0]


def same(thing: Any) -> Any:
    """The wrapper that leaves a thing as it is."""
    return thing


class Twins:
    """A family of twins that call one another.

    `function` and `table` wrap the functions and the NumPy arrays of every module whose top
    package is ours or one of `roots`; modules from elsewhere stay as they are.
    """

    def __init__(
        self,
        function: Callable[[Any], Any] = same,
        table: Callable[[np.ndarray], Any] = same,
        roots: tuple[str, ...] = (),
    ) -> None:
        self._function, self._table = function, table
        self._roots = {PACKAGE, *roots}
        self._modules: dict[str, types.ModuleType] = {}
        self._functions: dict[types.FunctionType, Any] = {}

    def of(self, module: types.ModuleType, **given: Any) -> Any:
        """The twin of `module`, in which the names `given` stand for what the caller supplies."""
        if module.__name__ not in self._modules:
            twin = self._modules[module.__name__] = types.ModuleType(module.__name__, module.__doc__)
            for name, thing in vars(module).items():
                twin.__dict__[name] = self._of(thing)
            twin.__dict__.update(given)
        return self._modules[module.__name__]

    def _of(self, thing: Any) -> Any:
        match thing:
            case types.FunctionType() if self._ours(thing.__module__):
                return self._of_function(thing)
            case types.ModuleType() if self._ours(thing.__name__):
                return self.of(thing)
            case np.ndarray():
                return self._table(thing)
        return thing

    def _of_function(self, function: types.FunctionType) -> Any:
        if function not in self._functions:
            space = self.of(sys.modules[function.__module__]).__dict__
            if function in self._functions:  # made while its module's twin was being filled
                return self._functions[function]
            copy = types.FunctionType(function.__code__, space, function.__name__, function.__defaults__)
            copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
            copy.__doc__ = function.__doc__
            self._functions[function] = self._function(copy)
        return self._functions[function]

    def _ours(self, name: str) -> bool:
        return name.partition(".")[0] in self._roots
