"""Step many games at a time.

`arrays` have a row for each game. No row depends on another, so the rows are divided among threads. `scratch` is the
work space of one thread. `opponents` play all seats but the learner's; None if the learner has all seats. `step_rows`
passes the arrays on separately, because passing tuples of arrays costs more than most decisions do. `rules` and
`observe` are the game's.
"""

from typing import Any, NamedTuple

from ...engine.kernels.rng import next_u63, randbelow, seed_rng
from .play import MAX_DECISIONS, contains_sorted
from .policies import GREEDY, OBSERVED, PERMILLE, greedy_action, random_action
from .scoring import POINTS, potential

rules: Any
observe: Any

# Operations: an action of the learner or of an opponent; the next game; a game that begins at the row's state; and a
# game that continues from the row's state, as it stood at a decision of the learner or at its end.
STEP, OPPONENT_STEP, RESET, BEGIN, RESUME = 0, 1, 2, 3, 4
ERROR, PENALTY, RANDOM = 0, 1, 2  # consequences of an illegal action
ALL_LEGAL = -1
TERMINATED = -1  # instead of an action, if an illegal one has ended the game
NOT_INLINE = -1  # the kind of an opponent that does not choose in this loop


class BatchArrays(NamedTuple):
    states: Any  # (n,) of the game's dtype
    rows: Any  # (n,) of `buffers.row_dtype`: more data on each game
    selected: Any  # (n,) bool, the rows to step or reset; the other rows do not change
    current_seats: Any  # (n,) int8, the seat that sees the observation: the learner's, or the seat to move
    done: Any  # (n,) bool, whether the last step ended a game
    learner_seats: Any  # (n,) int8, like `seeds` and `bot_seeds` copied from `rows` for libraries that take no gaps
    seeds: Any  # (n,) int64
    bot_seeds: Any  # (n,) int64
    rewards: Any  # (n, seats) float32
    num_legal: Any  # (n,) int64
    legal_actions: Any  # (n, ACTIONS) int32, ascending
    masks: Any  # uint8, the legal actions as bytes (n, ACTIONS), as bits (n, bytes), or neither (n, 0)
    observations: Any  # (n, tensor_size) float32; 2 n rows with the final observations behind; or (0, tensor_size)
    parts: Any  # the same memory as records of the tensor's parts


class ThreadScratch(NamedTuple):
    config: Any  # (1,) of the dtype `buffers.CONFIG`, the same for all games
    blank: Any  # (1,) a state with its options set
    masked: Any  # (1,) a state that is masked for a seat
    table: Any  # (seats, len(SCORES)) int64
    ranks: Any  # (seats,) int8


class InlineOpponents(NamedTuple):
    """The policies of the opponents, in order from the seat after the learner's."""

    kinds: Any  # (seats - 1,) int64, as in `policies`, or NOT_INLINE
    epsilons: Any  # (seats - 1,) int64, the share of random choices, in thousandths
    noises: Any  # (seats - 1,) int64, the most by which an action is overrated, in units of `evaluate`
    work: Any  # a PolicyScratch, in which they choose


def first_rejected(illegal, autoreset, selected, actions, num_legal, legal_actions):
    """Return the first selected row for which `is_rejected` is true; ALL_LEGAL if there is none."""
    for i in range(len(actions)):
        if selected[i] and is_rejected(illegal, autoreset, actions[i], num_legal[i], legal_actions[i]):
            return i
    return ALL_LEGAL


def is_rejected(illegal, autoreset, action, count, legal):
    """Return whether a row with `count` legal actions cannot be stepped by this action."""
    if illegal != ERROR:
        return not autoreset and count == 0
    return not contains_sorted(legal, count, action)


def sample_actions(uniforms, num_legal, legal_actions, out):
    for i in range(len(out)):
        out[i] = sample_action(uniforms[i], num_legal[i], legal_actions[i])


def sample_action(u, count, legal):
    """Return the legal action at index floor(u * count), for u in [0, 1); an arbitrary number if `count` is 0."""
    return legal[int(u * count)]


