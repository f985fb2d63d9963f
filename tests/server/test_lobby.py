"""The lobby: its list, its filters, and how players meet there."""

import re
from collections import Counter
from concurrent.futures import ThreadPoolExecutor
from html import unescape
from threading import Barrier

import pytest

from almunia.server.cluster.messages import PageHandlers
from almunia.server.errors import Conflict
from almunia.server.limits import Limits
from almunia.server.lobby.repository import ListedTable, Listing, LobbyRepository
from almunia.server.lobby.service import BATCH_TABLES, HOST_SEEN_SECONDS, LISTING_TOPIC, LOBBY_TOPIC
from almunia.server.ratings.repository import PlayerStats
from almunia.server.tables.clocks import TIME_CONTROLS
from almunia.server.tables.model import OPEN, PERSON, Seat
from almunia.server.users.visitors import DEFAULT_PREFERENCES, Visitor as SiteVisitor
from almunia.server.web.lobby import LobbyStream

from ..waiting import TIMEOUT, CountingLock, wait_until
from .conftest import ORIGIN, Visitor
from .seated import move, opened
from .test_missed_changes import statements
from .test_seats import invitation

ANA, BEA = (Seat(PERSON, name.lower(), name) for name in ("Ana", "Bea"))
NOBODY = Seat(OPEN, "", "A friend")
HERE, THERE, ELSEWHERE = "203.0.113.5", "198.51.100.7", "2001:db8:1:2::7"  # reserved for documentation
FRIENDS = {"seat-0": "me", "seat-1": "friend"}


def ignore_other_processes(monkeypatch, lobby) -> None:
    """Keep the caches when the bus of a shared database connects, soon after the start."""
    monkeypatch.setattr(lobby.listings, "invalidate_all", lambda: None)
    monkeypatch.setattr(lobby, "invalidate", lambda: None)


def offers(visitor):
    """Return the handles of the tables that a visitor can join."""
    return re.findall(r'name="offer" value="([^"]+)"', visitor.get("/lobby").text)


def name_of(table):
    return table.rpartition("/")[2]


def play(visitor, game="orchard", clock="live-15"):
    """Request a quick match, and return the path of the table."""
    answer = visitor.post("/lobby/play", data={"game": game, "clock": clock}, follow_redirects=False)
    assert answer.status_code == 303, answer.text
    return answer.headers["location"]


def test_a_table_is_private_unless_its_host_lists_it(visitor, stranger):
    table = visitor.open(**FRIENDS)
    assert offers(stranger) == []
    listed = visitor.post(f"{table}/listing", data={"offered": 1}, follow_redirects=False)
    assert listed.status_code == 303
    assert len(offers(stranger)) == 1
    assert name_of(table) not in stranger.get("/lobby").text, "whoever does not sit there learns no address"
    visitor.post(f"{table}/listing", data={})
    assert offers(stranger) == []


def test_the_form_of_a_new_table_can_list_it(visitor, stranger):
    visitor.open(**FRIENDS, offered=1, clock="slow-24")
    assert len(offers(stranger)) == 1
    page = stranger.get("/lobby").text
    assert "1 day a turn" in page


@pytest.mark.parametrize("limits", [Limits(max_listed_games=2, max_lobby_games=2)], ids=[""])
def test_listed_games_per_host_are_limited(visitor, stranger):
    """A host has a limit of listed games. A table over the limit is not opened."""
    first, _ = (visitor.open(**FRIENDS, offered=1) for _ in range(2))
    private = visitor.open(**FRIENDS)
    for path, fields in (
        ("/games/orchard/tables", {**FRIENDS, "offered": 1}),
        (f"{private}/listing", {"watched": 1}),
        ("/lobby/play", {"game": "oregon", "clock": "slow-24"}),
    ):
        refused = visitor.post(path, data=fields)
        assert refused.status_code == 409
        assert "which is the limit" in refused.text
    assert len(visitor.app.state.site.tables.store.all()) == 3
    visitor.post(f"{first}/listing", data={"watched": 1})
    visitor.post(f"{first}/listing", data={})
    visitor.post(f"{private}/listing", data={"offered": 1})
    stranger.open(**FRIENDS, offered=1)
    assert len(set(offers(Visitor(visitor.app)))) == 2


