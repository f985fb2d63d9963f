"""Twins of plain modules: the same text, run another way.

A rules module is plain Python on plain names. A twin is a copy of it in which every function of
ours has been handed to a wrapper (Numba's compiler, or nothing) and every table to another (a
checker of bounds, or nothing). The module itself is never touched.
"""

import sys
import types
from collections.abc import Callable
from threading import RLock
from typing import Any

import numpy as np

PACKAGE = __name__.partition(".")[0]
MAKING = RLock()  # a twin is filled by one thread, and others wait until it is whole


def same(thing: Any) -> Any:
    """The wrapper that leaves a thing as it is."""
    return thing


class Twins:
    """A family of twins that call one another.

    `function` and `table` wrap the functions and the NumPy arrays of every module whose top
    package is ours or one of `roots`; modules from elsewhere stay as they are. A module that
    annotates a name without giving it a value, such as `rules: Any`, finds in it what was given
    to the family under that name.
    """

    def __init__(
        self,
        function: Callable[[Any], Any] = same,
        table: Callable[[np.ndarray], Any] = same,
        roots: tuple[str, ...] = (),
    ) -> None:
        self._function, self._table = function, table
        self.roots = {PACKAGE, *roots}
        self.given: dict[str, Any] = {}
        self._modules: dict[str, types.ModuleType] = {}
        self._functions: dict[types.FunctionType, Any] = {}

    def give(self, **modules: types.ModuleType) -> None:
        """Let the twins of `modules` stand under these names wherever they are asked for."""
        self.given.update({name: self.of(module) for name, module in modules.items()})

    def of(self, module: types.ModuleType) -> Any:
        """The twin of `module`."""
        with MAKING:
            return self._made(module)

    def _made(self, module: types.ModuleType) -> types.ModuleType:
        if module.__name__ not in self._modules:
            twin = self._modules[module.__name__] = types.ModuleType(module.__name__, module.__doc__)
            for name, thing in vars(module).items():
                twin.__dict__[name] = self._of(thing)
            for name in getattr(module, "__annotations__", ()):
                if name in self.given and not hasattr(module, name):
                    twin.__dict__[name] = self.given[name]
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
        return name.partition(".")[0] in self.roots
