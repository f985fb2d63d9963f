"""The text of Caylus.

`actions` describes actions and their effects, `questions` the questions, and `position` positions and results. `log`
writes log lines. `explanations` explains why a place cannot be chosen, and `suggestions` offers sequences of actions.
`prospects` has the points that a worker may score later in the turn, and `scorings` the points of a scoring. `words`
has names that the other modules share.
"""

from .actions import action_to_string, button_label, effect_text, parts
from .explanations import explain_illegal
from .log import log_lines
from .position import board, end_reason, result_lines, score_breakdown, seat_facts
from .questions import question, rule_of_question
from .scorings import scoring
from .suggestions import suggestions

__all__ = [
    "action_to_string",
    "board",
    "button_label",
    "effect_text",
    "end_reason",
    "explain_illegal",
    "log_lines",
    "parts",
    "question",
    "result_lines",
    "rule_of_question",
    "score_breakdown",
    "scoring",
    "seat_facts",
    "suggestions",
]
