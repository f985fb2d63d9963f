"""The kernels of a GPU: each thread does the row of its number.

Scratch arrays have one axis more here than in `play` and `batch_step`: the first counts the threads.
`rules` are the game's.
"""

from typing import Any, NamedTuple

from numba import cuda

from ...core.kernels import play
from ...core.kernels.batch_step import InlineOpponents, ThreadScratch, is_rejected, sample_action, step_rows
from ...core.kernels.evaluation import EvalScratch
from ...core.kernels.play import MAX_DECISIONS
from ...core.kernels.policies import PolicyScratch
from ...engine.kernels.rng import seed_rng

rules: Any


class RowInfo(NamedTuple):
    """Fields of a batch's rows in arrays of their own, for libraries that take no array with gaps."""

    learner_seats: Any  # (n,) int8
    seeds: Any  # (n,) int64
    bot_seeds: Any  # (n,) int64


# --- plays ----------------------------------------------------------------------------------------


def setup(states, lists, seats, seed):
    """Set up a play in each row, from one seed after the other, and list its legal actions."""
    i = cuda.grid(1)
    if i < len(states):
        play.reset(states[i], seats, seed + i, lists[i])


def legal(states, lists):
    """List the legal actions of each row."""
    i = cuda.grid(1)
    if i < len(states):
        play.legal_actions(states[i], lists[i])


def apply(states, lists, actions):
    """Do an action in each row, and list the next legal actions."""
    i = cuda.grid(1)
    if i < len(states):
        s = states[i]
        rules.apply(s[0], actions[i])
        play.legal_actions(s, lists[i])


def random_play(states, lists, blank, seats, seed, rng, decisions):
    """Play random actions from a blank state to the end in each row, and count them."""
    i = cuda.grid(1)
    if i < len(states):
        s = states[i]
        s[0] = blank[0]
        seed_rng(rng[i], seed + i)
        decisions[i] = play.random_play(s, seats, seed + i, rng[i], lists[i], MAX_DECISIONS)


# --- batches --------------------------------------------------------------------------------------


def step(op, actions, arrays, info, scratch):
    """Call `step_rows` for each row. The learner has all seats."""
    i = cuda.grid(1)
    if i < len(actions):
        step_rows(op, i, i + 1, actions, arrays, scratch_of(i, scratch), None)
        write_info(arrays.rows[i], i, info)


def step_against(op, actions, arrays, info, scratch, opponents):
    """Do the same with opponents."""
    i = cuda.grid(1)
    if i < len(actions):
        step_rows(op, i, i + 1, actions, arrays, scratch_of(i, scratch), opponents_of(i, opponents))
        write_info(arrays.rows[i], i, info)


def scratch_of(i, scratch):
    """Return the scratch of one thread."""
    return ThreadScratch(scratch.config, scratch.blank, scratch.masked[i], scratch.table[i], scratch.ranks[i])


def opponents_of(i, opponents):
    """Return the opponents, with the scratch of one thread."""
    w, t = opponents.work, opponents.work.trial
    trial = EvalScratch(t.states[i], t.table[i], t.values[i], t.notes[i])
    work = PolicyScratch(w.states[i], w.rng[i], w.actions[i], w.scratch[i], trial, w.foreseen[i])
    return InlineOpponents(opponents.kinds, opponents.epsilons, work)


def write_info(row, i, info):
    """Copy fields of a row to their arrays."""
    info.learner_seats[i], info.seeds[i], info.bot_seeds[i] = row.learner_seat, row.seed, row.bot_seed


def restart_episodes(rows):
    """Count the games of each row from 0 again."""
    i = cuda.grid(1)
    if i < len(rows):
        rows[i].episode = 0


def stage(values, actions):
    """Copy the values of all rows, whatever their type."""
    i = cuda.grid(1)
    if i < len(actions):
        actions[i] = values[i]


def find_rejected(illegal, autoreset, actions, num_legal, legal_actions, first):
    """Lower `first[0]` to the first row whose action is rejected."""
    i = cuda.grid(1)
    if i < len(actions) and is_rejected(illegal, autoreset, actions[i], num_legal[i], legal_actions[i]):
        cuda.atomic.min(first, 0, i)


def sample_actions(uniforms, num_legal, legal_actions, out):
    """Choose a legal action in each row by a number from 0 to below 1."""
    i = cuda.grid(1)
    if i < len(out):
        out[i] = sample_action(uniforms[i], num_legal[i], legal_actions[i])
