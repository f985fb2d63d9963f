"""Streams of events end quietly where the database goes away, and by a mistake of ours with all that is known of it."""

import pytest
from sqlalchemy.exc import OperationalError
from starlette.requests import Request

from almunia.server.limits import Limits
from almunia.server.streams import answered

from ..serving import settled


async def read(fault):
    """What somebody gets of a stream that fails after its first event."""

    async def events():
        yield "data: 1\n\n"
        raise fault

    asking = Request({"type": "http", "method": "GET"})
    return [event async for event in answered(asking, events(), Limits()).body_iterator]


def test_a_stream_ends_where_the_database_goes_away(caplog):
    assert settled(read(OperationalError("SELECT", {}, ConnectionError("gone")))) == ["data: 1\n\n"]
    (record,) = caplog.records
    assert "does not answer" in record.getMessage()
    assert record.exc_info is None


def test_a_mistake_is_not_hidden():
    with pytest.raises(ValueError, match="odd"):
        settled(read(ValueError("odd")))
