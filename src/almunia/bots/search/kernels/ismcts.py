"""Information-set Monte Carlo tree search (ISMCTS) for two or more seats.

An information set is the set of positions that a seat cannot tell apart. Each simulation of a search does this:

1. Determinize: draw a position from the information set of the seat that searches.
2. Select: descend the tree by upper confidence bounds, to an unvisited node. Expand: add the actions without a node.
3. Roll out: play some more decisions by a simple policy.
4. Evaluate the position reached, and backpropagate: add the evaluation to every node on the path.

Terms:

- `s` is a position, the record of a game's state. The mover is the seat to move in `s`.
- A question is the mover and the phase of its turn, as one integer (`question_id`).
- An action has a code, and a key (`rules.action_key`). A code can mean different things in two determinizations, but a
  key cannot. A node stands for an action, and is found by its question and key.
- A seat's lead is its evaluation less the best evaluation of another seat (`margin`). Its utility is the chance to win
  with this lead, from 0 to 1.

The search follows Cowling, Powley and Whitehouse, "Information Set Monte Carlo Tree Search" (2012). As in their
MO-ISMCTS, every seat descends its own information sets. Some actions are legal in some determinizations only, so an
upper confidence bound depends on how often the action was available. Differences from the paper:

- Expansion adds all available actions at once, at the second visit of a node. Each action gets a prior: its utility by
  a one-ply evaluation, which counts for `prior_visits` visits.
- Progressive widening: a node considers its best few actions by prior first, and more as its visits grow. Availability
  is counted for considered actions only.
- A forced move counts as a visit of its child, but not as available. If the action is a choice in other
  determinizations, its bound there is a little lower than in the paper.
- Each seat maximizes its own utility (max^n).
- A rollout is cut off after some decisions, and the position it has reached is evaluated.
- The seats' trees lie in one array of nodes (`tree`).

`rules`, `observe` and `bots` are the game's modules.
"""

from math import exp, log, sqrt
from typing import Annotated, Any, NamedTuple

from ....core.kernels.evaluation import EvalScratch
from ....core.kernels.play import MAX_DECISIONS
from ....core.kernels.scoring import margin, rank
from ....engine.kernels.rng import randbelow
from .tree import FULL, HIDDEN_MOVE, NO_ACTION, NO_NODE, OFF_TREE, add_child, find_child, question_id

rules: Any
observe: Any
bots: Any

OBSERVED, SIMULATED = 0, 1  # indexes of Workspace.states
STATES = 2
MAX_PATH_NODES = 256  # maximum length of a simulation's path
MIN_UCB = -1e300  # below every upper confidence bound
EPS = 1e-9  # keeps divisors above 0


class Workspace(NamedTuple):
    """The arrays of a search, with their dtypes and shapes, as `core.workspaces.allocate` makes them."""

    states: Annotated[Any, "state", STATES]  # the observation, and the simulated position
    clairvoyant: Annotated[Any, "int64", 1]  # 1 if the observation is clairvoyant
    rng: Annotated[Any, "int64", 4]  # the bot's random number generator
    actions: Annotated[Any, "int32", "actions"]  # the legal actions; scratch space of `observe.determinize`
    new_actions: Annotated[Any, "int32", "actions"]  # legal actions that have no node yet
    action_keys: Annotated[Any, "int32", "actions"]  # of `actions`; after `mark_available`, of `new_actions`
    action_values: Annotated[Any, "int64", "actions"]  # one-ply evaluations
    evaluation: EvalScratch  # for one-ply evaluations; at the end its `values` are the leaf's evaluation by seat
    ranks: Annotated[Any, "int8", "seats"]
    utility: Annotated[Any, "float64", "seats"]  # of the leaf by seat
    path: Annotated[Any, "int64", MAX_PATH_NODES]  # the nodes that this simulation visits
    seat_node: Annotated[Any, "int64", "seats"]  # each seat's position in the tree, or OFF_TREE
    available_at: Annotated[Any, "int64", "keys"]  # `clock` when the action was last available
    available_code: Annotated[Any, "int32", "keys"]  # the action's code at that time
    has_child_at: Annotated[Any, "int64", "keys"]  # `clock` when the action last had a child of the node
    root_action: Annotated[Any, "int64", 1]  # the action that every simulation takes at the root, or NO_ACTION
    clock: Annotated[Any, "int64", 1]  # number of calls of `mark_available`; saves clearing the three arrays above


