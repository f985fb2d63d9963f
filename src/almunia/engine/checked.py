"""The plain twin: rules run by Python itself, where nothing goes wrong in silence.

Reads give Python's own whole numbers, so no sum overflows; a value too large for its field
raises OverflowError; an index below zero or beyond the end raises IndexError (NumPy and Numba
would take it from the other end, or from the memory next door).
"""

import dis
import sys
from collections.abc import Callable, Iterator
from pathlib import Path
from types import CodeType, FunctionType
from typing import Any, NoReturn

import numpy as np

from .specialize import ModuleSpecializer, as_it_is, same
from .state_dtype import States

INSTEAD = "does not compile: rules and loops use tuples, and tables that are NumPy arrays."
MAKING = {"BUILD_MAP": "dict", "BUILD_CONST_KEY_MAP": "dict", "BUILD_SET": "set"}  # steps of Python's own code
BY_NAME = ("dict", "set", "frozenset")


def plain(roots: tuple[str, ...] = (), compiles: bool = False) -> ModuleSpecializer:
    """A family of twins that run as plain Python on checked tables and states.

    In one that must do what `compiles` in the other builds, nobody can use a list, set or dictionary of a module,
    nor call what makes a set or a dictionary.
    """
    function, value = (compilable, refused) if compiles else (same, as_it_is)
    return ModuleSpecializer(function=function, table=checked_table, value=value, roots=roots)


def compilable(function: FunctionType) -> Callable[..., Any]:
    """The function, unless it makes what no other build could use: then one that says so to whoever calls it."""
    code = function.__code__
    made = next(made_in(code), None)
    if made is None:
        return function
    line, kind = made
    file = Path(code.co_filename)
    sentence = f"{file.parent.name}/{file.name}, line {line}: {function.__name__} makes a {kind}, which {INSTEAD}"

    def refuse(*_: object, **__: object) -> NoReturn:
        raise TypeError(sentence)

    return refuse


def made_in(code: CodeType) -> Iterator[tuple[int | None, str]]:
    """The line and kind of every set and dictionary that is made in some code."""
    for step in dis.get_instructions(code):
        line = step.positions.lineno if step.positions else None
        if step.opname in MAKING:
            yield line, MAKING[step.opname]
        elif step.opname == "LOAD_GLOBAL" and step.argval in BY_NAME:
            yield line, step.argval
        elif isinstance(step.argval, CodeType):
            yield from made_in(step.argval)


def refused(name: str, thing: Any) -> Any:
    """What stands for a value of a module that no other build could use."""
    return UncompilableValue(name, type(thing).__name__) if isinstance(thing, (dict, list, set)) else thing


class UncompilableValue:
    """A list, set or dictionary of a module of rules or loops: it may be there, but whoever uses it is told."""

    __slots__ = ("_kind", "_name")

    def __init__(self, name: str, kind: str) -> None:
        self._name, self._kind = name, kind

    def _refuse(self, *_: object) -> NoReturn:
        raise TypeError(f"{place()}{self._name!r} is a {self._kind}, which {INSTEAD}")

    __getitem__ = __setitem__ = __contains__ = __iter__ = __len__ = __call__ = __bool__ = __eq__ = __add__ = _refuse
    __hash__ = None  # type: ignore[assignment]  # as the things it stands for

    def __getattr__(self, name: str) -> NoReturn:
        self._refuse()


def place() -> str:
    """The line from which this module was called, for messages: "lantern/rules.py, line 88: "."""
    frame = sys._getframe()
    while frame.f_back and frame.f_code.co_filename == __file__:
        frame = frame.f_back
    path = Path(frame.f_code.co_filename)
    return f"{path.parent.name}/{path.name}, line {frame.f_lineno}: "


def reading(states: States) -> "CheckedRecord":
    """The record in an array of shape (1,), to be read and written as `s.field`."""
    return CheckedRecord(states[0, ...])


class CheckedRecord:
    """One record whose fields read as attributes."""

    __slots__ = ("__dict__", "_numbers", "_record")  # arrays and records that were asked for stand in __dict__

    def __init__(self, record: np.ndarray) -> None:
        object.__setattr__(self, "_record", record)
        object.__setattr__(self, "_numbers", {})

    def __getattr__(self, name: str) -> Any:
        number = self._numbers.get(name)
        return self._field(name) if number is None else number.item()

    def _field(self, name: str) -> Any:
        if name not in self._record.dtype.names:
            raise AttributeError(f"{place()}this record has no field {name!r}.", name=name, obj=self)
        part = self._record[name]
        if not part.ndim and not part.dtype.names:
            self._numbers[name] = part
            return part.item()
        field = self.__dict__[name] = CheckedArray(part) if part.ndim else CheckedRecord(part)
        return field

    def __reduce__(self) -> tuple[Any, ...]:
        return CheckedRecord, (self._record,)

    def to_bytes(self) -> bytes:
        """All that is in the record."""
        return self._record.tobytes()

    def copy(self) -> "CheckedRecord":
        """The same record, alone in memory."""
        return CheckedRecord(self._record.copy())

    def __repr__(self) -> str:
        """The fields, numbers by their values and the others by their shapes."""
        names = [name for name in self._record.dtype.names or () if not name.startswith("gap_")]
        return f"<{', '.join(f'{name}={brief(self._record[name])}' for name in names)}>"

    def __setattr__(self, name: str, value: Any) -> None:
        if type(value) is float:
            raise TypeError(f"{name!r} holds whole numbers, not {value}.")
        try:
            self._record[name] = value
        except ValueError:
            if name in (self._record.dtype.names or ()):
                raise
            raise AttributeError(f"{place()}this record has no field {name!r}.", name=name, obj=self) from None


