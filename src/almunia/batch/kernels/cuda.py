"""The kernels of a graphics processor: each thread does the row of its number.

What a thread works on has one axis more here than in `play` and `batch_step`: the first counts the threads.
`rules` are the game's.
"""

from typing import Any, NamedTuple

from numba import cuda

from ...core.kernels import play
from ...core.kernels.batch_step import Rivals, Work, advance, picked, refuses
from ...core.kernels.evaluation import Trial
from ...core.kernels.play import LIMIT
from ...core.kernels.policies import Workspace
from ...engine.kernels.rng import shake

rules: Any  # given by the twin


class Shown(NamedTuple):
    """What a batch shows of its slots, in arrays of their own, for those who take no array with gaps."""

    own: Any  # (n,) int8
    seeds: Any  # (n,) int64
    bot_seeds: Any  # (n,) int64


# --- plays ----------------------------------------------------------------------------------------


def setup(states, lists, seats, seed):
    """Set up a play in each row, from one seed after the other, and list its legal actions."""
    i = cuda.grid(1)
    if i < len(states):
        play.begin(states[i], seats, seed + i, lists[i])


def legal(states, lists):
    """List the legal actions of each row."""
    i = cuda.grid(1)
    if i < len(states):
        play.listing(states[i], lists[i])


def apply(states, lists, actions):
    """Do an action in each row, and list the next ones."""
    i = cuda.grid(1)
    if i < len(states):
        s = states[i]
        rules.apply(s[0], actions[i])
        play.listing(s, lists[i])


def random_play(states, lists, blank, seats, seed, rng, decisions):
    """Play evenly chosen actions from a blank state to the end in each row, and count them."""
    i = cuda.grid(1)
    if i < len(states):
        s = states[i]
        s[0] = blank[0]
        shake(rng[i], seed + i)
        decisions[i] = play.random_play(s, seats, seed + i, rng[i], lists[i], LIMIT)


# --- batches --------------------------------------------------------------------------------------


def step(how, given, games, shown, work):
    """One call of `advance` for each row, in which the learner has all seats."""
    i = cuda.grid(1)
    if i < len(given):
        advance(how, i, i + 1, given, games, work_of(i, work), None)
        show(games.slots[i], i, shown)


def step_against(how, given, games, shown, work, rivals):
    """The same with opponents."""
    i = cuda.grid(1)
    if i < len(given):
        advance(how, i, i + 1, given, games, work_of(i, work), rivals_of(i, rivals))
        show(games.slots[i], i, shown)


def work_of(i, work):
    """What one thread writes on."""
    return Work(work.terms, work.blank, work.seen[i], work.table[i], work.ranks[i])


def rivals_of(i, rivals):
    """The opponents, with what they write on in one thread."""
    w, t = rivals.work, rivals.work.trial
    trial = Trial(t.states[i], t.table[i], t.values[i], t.notes[i])
    work = Workspace(w.states[i], w.rng[i], w.actions[i], w.scratch[i], trial, w.foreseen[i])
    return Rivals(rivals.kinds, rivals.slips, work)


def show(slot, i, shown):
    """Write what a batch shows of a slot."""
    shown.own[i], shown.seeds[i], shown.bot_seeds[i] = slot.own, slot.seed, slot.bot_seed


def start_over(slots):
    """Forget in each row how many games have begun there."""
    i = cuda.grid(1)
    if i < len(slots):
        slots[i].dealt = 0


def take(given, own):
    """Keep what is given for each row, whatever its type."""
    i = cuda.grid(1)
    if i < len(own):
        own[i] = given[i]


def refuse(illegal, goes_on, given, counts, lists, first):
    """Find the first row that `refuses` what is given: the least of all and what stands in `first`."""
    i = cuda.grid(1)
    if i < len(given) and refuses(illegal, goes_on, given[i], counts[i], lists[i]):
        cuda.atomic.min(first, 0, i)


def pick(lots, counts, lists, chosen):
    """Choose a legal action for each row by a number from 0 to 1."""
    i = cuda.grid(1)
    if i < len(chosen):
        chosen[i] = picked(lots[i], counts[i], lists[i])
