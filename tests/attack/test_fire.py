"""Concurrent requests at the same tables: each acknowledged action is stored once, and tables stay consistent."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from contextlib import ExitStack
from itertools import count
from pathlib import Path
from random import Random
from typing import Any

import pytest

from almunia import catalog
from almunia.server.errors import Conflict, Forbidden, NotFound, RequestError
from almunia.server.settings import Settings
from almunia.server.site import Site
from almunia.server.tables.model import (
    BOT_JOINED,
    DEALT,
    ENDED,
    MOVE,
    OPEN,
    PERSON,
    PLAYER_JOINED,
    PLAYER_LEFT,
    RETURNED,
    SUBSTITUTED,
    UNDO,
    Seat,
)
from almunia.server.tables.seats import SeatService
from almunia.server.tables.service import TableService
from almunia.server.tables.state import TableState

from .conftest import Round
from .target import check_whole

THREADS, DEEDS = 6, 60  # the number of threads, and of actions that each of them tries
GUESTS = ("ana", "bea")
SEATS = (Seat(PERSON, "ana", "Ana"), Seat(PERSON, "bea", "Bea"), Seat(OPEN, "", "A friend"), Seat(OPEN, "", "A friend"))
LEAVING = "leaving"  # the table decides the kind: a substitute bot plays, the seat is open, or the game ends
KINDS = {
    (TableService, "move"): MOVE,
    (TableService, "undo"): UNDO,
    (SeatService, "join"): PLAYER_JOINED,
    (SeatService, "add_bot"): BOT_JOINED,
    (SeatService, "step_away"): LEAVING,
    (SeatService, "return_to_seat"): RETURNED,
}
Line = tuple[str, int, str, int, int | None]  # table, number, kind, seat, and action of an entry


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Line]:
    """Return the list of the last events of all acknowledged actions, of players and bots, except deals."""
    found: list[Line] = []

    def noting(kind: str, deed: Callable[..., TableState]) -> Callable[..., TableState]:
        def noted(doing: TableService | SeatService, table: str, seat: int, *given: Any) -> TableState:
            after = deed(doing, table, seat, *given)
            number = after.table.version - (after.events[-1].kind == DEALT)
            last = after.events[number - 1].kind
            assert last in ((SUBSTITUTED, PLAYER_LEFT, ENDED) if kind == LEAVING else (kind,))
            found.append((table, number, last, seat, given[0] if kind == MOVE else None))
            return after

        return noted

    for (doing, name), kind in KINDS.items():
        monkeypatch.setattr(doing, name, noting(kind, getattr(doing, name)))
    return found


def rage(sites: list[Site], tables: list[str], rng: Random) -> Counter[type[RequestError]]:
    """Try random actions, and count the errors by type."""
    refused: Counter[type[RequestError]] = Counter()
    for _ in range(DEEDS):
        try:
            meddle(rng.choice(sites), rng.choice(tables), rng)
        except RequestError as trouble:
            refused[type(trouble)] += 1
    return refused


def meddle(site: Site, table: str, rng: Random) -> None:
    """Try one random action at a table, which may be out of date or invalid."""
    tables, seating, guest = site.tables, site.seats, rng.choice((*GUESTS, "nobody"))
    now = tables.get(table)
    seat = rng.randrange(-1, 6) if rng.random() < 0.1 else now.play.turn
    seen = now.history(now.play.turn).version - (rng.random() < 0.1)
    deed = rng.choices(("act", "undo", "join", "fill", "leave", "come back"), (12, 3, 1, 1, 1, 2))[0]
    if now.table.seats[now.play.turn].kind == OPEN:
        deed = "join"
    match deed:
        case "act":
            legal = now.play.legal_actions or (0,)
            tables.move(table, seat, rng.choice(legal) if rng.random() < 0.9 else rng.randrange(-9, 9999), seen)
        case "undo":
            tables.undo(table, seat, seen)
        case "join":
            seating.join(table, rng.choice((now.play.turn, rng.randrange(-1, 6))), rng.choice(GUESTS), "Somebody")
        case "fill":
            seating.add_bot(table, rng.randrange(-1, 6), guest, "random")
        case "leave":
            seating.step_away(table, rng.randrange(-1, 6), guest, "random")
        case "come back":
            seating.return_to_seat(table, rng.randrange(-1, 6), guest)


def written(site: Site, tables: list[str]) -> Iterator[Line]:
    """Yield all stored events of tables, except deals."""
    for table in tables:
        entries = site.tables.store.events(site.tables.store.find(table))
        for number, entry in enumerate(entries, 1):
            if entry.kind == DEALT:
                continue
            yield table, number, entry.kind, entry.seat, entry.action


def site_in(folder: Path, database: str, rng: Random) -> Site:
    """Return a site whose bots play, without its pages."""
    return Site(Settings(data=folder, database=database, compiled=False), seeds=count(rng.getrandbits(32)).__next__)


@pytest.mark.slow
@pytest.mark.exhaustive
@pytest.mark.parametrize("kind", ["sqlite", "postgres"])
def test_acknowledged_actions_are_stored_once(
    rounds: Iterator[Round], told: list[Line], kind: str, request: pytest.FixtureRequest
) -> None:
    """Two sites share a database, and several threads use both."""
    refused: Counter[type[RequestError]] = Counter()
    for rng, folder in rounds:
        told.clear()
        with ExitStack() as stack:
            server = request.getfixturevalue("postgres") if kind == "postgres" else None
            database = stack.enter_context(server.database()) if server else ""
            sites = [site_in(folder, database, rng), site_in(folder, database, rng)]
            tables = [sites[0].tables.create(name, SEATS, "ana").id for name in catalog.game_packages()]
            with ThreadPoolExecutor(THREADS) as threads:
                raging = [threads.submit(rage, sites, tables, Random(rng.random())) for _ in range(THREADS)]
            for site in sites:
                site.bot_runner.close()
            refused += sum((done.result() for done in raging), Counter())
            assert sorted(written(sites[0], tables), key=repr) == sorted(told, key=repr)
            for site in sites:
                check_whole(site)
                site.close()
    assert {Conflict, Forbidden, NotFound} <= refused.keys()
