"""The Numba backend: rules run compiled, without the interpreter's lock, and cached on disk.

Numba's own cache checks one file for changes, but not the tables or helpers that the file uses. Here the functions of
each module have a cache folder named after a hash of all code and values that they can reach. So an edit recompiles all
modules that it affects, and a start without edits compiles nothing that is in the cache.
"""

import logging
import os
import shutil
import types
from collections import Counter, namedtuple
from contextlib import suppress
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
from .code_hash import describe, digest, reaches_foreign_jit
from .compile_progress import CompileProgress
from .numba_dispatcher import OPTIONS, KernelDispatcher
from .pool import WorkerPool, check_stop, results_of
from .specialize import ModuleSpecializer

CACHE_MAX_AGE_SECONDS = 60 * 24 * 3600  # since its last use

log = logging.getLogger(__name__)


def numba_backend(name: str, roots: tuple[str, ...] = (), *, title: str = "") -> ModuleSpecializer:
    """Return a backend that compiles functions with Numba on first use, and caches machine code for game `name`.

    `roots` are those of `ModuleSpecializer`. `title` names the game in notices.
    """

    def on_complete(backend: ModuleSpecializer, made: list[types.FunctionType]) -> None:
        places = Counter(map(function_key, made))
        for module, functions in groupby(sorted(made, key=function_key), lambda function: function.__module__):
            if reaches_foreign_jit(backend, module, backend.source_namespace):
                log.info("%s calls machine code made elsewhere, so its own is not cached on disk.", module)
                continue
            folder = cache_folder(name, digest(backend, module, backend.source_namespace))
            for function in functions:
                if folder and places[function_key(function)] == 1:  # else Numba would confuse them
                    enable_caching(backend.functions[function], folder)

    def function(plain: types.FunctionType) -> Any:
        plain.game, plain.title = name, title or name  # type: ignore[attr-defined]  # for compile_progress.py
        dispatcher = KernelDispatcher(plain)
        widen_int_arguments(compiled_in_worker(dispatcher.part))
        return compiled_in_worker(dispatcher)

    register_listeners()
    return ModuleSpecializer(
        function=function, table=read_only_copy, roots=roots, on_complete=on_complete, value=enum_to_namedtuple
    )


def read_only_copy(table: np.ndarray) -> np.ndarray:
    """Return a read-only copy, because Numba copies the values of a table into the compiled code."""
    copy = table.copy()
    copy.flags.writeable = False
    return copy


def enum_to_namedtuple(_name: str, thing: Any) -> Any:
    """Return an IntEnum as a named tuple of integers, because Numba does not treat its members as integers.

    Return other values unchanged.
    """
    if not (isinstance(thing, type) and issubclass(thing, IntEnum)):
        return thing
    names = thing.__members__
    numbers: Any = namedtuple("Numbers", names)  # type: ignore[misc]  # noqa: PYI024 - its names are not known before
    return numbers(*map(int, names.values()))


def widen_int_arguments(function: Any) -> Any:
    """Widen signed integer arguments to int64 when compiled functions call `function`. Return `function`.

    Without widening, Numba compiles a function, and all that it calls, again for every constant and every integer width
    among its arguments.
    """
    call = function.get_call_template

    def get_call_template(args: tuple[Any, ...], kws: dict[str, Any]) -> Any:
        return call(tuple(map(widened_type, args)), {name: widened_type(kind) for name, kind in kws.items()})

    function.get_call_template = get_call_template
    return function


def widened_type(kind: Any) -> Any:
    kind = numba_types.unliteral(kind)
    return numba_types.int64 if isinstance(kind, numba_types.Integer) and kind.signed else kind


def compiled_in_worker(function: Any) -> Any:
    """Make the main thread compile a function, or load its machine code, in a worker thread. Return the function.

    Python raises KeyboardInterrupt in the main thread. Inside LLVM the exception would be lost, or leave Numba's
    records incomplete. A thread that holds Numba's lock does not use a worker, since the worker would wait for the lock
    forever.
    """
    inner = function.compile

    def keep(signature: Any) -> Any:
        try:
            return inner(signature)
        except OSError as error:  # the function has been compiled, but cannot be cached
            warn_cache_unwritable(str(error))
            return inner(signature)

    def compile(signature: Any) -> Any:  # noqa: A001 - Numba's name
        if current_thread() is main_thread() and not global_compiler_lock.is_locked():
            with WorkerPool(1) as pool:
                return results_of([pool.submit(keep, signature)])[0]
        return keep(signature)

    function.compile = compile
    return function