class Settings(NamedTuple):
    """Settings of a search, all floats, so that Numba compiles the search only once."""

    exploration: Any  # factor of the exploration term of UCB
    lead_scale: Any  # the lead that is one unit of the logistic function, in units of evaluation
    result_weight: Any  # weight of the result in the utility at the end of a game, 0 to 1; the lead has the rest
    initial_width: Any  # progressive widening: number of actions considered at first
    widening_rate: Any  # additional actions per square root of the node's visits
    prior_visits: Any  # weight of a prior, in visits; 0 disables priors
    rollout_decisions: Any  # number of decisions in a rollout; with `rollout_rounds`, the least number
    rollout_rounds: Any  # least number of rounds from root to leaf, which is then the end of a turn; 0 disables it
    rollout_candidates: Any  # number of random actions from which a rollout takes the best; 1 for random play


def simulate(simulations, root, seat, tree, work, settings):
    """Simulate from `work.states[OBSERVED]`, in which `seat` is to move. `root` is the node of this position.

    Return the number of simulations done. The loop stops early when `tree.status` is FULL.
    """
    for done in range(simulations):
        if tree.status[0] == FULL:
            return done
        # 1. Determinize: fill in the hidden parts at random.
        s = work.states[SIMULATED]
        work.states[SIMULATED] = work.states[OBSERVED]
        if not work.clairvoyant[0]:
            observe.determinize(s, seat, work.rng, work.actions)
        min_turns = s.turns + settings.rollout_rounds * s.seats
        # 2. Select and expand: descend to an unvisited node.
        path_length = select(s, root, tree, work, settings)
        # 3. Roll out from the position of this node.
        rollout(s, min_turns, work, settings)
        # 4. Evaluate, and backpropagate along the path.
        evaluate_leaf(s, work, settings)
        backpropagate(path_length, s.seats, tree, work)
    return simulations


# --- selection and expansion ----------------------------------------------------------------------


def select(s, root, tree, work, settings):
    """Descend the tree from `root`, and play the selected actions in `s`. Return the length of the path.

    The descent ends at the first choice at an unvisited node below `root`, or at the end of the game. It also ends when
    the path or the tree is full.
    """
    path, seat_node = work.path, work.seat_node
    path[0] = root
    length = 1
    for p in range(s.seats):
        seat_node[p] = root
    while length + s.seats <= len(path):
        # 1. Stop at the end of the game, or if the mover's node did not fit into the tree.
        count = rules.legal(s, work.actions)
        if count == 0:
            break
        mover = s.turn
        node = seat_node[mover]
        if node == OFF_TREE:
            break
        # 2. Follow a forced move to its child; stop at an unvisited node; else expand the node and take its best child.
        if count == 1:
            child = forced_child(s, node, tree, work, settings)
            action = work.actions[0]
        elif tree.visits[node] == 0 and node != root:
            break
        else:
            expand(s, node, count, tree, work, settings)
            if node == root and work.root_action[0] != NO_ACTION:
                child = find_child(tree, node, question_id(s), rules.action_key(s, work.root_action[0]))
            else:
                child = best_child(s, node, tree, work, settings)
            action = work.available_code[tree.action_key[child]] if child != NO_NODE else NO_ACTION
        if child == NO_NODE:
            break
        # 3. Advance every seat in the tree, and apply the action.
        length = advance_seats(s, mover, child, length, tree, work)
        rules.apply(s, action)
    return length


def advance_seats(s, mover, child, length, tree, work):
    """Advance every seat to the child for its observation of the mover's action. Return the new length of the path.

    `child` is the mover's next node. Seats that have observed the same as the mover share the mover's node.
    """
    seat_node, mover_node = work.seat_node, work.seat_node[mover]
    work.path[length] = child
    end = length + 1
    for p in range(s.seats):
        sees = observe.may_see(s, p)
        if p == mover or (sees and seat_node[p] == mover_node):
            seat_node[p] = child
        elif seat_node[p] != OFF_TREE:
            node = seat_node[p]
            seat_node[p] = observed_child(s, mover, node, tree.action_key[child] if sees else HIDDEN_MOVE, tree)
            if seat_node[p] not in (node, OFF_TREE) and not path_contains(work.path, length, end, seat_node[p]):
                work.path[end] = seat_node[p]
                end += 1
    return end


