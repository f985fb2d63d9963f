"""Information-set tree search with an evaluator, by PUCT, for any number of seats.

An evaluator gives values and a policy for a position, like the networks of AlphaZero (Silver et al., "A general
reinforcement learning algorithm", 2018). This search shares its tree, its determinizations and the seats' descents with
`ismcts`, and has the same terms. Each simulation does this:

1. Determinize.
2. Select: descend the tree by PUCT, to a position with an action that has no node. This position is a leaf.
3. Collect: write the leaf's observation into a row of a batch, masked for the mover. Mark the path as pending.
4. Evaluate: the evaluator fills in the rows' values and policies, in Python or compiled.
5. Finish: add a node for each new action, with its probability as the prior, and backpropagate the values.

At the end of a game there is no leaf: the simulation backpropagates the utility at once, as `ismcts` computes it.

- A pending simulation counts as a visit with a bad result (virtual loss), so that the next one takes another path.
- A collection ends early when two of its simulations reach the same leaf, because the tree is then too small for more.
- Another determinization can have new actions in a node. Then the node is a leaf again. The prior of an action is that
  of the determinization that has added the action's node. A forced move has the prior 1, and needs no evaluator.
- A bound depends on how often the action was available, instead of the parent's visits, as in `ismcts`.

`rules`, `observe` and `bots` are the game's modules. `evaluator` is a module with a compiled evaluator, if the search
has one.
"""

from math import isfinite, sqrt
from typing import Annotated, Any, NamedTuple

from .ismcts import (
    EPS,
    MAX_PATH_NODES,
    MIN_UCB,
    OBSERVED,
    SIMULATED,
    advance_seats,
    backpropagate,
    evaluate_leaf,
    mark_available,
)
from .tree import FULL, NO_ACTION, NO_NODE, OFF_TREE, find_child, insert_child, question_id

rules: Any
observe: Any
bots: Any
evaluator: Any

FORCED_PRIOR = 1.0
NO_ROW = -1
ROUNDING = 1e-6  # a value may be so far outside 0 to 1


class Leaves(NamedTuple):
    """The leaves that wait for the evaluator, with their dtypes and shapes. Arrays have a row for each leaf."""

    count: Annotated[Any, "int64", 1]  # number of leaves
    invalid: Annotated[Any, "int64", 1]  # a row with values or a policy that cannot be used, or NO_ROW
    masked: Annotated[Any, "state", 1]  # scratch space: the position as the mover sees it
    states: Annotated[Any, "state", "leaves"]  # the positions
    nodes: Annotated[Any, "int64", "leaves"]  # the mover's node, or OFF_TREE
    paths: Annotated[Any, "int64", "leaves", MAX_PATH_NODES]
    path_lengths: Annotated[Any, "int64", "leaves"]
    observations: Annotated[Any, "float32", "leaves", "numbers"]  # of the mover
    parts: Annotated[Any, "float32", "leaves"]  # the memory of `observations`, as records of the tensor's parts
    masks: Annotated[Any, "uint8", "leaves", "actions"]  # 1 for the legal actions
    values: Annotated[Any, "float64", "leaves", "seats"]  # the evaluator's utilities, from the mover's on
    policies: Annotated[Any, "float32", "leaves", "actions"]  # the evaluator's: weights of the actions


class Settings(NamedTuple):
    """Settings of a search with an evaluator, all floats. Two are those of `ismcts.Settings`."""

    lead_scale: Any
    result_weight: Any
    c_puct: Any  # weight of the exploration term, in units of `utility_unit`
    virtual_loss: Any  # distance of a pending result from the parent's mean, in units of `utility_unit`
    utility_unit: Any  # 1 with several seats; with one seat, whose utility is its points, the lead scale in points


def simulate(simulations, root, seat, tree, work, leaves, settings, weights, scratch):
    """Simulate as `ismcts.simulate` does, with the compiled evaluator. Return the number of simulations done.

    The loop also stops early at an invalid row, which `leaves.invalid` then has.
    """
    done = 0
    leaves.invalid[0] = NO_ROW
    while done < simulations and tree.status[0] != FULL and leaves.invalid[0] == NO_ROW:
        done += collect(simulations - done, root, seat, tree, work, leaves, settings)
        for row in range(leaves.count[0]):
            evaluator.evaluate(
                leaves.observations[row],
                leaves.masks[row],
                leaves.values[row],
                leaves.policies[row],
                weights,
                scratch,
            )
        finish(tree, work, leaves)
    return done


