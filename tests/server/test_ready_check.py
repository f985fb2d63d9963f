"""Before a game begins: the ready check, and games that are aborted before every player has moved."""

from itertools import count

import pytest

from almunia.server.errors import Conflict, Forbidden, TooManyRequests
from almunia.server.lobby.rematches import invitations_topic
from almunia.server.tables.clocks import BOT_ON_TIMEOUT, REALTIME, TimeControl
from almunia.server.tables.state import TableState

from ..programs import Program, token_of
from .seated import ANA, BEA, CEM, move, opened
from .test_rated_deals import EASY, FRIEND, NOBODY, facts, id_of
from .test_seats import invitation, log

LIVE = TimeControl(REALTIME, 300, 10, BOT_ON_TIMEOUT)


def waiting(site, *seats, **more):
    """Open a table with a ready check, and let Cem take its open seat."""
    table = opened(site, *seats, NOBODY, ready_check=True, **more)
    site.seats.join(table, len(seats), "cem", "Cem")
    return table


def is_here(site, monkeypatch, *guests):
    monkeypatch.setattr(site.presence, "is_here", lambda _table, guest: guest in guests)


# --- the ready check -------------------------------------------------------------------------------


@pytest.mark.parametrize("rated", [True, False])
def test_the_game_starts_when_the_last_player_is_ready(site, clock, monkeypatch, rated):
    is_here(site, monkeypatch, "ana", "cem")
    table = waiting(site, ANA, rated=rated, time_control=LIVE)
    now = site.tables.get(table)
    assert (now.table.awaits_deal, now.table.rated, now.flag_at) == (True, rated, None)
    assert not now.history(0).legal
    with pytest.raises(Forbidden, match="isn't ready yet"):
        site.tables.move(table, now.play.turn, now.play.legal_actions[0], now.history(0).version)
    clock.advance(100)
    assert site.seats.set_ready(table, 1, "cem").table.awaits_deal
    now = site.seats.set_ready(table, 0, "ana")
    assert not now.table.awaits_deal
    assert now.flag_at == clock.now() + 300, "the wait costs no time"
    again = TableState.from_events(now.table, site.tables.store.events(now.table), now.play.game)
    assert facts(again) == facts(now)
    assert move(site, table).play.actions


def test_a_seat_is_made_ready_by_its_player_while_the_table_waits(site):
    open_table, plain = opened(site, ANA, NOBODY, ready_check=True), opened(site, ANA, BEA)
    for table in (open_table, plain):
        with pytest.raises(Conflict, match="doesn't wait"):
            site.seats.set_ready(table, 0, "ana")
    table = waiting(site, ANA)
    with pytest.raises(Forbidden):
        site.seats.set_ready(table, 0, "cem")
    first = site.seats.set_ready(table, 0, "ana").table.version
    assert site.seats.set_ready(table, 0, "ana").table.version == first, "twice is once"


def test_absent_players_are_not_ready(site, monkeypatch):
    monkeypatch.setattr(type(site.presence), "grace_until", 0.0)
    is_here(site, monkeypatch, "ana")
    table = waiting(site, ANA)
    site.seats.set_ready(table, 0, "ana")
    is_here(site, monkeypatch, "cem")
    now = site.seats.set_ready(table, 1, "cem")
    assert (now.table.awaits_deal, now.table.unready_seats) == (True, (0,))
    is_here(site, monkeypatch, "ana", "cem")
    assert not site.seats.set_ready(table, 0, "ana").table.awaits_deal


def test_no_player_is_absent_right_after_a_restart(site, monkeypatch):
    table = waiting(site, ANA)
    site.seats.set_ready(table, 0, "ana")
    monkeypatch.setattr(type(site.presence), "grace_until", 1.0)
    assert not site.seats.set_ready(table, 1, "cem").table.awaits_deal


def test_a_player_who_is_not_ready_can_leave_or_be_removed(site, monkeypatch):
    is_here(site, monkeypatch, "ana", "bea", "cem", "dan")
    table = waiting(site, ANA, BEA)
    site.seats.set_ready(table, 1, "bea")
    assert site.seats.remove_player(table, 2, "ana").table.open_seats == (2,)
    now = site.seats.join(table, 2, "dan", "Dan")
    assert now.table.unready_seats == (0, 1, 2), "a new player finds no one ready"
    assert site.seats.resign(table, 2, "dan", "easy").table.open_seats == (2,)
    assert site.seats.step_away(table, 0, "ana", "easy").table.host == "bea"
    assert site.seats.close_table(table, "bea").table.end_reason == "closed"


def test_a_table_without_open_seats_has_no_ready_check(site):
    assert not site.tables.get(opened(site, ANA, EASY, ready_check=True)).table.awaits_deal


