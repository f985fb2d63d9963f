"""Clocks for tests: sites are built with one of these, so that a test can let months pass."""

from math import inf

import pytest

from almunia.server.limits import Limits
from almunia.server.times import Clock

# However far a test moves the clock at once, the site was there all the time.
NEVER_AWAY = pytest.mark.parametrize("limits", [Limits(outage_seconds=inf)], ids=[""])


class ManualClock(Clock):
    """A clock that stands still until a test moves it."""

    def __init__(self, now: float = 1_000_000.0) -> None:
        self._now = now

    def now(self) -> float:
        """Return the time that was set."""
        return self._now

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._now += seconds

    def set(self, now: float) -> None:
        """Set the time, in seconds since 1970."""
        self._now = now


class ShiftedClock(Clock):
    """The system's clock, ahead by as much as a test has let pass."""

    def __init__(self) -> None:
        self._ahead = 0.0

    def now(self) -> float:
        """Return the system's time, shifted."""
        return super().now() + self._ahead

    def advance(self, seconds: float) -> None:
        """Let time pass."""
        self._ahead += seconds
