"""Twins of plain modules: the same text, run another way.

A rules module is plain Python on plain names. A twin is a copy of it in which every function of
ours has been handed to a wrapper (Numba's compiler, or nothing) and every table to another (a
checker of bounds, or nothing). The module itself is never touched.

Ours are the modules of this package and of the game's, and those that somebody writes for research: any
source file that is not installed as a library.
"""

import sys
import types
from collections.abc import Callable, Iterable, Iterator, Mapping
from contextlib import suppress
from functools import cache
from pathlib import Path
from sysconfig import get_paths
from typing import Any

import numpy as np

PACKAGE = __name__.partition(".")[0]
INSTALLED = {"site-packages", "dist-packages"}  # folders of libraries, beside those that Python itself names


def same(thing: Any) -> Any:
    """The wrapper that leaves a thing as it is."""
    return thing


def as_it_is(_name: str, thing: Any) -> Any:
    """What leaves a value of a module as it is."""
    return thing


class ModuleSpecializer:
    """A family of twins that call one another.

    `function` and `table` wrap the functions and the NumPy arrays of every module that is ours, and `value` what
    else stands there, told its name; modules from elsewhere stay as they are. `roots` are top packages that
    are ours too. A module that annotates a name without giving it a value, such as `rules: Any`, finds in it what
    was given to the family under that name. `settled` is called with the functions made, once all the
    modules they need are complete.
    """

    def __init__(
        self,
        function: Callable[[types.FunctionType], Any] = same,
        table: Callable[[np.ndarray], Any] = same,
        roots: tuple[str, ...] = (),
        settled: Callable[["ModuleSpecializer", list[types.FunctionType]], None] = lambda _twins, _made: None,
        value: Callable[[str, Any], Any] = as_it_is,
    ) -> None:
        self._function, self._table, self._value, self._settled = function, table, value, settled
        self.roots = {PACKAGE, *roots}
        self._guests: set[str] = set()  # top packages that somebody asks for by a module of theirs
        self.given: dict[str, types.ModuleType] = {}
        self.functions: dict[types.FunctionType, Any] = {}
        self._modules: dict[str, types.ModuleType] = {}
        self._origins: dict[str, dict[str, Any]] = {}  # what stood in a module when its twin was made
        self._making: list[types.FunctionType] = []
        self._begun: list[str] = []  # modules whose twins are being made

    def give(self, **modules: types.ModuleType) -> None:
        """Let the twins of `modules` stand under these names wherever they are asked for."""
        self.given.update(modules)
        for module in modules.values():
            self.of(module)

    def of(self, module: types.ModuleType) -> Any:
        """The twin of `module`; all or nothing is made of what it needs."""
        if module.__name__ in self._modules:
            return self._modules[module.__name__]
        outermost = not self._begun
        try:
            twin = self._twin(module)
            if outermost:
                self._settled(self, self._making)
        except BaseException:
            if outermost:
                self._drop(self._begun, self._making)
            raise
        finally:
            if outermost:
                self._begun, self._making = [], []
        return twin

    def _twin(self, module: types.ModuleType) -> types.ModuleType:
        twin = self._modules[module.__name__] = types.ModuleType(module.__name__, module.__doc__)
        origin = self._origins[module.__name__] = dict(vars(module))
        self._begun.append(module.__name__)
        for name, thing in list(origin.items()):
            made = self._of(thing)
            twin.__dict__[name] = self._value(name, made) if made is thing and name[:2] != "__" else made
            if isinstance(thing, (np.ndarray, tuple)):
                origin[name] = made
        for name, asked in self.asked(origin):
            twin.__dict__[name] = self.of(asked)
        return twin

    def origin(self, name: str) -> dict[str, Any]:
        """What stood in a module when its twin was made, whatever has become of it; tables as the twin has them."""
        return self._origins[name]

    def _drop(self, modules: list[str], functions: list[types.FunctionType]) -> None:
        for name in modules:
            del self._modules[name], self._origins[name]
        for function in functions:
            del self.functions[function]

    def forget_guests(self) -> None:
        """Drop the twins of modules that belong to no root, so that they are made from what those modules are now."""
        guests = [name for name in self._modules if not self.at_home(name)]
        self._drop(guests, [function for function in self.functions if not self.at_home(function.__module__)])

    def asked(self, names: Mapping[str, Any]) -> Iterator[tuple[str, types.ModuleType]]:
        """The names that a module leaves open, with the modules given for them."""
        for name in names.get("__annotations__", ()):
            if name in self.given and name not in names:
                yield name, self.given[name]

    def needs(self, names: Mapping[str, Any]) -> set[str]:
        """The names of our modules whose functions, tables or names are used by a module in which these names stand."""
        used = [asked.__name__ for _, asked in self.asked(names)]
        for thing in parts(names.values()):
            if isinstance(thing, types.ModuleType):
                used.append(thing.__name__)
            elif function := plain_function(thing):
                used += [found.__module__ or "" for found in with_closures(function)]
        return {name for name in used if name in sys.modules and self.ours(name)}

    def _of(self, thing: Any) -> Any:
        function = plain_function(thing)
        if function and self.ours(function.__module__ or ""):
            return self._of_function(function)
        match thing:
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
            cells = tuple(types.CellType() for _ in function.__closure__ or ())
            self.functions[function] = self._function(copied(function, space, cells))
            self._making.append(function)
            for cell, known in zip(cells, function.__closure__ or (), strict=True):
                with suppress(ValueError):  # nothing has been put into it
                    cell.cell_contents = self._of(known.cell_contents)
        return self.functions[function]

    def ours(self, name: str) -> bool:
        """Is this module one of those that get twins?"""
        return self.at_home(name) or name.partition(".")[0] in self._guests or of_somebody(name)

    def at_home(self, name: str) -> bool:
        """Does this module belong to a root?"""
        return name.partition(".")[0] in self.roots

    def welcome(self, module: types.ModuleType) -> None:
        """Let a module and its package be ours, even if it is installed as a library."""
        self._guests.add(module.__name__.partition(".")[0])


