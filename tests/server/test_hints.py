"""Hints: the expert's move and its reason, shown only to the seat that asks until the game is over."""

import re
from concurrent.futures import ThreadPoolExecutor
from dataclasses import replace
from threading import Event

import pytest

import almunia
from almunia.bots.compare import Comparison, compare
from almunia.library import replay
from almunia.play.record import Record
from almunia.server.bots import hints
from almunia.server.errors import TooManyRequests
from almunia.server.tables.model import HINT
from almunia.server.tables.state import TableState, hint_positions
from almunia.server.tables.viewer_history import Hint

from ..waiting import TIMEOUT, wait_until

HINTED = re.compile(r'data-hint="(\d+)">([^<]*)<')
ONE = {"seat-0": "me", "hints": "1"}
TWO = {"seat-0": "me", "seat-1": "friend", "hints": "1"}


@pytest.fixture
def expert(visitor):
    """Let the site give the last legal action as a hint, without a search."""
    hint_with(visitor, lambda _, history: Hint(history.view.legal_actions[-1], "Expert: the last one."))


def hint_with(visitor, hint):
    """Let the site compute hints with a function, in any build."""
    hinter = visitor.app.state.site.hints
    hinter.compute, hinter.needs_compiled = hint, False


def ask(visitor, table, **fields):
    seat, seen, _ = visitor.seen(table)
    return visitor.post(f"{table}/hint", data={"seat": seat, "seen": seen, **fields}, follow_redirects=False)


def sit_down(visitor, stranger, table):
    """Let `stranger` take the open seat at a visitor's table."""
    link = re.search(r'readonly value="([^"]+)"', visitor.get(table).text)[1].removeprefix("http://testserver")
    stranger.post(link, data={"name": "Bea"})


def stands(visitor, table):
    return visitor.app.state.site.tables.get(table.removeprefix("/table/"))


@pytest.mark.usefixtures("expert")
def test_a_hint_is_for_the_seat_that_asks(visitor, stranger):
    table = visitor.open(**TWO)
    sit_down(visitor, stranger, table)
    before, told = stands(visitor, table), stranger.get(table).text
    noticed = before.table.seats[1].last_visible_change
    mark = re.search('data-mark="([^"]+)"', visitor.get(table).text)[1]
    assert ask(visitor, table).status_code == 303
    after, page = stands(visitor, table), visitor.get(table).text
    last = after.play.legal_actions[-1]
    assert HINTED.findall(page) == [(str(last), "Expert: the last one.")]
    assert f'data-mark="{mark}hint"' in page
    assert 'data-key="h" disabled' in page  # one hint for each question; the button stays in its place
    assert stranger.get(table).text == told
    assert (after.history(0).version, after.history(1).version) == (
        before.history(0).version,
        before.history(1).version,
    )
    assert after.table.seats[1].last_visible_change == noticed
    assert after.history(1).hint is None
    assert after.play.to_state() == before.play.to_state()
    assert ask(visitor, table).status_code == 303
    assert len(stands(visitor, table).events) == len(after.events)  # no second hint was computed
    visitor.act(table)
    assert not HINTED.search(visitor.get(table).text)
    assert stands(visitor, table).history(0).hint is None


@pytest.mark.usefixtures("expert")
def test_a_table_with_hints_is_rebuilt_from_its_events(visitor):
    table = visitor.open(**ONE)
    tables = visitor.app.state.site.tables
    for _ in range(3):
        ask(visitor, table)
        visitor.act(table)
    ask(visitor, table)
    kept = stands(visitor, table)
    assert [entry.kind for entry in kept.events].count(HINT) == 4
    again = TableState.from_events(kept.table, tables.store.events(kept.table), kept.play.game)
    for reader in (-1, 0):
        mine, other = kept.history(reader), again.history(reader)
        assert (mine.version, mine.names, mine.hint) == (other.version, other.names, other.hint)
        assert [one.lines for one in mine.log_entries] == [one.lines for one in other.log_entries]
    assert again.history(0).hint
    assert hint_positions(again.events) == (1, 2, 3, 4)


@pytest.mark.usefixtures("expert")
def test_the_record_lists_hints(visitor):
    table = visitor.open(**ONE)
    visitor.act(table)
    ask(visitor, table)
    visitor.finish(table)
    text = visitor.get(f"{table}/record").text
    assert "\nhints: 2\n" in text
    record = Record.parse(text)
    assert record.hints == Record.from_json(visitor.get(f"{table}/record?form=json").text).hints == (2,)
    assert replay(record).to_state() == stands(visitor, table).play.to_state()
    without = Record.parse(text.replace("hints: 2\n", ""))
    assert without == replace(record, hints=())


