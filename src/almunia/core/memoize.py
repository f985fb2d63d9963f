"""A cache for the results of functions that describe or draw positions."""

from collections.abc import Callable, Hashable
from functools import wraps
from typing import Any, ParamSpec, TypeVar

MAX_ANSWERS = 1024  # cached for one function, unless it sets another limit
CACHES: list[dict[Hashable, Any]] = []  # of all functions, for `clear_caches`
MISSING = object()  # for a key without an answer, since an answer may be None

P = ParamSpec("P")
T = TypeVar("T")


def memoize(key: Callable[P, Hashable], max_answers: int = MAX_ANSWERS) -> Callable[[Callable[P, T]], Callable[P, T]]:
    """Return a decorator that caches the results of a function by `key` of its arguments.

    `key` gets the same arguments and returns everything that the result depends on. For a state, `key` can be
    `CheckedRecord.to_bytes`, but a smaller key is found in the cache more often. After `max_answers` results the cache
    is emptied. Callers must not change results. `functools.lru_cache` does not work here, because its result is no
    Python function, which a specialized module needs.
    """

    def decorate(compute: Callable[P, T]) -> Callable[P, T]:
        answers: dict[Hashable, Any] = {}
        CACHES.append(answers)

        @wraps(compute, assigned=("__name__", "__qualname__", "__doc__"))
        def answer(*args: P.args, **named: P.kwargs) -> T:
            place = key(*args, **named)
            result = answers.get(place, MISSING)
            if result is MISSING:
                if len(answers) >= max_answers:
                    answers.clear()
                result = answers[place] = compute(*args, **named)
            return result

        return answer

    return decorate


def clear_caches() -> None:
    """Drop all cached results, so that a test can detect a key that is incomplete."""
    for answers in CACHES:
        answers.clear()