def parts(things: Iterable[Any]) -> Iterator[Any]:
    """These things, and those in tuples among them."""
    for thing in things:
        yield thing
        if isinstance(thing, tuple):
            yield from parts(thing)


def of_somebody(name: str) -> bool:
    """Is this module a source file of somebody's own, and not of a library that is installed?"""
    file = getattr(sys.modules.get(name), "__file__", None)
    return name != "__main__" and bool(file) and not installed(file)


@cache
def installed(file: str) -> bool:
    """Does this file belong to Python or a library, or is it no source at all?"""
    path = Path(file).resolve()
    libraries = (Path(folder).resolve() for what, folder in get_paths().items() if what.endswith("lib"))
    return path.suffix != ".py" or bool(INSTALLED & set(path.parts)) or any(map(path.is_relative_to, libraries))


def plain_function(thing: Any) -> types.FunctionType | None:
    """The Python function that a thing is, or that somebody has handed to Numba already."""
    if type(thing).__module__.startswith("numba."):
        thing = getattr(thing, "py_func", None)
    return thing if isinstance(thing, types.FunctionType) else None


def with_closures(function: types.FunctionType) -> list[types.FunctionType]:
    """A function, and those that it has closed over."""
    found = [function]
    for known in found:
        inner = map(plain_function, closed_over(known))
        found += [other for other in inner if other and other not in found]
    return found


def closed_over(function: types.FunctionType) -> Iterator[Any]:
    """What a function has taken along from around its definition."""
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # nothing has been put into it
            yield cell.cell_contents


def copied(
    function: types.FunctionType, space: dict[str, Any], cells: tuple[types.CellType, ...]
) -> types.FunctionType:
    """The same function among other names."""
    copy = types.FunctionType(function.__code__, space, function.__name__, function.__defaults__, cells or None)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    copy.__doc__ = function.__doc__
    return copy
