"""Kuhn poker: the rules.

Read this module together with RULES.md: a mark such as [3.1] names a paragraph there.
"""

from enum import IntEnum

from almunia.core.codes import Codes
from almunia.engine.kernels.rng import seed_rng
from almunia.engine.state_dtype import i1, record_dtype, state_dtype

from . import components as box

SEATS = box.SEATS
UNKNOWN = 0  # a hidden card; cards are numbered from 1


class Phase(IntEnum):
    """The question to the seat to move."""

    OPEN = 0  # pass, or bet [3.1, 3.2]
    ANSWER = 1  # give up, or call a bet [3.3]


class EndReason(IntEnum):
    """The reason why a play ended; `over` is 0 while it runs."""

    FOLD = 1  # [4.1]
    SHOWDOWN = 2  # [4.2]


SEAT = record_dtype(
    card=i1,  # 1 for the lowest
    stake=i1,  # chips that the player has put into the pot
)

STATE = state_dtype(seat=(SEAT, SEATS))

CODES = Codes(PASS={}, BET={})
PASS, BET = CODES.first
ACTIONS = CODES.total

SCORES = ("chips",)


# --- The deal [2] ------------------------------------------------------------------------------


def setup(s, seats, seed):
    """Take the antes, and deal the pair of cards that the seed chooses; seat 0 begins [2.1, 2.2, D1, D2]."""
    seed_rng(s.rng, seed)
    s.seats = seats
    deal = seed % box.DEALS
    first = deal // (box.CARDS - 1)
    second = deal % (box.CARDS - 1)
    s.seat[0].card = 1 + first
    s.seat[1].card = 1 + second + (second >= first)
    for p in range(seats):
        s.seat[p].stake = box.ANTE


# --- The betting [3] ---------------------------------------------------------------------------


def legal(s, out):
    """Write a pass and a bet into `out`, and return their number: 0 at the end [3.1-3.3]."""
    if s.over:
        return 0
    out[0] = PASS
    out[1] = BET
    return 2


def apply(s, action):
    """Pass or bet, and give the turn to the other player [3.1-3.3].

    The caller has checked that the action is legal.
    """
    s.turns += 1
    if action == BET:
        s.seat[s.turn].stake += box.BET
    if s.phase == Phase.ANSWER:
        end(s, EndReason.SHOWDOWN if action == BET else EndReason.FOLD)
    elif action == BET:
        s.phase = Phase.ANSWER
    elif s.turns == s.seats:
        end(s, EndReason.SHOWDOWN)
    s.turn = 1 - s.turn


# --- The end [4] -------------------------------------------------------------------------------


def end(s, reason):
    """End the game, and show the cards if they are compared [4.1, 4.2]."""
    s.over = reason
    s.reveals += reason == EndReason.SHOWDOWN


def winner(s):
    """Return the seat that wins the pot: the seat whose bet was not called, or the higher card's seat [4.1, 4.2].

    The turn passes also at the end, so a seat whose bet was not called is to move.
    """
    if s.over == EndReason.FOLD:
        return s.turn
    return 0 if s.seat[0].card > s.seat[1].card else 1


def scores(s, out):
    """Write each seat's chips won, negative if lost; 0 before the end [1.1, 1.2, 4.3]."""
    for p in range(s.seats):
        out[p, 0] = 0
    if s.over:
        best = winner(s)
        out[best, 0] = s.seat[1 - best].stake
        out[1 - best, 0] = -s.seat[1 - best].stake
