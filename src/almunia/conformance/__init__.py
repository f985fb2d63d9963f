"""The checks every game must pass, at every seat count and with every option.

`almunia check <game>` runs them, and so do the tests, over all games there are. A check is a
function of a `Case`; it raises Failure with a sentence when the game breaks its contract.
"""

from . import acting, facts, knowledge, naming, pictures, plays, rules, telling, tensors, words
from .case import CHECKS, Case, Failure, Finding, Skipped, cases, found_by, run_checks

__all__ = [
    "CHECKS",
    "Case",
    "Failure",
    "Finding",
    "Skipped",
    "acting",
    "cases",
    "facts",
    "found_by",
    "knowledge",
    "naming",
    "pictures",
    "plays",
    "rules",
    "run_checks",
    "telling",
    "tensors",
    "words",
]
