"""Rematches: reserved seats and invitations for the same players."""

from concurrent.futures import ThreadPoolExecutor

import pytest

from almunia.server.lobby.rematches import invitations_topic, rematch_topic
from almunia.server.tables.model import OPEN, OPEN_SEAT_NAME, PERSON
from almunia.server.web.table_notices import NoticeServices, TableNotices

from ..serving import settled
from ..waiting import CountingLock, wait_until
from .conftest import ORIGIN, Visitor
from .test_lobby import FRIENDS, name_of
from .test_seats import invitation, log
from .test_secrets import session_of


@pytest.fixture
def over(visitor, stranger):
    """Return the path of a finished game of Ana and Bea."""
    visitor.post("/preferences", data={"name": "Ana"})
    table = visitor.open(**FRIENDS)
    stranger.post(invitation(visitor, table), data={"name": "Bea"})
    visitor.post(f"{table}/resign", data={"seat": 0})
    return table


def again(visitor, table):
    answer = visitor.post(f"{table}/rematch", data={"how": "new"}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def test_an_invitation_is_shown_on_all_pages_of_an_opponent(visitor, stranger, over):
    new = again(visitor, over)
    for page in ("/", "/my/games", over):
        text = stranger.get(page).text
        assert "<bdi>Ana</bdi></b> wants to play" in text, page
        assert f'action="{new}/accept"' in text, page
    assert "wants to play" not in visitor.get("/").text
    assert "Go to the new game" in visitor.get(over).text
    answer = stranger.post(f"{new}/accept", follow_redirects=False)
    assert answer.headers["location"] == new
    seats = visitor.app.state.site.tables.get(name_of(new)).table.seats
    assert [seat.name for seat in seats] == ["Ana", "Bea"]
    assert all(seat.kind == PERSON for seat in seats)
    assert "wants to play" not in stranger.get("/").text
    assert "Go to the new game" in stranger.get(over).text


def test_a_rematch_leaves_the_seat_of_a_deleted_player_open(visitor, stranger, over):
    stranger.post("/account/delete", data={"everything": "yes"})
    new = again(visitor, over)
    seats = visitor.app.state.site.tables.get(name_of(new)).table.seats
    assert [(seat.kind, seat.name) for seat in seats] == [(PERSON, "Ana"), (OPEN, OPEN_SEAT_NAME)]
    assert "Deleted player" not in visitor.get(new).text
    assert not visitor.app.state.site.rematches._listings.reservations_after(name_of(over))


def told_again(visitor, table):
    """Return the events about the next game from a new stream of a visitor."""
    services, guest = visitor.app.state.services[NoticeServices], session_of(visitor).get("guest", "")
    events = settled(TableNotices(services, name_of(table), guest).poll(finished=True))
    return [event for event in events if event.startswith("event: again")]


def test_the_stream_of_a_finished_game_sends_invitations_to_its_players_only(visitor, stranger, over):
    assert told_again(stranger, over) == []
    new = again(visitor, over)
    found = told_again(stranger, over)
    assert len(found) == 1
    assert f'data-again="{found[0].split()[-1]}"' in stranger.get(over).text
    assert told_again(Visitor(visitor.app, headers={"Origin": ORIGIN}), over) == []
    stranger.post(f"{new}/decline")
    assert told_again(stranger, over) == []


def test_two_players_who_ask_for_a_rematch_share_one_table(visitor, stranger, over):
    new = again(visitor, over)
    assert again(stranger, over) == new
    assert len(visitor.app.state.site.tables.store.all()) == 2


def test_two_concurrent_rematches_share_one_table(visitor, stranger, over, monkeypatch):
    """Without a lock both would look for a rematch before the other one has opened it."""
    site, meeting = visitor.app.state.site, CountingLock()
    tables, opening = site.tables, site.tables.create

    def once_both_have_come(*given, **named):
        wait_until(lambda: meeting.asked == 2, "both have clicked")
        return opening(*given, **named)

    monkeypatch.setattr(tables, "create", once_both_have_come)
    monkeypatch.setattr(site.rematches, "_lock", meeting)
    with ThreadPoolExecutor(2) as pool:
        one, other = pool.map(lambda who: again(who, over), (visitor, stranger))
    assert one == other
    assert len(tables.store.all()) == 2


def test_a_new_invitation_replaces_the_previous_one(visitor, stranger, over):
    """Otherwise a player could send a hundred invitations."""
    for _ in range(4):
        visitor.post(f"{over}/rematch", data={"how": "same"})
    assert stranger.get("/my/games").text.count("wants to play") == 1


def test_a_kept_seat_is_refused_to_other_guests(visitor, stranger, over):
    new = again(visitor, over)
    third = Visitor(visitor.app, headers={"Origin": ORIGIN})
    refused = third.post(f"{new}/accept")
    assert refused.status_code == 409
    assert "Your seat in that game is no longer reserved" in refused.text
    visitor.post(f"{new}/listing", data={"offered": 1})
    assert 'name="offer"' not in third.get("/lobby").text
    assert "wants to play" not in third.get(over).text


def test_a_declined_invitation_frees_the_seat(visitor, stranger, over):
    new = again(visitor, over)
    answer = stranger.post(f"{new}/decline", data={"back": "/my/games"}, follow_redirects=False)
    assert answer.headers["location"] == "/my/games"
    assert "wants to play" not in stranger.get("/my/games").text
    assert stranger.post(f"{new}/decline").status_code == 409
    assert stranger.post(f"{new}/accept").status_code == 409
    assert visitor.app.state.site.tables.get(name_of(new)).table.seats[1].kind == OPEN


def test_the_log_reports_a_declined_invitation(visitor, stranger, over):
    new = again(visitor, over)
    name = visitor.app.state.site.tables.get(name_of(new)).table.seats[1].name
    stranger.post(f"{new}/decline")
    assert log(visitor, new) == [f"◆ {name} declines the invitation.", f"◆ {OPEN_SEAT_NAME} can take this seat."]
    assert visitor.app.state.site.tables.get(name_of(new)).table.seats[1].name == OPEN_SEAT_NAME


@pytest.mark.parametrize(("deed", "data"), [("close", {}), ("bot", {"seat": 1, "spec": "easy"})])
def test_pages_are_notified_when_an_invitation_ends(visitor, stranger, over, deed, data, monkeypatch):
    new = again(visitor, over)
    notifier, told = visitor.app.state.site.broker, set()
    monkeypatch.setattr(notifier, "publish", told.add)
    visitor.post(f"{new}/{deed}", data=data)
    assert {rematch_topic(name_of(over)), invitations_topic(session_of(stranger)["guest"])} <= told


def test_an_invitation_ends_with_its_seat_or_game(visitor, stranger, over):
    new = again(visitor, over)
    visitor.post(f"{new}/bot", data={"seat": 1, "spec": "easy"})
    assert "wants to play" not in stranger.get("/").text
    assert stranger.post(f"{new}/accept").status_code == 409
    other = again(visitor, over)
    assert other == new, "who plays there already goes there"
    visitor.post(f"{new}/resign", data={"seat": 0})


def test_a_rematch_can_be_opened_again_after_it_was_closed(visitor, stranger, over):
    new = again(visitor, over)
    visitor.post(f"{new}/close")
    assert "wants to play" not in stranger.get(over).text
    assert again(visitor, over) != new


# --- reserved seats -------------------------------------------------------------------------------


def test_the_host_reserves_a_seat_by_name(visitor, stranger):
    table = visitor.open(**FRIENDS)
    assert visitor.post(f"{table}/reserve", data={"seat": 1, "who": " Ann  Lee "}).status_code == 200
    page = visitor.get(table).text
    assert "Send this link to <bdi>Ann Lee</bdi>" in page
    assert "◆ Ann Lee can take this seat." in log(visitor, table)
    link = invitation(visitor, table)
    joining = stranger.get(link).text
    assert "This seat is for <bdi>Ann Lee</bdi>" in joining
    assert 'name="name" value="Ann Lee"' in joining
    stranger.post(link, data={"name": "Ann"})
    assert visitor.app.state.site.tables.get(name_of(table)).table.seats[1].name == "Ann"


def test_a_name_given_when_the_table_is_opened_counts(visitor):
    table = visitor.open(**FRIENDS, **{"name-1": "Ann"})
    assert "Send this link to <bdi>Ann</bdi>" in visitor.get(table).text


def test_only_players_name_open_seats(visitor, stranger):
    table = visitor.open(**FRIENDS)
    assert stranger.post(f"{table}/reserve", data={"seat": 1, "who": "Eve"}).status_code == 403
    assert visitor.post(f"{table}/reserve", data={"seat": 0, "who": "Eve"}).status_code == 403
    assert visitor.post(f"{table}/reserve", data={"seat": 7, "who": "Eve"}).status_code == 404
    assert visitor.post(f"{table}/reserve", data={"seat": 1, "who": ""}).status_code == 422
    assert visitor.app.state.site.tables.get(name_of(table)).table.version == 0


def test_a_reserved_name_at_the_table_gets_a_number(visitor):
    visitor.post("/preferences", data={"name": "Ana"})
    table = visitor.open(**FRIENDS)
    visitor.post(f"{table}/reserve", data={"seat": 1, "who": "Ana"})
    assert visitor.app.state.site.tables.get(name_of(table)).table.seats[1].name == "Ana 2"


def test_a_kept_seat_with_the_name_of_open_seats_is_not_offered(visitor, stranger):
    """An open seat without a reservation has the same name."""
    visitor.post("/preferences", data={"name": "Ana"})
    table = visitor.open(**FRIENDS)
    stranger.post(invitation(visitor, table), data={"name": OPEN_SEAT_NAME})
    visitor.post(f"{table}/resign", data={"seat": 0})
    new = again(visitor, table)
    visitor.post(f"{new}/listing", data={"offered": 1})
    third, open_tables = Visitor(visitor.app, headers={"Origin": ORIGIN}), visitor.app.state.site.lobby
    assert open_tables.current().joinable == ()
    assert "Sit down" not in third.get("/lobby").text
    handle = open_tables.listings.get(name_of(new)).handle
    assert third.post("/lobby/join", data={"offer": handle}).status_code == 409
    stranger.post(f"{new}/decline", data={"seat": 1})
    site = visitor.app.state.site
    site.lobby._read_at = 0.0
    assert [one.free_seats for one in site.lobby.current().joinable] == [1]
    assert third.post("/lobby/join", data={"offer": handle}, follow_redirects=False).status_code == 303


@pytest.fixture
def shared(visitor, stranger):
    """Return the path of a finished game of Ana with Bea and Cem, who shared a screen."""
    visitor.post("/preferences", data={"name": "Ana"})
    table = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seat-2": "friend"})
    first = invitation(visitor, table)
    stranger.post(first, data={"name": "Bea"})
    stranger.post(invitation(visitor, table), data={"name": "Cem"})
    stranger.post("/preferences", data={"name": "Bea"})
    site = visitor.app.state.site
    site.seats.propose_end(name_of(table), 0, site.tables.store.find(name_of(table)).host)
    stranger.post(f"{table}/answer-proposal", data={"seat": 1, "agree": 1})
    return table


def test_a_guest_with_several_seats_accepts_each_of_them(visitor, stranger, shared):
    new = again(visitor, shared)
    for page in ("/", "/my/games", shared):
        text = stranger.get(page).text
        for name in ("Bea", "Cem"):
            assert f"<bdi>{name}</bdi>" in text, page
            assert f"as {name}</span>" in text, page
    tables = visitor.app.state.site.tables
    for _ in range(2):  # the first response may be lost
        assert stranger.post(f"{new}/accept", data={"seat": 2}, follow_redirects=False).status_code == 303
    assert [(seat.kind, seat.name) for seat in tables.get(name_of(new)).table.seats][1:] == [
        (OPEN, "Bea"),
        (PERSON, "Cem"),
    ]
    assert "wants to play" in stranger.get("/").text
    ended = stranger.get(shared).text
    assert "Go to the new game" in ended
    assert "as Bea</span>" in ended
    stranger.post(f"{new}/accept", data={"seat": 1})
    assert [seat.name for seat in tables.get(name_of(new)).table.seats] == ["Ana", "Bea", "Cem"]
    assert "wants to play" not in stranger.get("/").text


def test_a_guest_with_several_seats_can_decline_one(visitor, stranger, shared):
    new = again(visitor, shared)
    stranger.post(f"{new}/decline", data={"seat": 2})
    assert stranger.post(f"{new}/accept", data={"seat": 2}).status_code == 409
    page = stranger.get("/").text
    assert page.count("wants to play") == 1
    assert 'name="seat" value="1"' in page
    assert stranger.post(f"{new}/accept", data={"seat": 7}).status_code == 409
    stranger.post(f"{new}/accept")
    seats = visitor.app.state.site.tables.get(name_of(new)).table.seats
    assert [seat.kind for seat in seats] == [PERSON, PERSON, OPEN]


def test_a_script_gets_only_the_invitations(visitor, stranger, over):
    new = again(visitor, over)
    for page in ("/", "/my/games"):
        assert f'data-page="/invitations?back={page}"' in stranger.get(page).text
        answer = stranger.get(f"/invitations?back={page}")
        assert "Learn it first" not in answer.text, "they have played it together"
        assert f'action="{new}/accept"' in answer.text
        assert "<main" not in answer.text
        assert f'value="{page}"' in answer.text
    assert 'value="/"' in stranger.get("/invitations?back=//elsewhere.example").text
    assert "accept" not in stranger.get(f"/invitations?back={over}").text, "the page of the game shows it itself"


def test_invitations_notify_the_invited_guest_only(visitor, stranger, over):
    site = visitor.app.state.site
    guests = {seat.name: seat.player for seat in site.tables.get(name_of(over)).table.seats}
    told, before = [], {name: site.rematches.invitations_version(guest) for name, guest in guests.items()}
    notify = site.broker.publish
    site.broker.publish = lambda topic: told.append(topic) or notify(topic)
    new = again(visitor, over)
    assert invitations_topic(guests["Bea"]) in told
    assert invitations_topic(guests["Ana"]) not in told
    assert site.rematches.invitations_version(guests["Bea"]) != before["Bea"]
    assert site.rematches.invitations_version(guests["Ana"]) == before["Ana"]
    told.clear()
    stranger.post(f"{new}/decline")
    assert invitations_topic(guests["Bea"]) in told
    assert site.rematches.invitations_version(guests["Bea"]) == before["Bea"]


def test_visitors_without_a_name_have_no_stream_of_invitations(visitor):
    assert visitor.get("/invitations/stream").status_code == 204
