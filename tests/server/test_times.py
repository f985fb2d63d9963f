"""When a stream says something depends on what its reader may know, and on nothing else."""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence
from contextlib import suppress

import pytest
from starlette.requests import Request

from almunia.server.context import Site
from almunia.server.pages import news, table as table_pages
from almunia.server.settings import Settings
from almunia.server.storage.store import OPEN, PERSON, Seat

from ..clock import ManualClock, run_at_once
from ..tiers import games

SEATS = (Seat(PERSON, "me", "Ana"), Seat(OPEN, "", "A friend"))


async def heard(site: Site, table: str, rings: Sequence[float], seconds: float) -> list[tuple[float, str]]:
    """What a spectator's stream says and when, while the notifier rings at these times."""
    loop, found = asyncio.get_running_loop(), []
    site.notifier.start()
    for moment in rings:
        loop.call_at(moment, site.notifier.notify, table)
    request = Request({"type": "http", "app": None, "headers": [], "session": {}, "method": "GET", "path": "/"})
    answer = await table_pages.stream(request, site, table)

    async def listen() -> None:
        async for piece in answer.body_iterator:
            found.append((round(loop.time(), 6), piece))

    listening = asyncio.ensure_future(listen())
    await asyncio.sleep(seconds)
    listening.cancel()
    with suppress(asyncio.CancelledError):
        await listening
    return found


@pytest.mark.parametrize("name", games("oregon"))
def test_notices_that_tell_a_reader_nothing_are_not_heard(name, tmp_path, seeds, monkeypatch):
    """A secret act notifies its table's watchers, and reaches nobody else's stream: not even by the time of a sign."""

    async def directly(function, *given):
        return function(*given)

    for module in (table_pages, news):
        monkeypatch.setattr(module, "run_in_threadpool", directly)
    site = Site(Settings(data=tmp_path, compiled=False), clock=ManualClock(), seeds=seeds)
    monkeypatch.setattr(site.threads, "run", lambda _request, function, *given: directly(function, *given))
    table = site.tables.open(name, SEATS, "me").id
    told = []
    for rings in ((), (7.0, 14.9, 20.0, 29.99, 30.0, 44.0), tuple(range(1, 60))):
        told.append(run_at_once(heard(site, table, rings, 65)))
    assert [moment for moment, _ in told[0]] == [0, 0, 15, 30, 45, 60]
    assert told[0] == told[1] == told[2]
    site.bot_runner.close()
    site.tables.store.close()


def test_a_list_of_tables_tells_of_no_secret_act(start, clock):
    """Not by its time, nor by its order, nor by who is to move: in Oregon what is played is seen when it is placed."""
    clock.set(1000.0)
    ana = start()
    bea = type(ana)(ana.app, headers=ana.headers)
    table = ana.open("oregon", **{"seat-0": "me", "seat-1": "here", "seat-2": "friend"})
    link = re.search(r'readonly value="http://testserver([^"]+)"', ana.get(table).text)[1]
    bea.post(link, data={"name": "Bea"})
    clock.set(2000.0)
    bea.open("orchard", **{"seat-0": "me"})
    tables, found = ana.app.state.site.tables, Counter()

    def listed() -> str:
        clock.set(90_000.0)
        return bea.get("/tables").text

    for moment in range(10_000, 80_000, 1000):
        now = tables.snapshot(table.removeprefix("/table/"))
        seat = now.table.turn
        before, noticed = listed(), now.diary(2).seen
        clock.set(moment)
        after = tables.act(now.table.id, seat, now.play.legal_actions[0], now.diary(seat).seen)
        same = after.diary(2).seen == noticed
        told = listed() != before
        assert not (same and told)
        found["secret"] += same
        found["told"] += told
    assert min(found.values()) > 5
