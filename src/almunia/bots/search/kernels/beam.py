"""Search for a seat that plays for itself alone: candidates are compared by what a beam reaches in many guesses.

Each guess at the hidden part settles the random numbers to come, so from there on nothing is left to chance:
a beam keeps the best few positions after every decision, and the best end it finds is what a
candidate is worth in that guess. All candidates meet the same guesses, and fewer of them as the
budget is used up. Where others play beside it, what they do makes no difference to the seat
(`bots.SEATS_INDEPENDENT`): in a beam they do anything, and once in each guess all play greedily, to see
how many points others can expect.

`rules`, `observe` and `bots` are the game's.
"""

from typing import Any, NamedTuple

from ....core.kernels.play import LIMIT
from ....engine.kernels.rng import below

rules: Any  # given by the twin
observe: Any  # given by the twin
bots: Any  # given by the twin

SEEN, GUESS, TRIAL, BEFORE, AFTER = 0, 1, 2, 0, 1  # places in Workspace.states, and in Workspace.beam
STATES, BEAMS = 3, 2
LOT = 1 << 16  # equal values are put in random order
FAR = 1 << 40  # beyond every value


class Workspace(NamedTuple):
    """What a beam search writes on."""

    states: Any  # (STATES,) of the game's dtype: what is seen, a guess, a trial
    beam: Any  # (BEAMS, width) of the game's dtype: the positions before a decision, and after it
    known: Any  # (1,) int64, 1 if what is seen is the whole truth
    rng: Any  # (4,) the bot's own generator
    actions: Any  # (ACTIONS,) int32
    table: Any  # (most seats, len(SCORES)) int64
    values: Any  # (most seats,) int64
    trial: Any  # a Trial, on which the game tries actions out
    foreseen: Any  # (ACTIONS,) int64, what the listed actions lead to
    place: Any  # (width,) int64, for each of the best steps: its value, with a lot
    parent: Any  # (width,) int64, the position it starts from
    step: Any  # (width,) int64, its action


class Candidates(NamedTuple):
    """The candidates, the best first."""

    action: Any  # (ACTIONS,) int64
    total: Any  # (ACTIONS,) int64, the points reached in all guesses
    guesses: Any  # (ACTIONS,) int64
    rivals: Any  # (most seats,) int64, the points of every seat if all play greedily, in all guesses
    guessed: Any  # (1,) int64, how many guesses there were


def line_up(seat, candidates, work):
    """Make every legal action a candidate, in order of the points it gives at once; returns how many."""
    states = work.states
    guess(seat, work)
    count = rules.legal(states[GUESS], work.actions)
    foresee(states[GUESS], count, work)
    for i in range(count):
        action, value = work.actions[i], worth(i, work)
        place = i
        while place > 0 and candidates.total[place - 1] < value:
            move(candidates, place - 1, place)
            place -= 1
        candidates.action[place], candidates.total[place] = action, value
    for i in range(count):
        candidates.total[i], candidates.guesses[i] = 0, 0
    for p in range(len(candidates.rivals)):
        candidates.rivals[p] = 0
    candidates.guessed[0] = 0
    return count


def compare(first, seat, candidates, work):
    """Try the first candidates in one more guess, and put them in order of what they reached."""
    guess(seat, work)
    for i in range(first):
        s = work.states[TRIAL]
        work.states[TRIAL] = work.states[GUESS]
        rules.apply(s, candidates.action[i])
        let_others_play(s, seat, work)
        candidates.total[i] += reach(seat, work)
        candidates.guesses[i] += 1
    candidates.guessed[0] += 1
    if work.states[GUESS].seats > 1:
        play_greedily(work.beam[BEFORE, 0], candidates, work)
    for i in range(1, first):
        action, total, guesses, place = candidates.action[i], candidates.total[i], candidates.guesses[i], i
        while place > 0 and candidates.total[place - 1] < total:
            move(candidates, place - 1, place)
            place -= 1
        candidates.action[place], candidates.total[place], candidates.guesses[place] = action, total, guesses


def move(candidates, start, place):
    """Put a candidate into another place."""
    candidates.action[place] = candidates.action[start]
    candidates.total[place] = candidates.total[start]
    candidates.guesses[place] = candidates.guesses[start]


def guess(seat, work):
    """Guess the hidden part anew, unless it is known."""
    work.states[GUESS] = work.states[SEEN]
    if not work.known[0]:
        observe.determinize(work.states[GUESS], seat, work.rng, work.actions)


def foresee(s, count, work):
    """Evaluate the positions that the listed actions lead to."""
    bots.action_values(s, work.actions, count, work.trial, work.foreseen)


def worth(i, work):
    """The value of the position after a listed action, with a lot for those that are equal."""
    return work.foreseen[i] * LOT + below(work.rng, LOT)


def let_others_play(s, seat, work):
    """Let the others do anything, until it is this seat's turn or the play is over."""
    for _ in range(LIMIT):
        if s.turn == seat or rules.legal(s, work.actions) == 0:
            return
        rules.apply(s, work.actions[0])


def play_greedily(s, candidates, work):
    """Let all play greedily from the guess on, in the place `s`, and add up what they reach."""
    work.beam[BEFORE, 0] = work.states[GUESS]
    for _ in range(LIMIT):
        count = rules.legal(s, work.actions)
        if count == 0:
            break
        foresee(s, count, work)
        best = 0
        for i in range(1, count):
            if work.foreseen[i] > work.foreseen[best]:
                best = i
        rules.apply(s, work.actions[best])
    bots.evaluate(s, work.table, work.values)
    for p in range(s.seats):
        candidates.rivals[p] += work.values[p]


def reach(seat, work):
    """The most points that a beam of this seat reaches from the trial position."""
    best, size = -FAR, 1
    work.beam[BEFORE, 0] = work.states[TRIAL]
    for _ in range(LIMIT):
        if size == 0:
            break
        found = 0
        for i in range(size):
            s = work.beam[BEFORE, i]
            count = rules.legal(s, work.actions)
            if count == 0:
                bots.evaluate(s, work.table, work.values)
                best = max(best, work.values[seat])
            foresee(s, count, work)
            for k in range(count):
                found = keep(worth(k, work), i, work.actions[k], found, work)
        for j in range(found):
            work.beam[AFTER, j] = work.beam[BEFORE, work.parent[j]]
            rules.apply(work.beam[AFTER, j], work.step[j])
            let_others_play(work.beam[AFTER, j], seat, work)
        for j in range(found):
            work.beam[BEFORE, j] = work.beam[AFTER, j]
        size = found
    return best


def keep(value, parent, step, found, work):
    """Put a step among the best, if it is one of them; returns how many there are."""
    place = found
    if found == len(work.place):
        place -= 1
        if value <= work.place[place]:
            return found
    while place > 0 and work.place[place - 1] < value:
        work.place[place] = work.place[place - 1]
        work.parent[place] = work.parent[place - 1]
        work.step[place] = work.step[place - 1]
        place -= 1
    work.place[place], work.parent[place], work.step[place] = value, parent, step
    return min(found + 1, len(work.place))
