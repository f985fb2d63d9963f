"""Tables that wait for players: players can leave their seats, and no part of a deal is shown that will be replaced."""

from unittest.mock import Mock

import pytest
from sqlalchemy import select

from almunia.server.errors import Conflict, Forbidden
from almunia.server.storage import schema
from almunia.server.tables.clocks import BOT_ON_TIMEOUT, CORRESPONDENCE, REALTIME, TimeControl
from almunia.server.tables.model import OPEN, PERSON, StaleError
from almunia.server.tables.state import TableState
from almunia.server.tables.viewer_history import Hint
from almunia.server.users.game_lists import GameFilter

from ..programs import Program, token_of
from .conftest import ORIGIN, Visitor
from .seated import ANA, BEA, CEM, opened
from .test_lobby import offers
from .test_rated_deals import NOBODY, facts, id_of
from .test_rematches import over
from .test_seats import invitation, log

__all__ = ["over"]  # a fixture
THREE = {"seat-0": "me", "seat-1": "friend", "seat-2": "friend"}


def come(visitor):
    return Visitor(visitor.app, headers={"Origin": ORIGIN})


def seats_of(site, table):
    return [(seat.kind, seat.name) for seat in site.tables.get(id_of(table)).table.seats]


# --- open seats ------------------------------------------------------------------------------------


@pytest.mark.parametrize("unrated", [[], ["unrated"]])
@pytest.mark.parametrize("deed", ["leave", "resign"])
def test_leaving_a_waiting_table_frees_the_seat(visitor, stranger, site, deed, unrated):
    table = visitor.open(**THREE, **dict.fromkeys(unrated, 1))
    link = invitation(visitor, table)
    stranger.post(link, data={"name": "Bea"})
    page = stranger.get(table).text
    assert "Leave this game and free your seat" in page
    assert "a bot plays for you until you come back" not in page
    assert f'action="{table}/resign"' not in page
    assert stranger.post(f"{table}/{deed}", data={"seat": 1}, follow_redirects=False).status_code == 303
    assert seats_of(site, table)[1:] == [(OPEN, "A friend")] * 2
    assert log(visitor, table) == ["◆ Bea sits down.", "◆ Bea leaves the seat."]
    assert "You are watching." in stranger.get(table).text
    assert link in visitor.get(table).text, "it can be offered anew"
    for name in ("Cem", "Dan"):
        assert come(visitor).post(invitation(visitor, table), data={"name": name}).status_code == 200
    assert seats_of(site, table) == [(PERSON, "Guest"), (PERSON, "Cem"), (PERSON, "Dan")]
    assert not any(seat.bot for seat in site.tables.get(id_of(table)).table.seats)


def test_the_host_frees_a_seat(visitor, stranger, site):
    table = visitor.open(**THREE)
    stranger.post(invitation(visitor, table), data={"name": "Bea"})
    assert "Remove Bea from this seat" in visitor.get(table).text
    assert "from this seat" not in stranger.get(table).text
    assert stranger.post(f"{table}/remove-player", data={"seat": 0}).status_code == 403
    assert visitor.post(f"{table}/remove-player", data={"seat": 1}, follow_redirects=False).status_code == 303
    assert seats_of(site, table)[1] == (OPEN, "A friend")
    assert log(visitor, table)[-1] == "◆ Bea was removed by the host."
    for seat in (0, 1):  # the host's seat, and an open one
        assert visitor.post(f"{table}/remove-player", data={"seat": seat}).status_code == 409


@pytest.mark.parametrize("path", ["move", "undo", "hint"])
def test_a_request_for_a_seat_that_is_freed_before_it_gets_the_lock_is_refused(
    visitor, stranger, site, monkeypatch, path
):
    """The request is refused even if its sender has guessed the next version."""
    table = visitor.open(**THREE, unrated=1, hints=1)
    name, deed = id_of(table), {"hint": "get_for_hint"}.get(path, path)
    stranger.post(invitation(visitor, table), data={"name": "Bea"})
    while site.tables.get(name).play.turn != 1:
        visitor.act(table)
    seat, seen, actions = stranger.seen(table)
    before, wait_for_lock = site.tables.get(name), getattr(site.tables, deed)

    def queued(*given, **named):
        site.seats.remove_player(name, 1, before.table.host)
        return wait_for_lock(*given, **named)

    monkeypatch.setattr(site.tables, deed, queued)
    answer = stranger.post(f"{table}/{path}", data={"seat": seat, "seen": seen + 1, "action": actions[0], "sure": 1})
    assert answer.status_code == 403
    assert "You are watching this game, not playing. Nothing was changed." in answer.text
    assert site.tables.get(name).play.actions == before.play.actions


