"""What machine code is made of: the code and the values of modules, as they are in memory."""

import dis
import sys
import types
from collections.abc import Callable, Iterator, Mapping
from enum import Enum, EnumMeta
from hashlib import sha256
from typing import Any

import numpy as np

from .specialize import ModuleSpecializer, closed_over, parts, plain_function, with_closures

Names = Callable[[str], Mapping[str, Any]]  # what stands in the module of this name
PLAIN = (bool, int, float, complex, str, bytes, frozenset, type(None))


def live(name: str) -> Mapping[str, Any]:
    """What stands in a module now."""
    return vars(sys.modules[name])


def digest(twins: ModuleSpecializer, module: str, read: Names = live) -> str:
    """A hash of all that the functions of a module can reach: code, numbers and tables.

    It reads what was loaded, not the files, so a file that is edited meanwhile does no harm; with `twins.origin`,
    what the twins were made from, so a module that was loaded again does none either.
    """
    mark = sha256()
    for name in sorted(reached(twins, module, read)):
        mark.update(name.encode())
        for item in (*content(read(name)), *borrowed(twins, read(name))):
            mark.update(item)
    return mark.hexdigest()


def sealed(twins: ModuleSpecializer, module: str, read: Names = live) -> bool:
    """Does a module reach machine code that somebody else has made? No digest can tell what that is made of."""
    return any(
        is_sealed(twins, part)
        for name in reached(twins, module, read)
        for thing in parts(read(name).values())
        for part in (thing, *(closed_over(thing) if isinstance(thing, types.FunctionType) else ()))
    )


def is_sealed(twins: ModuleSpecializer, thing: Any) -> bool:
    """Is this made by Numba, and neither a part of Numba nor a function of ours?"""
    if not made_by_numba(type(thing)) or made_by_numba(thing):
        return False
    function = plain_function(thing)
    return function is None or not twins.ours(function.__module__ or "")


def made_by_numba(thing: Any) -> bool:
    """Does this come from one of Numba's own modules?"""
    return str(getattr(thing, "__module__", "")).startswith("numba.")


def reached(twins: ModuleSpecializer, module: str, read: Names = live) -> set[str]:
    """The module and all that it needs, and they need in turn."""
    found: set[str] = set()
    waiting = {module}
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= twins.needs(read(name)) - found
    return found


def content(names: Mapping[str, Any]) -> Iterator[bytes]:
    """The functions and values of a module, in the order of their names."""
    for name, thing in sorted(names.items()):
        if name.startswith("__") and name.endswith("__"):
            continue
        described = description(thing)
        if described:
            yield name.encode() + described


def borrowed(twins: ModuleSpecializer, names: Mapping[str, Any]) -> Iterator[bytes]:
    """The values that a module's functions may read from modules that are not ours, such as `math.pi`."""
    functions = [function for function in map(plain_function, names.values()) if function]
    used = {name for function in functions for code in codes(function.__code__) for name in code.co_names}
    waiting = [thing for name, thing in names.items() if name in used]
    for thing in waiting:
        if isinstance(thing, types.ModuleType) and not twins.ours(thing.__name__):
            for name in sorted(used & vars(thing).keys()):
                value = vars(thing)[name]
                if isinstance(value, types.ModuleType) and value not in waiting:
                    waiting.append(value)
                elif isinstance(value, (*PLAIN, tuple, np.ndarray, np.generic, Enum)):
                    yield f"{thing.__name__}.{name}".encode() + description(value)


def codes(code: types.CodeType) -> Iterator[types.CodeType]:
    """A code and all that is defined within it."""
    yield code
    for constant in code.co_consts:
        if isinstance(constant, types.CodeType):
            yield from codes(constant)


def description(thing: Any) -> bytes:
    """What of a thing can enter machine code; nothing for what cannot."""
    if function := plain_function(thing):
        return b"".join(map(described_function, with_closures(function)))
    match thing:
        case tuple():
            kind = b"" if type(thing) is tuple else description(type(thing))
            return kind + b"(" + b",".join(description(part) or b"?" for part in thing) + b")"
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
    return steady(thing).encode() if typed or isinstance(thing, PLAIN) else b""


def described_function(function: types.FunctionType) -> bytes:
    """The code of a function, its defaults, and the values it has closed over."""
    defaults = (function.__defaults__, tuple(sorted((function.__kwdefaults__ or {}).items())))
    values = tuple(value for value in closed_over(function) if not plain_function(value))
    code = described_code(function.__code__, function.__doc__)
    return repr(code).encode() + description(defaults) + description(values)


def described_code(code: types.CodeType, words: str | None) -> tuple[Any, ...]:
    """The code of a function without its place in the file and its docstring."""
    first = int(words is not None and code.co_consts[:1] == (words,) and not reads_first(code))
    constants = [
        described_code(constant, None) if isinstance(constant, types.CodeType) else steady(constant)
        for constant in code.co_consts[first:]
    ]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants


def reads_first(code: types.CodeType) -> bool:
    """Does a code read its first constant, where its docstring stands if there is one?"""
    return any(step.opcode in dis.hasconst and step.arg == 0 for step in dis.get_instructions(code))


def steady(value: Any) -> str:
    """A plain value in words that are the same in every process: the order of a set is not."""
    if isinstance(value, tuple):
        return f"({', '.join(map(steady, value))})"
    return repr(sorted(map(steady, value))) if isinstance(value, frozenset) else repr(value)
