"""How the built-in bots choose.

`rules`, `observe` and `bots` are the game's. A bot works on its `Workspace`; the first of the states
there is masked for its seat, and nothing else of the play reaches it.
"""

from typing import Any, NamedTuple

from ...engine.kernels.rng import below

rules: Any  # given by the twin
observe: Any  # given by the twin
bots: Any  # given by the twin

RANDOM, GREEDY = 0, 1
THOUSAND = 1000  # slips are given in thousandths
SEEN, GUESS = 0, 1  # places in Workspace.states
STATES = 2
FAR = 1 << 40  # beyond every evaluation


class Workspace(NamedTuple):
    """What a bot writes on."""

    states: Any  # (STATES,) of the game's dtype: what is seen, and a guess at the truth
    rng: Any  # (4,) the bot's own generator
    actions: Any  # (ACTIONS,) int32
    scratch: Any  # (ACTIONS,) int32
    trial: Any  # a Trial, on which the game tries actions out
    foreseen: Any  # (ACTIONS,) int64, what the listed actions lead to


def choose(kind, seat, work):
    """An action for the seat to move, by the kind of bot."""
    if kind == GREEDY:
        return greedy(seat, work)
    return anything(work.states[SEEN], work)


def anything(s, work):
    """Any legal action, evenly; a masked state and the true one have the same."""
    count = rules.legal(s, work.actions)
    return work.actions[below(work.rng, count)]


def greedy(seat, work):
    """The action whose position evaluates best, one guess at the hidden part deep; ties at random."""
    states = work.states
    states[GUESS] = states[SEEN]
    observe.determinize(states[GUESS], seat, work.rng, work.scratch)
    guess = states[GUESS]
    count = rules.legal(guess, work.actions)
    bots.action_values(guess, work.actions, count, work.trial, work.foreseen)
    best, chosen, equals = -FAR, 0, 0
    for i in range(count):
        value = work.foreseen[i]
        if value > best:
            best, chosen, equals = value, work.actions[i], 1
        elif value == best:
            equals += 1
            if below(work.rng, equals) == 0:
                chosen = work.actions[i]
    return chosen


def play_on(s, kinds, work, limit):
    """Play to the end, each seat by its kind of bot, or all at random; returns the number of decisions.

    `kinds` is None for that: then nothing is compiled but the rules.
    """
    decisions = 0
    while not s.over and decisions < limit:
        if kinds is None:
            action = anything(s, work)
        else:
            work.states[SEEN] = s
            observe.mask(work.states[SEEN], s.turn)
            action = choose(kinds[s.turn], s.turn, work)
        rules.apply(s, action)
        decisions += 1
    return decisions


def finish(states, kinds, work, limit):
    """Play on from the first of these states."""
    return play_on(states[0], kinds, work, limit)
