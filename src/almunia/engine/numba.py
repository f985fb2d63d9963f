"""The compiled twin: rules run through Numba, without the interpreter's lock, cached on disk.

Numba's own cache looks at one file and not at the tables or helpers it uses, so the functions of
each module get a folder of their own, named after a hash of all the code and values they can
reach: an edit is never ignored, and a second start finds everything ready.
"""

import logging
import os
import shutil
import types
from collections import Counter, namedtuple
from collections.abc import Iterator
from contextlib import contextmanager, suppress
from enum import IntEnum
from functools import cache
from hashlib import sha256
from itertools import groupby
from pathlib import Path
from threading import current_thread, main_thread
from time import time
from typing import Any

import numba
import numpy as np
from numba import types as numba_types
from numba.core import config, event
from numba.core.caching import UserProvidedCacheLocator
from numba.core.compiler_lock import global_compiler_lock
from numba.misc.appdirs import user_cache_dir

from . import numba_dispatcher
from .code_hash import description, digest, sealed
from .compile_progress import announce_compiling
from .numba_dispatcher import OPTIONS, KernelDispatcher
from .pool import check_stop, run_in_worker
from .specialize import ModuleSpecializer

FORGOTTEN = 60 * 24 * 3600  # seconds after which machine code that nobody used is dropped

log = logging.getLogger(__name__)


def compiled(name: str, roots: tuple[str, ...] = (), *, title: str = "") -> ModuleSpecializer:
    """A family of twins that Numba compiles on first use; their machine code is kept for game `name`."""

    def settled(twins: ModuleSpecializer, made: list[types.FunctionType]) -> None:
        places = Counter(map(place, made))
        for module, functions in groupby(sorted(made, key=place), lambda function: function.__module__):
            if sealed(twins, module, twins.origin):
                log.info("%s calls machine code made elsewhere, so its own is not kept on disk.", module)
                continue
            folder = cache_folder(name, digest(twins, module, twins.origin))
            for function in functions:
                if places[place(function)] == 1:  # Numba would take one for the other
                    enable_caching(twins.functions[function], folder)

    def function(plain: types.FunctionType) -> Any:
        plain.game, plain.title = name, title or name  # type: ignore[attr-defined]  # for compile_progress.py
        whole = KernelDispatcher(plain)
        called_alike(compiled_in_worker(whole.part))
        return compiled_in_worker(whole)

    announce_compiling()
    check_stop_between_passes()
    return ModuleSpecializer(function=function, table=settled_table, roots=roots, settled=settled, value=plain_numbers)


def settled_table(table: np.ndarray) -> np.ndarray:
    """A copy that nobody can change, as Numba takes it: what it holds when a function is compiled stays in the code."""
    copy = table.copy()
    copy.flags.writeable = False
    return copy


def plain_numbers(_name: str, thing: Any) -> Any:
    """An enumeration as a tuple of whole numbers with its names: an element of one is more to Numba than a number."""
    if not (isinstance(thing, type) and issubclass(thing, IntEnum)):
        return thing
    names = thing.__members__
    numbers: Any = namedtuple("Numbers", names)  # type: ignore[misc]  # noqa: PYI024 - its names are not known before
    return numbers(*map(int, names.values()))


