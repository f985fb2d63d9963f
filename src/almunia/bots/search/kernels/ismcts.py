"""Information-set Monte Carlo tree search for any number of seats.

Each simulation guesses the hidden part afresh (`observe.determinize`), walks down the one tree that all
guesses share, plays a little further, and writes on the way back what is to be expected there. After Cowling,
Powley and Whitehouse, "Information Set Monte Carlo Tree Search" (2012), with three additions: a
choice starts with the utility its position promises, as if it had been visited before; few
choices are considered at first, the most promising ones, and more as visits grow (progressive
widening); and each seat plays for its own utility (max^n).

`rules`, `observe`, `bots` and `naming` are the game's. Nothing in here knows which game it is.
"""

from math import exp, log, sqrt
from typing import Any, NamedTuple

from ....core.kernels.evaluation import lead
from ....core.kernels.play import LIMIT
from ....core.kernels.scoring import rank
from ....engine.kernels.rng import below
from .tree import FULL, HIDDEN, LOST, NO_NODE, add_child, asked_of, child_by

rules: Any  # given by the twin
observe: Any  # given by the twin
bots: Any  # given by the twin
naming: Any  # given by the twin

SEEN, PLAYED = 0, 1  # places in Workspace.states
STATES = 2
FAR = 1e300  # beyond every utility
TINY = 1e-9


class Workspace(NamedTuple):
    """What a search writes on."""

    states: Any  # (STATES,) of the game's dtype: what is seen, and the guess that is played on
    known: Any  # (1,) int64, 1 if what is seen is the whole truth
    rng: Any  # (4,) the bot's own generator
    actions: Any  # (ACTIONS,) int32
    scratch: Any  # (ACTIONS,) int32
    few: Any  # (ACTIONS,) int32, actions to be foreseen
    names: Any  # (ACTIONS,) int32, what they name
    foreseen: Any  # (ACTIONS,) int64, what they lead to
    trial: Any  # a Trial, on which the game tries actions out
    table: Any  # (most seats, len(SCORES)) int64
    values: Any  # (most seats,) int64
    ranks: Any  # (most seats,) int8
    utility: Any  # (most seats,) float64
    path: Any  # (DEPTH,) int64, the nodes of this simulation
    stands: Any  # (most seats,) int64, the node at which each seat stands by what it has seen, or LOST
    offered: Any  # (NUM_ACTION_KEYS,) int64, the visit at which what a name stands for was last on offer
    code: Any  # (NUM_ACTION_KEYS,) int32, the code that it had then
    met: Any  # (NUM_ACTION_KEYS,) int64, the visit at which its node was last met
    clock: Any  # (1,) int64, counts visits for these


class Settings(NamedTuple):
    """What can be set of a search. All are floats, so that one compilation serves."""

    explore: Any  # how much a choice gains by being little tried
    spread: Any  # a lead of so many points is as good as certain: the unit of the utility
    narrow: Any  # how many choices are considered at first
    widen: Any  # how many more, for each root of a visit
    trust: Any  # for how many visits the prior of a choice counts; 0 does without
    ahead: Any  # decisions played beyond the tree, at least, before the position is evaluated
    rounds: Any  # rounds that a simulation lasts, at least, and to the end of a turn; 0 does without
    tries: Any  # how many actions a playout looks at before it takes the best; 1 takes any


def simulate(times, root, seat, tree, work, settings):
    """Simulate so many times for the seat to move in `work.states[SEEN]`, or until the tree is full.

    Returns how often it simulated.
    """
    for done in range(times):
        if tree.full[0] == FULL:
            return done
        s = work.states[PLAYED]
        work.states[PLAYED] = work.states[SEEN]
        if not work.known[0]:
            observe.determinize(s, seat, work.rng, work.scratch)
        turns = s.turns + settings.rounds * s.seats
        depth = descend(s, root, tree, work, settings)
        play_out(s, turns, work, settings)
        assess(s, work, settings)
        write_back(depth, s.seats, tree, work)
    return times


# --- down the tree --------------------------------------------------------------------------------


