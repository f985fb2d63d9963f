"""Answers about positions, for words and pictures, kept under all that they depend on."""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

MOST = 1024  # answers that are kept of one kind

P = ParamSpec("P")
T = TypeVar("T")


def remembered(of: Callable[P, Hashable]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Let a function answer at once when it is asked the same again; nobody may change its answers.

    `of` gives, of the same arguments, all that an answer depends on. Of a state that may be `CheckedRecord.to_bytes`,
    but the less it gives, the more often an answer is known.
    """

    def remember(find: Callable[P, T]) -> Callable[P, T]:
        kept: dict[Hashable, Any] = {}

        @wraps(find, assigned=("__name__", "__qualname__", "__doc__"))
        def found(*given: P.args, **named: P.kwargs) -> T:
            place = of(*given, **named)
            answer: T | None = kept.get(place)
            if answer is None:
                if len(kept) >= MOST:
                    kept.clear()
                answer = kept[place] = find(*given, **named)
            return answer

        return found

    return remember
