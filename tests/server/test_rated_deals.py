"""The deal of a rated game is drawn when the last seat is taken, so that players cannot look for a good hand."""

import pytest
from sqlalchemy import text

from almunia.server.errors import Conflict, Forbidden
from almunia.server.tables.clocks import CLAIM, REALTIME, TimeControl
from almunia.server.tables.model import BOT, BOT_JOINED, DEALT, OPEN, PLAYER_JOINED, SUBSTITUTED, Seat
from almunia.server.tables.state import TableState

from ..programs import Program, token_of
from .seated import ANA, BEA, move, opened
from .test_lobby import offers
from .test_seating import view_of
from .test_seats import invitation, log

NOBODY = Seat(OPEN, "", "A friend")
EASY = Seat(BOT, "easy", "Easy bot")
FRIEND = {"seat-0": "me", "seat-1": "friend"}
ANEW = "starts with a new deal once everyone has joined"
REFUSED = "because a seat is still open"


@pytest.fixture
def deals():
    """Return the seeds of the next deals.

    In Oregon the second seat begins with seed 1, and the first seat with seed 2.
    """
    return [1, 2, 1]


@pytest.fixture
def seeds(request, seeds):
    """Return a function that takes seeds from `deals` if the test uses that fixture, else the usual function."""
    deals = request.getfixturevalue("deals") if "deals" in request.fixturenames else None
    return seeds if deals is None else lambda: deals.pop(0)


def id_of(table):
    return table.rpartition("/")[2]


def facts(state):
    """Return the facts of a table that viewers, lists and clocks depend on."""
    readers = [state.history(reader) for reader in (*range(len(state.table.seats)), -1)]
    known = [
        (
            one.view.to_state(),
            one.legal,
            one.turn,
            one.version,
            one.question_version,
            one.turn_started_at,
            one.names,
            one.clocks,
        )
        for one in readers
    ]
    lines = [[line for entry in one.log_entries for line in entry.lines] for one in readers]
    return state.table.seed, state.table.turn, state.flag_at, state.play.to_state(), known, lines


# --- before the deal -------------------------------------------------------------------------------


def test_moves_are_refused_before_all_seats_are_taken(visitor, stranger, site):
    table = visitor.open(**FRIEND)
    seat, seen, actions = visitor.seen(table)
    assert (seat, actions) == (0, [])
    page = visitor.get(table).text
    assert ANEW in page
    assert "data-action=" not in page
    assert 'class="now"' not in page  # no seat is to move
    assert "Send the link, or let a bot take the seat." in page
    assert "You are watching." in stranger.get(table).text
    legal = site.tables.get(id_of(table)).play.legal_actions
    for path, fields in (("move", {"action": legal[0]}), ("undo", {})):
        refused = visitor.post(f"{table}/{path}", data={"seat": seat, "seen": seen, "sure": 1, **fields})
        assert refused.status_code == 403
        assert REFUSED in refused.text
    assert "Waiting for you" not in visitor.get("/my/games").text
    assert "Waiting for players" in visitor.get("/my/games").text
    assert "Waiting for players" in visitor.get("/").text
    assert site.tables.store.find(id_of(table)).version == 0


def test_a_guest_with_two_seats_cannot_move_before_the_deal(visitor, site):
    table = visitor.open(**{**FRIEND, "seat-2": "friend"})
    name = id_of(table)
    now = site.seats.join(name, 1, site.tables.get(name).table.host, "Ana")
    assert [seat.visible_turn for seat in now.table.seats] == [-1, -1, -1]
    for seat in (0, 1):
        fields = {"seat": seat, "action": now.play.legal_actions[0], "seen": now.history(seat).version}
        with pytest.raises(Forbidden, match="a seat is still open"):
            site.tables.move(name, *fields.values())
        assert REFUSED in visitor.answer(table, fields).text