def come(visitor, address):
    """Return a new visitor from an IP address."""
    return Visitor(visitor.app, headers={"Origin": ORIGIN}, client=(address, 50_000))


@pytest.mark.parametrize("limits", [Limits(max_listed_games_per_network=2, max_all_listed_games=3)], ids=[""])
def test_listed_games_per_network_are_limited(visitor):
    """A person can create many guests, so listed games are also limited by network, and in all."""

    def offered(address):
        return come(visitor, address).post("/games/orchard/tables", data={**FRIENDS, "offered": 1})

    assert [offered(HERE).status_code for _ in range(2)] == [200] * 2
    refused = offered(HERE)
    assert refused.status_code == 409
    assert "The lobby lists 2 games from your network, which is the limit." in refused.text
    assert offered(THERE).status_code == 200
    refused = offered(ELSEWHERE)
    assert refused.status_code == 409
    assert "The lobby is full, with 3 games." in refused.text
    assert len(visitor.app.state.site.tables.store.all()) == 3
    private = come(visitor, ELSEWHERE).open(**FRIENDS)
    assert come(visitor, HERE).get(private).status_code == 200


@pytest.mark.parametrize("limits", [Limits(max_lobby_games=2)], ids=[""])
def test_the_lobby_shows_the_latest_game_of_each_network_first(visitor, clock):
    """The lobby shows the latest game of each network in turn."""
    shown = visitor.app.state.site.lobby
    first = name_of(come(visitor, THERE).open(**FRIENDS, offered=1))
    for _ in range(5):
        clock.advance(1)
        last = name_of(come(visitor, HERE).open(**FRIENDS, offered=1))
    assert [one.table.id for one in shown.current().joinable] == [last, first]
    assert name_of(play(visitor, clock="")) == first, "who has waited longest is met first"


def test_listings_are_read_once_for_each_change(visitor, clock, monkeypatch):
    lobby = visitor.app.state.site.lobby
    read, running = [], lobby.listings.running_games
    ignore_other_processes(monkeypatch, lobby)
    monkeypatch.setattr(lobby.listings, "running_games", lambda most: read.append(most) or running(most))
    for count in (1, 2):
        visitor.open(**FRIENDS, offered=1)
        assert len(read) == count - 1, "to list a game they are only counted"
        for _ in range(3):
            visitor.get("/")
            visitor.get("/lobby")
            clock.advance(2)
        assert len(read) == count


@pytest.mark.parametrize("shared", [False, True])
def test_joining_reads_listings_again_if_the_database_is_shared(site, clock, monkeypatch, shared):
    read, running = [], site.lobby.listings.running_games
    monkeypatch.setattr(site.lobby.listings, "running_games", lambda most: read.append(most) or running(most))
    ignore_other_processes(monkeypatch, site.lobby)
    monkeypatch.setattr(site.tables.store, "is_shared", shared)
    for _ in range(3):
        with pytest.raises(Conflict, match="isn't open any more"):
            site.lobby.join("0" * 16, "ana", "Ana")
    assert len(read) == (3 if shared else 1)


def test_tables_are_read_a_page_at_a_time(site, monkeypatch):
    """SQLite accepts 32,766 values in a query, and a page shows 100 games."""
    facts = {"game": "orchard", "host": "", "network": "", "time_control": "", "created_at": 0.0, "has_free_seat": True}
    listed = [ListedTable(f"table{number}", **facts) for number in range(2 * BATCH_TABLES + 1)]
    known, asked = opened(site, ANA, NOBODY), []
    those = site.tables.store.get_many
    monkeypatch.setattr(site.tables.store, "get_many", lambda ids: asked.append(len(ids)) or those(ids))
    assert list(site.lobby._with_tables(listed)) == []
    assert asked == [BATCH_TABLES, BATCH_TABLES, 1]
    first = ListedTable(known, **facts)
    assert next(site.lobby._with_tables([first, *listed]))[1].table.id == known
    assert asked[3:] == [BATCH_TABLES], "as far as somebody asks"


