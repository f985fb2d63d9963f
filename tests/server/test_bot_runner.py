"""Bots at tables: they play in fair order, recover from failures, and need no open page."""

from collections.abc import Callable, Iterator
from contextlib import ExitStack
from dataclasses import replace
from itertools import pairwise
from types import SimpleNamespace
from typing import Any
from weakref import WeakSet

import httpx2 as httpx
import pytest
from sqlalchemy.exc import OperationalError

from almunia import bots
from almunia.server.app import create_app
from almunia.server.background import run_tasks
from almunia.server.bots import runner as bot_runner
from almunia.server.bots.response_timing import QUANTUM_SECONDS, ResponseTiming
from almunia.server.bots.runner import BotCall, TableQueue
from almunia.server.limits import Limits
from almunia.server.settings import Settings
from almunia.server.site import Site
from almunia.server.tables.log import plain_text
from almunia.server.tables.model import BOT, PERSON, Seat, Table

from ..serving import answering, in_event_loop
from ..waiting import TIMEOUT, wait_until

BOTS = (Seat(BOT, "easy", "Easy bot"), Seat(BOT, "hard", "Hard bot"))
ME = Seat(PERSON, "me", "Ana")
# Tests cannot wait for the usual intervals.
FAST = Limits(bot_tick_seconds=0.01, bot_sweep_seconds=0.05, bot_retry_seconds=(0.01, 0.02))
with_fast_limits = pytest.mark.parametrize("limits", [FAST], ids=[""])


@pytest.fixture
def site(tmp_path, database, seeds, limits) -> Iterator[Site]:
    """Yield a site with one thread for bots, which has not started to look for turns."""
    found = Site(Settings(data=tmp_path, database=database, compiled=False, workers=1), seeds=seeds, limits=limits)
    yield found
    found.close()


def version(site: Site, table: Table) -> int:
    return site.tables.store.find(table.id).version


@pytest.fixture
def wake(site: Site) -> Iterator[Callable[[], None]]:
    """Yield a function that lets the bots look for their turns until the end of the test."""
    with ExitStack() as stack:

        def start() -> None:
            site.bot_runner.start()
            stack.enter_context(in_event_loop(run_tasks(site.bot_runner.task)))

        yield start


@pytest.fixture
def turns(site) -> list[tuple[str, int]]:
    """Return the list of the turns that bots have taken, as table and seat."""
    taken, act = [], site.tables.move

    def noted(table_id, seat, *given):
        if taken[-1:] != [(table_id, seat)]:
            taken.append((table_id, seat))
        return act(table_id, seat, *given)

    site.tables.move = noted
    return taken


def test_tables_take_turns(site, turns):
    """A table with only bots must not occupy a thread until its game is over."""
    tables = [site.tables.create("alpujarras", BOTS, "me") for _ in range(3)]
    wait_until(lambda: len(turns) > 30, "30 turns have been taken")
    for start in range(3, 27, 3):
        assert {table for table, _ in turns[start : start + 3]} == {table.id for table in tables}


def test_owners_take_turns(site, wake, turns):
    """A guest with many tables must not delay the bots of other guests."""
    site.tables.on_change = ()  # only scans find these tables
    many = {site.tables.create("alpujarras", BOTS, "crowd").id for _ in range(12)}
    mine = site.tables.create("alpujarras", BOTS, "me").id
    wake()
    wait_until(lambda: len(turns) > 40, "40 turns have been taken")
    tables = [table for table, _ in turns[5:40]]
    assert all(mine in pair for pair in pairwise(tables))
    assert many < set(tables)


def test_networks_take_turns(site, wake, turns):
    """A person who plays as many guests must not delay the bots of other networks."""
    site.tables.on_change = ()  # only scans find these tables
    many = {site.tables.create("alpujarras", BOTS, f"guest {i}", network="crowd").id for i in range(12)}
    mine = site.tables.create("alpujarras", BOTS, "me", network="home").id
    wake()
    wait_until(lambda: len(turns) > 40, "40 turns have been taken")
    tables = [table for table, _ in turns[5:40]]
    assert all(mine in pair for pair in pairwise(tables))
    assert many < set(tables)


