"""The checks that every game must pass, at every seat count and with the examples of every option.

`almunia check GAME` runs the checks, and the tests run them over all games. A check is a function of a `Case` that
raises Failure with a sentence if the game violates the contract.
"""

from . import action_keys, guidance, information, metadata, pictures, plays, rules, scoring, tensors, text  # noqa: F401 - they register checks
from .case import CHECKS, Case, CheckResult, Failure, Skipped, cases, run_check, run_checks

__all__ = ["CHECKS", "Case", "CheckResult", "Failure", "Skipped", "cases", "run_check", "run_checks"]
