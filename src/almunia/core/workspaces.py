"""Arguments for kernels: scratch arrays, wrapping for the build, and calls without type dispatch."""

from collections.abc import Callable
from functools import partial
from typing import Any, TypeVar, get_type_hints

import numpy as np
import numpy.typing as npt

from .kernels.evaluation import EvalScratch
from .kernels.policies import PolicyScratch
from .loaded import LoadedGame

T = TypeVar("T")


def allocate(arrays: Callable[..., T], game: LoadedGame, **sizes: int) -> T:
    """Return zeroed arrays for the fields of a named tuple. The annotation of a field has its dtype and its shape.

    In annotations, the dtype "state" stands for states of the game. Sizes with a name are those of the game, or given.
    """
    rules, seats = game.rules, game.meta.seats[1]
    own = {"seats": seats, "actions": rules.ACTIONS, "keys": rules.NUM_ACTION_KEYS, "scores": len(rules.SCORES)}
    named = own | sizes

    def array(dtype: str, *axes: int | str) -> npt.NDArray[Any]:
        shape = [axis if isinstance(axis, int) else named[axis] for axis in axes]
        return np.zeros(shape, rules.STATE if dtype == "state" else dtype)

    hints = get_type_hints(arrays, include_extras=True).values()
    fields = (allocate_eval_scratch(game) if hint is EvalScratch else array(*hint.__metadata__) for hint in hints)
    return arrays(*fields)


def allocate_policy_scratch(game: LoadedGame) -> PolicyScratch:
    """Allocate and return the scratch space of a bot for this game."""
    return allocate(PolicyScratch, game)


def allocate_eval_scratch(game: LoadedGame) -> EvalScratch:
    """Allocate and return scratch space for evaluations of this game."""
    seats = game.meta.seats[1]
    return EvalScratch(
        states=np.zeros(1, game.rules.STATE),
        table=np.zeros((seats, len(game.rules.SCORES)), np.int64),
        values=np.zeros(seats, np.int64),
        notes=np.zeros(game.bots.SCRATCH_SIZE, np.int64),
    )


def wrap_all(game: LoadedGame, work: Any) -> Any:
    """Return an array, or a named tuple with all its arrays, wrapped for the game's build."""
    return type(work)(*map(partial(wrap_all, game), work)) if isinstance(work, tuple) else game.wrap(work)


def resolve_overload(function: Any, *arguments: Any) -> Callable[..., Any]:
    """Return the machine code of a function for arguments of these types. Compile or load it now.

    Numba determines the types at each call from Python. For tuples of arrays that takes longer than most decisions of a
    game. Never call the machine code with other types: nothing checks them. A function of the plain build is returned
    unchanged.
    """
    if not hasattr(function, "py_func"):
        return function
    from numba import typeof

    code: Callable[..., Any] = function.compile(tuple(map(typeof, arguments)))
    return code
