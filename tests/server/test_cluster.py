"""Several processes with one PostgreSQL database notify each other of changes at once."""

import re
import sys
from collections.abc import Callable, Iterator
from contextlib import ExitStack, contextmanager, suppress
from math import inf
from queue import Empty, Queue
from threading import Event, Thread
from time import monotonic
from types import SimpleNamespace

import httpx2
import pytest
from limits import parse
from sqlalchemy import event, text
from sqlalchemy.exc import OperationalError

from almunia.errors import SetupError
from almunia.library import Game
from almunia.server.addresses import parse_database_url
from almunia.server.admin.moderation import AdminModeration
from almunia.server.app import create_app
from almunia.server.auth import accounts
from almunia.server.background import run_tasks
from almunia.server.bot_worker import run_bot_worker
from almunia.server.bots.hints import MAX_WAITING_PER_NETWORK
from almunia.server.cluster.presence_sync import PresenceSync
from almunia.server.errors import Conflict, TooManyRequests
from almunia.server.jobs import hint_queue
from almunia.server.jobs.hint_queue import HintWorker
from almunia.server.limits import Limits
from almunia.server.monitoring import metrics
from almunia.server.settings import Settings
from almunia.server.site import Site
from almunia.server.storage.bus import MAX_TOPIC_BYTES, Bus
from almunia.server.storage.database import open_migrated
from almunia.server.storage.locks import LIVE_PROCESSES_SQL, AdvisoryLocks
from almunia.server.storage.rate_limits import make_limiter
from almunia.server.storage.secret_key import session_key
from almunia.server.storage.single_instance import single_instance
from almunia.server.tables.model import BOT, MOVE, PERSON, Seat
from almunia.server.tables.viewer_history import Hint, ViewerHistory

from ..clock import ManualClock
from ..serving import answering, free_port, in_event_loop, read_table
from ..waiting import TIMEOUT, wait_until
from .accounts import MAIL, PASSWORD

LONG = 300.0  # seconds for a game of bots
FRIENDS = {"seat-0": "me", "seat-1": "friend"}
BOTS = (Seat(BOT, "easy", "Easy bot"), Seat(BOT, "easy", "Easy bot 2"))
ONE_MESSAGE = "1.0.0".__eq__  # the version of a chat with one message


@pytest.fixture
def address(postgres) -> Iterator[str]:
    with postgres.database() as address:
        yield address


@pytest.fixture
def start(address, tmp_path, seeds, limits) -> Iterator[Callable[..., SimpleNamespace]]:
    """Yield a function that starts a site on the database, like another process, and returns its port and site."""
    with ExitStack() as stack:

        def starting(**settings: object) -> SimpleNamespace:
            app = create_app(
                Settings(data=tmp_path, database=address, compiled=False, **settings), seeds=seeds, limits=limits
            )
            port = stack.enter_context(answering(app))
            return SimpleNamespace(port=port, site=app.state.site)

        yield starting


@pytest.fixture
def two(start) -> tuple[SimpleNamespace, SimpleNamespace]:
    return start(), start()