def test_a_seat_with_a_substitute_bot_refuses_its_player(site):
    table = opened(site, ANA, BEA, hints=True, lesson=True)
    now = site.tables.get(table)
    seen, action = now.history(0).version, now.play.legal_actions[0]
    deeds = (
        lambda guest: site.tables.move(table, 0, action, seen, guest=guest),
        lambda guest: site.tables.undo(table, 0, seen, guest=guest),
        lambda guest: site.tables.record_hint(table, 0, seen, Hint(action, "Expert: the first one."), guest=guest),
        lambda guest: site.tables.leave_lesson(table, 0, seen, guest=guest),
    )
    for deed in deeds:
        with pytest.raises(Forbidden, match="not your seat"):
            deed("bea")
    site.seats.step_away(table, 0, "ana", "easy")
    for deed in deeds:
        with pytest.raises(Conflict, match="A bot is playing for you"):
            deed("ana")
    assert not site.tables.get(table).play.actions


def test_a_leave_that_is_not_written_records_no_former_player(site, monkeypatch):
    table = opened(site, ANA, BEA, NOBODY)
    monkeypatch.setattr(site.tables.store, "append", Mock(side_effect=StaleError))
    with pytest.raises(Conflict):
        site.seats.step_away(table, 1, "bea", "easy")
    with site.engine.connect() as db:
        assert not db.execute(select(schema.former_player)).all()


def test_players_cannot_be_removed_from_a_full_table(site):
    table = opened(site, ANA, BEA, CEM)
    with pytest.raises(Conflict, match="Everyone has joined"):
        site.seats.remove_player(table, 1, "ana")
    with pytest.raises(Forbidden, match="Only the host"):
        site.seats.remove_player(table, 0, "bea")


def test_a_leaving_host_is_replaced_and_the_last_player_closes_the_table(site):
    table = opened(site, ANA, BEA, NOBODY)
    assert site.seats.step_away(table, 0, "ana", "easy").table.host == "bea"
    now = site.seats.step_away(table, 1, "bea", "easy")
    assert (now.table.finished, now.table.end_reason) == (True, "closed")
    assert [one.table.id for one in site.game_lists.find_page("bea", GameFilter()).games] == [table]


def test_the_seat_of_a_deleted_guest_at_a_waiting_table_is_freed(site):
    table = opened(site, ANA, BEA, NOBODY)
    assert site.seats.leave_permanently(table, 1, "bea", "easy").table.seats[1].kind == OPEN


def test_a_deletion_removes_all_entries_of_a_guest_from_the_log(visitor, stranger, site):
    table = visitor.open(**THREE)
    for _ in range(2):
        stranger.post(invitation(visitor, table), data={"name": "Bea"})
        stranger.post(f"{table}/leave", data={"seat": 1})
    stranger.post("/account/delete", data={"everything": "yes"})
    assert log(visitor, table) == ["◆ Deleted player sits down.", "◆ Deleted player leaves the seat."] * 2


def test_a_kept_seat_is_free_after_its_player_has_left(visitor, stranger, over, site):
    third, listings = visitor.open(**THREE), site.lobby.listings
    listings.reserve(id_of(third), {1: site.tables.get(id_of(over)).table.seats[1].player}, id_of(over))
    stranger.post(f"{third}/accept")
    assert seats_of(site, third)[1][0] == PERSON
    stranger.post(f"{third}/leave", data={"seat": 1})
    assert listings.reservations_at(id_of(third)) == []
    visitor.post(f"{third}/listing", data={"offered": 1})
    assert len(offers(come(visitor))) == 1


