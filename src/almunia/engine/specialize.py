"""Specialized copies of modules: the same source, run by another backend.

A backend may wrap every function of a module (in Numba's compiler) and every table (in a checker of bounds). The module
itself is never changed.

The modules of this package, of the game's package and of users are specialized. A user's module is a source file that
is not installed as a library, or belongs to a package that was passed to `game.kernel`. All other modules are used
unchanged.
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
LIBRARY_FOLDERS = {"site-packages", "dist-packages"}  # in addition to those of `sysconfig`


def identity(thing: Any) -> Any:
    return thing


def keep_value(_name: str, thing: Any) -> Any:
    return thing


class ModuleSpecializer:
    """A backend: the specialized modules that call one another.

    A module that annotates a name without a value, such as `rules: Any`, gets the injected module of that name.

    Args:
        function: wraps every function.
        table: wraps every NumPy array.
        roots: top packages whose modules are specialized, too.
        on_complete: called with the new functions, after all modules that they need are complete.
        value: wraps every other value of a module, except dunder names; called with the name and the value.
    """

    def __init__(
        self,
        function: Callable[[types.FunctionType], Any] = identity,
        table: Callable[[np.ndarray], Any] = identity,
        roots: tuple[str, ...] = (),
        on_complete: Callable[["ModuleSpecializer", list[types.FunctionType]], None] = lambda _backend, _made: None,
        value: Callable[[str, Any], Any] = keep_value,
    ) -> None:
        self._function, self._table, self._value, self._on_complete = function, table, value, on_complete
        self.roots = {PACKAGE, *roots}
        self._user_packages: set[str] = set()  # top packages of modules that a user has passed to `game.kernel`
        self.injected: dict[str, types.ModuleType] = {}
        self.functions: dict[types.FunctionType, Any] = {}
        self._modules: dict[str, types.ModuleType] = {}
        self._sources: dict[str, dict[str, Any]] = {}  # namespaces at the time of copying
        self._new_functions: list[types.FunctionType] = []
        self._new_modules: list[str] = []  # names of modules that are being copied

    def inject(self, **modules: types.ModuleType) -> None:
        """Bind names that modules annotate without a value, such as `rules`, to these modules."""
        self.injected.update(modules)
        for module in modules.values():
            self.specialize(module)

    def specialize(self, module: types.ModuleType) -> Any:
        """Return the specialized copy of a module, and copy its dependencies. If a copy fails, keep no new copy."""
        if module.__name__ in self._modules:
            return self._modules[module.__name__]
        outermost = not self._new_modules
        try:
            copy = self._copy_module(module)
            if outermost:
                self._on_complete(self, self._new_functions)
        except BaseException:
            if outermost:
                self._drop(self._new_modules, self._new_functions)
            raise
        finally:
            if outermost:
                self._new_modules, self._new_functions = [], []
        return copy

    def _copy_module(self, module: types.ModuleType) -> types.ModuleType:
        source = module_namespace(module)  # first, since a module's annotations may fail
        copy = self._modules[module.__name__] = types.ModuleType(module.__name__, module.__doc__)
        self._sources[module.__name__] = source
        self._new_modules.append(module.__name__)
        for name, thing in list(source.items()):
            made = self._specialized(thing)
            copy.__dict__[name] = self._value(name, made) if made is thing and name[:2] != "__" else made
            if isinstance(thing, (np.ndarray, tuple)):
                source[name] = made
        for name, injected in self.open_names(source):
            copy.__dict__[name] = self.specialize(injected)
        return copy

    def source_namespace(self, name: str) -> dict[str, Any]:
        """Return a module's namespace at the time of copying, with the tables of the specialized copy."""
        return self._sources[name]

    def _drop(self, modules: list[str], functions: list[types.FunctionType]) -> None:
        for name in modules:
            del self._modules[name], self._sources[name]
        for function in functions:
            del self.functions[function]

    def drop_user_modules(self) -> None:
        """Drop the copies of user modules, so that the next use copies the current source."""
        modules = [name for name in self._modules if not self.is_internal(name)]
        self._drop(modules, [function for function in self.functions if not self.is_internal(function.__module__)])

    def open_names(self, names: Mapping[str, Any]) -> Iterator[tuple[str, types.ModuleType]]:
        """Yield the names that a namespace annotates without a value, with the modules injected for them."""
        for name in names["__annotations__"]:
            if name in self.injected and name not in names:
                yield name, self.injected[name]

    def dependencies(self, names: Mapping[str, Any]) -> set[str]:
        """Return the names of the specialized modules that the functions of a module with this namespace use.

        Submodules that a package holds only because another module has imported them are left out.
        """
        read = names_in_code(names)
        modules = [names[name] for name in read if isinstance(names.get(name), types.ModuleType)]
        for module in modules:  # and their modules, as in `components.cards.COUNT`
            inner = (vars(module).get(name) for name in read)
            modules += [found for found in inner if isinstance(found, types.ModuleType) and found not in modules]
        used = [module.__name__ for module in (*modules, *(injected for _, injected in self.open_names(names)))]
        for thing in flatten_tuples(names.values()):
            if function := plain_function(thing):
                used += [found.__module__ or "" for found in closure_functions(function)]
        return {name for name in used if name in sys.modules and self.is_specialized(name)}

    def _specialized(self, thing: Any) -> Any:
        function = plain_function(thing)
        if function and self.is_specialized(function.__module__ or ""):
            return self._specialized_function(function)
        match thing:
            case types.ModuleType() if self.is_specialized(thing.__name__):
                return self.specialize(thing)
            case np.ndarray():
                return self._table(thing)
            case tuple() if any(isinstance(part, np.ndarray) for part in flatten_tuples(thing)):
                parts = map(self._specialized, thing)
                return tuple(parts) if type(thing) is tuple else type(thing)(*parts)
        return thing

    def _specialized_function(self, function: types.FunctionType) -> Any:
        if function not in self.functions:
            space = self.specialize(sys.modules[function.__module__]).__dict__
            if function in self.functions:  # made while its module was being copied
                return self.functions[function]
            cells = tuple(types.CellType() for _ in function.__closure__ or ())
            self.functions[function] = self._function(rebind(function, space, cells))
            self._new_functions.append(function)
            for cell, known in zip(cells, function.__closure__ or (), strict=True):
                with suppress(ValueError):  # an empty cell
                    cell.cell_contents = self._specialized(known.cell_contents)
        return self.functions[function]

    def is_specialized(self, name: str) -> bool:
        """Return whether a module of this name is copied, and not used unchanged."""
        return self.is_internal(name) or name.partition(".")[0] in self._user_packages or is_user_source(name)

    def is_internal(self, name: str) -> bool:
        return name.partition(".")[0] in self.roots

    def add_user_package(self, module: types.ModuleType) -> None:
        """Mark a module's top package as a user's, so that its modules are specialized even if it is a library."""
        self._user_packages.add(module.__name__.partition(".")[0])


