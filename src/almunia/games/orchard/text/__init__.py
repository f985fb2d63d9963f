"""The text of Orchard.

`actions` describes actions and questions, `explanations` explains refusals, `position` describes positions and results,
and `log` writes log lines. `challenges` has the fixed deals and the campaign, and `words` has helpers of the other
modules.
"""

from .actions import action_to_string, button_label, effect_text, parts, question, rule_of_question
from .challenges import CAMPAIGN, CHALLENGES, campaign
from .explanations import explain_illegal
from .log import log_lines
from .position import board, dealt, end_reason, result_lines, score_breakdown, seat_facts

__all__ = [
    "CAMPAIGN",
    "CHALLENGES",
    "action_to_string",
    "board",
    "button_label",
    "campaign",
    "dealt",
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
]
