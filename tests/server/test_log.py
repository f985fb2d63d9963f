"""A fault that comes a thousand times is written once, with its count."""

import logging

from almunia.server.operations.log import PAUSE, Once


def test_a_fault_is_written_once_and_then_counted(caplog):
    clock, log = [0.0], logging.getLogger("almunia.faults")
    once = Once(lambda: clock[0])
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
        clock[0] += PAUSE
        log.warning("Table %s is broken.", "u")
        log.warning("Another thing.")
        assert [record.getMessage() for record in caplog.records[3:]] == [
            "Table u is broken. (and 999 more like it before)",
            "Another thing.",
        ]
    finally:
        caplog.handler.removeFilter(once)