def test_takebacks_and_claims_are_refused_before_the_deal(site, clock, deals):
    table = opened(site, ANA, BEA, NOBODY, game="oregon", absence_timeout=3600)
    assert site.tables.get(table).play.turn == 1
    with pytest.raises(Conflict, match="moved yet"):
        site.seats.propose_takeback(table, 0, "ana")
    clock.advance(3601)
    with pytest.raises(Conflict, match="'s turn, or they"):
        site.seats.claim_seat(table, 1, "ana", "easy")
    view = view_of(site, table)
    assert view.attendance.replaceable == {0, 1}
    assert not view.opponent_absent
    assert view.next_change_at is None
    assert "claim" not in view.seat_actions(1)
    assert site.seats.close_table(table, "ana").table.end_reason == "closed"


def test_bots_are_not_called_before_the_deal(site, monkeypatch):
    called = []
    monkeypatch.setattr(site.bot_runner, "enqueue", lambda table, *_: called.append(table))
    table = opened(site, EASY, ANA, NOBODY)
    assert not site.tables.get(table).table.is_bot_to_move
    assert site.tables.store.with_bot_to_move() == []
    site.seats.reserve_for(table, 2, "ana", "Bea")
    assert not site.tables.store.find(opened(site, ANA, NOBODY, EASY)).is_bot_to_move
    assert called == []
    assert site.seats.join(table, 2, "bea", "Bea").table.is_bot_to_move
    assert called == [table]
    assert [one[:2] for one in site.tables.store.with_bot_to_move()] == [(table, "easy")]  # "easy" counts as the owner


# --- the deal --------------------------------------------------------------------------------------


def test_pages_before_the_deal_do_not_reveal_it(visitor, stranger, site):
    table = visitor.open("alhambra", **FRIEND)
    name = id_of(table)
    before, page = site.tables.get(name), visitor.get(table)
    seen = visitor.seen(table)[1]
    stranger.post(invitation(visitor, table), data={"name": "Bea"})
    after = site.tables.get(name)
    assert after.table.seed != before.table.seed
    for reader in (0, 1, -1):
        assert after.history(reader).view.to_state() != before.history(reader).view.to_state()
        assert after.history(reader).version > before.history(reader).version
    turn = after.table.turn
    assert after.table.seats[0].visible_turn == after.table.seats[1].visible_turn == turn == after.play.turn
    again = visitor.get(table, headers={"If-None-Match": page.headers["ETag"]})
    assert again.status_code == 200
    assert ANEW not in again.text
    player = (visitor, stranger)[turn]
    late = player.answer(table, {"action": after.play.legal_actions[0], "seat": turn, "seen": seen})
    assert late.status_code == 409
    assert player.act(table).status_code == 303
    assert log(visitor, table)[:2] == ["◆ Bea sits down.", "Everyone is here. The game starts."]


def test_the_deal_is_drawn_once(site):
    table = opened(site, ANA, NOBODY, NOBODY)
    seeds = [site.tables.get(table).table.seed]
    seeds.append(site.seats.join(table, 1, "bea", "Bea").table.seed)
    seeds.append(site.seats.add_bot(table, 2, "ana", "easy").table.seed)
    seeds.append(site.seats.step_away(table, 1, "bea", "easy").table.seed)
    seeds.append(site.seats.resign(table, 1, "bea", "easy").table.seed)
    assert seeds[0] == seeds[1] != seeds[2] == seeds[3] == seeds[4]
    kinds = [entry.kind for entry in site.tables.get(table).events]
    assert kinds.count(DEALT) == 1
    assert kinds[:4] == [PLAYER_JOINED, BOT_JOINED, DEALT, SUBSTITUTED]


def test_the_deal_is_known_to_other_processes_and_after_a_restart(site, start):
    table = opened(site, ANA, NOBODY, game="alhambra", time_control=TimeControl(REALTIME, 300, 10, CLAIM))
    other = start().app.state.site
    old = other.tables.get(table)
    facts(old)  # caches its histories
    now = site.seats.join(table, 1, "bea", "Bea")
    found = other.tables.get(table)
    assert facts(found) == facts(now) == facts(start().app.state.site.tables.get(table))
    assert found.table.seed != old.table.seed
    seat = found.table.turn
    other.tables.move(table, seat, found.play.legal_actions[0], found.history(seat).version)
    move(site, table)