def order(rota: TableQueue, watched: set[str], count: int, again: bool = True) -> list[str]:
    """Return the tables of the next calls of a queue. With `again`, each call is queued again."""
    found = []
    for _ in range(count):
        call = rota.pop(lambda: watched)
        found.append(call.table)
        if again:
            rota.add(call)
    return found


def test_watched_tables_come_first_without_starving_others():
    rota = TableQueue()
    for table in ("a1", "a2", "b1"):
        rota.add(BotCall(table, f"guest {table}", table[0]))
    assert order(rota, set(), 6) == ["a1", "b1", "a2", "b1", "a1", "b1"], "networks take turns, then owners"
    assert order(rota, {"a1"}, 9) == ["a1", "a1", "a1", "a2", "a1", "a1", "a1", "b1", "a1"]
    assert order(rota, {"a1", "b1", "a2"}, 4) == ["b1", "a2", "b1", "a1"]
    assert sorted(order(rota, set(), 3, again=False)) == ["a1", "a2", "b1"]


def test_bots_stop_at_a_table_left_by_all_players_until_it_is_watched(site):
    site.bot_runner.pause()
    seats = ME, replace(ME, name="Ana 2"), *BOTS
    table = site.tables.create("alpujarras", seats, "me")
    for seat in (1, 0):
        site.seats.step_away(table.id, seat, "me", "easy")
    site.bot_runner.resume()
    site.bot_runner.on_table_change(site.tables.store.find(table.id))
    wait_until(lambda: site.bot_runner.queue_depth == 0, "the runner has looked at the table")
    assert site.tables.store.find(table.id).is_bot_to_move
    assert version(site, table) == 2, "nobody has moved"
    assert [one[3:] for one in site.tables.store.with_bot_to_move()] == [(True, False)]
    site.bot_runner.resume()  # scans all tables
    assert site.bot_runner.queue_depth == 0
    site.bot_runner.watched_tables = lambda: {table.id}
    site.bot_runner.resume()
    wait_until(lambda: version(site, table) > 10, "the bots play")
    site.bot_runner.watched_tables = set
    wait_until(lambda: site.bot_runner.queue_depth == 0, "they stop")
    assert not site.tables.store.find(table.id).finished
    site.seats.return_to_seat(table.id, 0, "me")
    wait_until(lambda: not site.tables.store.find(table.id).is_bot_to_move, "bots move until it is a person's turn")


def test_an_opened_page_resumes_bots_at_an_abandoned_table(tmp_path):
    app = create_app(Settings(data=tmp_path, compiled=False), limits=Limits(bot_sweep_seconds=1e6))
    site = app.state.site
    with answering(app) as port:
        table = site.tables.create("alpujarras", (ME, *BOTS), "me")
        site.seats.step_away(table.id, 0, "me", "easy")
        wait_until(lambda: site.bot_runner.queue_depth == 0, "the bots have stopped")
        before, page = version(site, table), f"http://127.0.0.1:{port}/table/{table.id}"
        with httpx.stream("GET", f"{page}/stream", timeout=TIMEOUT):
            wait_until(lambda: version(site, table) > before, "they go on")


def test_bots_do_not_move_during_a_pause_and_move_after_it(site):
    site.bot_runner.pause()
    table = site.tables.create("orchard", (Seat(BOT, "easy", "Easy bot"), ME), "me")
    other = site.tables.create("orchard", (ME, Seat(BOT, "easy", "Easy bot")), "me")
    site.bot_runner.enqueue(table.id, "me")
    assert (version(site, table), site.bot_runner.queue_depth) == (0, 0)
    site.bot_runner.resume()
    wait_until(lambda: version(site, table), "the bot has moved")
    assert version(site, other) == 0, "it is a person's turn there"


