"""A failure that occurs often is logged once, with its count."""

import logging

from sqlalchemy.exc import OperationalError

from almunia.server.monitoring.logs import REPEAT_SECONDS, RepeatFilter, ShortDatabaseErrors


def test_a_repeated_error_is_logged_once_and_counted(caplog):
    clock, log = [0.0], logging.getLogger("almunia.faults")
    once = RepeatFilter(lambda: clock[0])
    caplog.handler.addFilter(once)
    try:
        for _ in range(1000):
            log.warning("Table %s is broken.", "t")
        log.warning("Another thing.")
        try:
            raise OSError("no more files")
        except OSError:
            log.exception("Table %s is broken.", "t")
        assert [record.getMessage() for record in caplog.records] == [
            "Table t is broken.",
            "Another thing.",
            "Table t is broken.",
        ]
        clock[0] += REPEAT_SECONDS
        log.warning("Table %s is broken.", "u")
        log.warning("Another thing.")
        assert [record.getMessage() for record in caplog.records[3:]] == [
            "Table u is broken. (and 999 more like it before)",
            "Another thing.",
        ]
    finally:
        caplog.handler.removeFilter(once)


def test_a_database_outage_is_logged_in_one_line(caplog):
    log, brief = logging.getLogger("almunia.faults"), ShortDatabaseErrors()
    caplog.handler.addFilter(brief)
    try:
        for error in (OperationalError("SELECT 1", {}, Exception("it is\nshutting down")), OSError("no more files")):
            log.error("GET / failed at %s.", "noon", exc_info=error)
    finally:
        caplog.handler.removeFilter(brief)
    assert [(record.getMessage(), bool(record.exc_info)) for record in caplog.records] == [
        ("GET / failed at noon. it is shutting down", False),
        ("GET / failed at noon.", True),
    ]
