"""PostgreSQL for all tests that ask for it: one server for each process of the tests."""

from collections.abc import Iterator

import pytest

from .postgres import MISSING, Server, programs


@pytest.fixture(scope="session")
def postgres(request: pytest.FixtureRequest) -> Iterator[Server]:
    """A server; where none can be had the test is skipped, unless it is needed."""
    found = programs()
    if found is None:
        if request.config.option.need_postgres:
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    server = Server(found)
    yield server
    server.close()