def test_the_table_is_rebuilt_from_its_events(site):
    table = opened(site, ANA, NOBODY, game="alpujarras")
    site.seats.reserve_for(table, 1, "ana", "Bea")
    site.seats.join(table, 1, "bea", "Bea")
    now = move(site, table, 3)
    again = TableState.from_events(now.table, site.tables.store.events(now.table), now.play.game)
    assert facts(again) == facts(now)


def test_joining_from_the_lobby_draws_the_deal(visitor, stranger, site):
    table = visitor.open(**FRIEND, offered=1)
    assert "Anyone in the lobby can join" in visitor.get(table).text
    before = site.tables.get(id_of(table)).table.seed
    stranger.post("/lobby/join", data={"offer": offers(stranger)[0]})
    assert site.tables.get(id_of(table)).table.seed != before
    assert visitor.seen(table)[2]


def test_programs_cannot_move_before_the_deal(visitor, site):
    ana, bea = (Program(visitor.app, token_of(site, name)) for name in ("ana", "bea"))
    made = ana.post("/tables", {"game": "orchard", "seats": ["me", "open"]}).json()
    address = f"/tables/{made['table']}"
    before = ana.get(f"{address}/position").json()
    assert (before["turn"], before["your_turn"], before["legal"], before["courses"]) == (None, False, [], [])
    legal = site.tables.get(made["table"]).play.legal_actions
    refused = ana.post(f"{address}/move", {"actions": [legal[0]], "seen": before["seen"]})
    assert refused.status_code == 403
    assert REFUSED in refused.json()["error"]
    link = made["seats"][1]["invitation"]
    assert bea.post("/tables/join", {"invitation": link, "name": "Bea"}).status_code == 200
    late = ana.post(f"{address}/move", {"actions": [legal[0]], "seen": before["seen"]})
    assert late.status_code == 409
    now = late.json()["position"]
    assert (now["turn"], now["your_turn"]) == (1, True)
    assert ana.post(f"{address}/move", {"actions": [now["legal"][0]["action"]], "seen": now["seen"]}).status_code == 200


@pytest.mark.parametrize("begins", [0, 1])
def test_clocks_start_with_the_deal_at_the_seat_that_begins(site, clock, deals, begins):
    del deals[:begins]
    table = opened(site, ANA, NOBODY, game="oregon", time_control=TimeControl(REALTIME, 300, 10, "bot"))
    clock.advance(500)
    now = site.seats.join(table, 1, "bea", "Bea")
    assert now.table.turn == begins
    assert now.table.flag_at == clock.now() + 300
    for reader in (0, 1, -1):
        clocks = now.history(reader).clocks
        assert (clocks.running, clocks.remaining, clocks.flag_at) == (begins, (300, 300), clock.now() + 300)
        assert now.history(reader).turn_started_at == clock.now()


def test_the_absence_of_the_first_player_counts_from_the_deal(site, clock, monkeypatch):
    table = opened(site, ANA, NOBODY, absence_timeout=3600)
    clock.advance(3601)
    site.seats.join(table, 1, "bea", "Bea")
    monkeypatch.setattr(site.seats, "may_be_replaced", lambda *_: True)
    with pytest.raises(Conflict, match="'s turn, or they"):
        site.seats.claim_seat(table, 0, "bea", "easy")


# --- older tables -----------------------------------------------------------------------------------


@pytest.mark.parametrize("more", [{"rated": False}, {"seed": 3}, {"hints": True}])
def test_unrated_tables_can_begin_with_open_seats(site, more):
    table = opened(site, ANA, NOBODY, **more)
    seed = move(site, table).table.seed
    now = site.seats.join(table, 1, "bea", "Bea")
    assert (now.table.seed, len(now.play.actions)) == (seed, 1)
    assert DEALT not in [entry.kind for entry in now.events]


def test_a_table_begun_before_this_version_keeps_its_deal(visitor, site, start):
    table = opened(site, ANA, NOBODY)
    seed = site.tables.get(table).table.seed
    with site.tables.store.engine.begin() as db:
        db.execute(text("UPDATE game_table SET turn = 0"))
    again = start().app.state.site
    move(again, table)
    now = again.seats.join(table, 1, "bea", "Bea")
    assert (now.table.seed, len(now.play.actions)) == (seed, 1)
