"""LoadedGame: the modules of one game and the build in which they run. A module is imported when it is first needed."""

import json
import sys
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from hashlib import sha256
from importlib import import_module
from threading import RLock
from types import ModuleType
from typing import Any, Literal

import numpy as np

from ..engine.checked import CheckedArray, checked_backend
from ..engine.code_hash import digest
from ..engine.state_dtype import States, zeros
from ..errors import SetupError
from ..files import package_file
from ..validation import is_int, is_one_of
from . import optional
from .contract import Meta
from .kernels import defaults, evaluation, play
from .optional import with_defaults
from .options import read_options

Build = Literal["compiled", "plain"]
_SPECIALIZE_LOCK = RLock()  # one thread at a time specializes modules


class locked_cached_property(cached_property[Any]):  # noqa: N801 - a decorator, as its base is
    """A cached property that is computed once, even if several threads read it at the same time."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        with _SPECIALIZE_LOCK:
            return super().__get__(instance, owner)


class LoadedGame:
    """The modules of one game, ready to run in one build."""

    def __init__(self, name: str, package: str, meta: Meta, build: Build) -> None:
        if not is_one_of(build, ("compiled", "plain")):
            raise SetupError(f"There is no build {build!r}; choose 'compiled' or 'plain'.")
        self.name, self.package, self.meta, self.build = name, package, meta, build
        self._code_hashes: dict[str, str] = {}  # of user modules, when they were specialized
        self._linked_backends: dict[tuple[tuple[str, str], ...], Any] = {}  # by names and code hashes of linked modules

    def __repr__(self) -> str:
        return f"<Game {self.name}, {self.build}>"

    # --- modules ----------------------------------------------------------------------

    @cached_property
    def rules(self) -> optional.RulesModule:
        """The module `rules`: the state, and how actions change it."""
        rules = self._module("rules")
        return with_defaults(rules, optional.OptionalRules, vars(defaults) | {"NUM_ACTION_KEYS": rules.ACTIONS})

    @cached_property
    def observe(self) -> optional.ObserveModule:
        """The module `observe`: the knowledge of a seat."""
        return with_defaults(self._module("observe"), optional.OptionalObserve, vars(defaults))

    @cached_property
    def bots(self) -> optional.OptionalBots:
        """The module `bots`: evaluations, and settings of searches. A game without this module has the defaults."""
        own = self._module("bots") if self.has("bots") else evaluation
        return with_defaults(own, optional.OptionalBots, vars(evaluation))

    @cached_property
    def text(self) -> optional.TextModule:
        """The module `text`, for reading states: the position in words."""
        return with_defaults(self.checked(self._module("text")), optional.OptionalText)

    @property
    def has_pictures(self) -> bool:
        """Whether the game draws its positions: it has a module `view`."""
        return self.has("view")

    @cached_property
    def view(self) -> optional.ViewModule:
        """The module `view`, for reading states: the position as pictures. It needs svg.py. Default: a `TextView`."""
        if not self.has_pictures:
            from .text_view import TextView  # needs svg.py

            return TextView(self.text)
        return with_defaults(self.checked(self._module("view")), optional.OptionalView)

    def _module(self, name: str) -> Any:
        return import_module(f"{self.package}.{name}")

    def has(self, name: str) -> bool:
        """Return whether the game's folder has a module of this name."""
        return any(self.file(place).is_file() for place in (f"{name}.py", f"{name}/__init__.py"))

    def file(self, name: str) -> Any:
        """Return the path of a file in the game's folder, such as `RULES.md`; the file need not exist."""
        return package_file(self.package, name)

    @cached_property
    def components_hash(self) -> str:
        """A short hash of the component tables that the rules depend on; records contain it."""
        box = self._module("components")
        tables = {name: box.DATA[name] for name in box.TABLES}
        return sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()[:12]

    @cached_property
    def tensor_dtype(self) -> Any:
        """The dtype of an observation as numbers: a record of its named parts."""
        return np.dtype([(name, np.float32, shape) for name, shape in self.observe.TENSOR_SHAPES.items()])

    @cached_property
    def tensor_size(self) -> int:
        """The number of float32 values in an observation."""
        return int(self.tensor_dtype.itemsize) // 4

    # --- backends ---------------------------------------------------------------------

    @locked_cached_property
    def backend(self) -> Any:
        """The backend of this game's build."""
        return self._build_backend()

    def _build_backend(self) -> Any:
        if self.build == "plain":
            return self.make_backend(partial(checked_backend, must_compile=True))
        from ..engine.numba import numba_backend  # late: importing Numba takes longer than all else

        return self.make_backend(partial(numba_backend, self.name, title=self.meta.title))

    @locked_cached_property
    def _checked_backend(self) -> Any:
        return self.make_backend(checked_backend)

    def make_backend(self, make: Callable[[tuple[str, ...]], Any]) -> Any:
        """Return the backend that `make` returns for the game's top package, with the game's modules injected."""
        backend = make((self.package.partition(".")[0],))
        backend.inject(rules=self.rules, observe=self.observe, bots=self.bots)
        return backend

    @cached_property
    def loops(self) -> Any:
        """The kernel module `play`, specialized for this game and build."""
        return self.kernel(play)

    def kernel(self, module: Any) -> Any:
        """Return a copy of a kernel module, of this package or your own, that runs this game in its build.

        Names that the module annotates without a value, such as `rules: Any`, are this game's modules (`rules`,
        `observe`, `bots`). Functions imported from other source files of yours run in the build, too. Call
        `kernel` again after an edit and a reload.

        Raises:
            SetupError: `module` is not a module that was imported from a source file.
        """
        with _SPECIALIZE_LOCK:
            backend = self.backend
            if not (isinstance(module, ModuleType) and backend.is_internal(module.__name__)):
                self._drop_if_changed(check_user_module(module))
            return backend.specialize(module)

    def linked_kernel(self, module: ModuleType, **linked: ModuleType) -> Any:
        """Return a copy of a kernel module of this package, in which the names in `linked` are a user's modules.

        The kernel module annotates these names without a value, such as `evaluator: Any`.

        Raises:
            SetupError: a linked module was not imported from a source file.
        """
        with _SPECIALIZE_LOCK:
            for user_module in map(check_user_module, linked.values()):
                self.backend.add_user_package(user_module)
            key = tuple((name, digest(self.backend, linked[name].__name__)) for name in sorted(linked))
            if key not in self._linked_backends:
                backend = self._build_backend()
                for user_module in linked.values():
                    backend.add_user_package(user_module)
                backend.inject(**linked)
                self._linked_backends[key] = backend
            return self._linked_backends[key].specialize(module)

    def _drop_if_changed(self, module: ModuleType) -> None:
        self.backend.add_user_package(module)
        code_hash = digest(self.backend, module.__name__)
        if self._code_hashes.setdefault(module.__name__, code_hash) != code_hash:
            self._code_hashes = {module.__name__: code_hash}
            self.backend.drop_user_modules()

    def checked(self, module: Any) -> Any:
        """Return a copy of a module, such as `text` or kernel source, in checked Python, whatever the build."""
        with _SPECIALIZE_LOCK:
            if isinstance(module, ModuleType) and not self._checked_backend.is_internal(module.__name__):
                self._checked_backend.add_user_package(module)
            return self._checked_backend.specialize(module)

    def may_see(self, s: Any, seat: int) -> bool:
        """Return whether `seat` may know the action that is about to be chosen; `s` may be masked for that seat."""
        return bool(self.checked(self.observe).may_see(s, seat))

    def legal_is_public(self, s: Any) -> bool:
        """Return whether every seat knows the legal actions; `s` is the true state, or masked for any seat."""
        return not self.meta.has_hidden_information or bool(self.checked(self.observe).legal_is_public(s))

    def wrap(self, array: np.ndarray) -> Any:
        """Return an array for this build's kernels: unchanged if compiled, in a CheckedArray if plain."""
        if self.build == "compiled":
            return array
        return CheckedArray(array)

    def empty_state(self, options: Mapping[str, Any]) -> States:
        """Return a zeroed state, of shape (1,), with these options. Raise SetupError for unknown options or values."""
        chosen = read_options(self.meta.options, options)
        state = zeros(self.rules.STATE)
        for option in self.meta.options:
            state[option.name] = option.encode(chosen[option.name])
        return state

    def check_seats(self, seats: int | None) -> int:
        """Return a number of seats, by default the fewest possible.

        Raise SetupError if the game does not take the number.
        """
        low, high = self.meta.seats
        if seats is None:
            return low
        if not is_int(seats) or not low <= seats <= high:
            raise SetupError(f"{self.meta.title} takes {low} to {high} seats, not {seats!r}.")
        return int(seats)


def check_user_module(module: Any) -> ModuleType:
    """Return a user's module. Raise SetupError unless the module was imported from a source file under its name."""
    way_out = "Write the loop into a file of its own, import that, and give the module: game.kernel(counting)."
    if not isinstance(module, ModuleType):
        raise SetupError(f"A kernel is made from a module, not from {module!r}. {way_out}")
    name, file = module.__name__, getattr(module, "__file__", None) or ""
    if name == "__main__" or not file.endswith(".py"):
        raise SetupError(f"A kernel is made from a module that was imported from a file, not {name!r}. {way_out}")
    if sys.modules.get(name) is not module:
        raise SetupError(f"The module {name!r} is not in sys.modules under its name: import it in the usual way.")
    return module
