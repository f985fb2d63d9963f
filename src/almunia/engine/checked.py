"""The checked backend: Python runs the rules, and every index and sum is checked.

Reads return numbers of Python, so no sum of integers overflows. A value too large for its field raises OverflowError.
An index below zero or beyond the end raises IndexError. NumPy and Numba would read from the other end or from other
memory.
"""

import dis
import sys
from collections.abc import Callable, Iterator
from functools import cache
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NoReturn, Self, cast

import numpy as np

from .specialize import ModuleSpecializer, identity, keep_value
from .state_dtype import States

NOT_COMPILABLE = "does not compile: rules and loops use tuples, and tables that are NumPy arrays."
CONTAINER_OPCODES = {"BUILD_MAP": "dict", "BUILD_CONST_KEY_MAP": "dict", "BUILD_SET": "set"}  # types by instruction
CONTAINER_NAMES = ("dict", "set", "frozenset")


def checked_backend(roots: tuple[str, ...] = (), must_compile: bool = False) -> ModuleSpecializer:
    """Return a backend that runs modules as Python code on checked tables and states.

    With `must_compile`, code that other builds cannot compile raises TypeError. This includes each use of a module's
    list, set or dictionary, and each call of a function that makes a set or dictionary.
    """
    function, value = (refuse_uncompilable, guard_container) if must_compile else (identity, keep_value)
    return ModuleSpecializer(function=function, table=checked_table, value=value, roots=roots)


def refuse_uncompilable(function: FunctionType) -> Callable[..., Any]:
    """Return the function; if the function makes a set or dictionary, return a function that raises TypeError."""
    line, kind = next(container_literals(function.__code__), (None, ""))
    if not kind:
        return function
    file = Path(function.__code__.co_filename)
    place = f"{file.parent.name}/{file.name}, line {line}"

    def refuse(*_: object, **__: object) -> NoReturn:
        raise TypeError(f"{place}: {function.__name__} makes a {kind}, which {NOT_COMPILABLE}")

    return refuse


def container_literals(code: CodeType) -> Iterator[tuple[int | None, str]]:
    for step in dis.get_instructions(code):
        line = step.positions.lineno if step.positions else None
        if step.opname in CONTAINER_OPCODES:
            yield line, CONTAINER_OPCODES[step.opname]
        elif step.opname == "LOAD_GLOBAL" and step.argval in CONTAINER_NAMES:
            yield line, step.argval
        elif isinstance(step.argval, CodeType):
            yield from container_literals(step.argval)
        elif isinstance(step.argval, frozenset):  # of `x in {1, 2}`
            yield line, "set"


def guard_container(name: str, thing: Any) -> Any:
    return UncompilableValue(name, type(thing).__name__) if isinstance(thing, (dict, list, set)) else thing


class UncompilableValue:
    __slots__ = ("_kind", "_name")

    def __init__(self, name: str, kind: str) -> None:
        self._name, self._kind = name, kind

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError(f"{caller_location()}{self._name!r} is a {self._kind}, which {NOT_COMPILABLE}")

    __getitem__ = __setitem__ = __contains__ = __iter__ = __len__ = __call__ = __bool__ = __eq__ = __add__ = _refuse
    __hash__ = None  # type: ignore[assignment]  # like the containers that it guards

    def __getattr__(self, name: str) -> NoReturn:
        self._refuse()


def caller_location() -> str:
    frame = sys._getframe()
    while frame.f_back and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    path = Path(frame.f_code.co_filename)
    return f"{path.parent.name}/{path.name}, line {frame.f_lineno}: "


def checked_record(states: States) -> "CheckedRecord":
    return CheckedRecord(states[0, ...])


class CheckedRecord:
    """A record whose fields are read and written as attributes."""

    __slots__ = ("__dict__", "_numbers", "_record")  # __dict__ caches arrays and records

    def __new__(cls, record: np.ndarray) -> Self:
        return cast(Self, object.__new__(class_of_fields(record.dtype)))

    def __init__(self, record: np.ndarray) -> None:
        object.__setattr__(self, "_record", record)
        object.__setattr__(self, "_numbers", {})

    def __getattr__(self, name: str) -> Any:  # of unknown fields; the annotation is for all
        raise AttributeError(f"{caller_location()}this record has no field {name!r}.", name=name, obj=self)

    def __reduce__(self) -> tuple[Any, ...]:
        return CheckedRecord, (self._record,)

    def to_bytes(self) -> bytes:
        return self._record.tobytes()

    def copy(self) -> "CheckedRecord":
        return CheckedRecord(self._record.copy())

    def __repr__(self) -> str:
        names = [name for name in self._record.dtype.names or () if not name.startswith("gap_")]
        return f"<{', '.join(f'{name}={summarize(self._record[name])}' for name in names)}>"

    def __setattr__(self, name: str, value: Any) -> None:
        if type(value) is float:
            raise TypeError(f"{name!r} holds whole numbers, not {value}.")
        try:
            self._record[name] = value
        except ValueError:
            if name in (self._record.dtype.names or ()):
                raise
            raise AttributeError(
                f"{caller_location()}this record has no field {name!r}.", name=name, obj=self
            ) from None


@cache
def class_of_fields(dtype: np.dtype[Any]) -> type[CheckedRecord]:
    """Return a class of records with descriptors for the fields of a dtype.

    With `__getattr__` alone, reading a number takes six times as long, since Python raises an AttributeError first.
    """
    fields: dict[str, Any] = {}
    for name in dtype.names or ():
        is_number = not dtype[name].shape and dtype[name].names is None
        fields[name] = number_field(name) if is_number else PartField(name)
    own = {name: field for name, field in fields.items() if not hasattr(CheckedRecord, name)}
    return type(CheckedRecord.__name__, (CheckedRecord,), {"__slots__": (), **own})