class Guest:
    """A guest whose requests go to several processes of the site."""

    def __init__(self) -> None:
        self.cookies = httpx2.Cookies()

    def get(self, at: SimpleNamespace, path: str) -> httpx2.Response:
        return self.ask(at, "GET", path)

    def post(self, at: SimpleNamespace, path: str, **fields: object) -> httpx2.Response:
        return self.ask(at, "POST", path, data=fields)

    def ask(self, at: SimpleNamespace, method: str, path: str, **more: object) -> httpx2.Response:
        own = f"http://127.0.0.1:{at.port}"
        with httpx2.Client(timeout=TIMEOUT, follow_redirects=True, cookies=self.cookies) as http:
            answer = http.request(method, f"{own}{path}", headers={"Origin": own}, **more)
            self.cookies = http.cookies
        return answer

    def open(self, at: SimpleNamespace, game: str = "orchard", **fields: object) -> str:
        return self.post(at, f"/games/{game}/tables", **fields).url.path

    def seen(self, at: SimpleNamespace, table: str) -> tuple[int, int, list[int]]:
        return read_table(self.get(at, table).text)

    def act(self, at: SimpleNamespace, table: str, shown: tuple[int, int, list[int]] | None = None) -> httpx2.Response:
        """Send the first action of a page that was shown, by default of the present page."""
        seat, seen, actions = shown or self.seen(at, table)
        return self.post(at, f"{table}/move", action=actions[0], seat=seat, seen=seen, sure=1)

    @contextmanager
    def listening(self, at: SimpleNamespace, path: str) -> Iterator[Callable[..., None]]:
        """Open a stream, and yield a function that waits for an event of a name whose data fit."""
        events: Queue[tuple[str, str]] = Queue()
        cookies = httpx2.Cookies(self.cookies)

        def read() -> None:
            with (
                suppress(httpx2.HTTPError),  # the site closes the connection
                httpx2.Client(timeout=TIMEOUT, cookies=cookies) as http,
                http.stream("GET", f"http://127.0.0.1:{at.port}{path}") as answer,
            ):
                name = ""
                for line in answer.iter_lines():
                    if line.startswith("event: "):
                        name = line.removeprefix("event: ")
                    elif line.startswith("data:"):
                        events.put((name, line.removeprefix("data:").strip()))
                        name = ""
                    if over.is_set():
                        return

        def heard(fits: Callable[[str], bool], wanted: str = "") -> None:
            missed, end = [], monotonic() + TIMEOUT
            while True:
                try:
                    name, data = events.get(timeout=max(0.0, end - monotonic()))
                except Empty:
                    raise AssertionError(f"No such event {wanted!r} in {TIMEOUT} s, only {missed}.") from None
                if name == wanted and fits(data):
                    return
                missed.append((name, data))

        over = Event()
        Thread(target=read, daemon=True).start()
        heard(bool)  # the site now counts this stream
        yield heard
        over.set()


def without_clock(at: SimpleNamespace) -> None:
    """Turn off the poll for missed changes in a process, so that its streams depend on messages."""
    at.site.missed_changes._polled_at = inf


def seen_of(mark: str) -> int:
    """Return the viewer's version from the mark of a table's page."""
    return int(re.match(r"-?\d+\.(\d+)", mark)[1])


def name_of(table: str) -> str:
    return table.rpartition("/")[2]


def invite(host: Guest, at: SimpleNamespace, table: str) -> str:
    """Return the path of the invitation on the host's page."""
    return re.search(r'readonly value="http://[^/"]+([^"]+)"', host.get(at, table).text)[1]


def together(first: SimpleNamespace, second: SimpleNamespace) -> tuple[Guest, Guest, str]:
    """Open a game of two. The host plays at the first process, and the other guest at the second."""
    ana, bea = Guest(), Guest()
    table = ana.open(first, "alpujarras", **FRIENDS)
    assert bea.post(second, invite(ana, first, table), name="Bea").status_code == 200
    return ana, bea, table


def test_a_move_reaches_streams_and_pages_of_another_process(two):
    first, second = two
    ana, bea, table = together(first, second)
    mover, at, other, there = (ana, first, bea, second) if ana.seen(first, table)[2] else (bea, second, ana, first)
    without_clock(there)
    with other.listening(there, f"{table}/stream") as heard:
        before = other.seen(there, table)[1]
        assert mover.act(at, table).status_code == 200
        heard(lambda mark: seen_of(mark) > before)
        assert other.seen(there, table)[1] > before


def test_a_move_on_a_page_of_one_process_is_accepted_by_another(two):
    """A process that has missed a message must not refuse an action as stale."""
    first, second = two
    ana, bea, table = together(first, second)
    for site in (first, second):
        site.site.cluster_bus._bus._on_message = lambda _: None  # messages of other processes are ignored
    for number in range(6):
        at, there = (first, second) if number % 2 else (second, first)
        for guest in (ana, bea):
            shown = guest.seen(at, table)
            if shown[2]:
                assert guest.act(there, table, shown).status_code == 200
    entries = first.site.tables.get(name_of(table)).events
    assert entries == second.site.tables.get(name_of(table)).events
    again = Site(first.site.settings)
    assert again.tables.get(name_of(table)).play.actions == first.site.tables.get(name_of(table)).play.actions
    again.locks.close()
    again.tables.store.close()


