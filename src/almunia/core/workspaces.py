"""Arguments for kernels: scratch arrays, wrapping for the build, and calls without type dispatch."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .kernels import policies
from .kernels.evaluation import EvalScratch
from .kernels.policies import PolicyScratch
from .loaded import LoadedGame


def allocate_policy_scratch(game: LoadedGame) -> PolicyScratch:
    """Allocate and return the scratch space of a bot for this game."""
    return PolicyScratch(
        states=np.zeros(policies.STATES, game.rules.STATE),
        rng=np.zeros(4, np.int64),
        actions=np.zeros(game.rules.ACTIONS, np.int32),
        scratch=np.zeros(game.rules.ACTIONS, np.int32),
        trial=allocate_eval_scratch(game),
        foreseen=np.zeros(game.rules.ACTIONS, np.int64),
    )


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
