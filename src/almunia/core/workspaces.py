"""Arguments for kernels: scratch arrays, wrapping for the build, and calls without type dispatch."""

from collections.abc import Callable
from functools import partial
from typing import Annotated, Any, TypeVar, get_origin, get_type_hints

import numpy as np

from .kernels.policies import PolicyScratch
from .loaded import LoadedGame
from .weights import Weights, weights_array

T = TypeVar("T")


def allocate(kind: Callable[..., T], game: LoadedGame, weights: Weights | None = None, **sizes: int) -> T:
    """Return a named tuple of type `kind`, filled with zeroed arrays. The annotation of a field gives dtype and shape.

    The dtype "state" stands for the game's state. An axis is an integer, "seats" (the most that the game allows),
    "actions", "keys", "scores", "notes", "numbers" (of an observation), or a name in `sizes`. A field may also be such
    a named tuple. The dtype "weights" stands for the tuple of the game's weights, or of the given ones
    (`weights.weights_array`).
    """
    rules = game.rules
    named = {
        "seats": game.meta.seats[1],
        "actions": rules.ACTIONS,
        "keys": rules.NUM_ACTION_KEYS,
        "scores": len(rules.SCORES),
        "notes": game.bots.SCRATCH_SIZE,
        "numbers": game.tensor_size,
    } | sizes

    def field(hint: Any) -> Any:
        if get_origin(hint) is not Annotated:
            return allocate(hint, game, weights, **sizes)
        dtype, *axes = hint.__metadata__
        if dtype == "weights":
            return weights_array(game, weights)
        shape = [axis if isinstance(axis, int) else named[axis] for axis in axes]
        return np.zeros(shape, rules.STATE if dtype == "state" else dtype)

    return kind(*map(field, get_type_hints(kind, include_extras=True).values()))


def allocate_policy_scratch(game: LoadedGame, weights: Weights | None = None) -> PolicyScratch:
    return allocate(PolicyScratch, game, weights)


def wrap_all(game: LoadedGame, work: Any) -> Any:
    """Return an array wrapped for the game's build, or a tuple with all its arrays wrapped."""
    if isinstance(work, tuple):
        return tuple.__new__(type(work), map(partial(wrap_all, game), work))
    return game.wrap(work)


def resolve_overload(function: Any, *arguments: Any) -> Callable[..., Any]:
    """Compile or load a function for the types of these arguments, and return its machine code.

    Numba determines the types at each call from Python. For tuples of arrays, determining types takes longer than most
    decisions of a game. Never call the machine code with other types, because nothing checks the types. Return a
    function of the plain build unchanged.
    """
    if not hasattr(function, "py_func"):
        return function
    from numba import typeof

    code: Callable[..., Any] = function.compile(tuple(map(typeof, arguments)))
    return code