# --- collection of leaves -------------------------------------------------------------------------


def collect(simulations, root, seat, tree, work, leaves, settings):
    """Begin simulations until there is no room for another leaf, and complete those that reach the end of a game.

    `work.states[OBSERVED]` is the position of `root`, with `seat` to move. Return the number of simulations begun, at
    most `simulations`. If the root is the only leaf, it is not counted, because it gives no action a visit.
    """
    leaves.count[0] = 0
    for done in range(simulations):
        if tree.status[0] == FULL or leaves.count[0] == len(leaves.states):
            return done
        s = work.states[SIMULATED]
        work.states[SIMULATED] = work.states[OBSERVED]
        if not work.clairvoyant[0]:
            observe.determinize(s, seat, work.rng, work.actions)
        path_length = select(s, root, tree, work, settings)
        if s.over:
            evaluate_end(s, work, settings)
            backpropagate(path_length, s.seats, tree, work)
        else:
            node = work.seat_node[s.turn]
            is_repeated = is_waiting(node, leaves)
            add_leaf(s, node, path_length, tree, work, leaves)
            if node == root:
                return done
            if is_repeated:
                return done + 1
    return simulations


def select(s, root, tree, work, settings):
    """Descend the tree from `root`, and play the selected actions in `s`. Return the length of the path.

    The descent ends at a choice with an action that has no node, or at the end of the game. It also ends when the path
    or the tree is full.
    """
    path, seat_node = work.path, work.seat_node
    path[0] = root
    length = 1
    for p in range(s.seats):
        seat_node[p] = root
    while length + s.seats <= len(path):
        count = rules.legal(s, work.actions)
        if count == 0:
            break
        mover = s.turn
        node = seat_node[mover]
        if node == OFF_TREE:
            break
        if count == 1:
            child, action = forced_child(s, node, tree, work), work.actions[0]
            if child == NO_NODE:
                break
        else:
            if mark_available(s, node, count, tree, work) > 0:
                break
            if node == root and work.root_action[0] != NO_ACTION:
                child = find_child(tree, node, question_id(s), rules.action_key(s, work.root_action[0]))
            else:
                child = best_child(s, node, tree, work, settings)
            action = work.available_code[tree.action_key[child]]
        length = advance_seats(s, mover, child, length, tree, work)
        rules.apply(s, action)
    return length


def forced_child(s, node, tree, work):
    """Return the child for the only legal action, added if needed; NO_NODE if the tree is full."""
    action = work.actions[0]
    question, action_key = question_id(s), rules.action_key(s, action)
    child = find_child(tree, node, question, action_key)
    if child == NO_NODE:
        child = insert_child(tree, node, NO_NODE, question, action_key, action, FORCED_PRIOR)
    return child


def best_child(s, node, tree, work, settings):
    """Return the available child with the highest PUCT bound, and increment the availability of each available child.

    `mark_available` must have found that all available actions have a child. Their priors are scaled to the sum 1.
    """
    now, question, mover = work.clock[0], question_id(s), s.turn
    prior_sum = EPS
    child = tree.first_child[node]
    while child != NO_NODE:
        if tree.question[child] == question and work.available_at[tree.action_key[child]] == now:
            prior_sum += tree.prior[child]
        child = tree.next_sibling[child]
    mean, scale = tree.utility_sum[node, mover] / (tree.visits[node] + EPS), 1.0 / prior_sum
    best_value, best = MIN_UCB, NO_NODE
    child = tree.first_child[node]
    while child != NO_NODE:
        if tree.question[child] == question and work.available_at[tree.action_key[child]] == now:
            tree.availability[child] += 1
            value = puct(child, mover, mean, scale, tree, settings)
            if value > best_value:
                best_value, best = value, child
        child = tree.next_sibling[child]
    return best