def test_streams_of_the_lobby_share_one_query_a_second(visitor, clock, monkeypatch):
    """All streams share one computation, and messages are read only after new ones."""
    lobby, chat = visitor.app.state.site.lobby, visitor.app.state.site.chat
    looked, read = [], []
    now, mark = lobby._read, chat.version
    ignore_other_processes(monkeypatch, lobby)
    monkeypatch.setattr(lobby, "_read", lambda apart: looked.append(1) or now(apart))
    monkeypatch.setattr(chat, "version", lambda *who: read.append(who) or mark(*who))
    crowd = [LobbyStream(lobby, chat, visitor.app.state.site.rematches, f"guest{number}") for number in range(20)]
    first = [one.poll(is_chat_new=True, is_invited_new=True) for one in crowd]
    assert all(events == first[0] for events in first)
    assert (len(looked), len(read)) == (1, 20)
    for seconds in range(1, 4):
        clock.advance(1)
        assert [one.poll(is_chat_new=False, is_invited_new=False) for one in crowd] == [[]] * 20
        assert (len(looked), len(read)) == (1 + seconds, 20)
    visitor.post("/lobby/chat", data={"words": "Hello"})
    assert crowd[0].poll(is_chat_new=True, is_invited_new=True) == ["event: chat\ndata: 1.0.0\n\n"]


def test_a_change_invalidates_the_listing_of_its_table_only(site):
    """Other processes do the same when a message names the table."""
    listings = site.lobby.listings
    one, other = opened(site, ANA, NOBODY), opened(site, ANA, NOBODY)
    hear = PageHandlers(
        site.tables, site.lobby, site.event_subscribers, site.presence_sync, site.accounts.sessions
    ).handlers
    deeds = (
        lambda: site.lobby.list_table(one, "ana", offered=True, watched=False, open_chat=True),
        lambda: listings.reserve(one, {1: "bea"}, other),
        lambda: listings.release(one, "bea"),
        lambda: hear[LISTING_TOPIC.strip()](one),
    )
    for deed in deeds:
        for table in (one, other):
            listings.get(table)
        deed()
        with statements(site.engine) as asked:
            listings.get(other)
        assert asked == []
    with statements(site.engine) as asked:
        assert listings.get(one).open_chat
    assert len(asked) == 1


def test_a_listing_is_published(site, monkeypatch):
    told = []
    table = opened(site, ANA, NOBODY)
    monkeypatch.setattr(site.broker, "publish_remote", told.append)
    site.lobby.list_table(table, "ana", offered=True, watched=False, open_chat=False)
    assert f"{LISTING_TOPIC}{table}" in told[: told.index(LOBBY_TOPIC)], "before the lobby is read anew"


def test_only_the_host_lists_a_table(visitor, stranger):
    table = visitor.open(**FRIENDS)
    refused = stranger.post(f"{table}/listing", data={"offered": 1})
    assert refused.status_code == 403
    assert "Only the host" in refused.text
    assert offers(stranger) == []


def test_joining_takes_one_click_and_removes_a_full_table(visitor, stranger):
    table = visitor.open(**FRIENDS, offered=1)
    answer = stranger.post("/lobby/join", data={"offer": offers(stranger)[0]}, follow_redirects=False)
    assert answer.headers["location"] == table
    third = Visitor(visitor.app, headers={"Origin": ORIGIN})
    assert offers(third) == []
    assert stranger.seen(table)[0] == 1


def test_the_second_guest_who_joins_the_last_seat_is_refused(visitor, stranger):
    table = visitor.open(**FRIENDS, offered=1)
    third = Visitor(visitor.app, headers={"Origin": ORIGIN})
    (offer,) = offers(third)
    stranger.post("/lobby/join", data={"offer": offer})
    late = third.post("/lobby/join", data={"offer": offer}, follow_redirects=False)
    assert late.status_code == 409
    assert "open any more" in unescape(late.text)
    assert third.seen(table)[0] == -1
    part = third.post("/lobby/join", data={"offer": offer}, headers={"HX-Request": "true"})
    assert (part.status_code, "open any more" in part.text) == (409, True), "a script is told as well"