@pytest.mark.usefixtures("expert")
def test_hints_are_refused_with_a_reason(visitor, stranger):
    table = visitor.open(**{**ONE, "hints": ""})
    assert 'data-key="h"' not in visitor.get(table).text
    assert "played without hints" in ask(visitor, table).text
    table = visitor.open(**ONE)
    assert 'data-key="h"' in visitor.get(table).text
    assert ask(visitor, table, seen=9).status_code == 409
    assert ask(visitor, table, seat=3).status_code == 403
    assert ask(visitor, table, seen="x").status_code == 400
    assert ask(stranger, table, seat=0).status_code == 403
    visitor.post("/preferences", data={"hints": "off"})
    assert 'data-key="h"' not in visitor.get(table).text
    assert not stands(visitor, table).events


def test_hints_are_refused_until_the_game_is_compiled(visitor):
    table = visitor.open(**ONE)
    answer = ask(visitor, table)
    assert answer.status_code == 409
    assert "so there are no hints yet" in answer.text


def test_quick_games_have_hints_and_shared_tables_show_the_setting(visitor):
    assert stands(visitor, visitor.open()).table.hints
    assert not stands(visitor, visitor.open(**{"seat-0": "me", "seat-1": "friend"})).table.hints
    shared = visitor.open(**TWO)
    assert "Hints allowed" in visitor.get(shared).text
    assert "Hints allowed" not in visitor.get(visitor.open(**ONE)).text


def test_a_guest_has_one_hint_request_at_a_time(visitor, stranger):
    """A second request is refused at any table. The opponent's request is not affected."""
    begun, go = Event(), Event()

    def slow(_, history):
        begun.set()
        assert go.wait(TIMEOUT)
        return Hint(history.view.legal_actions[-1], "Expert: the last one.")

    hint_with(visitor, slow)
    table, elsewhere = visitor.open(**TWO), visitor.open(**ONE)
    sit_down(visitor, stranger, table)
    with ThreadPoolExecutor(2) as others:
        first = others.submit(ask, visitor, table)
        assert begun.wait(TIMEOUT)
        for place in (table, elsewhere):
            assert "is already thinking about your hint" in ask(visitor, place).text
        visitor.act(table)
        second = others.submit(ask, stranger, table)
        wait_until(lambda: len(visitor.app.state.site.hints._requests) == 2, "both wait for a hint")
        go.set()
        assert "The game has moved on" in first.result(TIMEOUT).text
        assert second.result(TIMEOUT).status_code == 303
    assert not stands(visitor, table).history(0).hint
    assert stands(visitor, table).history(1).hint


@pytest.mark.usefixtures("expert")
def test_a_repeated_hint_request_is_not_computed_again(visitor, monkeypatch):
    table = visitor.open(**ONE)
    ask(visitor, table)
    monkeypatch.setattr(visitor.app.state.site.hints, "request", None)
    assert ask(visitor, table).status_code == 303