class CheckedArray:
    """An array of numbers or records whose every index is checked."""

    __slots__ = ("_array", "_depth", "_fractions", "_naming", "_numbers", "_parts", "_records", "_shape")

    def __init__(self, array: np.ndarray) -> None:
        self._array, self._shape, self._depth = array, array.shape, array.ndim
        self._records, self._fractions = array.dtype.names is not None, array.dtype.kind == "f"
        self._numbers = self._depth == 1 and not self._records
        self._naming = None if self._records else self._depth  # how many indexes it takes to name a number
        self._parts: dict[int, Any] = {}  # records or rows that were asked for, which stay where they are in memory

    def __getitem__(self, place: Any) -> Any:
        if type(place) is int and 0 <= place < self._shape[0]:
            if self._numbers:
                return self._array.item(place)
            part = self._parts.get(place)
            if part is None:
                part = self._parts[place] = self._item((place,))
            return part
        inside = self._inside(place)
        return self._array.item(inside) if len(inside) == self._naming else self._item(inside)

    def __setitem__(self, place: Any, value: Any) -> None:
        if type(value) is float and not self._fractions:
            raise TypeError(f"This array holds whole numbers, not {value}.")
        if type(place) is int and self._numbers and 0 <= place < self._shape[0]:
            self._array[place] = value
        else:
            self._array[self._inside(place)] = value._record if isinstance(value, CheckedRecord) else value

    def __iter__(self) -> Iterator[Any]:
        if self._numbers:
            return iter(self._array.tolist())
        return (self[i] for i in range(self._shape[0]))

    def __len__(self) -> int:
        return self._shape[0]

    @property
    def shape(self) -> tuple[int, ...]:
        """The lengths of the axes."""
        return self._shape

    def __repr__(self) -> str:
        return brief(self._array) if self._records else repr(self._array.tolist())

    def to_bytes(self) -> bytes:
        """All that is in the array."""
        return self._array.tobytes()

    def _item(self, place: tuple[Any, ...]) -> Any:
        if len(place) < self._depth:
            return CheckedArray(self._array[place])
        return CheckedRecord(self._array[(*place, Ellipsis)])

    def _inside(self, place: Any) -> tuple[int, ...]:
        if type(place) is not tuple:
            place = (place,)
        if len(place) == self._depth == 2:  # as most are
            (first, second), (rows, columns) = place, self._shape
            if 0 <= first < rows and 0 <= second < columns:
                return place
        for i, length in zip(place, self._shape, strict=False):
            if not 0 <= i < length:
                raise IndexError(f"Index {i} is outside 0 .. {length - 1}.")
        return place


def brief(part: np.ndarray) -> str:
    """A number, or the type and shape of more than one."""
    kind = "record" if part.dtype.names else part.dtype.name
    return f"{kind}{list(part.shape) or ''}" if part.ndim or part.dtype.names else f"{part.item()}"


def checked_table(array: np.ndarray) -> "CheckedArray | ConstantTable":
    """A table of a module, which nobody changes."""
    return CheckedArray(array) if array.dtype.names or not array.ndim else ConstantTable(array.tolist(), array.shape)


class ConstantTable:
    """Numbers that stay as they are, kept in lists; every index is checked."""

    __slots__ = ("_parts", "_rows", "shape")

    def __init__(self, rows: list[Any], shape: tuple[int, ...]) -> None:
        self._rows, self.shape = rows, shape
        self._parts = rows if len(shape) == 1 else [ConstantTable(row, shape[1:]) for row in rows]

    def __getitem__(self, place: Any) -> Any:
        if type(place) is not tuple:
            if place < 0 or place >= len(self._parts):
                raise IndexError(f"Index {place} is outside 0 .. {self.shape[0] - 1}.")
            return self._parts[place]
        if len(place) == len(self.shape) == 2:  # most are of two axes, and most others of three
            first, second = place
            if 0 <= first < self.shape[0] and 0 <= second < self.shape[1]:
                return self._rows[first][second]
        elif len(place) == len(self.shape) == 3:
            first, second, third = place
            if 0 <= first < self.shape[0] and 0 <= second < self.shape[1] and 0 <= third < self.shape[2]:
                return self._rows[first][second][third]
        part = self[place[0]]
        return part[place[1:]] if len(place) > 1 else part

    def __iter__(self) -> Iterator[Any]:
        return iter(self._parts)

    def __len__(self) -> int:
        return self.shape[0]