def test_concurrent_requests_of_a_guest_get_one_seat(site, clock, monkeypatch):
    table = opened(site, ANA, NOBODY, NOBODY)
    site.lobby.list_table(table, "ana", offered=True, watched=False, open_chat=False)
    site.lobby.current()
    listings, everybody = site.lobby.listings, Barrier(4)
    kept_at = listings.reserved_seats

    def kept(tables):  # called after a person without a seat was found
        everybody.wait(TIMEOUT)
        return kept_at(tables)

    monkeypatch.setattr(listings, "reserved_seats", kept)
    handle = listings.get(table).handle
    with ThreadPoolExecutor(4) as threads:
        list(threads.map(lambda _: site.lobby.join(handle, "bea", "Bea"), range(4)))
    assert len(site.tables.get(table).table.seats_of("bea")) == 1


@pytest.mark.parametrize(("names", "tables"), [(["ana"] * 4, 1), (["ana", "bea", "cem", "dan"], 2)])
def test_concurrent_quick_matches_are_paired(site, monkeypatch, names, tables):
    opening, meeting = site.lobby._create, CountingLock()

    def once_all_have_come(*given):
        wait_until(lambda: meeting.asked == len(names), "all have asked")
        return opening(*given)

    monkeypatch.setattr(site.lobby, "_create", once_all_have_come)
    monkeypatch.setattr(site.lobby, "_match_lock", meeting)
    pace, orchard = TIME_CONTROLS["live-15"][1], site.builds.get("orchard")

    def play_somebody(name):
        guest = SiteVisitor(name, name, **DEFAULT_PREFERENCES)
        return site.lobby.quick_match(orchard, pace, guest).id

    with ThreadPoolExecutor(len(names)) as threads:
        assert len(set(threads.map(play_somebody, names))) == tables


@pytest.mark.parametrize("offer", ["", "x", "../..", "ä", "x" * 300])
def test_an_unknown_offer_is_refused(visitor, offer):
    answer = visitor.post("/lobby/join", data={"offer": offer})
    assert answer.status_code == 409
    assert "open any more" in unescape(answer.text)


def test_a_named_seat_is_not_offered_in_the_lobby(visitor, stranger):
    table = visitor.open(**FRIENDS, **{"seat-2": "friend", "name-1": "Cem", "offered": 1})
    assert [seat.name for seat in visitor.app.state.site.tables.get(name_of(table)).table.seats][1:] == [
        "Cem",
        "A friend",
    ]
    stranger.post("/lobby/join", data={"offer": offers(stranger)[0]})
    assert stranger.seen(table)[0] == 2
    assert offers(Visitor(visitor.app, headers={"Origin": ORIGIN})) == []


@pytest.mark.parametrize(
    ("unrated", "words"), [(1, "has not joined yet"), (0, "starts with a new deal once everyone has joined")]
)
def test_pages_describe_who_can_take_an_open_seat(visitor, stranger, unrated, words):
    both = visitor.open(**{"seat-0": "friend", "seat-1": "me", "offered": "1", "unrated": unrated})
    assert "Anyone in the lobby can join. You can" in visitor.get(both).text
    assert 'Anyone in the <a href="/lobby">lobby</a> can join.' in stranger.get(both).text
    named = visitor.open(**{"seat-0": "friend", "name-0": "Bea", "seat-1": "me", "offered": "1", "unrated": unrated})
    for page in (visitor.get(named).text, stranger.get(named).text):
        assert words in page
        assert "in the lobby can sit down" not in page, "a seat with a name is for nobody else"
    assert "Send the link, or let a bot" in visitor.get(named).text
    assert "let a bot" not in stranger.get(named).text, "they can do neither"


