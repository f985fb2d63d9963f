"""Evaluators: values and policies for a search, from Python or from a compiled function."""

from abc import ABC, abstractmethod
from collections.abc import Sequence
from importlib import import_module
from inspect import signature
from types import ModuleType
from typing import Any, Protocol, TypeGuard

import numpy as np
import numpy.typing as npt

from ...core.loaded import check_user_module
from ...errors import SetupError
from ...play.play import Play
from ...validation import check_int

MAX_SCRATCH_SIZE = 2**24


class Evaluator(Protocol):
    """An object with a method `evaluate`, such as a network, for `make_bot` and `analyse`.

    With `threads`, several threads call `evaluate` at the same time.
    """

    def evaluate(self, observations: npt.NDArray[np.float32], masks: npt.NDArray[np.bool_], /) -> tuple[Any, Any]:
        """Return the values and policies of n positions, as arrays (n, seats) and (n, game.rules.ACTIONS).

        A value is a seat's utility: 0 to 1 with several seats, and points with one. The first value is that of the seat
        to move, and the other seats follow in their order, as in an observation. A policy has a weight for each action,
        0 or more. The search ignores weights of illegal actions, and scales the others to the sum 1. It raises
        SetupError for other values and policies.

        Args:
            observations: float32 (n, game.tensor_size), as `Observation.tensor` gives them to the seat to move.
            masks: bool (n, game.rules.ACTIONS), the legal actions of the seat to move. The next call overwrites both
                arrays.
        """
        ...


class PlayEvaluator(ABC):
    """An evaluator that needs more than an observation, such as rollouts: it gets the determinized plays."""

    @abstractmethod
    def evaluate_plays(self, plays: Sequence[Play]) -> tuple[Any, Any]:
        """Return the values and policies of n plays, as `Evaluator.evaluate` returns them.

        What the searching seat cannot see is guessed in each play. The evaluator may change the plays.
        """


class KernelEvaluator:
    """An evaluator that runs in the search's machine code, for networks that take microseconds.

    `module` is kernel source, as for `Game.kernel`, with this function:

        def evaluate(observation, mask, values, policy, weights, scratch):

    It writes one position's `values` (seats,) and `policy` (ACTIONS,), with the meaning that `Evaluator.evaluate`
    describes. `observation` and `mask` are a row of that method's arguments. `mask` has 0 and 1.
    `almunia.bots.search.kernels.mlp` is an example.

    Args:
        module: the module. It is compiled once for all weights with the same number of axes and dtypes.
        weights: arrays, which the function gets as a tuple. If their memory is in C order, later changes of their
            numbers have an effect.
        scratch_size: the length of `scratch`, a float32 array that each thread of a search has for itself.

    Raises:
        SetupError: `module` is not a module from a file, or lacks the function, or `scratch_size` is invalid.
    """

    def __init__(self, module: ModuleType, weights: Sequence[npt.ArrayLike] = (), scratch_size: int = 0) -> None:
        self.module = check_user_module(module)
        if not takes_arguments(getattr(module, "evaluate", None), 6):
            raise SetupError(
                f"{module.__name__} has no function `evaluate(observation, mask, values, policy, weights, scratch)`."
            )
        self.weights = tuple(map(np.ascontiguousarray, weights))
        self.scratch_size = check_int("scratch numbers", scratch_size, 0, MAX_SCRATCH_SIZE)

    def __reduce__(self) -> tuple[Any, ...]:
        return load_kernel_evaluator, (self.module.__name__, self.weights, self.scratch_size)


AnyEvaluator = Evaluator | PlayEvaluator | KernelEvaluator


def load_kernel_evaluator(module: str, weights: Sequence[npt.ArrayLike], scratch_size: int) -> KernelEvaluator:
    return KernelEvaluator(import_module(module), weights, scratch_size)


def check_evaluator(evaluator: Any) -> Any:
    """Return an evaluator, or None. Raise SetupError for any other object."""
    if evaluator is None or isinstance(evaluator, (PlayEvaluator, KernelEvaluator)) or is_evaluator(evaluator):
        return evaluator
    raise SetupError(
        "An evaluator is an object with a method evaluate(observations, masks), a PlayEvaluator or a KernelEvaluator, "
        f"not {evaluator!r}."
    )


def is_evaluator(candidate: object) -> TypeGuard[Evaluator]:
    """Return whether an object has a method `evaluate`, and is neither a class nor a module."""
    return callable(getattr(candidate, "evaluate", None)) and not isinstance(candidate, type | ModuleType)


def takes_arguments(function: Any, count: int) -> bool:
    """Return whether a function can be called with this number of positional arguments."""
    if not callable(function):
        return False
    try:
        signature(function).bind(*range(count))
    except TypeError:
        return False
    return True


def as_batch(what: str, given: Any, shape: tuple[int, int]) -> npt.NDArray[Any]:
    """Return an evaluator's output as an array. Raise SetupError unless it has numbers and the shape.

    `what` is the noun for the message, in the plural.
    """
    try:
        array = np.asarray(given)
    except Exception as error:
        raise SetupError(f"The evaluator's {what} cannot become an array: {error}") from error
    if array.shape != shape or array.dtype.kind not in "fiub":
        raise SetupError(
            f"The evaluator's {what} have the shape {array.shape} and the dtype {array.dtype}, "
            f"but they must be numbers of the shape {shape}: a row for each position."
        )
    return array
