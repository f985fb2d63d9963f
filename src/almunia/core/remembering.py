"""What words and pictures find out about a position, found out once for each position."""

from collections.abc import Callable
from functools import wraps
from typing import Any, Concatenate, ParamSpec, TypeVar

from .checked import CheckedRecord

MOST = 512  # answers that are kept of one kind

P = ParamSpec("P")
T = TypeVar("T")
Finding = Callable[Concatenate[CheckedRecord, P], T]


def remembered(find: Finding[P, T]) -> Finding[P, T]:
    """Let a function of a state answer at once when it is asked the same again. Nobody may change its answers."""
    kept: dict[tuple[object, ...], Any] = {}

    @wraps(find, assigned=("__name__", "__qualname__", "__doc__"))
    def found(s: CheckedRecord, /, *given: P.args, **named: P.kwargs) -> T:
        place = (s.to_bytes(), *given, *named.items())
        answer: T | None = kept.get(place)
        if answer is None:
            if len(kept) >= MOST:
                kept.clear()
            answer = kept[place] = find(s, *given, **named)
        return answer

    return found