def test_a_table_is_written_by_one_process_at_a_time(two, postgres):
    """A move waits for the lock that another process holds, and is then checked against the new state."""
    first, second = two
    ana, bea, table = together(first, second)
    holding, answered, waited = Event(), Event(), []

    def queued() -> bool:
        with postgres.admin() as admin:
            wanted = "SELECT 1 FROM pg_locks WHERE locktype = 'advisory' AND NOT granted"
            return admin.execute(wanted).fetchone() is not None

    def hold() -> None:
        with second.site.tables.lock(name_of(table)):
            holding.set()
            wait_until(lambda: answered.is_set() or queued(), "the act waits for the lock, or is answered")
            waited.append(not answered.is_set())

    mover = next(guest for guest in (ana, bea) if guest.seen(first, table)[2])
    shown = mover.seen(first, table)
    at_other = Thread(target=hold)
    at_other.start()
    assert holding.wait(TIMEOUT)
    assert mover.act(first, table, shown).status_code == 200
    answered.set()
    at_other.join()
    assert waited == [True]


def test_chat_messages_reach_another_process(two):
    first, second = two
    ana, bea, table = together(first, second)
    without_clock(second)
    with bea.listening(second, f"{table}/stream") as heard:
        ana.post(first, f"{table}/chat", words="Good luck")
        heard(ONE_MESSAGE, "chat")
    assert "Good luck" in bea.get(second, f"{table}/chat").text


@pytest.mark.parametrize("limits", [Limits(ping_seconds=1.4, missed_change_seconds=0.1)], ids=[""])
def test_the_poll_finds_changes_without_a_notification(two):
    """A process can be killed after it has written, before it notifies the others."""
    first, second = two
    ana, bea, table = together(first, second)
    mover, at, other, there = (ana, first, bea, second) if ana.seen(first, table)[2] else (bea, second, ana, first)
    at.site.broker.publish_remote = str
    before = other.seen(there, table)[1]
    with other.listening(there, f"{table}/stream") as heard:
        assert mover.act(at, table).status_code == 200
        heard(lambda mark: seen_of(mark) > before)
        mover.post(at, f"{table}/chat", words="Good luck")
        heard(ONE_MESSAGE, "chat")


def test_the_lobby_is_the_same_in_every_process(two):
    first, second = two
    ana, bea = Guest(), Guest()
    bea.get(second, "/lobby")
    with bea.listening(second, "/lobby/stream") as heard:
        table = ana.open(first, **FRIENDS, offered=1)
        with ana.listening(first, f"{table}/stream"):
            heard(lambda mark: (now := second.site.lobby.current()).joinable and mark == now.version)
            handle = re.search(r'name="offer" value="([^"]+)"', bea.get(second, "/lobby").text)[1]
            assert bea.post(second, "/lobby/join", offer=handle).url.path == table
    assert len(first.site.tables.get(name_of(table)).table.human_seats) == 2


@pytest.mark.parametrize("limits", [Limits(ping_seconds=1000.0)], ids=[""])
@pytest.mark.parametrize("how", ["signed out", "kept out"])
def test_streams_of_another_process_end_with_their_session(how, two, address):
    """The message comes from the other process, or from `almunia moderate`."""
    first, second = two
    site, ana = first.site, Guest()
    with site.engine.begin() as db:
        accounts.create_account(db, "ana", "Ana", {}, MAIL, site.accounts.passwords.hash(PASSWORD), now=0.0)
    assert ana.post(first, "/account/sign-in", mail=MAIL, password=PASSWORD).status_code == 200
    table = ana.open(first, **FRIENDS)
    own = f"http://127.0.0.1:{second.port}{table}/stream"
    with httpx2.Client(timeout=TIMEOUT, cookies=ana.cookies) as http, http.stream("GET", own) as answer:
        lines = answer.iter_lines()
        next(lines)
        if how == "signed out":
            ana.post(first, "/account/sign-out")
        else:
            engine = open_migrated(address)
            moderating = AdminModeration(engine, site.clock, site.settings)
            moderating.set_banned(moderating.find_person("ana"), out=True)
            engine.dispose()
        assert "alive" not in "".join(lines), "the stream has ended"


