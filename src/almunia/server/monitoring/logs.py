"""What the site says on the error stream: every fault once, and then how often it came again.

A line is text, or a JSON object for those who collect logs. No line names a guest, or holds an address that lets
anybody sit down at a table.
"""

import logging
import sys
from collections.abc import Callable
from time import monotonic

from pythonjsonlogger.json import JsonFormatter
from sqlalchemy.exc import OperationalError

from ..settings import JSON, TEXT
from .metrics import LogLineCounter

PAUSE = 60.0  # seconds in which the same fault is only counted
FORM = "%(asctime)s %(levelname)s %(message)s"
CALLED = {"levelname": "level", "name": "logger", "exc_info": "exception"}  # fields of a record in an object
PACKAGE = __name__.partition(".")[0]


class RepeatFilter(logging.Filter):
    """Lets the first of many like records pass, and the next one after a pause, with the count of those between."""

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock = clock
        self._seen: dict[tuple[str, str, object], tuple[float, int]] = {}  # when one passed last, and how many did not

    def filter(self, record: logging.LogRecord) -> bool:
        """Shall this record be written?"""
        if record.levelno < logging.WARNING:
            return True
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


class ShortDatabaseErrors(logging.Filter):
    """Writes in one line that the database is away: where in the code it was missed, nobody needs to know."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Takes the stack from a record on that, and puts the reason into its words."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, OperationalError):
            record.msg, record.args = f"{record.getMessage()} {' '.join(str(error.orig).split())}", ()
            record.exc_info = None
        return True


def set_up(form: str = TEXT, level: str = "warning") -> None:
    """Write what is of this level or worse, ours and that of libraries, each fault once a minute."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(RepeatFilter())
    handler.addFilter(ShortDatabaseErrors())
    handler.setFormatter(formatter(form))
    logging.basicConfig(handlers=[handler, LogLineCounter()], level=logging.WARNING)
    logging.getLogger(PACKAGE).setLevel(level.upper())


def formatter(form: str) -> logging.Formatter:
    """What makes a line of a record."""
    if form == JSON:
        return JsonFormatter("%(levelname)s %(name)s %(message)s", rename_fields=CALLED, timestamp=True)
    return logging.Formatter(FORM)
