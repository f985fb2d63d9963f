"""The rules of Oregon, for two to four players.

Read them beside RULES.md: a mark such as [3.1] names a paragraph there. Each rule is a plain function of the
state `s`. A kind of card is a number: a symbol, a building, or the joker.

    state       the fields of a state, and what the codes of actions mean
    setting_up  the starting player, start tiles and hands
    phases      what may be done in each phase of a turn, and what follows
    decks       what is in the decks, and drawing from them
    scoring     what farmers and buildings earn
"""

from .phases import apply, legal, name_of, scores
from .setting_up import setup
from .state import ACTIONS, CODES, NAMES, SCORES, STATE, Phase

__all__ = ["ACTIONS", "CODES", "NAMES", "SCORES", "STATE", "Phase", "apply", "legal", "name_of", "scores", "setup"]
