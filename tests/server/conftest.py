"""Fixtures: a site in a temporary folder, and visitors to it."""

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
CHEAP = 8  # KiB of memory for a password's hash, which need not resist attacks here
MAX_ACTIONS = 2000  # of a visitor in a game; every game is shorter
# These files also run with PostgreSQL on every change.
SHARED = ("test_rated_deals.py", "test_missed_changes.py", "test_table_repository.py")
# `make quick` runs only these files: the rules, the storage and the clocks of a site.
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
FILES = ("test_backups.py",)  # these always use SQLite files; the tests of PostgreSQL are in other files


class Visitor(TestClient):
    """A guest with a browser that keeps cookies and sends an Origin header."""

    def open(self, game: str = "orchard", **fields: object) -> str:
        """Open a table with a form, and return its path."""
        answer = self.post(f"/games/{game}/tables", data=fields or {"quick": 1}, follow_redirects=False)
        assert answer.status_code == 303, answer.text
        return answer.headers["location"]

    def seen(self, table: str) -> tuple[int, int, list[int]]:
        """Return what the page of a table shows: the seat, the version and the actions."""
        return read_table(self.get(table).text)

    def act(self, table: str, choose: int | Callable[[list[int]], int] = 0, **other: object) -> Response:
        """Send an action that the page offers: the one at index `choose`, or the one that a function chooses."""
        seat, seen, actions = self.seen(table)
        action = choose(actions) if callable(choose) else actions[choose] if actions else 0
        return self.answer(table, {"action": action, "seat": seat, "seen": seen, **other})

    def answer(self, table: str, fields: dict[str, object]) -> Response:
        """Send the form of a move, which is confirmed already."""
        return self.post(f"{table}/move", data={"sure": 1, **fields}, follow_redirects=False)

    def due(self, table: str) -> str:
        """Wait until this visitor may act or the game is over, and return the page."""

        def page() -> str:
            found = self.get(table).text
            return found if "finale" in found or read_table(found)[2] else ""

        return wait_until(page, "the bots have moved")

    def finish(self, table: str) -> None:
        """Play the first action of each page until the game is over."""
        for _ in range(MAX_ACTIONS):
            page = self.due(table)
            if "finale" in page:
                return
            seat, seen, actions = read_table(page)
            assert self.answer(table, {"action": actions[0], "seat": seat, "seen": seen}).status_code == 303
        pytest.fail(f"The game is not over after {MAX_ACTIONS} actions.")


@pytest.fixture
def clock() -> ManualClock:
    """Return a clock for the site that stands still until a test moves it."""
    return ManualClock()


@pytest.fixture
def limits() -> Limits:
    """Return the limits of the site. A test can parametrize this fixture with others."""
    return Limits(maintenance_seconds=BY_HAND)


@pytest.fixture
def tokens() -> Callable[[], str]:
    """Return a function that makes the ids of new tables."""
    return new_table_id


@pytest.fixture
def seeds() -> Callable[[], int]:
    """Return a function that makes the seeds of new tables: 1, 2, 3, so that deals are the same in every run."""
    return count(1).__next__


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run a test that uses `database` with SQLite and PostgreSQL, unless an option or its file selects one of them."""
    if "database" in metafunc.fixturenames:
        file, chosen = metafunc.definition.path.name, metafunc.config.option.database
        kinds = ["sqlite"] if file in FILES else [chosen] if chosen else ["sqlite", "postgres"]
        later = [] if chosen or file in SHARED else [pytest.mark.exhaustive]
        marks = {"sqlite": [], "postgres": [pytest.mark.slow, *later]}
        metafunc.parametrize("database", [pytest.param(kind, marks=marks[kind]) for kind in kinds], indirect=True)


def pytest_itemcollected(item: pytest.Item) -> None:
    """Mark all files but the QUICK_FILES as slow, which `make quick` leaves out."""
    if item.path.name not in QUICK_FILES:
        item.add_marker(pytest.mark.slow)


@pytest.fixture
def database(request: pytest.FixtureRequest, monkeypatch: pytest.MonkeyPatch) -> Iterator[str]:
    """Yield the address of the site's database, also for commands; empty for SQLite."""
    if request.param == "sqlite":
        yield ""
        return
    with request.getfixturevalue("postgres").database() as address:
        monkeypatch.setenv("ALMUNIA_DATABASE", address)
        yield address


@pytest.fixture(scope="session")
def migrated(tmp_path_factory: pytest.TempPathFactory) -> Path:
    """Create an empty SQLite database with all tables once, since migrations take longer than most tests."""
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
    """Yield a function that starts a site in the test's folder and returns a visitor.

    A later call starts another site on the same data. The site uses the fixture `clock` if the test does, else the
    system's time, which can be shifted.
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
    return start()


@pytest.fixture
def stranger(visitor: Visitor) -> Visitor:
    """Return another visitor to the same site."""
    return Visitor(visitor.app, headers={"Origin": ORIGIN})


@pytest.fixture
def site(visitor: Visitor) -> Site:
    """Return the site of `visitor`, with its bots paused."""
    found: Site = visitor.app.state.site
    found.bot_runner.pause()
    return found


@pytest.fixture
def box() -> Iterator[Box]:
    """Yield a mail server on this machine."""
    found = Box()
    controller = Post(found)
    controller.start()
    found.address = f"smtp://127.0.0.1:{controller.port}"
    yield found
    controller.stop()