@cache
def warn_cache_unwritable(reason: str) -> None:
    log.warning("Machine code cannot be cached on disk, so it is compiled again at each start: %s", reason)


class CompilePassListener(event.Listener):  # type: ignore[misc]
    """Listener that stops the worker of a stopped task between two compiler passes, when all data is complete.

    Compiling a function with all that it calls can take a minute.
    """

    def on_start(self, _event: event.Event) -> None:
        """Do nothing at the start of a pass."""

    def on_end(self, _event: event.Event) -> None:
        """Raise WorkerStopped if this thread is a worker whose task has been stopped."""
        check_stop()


@cache
def register_listeners() -> None:
    event.register("numba:compile", CompileProgress())
    event.register("numba:run_pass", CompilePassListener())


def function_key(function: types.FunctionType) -> tuple[str, str, int]:
    return function.__module__, function.__qualname__, function.__code__.co_firstlineno


def enable_caching(function: Any, folder: Path) -> None:
    before = config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES
    config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = str(folder), f"{__name__}.{ContentHashLocator.__name__}"
    try:
        with suppress(RuntimeError):
            function.enable_caching()
    finally:
        config.CACHE_DIR, config.CACHE_LOCATOR_CLASSES = before


class ContentHashLocator(UserProvidedCacheLocator):  # type: ignore[misc]
    """Cache locator for a folder named after a hash of the code, so that other edits do not outdate machine code."""

    @classmethod
    def get_suitable_cache_subpath(cls, py_file: str) -> str:
        """Return the name of the file without suffix, since its folder does not matter."""
        return Path(py_file).stem

    def get_source_stamp(self) -> str:
        """Return an empty string, because changed code has another folder."""
        return ""

    def ensure_cache_path(self) -> None:
        """Make the folder, without a check that it can be written to, because reading machine code is enough."""
        Path(self.get_cache_path()).mkdir(parents=True, exist_ok=True)


def cache_root() -> Path:
    """Return the folder for machine code: the folder that ALMUNIA_CACHE names, or a folder in the user's cache."""
    return Path(os.environ.get("ALMUNIA_CACHE") or user_cache_dir("almunia", appauthor=False))


def cache_folder(name: str, code_hash: str) -> Path | None:
    """Return the folder for a game's code with this hash. If the folder cannot be made, log a warning and return None.

    Before a new folder is made, delete the game's folders that have not been used for CACHE_MAX_AGE_SECONDS.
    """
    folder = cache_root() / name / cache_key(code_hash)
    try:
        if not folder.is_dir():
            delete_unused_folders(folder.parent)
            folder.mkdir(parents=True, exist_ok=True)  # another process may have made it meanwhile
    except OSError as error:
        log.warning("Machine code cannot be cached in %s, so it is compiled again at each start: %s", folder, error)
        return None
    with suppress(OSError):  # a folder that can only be read
        os.utime(folder)
    return folder


def cache_key(code_hash: str) -> str:
    """Return a hash of the code's hash, the versions of Numba and NumPy, and the way this package compiles."""
    codegen = widen_int_arguments, widened_type, enum_to_namedtuple, *numba_dispatcher.codegen_functions()
    description = b"".join(map(describe, codegen))
    versions = f"{numba.__version__} {np.__version__} {OPTIONS} {code_hash}"
    return sha256(description + versions.encode()).hexdigest()[:20]


def delete_unused_folders(parent: Path) -> None:
    for folder in parent.glob("*"):
        with suppress(FileNotFoundError):  # another process has deleted it
            if folder.stat().st_mtime < time() - CACHE_MAX_AGE_SECONDS:
                shutil.rmtree(folder, ignore_errors=True)
