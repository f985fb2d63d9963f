"""Threads share the cached states of tables without disturbing each other or waiting for each other."""

import asyncio
from threading import Thread
from types import SimpleNamespace

import pytest

from almunia.core.contract import NONE, SPECTATOR
from almunia.server.broker import Broker
from almunia.server.tables.clocks import CLAIM, CORRESPONDENCE, DAY, TimeControl
from almunia.server.tables.model import HOST_CHANGED, MOVE, OPEN, RETURNED, Seat, TableEvent
from almunia.server.tables.viewer_history import ViewerHistory

from .seated import ANA, BEA, opened

SLOW = TimeControl(CORRESPONDENCE, DAY, 0, CLAIM)


@pytest.mark.parametrize(
    ("change", "step"),
    [
        (lambda state: state.with_events((TableEvent(1, HOST_CHANGED),), state.play), "with_event"),
        (lambda state: state.with_table(state.table), "with_hours"),
    ],
)
def test_a_spectator_can_connect_while_a_state_changes(change, step, site, monkeypatch):
    before = site.tables.get(opened(site, ANA, BEA, time_control=SLOW))
    before.history(0), before.history(1)
    change_history = getattr(ViewerHistory, step)

    def change_while_a_spectator_comes(history, *given):
        before.history(SPECTATOR)
        return change_history(history, *given)

    monkeypatch.setattr(ViewerHistory, step, change_while_a_spectator_comes)
    after = change(before)
    assert after.history(0).clocks == before.history(0).clocks
    assert after.is_view_ready(0)


def test_states_share_no_histories(site):
    before = site.tables.get(opened(site, ANA, BEA))
    after = before.with_table(before.table)
    before.history(SPECTATOR)
    assert before.is_view_ready(SPECTATOR)
    assert not after.is_view_ready(SPECTATOR)


def test_before_the_deal_a_view_needs_the_history_of_spectators(site):
    now = site.tables.get(opened(site, ANA, Seat(OPEN, "", "A friend")))
    assert now.table.turn == NONE
    now = type(now).from_events(now.table, now.events, now.play.game)
    now.history(0)
    assert not now.is_view_ready(0)
    now.for_viewer(0)
    assert now.is_view_ready(0)


def test_a_question_for_a_hint_is_read_without_the_lock_of_the_table(site, monkeypatch):
    table = opened(site, ANA, BEA, hints=True)
    seat = site.tables.get(table).play.turn
    monkeypatch.setattr(site.tables, "lock", lambda _: pytest.fail("The table is locked."))
    assert site.tables.get_for_hint(table, seat, 0).table.id == table


def test_states_are_invalidated_under_the_lock_of_the_cache(site):
    """Without the lock, two threads could count only one of two messages."""
    tables = site.tables

    class Counts(list):
        def __setitem__(self, index, count):
            assert tables._cache_lock.locked()
            super().__setitem__(index, count)

        def __iter__(self):
            assert tables._cache_lock.locked()
            return super().__iter__()

    tables._invalidation_counts = Counts(tables._invalidation_counts)
    tables.invalidate("table")
    tables.invalidate_all()
    assert set(tables._invalidation_counts) == {1, 2}


def test_concurrent_polls_do_not_wait_for_each_other(site, monkeypatch):
    versions, waits = site.tables.store.versions, []

    def read_while_another_thread_polls(names):
        if not waits:
            other = Thread(target=site.missed_changes.poll, daemon=True)
            other.start()
            waits.append(True)
            other.join(5)
            waits[0] = other.is_alive()
        return versions(names)

    monkeypatch.setattr(site.tables.store, "versions", read_while_another_thread_polls)
    site.missed_changes._polled_at = -1e9
    site.missed_changes.poll()
    assert waits == [False]


def test_publishing_to_a_closing_loop_raises_no_error(monkeypatch):
    broker = Broker()
    monkeypatch.setattr(asyncio, "get_running_loop", lambda: SimpleNamespace(call_soon_threadsafe=close_meanwhile))
    broker.start()
    broker.publish("table")


def close_meanwhile(*_given):
    raise RuntimeError("Event loop is closed")


def test_events_about_seats_keep_the_play(site):
    before = site.tables.get(opened(site, ANA, BEA))
    before.history(0)
    after = before.with_events((TableEvent(1, RETURNED), TableEvent(1, HOST_CHANGED)))
    assert after.play is before.play
    assert after.history(0).version == before.history(0).version + 2


def test_several_events_update_a_history_like_single_ones(site):
    before = site.tables.get(opened(site, ANA, BEA))
    before.history(0)
    play, moves = before.play.copy(), []
    for _ in range(3):
        moves.append(TableEvent(play.turn, MOVE, play.legal_actions[0]))
        play.apply(play.legal_actions[0])
    one_by_one = before
    for event in moves:
        one_by_one = one_by_one.fast_forward(before.table, [event])
    together = before.with_events(tuple(moves), play)
    assert together.history(0).log_entries == one_by_one.history(0).log_entries
