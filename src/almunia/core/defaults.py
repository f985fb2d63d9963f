"""Defaults for the optional parts of `text.py` and `view.py`, and the mechanism that fills them in."""

from collections.abc import Callable, Mapping, Sequence
from types import ModuleType
from typing import Any

from .optional import ActionSequence, Campaign, Challenge, Explanation, Icon, Scoring, Source

CAMPAIGN = ""
CHALLENGES: tuple[Challenge, ...] = ()
ICONS: tuple[Icon, ...] = ()


def campaign(attempts: Sequence[tuple[str, int]]) -> Campaign:
    """Return the standing in a campaign without challenges."""
    return Campaign("", "")


def dealt(s: Any) -> str:
    """Return an empty string: no option describes the deal."""
    return ""


def rule_of_question(s: Any) -> str:
    """Return an empty string instead of a mark."""
    return ""


def score_breakdown(s: Any) -> list[Source]:
    """Return an empty list: the points have a single source."""
    return []


def scoring(before: Any, action: int, after: Any) -> Scoring | None:
    """Return None instead of a scoring."""
    return None


def suggestions(s: Any) -> list[ActionSequence]:
    """Return an empty list of sequences."""
    return []


def explain_illegal(s: Any, place: str, chosen: Mapping[str, str]) -> Explanation | None:
    """Return None instead of an explanation."""
    return None


def hit_test(s: Any, seat: int, panel: str, x: float, y: float) -> str:
    """Return an empty string instead of a place."""
    return ""


def members(protocol: type) -> list[str]:
    """Return the names of the constants and functions that a protocol describes, constants first."""
    return [name for name in {**protocol.__annotations__, **vars(protocol)} if not name.startswith("_")]


def with_defaults(module: ModuleType, optional: type, defaults: Mapping[str, Any]) -> Any:
    """Add defaults for the members of a protocol of `optional` that a module lacks, and return the module.

    The module itself is changed, and not a copy, because `importlib.reload` does not accept a copy.
    """
    for name in members(optional):
        vars(module).setdefault(name, defaults[name])
    return module


def is_default(function: Callable[..., Any]) -> bool:
    """Return whether a function of a game's `text` or `view` is the default."""
    return function.__module__ == __name__
