"""GPU kernels. Each thread processes the row with its index.

Compared with `play` and `batch_step`, arrays of scratch have an additional first axis for the threads, except arrays
that all threads share.
"""

from numba import cuda

from ...core.kernels import play
from ...core.kernels.batch_step import InlineOpponents, ThreadScratch, is_rejected, sample_action, step_rows
from ...core.kernels.evaluation import EvalScratch
from ...core.kernels.play import MAX_DECISIONS
from ...core.kernels.policies import PolicyScratch
from ...engine.kernels.rng import seed_rng

# --- plays ----------------------------------------------------------------------------------------


def legal(states, lists):
    i = cuda.grid(1)
    if i < len(states):
        play.legal_actions(states[i], lists[i])


def random_play(states, lists, blank, seats, seed, rng, decisions):
    """Play at random from a blank state to the end or MAX_DECISIONS, in each row, and write the number of decisions."""
    i = cuda.grid(1)
    if i < len(states):
        s = states[i]
        s[0] = blank[0]
        seed_rng(rng[i], seed + i)
        decisions[i] = play.random_play(s, seats, seed + i, rng[i], lists[i], MAX_DECISIONS)


# --- batches --------------------------------------------------------------------------------------


def step(op, actions, arrays, scratch):
    """Call `step_rows` for each row. The learner has all seats."""
    i = cuda.grid(1)
    if i < len(actions):
        step_rows(op, i, i + 1, actions, arrays, scratch_of(i, scratch), None)


def step_against(op, actions, arrays, scratch, opponents):
    """Call `step_rows` for each row. Opponents have the other seats."""
    i = cuda.grid(1)
    if i < len(actions):
        step_rows(op, i, i + 1, actions, arrays, scratch_of(i, scratch), opponents_of(i, opponents))


def scratch_of(i, scratch):
    return ThreadScratch(scratch.config, scratch.blank, scratch.masked[i], scratch.table[i], scratch.ranks[i])


def opponents_of(i, opponents):
    w, t = opponents.work, opponents.work.evaluation
    evaluation = EvalScratch(t.states[i], t.table[i], t.values[i], t.weights, t.notes[i])
    work = PolicyScratch(w.states[i], w.rng[i], w.actions[i], w.scratch[i], evaluation, w.action_values[i])
    return InlineOpponents(opponents.kinds, opponents.epsilons, opponents.noises, work)


def restart_episodes(rows):
    i = cuda.grid(1)
    if i < len(rows):
        rows[i].episode = 0


def stage(values, array):
    """Copy the values of all rows, of any type, into `array`."""
    i = cuda.grid(1)
    if i < len(array):
        array[i] = values[i]


def find_rejected(illegal, autoreset, selected, actions, num_legal, legal_actions, first):
    """Lower `first[0]` to the first selected row for which `is_rejected` is true."""
    i = cuda.grid(1)
    if i < len(actions) and selected[i] and is_rejected(illegal, autoreset, actions[i], num_legal[i], legal_actions[i]):
        cuda.atomic.min(first, 0, i)


def sample_actions(uniforms, num_legal, legal_actions, out):
    i = cuda.grid(1)
    if i < len(out):
        out[i] = sample_action(uniforms[i], num_legal[i], legal_actions[i])
