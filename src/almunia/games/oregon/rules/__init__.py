"""The rules of Oregon, for two to four players.

A mark such as [3.1] names a paragraph of RULES.md. `s` is the state of a play. A kind of card is a number:
a symbol, a building, or the joker.

    state       the fields of a state, and the codes of the actions
    setting_up  the starting player, start tiles and hands
    phases      the legal actions of each phase, and their effects
    decks       the contents of the decks, and drawing from them
    scoring     points for farmers and buildings
"""

from .phases import action_key, apply, legal, scores
from .setting_up import setup
from .state import ACTIONS, CODES, NUM_ACTION_KEYS, SCORES, STATE, Phase

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
