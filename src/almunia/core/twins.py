"""Twins of plain modules: the same text, run another way.

A rules module is plain Python on plain names. A twin is a copy of it in which every function of
ours has been handed to a wrapper (Numba's compiler, or nothing) and every table to another (a
checker of bounds, or nothing). The module itself is never touched.
"""

import sys
import types
from collections.abc import Callable, Iterator
from typing import Any

import numpy as np

PACKAGE = __name__.partition(".")[0]


def same(thing: Any) -> Any:
    """The wrapper that leaves a thing as it is."""
    return thing


class Twins:
    """A family of twins that call one another.

    `function` and `table` wrap the functions and the NumPy arrays of every module whose top
    package is ours or one of `roots`; modules from elsewhere stay as they are. A module that
    annotates a name without giving it a value, such as `rules: Any`, finds in it what was given
    to the family under that name. `settled` is called with the functions made, once all the
    modules they need are complete.
    """

    def __init__(
        self,
        function: Callable[[types.FunctionType], Any] = same,
        table: Callable[[np.ndarray], Any] = same,
        roots: tuple[str, ...] = (),
        settled: Callable[["Twins", list[types.FunctionType]], None] = lambda _twins, _made: None,
    ) -> None:
        self._function, self._table, self._settled = function, table, settled
        self.roots = {PACKAGE, *roots}
        self.given: dict[str, types.ModuleType] = {}
        self.functions: dict[types.FunctionType, Any] = {}
        self._modules: dict[str, types.ModuleType] = {}
        self._making: list[types.FunctionType] = []
        self._depth = 0

    def give(self, **modules: types.ModuleType) -> None:
        """Let the twins of `modules` stand under these names wherever they are asked for."""
        self.given.update(modules)
        for module in modules.values():
            self.of(module)

    def of(self, module: types.ModuleType) -> Any:
        """The twin of `module`."""
        if module.__name__ not in self._modules:
            self._depth += 1
            twin = self._modules[module.__name__] = types.ModuleType(module.__name__, module.__doc__)
            for name, thing in vars(module).items():
                twin.__dict__[name] = self._of(thing)
            for name, asked in self.asked(module):
                twin.__dict__[name] = self.of(asked)
            self._depth -= 1
            if not self._depth:
                made, self._making = self._making, []
                self._settled(self, made)
        return self._modules[module.__name__]

    def asked(self, module: types.ModuleType) -> Iterator[tuple[str, types.ModuleType]]:
        """The names that a module leaves open, with the modules given for them."""
        for name in getattr(module, "__annotations__", ()):
            if name in self.given and not hasattr(module, name):
                yield name, self.given[name]

    def needs(self, module: types.ModuleType) -> set[str]:
        """The names of our modules whose functions, tables or names a module uses itself."""
        used = [asked for _, asked in self.asked(module)]
        for thing in vars(module).values():
            if isinstance(thing, types.ModuleType):
                used.append(thing)
            elif isinstance(thing, types.FunctionType):
                used.append(sys.modules[thing.__module__])
        return {other.__name__ for other in used if self.ours(other.__name__)}

    def _of(self, thing: Any) -> Any:
        match thing:
            case types.FunctionType() if self.ours(thing.__module__):
                return self._of_function(thing)
            case types.ModuleType() if self.ours(thing.__name__):
                return self.of(thing)
            case np.ndarray():
                return self._table(thing)
            case tuple() if any(isinstance(part, np.ndarray) for part in thing):
                return tuple(self._of(part) for part in thing)
        return thing

    def _of_function(self, function: types.FunctionType) -> Any:
        if function not in self.functions:
            space = self.of(sys.modules[function.__module__]).__dict__
            if function in self.functions:  # made while its module's twin was being filled
                return self.functions[function]
            self.functions[function] = self._function(copied(function, space))
            self._making.append(function)
        return self.functions[function]

    def ours(self, name: str) -> bool:
        """Is this module one of those that get twins?"""
        return name.partition(".")[0] in self.roots


def copied(function: types.FunctionType, space: dict[str, Any]) -> types.FunctionType:
    """The same function among other names."""
    copy = types.FunctionType(function.__code__, space, function.__name__, function.__defaults__, function.__closure__)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    copy.__doc__ = function.__doc__
    return copy
