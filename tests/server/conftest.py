"""A site in a folder of its own, and visitors who come to it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from shutil import copyfile

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from almunia.server.app import create_app
from almunia.server.limits import Limits
from almunia.server.settings import DATABASE_FILE, Settings
from almunia.server.site import Site
from almunia.server.storage.database import open_migrated
from almunia.server.tokens import new_table_id

from ..clock import BY_HAND, ManualClock, ShiftedClock
from ..serving import read_table
from ..waiting import wait_until
from .mailbox import Box, Post

ORIGIN = "http://testserver"
CHEAP = 8  # KiB of memory to hash a password: nobody attacks these
MAX_ACTIONS = 2000  # of a visitor in a game; far more than any takes
# Run with PostgreSQL, too, on every change.
SHARED = ("test_rated_deals.py", "test_missed_changes.py", "test_table_repository.py")
# What `make quick` runs: a site's rules, its store and its clocks. All others start more sites than there is time for.
QUICK_FILES = [
    f"test_{name}.py"
    for name in [
        "moves",
        "choices",
        "clocks",
        "compression",
        "rate_limits",
        "broken_games",
        "steps",
        "layout",
        "logging",
        "missed_changes",
        "metrics",
        "background",
        "rule_pages",
        "web_security",
        "seats",
        "table_repository",
        "stream_times",
    ]
]
FILES = ("test_backups.py",)  # with SQLite's files whatever is asked for; PostgreSQL has tests of its own there


class Visitor(TestClient):
    """A guest with a browser that keeps cookies, says where requests come from, and reads pages."""

    def open(self, game: str = "orchard", **fields: object) -> str:
        """Open a table with a form; returns its address."""
        answer = self.post(f"/games/{game}/tables", data=fields or {"quick": 1}, follow_redirects=False)
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def seen(self, table: str) -> tuple[int, int, list[int]]:
        """What the page of a table says: the seat shown, its version, and the actions offered."""
        return read_table(self.get(table).text)

    def act(self, table: str, choose: int | Callable[[list[int]], int] = 0, **other: object) -> Response:
        """Choose one of the actions offered, by its place in the list."""
        seat, seen, actions = self.seen(table)
        action = choose(actions) if callable(choose) else actions[choose] if actions else 0
        return self.answer(table, {"action": action, "seat": seat, "seen": seen, **other})

    def answer(self, table: str, fields: dict[str, object]) -> Response:
        """Send the form of an action, of which this visitor is sure."""
        return self.post(f"{table}/move", data={"sure": 1, **fields}, follow_redirects=False)

    def due(self, table: str) -> str:
        """Wait for bots until this visitor may act or the game is over; return the page."""

        def page() -> str:
            found = self.get(table).text
            return found if "finale" in found or read_table(found)[2] else ""

        return wait_until(page, "the bots have moved")

    def finish(self, table: str) -> None:
        """Play first actions until the game is over."""
        for _ in range(MAX_ACTIONS):
            page = self.due(table)
            if "finale" in page:
                return
            seat, seen, actions = read_table(page)
            assert self.answer(table, {"action": actions[0], "seat": seat, "seen": seen}).status_code == 303
        pytest.fail(f"The game is not over after {MAX_ACTIONS} actions.")


@pytest.fixture
def clock() -> ManualClock:
    """The time of the site, which a test may set."""
    return ManualClock()


@pytest.fixture
def limits() -> Limits:
    """The limits of the site; a test that is parametrized with others gets those."""
    return Limits(maintenance_seconds=BY_HAND)


@pytest.fixture
def tokens() -> Callable[[], str]:
    """Return a function that makes the ids of new tables."""
    return new_table_id


@pytest.fixture
def seeds() -> Callable[[], int]:
    """New tables get the same deals in every run, so that no test meets a rare question by chance."""
    return count(1).__next__


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what touches the database with both kinds of it; on most changes SQLite is enough."""
    if "database" in metafunc.fixturenames:
        file, chosen = metafunc.definition.path.name, metafunc.config.option.database
        kinds = ["sqlite"] if file in FILES else [chosen] if chosen else ["sqlite", "postgres"]
        later = [] if chosen or file in SHARED else [pytest.mark.exhaustive]
        marks = {"sqlite": [], "postgres": [pytest.mark.slow, *later]}
        metafunc.parametrize("database", [pytest.param(kind, marks=marks[kind]) for kind in kinds], indirect=True)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Leave to `make test` what `make quick` has no time for."""
    if item.path.name not in QUICK_FILES:
        item.add_marker(pytest.mark.slow)


@pytest.fixture
def database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """The address of the site's database, where commands find it too; empty for SQLite in its folder."""
    if request.param == "sqlite":
        yield ""
        return
    with request.getfixturevalue("postgres").database() as address:
        monkeypatch.setenv("ALMUNIA_DATABASE", address)
        yield address


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """A database of SQLite with all its tables and nothing in them: to make them takes longer than most tests."""
    path = tmp_path_factory.mktemp("migrated") / DATABASE_FILE
    open_migrated(f"sqlite:///{path}").dispose()
    return path


@pytest.fixture
def start(
    tmp_path: Path,
    database: str,
    migrated: Path,
    seeds: Callable[[], int],
    tokens: Callable[[], str],
    limits: Limits,
    request: pytest.FixtureRequest,
) -> Iterator[Callable[..., Visitor]]:
    """Starts the site in a folder of this test's own, and gives its first visitor; may be called again.

    Its time is that of the fixture `clock` if the test asks for one, else the system's, which the test can shift.
    """
    clock = request.getfixturevalue("clock") if "clock" in request.fixturenames else ShiftedClock()
    with ExitStack() as stack:

        def starting(**settings: object) -> Visitor:
            given = {"database": database, "argon2_memory_kib": CHEAP, **settings}
            if not given["database"] and not (tmp_path / DATABASE_FILE).exists():
                copyfile(migrated, tmp_path / DATABASE_FILE)
            chosen = Settings(data=tmp_path, compiled=False, **given)
            app = create_app(chosen, clock=clock, seeds=seeds, tokens=tokens, limits=limits)
            return stack.enter_context(Visitor(app, headers={"Origin": ORIGIN}))

        yield starting


@pytest.fixture
def visitor(start: Callable[..., Visitor]) -> Visitor:
    """A visitor to a new site."""
    return start()


@pytest.fixture
def stranger(visitor: Visitor) -> Visitor:
    """Another visitor to the same site."""
    return Visitor(visitor.app, headers={"Origin": ORIGIN})


@pytest.fixture
def site(visitor: Visitor) -> Site:
    """A site whose bots do not play."""
    found: Site = visitor.app.state.site
    found.bot_runner.pause()
    return found


@pytest.fixture
def box() -> Iterator[Box]:
    """A mail server on this machine."""
    found = Box()
    controller = Post(found)
    controller.start()
    found.address = f"smtp://127.0.0.1:{controller.port}"
    yield found
    controller.stop()
