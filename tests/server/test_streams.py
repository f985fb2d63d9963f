"""Event streams: their costs, their ends, and a failing database."""

import asyncio
from collections.abc import AsyncIterator, Callable, Iterator
from concurrent.futures import ThreadPoolExecutor
from copy import copy
from pathlib import Path
from types import SimpleNamespace

import pytest
from sqlalchemy.exc import OperationalError

from almunia.server.admin.moderation import AdminModeration
from almunia.server.api import events
from almunia.server.auth import accounts
from almunia.server.bots.runner import BotDispatch
from almunia.server.cluster.missed_changes import MissedChangePoll
from almunia.server.limits import Limits
from almunia.server.settings import Settings
from almunia.server.site import Site
from almunia.server.streams import Streams
from almunia.server.tables.model import PERSON, Seat
from almunia.server.web import lobby, rematch, table as table_pages
from almunia.server.web.waiting_count import WaitingCount

from ..clock import ManualClock, run_at_once
from ..programs import token_of
from ..serving import settled
from .seated import ANA, BEA, move, opened
from .streaming import call_directly, call_route, listened, request_of, services_of
from .test_missed_changes import statements

SIGNED_OUT = 7.0  # seconds after a page was opened


class LoopClock(ManualClock):
    """A clock that runs with the event loop in which it is read."""

    def now(self) -> float:
        """Return the time that was set, plus the time of the event loop if one is running."""
        try:
            return super().now() + asyncio.get_running_loop().time()
        except RuntimeError:
            return super().now()


@pytest.fixture
def open_pages(tmp_path: Path, seeds: Callable[[], int], monkeypatch: pytest.MonkeyPatch) -> Iterator["Pages"]:
    """Yield the pages that Ana, who is signed in, can open at a site."""
    call_directly(monkeypatch)
    site = Site(Settings(data=tmp_path, compiled=False), clock=LoopClock(), seeds=seeds)
    yield Pages(site)
    site.bot_runner.close()
    site.tables.store.close()


class Pages:
    """Open pages of a site at which Ana is signed in."""

    def __init__(self, site: Site) -> None:
        self._site = site
        with site.engine.begin() as db:
            accounts.create_account(db, "ana", "Ana", {}, now=site.clock.now())
        self.cookie = {"guest": "ana", "session": site.accounts.sessions.create("ana", "A browser", proved=True)}
        self.table = site.tables.create("oregon", (Seat(PERSON, "ana", "Ana"), Seat(PERSON, "bea", "Bea")), "ana").id
        self.token = token_of(site, "ana")

    @property
    def site(self) -> Site:
        """The site with a new poll for missed changes, which uses the time of the event loop."""
        sessions = self._site.accounts.sessions
        lookout = MissedChangePoll(
            self._site.tables, self._site.chat, sessions, timer=lambda: asyncio.get_running_loop().time()
        )
        site = copy(self._site)
        site.streams = Streams(site.broker, sessions, lookout, site.limits)
        return site

    async def open(self, site: Site, kind: str):
        """Return the response that streams events to a page or a program."""
        request, services = request_of(**self.cookie), services_of(site)
        if kind == "table":
            return await call_route(table_pages.stream, services, request=request, table_id=self.table)
        if kind == "program":
            caller = site.tokens.authenticate(self.token)
            request.scope["app"] = SimpleNamespace(state=SimpleNamespace(services=services))
            return await call_route(events.events, services, request=request, caller=caller)
        module = {"lobby": lobby, "invited": rematch}[kind]
        return await call_route(module.stream, services, request=request)

    def hear(self, kinds: list[str], seconds: float, deed: Callable[[], object]) -> list[list[tuple[float, str]]]:
        """Return the events of the streams of some pages. At SIGNED_OUT seconds, `deed` is called."""

        async def hear_all() -> list[list[tuple[float, str]]]:
            site = self.site
            site.broker.start()
            asyncio.get_running_loop().call_at(SIGNED_OUT, deed)
            answers = [await self.open(site, kind) for kind in kinds]
            return list(await asyncio.gather(*(listened(answer, seconds) for answer in answers)))

        return run_at_once(hear_all())

    def count(self, kinds: list[str], seconds: float) -> int:
        """Return the number of statements that the streams of some pages cost, from one second after their start on."""

        async def count() -> int:
            site = self.site
            site.clock.advance(3600)  # later than all times that previous loops have read
            site.broker.start()
            answers = [await self.open(site, kind) for kind in kinds]
            streams = [asyncio.ensure_future(listened(answer, seconds)) for answer in answers]
            await asyncio.sleep(1)
            with statements(site.engine) as found:
                await asyncio.gather(*streams)
            return len(found)

        return run_at_once(count())


@pytest.mark.parametrize(("kinds", "queries"), [(["table"], 3), (["invited"], 1), (["table", "invited"], 3)])
def test_streams_of_an_account_share_their_queries(kinds, queries, open_pages):
    """One poll reads the versions for all streams, four times in the test."""
    assert open_pages.count(kinds, 65) == open_pages.count(kinds * 6, 65) == 4 * queries


def test_a_viewer_of_an_uncached_table_wakes_its_bots(open_pages, monkeypatch):
    called = []
    monkeypatch.setattr(open_pages._site, "bot_dispatch", BotDispatch(lambda table: called.append(table.id)))
    monkeypatch.setattr(open_pages.site.tables, "get_if_cached", lambda _: None)
    open_pages.hear(["table"], 1, lambda: None)
    assert called == [open_pages.table]