def test_tables_of_an_absent_host_are_not_listed(site, clock):
    table = opened(site, ANA, NOBODY)
    site.lobby.list_table(table, "ana", offered=True, watched=False, open_chat=False)
    assert [one.table.id for one in site.lobby.current().joinable] == [table]
    clock.advance(HOST_SEEN_SECONDS + 1)
    assert site.lobby.current().joinable == ()
    site.presence._streams[table, "ana"] += 1
    assert len(site.lobby.current().joinable) == 1
    del site.presence._streams[table, "ana"]
    site.presence._left[table, "ana"] = clock.now()
    clock.advance(Limits.grace_seconds / 2)
    assert len(site.lobby.current().joinable) == 1, "pages are loaded anew, lines break"
    clock.advance(Limits.grace_seconds)
    assert site.lobby.current().joinable == ()
    site.presence._streams[LOBBY_TOPIC, "ana"] += 1
    clock.advance(2)
    assert len(site.lobby.current().joinable) == 1, "somebody who waits in the lobby is there"


def test_a_host_without_scripts_is_present_while_fetching_pages(visitor, stranger, clock):
    table = visitor.open(**FRIENDS, offered=1)
    assert len(offers(stranger)) == 1
    clock.advance(HOST_SEEN_SECONDS - 1)
    visitor.get(table)
    clock.advance(HOST_SEEN_SECONDS - 1)
    assert len(offers(stranger)) == 1
    stranger.get(table)
    clock.advance(2)
    assert offers(stranger) == []


def test_a_quick_match_joins_a_waiting_table(visitor, stranger):
    table = play(visitor)
    assert play(visitor) == table, "nobody waits at two tables for the same thing"
    assert play(stranger, clock="live-5") != table
    assert play(stranger, game="oregon") != table
    assert play(stranger) == table
    now = visitor.app.state.site.tables.get(name_of(table)).table
    assert now.time_control == "live 900 20 claim"
    assert all(seat.kind == PERSON for seat in now.seats)
    assert play(stranger) != table, "a table that is full is offered to nobody"


def test_a_quick_match_uses_the_default_options(visitor, stranger):
    for options in ({"option-deal": "9 12 1 14 8 13 4 11 16"}, {"option-half": "second"}):
        table = visitor.open(**FRIENDS, offered="1", clock="live-15", **options)
        page = visitor.get(table).text
        assert (">Fixed deal</p>" in page, ">Unrated</p>" in page) == ("option-deal" in options,) * 2
    assert len(offers(stranger)) == 2
    usual = play(stranger)
    assert play(visitor) == usual, "nor does their host wait there for a usual game"


@pytest.mark.parametrize("fields", [{"clock": "live-5", "zero": "nothing"}, {"absence_timeout": 300}])
def test_a_quick_match_joins_no_table_with_other_time_rules(visitor, stranger, fields):
    table = visitor.open(**FRIENDS, **fields, offered=1)
    assert play(stranger, clock=fields.get("clock", "")) != table
    said = "nothing happens when time is up" if "zero" in fields else "others wait 5 minutes for absent players"
    link = invitation(visitor, table)
    for address in ("/lobby", link):
        assert f", {said}" in stranger.get(address).text
    sentence = f"{said[0].upper()}{said[1:]}."
    assert sentence in visitor.get(table).text
    stranger.post(link, data={"name": "Bea"})
    assert f'<p class="note">{sentence}</p>' in visitor.get(table).text


@pytest.mark.parametrize("muted_by_host", [True, False])
def test_a_quick_match_does_not_pair_muted_guests(visitor, stranger, muted_by_host):
    """It does not matter which of the two has muted the other."""
    muting, muted = (visitor, stranger) if muted_by_host else (stranger, visitor)
    muted.post("/lobby/chat", data={"words": "Hello"})
    table = play(visitor)
    muting.post("/lobby/chat/mute", data={"said": 1})
    other = play(stranger)
    assert other != table
    third = Visitor(visitor.app, headers={"Origin": ORIGIN})
    assert play(third) == table
    (handle,) = re.findall(r'name="muted" value="([^"]+)"', muting.get("/lobby").text)
    muting.post("/lobby/chat/mute", data={"muted": handle})
    assert play(visitor) == other, "who is read again is met again"


@pytest.mark.parametrize("limits", [Limits(max_lobby_games=1)], ids=[""])
def test_a_quick_match_ignores_the_limit_of_the_lobby(visitor, stranger):
    """Otherwise one person could fill the lobby with games of many guests, and block quick matches."""
    visitor.open(**FRIENDS, offered=1)
    third = Visitor(visitor.app, headers={"Origin": ORIGIN})
    assert play(third) == play(stranger)


