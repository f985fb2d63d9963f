"""The clock of a site, and durations in words."""

from time import time

from ..core.english import pluralize

MINUTE, HOUR, DAY = 60, 3600, 24 * 3600  # seconds
UNITS = (("day", DAY), ("hour", HOUR), ("minute", MINUTE))


class Clock:
    """The clock of a site; tests inject one that they set themselves."""

    def now(self) -> float:
        """Return the seconds since 1970, by the system's clock."""
        return time()


SYSTEM_CLOCK = Clock()


def format_ago(seconds: float) -> str:
    """Describe how long ago something was."""
    return f"{span} ago" if (span := format_duration(seconds)) else "just now"


def format_duration(seconds: float) -> str:
    """Describe a duration in its largest unit; empty if it is less than a minute."""
    return next((pluralize(int(seconds // length), unit) for unit, length in UNITS if seconds >= length), "")
