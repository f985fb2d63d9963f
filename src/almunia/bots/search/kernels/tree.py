"""The tree of a search: nodes in arrays, each node the choice that led to it.

A node stands for the decisions taken since the position that was asked about, forced ones too, whatever the hidden
part may be: the same node is met in many guesses. So its choices are known by who was asked what, and by what was
chosen (`naming`), for a code can stand for another thing in another guess. A choice can be on offer in
one guess and not in another, and each node counts how often it was. For a seat that may not see them, the moves of
another one are all the same node, HIDDEN: so what seats know of one another's moves parts their ways through the tree.
"""

from typing import Any, NamedTuple

ROOT = 0
NO_NODE = 0  # as a child or a sibling: there is none, for the root is nobody's child
ROOMY, FULL, SPENT = 0, 1, 2
HIDDEN = -2  # names what a seat may not see
LOST = -1  # no node any more, for want of room
PHASES = 128  # more than any game has


class Tree(NamedTuple):
    """The nodes, by number."""

    size: Any  # (1,) int64, how many there are
    full: Any  # (1,) int64, FULL once there was no room for another, SPENT if there will be none
    first: Any  # (nodes,) int32, the first child
    following: Any  # (nodes,) int32, the next child of the same parent; the most promising come first
    asked: Any  # (nodes,) int32, who was asked what: `asked_of`; below 0 if another seat than the mover stood there
    name: Any  # (nodes,) int32, what was chosen, by `naming`
    action: Any  # (nodes,) int32, its code in the guess in which it was first met
    prior: Any  # (nodes,) float64, the utility the choice promised, untried, to the seat that makes it
    visits: Any  # (nodes,) int64
    offered: Any  # (nodes,) int64, how often the choice was there to be considered
    total: Any  # (nodes, seats) float64, the sum of the utilities that came of it
    points: Any  # (nodes, seats) float64, the sum of the points that came of it


def asked_of(s):
    """The seat to move and its question, as one number."""
    return PHASES * s.turn + s.phase


def clear(tree):
    """Leave nothing but the root."""
    tree.size[0], tree.full[0] = 0, ROOMY
    add_node(tree, -1, -1, -1, 0.0)


def add_node(tree, asked, name, action, prior):
    """A fresh node; returns its number."""
    node = tree.size[0]
    tree.size[0] = node + 1
    tree.first[node] = NO_NODE
    tree.following[node] = NO_NODE
    tree.asked[node] = asked
    tree.name[node] = name
    tree.action[node] = action
    tree.prior[node] = prior
    tree.visits[node] = 0
    tree.offered[node] = 0
    for p in range(tree.total.shape[1]):
        tree.total[node, p] = 0.0
        tree.points[node, p] = 0.0
    return node


def add_child(tree, node, asked, name, action, prior):
    """A fresh child in its place among the others, the highest prior first; NO_NODE if there is no room for it."""
    if tree.size[0] == len(tree.first):
        tree.full[0] = max(tree.full[0], FULL)
        return NO_NODE
    child = add_node(tree, asked, name, action, prior)
    before, after = NO_NODE, tree.first[node]
    while after != NO_NODE and tree.prior[after] >= prior:
        before, after = after, tree.following[after]
    tree.following[child] = after
    if before == NO_NODE:
        tree.first[node] = child
    else:
        tree.following[before] = child
    return child


def child_by(tree, node, asked, name):
    """The child that a choice leads to; NO_NODE if it was never met."""
    child = tree.first[node]
    while child != NO_NODE and (tree.name[child] != name or tree.asked[child] != asked):
        child = tree.following[child]
    return child
