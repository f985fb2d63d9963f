"""What time it is, and times in words."""

from time import time

from ..core.words import count_of

UNITS = (("day", 86400), ("hour", 3600), ("minute", 60))


def now() -> float:
    """Seconds since 1970. Everything that the site dates asks here, so that tests can let months go by."""
    return time()


def ago(seconds: float) -> str:
    """How long ago something was, in words."""
    return f"{span} ago" if (span := lasting(seconds)) else "just now"


def lasting(seconds: float) -> str:
    """A span of time in its largest unit; empty if it is less than a minute."""
    return next((count_of(int(seconds // length), unit) for unit, length in UNITS if seconds >= length), "")
