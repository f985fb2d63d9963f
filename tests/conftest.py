"""A PostgreSQL server for each test process."""

from collections.abc import Iterator

import pytest

from .postgres import MISSING, Server, programs


@pytest.fixture(scope="session")
def postgres(request: pytest.FixtureRequest) -> Iterator[Server]:
    """Yield a server. Without PostgreSQL the test is skipped, or fails if an option requires PostgreSQL."""
    found = programs()
    if found is None:
        if request.config.option.need_postgres:
            pytest.fail(MISSING)
        pytest.skip(MISSING)
    server = Server(found)
    yield server
    server.close()