@pytest.mark.parametrize("limits", [Limits(grace_seconds=0.2)], ids=[""])
def test_presence_at_a_table_is_shared_by_all_processes(two, monkeypatch):
    first, second = two
    for one in two:
        monkeypatch.setattr(one.site.tables.store, "delete_expired", lambda _: None)  # the hourly deletion
    ana, bea, table = together(first, second)
    guest = second.site.tables.get(name_of(table)).table.seats[1].player
    assert not first.site.presence.is_here(name_of(table), guest)
    with bea.listening(second, f"{table}/stream"), ana.listening(first, f"{table}/stream"):
        wait_until(lambda: first.site.presence.is_here(name_of(table), guest), "the first process knows the guest")
        wait_until(
            lambda: first.site.presence.count(name_of(table)) == second.site.presence.count(name_of(table)) == 2,
            "both processes know that two are here",
        )
        second.site.presence_sync.task._work = bool  # as if the process were killed: its rows stay
        second.site.locks.close()
        wait_until(
            lambda: not first.site.presence.is_here(name_of(table), guest),
            "the guest of the killed process counts as away",
        )


def test_presence_is_synced_after_a_lost_response_to_a_commit(address):
    """After a lost response to COMMIT, the same rows must not be inserted twice."""
    engines = [open_migrated(address), open_migrated(address)]
    claims = [AdvisoryLocks(engine) for engine in engines]
    here, seen = [SimpleNamespace(streams=frozenset(), set_remote=None) for _ in engines], []
    notifier = SimpleNamespace(publish_remote=str, call_in_loop=lambda _, found: seen.append(found))
    one, other = (PresenceSync(*parts, notifier) for parts in zip(engines, claims, here, strict=True))
    one.sync()
    here[0].streams = frozenset({("table", "ana")})

    def lost(connection: object) -> None:
        event.remove(engines[0], "commit", lost)
        connection.connection.driver_connection.commit()
        raise OperationalError("COMMIT", {}, ConnectionError("lost"))

    event.listen(engines[0], "commit", lost)
    with pytest.raises(OperationalError):
        one.sync()
    for streams in ({("table", "ana"), ("table", "bea")}, {("table", "bea")}):
        here[0].streams = frozenset(streams)
        one.sync()
        other.sync()
        assert seen[-1] == streams
    for claim, engine in zip(claims, engines, strict=True):
        claim.close()
        engine.dispose()


@pytest.mark.parametrize("limits", [Limits(ping_seconds=1000.0, missed_change_seconds=1000.0)], ids=[""])
def test_the_bus_reconnects_after_a_database_restart(postgres, two):
    """The bus reconnects by itself. The poll for missed changes is turned off here."""
    first, second = two
    ana, bea, table = together(first, second)
    mover, at, other, there = (ana, first, bea, second) if ana.seen(first, table)[2] else (bea, second, ana, first)
    shown, before = mover.seen(at, table), other.seen(there, table)[1]
    with other.listening(there, f"{table}/stream") as heard:
        with postgres.away():
            answer = mover.act(at, table, shown)
            assert answer.status_code == 503
            assert "responding at the moment" in answer.text
        wait_until(lambda: mover.act(at, table, shown).status_code == 200, "the act is taken")
        heard(lambda mark: seen_of(mark) > before)
        wait_until(lambda: first.site.locks.acquire("anything"), "the first process claims it")
        assert not second.site.locks.acquire("anything")


def test_topics_other_than_tables_are_not_looked_up_as_tables(start, monkeypatch):
    web, looked = start(), []
    monkeypatch.setattr(type(web.site.event_subscribers), "has_subscribers", True)
    monkeypatch.setattr(web.site.tables.store, "get_many", lambda names: looked.extend(names) or [])
    for topic in ("question", "here", "lobby", "sessions", "bot a b", "a-table"):
        web.site.cluster_bus.handle_message(topic)
    assert looked == ["a-table"]


def test_a_new_account_is_known_in_all_processes(two):
    """Otherwise other processes would accept a cookie without a session for the account."""
    first, second = (one.site.accounts for one in two)
    wait_until(
        lambda: second.sessions.load("ana", "") and second.sessions.get_cached("ana", ""),
        "the second process knows the guest",
    )
    with first.repository.engine.begin() as db:
        accounts.create_account(db, "ana", "Ana", {}, "ana@example.org", "", now=1.0)
    first.sessions.create("ana", "A browser", proved=True)
    wait_until(lambda: second.sessions.get_cached("ana", "") is None, "the second process has forgotten the guest")
    assert not second.sessions.load("ana", "").guest_is_unclaimed


