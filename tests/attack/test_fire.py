"""Many at the same tables at the same moment: what was acknowledged is there once, and tables stay whole."""

from collections import Counter
from collections.abc import Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from pathlib import Path
from random import Random
from typing import Any

import pytest

from almunia.core import registry
from almunia.server.context import Site
from almunia.server.errors import Conflict, Forbidden, Missing, RequestError
from almunia.server.settings import Settings
from almunia.server.snapshot import Snapshot
from almunia.server.store import ACT, JOIN, LEAVE, OPEN, PERSON, RELIEVE, UNDO, Seat
from almunia.server.tables import Tables

from .conftest import Round
from .target import check_whole

THREADS, DEEDS = 6, 60  # and how many deeds each of them tries
GUESTS = ("ana", "bea")
SEATS = (Seat(PERSON, "ana", "Ana"), Seat(PERSON, "bea", "Bea"), Seat(OPEN, "", "A friend"), Seat(OPEN, "", "A friend"))
KINDS = {"act": ACT, "undo": UNDO, "join": JOIN, "relieve": RELIEVE}
Line = tuple[str, int, str, int, int | None]  # table, number, kind, seat, and action of an entry


@pytest.fixture
def told(monkeypatch: pytest.MonkeyPatch) -> list[Line]:
    """The last entry of each deed that was acknowledged, to people or to bots."""
    found: list[Line] = []

    def noting(name: str, deed: Callable[..., Snapshot]) -> Callable[..., Snapshot]:
        def noted(tables: Tables, table: str, seat: int, *given: Any) -> Snapshot:
            after = deed(tables, table, seat, *given)
            found.append((table, after.table.version, KINDS[name], seat, given[0] if name == "act" else None))
            return after

        return noted

    for name in KINDS:
        monkeypatch.setattr(Tables, name, noting(name, getattr(Tables, name)))
    return found


def rage(sites: list[Site], tables: list[str], rng: Random) -> Counter[type[RequestError]]:
    """Do whatever comes to mind, right or wrong; how often that was refused, and by what."""
    refused: Counter[type[RequestError]] = Counter()
    for _ in range(DEEDS):
        try:
            meddle(rng.choice(sites).tables, rng.choice(tables), rng)
        except RequestError as trouble:
            refused[type(trouble)] += 1
    return refused


def meddle(tables: Tables, table: str, rng: Random) -> None:
    """Do one thing at a table, as it was a moment ago or as it never was."""
    now = tables.snapshot(table)
    seat = rng.randrange(-1, 6) if rng.random() < 0.1 else now.play.turn
    seen = now.diary(now.play.turn).seen - (rng.random() < 0.1)
    deed = rng.choices(("act", "undo", "join", "relieve"), (12, 3, 1, 1))[0]
    if now.table.seats[now.play.turn].kind == OPEN:
        deed = "join"
    match deed:
        case "act":
            legal = now.play.legal or (0,)
            tables.act(table, seat, rng.choice(legal) if rng.random() < 0.9 else rng.randrange(-9, 9999), seen)
        case "undo":
            tables.undo(table, seat, seen)
        case "join":
            tables.join(table, rng.choice((now.play.turn, rng.randrange(-1, 6))), rng.choice(GUESTS), "Somebody")
        case "relieve":
            tables.relieve(table, rng.randrange(-1, 6), rng.choice((*GUESTS, "nobody")), "random")


def written(site: Site, tables: list[str]) -> Iterator[Line]:
    """All entries of some tables; whoever leaves a seat does so because somebody else takes it."""
    for table in tables:
        entries = site.tables.store.entries(site.tables.store.find(table))
        for number, entry in enumerate(entries, 1):
            if entry.kind == LEAVE:
                assert (entries[number].kind, entries[number].seat) == (RELIEVE, entry.seat)
            else:
                yield table, number, entry.kind, entry.seat, entry.action


def site_in(folder: Path) -> Site:
    """A site without its pages; its bots play."""
    return Site.build(Settings(data=folder, compiled=False))


@pytest.mark.slow
def test_what_was_acknowledged_is_there_once(rounds: Iterator[Round], told: list[Line]) -> None:
    """Two processes' worth of sites at one database, and several threads at each."""
    refused: Counter[type[RequestError]] = Counter()
    for rng, folder in rounds:
        told.clear()
        sites = [site_in(folder), site_in(folder)]
        tables = [sites[0].tables.open(name, SEATS, "ana").id for name in registry.packages()]
        with ThreadPoolExecutor(THREADS) as threads:
            raging = [threads.submit(rage, sites, tables, Random(rng.random())) for _ in range(THREADS)]
        for site in sites:
            site.bot_runner.close()
        refused += sum((done.result() for done in raging), Counter())
        assert sorted(written(sites[0], tables), key=repr) == sorted(told, key=repr)
        for site in sites:
            check_whole(site)
            site.tables.store.close()
    assert {Conflict, Forbidden, Missing} <= refused.keys()