def step_rows(op, start, stop, actions, arrays, scratch, opponents):
    """Do `op` in the selected rows of start .. stop - 1, play on to the learner's next decision, and write the outputs.

    A row that ends without `autoreset` stays at its end. A row that waits for an opponent outside this loop stops
    there, without outputs. `actions` (n,) int64 have an effect for STEP and OPPONENT_STEP only. RESUME only writes the
    outputs.
    """
    states, rows, selected, current_seats = arrays.states, arrays.rows, arrays.selected, arrays.current_seats
    done, learner_seats, seeds, bot_seeds = arrays.done, arrays.learner_seats, arrays.seeds, arrays.bot_seeds
    rewards, num_legal, legal_actions, masks = arrays.rewards, arrays.num_legal, arrays.legal_actions, arrays.masks
    observations, parts = arrays.observations, arrays.parts
    config, blank, masked = scratch.config[0], scratch.blank, scratch.masked
    table, ranks = scratch.table, scratch.ranks
    observed = len(observations) > 0
    for i in range(start, stop):
        if not selected[i]:
            continue
        s, row, action, terminated = states[i], rows[i], actions[i], False
        clear_step(op, row, config.seats)
        if op == STEP:
            action = resolve_action(s, row, action, legal_actions[i], num_legal[i], config)
            terminated = action == TERMINATED
        if op < RESET and not terminated:
            rules.apply(s, action)
        if op == BEGIN:
            begin_at(i, s, row, masked, table, ranks, config)
        if op != RESUME and (opponents is not None or op >= RESET or s.over or terminated):
            ended = op == RESET
            advance_to_learner(
                i, ended, terminated, states, row, blank, table, ranks, masked, observations, parts, config, opponents
            )
        learner_seats[i], seeds[i], bot_seeds[i] = row.learner_seat, row.seed, row.bot_seed
        if row.awaits_opponent:
            continue
        seat = observer_seat(s, row)
        running = not row.done or config.autoreset
        num_legal[i] = write_legal(s, num_legal[i], 1 if running else 0, legal_actions[i], masks[i], config.bit_masks)
        shaped = config.reward >= POINTS and not row.done and row.has_acted[seat]
        if observed or shaped:
            masked[0] = s
            observe.mask(masked[0], seat)
        if shaped:
            add_reward(row, seat, potential(config.reward, masked[0], seat, table, ranks))
        if observed:
            zero(observations[i])
            observe.tensor(masked[0], seat, parts[i])
        current_seats[i], done[i] = seat, row.done != 0
        for p in range(config.seats):
            rewards[i, p] = row.rewards[p]


def resolve_action(s, row, action, legal, count, config):
    """Return the learner's action, or a replacement for an illegal action.

    The replacement is a random legal action, or TERMINATED if illegal actions are penalized. For TERMINATED, set the
    penalty as the seat's reward. For an action, mark that the seat has acted.
    """
    is_legal = config.illegal == ERROR or contains_sorted(legal, count, action)
    if not is_legal and config.illegal == PENALTY:
        row.rewards[s.turn] = config.penalty
        return TERMINATED
    row.has_acted[s.turn] = 1
    return action if is_legal else legal[randbelow(row.rng, count)]


def clear_step(op, row, seats):
    """Reset the per-step outputs of a row, unless the row is in the middle of a step or continues from a state."""
    if op in (OPPONENT_STEP, RESUME):
        return
    row.done = row.awaits_opponent = 0
    for p in range(seats):
        row.rewards[p] = 0.0


def deal_next(i, states, row, blank, config):
    """Deal the next game of row i."""
    row.seed = begin_episode(i, row, config)
    row.is_set = 0
    states[i] = blank[0]
    rules.setup(states[i], config.seats, row.seed)


def begin_at(i, s, row, masked, table, ranks, config):
    """Begin an episode of row i at its state. Rewards are differences to the potential that each seat sees now."""
    begin_episode(i, row, config)
    row.is_set = 1
    for p in range(config.seats):
        masked[0] = s
        if not s.over:
            observe.mask(masked[0], p)
        row.last_potential[p] = potential(config.reward, masked[0], p, table, ranks)


def begin_episode(i, row, config):
    """Seed the next episode of row i from the batch's seed, the row and the row's episode. Return a seed for a deal.

    Draw the learner's seat, if that seat is random.
    """
    seed_rng(row.rng, config.seed)
    seed_rng(row.rng, next_u63(row.rng) ^ i)
    seed_rng(row.rng, next_u63(row.rng) ^ row.episode)
    seed = next_u63(row.rng)
    row.bot_seed = next_u63(row.rng)
    if config.random_seat:
        row.learner_seat = randbelow(row.rng, config.seats)
    seed_rng(row.rng, row.bot_seed)
    row.episode += 1
    for p in range(config.seats):
        row.has_acted[p] = 0
        row.last_potential[p] = 0.0
    return seed


