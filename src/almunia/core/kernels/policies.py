"""The policies of the random bot and the greedy bot.

`rules`, `observe` and `bots` are the game's. A bot works in its `PolicyScratch`. The greedy bot knows only the first
state there, which is masked for its seat. The random bot reads only the legal actions.
"""

from typing import Annotated, Any, NamedTuple

from ...engine.kernels.rng import randbelow
from .evaluation import EvalScratch

rules: Any
observe: Any
bots: Any

RANDOM, GREEDY = 0, 1
PERMILLE = 1000  # epsilon is in thousandths
OBSERVED, DETERMINIZED = 0, 1  # indexes of PolicyScratch.states
STATES = 2
INF = 1 << 40  # larger than every evaluation


class PolicyScratch(NamedTuple):
    """The scratch space of a bot, with dtypes and shapes for `workspaces.allocate`."""

    states: Annotated[Any, "state", STATES]  # the masked state, and a determinization
    rng: Annotated[Any, "int64", 4]  # the bot's own generator
    actions: Annotated[Any, "int32", "actions"]
    scratch: Annotated[Any, "int32", "actions"]  # of `observe.determinize`
    evaluation: EvalScratch
    action_values: Annotated[Any, "int64", "actions"]  # by index in `actions`


def choose(kind, seat, work, noise=0):
    if kind == GREEDY:
        return greedy_action(seat, work, noise)
    return random_action(work.states[OBSERVED], work)


def random_action(s, work):
    """Return a random legal action. `s` may be the true state, because the masked state has the same legal actions."""
    count = rules.legal(s, work.actions)
    return work.actions[randbelow(work.rng, count)]


def greedy_action(seat, work, noise=0):
    """Return the action with the best value in one determinization. Break ties at random.

    Each value is overrated by a random number up to `noise`, in units of `evaluate`. So the action is worse than the
    best one by at most `noise`.
    """
    states = work.states
    states[DETERMINIZED] = states[OBSERVED]
    observe.determinize(states[DETERMINIZED], seat, work.rng, work.scratch)
    guess = states[DETERMINIZED]
    count = rules.legal(guess, work.actions)
    bots.action_values(guess, work.actions, count, work.evaluation, work.action_values)
    best, chosen, equals = -INF, 0, 0
    for i in range(count):
        value = work.action_values[i]
        if noise > 0:
            value += randbelow(work.rng, noise + 1)
        if value > best:
            best, chosen, equals = value, work.actions[i], 1
        elif value == best:
            equals += 1
            if randbelow(work.rng, equals) == 0:
                chosen = work.actions[i]
    return chosen


def playout(s, kinds, work, limit):
    """Play to the end or for `limit` decisions, each seat by its kind of bot. Return the number of decisions.

    If `kinds` is None, all seats play at random, and Numba does not compile the greedy bot.
    """
    decisions = 0
    while not s.over and decisions < limit:
        if kinds is None:
            action = random_action(s, work)
        else:
            work.states[OBSERVED] = s
            observe.mask(work.states[OBSERVED], s.turn)
            action = choose(kinds[s.turn], s.turn, work)
        rules.apply(s, action)
        decisions += 1
    return decisions


def playout_states(states, kinds, work, limit):
    return playout(states[0], kinds, work, limit)