def test_streams_of_the_lobby_share_their_queries(open_pages):
    assert 0 <= open_pages.count(["lobby"] * 6, 65) - open_pages.count(["lobby"], 65) <= 1


@pytest.mark.parametrize("kind", ["table", "invited", "lobby"])
def test_a_stream_ends_with_its_session(kind, open_pages):
    """The stream of a stolen cookie must not go on until the next keep-alive event."""
    number = open_pages.cookie["session"].partition("-")[0]
    (heard,) = open_pages.hear([kind], 60, lambda: open_pages.site.accounts.sessions.end("ana", number))
    assert heard[-1][1] == "", "the stream has ended"
    assert SIGNED_OUT <= heard[-1][0] <= SIGNED_OUT + lobby.MIN_INTERVAL_SECONDS
    assert "alive" not in str(heard)


@pytest.mark.parametrize(("kind", "counts"), [("table", [0, 1, 0]), ("invited", [0, 1, 0, 1]), ("lobby", [0, 1, 0, 1])])
def test_pages_are_told_how_many_games_wait(kind, counts, open_pages):
    """The page of a table is told of other tables only."""
    site = open_pages.site

    def open_and_move() -> None:
        table, loop = opened(site, ANA, BEA), asyncio.get_running_loop()
        loop.call_later(2, move, site, table)
        loop.call_later(4, reach_turn)

    def reach_turn() -> None:
        while move(site, open_pages.table).play.turn:
            pass

    (heard,) = open_pages.hear([kind], SIGNED_OUT + 7, open_and_move)
    sent = [int(event.rpartition(" ")[2]) for _, event in heard if event.startswith("event: waiting")]
    assert sent == counts


def test_a_visitor_without_a_cookie_is_told_no_number(open_pages):
    waiting = WaitingCount(open_pages.site.broker, open_pages.site.game_lists, "")
    with ThreadPoolExecutor(1) as thread:  # in this one the loop of a browser may run
        assert thread.submit(asyncio.run, waiting.poll()).result() == []


def test_streams_continue_when_sessions_of_others_end(open_pages):
    sessions = open_pages.site.accounts.sessions
    (heard,) = open_pages.hear(["table"], 40, lambda: sessions.end_others("bea"))
    assert [event for _, event in heard if "alive" in event] == ["event: alive\ndata: {}\n\n"] * 2
    assert "" not in [event for _, event in heard]


def test_streams_of_a_banned_account_end_at_the_next_keep_alive(open_pages):
    """With SQLite a process gets no message from `almunia moderate`."""
    site = open_pages.site
    moderating = AdminModeration(site.engine, site.clock, site.settings)
    person = moderating.find_person("ana")
    for heard in open_pages.hear(["table", "invited"], 60, lambda: moderating.set_banned(person, out=True)):
        assert heard[-2:] == [(15, "event: alive\ndata: {}\n\n"), (15, "")]


def test_the_stream_of_a_program_ends_when_its_token_is_revoked(open_pages):
    site = open_pages.site

    def keep_out() -> None:
        site.tokens.revoke("ana", open_pages.token.split("_")[1])
        site.accounts.sessions.invalidate("ana")

    (heard,) = open_pages.hear(["program"], 60, keep_out)
    assert heard[-1] == (SIGNED_OUT, "")


def test_the_stream_of_a_guest_ends_when_another_browser_signs_up(open_pages):
    """Another person may use the browser that has only the guest's cookie."""
    site = open_pages.site
    open_pages.cookie = {"guest": "bea"}

    def sign_up() -> None:
        with site.engine.begin() as db:
            accounts.create_account(db, "bea", "Bea", {}, now=site.clock.now())
        site.accounts.sessions.invalidate("bea")

    (heard,) = open_pages.hear(["table"], 60, sign_up)
    assert heard[-1] == (SIGNED_OUT, "")


async def fail(site: Site, fault: Exception) -> list[str]:
    """Return the events of a stream that fails after its first event."""
    found: list[str] = []

    async def source(_at_beat: bool) -> list[str]:
        if found:
            raise fault
        site.broker.publish_local("topic")
        return ["data: 1\n\n"]

    site.broker.start()
    stream: AsyncIterator[str] = site.streams.listen(request_of(), "", ["topic"], source)
    async for event in stream:
        found.append(event)
    return found


def test_a_stream_ends_at_a_database_outage(site, caplog):
    assert settled(fail(site, OperationalError("SELECT", {}, ConnectionError("gone")))) == ["data: 1\n\n"]
    (record,) = (record for record in caplog.records if "stream" in record.getMessage())
    assert "does not answer" in record.getMessage()
    assert record.exc_info is None


def test_other_errors_of_a_stream_are_raised(site):
    with pytest.raises(ValueError, match="odd"):
        settled(fail(site, ValueError("odd")))


def test_a_stream_of_which_too_many_were_opened_at_once_ends(site):
    """All were requested at the same moment, before any of them counted."""
    few = Streams(site.broker, site.accounts.sessions, site.missed_changes, Limits(max_streams=2))

    async def source(_at_beat: bool) -> list[str]:
        return ["data: 1\n\n"]

    async def open_three() -> list[list[str]]:
        opened = [few.listen(request_of(), "ana", [], source) for _ in range(3)]
        heard = [[await anext(stream, "nothing") for stream in opened]]
        for stream in opened:
            await stream.aclose()
        return heard

    assert settled(open_three()) == [["data: 1\n\n", "data: 1\n\n", "nothing"]]
    assert site.broker.count(("guest", "ana")) == 0
