"""A cache for the results of functions that describe or draw positions."""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

MAX_ANSWERS = 1024  # cached for one function
CACHES: list[dict[Hashable, Any]] = []  # of all functions, for `clear_caches`
MISSING = object()  # for a key without an answer, since an answer may be None

P = ParamSpec("P")
T = TypeVar("T")


def memoize(key: Callable[P, Hashable]) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator that caches the results of a function by `key` of its arguments. Never change a result.

    `key` gets the same arguments and returns everything that the result depends on. For a state it can be
    `CheckedRecord.to_bytes`, but a smaller key is found in the cache more often. `functools.lru_cache` does not work
    here: a specialized module consists of functions that Python itself runs.
    """

    def decorate(compute: Callable[P, T]) -> Callable[P, T]:
        answers: dict[Hashable, Any] = {}
        CACHES.append(answers)

        @wraps(compute, assigned=("__name__", "__qualname__", "__doc__"))
        def answer(*args: P.args, **named: P.kwargs) -> T:
            place = key(*args, **named)
            result = answers.get(place, MISSING)
            if result is MISSING:
                if len(answers) >= MAX_ANSWERS:
                    answers.clear()
                result = answers[place] = compute(*args, **named)
            return result

        return answer

    return decorate


def clear_caches() -> None:
    """Forget all results, so that a test sees whether a key lacks something that a result depends on."""
    for answers in CACHES:
        answers.clear()