# --- locks -----------------------------------------------------------------------------------------------


def test_a_lock_belongs_to_one_process_until_it_ends(address):
    engines = [open_migrated(address), open_migrated(address)]
    first, second = (AdvisoryLocks(engine) for engine in engines)
    with first.try_lock("turn") as mine:
        assert mine
        assert not second.acquire("turn")
        assert not first.acquire("turn"), "nor two threads of one process"
        with second.try_lock("another turn") as other:
            assert other
    assert second.acquire("turn")
    second.close()
    wait_until(lambda: first.acquire("turn"), "PostgreSQL has noticed")
    with engines[1].begin() as db:
        db.execute(text("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"))
    other = AdvisoryLocks(engines[1])
    wait_until(lambda: other.acquire("turn"), "PostgreSQL has noticed")
    for one in (first, other):
        one.close()
    for engine in engines:
        engine.dispose()


def test_a_lock_of_a_lost_connection_is_released_without_reconnecting(address):
    """The locks of a lost connection are gone already, and connecting again can take long."""
    engine = open_migrated(address)
    claims, other = AdvisoryLocks(engine), AdvisoryLocks(engine)
    assert claims.acquire("turn")
    with engine.begin() as db:
        db.execute(text("SELECT pg_terminate_backend(pid) FROM pg_locks WHERE locktype = 'advisory'"))
    wait_until(lambda: not claims.heartbeat(), "the connection is known to be lost")
    epoch = claims.connection_generation
    claims.release("turn")
    assert claims.connection_generation == epoch
    assert other.acquire("turn")
    assert not claims.acquire("turn")
    for one in (claims, other):
        one.close()
    engine.dispose()


def test_locks_work_within_one_process_with_sqlite(tmp_path):
    engine = open_migrated(f"sqlite:///{tmp_path / 'site.sqlite3'}")
    claims = AdvisoryLocks(engine)
    with claims.try_lock("turn") as mine:
        assert mine
        assert not claims.acquire("turn")
    assert claims.heartbeat()
    engine.dispose()


def test_bots_of_an_ended_process_are_taken_over(address, tmp_path):
    """Two processes run bots, and one of them ends during the games."""
    settings = Settings(data=tmp_path, database=address, compiled=False, workers=2)
    first, second = (Site(settings) for _ in range(2))
    tables = [first.tables.create("alpujarras", BOTS, "me") for _ in range(2)]
    with in_event_loop(run_tasks(second.bot_runner.task)):
        with in_event_loop(run_tasks(first.bot_runner.task)):
            for site in (first, second):
                site.bot_runner.start()
            wait_until(
                lambda: sum(first.tables.store.version(table.id) for table in tables) > 10,
                "ten actions have been taken",
            )
        first.bot_runner.close()
        first.locks.close()
        wait_until(lambda: all(second.tables.store.find(table.id).finished for table in tables), "both are over", LONG)
    for table in tables:
        found = second.tables.store.find(table.id)
        entries = second.tables.store.events(found)
        assert [entry.kind for entry in entries] == [MOVE] * found.version
    second.bot_runner.close()
    for site in (first, second):
        site.locks.close()
        site.tables.store.close()


# --- bot workers -----------------------------------------------------------------------------------------


@contextmanager
def thinker(settings: Settings, **intervals: float) -> Iterator[None]:
    """Run `almunia bot-worker` in a thread."""
    stop = Event()
    thread = Thread(target=run_bot_worker, args=(settings, stop), kwargs=intervals)
    thread.start()
    try:
        yield
    finally:
        stop.set()
        thread.join()


def test_a_bot_worker_plays_for_a_web_process(start, capsys):
    web = start(bots="worker")
    ana = Guest()
    table = ana.open(web, "alpujarras", **{"seat-0": "me", "seat-1": "bot-easy"})
    ana.post(web, f"{table}/leave", seat=ana.seen(web, table)[0], spec="easy")
    name = name_of(table)
    before = web.site.tables.store.version(name)
    assert before > 0
    assert web.site.bot_runner.queue_depth == 0, "nobody thinks here"
    with ana.listening(web, f"{table}/stream") as heard, thinker(web.site.settings):
        heard(lambda mark: seen_of(mark) > 0)
        wait_until(lambda: web.site.tables.store.find(name).finished, "the game is over", LONG)