def test_bots_are_released_after_their_turn(site, turns):
    """The large tree of a search is useful only within one turn."""
    make, there, counts = bots.make, WeakSet(), []

    def noted(*given):
        counts.append(len(there))
        made = make(*given)
        there.add(made)
        return made

    site.bot_runner.make = noted
    for _ in range(4):
        site.tables.create("alpujarras", BOTS, "me")
    wait_until(lambda: len(turns) > 30, "30 turns have been taken")
    assert max(counts) <= 1, "but for the one whose turn has just ended"


def test_closing_does_not_wait_for_tables_to_finish(site):
    tables = [site.tables.create("alhambra", BOTS, "me") for _ in range(2)]
    wait_until(lambda: all(version(site, table) for table in tables), "a bot has moved at each table")
    site.bot_runner.close()
    assert not any(site.tables.store.find(table.id).finished for table in tables)


def test_a_closed_runner_has_no_running_threads(site, wake):
    wake()
    table = site.tables.create("alhambra", BOTS, "me")
    wait_until(lambda: version(site, table), "a bot has moved")
    (thread,) = site.bot_runner._pool._threads
    site.bot_runner.close()
    site.bot_runner.enqueue(table.id, "me")
    assert not thread.is_alive()


@with_fast_limits
def test_a_bot_that_keeps_failing_is_replaced_and_logged(site, wake, caplog):
    make = bots.make

    def broken(spec, game, *given):
        made = make(spec, game, *given)
        if spec == "hard":
            tried.append(spec)
            made.choose = lambda _: 10**6
        return made

    tried: list[str] = []
    site.bot_runner.make = broken
    wake()
    table = site.tables.create("orchard", (Seat(BOT, "hard", "Hard bot"), ME), "me")
    wait_until(lambda: not site.tables.store.find(table.id).is_bot_to_move, "a bot has moved")
    assert len(tried) == bot_runner.MAX_FAILURES
    assert site.tables.store.find(table.id).seats[0].player == "medium"
    told = [plain_text(line) for one in site.tables.get(table.id).history(1).log_entries for line in one.lines]
    assert told[:2] == ["Hard bot has stopped working and leaves the seat.", "Medium bot sits down."]
    assert "2 times in a row: ValueError('It chose 1000000" in caplog.text


def test_a_player_who_returns_while_the_substitute_bot_fails_keeps_the_seat(site):
    site.tables.on_change = ()  # the test calls the runner itself
    table, runner = site.tables.create("orchard", (ME, replace(ME, player="bea", name="Bea")), "me"), site.bot_runner
    site.seats.step_away(table.id, 0, "me", "hard")
    tries: list[str] = []

    def broken(spec, _game, *_given):
        tries.append(spec)
        if len(tries) == bot_runner.MAX_FAILURES:
            site.seats.return_to_seat(table.id, 0, "me")
        raise ValueError("no search")

    runner.make = broken
    for _ in range(bot_runner.MAX_FAILURES):
        runner._active[table.id] = False
        runner._queue.add(BotCall(table.id, "me", ""))
        runner._play_next()
    assert tries == ["hard"] * bot_runner.MAX_FAILURES
    assert site.tables.get(table.id).table.seats[0].bot == ""


def question(legal: list[int], public: bool = False) -> Any:
    """Return the part of an observation on which the response time depends."""
    game = SimpleNamespace(name="oregon", legal_is_public=lambda _: public)
    return SimpleNamespace(game=game, legal_actions=legal, state=None)


def test_response_times_do_not_reveal_forced_moves():
    """Public questions are an exception, such as the draw of Oregon before the last round."""
    pace = ResponseTiming()
    assert pace.response_seconds(question([1]), "hard", 0.001) == pytest.approx(QUANTUM_SECONDS)
    taken = [pace.response_seconds(question([1, 2]), "hard", seconds) for seconds in (0.011, 0.25, 2.0)]
    assert taken == pytest.approx([QUANTUM_SECONDS, 0.26, 2.0])
    forced = {pace.response_seconds(question([1]), "hard", 0.001) for _ in range(100)}
    assert sorted(forced) == pytest.approx(taken), "nor is it always as long as the last time"
    assert pace.response_seconds(question([1]), "hard", 9.0) == pytest.approx(9.0)
    assert pace.response_seconds(question([1]), "easy", 0.001) == pytest.approx(QUANTUM_SECONDS), (
        "another bot thinks less"
    )