def test_a_table_of_three_is_listed_until_all_seats_are_taken(visitor, stranger):
    """The table is listed until all its seats are taken."""
    table = visitor.open(**FRIENDS, **{"seat-2": "friend"}, offered=1)
    stranger.post("/lobby/join", data={"offer": offers(stranger)[0]})
    assert "Your game" in stranger.get("/lobby").text
    third = Visitor(visitor.app, headers={"Origin": ORIGIN})
    third.post("/lobby/join", data={"offer": offers(third)[0]})
    assert sorted(who.seen(table)[0] for who in (visitor, stranger, third)) == [0, 1, 2]


def test_a_quick_match_gives_the_host_a_random_seat(visitor, monkeypatch):
    seen = set()
    for number in range(20):
        visitor.cookies.clear()
        table = play(visitor, clock=("", "live-5")[number % 2])
        site = visitor.app.state.site
        seen.add([seat.kind for seat in site.tables.get(name_of(table)).table.seats].index(PERSON))
        site.seats.close_table(name_of(table), site.tables.get(name_of(table)).table.host)
    assert seen == {0, 1}


@pytest.mark.parametrize(("game", "pace", "status"), [("chess", "", 404), ("orchard", "bullet", 422), ("", "", 404)])
def test_an_invalid_quick_match_is_refused(visitor, game, pace, status):
    assert visitor.post("/lobby/play", data={"game": game, "clock": pace}).status_code == status


def test_the_lobby_counts_the_finished_games_of_players(site):
    for _ in range(3):
        table = opened(site, ANA, BEA)
        while not move(site, table).table.finished:
            pass
    table = opened(site, ANA, ANA)  # two people on one device
    while not move(site, table).table.finished:
        pass
    ended = opened(site, ANA, BEA)
    site.seats.resign(ended, 0, "ana", "easy")
    known = site.lobby.player_stats(["ana", "cem"], "orchard")
    assert known["ana"].games == 3
    assert known["ana"].best >= known["ana"].median
    assert known["cem"] == PlayerStats()
    assert site.lobby.player_stats(["ana"], "oregon")["ana"] == PlayerStats()


def test_the_lobby_shows_the_experience_of_players_who_allow_it(visitor, stranger):
    """A change of the choice has an effect at once."""
    visitor.open(**FRIENDS, offered=1, clock="slow-24")
    assert "new to this game" not in stranger.get("/lobby").text
    assert "usual and best points" in stranger.get("/privacy").text
    for hiding in ({}, {"page": 1, "results": 1}):
        visitor.post("/profile", data={"lobby": 1})
        assert "new to this game" in stranger.get("/lobby").text
        visitor.post("/profile", data=hiding)
        assert "new to this game" not in stranger.get("/lobby").text


def test_experience_in_words():
    assert str(PlayerStats()) == "new to this game"
    assert str(PlayerStats(1, 40, 40)) == "1 game, best 40"
    assert str(PlayerStats(12, 64, 96)) == "12 games, usually 64, best 96"


def test_games_are_listed_for_watching_if_the_host_allows_it(visitor, stranger):
    table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy"})
    site = visitor.app.state.site
    guest = site.tables.get(name_of(table)).table.host
    site.presence._streams[name_of(table), guest] += 1
    assert "Games to watch" not in stranger.get("/lobby").text
    visitor.post(f"{table}/listing", data={"watched": 1})
    page = stranger.get("/lobby").text
    assert "Games to watch" in page
    assert f'href="{table}"' in page
    assert offers(stranger) == []
    del site.presence._streams[name_of(table), guest]
    site.lobby._read_at = 0.0
    assert "Games to watch" not in stranger.get("/lobby").text, "nobody is there"


def test_the_link_to_watch_gives_no_seat(visitor, stranger):
    table = visitor.open(**FRIENDS)
    page = visitor.get(table).text
    link = re.search(r'id="watch-link" value="http://testserver([^"]+)"', page)[1]
    watched = stranger.get(link).text
    assert "You are watching." in watched
    assert "readonly value" not in watched, "who watches gets no link to a seat"
    assert stranger.seen(table) == (-1, stranger.seen(table)[1], [])