def test_the_agreement_of_a_player_who_left_does_not_count(site):
    table = opened(site, ANA, BEA, CEM, NOBODY)
    site.seats.propose_end(table, 0, "ana")
    site.seats.answer_proposal(table, 1, "bea", agree=True)
    site.seats.step_away(table, 1, "bea", "easy")
    site.seats.join(table, 1, "dan", "Dan")
    assert not site.seats.answer_proposal(table, 2, "cem", agree=True).table.finished
    assert site.seats.answer_proposal(table, 1, "dan", agree=True).table.finished


@pytest.mark.parametrize("kind", [REALTIME, CORRESPONDENCE])
def test_a_seat_that_was_left_stops_the_clock_and_its_vacation_ends(site, clock, kind):
    table = opened(site, ANA, BEA, NOBODY, time_control=TimeControl(kind, 300, 10, BOT_ON_TIMEOUT), rated=False)
    if kind == CORRESPONDENCE:
        site.vacations.begin("bea")
    site.seats.step_away(table, 1, "bea", "easy")
    now = site.seats.join(table, 2, "cem", "Cem")
    assert now.flag_at is None
    assert now.history(0).clocks.open_seats == {1}
    now = site.seats.join(table, 1, "dan", "Dan")
    assert now.flag_at is not None
    assert now.history(0).clocks.vacation_seats == frozenset()
    again = TableState.from_events(now.table, site.tables.store.events(now.table), now.play.game)
    assert facts(again) == facts(now)


def test_a_program_gives_its_seat_back(visitor, site):
    ana, bea = (Program(visitor.app, token_of(site, name)) for name in ("ana", "bea"))
    made = ana.post("/tables", {"game": "orchard", "seats": ["me", "open", "open"]}).json()
    link = made["seats"][1]["invitation"]
    bea.post("/tables/join", {"invitation": link, "name": "Bea"})
    left = bea.post(f"/tables/{made['table']}/leave", {}).json()
    assert (left["seats"][1]["kind"], left["seat"]) == ("open", None)


# --- waiting tables --------------------------------------------------------------------------------


@pytest.mark.parametrize("game", ["orchard", "oregon", "alhambra", "caylus", "alpujarras"])
def test_a_waiting_table_shows_no_hand(site, game):
    table = opened(site, ANA, BEA, NOBODY, game=game)
    now = site.tables.get(table)
    shown, spectator = now.for_viewer(0), now.history(-1)
    assert shown.view.to_state() == spectator.view.to_state()
    assert [panel.svg for panel in shown.panels] == [panel.svg for panel in spectator.panels]
    assert now.for_viewer(0).rendered is shown.rendered, "it is drawn once"
    after = site.seats.join(table, 2, "cem", "Cem")
    assert after.for_viewer(0).view.to_state() == after.history(0).view.to_state()


def test_a_program_sees_no_hand_at_a_waiting_table(visitor, site):
    ana = Program(visitor.app, token_of(site, "ana"))
    table = ana.post("/tables", {"game": "oregon", "seats": ["me", "open"]}).json()["table"]
    address = f"/tables/{table}/position"
    own, watched = (ana.get(f"{address}?include=data&include=tensor{more}").json() for more in ("", "&view=spectator"))
    assert own["seat"] == 1
    assert own["observation"]["state"] == watched["observation"]["state"]
    assert own["tensor"] == watched["tensor"]


def test_pages_describe_the_player_of_an_open_seat(visitor, site):
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend"})
    assert "Waiting for" in visitor.get(table).text
    assert "Another player" not in visitor.get(table).text
    visitor.post(f"{table}/listing", data={"offered": 1})
    page = visitor.get(table).text
    assert "<b><bdi>Another player</bdi></b>" in page
    assert "A friend" not in page
    assert "Send this link to a friend" in page
    visitor.post(f"{table}/reserve", data={"seat": 1, "who": "Bea"})
    assert "Another player" not in visitor.get(table).text
    listed = visitor.get("/my/games").text
    assert "with <bdi>Bea</bdi>" in listed
    unrated = visitor.open(**{"seat-0": "friend", "seat-1": "me", "offered": 1, "unrated": 1})
    assert "Another player" in visitor.get(unrated).text
    assert "with <bdi>an open seat</bdi>" in visitor.get("/my/games").text
