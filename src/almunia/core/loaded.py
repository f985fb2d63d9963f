"""LoadedGame: the modules of one game and the build in which they run. Cheap until something of it is needed."""

import json
import sys
from collections.abc import Callable, Mapping
from functools import cached_property, partial
from hashlib import sha256
from importlib import import_module
from math import prod
from threading import RLock
from types import ModuleType
from typing import Any, Literal

import numpy as np

from ..engine.checked import CheckedArray, plain
from ..engine.code_hash import digest
from ..engine.state_dtype import States, blank, numbers
from ..errors import SetupError
from ..files import package_file
from ..validation import is_name, is_whole
from .contract import Meta, Observe, Rules, Text, View
from .kernels import evaluation, naming, play
from .options import read_options

Build = Literal["compiled", "plain"]
_MAKING = RLock()  # one thread at a time makes twins


class made_once(cached_property[Any]):  # noqa: N801 - a decorator, as its base is
    """Cache a property, and compute it once even if several threads ask at the same time."""

    def __get__(self, instance: Any, owner: type | None = None) -> Any:
        with _MAKING:
            return super().__get__(instance, owner)


class LoadedGame:
    """The modules of one game, ready to run in one build. It knows neither plays nor batches."""

    def __init__(self, name: str, package: str, meta: Meta, build: Build) -> None:
        if not is_name(build, ("compiled", "plain")):
            raise SetupError(f"There is no build {build!r}; choose 'compiled' or 'plain'.")
        self.name, self.package, self.meta, self.build = name, package, meta, build
        self._marks: dict[str, str] = {}  # digests of modules of somebody's own, when their twins were made

    def __repr__(self) -> str:
        return f"<Game {self.name}, {self.build}>"

    # --- modules ----------------------------------------------------------------------

    @cached_property
    def rules(self) -> Rules:
        """The module `rules` of the game's folder."""
        return self._module("rules")

    @cached_property
    def observe(self) -> Observe:
        """The module `observe` of the game's folder: what a seat may know."""
        return self._module("observe")

    @cached_property
    def bots(self) -> Any:
        """The game's `bots.py`, with the functions of `kernels.evaluation` for those it lacks."""
        return filled_up(self._module("bots"), evaluation) if self.has("bots") else evaluation

    @property
    def naming(self) -> ModuleType:
        """The module with `action_key`: the game's `rules` if its codes mean different things in different states."""
        rules: Any = self.rules
        return rules if hasattr(rules, "action_key") else naming

    @cached_property
    def text(self) -> Text:
        """The module `text`, for reading states: the position in words."""
        return self.plain_twin(self._module("text"))

    @cached_property
    def view(self) -> View:
        """The module `view`, for reading states: the position as pictures."""
        return self.plain_twin(self._module("view"))

    def _module(self, name: str) -> Any:
        return import_module(f"{self.package}.{name}")

    def has(self, name: str) -> bool:
        """Return whether the game's folder has a module of this name."""
        return any(self.file(place).is_file() for place in (f"{name}.py", f"{name}/__init__.py"))

    def file(self, name: str) -> Any:
        """Return a file of the game's folder, such as `RULES.md`, `view.css` or `components.toml`."""
        return package_file(self.package, name)

    @cached_property
    def components(self) -> str:
        """A short hash of the data that the rules depend on, by which records name the data they were played with."""
        box = self._module("components")
        tables = {name: box.DATA[name] for name in box.TABLES}
        return sha256(json.dumps(tables, sort_keys=True).encode()).hexdigest()[:12]

    @cached_property
    def tensor_parts(self) -> Any:
        """The dtype of an observation as numbers: a record of its named parts."""
        return numbers(self.observe.TENSOR_SHAPES)

    @cached_property
    def tensor_size(self) -> int:
        """How many numbers an observation has."""
        return sum(prod(shape) for shape in self.observe.TENSOR_SHAPES.values())

    # --- twins ------------------------------------------------------------------------

    @made_once
    def twins(self) -> Any:
        """The twins in which this game's build runs."""
        if self.build == "plain":
            return self.family(partial(plain, compiles=True))
        from ..engine.numba import compiled  # late: it loads Numba, which takes longer than everything else

        return self.family(partial(compiled, self.name, title=self.meta.title))

    @made_once
    def _plain(self) -> Any:
        """The plain twins in which words and pictures run, whatever the build."""
        return self.family(plain)

    def family(self, make: Callable[[tuple[str, ...]], Any]) -> Any:
        """Make a family of twins, and give this game's modules to the kernels that ask for them."""
        twins = make((self.package.partition(".")[0],))
        twins.give(rules=self.rules, observe=self.observe, bots=self.bots, naming=self.naming)
        return twins

    @cached_property
    def loops(self) -> Any:
        """The kernel `play`, running this game."""
        return self.kernel(play)

    def kernel(self, module: ModuleType) -> Any:
        """Return the twin of a kernel, one of ours or your own, running this game.

        In a twin, names that the module annotates and leaves open, such as `rules: Any`, are this game's modules
        (`rules`, `observe`, `bots`), its functions run in this game's build, and so do those that it imports from
        other source files of yours. Ask for the kernel again after an edit and a reload.

        Raises:
            SetupError: not a module that was imported from a source file.
        """
        with _MAKING:
            twins = self.twins
            if not (isinstance(module, ModuleType) and twins.at_home(module.__name__)):
                self._follow(own_module(module))
            return twins.of(module)

    def _follow(self, module: ModuleType) -> None:
        """Drop the twins of user modules if this one, or a module it needs, has changed."""
        self.twins.welcome(module)
        mark = digest(self.twins, module.__name__)
        if self._marks.setdefault(module.__name__, mark) != mark:
            self._marks = {module.__name__: mark}
            self.twins.forget_guests()

    def plain_twin(self, module: ModuleType) -> Any:
        """Return the plain twin of a module that reads states, such as `text`, whatever the build."""
        with _MAKING:
            return self._plain.of(module)

    def may_see(self, s: Any, seat: int) -> bool:
        """Return whether `seat` may know the action that is about to be chosen; `s` may be masked for that seat."""
        return bool(self.plain_twin(self.observe).may_see(s, seat))  # type: ignore[arg-type]

    def legal_is_public(self, s: Any) -> bool:
        """Return whether every seat knows the legal actions; `s` is the true state, or masked for any seat."""
        if not self.meta.hides:
            return True
        observe: Any = self.plain_twin(self.observe)  # type: ignore[arg-type]
        return hasattr(observe, "legal_is_public") and bool(observe.legal_is_public(s))

    def lend(self, array: np.ndarray) -> Any:
        """Wrap an array for this build's kernels: as it is, or checked."""
        if self.build == "compiled":
            return array
        return CheckedArray(array)

    def blank(self, options: Mapping[str, Any]) -> States:
        """Return a blank state, of shape (1,), with its options set; SetupError for options the game does not take."""
        chosen = read_options(self.meta.options, options)
        state = blank(self.rules.STATE)
        for option in self.meta.options:
            state[option.name] = option.store(chosen[option.name])
        return state

    def checked_seats(self, seats: int | None) -> int:
        """Return the number of seats, the fewest possible if none is given; SetupError if the game does not take it."""
        low, high = self.meta.seats
        if seats is None:
            return low
        if not is_whole(seats) or not low <= seats <= high:
            raise SetupError(f"{self.meta.title} takes {low} to {high} seats, not {seats!r}.")
        return int(seats)


def filled_up(module: ModuleType, usual: ModuleType) -> ModuleType:
    """Return a module with the functions that it lacks taken from `usual`."""
    missing = {name: thing for name, thing in vars(usual).items() if name not in vars(module) and callable(thing)}
    if not missing:
        return module
    whole = ModuleType(module.__name__, module.__doc__)
    vars(whole).update(vars(module) | missing)
    return whole


def own_module(module: Any) -> ModuleType:
    """Return a user's module if it can have a twin; SetupError says why it cannot."""
    way_out = "Write the loop into a file of its own, import that, and give the module: game.kernel(counting)."
    if not isinstance(module, ModuleType):
        raise SetupError(f"A kernel is made from a module, not from {module!r}. {way_out}")
    name, file = module.__name__, getattr(module, "__file__", None) or ""
    if name == "__main__" or not file.endswith(".py"):
        raise SetupError(f"A kernel is made from a module that was imported from a file, not {name!r}. {way_out}")
    if sys.modules.get(name) is not module:
        raise SetupError(f"The module {name!r} is not in sys.modules under its name: import it in the usual way.")
    return module