def test_a_closed_game_is_not_listed(visitor, stranger):
    table = visitor.open(**FRIENDS, offered=1, watched=1)
    visitor.post(f"{table}/close")
    assert offers(stranger) == []
    assert visitor.post(f"{table}/listing", data={"offered": 1}).status_code == 409


def test_a_script_gets_only_the_list_of_the_lobby(visitor):
    part = visitor.get("/lobby", headers={"HX-Request": "true"}).text
    assert part.lstrip().startswith('<div id="open"')
    assert "<html" not in part


def test_a_random_order_of_seats_keeps_the_players(visitor):
    orders = set()
    for _ in range(20):
        table = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy", "seat-2": "friend", "order": "random"})
        orders.add(tuple(seat.kind for seat in visitor.app.state.site.tables.get(name_of(table)).table.seats))
    assert len(orders) > 1
    assert {tuple(sorted(order)) for order in orders} == {("bot", "open", "person")}
    wrong = visitor.post("/games/orchard/tables", data={**FRIENDS, "order": "alphabetical"})
    assert wrong.status_code == 422
    assert "chosen, random" in wrong.text


def test_a_listing_is_cached_until_it_changes(site, monkeypatch):
    seconds, read = [0.0], []
    listings = LobbyRepository(site.engine, timer=lambda: seconds[0])
    look = listings._find
    monkeypatch.setattr(listings, "_find", lambda condition: read.append(1) or look(condition))
    monkeypatch.setattr(site.lobby, "listings", listings)
    table = opened(site, ANA, NOBODY)
    assert not listings.get(table).watched
    assert not listings.get(table).watched
    assert read == [1]
    now = site.lobby.list_table(table, "ana", offered=False, watched=True, open_chat=False)
    assert now.watched
    assert listings.get(table) == now
    there = LobbyRepository(site.engine)  # of another process
    there.save(Listing(table, offered=True))
    listings.invalidate(table)
    assert listings.get(table).offered
    before = len(read)
    seconds[0] += 60
    listings.get(table)
    assert len(read) == before
    seconds[0] += 1
    listings.get(table)
    assert len(read) == before + 1


# --- watching --------------------------------------------------------------------------------------


def test_a_game_to_watch_has_a_picture_and_the_number_of_its_viewers(visitor, stranger, site, monkeypatch):
    table = visitor.open(**FRIENDS, watched=1, unrated=1)
    name, host = name_of(table), site.tables.get(name_of(table)).table.host
    streams = {(name, host), (name, "bea"), (name, "?1"), ("other", "cem")}
    monkeypatch.setattr(site.presence, "_streams", Counter(streams))
    page = stranger.get("/lobby").text
    assert f'src="{table}/picture.svg?theme=auto"' in page
    assert "2 viewers" in page
    version = site.lobby.current().version
    monkeypatch.setattr(site.presence, "_streams", Counter({(name, host)}))
    assert site.lobby.current().version != version
    assert "viewer" not in stranger.get("/lobby").text.partition('id="watch-')[2].partition("</li>")[0]


def test_the_picture_of_a_table_is_what_spectators_see(visitor, stranger, site):
    table = visitor.open("oregon", **{"seat-0": "me", "seat-1": "bot-easy", "unrated": 1})
    address = f"{table}/picture.svg"
    before = stranger.get(address)
    assert before.headers["content-type"].startswith("image/svg+xml")
    assert before.text == visitor.get(address).text
    unchanged = stranger.get(address, headers={"If-None-Match": before.headers["etag"]})
    assert (unchanged.status_code, unchanged.text) == (304, "")
    while site.tables.get(name_of(table)).play.turn != 0:
        move(site, name_of(table))
    visitor.act(table)
    after = stranger.get(address, headers={"If-None-Match": before.headers["etag"]})
    assert after.status_code == 200
    assert after.text != before.text
    assert stranger.get(f"{address}?theme=pink").status_code == 404
    assert stranger.get("/table/nonsense/picture.svg").status_code == 404
