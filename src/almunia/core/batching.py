"""Stepping many games at a time, as plain text that runs in every build.

`games` have a row for each game, and none depends on another, so threads can share them out. `work` is what one
thread writes on. `rivals` play the seats that are not the learner's; None where the learner has them all. To hand
over whole tuples of arrays costs more than most decisions do, so `advance` alone gets them.
`rules` and `observe` are the game's.
"""

from typing import Any, NamedTuple

from .chance import below, draw, shake
from .choosing import GREEDY, SEEN, THOUSAND, anything, greedy
from .loops import LIMIT, holds
from .worth import POINTS, worth

rules: Any  # given by the twin
observe: Any  # given by the twin

MOVE, ANSWER, DEAL = 0, 1, 2  # what is to be done: a decision of the learner or of a rival, or the next game
ALL_LEGAL = -1
ASKED = -1  # the kind of a rival that is asked in Python
BYTE = 8


class Games(NamedTuple):
    """The games of a batch: a row for each."""

    states: Any  # (n,) of the game's dtype
    slots: Any  # (n,) of the dtype `batch.slots` describes: what else is known of each
    turns: Any  # (n,) int8, the seat that sees the observation
    done: Any  # (n,) bool, did the last step end a game?
    rewards: Any  # (n, seats) float32
    counts: Any  # (n,) int64, how many actions are legal
    lists: Any  # (n, ACTIONS) int32, which; ascending
    masks: Any  # (n, ACTIONS) bool, or (n, 0)
    bits: Any  # (n, bytes) uint8, or (n, 0)
    observations: Any  # (n, tensor_size) float32, or (n, 0)
    parts: Any  # (n,) the same as records of their parts


class Work(NamedTuple):
    """What a thread writes on."""

    blank: Any  # (1,) a state with its options set
    seen: Any  # (1,) a masked state
    table: Any  # (seats, len(SCORES)) int64
    ranks: Any  # (seats,) int8


class Terms(NamedTuple):
    """What holds for all games of a batch."""

    seed: Any
    seats: Any
    reward: Any  # the number of a convention in `worth`
    forgiving: Any  # does an illegal action end its game? Else all have been checked
    penalty: Any  # the reward for one
    goes_on: Any  # does the next game begin where one has ended?
    drawn: Any  # is the learner's seat drawn for each game?


class Rivals(NamedTuple):
    """Who plays the seats that are not the learner's, in turn from the one after it on."""

    kinds: Any  # (seats - 1,) int64, as in `choosing`, or ASKED
    slips: Any  # (seats - 1,) int64, how many thousandths of its choices are made at random
    work: Any  # a Workspace, on which they choose


def first_illegal(actions, counts, lists):
    """The first row whose action is not legal, or ALL_LEGAL."""
    for i in range(len(actions)):
        if not holds(lists[i], counts[i], actions[i]):
            return i
    return ALL_LEGAL


def advance(how, start, stop, given, games, work, terms, rivals):
    """Do what is given in some of the rows, let the others play until the learner is asked, and write what it sees.

    `given` (n,) int64 are actions, or where to DEAL.
    """
    states, slots, turns, done, rewards = games.states, games.slots, games.turns, games.done, games.rewards
    counts, lists, masks, bits = games.counts, games.lists, games.masks, games.bits
    observations, parts = games.observations, games.parts
    blank, seen, table, ranks = work.blank, work.seen, work.table, work.ranks
    observed = observations.shape[1] > 0
    for i in range(start, stop):
        s, slot, action = states[i], slots[i], given[i]
        if how == DEAL and not action:
            continue
        if how != ANSWER:
            clear(slot, terms.seats)
        if how == DEAL:
            begin(i, states, slot, blank, terms)
        elif how == ANSWER or not terms.forgiving or holds(lists[i], counts[i], action):
            slot.decided[s.turn] |= how == MOVE
            rules.apply(s, action)
        else:
            punish(i, states, slot, blank, terms)
        if rivals is not None or s.over:
            proceed(i, states, slot, blank, table, ranks, terms, rivals)
        if slot.waiting:
            continue
        seat = slot.own if slot.own >= 0 else s.turn
        running = not slot.done or terms.goes_on
        counts[i] = offer(s, counts[i], 1 if running else 0, lists[i], masks[i], bits[i])
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


def punish(i, states, slot, blank, terms):
    """An illegal action ends the game."""
    slot.rewards[states[i].turn] = terms.penalty
    slot.done = 1
    if terms.goes_on:
        begin(i, states, slot, blank, terms)


def proceed(i, states, slot, blank, table, ranks, terms, rivals):
    """Let the others play until the learner or somebody in Python is asked; another game follows one that is over."""
    s = states[i]
    for _ in range(LIMIT):
        if slot.done and not terms.goes_on:
            return
        if rivals is not None:
            let_rivals_play(s, slot, terms.seats, rivals)
        if slot.waiting or not s.over:
            return
        if slot.own < 0 or slot.decided[slot.own]:  # else it is over before the learner was asked, and does not count
            slot.done = 1
            for p in range(terms.seats):
                pay(slot, p, worth(terms.reward, s, p, table, ranks))
        if terms.goes_on or not slot.done:
            begin(i, states, slot, blank, terms)


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


# --- what comes of it -----------------------------------------------------------------------------


def pay(slot, seat, value):
    """Give a seat the change of its worth."""
    slot.rewards[seat] += value - slot.paid[seat]
    slot.paid[seat] = value


def offer(s, before, running, actions, mask, bits):
    """List the legal actions, and write them as a mask or bits if those are kept; returns how many there are.

    `before` are listed as yet.
    """
    masked, packed = len(mask) > 0, len(bits) > 0
    for k in range(before if masked else 0):
        mask[actions[k]] = False
    for k in range(before if packed else 0):
        bits[actions[k] // BYTE] = 0
    count = rules.legal(s, actions) if running else 0
    for k in range(count if masked else 0):
        mask[actions[k]] = True
    for k in range(count if packed else 0):
        bits[actions[k] // BYTE] |= 1 << (actions[k] % BYTE)
    return count


def wipe(observation):
    """Nothing has been observed yet."""
    for k in range(len(observation)):
        observation[k] = 0.0
