"""What machine code is made of: the code and the values of modules, as they are in memory."""

import sys
import types
from collections.abc import Iterator
from enum import EnumMeta
from hashlib import sha256
from typing import Any

import numpy as np

from .twins import Twins

PLAIN = (bool, int, float, str, bytes, tuple, frozenset, type(None))


def digest(twins: Twins, module: str) -> str:
    """A hash of all that the functions of a module can reach: code, numbers and tables.

    It reads what was loaded, not the files, so a file that is edited meanwhile does no harm.
    """
    mark = sha256()
    for name in sorted(reached(twins, module)):
        mark.update(name.encode())
        for item in content(sys.modules[name]):
            mark.update(item)
    return mark.hexdigest()


def reached(twins: Twins, module: str) -> set[str]:
    """The module and all that it needs, and they need in turn."""
    found: set[str] = set()
    waiting = {module}
    while waiting:
        name = waiting.pop()
        found.add(name)
        waiting |= twins.needs(sys.modules[name]) - found
    return found


def content(module: types.ModuleType) -> Iterator[bytes]:
    """The functions and values of a module, in the order of their names."""
    for name, thing in sorted(vars(module).items()):
        if name.startswith("__"):
            continue
        described = description(thing)
        if described:
            yield name.encode() + described


def description(thing: Any) -> bytes:
    """What of a thing can enter machine code; nothing for what cannot."""
    match thing:
        case types.FunctionType():
            return repr((described_code(thing.__code__, thing.__doc__), thing.__defaults__)).encode()
        case np.ndarray():
            return f"{thing.dtype.descr} {thing.shape}".encode() + thing.tobytes()
        case np.dtype():
            return repr(thing.descr).encode()
        case EnumMeta():
            members: dict[str, Any] = dict(thing.__members__)
            return repr([(name, member.value) for name, member in members.items()]).encode()
        case np.generic():
            return repr(thing).encode()
    return steady(thing).encode() if isinstance(thing, PLAIN) else b""


def described_code(code: types.CodeType, words: str | None) -> tuple[Any, ...]:
    """The code of a function without its place in the file and its docstring."""
    constants = [
        described_code(constant, None) if isinstance(constant, types.CodeType) else steady(constant)
        for constant in code.co_consts
        if constant != words or words is None
    ]
    return code.co_code, code.co_names, code.co_varnames, code.co_freevars, constants


def steady(value: Any) -> str:
    """A plain value in words that are the same in every process: the order of a set is not."""
    return repr(sorted(map(repr, value))) if isinstance(value, frozenset) else repr(value)
