"""Hashes of the code and values in memory that machine code depends on."""

import dis
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from enum import Enum, EnumMeta
from hashlib import sha256
from typing import Any

import numpy as np

from .specialize import (
    ModuleSpecializer,
    closure_functions,
    closure_values,
    flatten_tuples,
    module_namespace,
    names_in_code,
    plain_function,
)

NamespaceReader = Callable[[str], Mapping[str, Any]]  # returns the namespace of the module with this name
PLAIN = (bool, int, float, complex, str, bytes, frozenset, type(None))


def current_namespace(name: str) -> Mapping[str, Any]:
    return module_namespace(sys.modules[name])


def digest(backend: ModuleSpecializer, module: str, read: NamespaceReader = current_namespace) -> str:
    """Return a hash of all code, numbers and tables that the functions of a module can reach.

    The hash is of loaded modules, not of files, so a file may be edited meanwhile. If `read` is
    `backend.source_namespace`, the hash is of the namespaces that the backend has copied, so a module may also be
    reloaded.
    """
    hasher = sha256()
    for name in sorted(transitive_modules(backend, module, read)):
        hasher.update(name.encode())
        for item in (*described_items(read(name)), *external_constants(backend, read(name))):
            hasher.update(item)
    return hasher.hexdigest()


def reaches_foreign_jit(backend: ModuleSpecializer, module: str, read: NamespaceReader = current_namespace) -> bool:
    """Return whether a module reaches machine code made elsewhere, whose source no hash covers."""
    return any(
        is_foreign_jit(backend, part)
        for name in transitive_modules(backend, module, read)
        for thing in flatten_tuples(read(name).values())
        for part in (thing, *(closure_values(thing) if isinstance(thing, types.FunctionType) else ()))
    )


def is_foreign_jit(backend: ModuleSpecializer, thing: Any) -> bool:
    """Return whether an object was made by Numba, and is neither a part of Numba nor specialized here."""
    if not made_by_numba(type(thing)) or made_by_numba(thing):
        return False
    function = plain_function(thing)
    return function is None or not backend.is_specialized(function.__module__ or "")


def made_by_numba(thing: Any) -> bool:
    return str(getattr(thing, "__module__", "")).startswith("numba.")


def transitive_modules(backend: ModuleSpecializer, module: str, read: NamespaceReader = current_namespace) -> set[str]:
    """Return the names of a module and of all specialized modules that it uses, directly or indirectly."""
    found: set[str] = set()
    waiting = {module}
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= backend.dependencies(read(name)) - found
    return found


def described_items(names: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield the name and description, as bytes, of each value of a module that code can contain, ordered by name."""
    for name, thing in sorted(names.items()):
        if name.startswith("__") and name.endswith("__"):
            continue
        described = describe(thing)
        if described:
            yield name.encode() + described


def external_constants(backend: ModuleSpecializer, names: Mapping[str, Any]) -> Iterator[bytes]:
    """Yield descriptions, as bytes, of values that functions may read from unspecialized modules, such as `math.pi`."""
    used = names_in_code(names)
    waiting = [thing for name, thing in names.items() if name in used]
    for thing in waiting:
        if isinstance(thing, types.ModuleType) and not backend.is_specialized(thing.__name__):
            for name in sorted(used & vars(thing).keys()):
                value = vars(thing)[name]
                if isinstance(value, types.ModuleType) and value not in waiting:
                    waiting.append(value)
                elif isinstance(value, (*PLAIN, tuple, np.ndarray, np.generic, Enum)):
                    yield f"{thing.__name__}.{name}".encode() + describe(value)


def describe(thing: Any) -> bytes:
    """Return the parts of a value that machine code can contain, as bytes; empty if there are none."""
    if function := plain_function(thing):
        return b"".join(map(described_function, closure_functions(function)))
    match thing:
        case tuple():
            kind = b"" if type(thing) is tuple else describe(type(thing))
            return kind + b"(" + b",".join(describe(part) or b"?" for part in thing) + b")"
        case np.ndarray():
            return f"{thing.dtype.descr} {thing.shape}".encode() + thing.tobytes()
        case np.dtype():
            return repr(thing.descr).encode()
        case EnumMeta():
            members: dict[str, Any] = dict(thing.__members__)
            return repr([(name, member.value) for name, member in members.items()]).encode()
        case Enum() | np.generic():
            return repr(thing).encode()
        case type():
            fields = (getattr(thing, "_fields", ()), getattr(thing, "_field_defaults", ()))
            return f"{thing.__module__}.{thing.__qualname__} {fields}".encode()
    typed = type(thing).__module__.startswith("numba.core.types")
    return stable_repr(thing).encode() if typed or isinstance(thing, PLAIN) else b""


def described_function(function: types.FunctionType) -> bytes:
    defaults = (function.__defaults__, tuple(sorted((function.__kwdefaults__ or {}).items())))
    values = tuple(value for value in closure_values(function) if not plain_function(value))
    code = described_code(function.__code__, function.__doc__)
    return repr(code).encode() + describe(defaults) + describe(values)


def described_code(code: types.CodeType, words: str | None) -> tuple[Any, ...]:
    """Return a code object as plain data, without line numbers and the docstring `words`."""
    first = int(words is not None and code.co_consts[:1] == (words,) and not reads_first(code))
    constants = [
        described_code(constant, None) if isinstance(constant, types.CodeType) else stable_repr(constant)
        for constant in code.co_consts[first:]
    ]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants


def reads_first(code: types.CodeType) -> bool:
    """Return whether code reads its first constant, which is the docstring if there is one.

    An instruction is two bytes, opcode and argument. The result is also True if code reads constant 256, 512 and so on,
    whose lower byte is 0.
    """
    instructions = zip(code.co_code[::2], code.co_code[1::2], strict=True)
    return any(not argument and opcode in dis.hasconst for opcode, argument in instructions)


def stable_repr(value: Any) -> str:
    """Return a repr of a plain value that is the same in every process, with the elements of sets sorted."""
    if isinstance(value, tuple):
        return f"({', '.join(map(stable_repr, value))})"
    return repr(sorted(map(stable_repr, value))) if isinstance(value, frozenset) else repr(value)