def observed_child(s, mover, node, action_key, tree):
    """Return the child of another seat's node for a move of the mover, added if needed; OFF_TREE if the tree is full.

    Successive hidden moves of one mover share a node. The question is negative, so that `best_child`, which looks for
    choices of the mover, never selects these children. The question of a hidden move has the mover, but not the phase.
    The key HIDDEN_MOVE distinguishes the two kinds of negative questions.
    """
    question = -1 - (question_id(s) if action_key != HIDDEN_MOVE else mover)
    if action_key == HIDDEN_MOVE and tree.action_key[node] == HIDDEN_MOVE and tree.question[node] == question:
        return node
    child = find_child(tree, node, question, action_key)
    if child == NO_NODE:
        child = add_child(tree, node, question, action_key, NO_ACTION, 0.0)
    return child if child != NO_NODE else OFF_TREE


def path_contains(path, start, stop, node):
    for i in range(start, stop):
        if path[i] == node:
            return True
    return False


def forced_child(s, node, tree, work, settings):
    """Return the child for the only legal action, added if needed; NO_NODE if the tree is full."""
    question, action_key = question_id(s), rules.action_key(s, work.actions[0])
    child = find_child(tree, node, question, action_key)
    if child == NO_NODE:
        work.new_actions[0], work.action_keys[0] = work.actions[0], action_key
        child = add_children(s, node, question, 1, tree, work, settings)
    return child


def expand(s, node, count, tree, work, settings):
    """Mark the legal actions as available now, and add a child for each action without a child, until the tree is full.

    `select` expands a node at every visit, because another determinization can have other actions.
    """
    new_count = mark_available(s, node, count, tree, work)
    add_children(s, node, question_id(s), new_count, tree, work, settings)


def mark_available(s, node, count, tree, work):
    """Mark the legal actions as available now. Return the number of actions without a child.

    The actions without a child and their keys are then the first in `work.new_actions` and `work.action_keys`.
    """
    # 1. Mark the actions that are available in this determinization, and store their codes.
    work.clock[0] += 1
    now, question = work.clock[0], question_id(s)
    for i in range(count):
        action_key = rules.action_key(s, work.actions[i])
        work.action_keys[i], work.available_at[action_key] = action_key, now
        work.available_code[action_key] = work.actions[i]
    # 2. Mark the actions that have a child.
    child = tree.first_child[node]
    while child != NO_NODE:
        if tree.question[child] == question:
            work.has_child_at[tree.action_key[child]] = now
        child = tree.next_sibling[child]
    # 3. List the others.
    new_count = 0
    for i in range(count):
        if work.has_child_at[work.action_keys[i]] != now:
            work.new_actions[new_count], work.action_keys[new_count] = work.actions[i], work.action_keys[i]
            new_count += 1
    return new_count


def add_children(s, node, question, count, tree, work, settings):
    """Add a child with its prior for each of the first `count` new actions.

    Return the last child; NO_NODE if `count` is 0 or the tree is full.
    """
    if settings.prior_visits > 0.0:
        bots.action_values(s, work.new_actions, count, work.evaluation, work.action_values)
    child = NO_NODE
    for i in range(count):
        prior = 0.0
        if settings.prior_visits > 0.0:
            prior = win_probability(work.action_values[i], settings.lead_scale)
        child = add_child(tree, node, question, work.action_keys[i], work.new_actions[i], prior)
    return child


def best_child(s, node, tree, work, settings):
    """Return the available child with the highest UCB, within progressive widening; NO_NODE if there is no such child.

    `expand` must have marked the available actions before. Increment the availability of each considered child.
    """
    now, question, mover = work.clock[0], question_id(s), s.turn
    width = settings.initial_width + settings.widening_rate * sqrt(tree.visits[node])
    best_value, best, prior_shift = MIN_UCB, NO_NODE, 0.0
    child = tree.first_child[node]
    while child != NO_NODE and width >= 1.0:
        if tree.question[child] == question and work.available_at[tree.action_key[child]] == now:
            if best == NO_NODE:  # the first available child, which has the highest prior
                prior_shift = tree.utility_sum[node, mover] / (tree.visits[node] + EPS) - tree.prior[child]
            width -= 1.0
            tree.availability[child] += 1
            value = ucb(child, mover, prior_shift, tree, settings)
            if value > best_value:
                best_value, best = value, child
        child = tree.next_sibling[child]
    return best


def ucb(child, mover, prior_shift, tree, settings):
    """Return the upper confidence bound of a child for the mover.

    The exploration term grows with the child's availability, instead of the parent's visits as in UCB1. The prior has
    the weight of `prior_visits` visits. `prior_shift` is added to the prior, so that the highest available
    prior equals the parent's mean utility.
    """
    visits = tree.visits[child] + settings.prior_visits + EPS
    mean = (tree.utility_sum[child, mover] + settings.prior_visits * (prior_shift + tree.prior[child])) / visits
    return mean + settings.exploration * sqrt(log(tree.availability[child] + 1.0) / visits)


