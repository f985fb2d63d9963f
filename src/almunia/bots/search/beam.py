"""Search for a seat that plays for itself alone: candidates are compared by what a beam reaches in many guesses.

Each guess at the hidden part settles the luck to come, so from there on nothing is left to chance:
a beam keeps the best few positions after every decision, and the best end it finds is what a
candidate is worth in that guess. All candidates meet the same guesses, and fewer of them as the
budget is used up. Where others play beside it, what they do makes no difference to the seat
(`bots.SOLITAIRE`): in a beam they do anything, and once in each guess all play greedily, to see
how many points others can expect.

`rules`, `observe` and `bots` are the game's.
"""

from typing import Any, NamedTuple

from ...core.chance import below
from ...core.loops import LIMIT

rules: Any  # given by the twin
observe: Any  # given by the twin
bots: Any  # given by the twin

SEEN, GUESS, TRIAL, BEFORE, AFTER = 0, 1, 2, 0, 1  # places in Paper.states, and in Paper.beam
STATES, BEAMS = 3, 2
LOT = 1 << 16  # equal values are put in order by lot
FAR = 1 << 40  # beyond every value


class Paper(NamedTuple):
    """What a beam search writes on."""

    states: Any  # (STATES,) of the game's dtype: what is seen, a guess, a trial
    beam: Any  # (BEAMS, width) of the game's dtype: the positions before a decision, and after it
    known: Any  # (1,) int64, 1 if what is seen is the whole truth
    rng: Any  # (4,) the bot's own luck
    actions: Any  # (ACTIONS,) int32
    table: Any  # (most seats, len(SCORES)) int64
    values: Any  # (most seats,) int64
    notes: Any  # (NOTES,) int64, for the game's foresight
    foreseen: Any  # (ACTIONS,) int64, what the listed actions lead to
    place: Any  # (width,) int64, for each of the best steps: its value, with a lot
    parent: Any  # (width,) int64, the position it starts from
    step: Any  # (width,) int64, its action


class Race(NamedTuple):
    """The candidates, the best first."""

    action: Any  # (ACTIONS,) int64
    total: Any  # (ACTIONS,) int64, the points reached in all guesses
    guesses: Any  # (ACTIONS,) int64
    rivals: Any  # (most seats,) int64, the points of every seat if all play greedily, in all guesses
    guessed: Any  # (1,) int64, how many guesses there were


def line_up(seat, race, paper):
    """Make every legal action a candidate, in order of the points it gives at once; returns how many."""
    states = paper.states
    guess(seat, paper)
    count = rules.legal(states[GUESS], paper.actions)
    foresee(states[GUESS], count, paper)
    for i in range(count):
        action, value = paper.actions[i], worth(i, paper)
        place = i
        while place > 0 and race.total[place - 1] < value:
            move(race, place - 1, place)
            place -= 1
        race.action[place], race.total[place] = action, value
    for i in range(count):
        race.total[i], race.guesses[i] = 0, 0
    for p in range(len(race.rivals)):
        race.rivals[p] = 0
    race.guessed[0] = 0
    return count


def compare(first, seat, race, paper):
    """Try the first candidates in one more guess, and put them in order of what they reached."""
    guess(seat, paper)
    for i in range(first):
        s = paper.states[TRIAL]
        paper.states[TRIAL] = paper.states[GUESS]
        rules.apply(s, race.action[i])
        let_others_play(s, seat, paper)
        race.total[i] += reach(seat, paper)
        race.guesses[i] += 1
    race.guessed[0] += 1
    if paper.states[GUESS].seats > 1:
        play_greedily(paper.beam[BEFORE, 0], race, paper)
    for i in range(1, first):
        action, total, guesses, place = race.action[i], race.total[i], race.guesses[i], i
        while place > 0 and race.total[place - 1] < total:
            move(race, place - 1, place)
            place -= 1
        race.action[place], race.total[place], race.guesses[place] = action, total, guesses


def move(race, start, place):
    """Put a candidate into another place."""
    race.action[place] = race.action[start]
    race.total[place] = race.total[start]
    race.guesses[place] = race.guesses[start]


def guess(seat, paper):
    """Guess the hidden part anew, unless it is known."""
    paper.states[GUESS] = paper.states[SEEN]
    if not paper.known[0]:
        observe.redeal(paper.states[GUESS], seat, paper.rng, paper.actions)


def foresee(s, count, paper):
    """Evaluate the positions that the listed actions lead to."""
    bots.foresee(s, paper.states, TRIAL, paper.actions, count, paper.notes, paper.table, paper.values, paper.foreseen)


def worth(i, paper):
    """The value of the position after a listed action, with a lot for those that are equal."""
    return paper.foreseen[i] * LOT + below(paper.rng, LOT)


def let_others_play(s, seat, paper):
    """Let the others do anything, until it is this seat's turn or the play is over."""
    for _ in range(LIMIT):
        if s.turn == seat or rules.legal(s, paper.actions) == 0:
            return
        rules.apply(s, paper.actions[0])


def play_greedily(s, race, paper):
    """Let all play greedily from the guess on, in the place `s`, and add up what they reach."""
    paper.beam[BEFORE, 0] = paper.states[GUESS]
    for _ in range(LIMIT):
        count = rules.legal(s, paper.actions)
        if count == 0:
            break
        foresee(s, count, paper)
        best = 0
        for i in range(1, count):
            if paper.foreseen[i] > paper.foreseen[best]:
                best = i
        rules.apply(s, paper.actions[best])
    bots.evaluate(s, paper.table, paper.values)
    for p in range(s.seats):
        race.rivals[p] += paper.values[p]


def reach(seat, paper):
    """The most points that a beam of this seat reaches from the trial position."""
    best, size = -FAR, 1
    paper.beam[BEFORE, 0] = paper.states[TRIAL]
    for _ in range(LIMIT):
        if size == 0:
            break
        found = 0
        for i in range(size):
            s = paper.beam[BEFORE, i]
            count = rules.legal(s, paper.actions)
            if count == 0:
                bots.evaluate(s, paper.table, paper.values)
                best = max(best, paper.values[seat])
            foresee(s, count, paper)
            for k in range(count):
                found = keep(worth(k, paper), i, paper.actions[k], found, paper)
        for j in range(found):
            paper.beam[AFTER, j] = paper.beam[BEFORE, paper.parent[j]]
            rules.apply(paper.beam[AFTER, j], paper.step[j])
            let_others_play(paper.beam[AFTER, j], seat, paper)
        for j in range(found):
            paper.beam[BEFORE, j] = paper.beam[AFTER, j]
        size = found
    return best


def keep(value, parent, step, found, paper):
    """Put a step among the best, if it is one of them; returns how many there are."""
    place = found
    if found == len(paper.place):
        place -= 1
        if value <= paper.place[place]:
            return found
    while place > 0 and paper.place[place - 1] < value:
        paper.place[place] = paper.place[place - 1]
        paper.parent[place] = paper.parent[place - 1]
        paper.step[place] = paper.step[place - 1]
        place -= 1
    paper.place[place], paper.parent[place], paper.step[place] = value, parent, step
    return min(found + 1, len(paper.place))
