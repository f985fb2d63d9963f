"""A compiled evaluator: a multilayer perceptron with two hidden layers, a policy head and a value head."""

from math import exp

from .ismcts import win_probability

MIN_LOGIT = -1e30


def evaluate(observation, mask, values, policy, weights, scratch):
    """Write the values by a sigmoid, and the policy by a softmax over the legal actions.

    With one seat, the value is the logit itself, in points.

    `weights` is (w1, b1, w2, b2, w_policy, b_policy, w_value, b_value), float32. A matrix has a row for each input. The
    hidden layers have rectifiers. `scratch` has room for both.
    """
    w1, b1, w2, b2, w_policy, b_policy, w_value, b_value = weights
    first, second = len(b1), len(b2)
    for j in range(first):
        scratch[j] = b1[j]
    for i in range(len(observation)):
        add_input(observation[i], i, w1, first, 0, scratch)
    for j in range(second):
        scratch[first + j] = b2[j]
    for i in range(first):
        add_input(max(scratch[i], 0.0), i, w2, second, first, scratch)
    for p in range(len(values)):
        logit = output(p, w_value, b_value, first, second, scratch)
        values[p] = win_probability(logit, 1.0) if len(values) > 1 else logit
    write_softmax(mask, policy, w_policy, b_policy, first, second, scratch)


def add_input(number, i, weights, units, start, scratch):
    """Add an input's contribution to the units of a layer, which `start` precedes in `scratch`.

    Most inputs are 0: an observation is sparse.
    """
    if number != 0.0:
        for j in range(units):
            scratch[start + j] += number * weights[i, j]


def output(k, weights, biases, start, units, scratch):
    """Return the output k of a linear layer over rectified units."""
    total = 0.0 + biases[k]
    for i in range(units):
        total += max(scratch[start + i], 0.0) * weights[i, k]
    return total


def write_softmax(mask, policy, weights, biases, start, units, scratch):
    """Write the softmax of the legal actions' logits, without the divisor. The largest logit is subtracted first."""
    largest = MIN_LOGIT
    for action in range(len(mask)):
        if mask[action]:
            logit = output(action, weights, biases, start, units, scratch)
            policy[action] = logit
            largest = max(largest, logit)
    for action in range(len(mask)):
        policy[action] = exp(policy[action] - largest) if mask[action] else 0.0
