"""The tree of a search: nodes in arrays that are made once, each node the choice that led to it.

A node stands for the decisions taken since the position that was asked about, whatever the hidden
part may be: the same node is met in many guesses. So a choice can be on offer in one guess and not
in another, and each node counts how often it was.
"""

from typing import Any, NamedTuple

ROOT = 0
NO_NODE = 0  # as a child or a sibling: there is none, for the root is nobody's child


class Tree(NamedTuple):
    """The nodes, by number."""

    size: Any  # (1,) int64, how many there are
    first: Any  # (nodes,) int32, the first child
    following: Any  # (nodes,) int32, the next child of the same parent; the most promising come first
    action: Any  # (nodes,) int32, the choice that leads here
    prior: Any  # (nodes,) float64, the utility the choice promised, untried, to the seat that makes it
    visits: Any  # (nodes,) int64
    offered: Any  # (nodes,) int64, how often the choice was there to be considered
    total: Any  # (nodes, seats) float64, the sum of the utilities that came of it
    points: Any  # (nodes, seats) float64, the sum of the points that came of it


def clear(tree):
    """Leave nothing but the root."""
    tree.size[0] = 0
    add_node(tree, -1, 0.0)


def add_node(tree, action, prior):
    """A fresh node; returns its number."""
    node = tree.size[0]
    tree.size[0] = node + 1
    tree.first[node] = NO_NODE
    tree.following[node] = NO_NODE
    tree.action[node] = action
    tree.prior[node] = prior
    tree.visits[node] = 0
    tree.offered[node] = 0
    for p in range(tree.total.shape[1]):
        tree.total[node, p] = 0.0
        tree.points[node, p] = 0.0
    return node


def add_child(tree, node, action, prior):
    """A fresh child in its place among the others, the highest prior first."""
    child = add_node(tree, action, prior)
    before, after = NO_NODE, tree.first[node]
    while after != NO_NODE and tree.prior[after] >= prior:
        before, after = after, tree.following[after]
    tree.following[child] = after
    if before == NO_NODE:
        tree.first[node] = child
    else:
        tree.following[before] = child


def room(tree, children):
    """Is there room for so many more nodes?"""
    return tree.size[0] + children <= len(tree.first)


def child_by(tree, node, action):
    """The child that an action leads to; NO_NODE if it was never met."""
    child = tree.first[node]
    while child != NO_NODE and tree.action[child] != action:
        child = tree.following[child]
    return child
