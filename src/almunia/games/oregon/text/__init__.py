"""The text of Oregon.

`actions` describes actions and questions, `suggestions` offers sequences of actions, `prospects` computes gains from
cards, `explanations` explains refusals, and `log` writes log lines. `position` describes positions and results, and
`words` has helpers that the other modules share.
"""

from .actions import action_to_string, button_label, effect_text, parts, question, rule_of_question
from .explanations import explain_illegal
from .log import log_lines
from .position import board, end_reason, result_lines, score_breakdown, seat_facts
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
]
