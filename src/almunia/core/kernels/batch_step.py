"""Stepping many games at a time.

`games` have a row for each game, and none depends on another, so threads can share them out. `work` is what one
thread writes on. `rivals` play the seats that are not the learner's; None where the learner has them all. To hand
over whole tuples of arrays costs more than most decisions do, so `advance` alone gets them.
`rules` and `observe` are the game's.
"""

from typing import Any, NamedTuple

from ...engine.kernels.rng import below, draw, shake
from .play import LIMIT, holds
from .policies import GREEDY, SEEN, THOUSAND, anything, greedy
from .scoring import POINTS, worth

rules: Any  # given by the twin
observe: Any  # given by the twin

MOVE, ANSWER, DEAL = 0, 1, 2  # what is to be done: a decision of the learner or of a rival, or the next game
ERROR, PENALTY, RANDOM = 0, 1, 2  # what an illegal action does
ALL_LEGAL = -1
SPOILED = -1  # instead of an action, where an illegal one has ended the game
ASKED = -1  # the kind of a rival that is asked in Python
BYTE = 8


class Games(NamedTuple):
    """The games of a batch: a row for each."""

    states: Any  # (n,) of the game's dtype
    slots: Any  # (n,) of the dtype `buffers.slots` describes: what else is known of each
    turns: Any  # (n,) int8, the seat that sees the observation
    done: Any  # (n,) bool, did the last step end a game?
    rewards: Any  # (n, seats) float32
    counts: Any  # (n,) int64, how many actions are legal
    lists: Any  # (n, ACTIONS) int32, which; ascending
    marks: Any  # uint8, the same as masks (n, ACTIONS), as bits (n, bytes), or neither (n, 0)
    observations: Any  # (n, tensor_size) float32; 2 n with what was seen last of games that ended; or (n, 0)
    parts: Any  # the same as records of their parts


class Work(NamedTuple):
    """What a thread writes on."""

    terms: Any  # (1,) of the dtype `buffers.TERMS`: what holds for all games
    blank: Any  # (1,) a state with its options set
    seen: Any  # (1,) a masked state
    table: Any  # (seats, len(SCORES)) int64
    ranks: Any  # (seats,) int8


class Rivals(NamedTuple):
    """Who plays the seats that are not the learner's, in turn from the one after it on."""

    kinds: Any  # (seats - 1,) int64, as in `policies`, or ASKED
    slips: Any  # (seats - 1,) int64, how many thousandths of its choices are made at random
    work: Any  # a Workspace, on which they choose


def first_refused(illegal, goes_on, actions, counts, lists):
    """The first row that is over, or whose action is not legal where that is an error; ALL_LEGAL if there is none."""
    for i in range(len(actions)):
        if refuses(illegal, goes_on, actions[i], counts[i], lists[i]):
            return i
    return ALL_LEGAL


def refuses(illegal, goes_on, action, count, actions):
    """Can this action not be done in a row of so many legal `actions`?"""
    if illegal != ERROR:
        return not goes_on and count == 0
    return not holds(actions, count, action)


def pick(lots, counts, lists, chosen):
    """Choose a legal action in each row by its lot, a number from 0 to below 1."""
    for i in range(len(chosen)):
        chosen[i] = picked(lots[i], counts[i], lists[i])


def picked(lot, count, actions):
    """The legal action on which this lot falls; the first entry, which says nothing, where none is legal."""
    return actions[int(lot * count)]


def advance(how, start, stop, given, games, work, rivals):
    """Do what is given in some of the rows, let the others play until the learner is asked, and write what it sees.

    `given` (n,) int64 are actions, or where to DEAL.
    """
    states, slots, turns, done, rewards = games.states, games.slots, games.turns, games.done, games.rewards
    counts, lists, marks, observations, parts = games.counts, games.lists, games.marks, games.observations, games.parts
    terms, blank, seen, table, ranks = work.terms[0], work.blank, work.seen, work.table, work.ranks
    observed = len(observations) > 0
    for i in range(start, stop):
        s, slot, action, spoiled = states[i], slots[i], given[i], False
        if how == DEAL and not action:
            continue
        if how != ANSWER:
            clear(slot, terms.seats)
        if how == MOVE:
            action = decided(s, slot, action, lists[i], counts[i], terms)
            spoiled = action == SPOILED
        if how != DEAL and not spoiled:
            rules.apply(s, action)
        if rivals is not None or how == DEAL or s.over or spoiled:
            ended = how == DEAL
            proceed(i, ended, spoiled, states, slot, blank, table, ranks, seen, observations, parts, terms, rivals)
        if slot.waiting:
            continue
        seat = viewer(s, slot)
        running = not slot.done or terms.goes_on
        counts[i] = offer(s, counts[i], 1 if running else 0, lists[i], marks[i], terms.packed)
        pays = terms.reward >= POINTS and not slot.done and slot.decided[seat]
        if observed or pays:
            seen[0] = s
            observe.mask(seen[0], seat)
        if pays:
            pay(slot, seat, worth(terms.reward, seen[0], seat, table, ranks))
        if observed:
            wipe(observations[i])
            observe.tensor(seen[0], seat, parts[i])
        turns[i], done[i] = seat, slot.done != 0
        for p in range(terms.seats):
            rewards[i, p] = slot.rewards[p]


