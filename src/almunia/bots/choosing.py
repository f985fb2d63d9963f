"""How the built-in bots choose, as plain text that runs in every build.

`rules`, `observe` and `bots` are the game's. A bot works on its `Paper`; the first of the states
there is masked for its seat, and nothing else of the play reaches it.
"""

from typing import Any, NamedTuple

from ..core.chance import below

rules: Any  # given by the twin
observe: Any  # given by the twin
bots: Any  # given by the twin

RANDOM, GREEDY = 0, 1
SEEN, GUESS, TRIAL = 0, 1, 2  # places in Paper.states
STATES = 3
FAR = 1 << 40  # beyond every evaluation


class Paper(NamedTuple):
    """What a bot writes on."""

    states: Any  # (STATES,) of the game's dtype: what is seen, a guess at the truth, a trial
    rng: Any  # (4,) the bot's own luck
    actions: Any  # (ACTIONS,) int32
    scratch: Any  # (ACTIONS,) int32
    table: Any  # (most seats, len(SCORES)) int64
    values: Any  # (most seats,) int64
    notes: Any  # (NOTES,) int64, for the game's foresight
    foreseen: Any  # (ACTIONS,) int64, what the listed actions lead to


def choose(kind, seat, paper):
    """An action for the seat to move, by the kind of bot."""
    if kind == GREEDY:
        return greedy(seat, paper)
    count = rules.legal(paper.states[SEEN], paper.actions)
    return paper.actions[below(paper.rng, count)]


def greedy(seat, paper):
    """The action whose position evaluates best, one guess at the hidden part deep; ties by lot."""
    states = paper.states
    states[GUESS] = states[SEEN]
    observe.redeal(states[GUESS], seat, paper.rng, paper.scratch)
    guess = states[GUESS]
    count = rules.legal(guess, paper.actions)
    bots.foresee(guess, states, TRIAL, paper.actions, count, paper.notes, paper.table, paper.values, paper.foreseen)
    best, chosen, equals = -FAR, 0, 0
    for i in range(count):
        value = paper.foreseen[i]
        if value > best:
            best, chosen, equals = value, paper.actions[i], 1
        elif value == best:
            equals += 1
            if below(paper.rng, equals) == 0:
                chosen = paper.actions[i]
    return chosen
