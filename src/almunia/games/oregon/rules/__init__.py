"""The rules of Oregon, for two to four players.

Read them beside RULES.md: a mark such as [3.1] names a paragraph there. Each rule is a plain function of the
state `s`. A kind of card is a number: a symbol, a building, or the joker.

    phases   the state, what may be done in each phase of a turn, and what follows
    decks    what is in the decks, and drawing from them
    scoring  what farmers and buildings earn
"""

from .phases import ACTIONS, CODES, NAMES, SCORES, STATE, Phase, apply, legal, name_of, scores, setup

__all__ = ["ACTIONS", "CODES", "NAMES", "SCORES", "STATE", "Phase", "apply", "legal", "name_of", "scores", "setup"]