# --- rollout --------------------------------------------------------------------------------------


def rollout(s, min_turns, work, settings):
    """Play `rollout_decisions` decisions in `s` by the rollout policy: a random action, or the best of a random sample.

    Forced moves are not counted. With `rollout_rounds`, play on to the end of a turn, until at least `min_turns` turns
    of the game are finished. The rollout ends early at the end of the game, or after MAX_DECISIONS decisions.
    """
    actions, rng = work.actions, work.rng
    decisions_left, ends_with_turn = settings.rollout_decisions, settings.rollout_rounds > 0.0
    stop = max(min_turns, s.turns + 1.0) if ends_with_turn else 0.0  # finished turns at the end of the rollout
    for _ in range(MAX_DECISIONS):
        count = rules.legal(s, actions) if decisions_left >= 1.0 or s.turns < stop else 0
        if count == 0:
            return
        if count > 1:
            if ends_with_turn and decisions_left >= 1.0:
                stop = max(stop, s.turns + 1.0)
            decisions_left -= 1.0
        if count > 1 and settings.rollout_candidates >= 2.0:
            action = best_of_sample(s, count, work, settings)
        else:  # inlined, because passing the whole workspace to a function costs more than most decisions
            action = actions[randbelow(rng, count)]
        rules.apply(s, action)


def best_of_sample(s, count, work, settings):
    """Return the action with the best one-ply evaluation in a random sample without replacement.

    The sample has `rollout_candidates` actions, or all `count` actions if there are fewer. The function changes the
    order of `work.actions`.
    """
    actions, size = work.actions, 0
    while size < settings.rollout_candidates and size < count:
        other = size + randbelow(work.rng, count - size)
        actions[size], actions[other] = actions[other], actions[size]
        size += 1
    bots.action_values(s, actions, size, work.evaluation, work.action_values)
    best = 0
    for i in range(1, size):
        if work.action_values[i] > work.action_values[best]:
            best = i
    return actions[best]


# --- evaluation and backpropagation ---------------------------------------------------------------


def evaluate_leaf(s, work, settings):
    """Write every seat's evaluation, by the game's `bots.evaluate_leaf`, and utility into the workspace.

    The utility is the chance to win. After the end of the game, the utility is blended with the result.
    """
    seats = s.seats
    bots.evaluate_leaf(s, *work.evaluation.weights, work.evaluation.table, work.evaluation.values)
    for p in range(seats):
        work.utility[p] = win_probability(margin(p, seats, work.evaluation.values), settings.lead_scale)
    if s.over:
        blend_result(s, seats, work, settings)


def win_probability(lead, lead_scale):
    """Return the chance to win with a lead: the logistic function of the lead in units of `lead_scale`."""
    scaled = lead / lead_scale
    odds = exp(-abs(scaled))  # at most 1, so that it cannot overflow
    return 1.0 / (1.0 + odds) if scaled >= 0 else odds / (1.0 + odds)


def blend_result(s, seats, work, settings):
    """Blend each utility with the result of a finished game, by `result_weight`. The winners share a result of 1."""
    rules.scores(s, work.evaluation.table)
    rank(work.evaluation.table, seats, work.ranks)
    winners = 0
    for p in range(seats):
        winners += 1 if work.ranks[p] == 1 else 0
    weight = settings.result_weight
    for p in range(seats):
        result = 1.0 / winners if work.ranks[p] == 1 else 0.0
        work.utility[p] = weight * result + (1.0 - weight) * work.utility[p]


def backpropagate(path_length, seats, tree, work):
    """Add a visit, and the utility and evaluation of the leaf, to every node on the path."""
    for i in range(path_length):
        node = work.path[i]
        tree.visits[node] += 1
        for p in range(seats):
            tree.utility_sum[node, p] += work.utility[p]
            tree.evaluation_sum[node, p] += work.evaluation.values[p]


def visit_lead(root, tree):
    """Return the lead, in visits, of the root's most visited action over the second."""
    most, second, child = 0, 0, tree.first_child[root]
    while child != NO_NODE:
        visits = tree.visits[child] if tree.action_key[child] != HIDDEN_MOVE else 0
        if visits > most:
            most, second = visits, most
        elif visits > second:
            second = visits
        child = tree.next_sibling[child]
    return most - second
