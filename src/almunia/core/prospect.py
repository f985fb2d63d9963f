"""How a position is likely to go on, for a game whose `bots.py` looks no further than the next action."""

from typing import Any

bots: Any  # given by the twin


def outlook(s, table, out):
    """Write how good the position is for every seat: the evaluation."""
    bots.evaluate(s, table, out)