def test_a_bot_worker_is_registered_again_after_a_database_restart(postgres, address, tmp_path, capsys):
    """Otherwise a backup could be restored while the worker runs."""

    def known() -> bool:
        with postgres.admin(parse_database_url(address).database) as admin:
            return admin.execute(LIVE_PROCESSES_SQL).fetchone() is not None

    with thinker(Settings(data=tmp_path, database=address, compiled=False), claim_seconds=0.05):
        wait_until(lambda: "Bots run" in capsys.readouterr().out, "the process has started")
        assert known()
        with postgres.away():
            pass
        wait_until(known, "the process is known again")


def test_a_bot_worker_serves_its_metrics(address, tmp_path, monkeypatch):
    """The metrics of bots are known only to the worker."""
    port, servers, serve = free_port(), [], metrics.serve
    monkeypatch.setattr(metrics, "serve", lambda place: servers.append(serve(place)))
    with thinker(Settings(data=tmp_path, database=address, compiled=False, metrics=str(port))):
        wait_until(lambda: servers, "the metrics are served")
        found = httpx2.get(f"http://127.0.0.1:{port}/metrics", timeout=TIMEOUT).text
    assert "almunia_bots_waiting 0.0" in found
    assert "almunia_bot_seconds" in found
    assert "almunia_log_lines" in found
    servers[0].shutdown()
    servers[0].server_close()


def last_one(_: Game, history: ViewerHistory) -> Hint:
    """Return a hint that takes no search."""
    return Hint(history.view.legal_actions[-1], "Expert: the last one.")


def test_a_worker_computes_hints_for_a_web_process(start, monkeypatch):
    web = start(bots="worker")
    ana = Guest()
    table = ana.open(web, **{"seat-0": "me", "hints": "1"})
    site = Site(web.site.settings)
    monkeypatch.setattr(type(site.builds), "compiled_games", ["orchard"])
    answering = HintWorker(site.engine, site.tables, site.builds, site.broker, hint=last_one)
    assert not answering.answer_next(), "nobody has asked"
    seat, seen, _ = ana.seen(web, table)
    asking = Thread(target=ana.post, args=(web, f"{table}/hint"), kwargs={"seat": seat, "seen": seen})
    asking.start()
    wait_until(answering.answer_next, "the question is answered")
    asking.join()
    assert "Expert: the last one." in ana.get(web, table).text
    assert not answering.answer_next()
    site.locks.close()
    site.tables.store.close()


def test_a_hint_request_is_computed_once_and_can_be_taken_over(address, tmp_path, monkeypatch):
    settings = Settings(data=tmp_path, database=address, compiled=False)
    first, second = (Site(settings) for _ in range(2))
    monkeypatch.setattr(type(first.builds), "compiled_games", ["orchard"])
    table = first.tables.create("orchard", (Seat(PERSON, "me", "Ana"),), "me", hints=True)
    first.hint_queue._enqueue(table.id, 0, first.tables.get(table.id).history(0).version, "me", "")
    with pytest.raises(Conflict):
        second.hint_queue._enqueue(table.id, 0, 0, "me", "")

    def dies(*_: object) -> Hint:
        assert not other.answer_next(), "somebody is at it"
        raise SystemExit

    mine, other = (
        HintWorker(one.engine, one.tables, one.builds, one.broker, hint=hint)
        for one, hint in ((first, dies), (second, last_one))
    )
    with pytest.raises(SystemExit):
        mine.answer_next()
    assert other.answer_next()
    assert second.tables.get(table.id).history(0).hint.text == "Expert: the last one."
    for site in (first, second):
        site.locks.close()
        site.tables.store.close()


