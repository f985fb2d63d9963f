"""The rules of Caylus, for two to five players.

A mark such as [2.4] names a paragraph of RULES.md. In functions, `s` is the state. The state counts the cubes owed and
the favours granted, and `stages.step` asks for them. A forced action is applied without a question [D34].

    state       the fields of a state, and the codes of the actions
    setting_up  the road, the turn order, and the holdings of the players (section 1)
    phases      the legal actions of each phase, and their application
    stages      the seven stages of a turn, step by step
    placing     workers, their price, the bridge, and the moves of the provost (stages 2 to 4)
    road        the effects of workers on the road: production, trade, cubes given and taken (stage 5)
    building    new buildings and residences (2.19 to 2.21)
    castle      batches, the scoring of sections, and the end (stages 6 and 7, section 3)
    favours     royal favours (section 4)
"""

from .castle import scores
from .phases import apply, legal
from .setting_up import setup
from .state import ACTIONS, CODES, SCORES, STATE, Phase

__all__ = ["ACTIONS", "CODES", "SCORES", "STATE", "Phase", "apply", "legal", "scores", "setup"]
