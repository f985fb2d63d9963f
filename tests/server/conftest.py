"""A site in a folder of its own, and visitors who come to it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from shutil import copyfile
from time import monotonic, sleep

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from almunia.server.app import create_app
from almunia.server.settings import DATABASE_FILE, Settings
from almunia.server.storage.database import connect

from ..serving import told

ORIGIN = "http://testserver"
CHEAP = 8  # KiB of memory to hash a password: nobody attacks these
BOTH = (
    "test_chat.py",
    "test_deal.py",
    "test_lobby.py",
    "test_lookout.py",
    "test_seating.py",
    "test_store.py",
)  # with both databases
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
        return told(self.get(table).text)

    def act(self, table: str, choose: int | Callable[[list[int]], int] = 0, **other: object) -> Response:
        """Choose one of the actions offered, by its place in the list."""
        seat, seen, actions = self.seen(table)
        action = choose(actions) if callable(choose) else actions[choose] if actions else 0
        return self.answer(table, {"action": action, "seat": seat, "seen": seen, **other})

    def answer(self, table: str, fields: dict[str, object]) -> Response:
        """Send the form of an action, of which this visitor is sure."""
        return self.post(f"{table}/act", data={"sure": 1, **fields}, follow_redirects=False)

    def finish(self, table: str, seconds: float = 300) -> None:
        """Play first actions until the play is over, waiting for bots in between."""
        end = monotonic() + seconds
        while "finale" not in (page := self.get(table).text):
            assert monotonic() < end, "the play does not end"
            seat, seen, actions = told(page)
            if actions:
                assert self.answer(table, {"action": actions[0], "seat": seat, "seen": seen}).status_code == 303
            else:
                sleep(0.02)


@pytest.fixture(autouse=True)
def known_deals(monkeypatch: pytest.MonkeyPatch) -> None:
    """New tables get the same deals in every run, so that no test meets a rare question by chance."""
    monkeypatch.setattr("almunia.server.play.tables.fresh_seed", count(1).__next__)


def pytest_generate_tests(metafunc: pytest.Metafunc) -> None:
    """Run what touches the database with both kinds of it."""
    if "database" in metafunc.fixturenames:
        file = metafunc.definition.path.name
        chosen, both = metafunc.config.option.database if file not in FILES else "sqlite", file in BOTH
        kinds = [chosen] if chosen else ["sqlite", "postgres"] if both else ["sqlite"]
        metafunc.parametrize("database", kinds, indirect=True, ids=kinds if both or chosen else [""])


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
    connect(f"sqlite:///{path}").dispose()
    return path


@pytest.fixture
def start(tmp_path: Path, database: str, migrated: Path) -> Iterator[Callable[..., Visitor]]:
    """Starts the site in a folder of this test's own, and gives its first visitor; may be called again."""
    with ExitStack() as stack:

        def starting(**settings: object) -> Visitor:
            given = {"database": database, "hashing": CHEAP, **settings}
            if not given["database"] and not (tmp_path / DATABASE_FILE).exists():
                copyfile(migrated, tmp_path / DATABASE_FILE)
            app = create_app(Settings(data=tmp_path, compiled=False, **given))
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
