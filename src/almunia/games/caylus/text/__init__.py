"""Caylus in words: `actions`, `questions`, `position` with results, the `log`, and `words` shared by all.

`explanations` explain illegal choices, `suggestions` propose action sequences, `prospects` have the
expected points of a worker, and `scorings` have the points of a section or of the end of the game.
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
