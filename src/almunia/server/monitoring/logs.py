"""The log on the error stream, as text or JSON. Repeated warnings and errors are counted instead of written."""

import logging
import sys
from collections.abc import Callable
from time import monotonic

from pythonjsonlogger.json import JsonFormatter
from sqlalchemy.exc import OperationalError

from ..settings import JSON, TEXT
from .metrics import LogLineCounter

REPEAT_SECONDS = 60.0  # in which equal records are only counted
LINE_FORMAT = "%(asctime)s %(levelname)s %(message)s"
FIELD_NAMES = {"levelname": "level", "name": "logger", "exc_info": "exception"}  # names of fields in JSON
PACKAGE = __name__.partition(".")[0]


class RepeatFilter(logging.Filter):
    """Passes one in REPEAT_SECONDS of the warnings or errors with the same logger, template and exception type.

    The next record that passes tells how many were dropped.
    """

    def __init__(self, clock: Callable[[], float] = monotonic) -> None:
        super().__init__()
        self._clock = clock
        # By kind of record: when the last one passed, and how many were dropped since.
        self._seen: dict[tuple[str, str, object], tuple[float, int]] = {}

    def filter(self, record: logging.LogRecord) -> bool:
        """Return whether to write a record; may append the number of dropped records to its message."""
        if record.levelno < logging.WARNING:
            return True
        kind = record.exc_info[0] if record.exc_info else None
        key, now = (record.name, str(record.msg), kind), self._clock()
        passed, missed = self._seen.get(key, (now - REPEAT_SECONDS, 0))
        if now - passed < REPEAT_SECONDS:
            self._seen[key] = passed, missed + 1
            return False
        self._seen[key] = now, 0
        if missed:
            record.msg, record.args = f"{record.getMessage()} (and {missed} more like it before)", ()
        return True


class ShortDatabaseErrors(logging.Filter):
    """Shortens records of database outages to one line without a traceback."""

    def filter(self, record: logging.LogRecord) -> bool:
        """Remove the traceback of a database outage from a record, and append its reason; return True."""
        error = record.exc_info[1] if record.exc_info else None
        if isinstance(error, OperationalError):
            record.msg, record.args = f"{record.getMessage()} {' '.join(str(error.orig).split())}", ()
            record.exc_info = None
        return True


def configure(form: str = TEXT, level: str = "warning") -> None:
    """Configure the log: records of the site from this level on, and warnings and errors of libraries."""
    handler = logging.StreamHandler(sys.stderr)
    handler.addFilter(RepeatFilter())
    handler.addFilter(ShortDatabaseErrors())
    handler.setFormatter(make_formatter(form))
    logging.basicConfig(handlers=[handler, LogLineCounter()], level=logging.WARNING)
    logging.getLogger(PACKAGE).setLevel(level.upper())


def make_formatter(form: str) -> logging.Formatter:
    if form == JSON:
        return JsonFormatter("%(levelname)s %(name)s %(message)s", rename_fields=FIELD_NAMES, timestamp=True)
    return logging.Formatter(LINE_FORMAT)