def test_a_ready_check_keeps_a_chosen_seed(site, monkeypatch):
    is_here(site, monkeypatch, "ana", "cem")
    table = waiting(site, ANA, seed=77)
    cached = site.tables.get(table)
    for seat, guest in ((0, "ana"), (1, "cem")):
        site.seats.set_ready(table, seat, guest)
    now = site.tables.get(table)
    assert now.table.seed == 77
    reloaded = site.tables._load(table, cached)  # as in another process, which has the state before the deal
    assert reloaded.history(0).is_dealt
    assert facts(reloaded) == facts(now)


def test_pages_ask_each_player_to_be_ready(visitor, stranger, site):
    table = visitor.open(**FRIEND, ready_check=1)
    assert "once everyone has joined and is ready" in visitor.get(table).text
    stranger.post(invitation(visitor, table), data={"name": "Bea"})
    assert "I'm ready" in stranger.get(table).text
    stranger.post(f"{table}/ready", data={"seat": 1})
    page = stranger.get(table).text
    assert "I'm ready" not in page
    assert "to be ready." in page
    assert "I'm ready" in visitor.get(table).text
    visitor.post(f"{table}/ready", data={"seat": 0})
    assert log(visitor, table)[1:] == ["◆ Bea is ready.", "● Guest is ready.", "Everyone is here. The game starts."]
    assert not site.tables.get(id_of(table)).table.awaits_deal


def test_programs_can_be_ready(visitor, site, monkeypatch):
    is_here(site, monkeypatch, "ana", "bea")
    ana, bea = (Program(visitor.app, token_of(site, name)) for name in ("ana", "bea"))
    made = ana.post("/tables", {"game": "orchard", "seats": ["me", "open"], "ready_check": True}).json()
    bea.post("/tables/join", {"invitation": made["seats"][1]["invitation"], "name": "Bea"})
    after = bea.post(f"/tables/{made['table']}/ready", {}).json()
    assert (after["ready_check"], [seat["ready"] for seat in after["seats"]]) == (True, [False, True])
    assert ana.post(f"/tables/{made['table']}/ready", {}).json()["turn"] is not None


# --- aborted games ---------------------------------------------------------------------------------


def test_a_game_can_be_aborted_until_every_seat_has_moved(site):
    for moves in count():
        table = opened(site, ANA, BEA, CEM, rated=False, game="caylus")
        moved = {move(site, table).events[-1].seat for _ in range(moves)}
        if len(moved) == 3:
            break
        after = site.seats.abort(table, 1, "bea").table
        assert (after.finished, after.end_reason, after.resigned_seat) == (True, "aborted", None)
    assert moves == 3
    with pytest.raises(Conflict, match="until every player has moved once"):
        site.seats.abort(table, 1, "bea")


def test_a_rated_game_that_is_aborted_changes_no_rating_and_three_a_day_are_enough(site, clock):
    tables = [opened(site, ANA, BEA) for _ in range(5)]
    for table in tables[:3]:
        assert site.seats.abort(table, 0, "ana").table.end_reason == "aborted"
    with pytest.raises(TooManyRequests, match="3 rated games within a day"):
        site.seats.abort(tables[3], 0, "ana")
    assert site.seats.abort(tables[4], 1, "bea").table.finished, "the limit is each player's own"
    clock.advance(86401)
    assert site.seats.abort(tables[3], 0, "ana").table.finished
    assert site.profiles.ratings("ana") == site.profiles.ratings("bea") == []


def test_rated_games_with_bots_and_waiting_tables_cannot_be_aborted(site):
    for seats in ((ANA, EASY), (ANA, BEA, EASY), (ANA, NOBODY)):
        with pytest.raises(Conflict, match="can't be aborted"):
            site.seats.abort(opened(site, *seats), 0, "ana")
    with pytest.raises(Forbidden):
        site.seats.abort(opened(site, ANA, BEA), 0, "bea")


def test_the_page_of_an_aborted_game_names_the_reason(visitor, stranger):
    table = visitor.open(**FRIEND, unrated=1)
    stranger.post(invitation(visitor, table), data={"name": "Bea"})
    assert "Abort this game" in stranger.get(table).text
    stranger.post(f"{table}/abort", data={"seat": 1})
    assert "This game was aborted before every player had moved." in visitor.get(table).text
    assert log(visitor, table)[-1] == "◆ Bea aborts the game before every player has moved."
    stranger.post("/account/delete", data={"everything": "yes"})
    assert log(visitor, table)[-1] == "◆ Deleted player aborts the game before every player has moved."


def test_a_program_aborts_a_game(visitor, site, monkeypatch):
    program = Program(visitor.app, token_of(site, "ana"))
    table = opened(site, ANA, BEA)
    site.lobby.listings.reserve(table, {1: "cem"}, "")
    told = set()
    monkeypatch.setattr(site.broker, "publish", told.add)
    assert program.post(f"/tables/{table}/abort", {}).json()["ended"] == "aborted"
    assert invitations_topic("cem") in told
    assert program.post(f"/tables/{table}/abort", {}).status_code == 409
