"""The text of Alpujarras.

`actions` describes actions, `effects` their effects, and `suggestions` offers sequences of actions. `questions` has the
questions, and `explanations` explains why a place cannot be chosen. `position` describes positions and results, and
`log` writes log lines. `words` has names that the other modules share.
"""

from .actions import action_to_string, button_label, parts
from .effects import effect_text, warning
from .explanations import explain_illegal
from .log import log_lines
from .position import board, end_reason, result_lines, score_breakdown, seat_facts
from .questions import question, rule_of_question
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
    "seat_facts",
    "suggestions",
    "warning",
]
