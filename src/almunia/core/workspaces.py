"""Calling kernels: scratch arrays that are made once, wrapping for the build, and calls without type dispatch."""

from collections.abc import Callable
from functools import partial
from typing import Any

import numpy as np

from .kernels import policies
from .kernels.evaluation import Trial
from .kernels.policies import Workspace
from .loaded import LoadedGame


def blank_workspace(game: LoadedGame) -> Workspace:
    """Allocate the workspace of a bot of this game."""
    return Workspace(
        states=np.zeros(policies.STATES, game.rules.STATE),
        rng=np.zeros(4, np.int64),
        actions=np.zeros(game.rules.ACTIONS, np.int32),
        scratch=np.zeros(game.rules.ACTIONS, np.int32),
        trial=blank_trial(game),
        foreseen=np.zeros(game.rules.ACTIONS, np.int64),
    )


def blank_trial(game: LoadedGame) -> Trial:
    """Allocate what actions of this game are tried out on."""
    most = game.meta.seats[1]
    return Trial(
        states=np.zeros(1, game.rules.STATE),
        table=np.zeros((most, len(game.rules.SCORES)), np.int64),
        values=np.zeros(most, np.int64),
        notes=np.zeros(getattr(game.bots, "SCRATCH_SIZE", 0), np.int64),
    )


def lent(game: LoadedGame, work: Any) -> Any:
    """Wrap arrays, and tuples of them, for the game's build."""
    return type(work)(*map(partial(lent, game), work)) if isinstance(work, tuple) else game.lend(work)


def direct(function: Any, *arguments: Any) -> Callable[..., Any]:
    """Return the machine code of a function for arguments of these types, compiled or loaded now.

    Numba finds the types out at each call from Python, and for tuples of arrays that takes longer than most decisions
    of a game. The machine code must never be called with other types: nothing checks them. A function of the plain
    build is returned as it is.
    """
    if not hasattr(function, "py_func"):
        return function
    from numba import typeof

    code: Callable[..., Any] = function.compile(tuple(map(typeof, arguments)))
    return code
