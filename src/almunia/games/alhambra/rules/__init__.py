"""The rules of Alhambra, for two to six players.

Read them beside RULES.md: a mark such as [3.2] names a paragraph there. Each rule is a plain function of the
state `s`, or of one player's part of it, `me`.

    state       the fields of a state, and what the codes of actions mean
    setting_up  the market, the starting money and the deck
    phases      what may be done in each phase of a turn, what follows, and the end
    money       cards in hand and what they pay
    building    where a tile fits, and which may be taken away
    nearby      what fits beside what, and that no hole is left, tabulated
    scoring     points for buildings and walls
"""

from .phases import apply, legal, scores
from .setting_up import setup
from .state import ACTIONS, CODES, NAMES, SCORES, STATE, Phase, name_of

__all__ = ["ACTIONS", "CODES", "NAMES", "SCORES", "STATE", "Phase", "apply", "legal", "name_of", "scores", "setup"]