def test_public_questions_are_answered_without_delay():
    pace = ResponseTiming()
    assert pace.response_seconds(question([1, 2], public=True), "hard", 2.001) == 2.001
    assert pace.response_seconds(question([1], public=True), "hard", 0.001) == 0.001


def test_a_bot_answers_when_it_is_due(site, monkeypatch):
    waits, clock = [], [100.0]
    runner = bot_runner.BotRunner(site.tables, site.seats, site.locks, 1, timer=lambda: clock[0])
    monkeypatch.setattr(runner._stop, "wait", waits.append)

    def choose(view: Any) -> int:
        clock[0] += 0.25
        return view.legal_actions[0]

    bot = SimpleNamespace(spec="hard", choose=choose)
    assert runner._choose(bot, question([7, 8])) == 7
    runner._choose(bot, question([7], public=True))
    assert waits == pytest.approx([0.01, 0.0])


@with_fast_limits
def test_a_game_that_no_bot_can_play_does_not_affect_others(site, wake):
    make = bots.make
    failed: list[str] = []

    def broken(spec, game, *given):
        if game.name == "oregon":
            failed.append(spec)
            raise ValueError("no bot for this one")
        return make(spec, game, *given)

    site.bot_runner.make = broken
    wake()
    bad = site.tables.create("oregon", BOTS, "me")
    good = site.tables.create("orchard", (ME, Seat(BOT, "easy", "Easy bot")), "me")
    while site.tables.get(good.id).play.turn == 0:
        now = site.tables.get(good.id)
        site.tables.move(good.id, 0, now.play.legal_actions[0], now.history(0).version)
    wait_until(lambda: not site.tables.store.find(good.id).is_bot_to_move, "the bot of the other game has moved")
    wait_until(lambda: len(failed) > 3 * bot_runner.MAX_FAILURES, "the failing bot has been tried again")
    players = [seat.player for seat in site.tables.store.find(bad.id).seats]
    assert players[site.tables.store.find(bad.id).turn] == "random"


@with_fast_limits
def test_bots_continue_after_a_database_outage(site, wake, monkeypatch, caplog):
    store, away = site.tables.store, [True]

    def lost(read):
        def missing(table_id):
            if away:
                raise OperationalError("select", {}, OSError("gone"))
            return read(table_id)

        return missing

    for name in ("find", "version"):
        monkeypatch.setattr(store, name, lost(getattr(store, name)))
    monkeypatch.setattr(store, "with_bot_to_move", list)
    wake()
    table = site.tables.create("orchard", (Seat(BOT, "easy", "Easy bot"), ME), "me")
    wait_until(lambda: "3 times in a row" in caplog.text, "the third try has failed")
    away.clear()
    wait_until(lambda: version(site, table), "the bot has moved")
    assert site.tables.store.find(table.id).seats[0].player == "easy"  # the bot was not at fault


@with_fast_limits
def test_the_sweep_finds_tables_whose_bot_is_to_move(site, wake, monkeypatch, caplog):
    """The sweep finds a table of which no message came, also after failed sweeps."""
    awaiting, calls = site.tables.store.with_bot_to_move, []

    def failing():
        calls.append(1)
        if len(calls) < 4:
            raise OperationalError("select", {}, OSError("gone"))
        return awaiting()

    monkeypatch.setattr(site.tables.store, "with_bot_to_move", failing)
    site.tables.on_change = ()  # as if another process wrote
    table = site.tables.create("orchard", (Seat(BOT, "easy", "Easy bot"), ME), "me")
    wake()
    wait_until(lambda: version(site, table), "the bot has moved")
    assert caplog.text.count("cannot be scanned") == 1
    assert "scanned again after 3 failures" in caplog.text