def test_a_failed_hint_does_not_block_the_next_one(visitor):
    hint_with(visitor, lambda *_: 1 // 0)
    table = visitor.open(**ONE)
    assert "no hint" in ask(visitor, table).text
    hint_with(visitor, lambda _, history: Hint(history.view.legal_actions[0], "Expert: go on."))
    assert ask(visitor, table).status_code == 303


def test_a_cancelled_hint_request_frees_its_place(visitor):
    go = Event()
    hinter, game = hints.HintService(max_waiting=2), almunia.game("orchard", "plain")
    hinter.compute, hinter.needs_compiled = lambda *_: go.wait(TIMEOUT), False
    hinter.request("ana", "", game, None)
    assert hinter.request("bea", "", game, None).cancel()
    again = hinter.request("bea", "", game, None)
    with pytest.raises(TooManyRequests, match="expert bot is busy"):
        hinter.request("cleo", "", game, None)
    go.set()
    assert again.result(TIMEOUT)
    hinter.close()


def test_networks_take_turns_and_their_requests_are_limited():
    """A person can ask as many guests, so requests are also limited by network."""
    begun, go, order = Event(), Event(), []

    def write_down(_, guest):
        order.append(guest)
        begun.set()
        assert go.wait(TIMEOUT)

    hinter, game = hints.HintService(max_waiting_per_network=4), almunia.game("orchard", "plain")
    hinter.compute, hinter.needs_compiled = write_down, False
    many = [hinter.request("many-0", "crowd", game, "many-0")]
    assert begun.wait(TIMEOUT)
    many += [hinter.request(guest, "crowd", game, guest) for guest in ("many-1", "many-2", "many-3")]
    with pytest.raises(TooManyRequests, match="in your network"):
        hinter.request("many-4", "crowd", game, "many-4")
    few = [hinter.request(guest, guest, game, guest) for guest in ("ana", "bea")]
    go.set()
    for answer in (*many, *few):
        answer.result(TIMEOUT)
    assert order == ["many-0", "ana", "bea", "many-1", "many-2", "many-3"]
    hinter.close()


def test_waiting_hint_requests_are_ended_at_shutdown():
    begun, go = Event(), Event()
    hinter, game = hints.HintService(), almunia.game("orchard", "plain")
    hinter.compute, hinter.needs_compiled = lambda *_: (begun.set(), go.wait(TIMEOUT)), False
    thinking = hinter.request("ana", "", game, None)
    assert begun.wait(TIMEOUT)
    waiting = hinter.request("bea", "", game, None)
    go.set()
    hinter.close()
    assert thinking.done()
    assert waiting.done()


# --- reasons -----------------------------------------------------------------------------------------


def test_the_expert_gives_a_legal_hint_with_reasons():
    """The test uses the compiled build and the real expert."""
    game = almunia.game("orchard")
    visitor_view = game.new(2, seed=3).observe(0)
    from almunia.server.tables.viewer_history import ViewerHistory

    hint = hints.compute_hint(game, ViewerHistory(0, visitor_view, ("Ann", "Bea")), 0.05)
    assert hint.action in visitor_view.legal_actions
    assert hint.text.startswith("Expert: Card ")
    assert len(hint.text) <= hints.MAX_HINT_LENGTH


def test_a_comparison_adds_up_and_is_fair():
    view = almunia.game("orchard").new(2, seed=3).observe(0)
    one, other = view.legal_actions[0], view.legal_actions[-1]
    there, back = compare(view, one, other, 0.0, seed=5), compare(view, other, one, 0.0, seed=5)
    assert there.plays == 1
    assert sum(points for _, points in there.sources) == pytest.approx(there.gain)
    assert (there.gain, there.opponent_gain) == (-back.gain, -back.opponent_gain)
    assert compare(view, one, one, 0.01).gain == 0


SECOND = "Second best"


@pytest.mark.parametrize(
    ("gain", "rival", "sources", "words"),
    [
        (
            3.14,
            0.0,
            (("Pavilions", 2.4), ("Wall", -0.7)),
            ("It brings about 3 points more than the second best, mostly in pavilions.", SECOND),
        ),
        (
            3.14,
            0.0,
            (("Wall", 1.4), ("Pavilions", 1.3)),
            ("It brings about 3 points more than the second best.", SECOND),
        ),
        (
            3.14,
            0.0,
            (("Wall", -2.4), ("Pavilions", 2.3)),
            ("It brings about 3 points more than the second best.", SECOND),
        ),
        (
            1.0,
            0.0,
            (("First scoring: wall", 0.5),),
            ("It brings about 1 point more than the second best, mostly in wall (first scoring).", SECOND),
        ),
        (1.0, 0.0, (("", 1.0),), ("It brings about 1 point more than the second best.", SECOND)),
        (0.2, 0.0, (("Wall", 0.2),), ("", "Second best, and about as good")),
        (-0.2, -3.0, (("Wall", -0.2),), ("", "Second best, and about as good")),
        (
            -0.4,
            -2.1,
            (("Wall", -0.4),),
            ("It costs you about half a point, but the best opponent about 2 points.", SECOND),
        ),
        (-2.0, 0.0, (("Wall", -2.0),), ("", SECOND)),
        (-2.0, -2.4, (("Wall", -2.0),), ("", SECOND)),
    ],
)
def test_gains_are_described_in_plain_words(gain, rival, sources, words):
    assert hints.compared_words(Comparison(9, gain, sources, rival)) == words


WAIT = "Second best: Wait."


def test_a_hint_says_what_to_do_and_why_and_what_is_second_best():
    said = hints.hint_text("Build", "+8 if scored now; the most gardens (1)", "It brings more.", WAIT)
    assert said == f"Expert: Build. +8 if scored now; the most gardens (1). It brings more. {WAIT}"
    assert hints.hint_text("Build", "", "It brings more.", WAIT) == f"Expert: Build. It brings more. {WAIT}"
    assert hints.hint_text("Build", "the wall", "", WAIT) == f"Expert: Build. The wall. {WAIT}"
    assert hints.hint_text("Build", "", "", "") == "Expert: Build."


def test_the_text_of_a_hint_is_cut_to_the_maximum_length():
    clauses, long, why = "; ".join(["the first clause", "x" * 200]), "x" * 200, "It brings more."
    assert hints.hint_text("Build", clauses, why, WAIT) == f"Expert: Build. The first clause. {why} {WAIT}"
    assert hints.hint_text("Build", clauses, long, WAIT) == f"Expert: Build. The first clause. {WAIT}"
    assert hints.hint_text("Build", long, why, WAIT) == f"Expert: Build. {WAIT}"
    assert hints.hint_text("Build", "", why, long) == "Expert: Build."
    longest = "x" * (hints.MAX_HINT_LENGTH - len(f"Expert: . {WAIT}"))
    assert hints.hint_text(longest, "", "", WAIT) == f"Expert: {longest}. {WAIT}"
    assert hints.hint_text(f"{longest}x", "", "", WAIT) == f"Expert: {longest}x."
    for length in (10, 60, 90, 300):
        text = hints.hint_text("x" * length, "z" * length, "w" * length, "y" * length)
        assert len(text) <= hints.MAX_HINT_LENGTH