def called_alike(function: Any) -> Any:
    """Let a compiled function take every whole number as int64 from others that call it.

    As it comes, Numba compiles a function anew for every constant and every width of number that it is called with,
    and all that it calls with it. Plain Python has one width; so has this.
    """
    call = function.get_call_template

    def get_call_template(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        return call(tuple(map(widened, args)), {name: widened(kind) for name, kind in kws.items()})

    function.get_call_template = get_call_template
    return function


def widened(kind: Any) -> Any:
    """The type that an argument of this type is taken as."""
    kind = numba_types.unliteral(kind)
    return numba_types.int64 if isinstance(kind, numba_types.Integer) and kind.signed else kind


def compiled_in_worker(function: Any) -> Any:
    """Compile a function, or load its machine code, in a worker thread if the main thread asks for it.

    Python raises KeyboardInterrupt in the main thread. Inside LLVM it would be dropped, or leave Numba's records
    half-written. A thread that holds Numba's lock compiles itself, since a worker would wait for the lock forever.
    """
    inner = function.compile

    def keep(signature: Any) -> Any:
        try:
            return inner(signature)
        except OSError as error:  # it has been compiled, and cannot be kept on the disk
            not_kept(str(error))
            return inner(signature)

    def compile(signature: Any) -> Any:  # noqa: A001 - Numba's name
        if current_thread() is main_thread() and not global_compiler_lock.is_locked():
            return run_in_worker(keep, signature)
        return keep(signature)

    function.compile = compile
    return function


@cache
def not_kept(reason: str) -> None:
    """Say once that there is no room for machine code."""
    log.warning("Machine code cannot be kept on the disk, so it is compiled anew at each start: %s", reason)


class CompilePassListener(event.Listener):  # type: ignore[misc]
    """Stops a worker of a closed pool between two compiler passes, where nothing is half-written."""

    def on_start(self, _event: event.Event) -> None:
        """Do nothing at the start of a pass."""

    def on_end(self, _event: event.Event) -> None:
        """Raise WorkerStopped in such a worker."""
        check_stop()


@cache
def check_stop_between_passes() -> None:
    """Register the listener once: a function and all that it calls can compile for a minute."""
    event.register("numba:run_pass", CompilePassListener())


def place(function: types.FunctionType) -> tuple[str, str, int]:
    """Where a function is defined, by which Numba's cache knows it."""
    return function.__module__, function.__qualname__, function.__code__.co_firstlineno


def enable_caching(function: Any, folder: Path | None) -> None:
    """Let a compiled function keep its machine code in a folder, if there is one and it comes from a file."""
    if folder is not None:
        with _caching_in(folder), suppress(RuntimeError):
            function.enable_caching()


class ContentHashLocator(UserProvidedCacheLocator):  # type: ignore[misc]
    """Where Numba keeps machine code in a folder that is named after all that the code depends on.

    The same text finds it wherever it is installed, and whatever is written beside the code.
    """

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """One folder a module, whatever the path that it comes from."""
        return Path(py_file).stem

    def get_source_stamp(self) -> str:
        """The same for every state of the file: another state of its code has another folder."""
        return ""


@contextmanager
def _caching_in(folder: Path) -> Iterator[None]:
    """Lend Numba a cache folder while a function settles where its machine code goes."""
    before = config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES
    config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = str(folder), f"{__name__}.{ContentHashLocator.__name__}"
    try:
        yield
    finally:
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = before


def cache_root() -> Path:
    """The folder for machine code: `ALMUNIA_CACHE`, or the place the system gives each user."""
    return Path(os.environ.get("ALMUNIA_CACHE") or user_cache_dir("almunia", appauthor=False))


def cache_folder(name: str, state: str) -> Path | None:
    """The folder for a game's code in this state; None, and a warning in the log, if it cannot be written."""
    ways = called_alike, widened, plain_numbers, *numba_dispatcher.ways()
    how = b"".join(map(description, ways))
    versions = f"{numba.__version__} {np.__version__} {OPTIONS} {state}"
    mark = sha256(how + versions.encode()).hexdigest()
    folder = cache_root() / name / mark[:20]
    try:
        if not folder.is_dir():
            _forget_unused(cache_root() / name)
            folder.mkdir(parents=True)
        os.utime(folder)
    except OSError as error:
        log.warning("Machine code cannot be kept in %s, so it is compiled anew at each start: %s", folder, error)
        return None
    return folder


def _forget_unused(parent: Path) -> None:
    """Drop what has not been used for a long time."""
    for folder in parent.glob("*"):
        if folder.stat().st_mtime < time() - FORGOTTEN:
            shutil.rmtree(folder, ignore_errors=True)
