"""The API's stream of events over real connections: contents, times and secrets."""

import asyncio
from collections.abc import Callable, Iterator
from contextlib import suppress
from math import inf
from pathlib import Path
from threading import current_thread, main_thread
from typing import NamedTuple

import httpx2
import pytest
from sqlalchemy import delete

from almunia.server.api import events
from almunia.server.api.events import EventStream
from almunia.server.app import create_app
from almunia.server.limits import Limits
from almunia.server.services import Services
from almunia.server.settings import Settings
from almunia.server.site import Site
from almunia.server.storage import schema
from almunia.server.tables.event_subscribers import EventSubscriber
from almunia.server.tables.model import OPEN, PERSON, Seat
from almunia.server.tables.state import TableState

from ..clock import ManualClock, run_at_once
from ..listening import listening
from ..programs import token_of
from ..serving import answering
from ..waiting import TIMEOUT, wait_until
from .streaming import call_directly, request_of, services_of

ANA, BEA = Seat(PERSON, "ana", "Ana"), Seat(PERSON, "bea", "Bea")
SHORT = 0.3  # seconds between keep-alive events in these tests

pytestmark = pytest.mark.slow


class Served(NamedTuple):
    """A site that answers at a port."""

    site: Site
    services: Services
    port: int

    def act(self, table: str, choose: int = 0) -> None:
        """Play a legal action in the seat to move."""
        now = self.site.tables.get(table)
        seat = now.play.turn
        self.site.tables.move(table, seat, now.play.legal_actions[choose], now.history(seat).version)


@pytest.fixture
def served(tmp_path: Path, database: str, seeds: Callable[[], int], limits: Limits) -> Iterator[Served]:
    app = create_app(Settings(data=tmp_path, database=database, compiled=False), seeds=seeds, limits=limits)
    app.state.site.bot_runner.pause()
    with answering(app) as port:
        yield Served(app.state.site, app.state.services, port)


def test_the_stream_sends_all_running_tables_and_then_changes(served):
    tables = served.site.tables
    mine, others, over = (
        tables.create("oregon", seats, "ana", seed=3).id for seats in ((ANA, BEA), (BEA, ANA), (ANA, BEA))
    )
    served.site.seats.resign(over, 0, "ana", "easy")
    with listening(served.port, token_of(served.site, "ana")) as stream:
        assert stream.answer.headers["content-type"].startswith("text/event-stream")
        assert stream.answer.headers["cache-control"] == "no-store"
        first = stream.until("ready")
        assert [(name, data["table"], data["seat"], data["your_turn"]) for name, data in first[:-1]] == [
            ("position", mine, 1, True),
            ("position", others, 2, False),
        ]
        served.act(others)
        name, data = stream.next()
        assert (name, data["table"], data["finished"]) == ("position", others, False)
        assert data["seen"] == tables.get(others).history(1).version
        served.site.seats.resign(mine, 0, "ana", "easy")
        assert stream.next()[1] == {
            **first[0][1],
            "seen": first[0][1]["seen"] + 1,
            "your_turn": False,
            "finished": True,
        }


def test_finished_games_are_not_loaded(served, monkeypatch):
    """A stream loads its tables at each keep-alive event, so finished games must cost nothing."""
    tables = served.site.tables
    over, mine = (tables.create("oregon", (ANA, BEA), "ana", seed=3).id for _ in range(2))
    served.site.seats.resign(over, 0, "ana", "easy")
    read, found = tables.store._tables, []
    monkeypatch.setattr(tables.store, "_tables", lambda asked: found.append(read(asked)) or found[-1])
    monkeypatch.setattr(served.site.game_lists, "count_moves", None)
    with listening(served.port, token_of(served.site, "ana")) as stream:
        assert [data.get("table") for _, data in stream.until("ready")] == [mine, None]
    assert [[table.id for table in tables] for tables in found] == [[mine]]