def descend(s, root, tree, work, settings):
    """Play by the tree until the seat to move comes to a node that is new to it; returns how many nodes were met."""
    path, stands = work.path, work.stands
    path[0] = root
    depth = 1
    for p in range(s.seats):
        stands[p] = root
    while depth + s.seats <= len(path):
        count = rules.legal(s, work.actions)
        if count == 0:
            break
        mover = s.turn
        node = stands[mover]
        if node == LOST:
            break
        if count == 1:
            child = forced(s, node, tree, work, settings)
            action = work.actions[0]
        elif tree.visits[node] == 0 and node != root:
            break
        else:
            grow(s, node, count, tree, work, settings)
            child = selected(s, node, tree, work, settings)
            action = work.code[tree.name[child]] if child != NO_NODE else 0
        if child == NO_NODE:
            break
        depth = move_on(s, mover, child, depth, tree, work)
        rules.apply(s, action)
    return depth


def move_on(s, mover, child, depth, tree, work):
    """Every seat goes on to where what it sees of the move leads; returns how many nodes have been met."""
    stands, before = work.stands, work.stands[mover]
    work.path[depth] = child
    met = depth + 1
    for p in range(s.seats):
        sees = observe.may_see(s, p)
        if p == mover or (sees and stands[p] == before):
            stands[p] = child
        elif stands[p] != LOST:
            node = stands[p]
            stands[p] = seen_by_others(s, mover, node, tree.name[child] if sees else HIDDEN, tree)
            if stands[p] not in (node, LOST) and not among(work.path, depth, met, stands[p]):
                work.path[met] = stands[p]
                met += 1
    return met


def seen_by_others(s, mover, node, name, tree):
    """Where a move of this name leads from a node; moves that are hidden lead to one node, however many they are.

    Nobody chooses there, so these are no choices: they have no prior and keep apart from those that have one.
    """
    asked = -1 - (asked_of(s) if name != HIDDEN else mover)
    if name == HIDDEN and tree.name[node] == HIDDEN and tree.asked[node] == asked:
        return node
    child = child_by(tree, node, asked, name)
    if child == NO_NODE:
        child = add_child(tree, node, asked, name, NO_NODE, 0.0)
    return child if child != NO_NODE else LOST


def among(path, start, stop, node):
    """Is this node on that part of the path?"""
    for i in range(start, stop):
        if path[i] == node:
            return True
    return False


def forced(s, node, tree, work, settings):
    """The child of the only choice there is; NO_NODE if there is no room for it."""
    asked, name = asked_of(s), naming.action_key(s, work.actions[0])
    child = child_by(tree, node, asked, name)
    if child == NO_NODE:
        work.few[0], work.names[0] = work.actions[0], name
        child = add_children(s, node, asked, 1, tree, work, settings)
    return child


def grow(s, node, count, tree, work, settings):
    """Note what is on offer, and give what was never met here a node and a prior."""
    work.clock[0] += 1
    now, asked = work.clock[0], asked_of(s)
    for i in range(count):
        name = naming.action_key(s, work.actions[i])
        work.names[i], work.offered[name], work.code[name] = name, now, work.actions[i]
    child = tree.first[node]
    while child != NO_NODE:
        if tree.asked[child] == asked:
            work.met[tree.name[child]] = now
        child = tree.following[child]
    fresh = 0
    for i in range(count):
        if work.met[work.names[i]] != now:
            work.few[fresh], work.names[fresh] = work.actions[i], work.names[i]
            fresh += 1
    add_children(s, node, asked, fresh, tree, work, settings)


def add_children(s, node, asked, count, tree, work, settings):
    """Give each of the few actions a node and a prior; returns the last of the nodes, NO_NODE without room."""
    if settings.trust > 0.0:
        foresee(s, work.few, count, work)
    child = NO_NODE
    for i in range(count):
        prior = utility(work.foreseen[i], s.seats, settings) if settings.trust > 0.0 else 0.0
        child = add_child(tree, node, asked, work.names[i], work.few[i], prior)
    return child


def foresee(s, actions, count, work):
    """Evaluate the positions that the first of the actions lead to."""
    bots.action_values(s, actions, count, work.trial, work.foreseen)


def selected(s, node, tree, work, settings):
    """The child with the highest upper bound among the most promising that are on offer now."""
    now, asked, mover = work.clock[0], asked_of(s), s.turn
    places = settings.narrow + settings.widen * sqrt(tree.visits[node])
    best, chosen, level = -FAR, NO_NODE, 0.0
    child = tree.first[node]
    while child != NO_NODE and places >= 1.0:
        if tree.asked[child] == asked and work.offered[tree.name[child]] == now:
            if chosen == NO_NODE:
                level = tree.total[node, mover] / (tree.visits[node] + TINY) - tree.prior[child]
            places -= 1.0
            tree.offered[child] += 1
            value = bound(child, mover, level, tree, settings)
            if value > best:
                best, chosen = value, child
        child = tree.following[child]
    return chosen


