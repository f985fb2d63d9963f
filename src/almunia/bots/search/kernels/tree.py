"""The tree of an information-set search, stored in arrays. A node stands for the action that leads to it.

A sequence of actions from the root, including forced actions, leads to the same node in every determinization. The same
action can have different codes in two determinizations. So a child is identified by the question (seat and phase) and
by the action's key (`rules.action_key`). An action can be available in one determinization and not in another, so each
node has an availability count.

All seats share one array of nodes, but each seat has its own position in the tree. All moves of another seat that a
seat may not see lead to the same child, whose action key is HIDDEN_MOVE. So the tree contains the information sets of
every seat, like the trees of MO-ISMCTS.
"""

from typing import Annotated, Any, NamedTuple

ROOT = 0
NO_NODE = 0  # no child or sibling; it is the root's number, because the root is neither
NO_ACTION = -1  # as a node's code of an action: it is the root, or a move that another seat has made
GROWABLE, FULL, AT_CAPACITY = 0, 1, 2  # Tree.status: has room; needs larger arrays; cannot grow any more
HIDDEN_MOVE = -2  # the action key of a move that a seat may not see
OFF_TREE = -1  # instead of a node, for a seat whose next node did not fit into the tree
MAX_PHASES = 128


class Tree(NamedTuple):
    """The arrays of a tree, with their dtypes and shapes. All but `size` and `status` are indexed by node."""

    size: Annotated[Any, "int64", 1]  # number of nodes in use
    status: Annotated[Any, "int64", 1]  # GROWABLE, FULL or AT_CAPACITY
    first_child: Annotated[Any, "int32", "nodes"]
    next_sibling: Annotated[Any, "int32", "nodes"]  # in ISMCTS, the higher priors come first
    question: Annotated[Any, "int32", "nodes"]  # `question_id` of the choice; below 0 if another seat observed the move
    action_key: Annotated[Any, "int32", "nodes"]  # by `rules.action_key`, or HIDDEN_MOVE
    action: Annotated[Any, "int32", "nodes"]  # its code in the determinization that added the node
    prior: Annotated[Any, "float64", "nodes"]  # the mover's utility by a one-ply evaluation, or an evaluator's policy
    visits: Annotated[Any, "int64", "nodes"]
    pending: Annotated[Any, "int32", "nodes"]  # number of simulations through the node that wait for an evaluator
    availability: Annotated[Any, "int64", "nodes"]  # number of times that the action was considered among others
    utility_sum: Annotated[Any, "float64", "nodes", "seats"]  # over the visits
    evaluation_sum: Annotated[Any, "float64", "nodes", "seats"]  # over the visits, in units of `bots.evaluate`


def question_id(s):
    """Return the seat to move and its phase as one integer."""
    return MAX_PHASES * s.turn + s.phase


def clear(tree):
    tree.size[0], tree.status[0] = 0, GROWABLE
    add_node(tree, -1, -1, NO_ACTION, 0.0)


def add_node(tree, question, action_key, action, prior):
    """Add a node without links and visits, and return its number. The arrays must have room for it."""
    node = tree.size[0]
    tree.size[0] = node + 1
    tree.first_child[node] = NO_NODE
    tree.next_sibling[node] = NO_NODE
    tree.question[node] = question
    tree.action_key[node] = action_key
    tree.action[node] = action
    tree.prior[node] = prior
    tree.visits[node] = 0
    tree.pending[node] = 0
    tree.availability[node] = 0
    for p in range(tree.utility_sum.shape[1]):
        tree.utility_sum[node, p] = 0.0
        tree.evaluation_sum[node, p] = 0.0
    return node


def add_child(tree, node, question, action_key, action, prior):
    """Add a child among its siblings by descending prior, and return it.

    If the tree is full, set its status and return NO_NODE.
    """
    before, after = NO_NODE, tree.first_child[node]
    while after != NO_NODE and tree.prior[after] >= prior:
        before, after = after, tree.next_sibling[after]
    return insert_child(tree, node, before, question, action_key, action, prior)


def insert_child(tree, node, before, question, action_key, action, prior):
    """Add a child behind its sibling `before`, or as the first child if that is NO_NODE. Return the child.

    If the tree is full, set its status and return NO_NODE.
    """
    if tree.size[0] == len(tree.first_child):
        tree.status[0] = max(tree.status[0], FULL)
        return NO_NODE
    child = add_node(tree, question, action_key, action, prior)
    if before == NO_NODE:
        tree.next_sibling[child] = tree.first_child[node]
        tree.first_child[node] = child
    else:
        tree.next_sibling[child] = tree.next_sibling[before]
        tree.next_sibling[before] = child
    return child


def find_child(tree, node, question, action_key):
    """Return the child for this question and action key; NO_NODE if there is no such child."""
    child = tree.first_child[node]
    while child != NO_NODE and (tree.action_key[child] != action_key or tree.question[child] != question):
        child = tree.next_sibling[child]
    return child