def number_field(name: str) -> property:
    def read(record: CheckedRecord) -> Any:
        number = record._numbers.get(name)
        if number is None:
            number = record._numbers[name] = record._record[name]
        return number.item()

    return property(read)


class PartField:
    """A field with an array or a record, which is cached in the `__dict__` of the record that has it."""

    def __init__(self, name: str) -> None:
        self._name = name

    def __get__(self, record: CheckedRecord, owner: type) -> "CheckedArray | CheckedRecord":
        part = record._record[self._name]
        found = record.__dict__[self._name] = CheckedArray(part) if part.ndim else CheckedRecord(part)
        return found


class CheckedArray:
    """An array of numbers or records whose every index is checked."""

    __slots__ = ("_array", "_depth", "_fractions", "_number_depth", "_numbers", "_parts", "_records", "_shape")

    def __init__(self, array: np.ndarray) -> None:
        self._array, self._shape, self._depth = array, array.shape, array.ndim
        self._records, self._fractions = array.dtype.names is not None, array.dtype.kind == "f"
        self._numbers = self._depth == 1 and not self._records
        self._number_depth = None if self._records else self._depth  # number of indexes that select a number
        self._parts: dict[int, Any] = {}  # cached records or rows, which stay where they are in memory

    def __getitem__(self, place: Any) -> Any:
        if type(place) is int and 0 <= place < self._shape[0]:
            if self._numbers:
                return self._array.item(place)
            part = self._parts.get(place)
            if part is None:
                part = self._parts[place] = self._item((place,))
            return part
        if type(place) is tuple and len(place) == self._number_depth == 2:  # the usual case
            (first, second), (rows, columns) = place, self._shape
            if type(first) is type(second) is int and 0 <= first < rows and 0 <= second < columns:
                return self._array.item(place)
        inside = self._inside(place)
        return self._array.item(inside) if len(inside) == self._number_depth else self._item(inside)

    def __setitem__(self, place: Any, value: Any) -> None:
        if type(value) is float and not self._fractions:
            raise TypeError(f"This array holds whole numbers, not {value}.")
        if type(place) is int and self._numbers and 0 <= place < self._shape[0]:
            self._array[place] = value
        else:
            self._array[self._inside(place)] = value._record if isinstance(value, CheckedRecord) else value

    def __iter__(self) -> Iterator[Any]:
        return map(self._array.item if self._numbers else self.__getitem__, range(self._shape[0]))  # reads live values

    def __len__(self) -> int:
        return self._shape[0]

    @property
    def shape(self) -> tuple[int, ...]:
        return self._shape

    def __repr__(self) -> str:
        return summarize(self._array) if self._records else repr(self._array.tolist())

    def to_bytes(self) -> bytes:
        return self._array.tobytes()

    def _item(self, place: tuple[Any, ...]) -> Any:
        if len(place) < self._depth:
            return CheckedArray(self._array[place])
        return CheckedRecord(self._array[(*place, Ellipsis)])

    def _inside(self, place: Any) -> tuple[int, ...]:
        if type(place) is not tuple:
            place = (place,)
        for i, length in zip(place, self._shape):  # noqa: B905 - `strict` takes a third of the time
            if type(i) is not int or not 0 <= i < length:
                check_index(i, length)
        return place


def check_index(i: Any, length: int) -> None:
    """Raise TypeError if an index is a boolean, and IndexError unless it is from 0 to `length` - 1."""
    if isinstance(i, (bool, np.bool_)):  # NumPy uses a boolean as a mask, and Numba refuses it
        raise TypeError(f"An index is an integer, not {i}: write int(...).")
    if not 0 <= i < length:
        raise IndexError(f"Index {i} is outside 0 .. {length - 1}.")


def summarize(part: np.ndarray) -> str:
    kind = "record" if part.dtype.names else part.dtype.name
    return f"{kind}{list(part.shape) or ''}" if part.ndim or part.dtype.names else f"{part.item()}"


def checked_table(array: np.ndarray) -> "CheckedArray | ConstantTable":
    """Return a ConstantTable of an array's numbers, or a CheckedArray for records and single numbers."""
    return CheckedArray(array) if array.dtype.names or not array.ndim else ConstantTable(array.tolist(), array.shape)


class ConstantTable:
    """A table of constant numbers, stored in lists. Every index is checked."""

    __slots__ = ("_depth", "_parts", "_rows", "shape")

    def __init__(self, rows: list[Any], shape: tuple[int, ...]) -> None:
        self._rows, self.shape, self._depth = rows, shape, len(shape)
        self._parts = rows if len(shape) == 1 else [ConstantTable(row, shape[1:]) for row in rows]

    def __getitem__(self, place: Any) -> Any:
        try:  # a list raises IndexError by itself beyond its end; `check_index` says it better
            if type(place) is int and place >= 0:
                return self._parts[place]
            if type(place) is tuple:  # most tables have two axes, and most others have three
                if len(place) == 2 == self._depth:
                    first, second = place
                    if type(first) is type(second) is int and first >= 0 <= second:
                        return self._rows[first][second]
                elif len(place) == 3 == self._depth:
                    first, second, third = place
                    if type(first) is type(second) is type(third) is int and first >= 0 <= second and third >= 0:
                        return self._rows[first][second][third]
        except IndexError:
            pass
        if type(place) is not tuple:
            check_index(place, self.shape[0])
            return self._parts[place]
        part = self[place[0]]
        return part[place[1:]] if len(place) > 1 else part

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parts)

    def __len__(self) -> int:
        return self.shape[0]