def test_opened_and_joined_tables_are_sent(served):
    tables, seating = served.site.tables, served.site.seats
    free = tables.create("oregon", (BEA, Seat(OPEN, "", "A friend")), "bea").id
    with listening(served.port, token_of(served.site, "ana")) as stream:
        assert stream.until("ready") == [("ready", {})]
        opened = tables.create("orchard", (ANA, BEA), "bea").id
        assert stream.next()[1]["table"] == opened
        seating.join(free, 1, "ana", "Ana")
        assert stream.next()[1]["table"] == free


def test_a_resignation_is_sent_once(served):
    table = served.site.tables.create("oregon", (ANA, BEA, Seat(PERSON, "cleo", "Cleo")), "ana").id
    with listening(served.port, token_of(served.site, "cleo")) as stream:
        stream.until("ready")
        served.site.seats.resign(table, 2, "cleo", "easy")
        assert stream.next()[1]["seat"] is None
        served.act(table)
        other = served.site.tables.create("orchard", (Seat(PERSON, "cleo", "Cleo"),), "cleo").id
        assert stream.next()[1]["table"] == other


def test_a_reopened_stream_sends_all_tables_again(served):
    table, token = served.site.tables.create("oregon", (ANA, BEA), "ana").id, token_of(served.site, "ana")
    with listening(served.port, token) as stream:
        first = stream.until("ready")
    served.act(table)
    with listening(served.port, token) as stream:
        again = stream.until("ready")
    assert [data["table"] for _, data in again[:-1]] == [table]
    assert again != first


def test_keep_alive_events_come_at_fixed_intervals(tmp_path, seeds, monkeypatch):
    """Messages without news for this guest neither delay the keep-alive events nor cause one."""

    async def beats(rings):
        loop, found = asyncio.get_running_loop(), []
        site.broker.start()
        for moment in rings:
            loop.call_at(moment, site.event_subscribers.publish, table)

        async def listen():
            async for event in events.stream_events(request_of(), services_of(site), caller):
                found.append((round(loop.time(), 6), event.partition("\n")[0]))

        listening = asyncio.ensure_future(listen())
        await asyncio.sleep(65)
        listening.cancel()
        await asyncio.wait([listening])
        return found

    call_directly(monkeypatch)
    site = Site(Settings(data=tmp_path, compiled=False), clock=ManualClock(), seeds=seeds)
    table = site.tables.get(site.tables.create("orchard", (ANA, BEA), "ana").id).table
    caller = site.tokens.authenticate(token_of(site, "bea"))
    first, *rest = (run_at_once(beats(rings)) for rings in ((), (7.0, 14.9, 20.0, 30.0, 44.0), range(1, 60)))
    assert first == [(0, "event: position"), (0, "event: ready"), *((at, "event: alive") for at in (15, 30, 45, 60))]
    assert rest == [first, first]
    site.close()


@pytest.mark.parametrize("limits", [Limits(ping_seconds=inf)], ids=[""])
def test_secret_choices_do_not_change_the_bytes_of_a_stream(served):
    """The bytes of the stream are the same for every secret choice of the other seat."""
    tables = served.site.tables

    def said(choose: int) -> str:
        table = tables.create("orchard", (ANA, BEA), "ana", seed=5).id
        with listening(served.port, token_of(served.site, "bea")) as stream:
            stream.until("ready")
            before = tables.get(table).history(1).version
            served.act(table, choose)
            moved = tables.get(table).history(1).version - before
            assert moved in (0, 1)
            events = [stream.next() for _ in range(moved)]
            other = tables.create("orchard", (BEA, ANA), "bea").id  # its event comes after all earlier ones
            events.append(stream.next())
            assert [data["table"] for _, data in events] == [table] * moved + [other]
            served.site.seats.resign(table, 0, "ana", "easy")
            assert stream.next()[1]["table"] == table
            served.site.seats.resign(other, 0, "bea", "easy")
            assert stream.next()[1]["table"] == other
        return stream.text.replace(table, "TABLE").replace(other, "OTHER")

    assert said(0) == said(-1)


