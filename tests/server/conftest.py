"""A site in a folder of its own, and visitors who come to it."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from time import monotonic, sleep

import pytest
from httpx2 import Response
from starlette.testclient import TestClient

from almunia.server.app import create_app
from almunia.server.settings import Settings

from ..serving import told

ORIGIN = "http://testserver"


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
    monkeypatch.setattr("almunia.server.tables.fresh_seed", count(1).__next__)


@pytest.fixture
def start(tmp_path: Path) -> Iterator[Callable[..., Visitor]]:
    """Starts the site in a folder of this test's own, and gives its first visitor; may be called again."""
    with ExitStack() as stack:

        def starting(**settings: object) -> Visitor:
            app = create_app(Settings(data=tmp_path, compiled=False, **settings))
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
