"""What the site says on the error stream: every fault once, and then how often it came again."""

import logging
import sys
from collections.abc import Callable
from time import monotonic

PAUSE = 60.0  # seconds in which the same fault is only counted
FORM = "%(asctime)s %(levelname)s %(message)s"


class Once(logging.Filter):
    """Lets the first of many like records pass, and the next one after a pause, with the count of those between."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._seen: dict[tuple[str, str, object], tuple[float, int]] = {}  # when one passed last, and how many did not

    def filter(self, record: logging.LogRecord) -> bool:
        """Shall this record be written?"""
        kind = record.exc_info[0] if record.exc_info else None
        key, now = (record.name, str(record.msg), kind), self._clock()
        passed, missed = self._seen.get(key, (now - PAUSE, 0))
        if now - passed < PAUSE:
            self._seen[key] = passed, missed + 1
            return False
        self._seen[key] = now, 0
        if missed:
            record.msg, record.args = f"{record.getMessage()} (and {missed} more like it before)", ()
        return True


def set_up() -> None:
    """Write warnings and worse, ours and those of libraries, each fault once a minute."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(Once())
    logging.basicConfig(handlers=[handler], format=FORM, level=logging.WARNING)
