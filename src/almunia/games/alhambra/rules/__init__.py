"""The rules of Alhambra, for two to six players.

A mark such as [3.2] names a paragraph of RULES.md. `s` is the state of a play, and `me` the part of
the state that belongs to one seat.

    state       the fields of a state, and the codes of the actions
    setting_up  the market, the starting money, the starting player and the deck
    phases      the legal actions of each phase, their effects, and the end
    money       money cards in hand, and payments
    building    the cells where a tile fits, and the tiles that may be exchanged or removed
    nearby      tables for `building`, indexed by the tiles around a cell
    scoring     points for buildings and walls
"""

from .phases import apply, legal, scores
from .setting_up import setup
from .state import ACTIONS, CODES, NUM_ACTION_KEYS, SCORES, STATE, Phase, action_key

__all__ = [
    "ACTIONS",
    "CODES",
    "NUM_ACTION_KEYS",
    "SCORES",
    "STATE",
    "Phase",
    "action_key",
    "apply",
    "legal",
    "scores",
    "setup",
]