def puct(child, mover, mean, scale, tree, settings):
    """Return the PUCT bound of a child for the mover. `scale` is the factor of its prior.

    `mean` is the mover's mean utility at the parent. A child without visits is expected to be worth `mean`.
    """
    visits = tree.visits[child] + tree.pending[child]
    expected = mean
    if visits > 0:
        virtual = mean - settings.virtual_loss * settings.utility_unit
        expected = (tree.utility_sum[child, mover] + tree.pending[child] * virtual) / visits
    bonus = settings.c_puct * scale * tree.prior[child] * sqrt(tree.availability[child]) / (1 + visits)
    return expected + settings.utility_unit * bonus


def is_waiting(node, leaves):
    """Return whether a leaf that waits is at this node of the tree."""
    for row in range(leaves.count[0]):
        if leaves.nodes[row] == node and node != OFF_TREE:
            return True
    return False


def add_leaf(s, node, path_length, tree, work, leaves):
    """Write a leaf into the next row, and mark its path as pending. `node` is the mover's."""
    row = leaves.count[0]
    leaves.count[0] = row + 1
    leaves.states[row] = s
    leaves.nodes[row] = node
    leaves.path_lengths[row] = path_length
    for i in range(path_length):
        leaves.paths[row, i] = work.path[i]
        tree.pending[work.path[i]] += 1
    mask, numbers = leaves.masks[row], leaves.observations[row]
    for action in range(len(mask)):
        mask[action] = 0
    for i in range(rules.legal(s, work.actions)):
        mask[work.actions[i]] = 1
    for i in range(len(numbers)):
        numbers[i] = 0.0
    leaves.masked[0] = s
    observe.mask(leaves.masked[0], s.turn)
    observe.tensor(leaves.masked[0], s.turn, leaves.parts[row])


# --- evaluations ----------------------------------------------------------------------------------


def evaluate_end(s, work, settings):
    """Write every seat's evaluation and utility at the end of a game into the workspace.

    The utility is that of `ismcts`; with one seat, its points.
    """
    evaluate_leaf(s, work, settings)
    if s.seats == 1:
        rules.scores(s, work.evaluation.table)
        work.utility[0] = work.evaluation.table[0, 0]


def finish(tree, work, leaves):
    """Complete the simulations of all leaves, in order, by the evaluator's values and policies.

    At an invalid row, write its number into `leaves.invalid` and return. The tree can then not be used any more.
    """
    leaves.invalid[0] = NO_ROW
    for row in range(leaves.count[0]):
        s = leaves.states[row]
        count = rules.legal(s, work.actions)
        total = policy_sum(row, count, work, leaves)
        if not (total > 0.0 and isfinite(total) and has_usable_values(row, s.seats, leaves)):
            leaves.invalid[0] = row
            return
        if leaves.nodes[row] != OFF_TREE:
            expand(s, row, count, total, tree, work, leaves)
        path_length = leaves.path_lengths[row]
        for i in range(path_length):
            work.path[i] = leaves.paths[row, i]
            tree.pending[work.path[i]] -= 1
        for i in range(s.seats):
            work.utility[(s.turn + i) % s.seats] = leaves.values[row, i]
        bots.evaluate(s, *work.evaluation.weights, work.evaluation.table, work.evaluation.values)
        backpropagate(path_length, s.seats, tree, work)


def policy_sum(row, count, work, leaves):
    """Return the sum of a row's policy over the legal actions; -1 if a weight is negative or not a number."""
    total = 0.0
    for i in range(count):
        weight = leaves.policies[row, work.actions[i]]
        if not weight >= 0.0:
            return -1.0
        total += weight
    return total


def has_usable_values(row, seats, leaves):
    """Return whether a row's values are finite, and shares with several seats."""
    for p in range(seats):
        value = leaves.values[row, p]
        if not isfinite(value) or (seats > 1 and not is_share(value)):
            return False
    return True


def is_share(value):
    """Return whether a value is 0 to 1, up to rounding errors."""
    return -ROUNDING <= value <= 1.0 + ROUNDING


def expand(s, row, count, policy_total, tree, work, leaves):
    """Add a child for each action without a child, until the tree is full. The lower codes come first."""
    node, question = leaves.nodes[row], question_id(s)
    for i in range(mark_available(s, node, count, tree, work) - 1, -1, -1):
        action = work.new_actions[i]
        prior = leaves.policies[row, action] / policy_total
        insert_child(tree, node, NO_NODE, question, work.action_keys[i], action, prior)