def test_networks_take_turns_in_the_hint_queue_of_workers(address, tmp_path, monkeypatch):
    clock, order = ManualClock(), []
    site = Site(Settings(data=tmp_path, database=address, compiled=False), clock=clock)
    monkeypatch.setattr(type(site.builds), "compiled_games", ["orchard"])

    def ask(guest, network):
        table = site.tables.create("orchard", (Seat(PERSON, guest, guest),), guest, hints=True)
        site.hint_queue._enqueue(table.id, 0, site.tables.get(table.id).history(0).version, guest, network)
        clock.advance(0.1)

    def write_down(_: Game, history: ViewerHistory) -> Hint:
        order.append(history.names[0])
        return last_one(_, history)

    crowd = [f"many-{number}" for number in range(MAX_WAITING_PER_NETWORK)]
    for guest in crowd:
        ask(guest, "crowd")
    with pytest.raises(TooManyRequests, match="in your network"):
        ask("more", "crowd")
    ask("ana", "elsewhere")
    answering = HintWorker(site.engine, site.tables, site.builds, site.broker, hint=write_down)
    assert all(answering.answer_next() for _ in range(MAX_WAITING_PER_NETWORK + 1))
    assert order == [crowd[0], "ana", *crowd[1:]]
    site.locks.close()
    site.tables.store.close()


def test_hint_requests_do_not_wait_for_an_expired_request(address, tmp_path, monkeypatch):
    """A request for a hint is not delayed by an old request that a worker still locks."""
    clock = ManualClock()
    site = Site(Settings(data=tmp_path, database=address, compiled=False), clock=clock)
    monkeypatch.setattr(type(site.builds), "compiled_games", ["orchard"])
    table, other = (site.tables.create("orchard", (Seat(PERSON, "me", "Ana"),), "me", hints=True) for _ in range(2))
    site.hint_queue._enqueue(table.id, 0, 0, "me", "")
    thinking, enough = Event(), Event()

    def thinks(*_: object) -> Hint:
        thinking.set()
        assert enough.wait(TIMEOUT)
        raise Conflict("Nothing was found.")

    answering = HintWorker(site.engine, site.tables, site.builds, site.broker, hint=thinks)
    thread = Thread(target=answering.answer_next)
    thread.start()
    assert thinking.wait(TIMEOUT)
    clock.advance(hint_queue.WAIT_SECONDS + 1)  # all requests have expired
    asking = Thread(target=site.hint_queue._enqueue, args=(other.id, 0, 0, "bea", ""))
    asking.start()
    asking.join(TIMEOUT)
    waited = asking.is_alive()
    clock.advance(hint_queue.WAIT_SECONDS + 1)
    try:
        with pytest.raises(Conflict, match="thinking"):
            site.hint_queue._enqueue(table.id, 0, 0, "cyd", "")
        site.hint_queue._enqueue(other.id, 0, 0, "cyd", "")  # Bea's request has expired, so it does not count
    finally:
        enough.set()
        for one in (thread, asking):
            one.join()
    assert not waited
    site.locks.close()
    site.tables.store.close()


def test_a_bot_worker_needs_postgresql(tmp_path):
    with pytest.raises(SetupError, match="PostgreSQL"):
        Settings(data=tmp_path, bots="worker").check()
    with pytest.raises(SetupError, match="PostgreSQL"):
        run_bot_worker(Settings(data=tmp_path), Event())
    with pytest.raises(SetupError, match="'nowhere'"):
        Settings(data=tmp_path, bots="nowhere").check()


# --- shared keys and limits ------------------------------------------------------------------------------


def test_rate_limits_are_shared_by_all_processes(start):
    first, second = start(posts="6/minute"), start(posts="6/minute")
    ana = Guest()
    answers = [ana.post(at, "/preferences", name="Ana").status_code for _ in range(4) for at in (first, second)]
    assert answers == [200] * 6 + [429] * 2
    assert int(ana.post(first, "/preferences", name="Ana").headers["retry-after"]) <= 60


def test_rate_limits_are_reset_after_their_period(address):
    engine, clock = open_migrated(address), ManualClock(1000.0)
    limiter, rate = make_limiter(engine, "a" * 40, clock), parse("2/minute")
    assert [limiter.hit(rate, "a") for _ in range(3)] == [True, True, False]
    assert (limiter.wait_seconds(rate, "a"), limiter.wait_seconds(rate, "b")) == (60, 1)
    clock.set(1059.5)
    assert not limiter.hit(rate, "a")
    assert limiter.wait_seconds(rate, "a") == 1
    clock.set(1060.0)
    assert limiter.hit(rate, "a")
    engine.dispose()


