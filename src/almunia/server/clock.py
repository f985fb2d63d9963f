"""The clock of a site, and durations in words."""

from time import time

from ..core.english import pluralize

MINUTE, HOUR, DAY = 60, 3600, 24 * 3600  # seconds
UNITS = (("day", DAY), ("hour", HOUR), ("minute", MINUTE))


class Clock:
    """The clock of a site. Tests pass a subclass."""

    def now(self) -> float:
        return time()


SYSTEM_CLOCK = Clock()


def format_ago(seconds: float) -> str:
    """Return words for the moment `seconds` ago, such as `2 hours ago`; `just now` below a minute."""
    return f"{span} ago" if (span := format_duration(seconds)) else "just now"


def format_duration(seconds: float) -> str:
    """Return a duration in its largest whole unit, from minutes to days; empty below a minute."""
    return next((pluralize(int(seconds // length), unit) for unit, length in UNITS if seconds >= length), "")
