"""The rules of Alpujarras, for two to four players.

A mark such as [3.1] names a paragraph of RULES.md. In functions, `s` is the state and `me` is one player's holdings.

    state       the fields of a state, and the codes of the actions
    setting_up  setup (section 2)
    phases      the questions in order, the application of actions, and the scores
    track       the track and the mules (section 3)
    farming     farmers, fields and harvests (sections 4 and 9)
    irrigation  channels (section 5)
    norias      taking and spending norias, and exchanging fruit (section 6)
    goals       goals (section 7)
    market      villages, delivery cards and awards (section 8)
    zara        Zara's mule, for two players (section 11)
"""

from .phases import apply, legal, scores
from .setting_up import setup
from .state import ACTIONS, CODES, SCORES, STATE, Phase

__all__ = ["ACTIONS", "CODES", "SCORES", "STATE", "Phase", "apply", "legal", "scores", "setup"]
