"""The clock of a site, and times in words."""

from time import time

from ..core.english import pluralize

MINUTE, HOUR, DAY = 60, 3600, 24 * 3600  # seconds
UNITS = (("day", DAY), ("hour", HOUR), ("minute", MINUTE))


class Clock:
    """The time by which a site dates and measures everything. Tests inject one that they set themselves."""

    def now(self) -> float:
        """Return the seconds since 1970, as the system's clock has them."""
        return time()


SYSTEM_CLOCK = Clock()


def format_ago(seconds: float) -> str:
    """How long ago something was, in words."""
    return f"{span} ago" if (span := format_duration(seconds)) else "just now"


def format_duration(seconds: float) -> str:
    """A span of time in its largest unit; empty if it is less than a minute."""
    return next((pluralize(int(seconds // length), unit) for unit, length in UNITS if seconds >= length), "")