def module_namespace(module: types.ModuleType) -> dict[str, Any]:
    """Return a copy of a module's namespace, with its annotations.

    From Python 3.14 on, a module computes its annotations when they are first read, by a function `__annotate__`.
    """
    names = {"__annotations__": module.__annotations__, **vars(module)}
    names.pop("__annotate__", None)
    return names


def names_in_code(names: Mapping[str, Any]) -> set[str]:
    """Return the global names and attributes that the functions of a namespace use."""
    functions = [function for function in map(plain_function, names.values()) if function]
    return {name for function in functions for code in codes(function.__code__) for name in code.co_names}


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def flatten_tuples(things: Iterable[Any]) -> Iterator[Any]:
    for thing in things:
        yield thing
        if isinstance(thing, tuple):
            yield from flatten_tuples(thing)


def is_user_source(name: str) -> bool:
    """Return whether a module is a user's source file, and not part of an installed library."""
    file = getattr(sys.modules.get(name), "__file__", None)
    return name != "__main__" and bool(file) and not is_library_file(file)


@cache
def is_library_file(file: str) -> bool:
    """Return whether a file belongs to Python or a library, or is not Python source."""
    path = Path(file).resolve()
    libraries = (Path(folder).resolve() for what, folder in get_paths().items() if what.endswith("lib"))
    return path.suffix != ".py" or bool(LIBRARY_FOLDERS & set(path.parts)) or any(map(path.is_relative_to, libraries))


def plain_function(thing: Any) -> types.FunctionType | None:
    """Return a Python function, or the Python function of an object that Numba made; None for other objects."""
    if any(base.__module__.startswith("numba.") for base in type(thing).__mro__):
        thing = getattr(thing, "py_func", None)
    return thing if isinstance(thing, types.FunctionType) else None


def closure_functions(function: types.FunctionType) -> list[types.FunctionType]:
    """Return a function and the functions in its closure, directly or indirectly."""
    found = [function]
    for known in found:
        inner = map(plain_function, closure_values(known))
        found += [other for other in inner if other and other not in found]
    return found


def closure_values(function: types.FunctionType) -> Iterator[Any]:
    for cell in function.__closure__ or ():
        with suppress(ValueError):  # an empty cell
            yield cell.cell_contents


def rebind(
    function: types.FunctionType, space: dict[str, Any], cells: tuple[types.CellType, ...]
) -> types.FunctionType:
    copy = types.FunctionType(function.__code__, space, function.__name__, function.__defaults__, cells or None)
    copy.__kwdefaults__ = function.__kwdefaults__
    copy.__module__, copy.__qualname__ = function.__module__, function.__qualname__
    copy.__doc__ = function.__doc__
    return copy
