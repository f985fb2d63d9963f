"""Allocate the arrays of searches."""

from typing import Any

import numpy as np

from ...core.loaded import LoadedGame
from ...core.workspaces import allocate_eval_scratch
from .kernels import beam, ismcts
from .kernels.beam import Candidates
from .kernels.tree import Tree
from .kernels.turn_beam import Plan

MAX_PATH_NODES = 256  # maximum length of a simulation's path


def allocate_ismcts(game: LoadedGame) -> ismcts.Workspace:
    """Allocate and return the workspace of a tree search."""
    seats, actions = game.meta.seats[1], game.rules.ACTIONS
    keys = game.rules.NUM_ACTION_KEYS
    return ismcts.Workspace(
        **_shared_arrays(game, ismcts.STATES),
        new_actions=np.zeros(actions, np.int32),
        action_keys=np.zeros(actions, np.int32),
        ranks=np.zeros(seats, np.int8),
        utility=np.zeros(seats),
        path=np.zeros(MAX_PATH_NODES, np.int64),
        seat_node=np.zeros(seats, np.int64),
        available_at=np.zeros(keys, np.int64),
        code_at=np.zeros(keys, np.int32),
        seen_at=np.zeros(keys, np.int64),
        visit_clock=np.zeros(1, np.int64),
    )


def allocate_beam(game: LoadedGame, width: int) -> beam.Workspace:
    """Allocate and return the workspace of a beam search that keeps `width` positions."""
    return beam.Workspace(
        **_shared_arrays(game, beam.STATES),
        beam=np.zeros((beam.BEAMS, width), game.rules.STATE),
        step_value=np.zeros(width, np.int64),
        step_parent=np.zeros(width, np.int64),
        step_action=np.zeros(width, np.int64),
    )


def _shared_arrays(game: LoadedGame, states: int) -> dict[str, Any]:
    """Return the common arrays of all workspaces, by field."""
    return {
        "states": np.zeros(states, game.rules.STATE),
        "clairvoyant": np.zeros(1, np.int64),
        "rng": np.zeros(4, np.int64),
        "actions": np.zeros(game.rules.ACTIONS, np.int32),
        "action_values": np.zeros(game.rules.ACTIONS, np.int64),
        "trial": allocate_eval_scratch(game),
    }


def allocate_tree(nodes: int, seats: int) -> Tree:
    """Allocate and return a tree with room for `nodes` nodes."""
    return Tree(
        size=np.zeros(1, np.int64),
        status=np.zeros(1, np.int64),
        first_child=np.zeros(nodes, np.int32),
        next_sibling=np.zeros(nodes, np.int32),
        question=np.zeros(nodes, np.int32),
        action_key=np.zeros(nodes, np.int32),
        action=np.zeros(nodes, np.int32),
        prior=np.zeros(nodes),
        visits=np.zeros(nodes, np.int64),
        availability=np.zeros(nodes, np.int64),
        utility_sum=np.zeros((nodes, seats)),
        evaluation_sum=np.zeros((nodes, seats)),
    )


def grow_tree(tree: Tree, nodes: int) -> Tree:
    """Return a copy of a tree with room for `nodes` nodes."""
    larger = allocate_tree(nodes, tree.utility_sum.shape[1])
    larger.size[0] = tree.size[0]
    for old, new in zip(tree[2:], larger[2:], strict=True):
        new[: len(old)] = old
    return larger


def allocate_candidates(game: LoadedGame) -> Candidates:
    """Allocate and return the candidates of a beam search."""
    actions = game.rules.ACTIONS
    return Candidates(
        action=np.zeros(actions, np.int64),
        value_sum=np.zeros(actions, np.int64),
        determinizations=np.zeros(actions, np.int64),
        greedy_sum=np.zeros(game.meta.seats[1], np.int64),
        rounds=np.zeros(1, np.int64),
    )


def allocate_plan(game: LoadedGame, width: int) -> Plan:
    """Allocate and return the plan of a turn beam that keeps `width` positions."""
    actions = game.rules.ACTIONS
    return Plan(
        actions=np.zeros(actions, np.int32),
        best_value=np.zeros(actions, np.int64),
        value_sum=np.zeros(actions, np.int64),
        first_action=np.zeros((beam.BEAMS, width), np.int32),
    )
