"""The times of a stream's events depend only on what its viewer may know."""

import asyncio
import re
from collections import Counter
from collections.abc import Sequence

import pytest

from almunia.server.settings import Settings
from almunia.server.site import Site
from almunia.server.tables.model import OPEN, PERSON, Seat
from almunia.server.web import table as table_pages

from ..clock import ManualClock, run_at_once
from ..tiers import games
from .streaming import call_directly, call_route, listened, request_of, services_of

SEATS = (Seat(PERSON, "me", "Ana"), Seat(OPEN, "", "A friend"))


async def heard(site: Site, table: str, rings: Sequence[float], seconds: float) -> list[tuple[float, str]]:
    """Return the events of a spectator's stream with their times, while the table is published at other times."""
    loop = asyncio.get_running_loop()
    site.broker.start()
    for moment in rings:
        loop.call_at(moment, site.broker.publish, table)
    answer = await call_route(table_pages.stream, services_of(site), request=request_of(), table_id=table)
    return await listened(answer, seconds)


@pytest.mark.parametrize("name", games("oregon"))
def test_notifications_without_news_do_not_change_times_of_events(name, tmp_path, seeds, monkeypatch):
    """A secret action publishes the table's topic. It must not change the times of keep-alive events."""

    call_directly(monkeypatch)
    site = Site(Settings(data=tmp_path, compiled=False), clock=ManualClock(), seeds=seeds)
    table = site.tables.create(name, SEATS, "me").id
    told = []
    for rings in ((), (7.0, 14.9, 20.0, 29.99, 30.0, 44.0), tuple(range(1, 60))):
        told.append(run_at_once(heard(site, table, rings, 65)))
    assert [moment for moment, _ in told[0]] == [0, 0, 15, 30, 45, 60]
    assert told[0] == told[1] == told[2]
    site.bot_runner.close()
    site.tables.store.close()


def test_a_list_of_tables_does_not_reveal_secret_actions(start, clock):
    """The list shows neither the time nor the turn of a secret action, and keeps its order."""
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
        return bea.get("/my/games").text

    for moment in range(10_000, 80_000, 1000):
        now = tables.get(table.removeprefix("/table/"))
        seat = now.table.turn
        before, noticed = listed(), now.history(2).version
        clock.set(moment)
        after = tables.move(now.table.id, seat, now.play.legal_actions[0], now.history(seat).version)
        same = after.history(2).version == noticed
        told = listed() != before
        assert not (same and told)
        found["secret"] += same
        found["told"] += told
    assert min(found.values()) > 5
