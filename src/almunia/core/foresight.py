"""What an action leads to, for a game whose `bots.py` knows no shorter way: do it, and evaluate."""

from typing import Any

rules: Any  # given by the twin
bots: Any  # given by the twin


def evaluate_after(s, states, place, action, table, out):
    """Write the evaluation of every seat after an action; `states[place]` is scratch paper."""
    states[place] = s
    rules.apply(states[place], action)
    bots.evaluate(states[place], table, out)
