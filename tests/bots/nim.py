"""A game of matches that is solved, for the tests of evaluators: seats take one to three, and the last one wins.

This module is `rules`, `observe` and `bots` in one, as for `coins.OneModuleGame`. With two seats, the seat to move
loses if and only if a multiple of four is left.
"""

import sys

from almunia.core.contract import NONE
from almunia.engine import state_dtype

from .coins import OneModuleGame

ACTIONS = NUM_ACTION_KEYS = 3
SEATS = 3
MAX_HEAP = 100
SCORES = ("points",)
STATE = state_dtype.state_dtype(heap=state_dtype.i1, winner=state_dtype.i1)
TENSOR_SHAPES = {"heap": (MAX_HEAP + 1,)}


def legal(s, out):
    count = min(ACTIONS, s.heap)
    for action in range(count):
        out[action] = action
    return count


def apply(s, action):
    s.heap -= action + 1
    if s.heap == 0:
        s.over, s.winner = 1, s.turn
    s.turns += 1
    s.turn = s.turns % s.seats


def scores(s, table):
    for p in range(s.seats):
        table[p, 0] = 1 if s.over and s.winner == p else 0


def may_see(s, seat):
    return True


def mask(s, seat):
    pass


def determinize(s, seat, rng, scratch):
    pass


def tensor(s, seat, out):
    out.heap[s.heap] = 1.0


def action_key(s, action):
    return action


def action_values(s, actions, count, scratch, out):
    raise AssertionError  # a search with an evaluator does without


def evaluate(s, table, values):
    scores(s, table)
    for p in range(s.seats):
        values[p] = table[p, 0]


def evaluate_leaf(s, table, values):
    evaluate(s, table, values)


class View:
    """A position as the seat to move sees it: everything."""

    def __init__(self, heap, seats=2):
        self.array = state_dtype.zeros(STATE)
        self.array["seats"], self.array["heap"], self.array["winner"] = seats, heap, NONE
        self.seat = 0


NIM = OneModuleGame(sys.modules[__name__])
