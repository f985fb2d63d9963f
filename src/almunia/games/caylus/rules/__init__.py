"""The rules of Caylus, for two to five players.

Read them beside RULES.md: a mark such as [2.4] names a paragraph there. Each rule is a plain function of the state
`s`. What is owed (cubes to give and to take, favours) is counted in the state, and `stages.step` asks for one thing
after the other. What is forced is not asked [D34].

    state       the fields of a state, and what the codes of actions mean
    setting_up  the road, the turn order, and what everybody has (section 1)
    phases      what may be done in each phase, and doing it
    stages      the seven stages of a turn, step by step
    placing     workers, what they cost, and the bridge (stages 2 and 3)
    road        what a worker on the road does: production, trade, cubes given and taken (stage 5)
    building    building, and turning tiles into residences (2.19 to 2.21)
    castle      batches, the scoring of sections, and the end (stages 6 and 7, section 3)
    favours     royal favours (section 4)
"""

from .castle import scores
from .phases import apply, legal
from .setting_up import setup
from .state import ACTIONS, CODES, SCORES, STATE, Phase

__all__ = ["ACTIONS", "CODES", "SCORES", "STATE", "Phase", "apply", "legal", "scores", "setup"]
