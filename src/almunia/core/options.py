"""Options of a play, chosen before it starts. An option is stored in the state field of its name."""

import re
from collections.abc import Callable, Iterable, Mapping
from dataclasses import dataclass
from inspect import signature
from typing import Any

from ..errors import SetupError, UnknownOption, one_of

NUMBER = re.compile(r"[0-9]{1,9}")


@dataclass(frozen=True)
class Choice:
    """An option with a few values. The first value is the default. The state stores the index in `choices`."""

    name: str  # a field of the state
    label: str  # for people
    choices: tuple[str, ...]  # the values
    help: str = ""  # a sentence or two on the choices
    words: tuple[str, ...] = ()  # the choices as pages show them, if the bare words say too little
    reduces: bool = False  # whether all but the default are shorter games for algorithms, which the site does not offer

    @property
    def default(self) -> str:
        """The default value, which is the first choice."""
        return self.choices[0]

    @property
    def examples(self) -> tuple[str, ...]:
        """Values other than the default, for tests."""
        return self.choices[1:]

    def label_of(self, value: str) -> str:
        """Return the words that pages show for a value."""
        return self.words[self.choices.index(value)] if self.words else value

    def read(self, value: Any) -> str:
        """Return a value as a string. Raise SetupError for a value that is not in `choices`."""
        if str(value) not in self.choices:
            raise SetupError(
                f"Option {self.name!r} cannot be {str(value)!r}; choose one of: {', '.join(self.choices)}."
            )
        return str(value)

    def encode(self, value: str) -> int:
        """Return the index of a choice, which the state stores."""
        return self.choices.index(value)


@dataclass(frozen=True)
class Numbers:
    """An option with a list of `count` different numbers, or an empty list. The state stores the numbers, or zeros."""

    name: str  # a field of the state
    label: str  # for people
    count: int  # length of the list
    low: int  # smallest number
    high: int  # largest number
    help: str = ""  # a sentence or two on the numbers
    fixes_deal: bool = False  # whether the numbers fix the whole deal
    default = ""
    reduces = False

    @property
    def examples(self) -> tuple[str, ...]:
        """One value other than the default, for tests."""
        return (" ".join(str(self.low + i) for i in range(self.count)),)

    def read(self, value: Any) -> str:
        """Return the numbers of a list, tuple or string, separated by spaces; an empty string for None or no numbers.

        Raise SetupError for numbers that the option does not take.
        """
        listed = value if isinstance(value, list | tuple) else ["" if value is None else value]
        words = " ".join(map(str, listed)).replace(",", " ").split()
        numbers = [int(word) for word in words if NUMBER.fullmatch(word)]
        if not words:
            return ""
        found = " ".join(words)[:60]
        if len(numbers) != len(words) or len(set(numbers)) != self.count or len(numbers) != self.count:
            raise SetupError(f"Option {self.name!r} needs {self.count} different numbers, and got {found!r}.")
        if min(numbers) < self.low or max(numbers) > self.high:
            raise SetupError(f"Option {self.name!r} takes numbers from {self.low} to {self.high}, and got {found!r}.")
        return " ".join(str(n) for n in numbers)

    def encode(self, value: str) -> list[int]:
        """Return the numbers of a value that `read` has returned, or zeros for an empty list."""
        return [int(word) for word in value.split()] or [0] * self.count


Option = Choice | Numbers


def published_options(offered: Iterable[Option]) -> tuple[Option, ...]:
    """Return the options of the published game, without those that reduce it."""
    return tuple(option for option in offered if not option.reduces)


def check_published(offered: Iterable[Option], options: Mapping[str, Any]) -> None:
    """Raise SetupError if the options make the game a reduced one."""
    for option in offered:
        if option.reduces and options.get(option.name, option.default) != option.default:
            raise SetupError(
                f"Option {option.name!r} is not part of the published game, so tables do not take it: leave it out."
            )


def fixes_deal(offered: Iterable[Option], options: Mapping[str, Any]) -> bool:
    """Return whether the options fix the whole deal, so that the player who chose them knows it."""
    fixing = (option for option in offered if isinstance(option, Numbers) and option.fixes_deal)
    return any(options.get(option.name, option.default) != option.default for option in fixing)


def read_options(
    offered: Iterable[Option], given: Mapping[str, Any], taker: Callable[..., Any] | None = None
) -> dict[str, str]:
    """Return the value of every offered option by name: the value in `given`, or the default.

    If the options are keyword arguments of `taker`, the error for an unknown name also lists the other parameters of
    `taker`. The message then begins with Python's own words for an unexpected keyword, which frameworks look for.

    Raises:
        UnknownOption: a name that is not offered.
        SetupError: a value that the option does not take.
    """
    known = {option.name: option for option in offered}
    for name in given:
        if name not in known:
            said = f"{taker.__qualname__}() got an unexpected keyword argument {name!r}. " if taker else ""
            raise UnknownOption(f"{said}There is no option {name!r} here{known_options(name, known, taker)}")
    return {name: option.read(given.get(name, option.default)) for name, option in known.items()}


def known_options(name: str, known: Iterable[str], taker: Callable[..., Any] | None) -> str:
    if taker is None:
        return f"; there are: {one_of(known, name)}" if known else "; this game has no options."
    parameters = signature(taker).parameters.values()
    settings = [one.name for one in parameters if one.kind != one.VAR_KEYWORD and one.name != "self"]
    return f", and no such setting. There are: {one_of([*settings, *known], name)}"
