"""Allocate the arrays of searches."""

from typing import Any, NamedTuple, TypeVar, get_type_hints

import numpy as np
import numpy.typing as npt

from ...core.kernels.evaluation import EvalScratch
from ...core.loaded import LoadedGame
from ...core.workspaces import allocate_eval_scratch
from .kernels.tree import Tree

T = TypeVar("T", bound=NamedTuple)


def allocate(workspace: type[T], game: LoadedGame, **sizes: int) -> T:
    """Return zeroed arrays for the fields of a named tuple. The annotation of a field has its dtype and its shape.

    In annotations, the dtype "state" stands for states of the game. Sizes with a name are those of the game, or given.
    """
    seats, actions, keys = game.meta.seats[1], game.rules.ACTIONS, game.rules.NUM_ACTION_KEYS
    named = {"seats": seats, "actions": actions, "keys": keys} | sizes

    def array(dtype: str, *shape: int | str) -> npt.NDArray[Any]:
        return np.zeros([named.get(size, size) for size in shape], game.rules.STATE if dtype == "state" else dtype)

    hints = get_type_hints(workspace, include_extras=True).values()
    arrays = (allocate_eval_scratch(game) if hint is EvalScratch else array(*hint.__metadata__) for hint in hints)
    return workspace(*arrays)


def grow_tree(tree: Tree, game: LoadedGame, nodes: int) -> Tree:
    """Return a copy of a tree with room for `nodes` nodes."""
    larger = allocate(Tree, game, nodes=nodes, seats=tree.utility_sum.shape[1])
    larger.size[0] = tree.size[0]
    for old, new in zip(tree[2:], larger[2:], strict=True):
        new[: len(old)] = old
    return larger