def test_a_revoked_token_ends_its_stream(served):
    token = token_of(served.site, "ana")
    with listening(served.port, token) as stream:
        stream.until("ready")
        served.site.tokens.revoke("ana", token.split("_")[1])
        served.site.event_subscribers.disconnect(token.split("_")[1], "This token was revoked.")
        assert stream.next() == ("over", {"error": "This token was revoked."})
        with pytest.raises(StopIteration):
            stream.next()
    with listening(served.port, token) as stream:
        assert stream.answer.status_code == 401


@pytest.mark.parametrize("limits", [Limits(ping_seconds=SHORT)], ids=[""])
def test_a_token_revoked_in_another_process_ends_its_stream(served):
    with listening(served.port, token_of(served.site, "ana")) as stream:
        stream.until("ready")
        with served.site.tables.store._engine.begin() as db:
            db.execute(delete(schema.api_token))
        with pytest.raises(StopIteration):
            stream.until("never")


def test_a_new_stream_of_a_token_ends_the_previous_one(served):
    token = token_of(served.site, "ana")
    with listening(served.port, token) as first:
        first.until("ready")
        with listening(served.port, token) as second:
            second.until("ready")
            assert first.next()[0] == "over"
            table = served.site.tables.create("orchard", (ANA,), "ana").id
            assert second.next()[1]["table"] == table


@pytest.mark.parametrize("limits", [Limits(max_streams=2)], ids=[""])
def test_streams_per_guest_are_limited(served):
    tokens = [token_of(served.site, "ana") for _ in range(3)]
    with listening(served.port, tokens[0]) as one, listening(served.port, tokens[1]) as two:
        one.until("ready")
        two.until("ready")
        with listening(served.port, tokens[2]) as third:
            assert third.answer.status_code == 429
            assert int(third.answer.headers["retry-after"]) > 0
            assert "too many pages or programs" in third.answer.read().decode()
        with listening(served.port, token_of(served.site, "bea")) as other:
            assert other.until("ready")


def test_a_guest_with_a_stream_is_present(served):
    table = served.site.tables.create("oregon", (ANA, BEA), "ana").id
    presence = served.site.presence
    assert not presence.is_here(table, "ana")
    with listening(served.port, token_of(served.site, "ana")) as stream:
        stream.until("ready")
        assert presence.is_here(table, "ana")
        assert not presence.is_here(table, "bea")
        assert presence._streams == {(table, "ana"): 1}
        served.site.seats.resign(table, 0, "ana", "easy")
        told = iter(stream.next, None)
        assert next(data for _, data in told if data["finished"])["table"] == table
        assert not presence._streams
    site = served.site
    wait_until(lambda: not (site.broker._counts or site.event_subscribers._by_token), "the stream has ended")


@pytest.fixture
def replays(monkeypatch):
    """Return the list of the event loops in which a history was built."""
    found, written = [], TableState._build_history

    def writing(state, reader):
        if current_thread() is not main_thread():  # the loop of a browser's test may run in the main thread
            with suppress(RuntimeError):
                found.append(asyncio.get_running_loop())
        return written(state, reader)

    monkeypatch.setattr(TableState, "_build_history", writing)
    return found


def test_streams_do_not_replay_tables_in_the_event_loop(replays, served):
    """A table that is loaded again has no cached history for spectators."""
    tables = served.site.tables
    table = tables.create("oregon", (ANA, BEA), "ana").id
    with (
        httpx2.Client(timeout=TIMEOUT) as http,
        http.stream("GET", f"http://127.0.0.1:{served.port}/table/{table}/stream") as answer,
    ):
        marks = (line for line in answer.iter_lines() if line.startswith("data: -1."))
        first = next(marks)
        tables._drop_cached(table)
        served.site.seats.resign(table, 0, "ana", "easy")
        assert next(marks) != first
    assert replays == []


def test_a_table_is_cached_with_the_history_of_the_subscriber(served):
    tables = served.site.tables
    table = tables.create("oregon", (ANA, BEA), "ana").id
    watch = EventStream(served.services, EventSubscriber("key", "token", "ana"))
    tables._drop_cached(table)
    assert watch.load_cached([table]) == []
    tables.get(table)
    assert watch.load_cached([table]) == [], "it would be replayed"
    assert watch.load([table]) == watch.load_cached([table]) != []