def decided(s, slot, action, actions, count, terms):
    """What the learner does, or what is done instead of an illegal action; SPOILED if that ends the game."""
    legal = terms.illegal == ERROR or holds(actions, count, action)
    if not legal and terms.illegal == PENALTY:
        slot.rewards[s.turn] = terms.penalty
        return SPOILED
    slot.decided[s.turn] = 1
    return action if legal else actions[below(slot.rng, count)]


def clear(slot, seats):
    """Nothing has come of this step yet."""
    slot.done = slot.waiting = 0
    for p in range(seats):
        slot.rewards[p] = 0.0


def begin(i, states, slot, blank, terms):
    """Deal the next game of a row: its seeds follow from the batch's seed, the row, and how many were dealt there."""
    shake(slot.rng, terms.seed)
    shake(slot.rng, wide(slot.rng) ^ i)
    shake(slot.rng, wide(slot.rng) ^ slot.dealt)
    slot.seed = wide(slot.rng)
    slot.bot_seed = wide(slot.rng)
    if terms.drawn:
        slot.own = below(slot.rng, terms.seats)
    shake(slot.rng, slot.bot_seed)
    slot.dealt += 1
    for p in range(terms.seats):
        slot.decided[p] = 0
        slot.paid[p] = 0.0
    states[i] = blank[0]
    rules.setup(states[i], terms.seats, slot.seed)


def wide(rng):
    """63 random bits."""
    return (draw(rng) << 31) ^ draw(rng)


def proceed(i, ended, spoiled, states, slot, blank, table, ranks, seen, observations, parts, terms, rivals):
    """Let the others play until the learner or somebody in Python is asked; another game follows one that has ended.

    One that is `ended` is over and paid for; one that is `spoiled` by an illegal action is over, too.
    """
    s = states[i]
    for _ in range(LIMIT):
        if ended:
            begin(i, states, slot, blank, terms)
            ended = spoiled = False
        if rivals is not None and not spoiled:
            let_rivals_play(s, slot, terms.seats, rivals)
        if slot.waiting or not (s.over or spoiled):
            return
        if spoiled or slot.own < 0 or slot.decided[slot.own]:  # else the learner was not asked, and it does not count
            slot.done = 1
            for p in range(0 if spoiled else terms.seats):
                pay(slot, p, worth(terms.reward, s, p, table, ranks))
            if not terms.goes_on:
                return
            last = len(states) + i
            if last < len(observations):
                keep_last(s, viewer(s, slot), seen, observations[last], parts[last])
        ended = True


def let_rivals_play(s, slot, seats, rivals):
    """Let the others choose until the learner's turn or the end, or until one of them has to be asked in Python."""
    for _ in range(LIMIT):
        if s.over or s.turn == slot.own:
            return
        place = (s.turn - slot.own - 1 + seats) % seats
        if rivals.kinds[place] == ASKED:
            slot.waiting = 1
            return
        rules.apply(s, choice(s, rivals.kinds[place], rivals.slips[place], slot.rng, rivals.work))


def choice(s, kind, slips, rng, work):
    """What a rival chooses, with the random numbers of its game."""
    for k in range(4):
        work.rng[k] = rng[k]
    slipped = slips > 0 and below(work.rng, THOUSAND) < slips
    if kind == GREEDY and not slipped:
        work.states[SEEN] = s
        observe.mask(work.states[SEEN], s.turn)
        chosen = greedy(s.turn, work)
    else:
        chosen = anything(s, work)
    for k in range(4):
        rng[k] = work.rng[k]
    return chosen


def viewer(s, slot):
    """The seat whose view is written."""
    return slot.own if slot.own >= 0 else s.turn


# --- what comes of it -----------------------------------------------------------------------------


def pay(slot, seat, value):
    """Give a seat the change of its worth."""
    slot.rewards[seat] += value - slot.paid[seat]
    slot.paid[seat] = value


def offer(s, before, running, actions, marks, packed):
    """List the legal actions, and mark them if that is wanted, in bits or bytes; returns how many there are.

    `before` are listed and marked as yet. Where a game is over all are marked, for the softmax of no action is NaN.
    """
    marked = len(marks) > 0
    for k in range(before if marked else 0):
        marks[actions[k] // BYTE if packed else actions[k]] = 0
    if marked and before == 0:  # the game before was over
        for k in range(len(marks)):
            marks[k] = 0
    count = rules.legal(s, actions) if running else 0
    for k in range(count if marked else 0):
        mark(marks, actions[k], packed)
    if marked and not running:
        for k in range(len(actions)):
            mark(marks, k, packed)
    return count


def mark(marks, action, packed):
    """Mark an action, in a bit or a byte."""
    if packed:
        marks[action // BYTE] |= 1 << (action % BYTE)
    else:
        marks[action] = 1


def keep_last(s, seat, seen, final, parts):
    """Write what a seat sees at the end of a game."""
    seen[0] = s
    observe.mask(seen[0], seat)
    wipe(final)
    observe.tensor(seen[0], seat, parts)


def wipe(observation):
    """Nothing has been observed yet."""
    for k in range(len(observation)):
        observation[k] = 0.0