def advance_to_learner(
    i, ended, terminated, states, row, blank, table, ranks, masked, observations, parts, config, opponents
):
    """Let opponents in this loop play until another player must choose, or to an end without `autoreset`.

    After other ends, and after dealt games in which the learner was never asked, deal the next game and play on.
    `ended`: begin by dealing the next game. `terminated`: an illegal action has ended the game. The arrays are passed
    separately: passing the tuple cost 3% of a step of Oregon.
    """
    s = states[i]
    for _ in range(MAX_DECISIONS):
        if ended:
            deal_next(i, states, row, blank, config)
            ended = terminated = False
        if opponents is not None and not terminated:
            play_opponents(s, row, config.seats, opponents)
        if row.awaits_opponent or not (s.over or terminated):
            return
        # Else a dealt game has ended before the learner was asked.
        if terminated or row.is_set or row.learner_seat < 0 or row.has_acted[row.learner_seat]:
            row.done = 1
            for p in range(0 if terminated else config.seats):
                add_reward(row, p, potential(config.reward, s, p, table, ranks))
            if not config.autoreset:
                return
            last = len(states) + i
            if last < len(observations):
                write_observation(s, observer_seat(s, row), masked, observations[last], parts[last])
        ended = True


def play_opponents(s, row, seats, opponents):
    """Let opponents act until the learner's turn, the end, or the turn of an opponent outside this loop.

    In the last case, set `awaits_opponent`.
    """
    for _ in range(MAX_DECISIONS):
        if s.over or s.turn == row.learner_seat:
            return
        slot = (s.turn - row.learner_seat - 1 + seats) % seats
        if opponents.kinds[slot] == NOT_INLINE:
            row.awaits_opponent = 1
            return
        kind, epsilon, noise = opponents.kinds[slot], opponents.epsilons[slot], opponents.noises[slot]
        rules.apply(s, opponent_action(s, kind, epsilon, noise, row.rng, opponents.work))


def opponent_action(s, kind, epsilon, noise, rng, work):
    for k in range(4):
        work.rng[k] = rng[k]
    explores = epsilon > 0 and randbelow(work.rng, PERMILLE) < epsilon
    if kind == GREEDY and not explores:
        work.states[OBSERVED] = s
        observe.mask(work.states[OBSERVED], s.turn)
        action = greedy_action(s.turn, work, noise)
    else:
        action = random_action(s, work)
    for k in range(4):
        rng[k] = work.rng[k]
    return action


def observer_seat(s, row):
    """Return the seat whose observation is written: the learner's, or the seat to move if the learner has all."""
    return row.learner_seat if row.learner_seat >= 0 else s.turn


# --- outputs --------------------------------------------------------------------------------------


def add_reward(row, seat, value):
    """Add the change of a seat's potential to its reward, and store the new potential `value`."""
    row.rewards[seat] += value - row.last_potential[seat]
    row.last_potential[seat] = value


def write_legal(s, before, running, legal, mask, bit_masks):
    """Write the legal actions and their mask, if there is one, as bits or bytes. Return the number of actions.

    The first `before` entries of `legal` are the previous actions, which are set in the mask. If `running` is 0, the
    game stays at its end. Then no action is legal, but all codes are set in the mask, because a softmax over no action
    is NaN.
    """
    has_mask = len(mask) > 0
    for k in range(before if has_mask else 0):
        mask[legal[k] // 8 if bit_masks else legal[k]] = 0
    if has_mask and before == 0:  # the game before was over
        for k in range(len(mask)):
            mask[k] = 0
    count = rules.legal(s, legal) if running else 0
    for k in range(count if has_mask else 0):
        set_in_mask(mask, legal[k], bit_masks)
    if has_mask and not running:
        for k in range(len(legal)):
            set_in_mask(mask, k, bit_masks)
    return count


def set_in_mask(mask, action, bit_masks):
    if bit_masks:
        mask[action // 8] |= 1 << (action % 8)
    else:
        mask[action] = 1


def write_views(rows, states, masked, legal, observations, parts, masks, seats):
    """Write what the seat to move sees in each of `rows`, and its legal actions, into the first rows of the outputs."""
    for k in range(len(rows)):
        seats[k] = states[rows[k]].turn
        write_observation(states[rows[k]], seats[k], masked, observations[k], parts[k])
        s = masked[0]
        for action in range(len(legal)):
            masks[k, action] = 0
        for action in range(rules.legal(s, legal)):
            masks[k, legal[action]] = 1


def write_observation(s, seat, masked, observation, parts):
    masked[0] = s
    observe.mask(masked[0], seat)
    zero(observation)
    observe.tensor(masked[0], seat, parts)


def zero(observation):
    for k in range(len(observation)):
        observation[k] = 0.0