def bound(child, mover, level, tree, settings):
    """The mean utility of a child, and what it gains by being little tried.

    Its prior counts for some visits: `level` lifts it so that the most promising choice on offer is expected
    to be as good as its parent has been so far.
    """
    visits = tree.visits[child] + settings.trust + TINY
    mean = (tree.total[child, mover] + settings.trust * (level + tree.prior[child])) / visits
    return mean + settings.explore * sqrt(log(tree.offered[child] + 1.0) / visits)


# --- beyond the tree ------------------------------------------------------------------------------


def play_out(s, turns, work, settings):
    """Play on for a while, each seat by the playout policy: any action, or the likely one of a few.

    If simulations last for rounds, go on to the end of a turn, when at least so many `turns` have ended: then
    nobody is in the midst of one, and whichever way they went, all have had as many.

    To hand over the whole work costs more than most decisions do, so a lot alone is drawn here.
    """
    actions, rng = work.actions, work.rng
    left = settings.ahead
    stop = max(turns, s.turns + 1.0) if settings.rounds > 0.0 else 0.0
    for _ in range(LIMIT):
        count = rules.legal(s, actions) if left >= 1.0 or s.turns < stop else 0
        if count == 0:
            return
        if count > 1:
            left -= 1.0
        if count > 1 and settings.tries >= 2.0:
            action = likely(s, count, work, settings)
        else:
            action = actions[below(rng, count)]
        rules.apply(s, action)


def likely(s, count, work, settings):
    """The best for its seat, by the evaluation, of a few actions drawn at random, or of all if they are no more."""
    actions, tries = work.actions, 0
    while tries < settings.tries and tries < count:
        other = tries + below(work.rng, count - tries)
        actions[tries], actions[other] = actions[other], actions[tries]
        tries += 1
    foresee(s, actions, tries, work)
    best = 0
    for i in range(1, tries):
        if work.foreseen[i] > work.foreseen[best]:
            best = i
    return actions[best]


# --- what came of it ------------------------------------------------------------------------------


def assess(s, work, settings):
    """Write the utility of every seat in this position."""
    seats = s.seats
    bots.evaluate_leaf(s, work.table, work.values)
    for p in range(seats):
        work.utility[p] = utility(lead(p, seats, work.values), seats, settings)
    if s.over and seats > 1:
        settle(s, seats, work)


def utility(ahead, seats, settings):
    """What it is worth to be so far ahead: 0 to 1 among several; alone, the share of a spread."""
    if seats == 1:
        return ahead / settings.spread
    return chance(ahead / settings.spread)


def chance(ahead):
    """How likely it is to win with a lead of so many spreads: the logistic function."""
    doubt = exp(-abs(ahead))  # never a large number
    return 1.0 / (1.0 + doubt) if ahead >= 0 else doubt / (1.0 + doubt)


def settle(s, seats, work):
    """Once a play is over the ranks count most, and the points a little."""
    rules.scores(s, work.table)
    rank(work.table, seats, work.ranks)
    winners = 0
    for p in range(seats):
        winners += 1 if work.ranks[p] == 1 else 0
    for p in range(seats):
        share = 1.0 / winners if work.ranks[p] == 1 else 0.0
        work.utility[p] = 0.75 * share + 0.25 * work.utility[p]


def write_back(depth, seats, tree, work):
    """Add what came of a simulation to every node on its path."""
    for i in range(depth):
        node = work.path[i]
        tree.visits[node] += 1
        for p in range(seats):
            tree.total[node, p] += work.utility[p]
            tree.points[node, p] += work.values[p]


def margin(root, tree):
    """How many visits the root's most visited child is ahead of the second."""
    most, second, child = 0, 0, tree.first[root]
    while child != NO_NODE:
        visits = tree.visits[child] if tree.name[child] != HIDDEN else 0
        if visits > most:
            most, second = visits, most
        elif visits > second:
            second = visits
        child = tree.following[child]
    return most - second
