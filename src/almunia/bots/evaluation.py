"""The evaluation of a game that has none of its own: how far a seat leads in points."""

from typing import Any

rules: Any  # given by the twin


def evaluate(s, seat, table):
    """Own points less the best of the others'; with one seat, the points themselves."""
    rules.scores(s, table)
    best, found = 0, False
    for p in range(s.seats):
        if p != seat and (not found or table[p, 0] > best):
            best, found = table[p, 0], True
    return table[seat, 0] - best