def test_all_processes_share_the_session_key(address, tmp_path):
    engine = open_migrated(address)
    first = session_key(Settings(data=tmp_path / "one", database=address), engine)
    assert first == session_key(Settings(data=tmp_path / "two", database=address), engine)
    assert len(first) >= 48
    assert not (tmp_path / "one").exists()
    engine.dispose()


def test_a_short_session_key_in_the_database_is_refused(address, tmp_path):
    engine, settings = open_migrated(address), Settings(data=tmp_path / "none", database=address)
    session_key(settings, engine)
    with engine.begin() as db:
        db.execute(text("UPDATE site_setting SET value = ''"))
    with pytest.raises(SetupError, match="has 0 bytes and needs 32"):
        session_key(settings, engine)
    engine.dispose()


def test_a_site_that_moves_to_postgresql_keeps_its_key(address, tmp_path):
    key = Settings(data=tmp_path).session_key() if Settings(data=tmp_path).create_data_folder() is None else ""
    engine = open_migrated(address)
    assert session_key(Settings(data=tmp_path, database=address), engine) == key
    engine.dispose()


# --- messages --------------------------------------------------------------------------------------------


def test_the_bus_delivers_every_topic_to_other_processes_only(address):
    engine = open_migrated(address)
    heard: tuple[list[str], list[str]] = [], []
    ready = [Event(), Event()]
    buses = [Bus(engine, number, heard[number].append, ready[number].set) for number in (0, 1)]
    with ExitStack() as stack:
        for bus, listening in zip(buses, ready, strict=True):
            stack.enter_context(in_event_loop(bus.running()))
            assert listening.wait(TIMEOUT)
        many = [f"table {number}" for number in range(300)]
        for topic in many:
            buses[0].publish(topic)
        wait_until(lambda: len(heard[1]) == len(many), "all topics have been heard")
        assert heard == ([], many)
        with pytest.raises(ValueError, match="too long"):
            buses[0].publish("x" * (MAX_TOPIC_BYTES + 1))
    engine.dispose()


def test_a_closing_bus_publishes_pending_topics(address):
    engine, heard, ready = open_migrated(address), [], Event()
    listening, closing = Bus(engine, 1, heard.append, ready.set), Bus(engine, 2, bool, bool)
    with in_event_loop(listening.running()):
        assert ready.wait(TIMEOUT)
        with in_event_loop(closing.running()):
            closing.publish("the last words")
        wait_until(lambda: heard == ["the last words"], "the topic has been heard")
    engine.dispose()


def test_the_bus_continues_after_errors(address, caplog):
    """A bus that stops after an error would delay all messages until the process restarts."""
    engine = open_migrated(address)
    heard, wrong, ready = [], [KeyError("once")], Event()

    def again() -> None:
        if wrong:
            raise wrong.pop()
        ready.set()

    bus = Bus(engine, 1, heard.append, again)
    with in_event_loop(bus.running()):
        assert ready.wait(TIMEOUT)
        assert caplog.text.count("KeyError: 'once'") == 1
        with pytest.raises(ValueError, match="NUL"):
            bus.publish("a\0b")
        with engine.begin() as db:
            for said in ("", " ", "2", "2 a", "1 own", "2 " + "x" * MAX_TOPIC_BYTES):
                db.execute(text("SELECT pg_notify('almunia', :said)"), {"said": said})
        wait_until(lambda: heard[-1:] == ["x" * MAX_TOPIC_BYTES], "the last topic has been heard")
    engine.dispose()


# --- SQLite: one process ---------------------------------------------------------------------------------


def test_a_second_process_is_refused_with_sqlite(tmp_path, address):
    with (
        single_instance(Settings(data=tmp_path)),
        pytest.raises(SetupError, match="Another process serves"),
        single_instance(Settings(data=tmp_path)),
    ):
        sys.exit("two served")
    with single_instance(Settings(data=tmp_path)):
        pass
    shared = Settings(data=tmp_path, database=address)
    with single_instance(shared), single_instance(shared):
        pass
