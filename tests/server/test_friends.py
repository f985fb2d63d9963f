"""Friends: following, who is here, challenges, invitations to open seats, and blocks that tell nothing."""

import re
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from html import unescape
from threading import Barrier, BrokenBarrierError

import pytest
from sqlalchemy import insert

from almunia.server.errors import Conflict
from almunia.server.friends import repository
from almunia.server.limits import Limits
from almunia.server.lobby.rematches import invitations_topic
from almunia.server.storage import schema
from almunia.server.tables.model import OPEN, PERSON

from ..clock import BY_HAND
from .conftest import ORIGIN, Visitor
from .seated import ANA, BEA, opened
from .test_lobby import FRIENDS, name_of, offers, play
from .test_rated_deals import NOBODY
from .test_seats import invitation, log
from .test_secrets import session_of


@pytest.fixture
def limits():
    """Return limits with which hosts stay in the lobby."""
    return Limits(maintenance_seconds=BY_HAND)


@pytest.fixture
def table(visitor, stranger):
    """Return a table at which Ana and Bea play."""
    for one, name in ((visitor, "Ana"), (stranger, "Bea")):
        one.post("/preferences", data={"name": name})
    table = visitor.open(**FRIENDS)
    stranger.post(invitation(visitor, table))
    return table


@pytest.fixture
def friends(visitor, stranger, table):
    """Make Ana and Bea friends, and return Ana's handle of Bea."""
    visitor.post(f"{table}/player?seat=1", data={"do": "follow"})
    stranger.post("/friends", data={"player": handles(stranger)[0], "do": "follow"})
    return handles(visitor)[0]


def handles(visitor):
    return re.findall(r'name="player" value="([^"]+)"', visitor.get("/friends").text)


def words(visitor, path="/friends"):
    text = visitor.get(path).text.partition("<main")[2] if path == "/friends" else visitor.get(path).text
    return unescape(" ".join(re.sub(r"<[^>]+>", " ", text).split()))


def guest_of(visitor):
    return session_of(visitor)["guest"]


def be_here(site, monkeypatch, *keys):
    monkeypatch.setattr(type(site.presence), "streams", frozenset(keys))


def challenged(visitor, friend, **fields):
    form = {"friend": friend, "game": "orchard", "seats": 2, "clock": "live-15", **fields}
    return visitor.post("/friends/challenge", data=form, follow_redirects=False)


# --- following -------------------------------------------------------------------------------------


def test_two_players_who_follow_each_other_are_friends(visitor, stranger, table):
    assert "Follow or block Bea" in visitor.get(table).text
    assert "Follow or block Ana" not in visitor.get(table).text
    assert "No friends yet" in words(visitor)
    visitor.post(f"{table}/player?seat=1", data={"do": "follow"})
    assert "You follow Bea doesn't follow you" in words(visitor)
    assert "They follow you Ana" in words(stranger)
    stranger.post("/friends", data={"player": handles(stranger)[0], "do": "follow"})
    for one, other in ((visitor, "Bea"), (stranger, "Ana")):
        assert f"Your friends {other} is not here" in words(one)
    stranger.post("/preferences", data={"name": "Beatrice"})
    assert "Your friends Beatrice is not here" in words(visitor)
    visitor.post("/friends", data={"player": handles(visitor)[0], "do": "unfollow"})
    assert "They follow you Beatrice" in words(visitor)
    assert "You follow Ana doesn't follow you" in words(stranger)


def test_friends_see_presence_and_public_games_only(visitor, stranger, table, site, monkeypatch):
    bea = guest_of(stranger)
    hidden = opened(site, BEA, ANA)
    listed = stranger.open(**FRIENDS, watched=1)
    private = stranger.open(**FRIENDS)
    be_here(site, monkeypatch, *((place, bea) for place in (name_of(listed), name_of(private), name_of(table), hidden)))
    visitor.post(f"{table}/player?seat=1", data={"do": "follow"})
    assert "Bea is here" not in words(visitor), "she does not follow back"
    stranger.post("/friends", data={"player": handles(stranger)[0], "do": "follow"})
    page = visitor.get("/friends").text
    assert "is here" in page
    assert f'href="{listed}"' in page
    assert f'href="{table}"' in page, "Ana plays there, too"
    assert private not in page
    assert hidden not in page
    visitor.post("/friends", data={"player": handles(visitor)[0], "do": "unfollow"})
    assert "Bea is here" not in words(visitor)
    assert "Ana is here" not in words(stranger)


def test_following_and_blocking_oneself_bots_or_open_seats_is_refused(visitor, table):
    for deed in ("follow", "block"):
        assert visitor.post(f"{table}/player?seat=0", data={"do": deed}).status_code == 409
    assert "This is you." in visitor.get(f"{table}/player?seat=0").text
    other = visitor.open(**{"seat-0": "me", "seat-1": "bot-easy", "seat-2": "friend"})
    for seat in (1, 2, 7):
        assert visitor.get(f"{other}/player?seat={seat}").status_code == 404
    assert visitor.post(f"{table}/player?seat=1", data={"do": "admire"}).status_code == 400
    assert visitor.post("/friends", data={"player": "nonsense", "do": "follow"}).status_code == 404


def test_lists_and_changes_have_a_limit(visitor, table, monkeypatch):
    monkeypatch.setattr(repository, "MAX_FOLLOWED", 0)
    assert visitor.post(f"{table}/player?seat=1", data={"do": "follow"}).status_code == 409
    answers = [visitor.post(f"{table}/player?seat=1", data={"do": "block"}).status_code for _ in range(61)]
    assert answers[-1] == 429
    assert "You have changed your friends or blocks too often." in unescape(
        visitor.post(f"{table}/player?seat=1", data={"do": "block"}).text
    )


def test_a_public_profile_leads_to_its_player(visitor, stranger, table):
    stranger.post("/profile", data={"page": 1})
    site = visitor.app.state.site
    address = f"/players/{site.profiles.get(guest_of(stranger)).handle}"
    assert f'href="{address}/contact"' in visitor.get(address).text
    visitor.post(f"{address}/contact", data={"do": "follow"})
    assert "You follow Bea" in words(visitor)
    assert visitor.get("/players/nonsense/contact").status_code == 404


# --- challenges ------------------------------------------------------------------------------------


def test_a_challenge_is_shown_on_every_page_and_accepted(visitor, stranger, friends, site, monkeypatch):
    assert "Challenge Bea" in words(visitor, f"/friends/challenge?friend={friends}")
    answer = challenged(visitor, friends, clock="slow-24", unrated=1)
    new = answer.headers["location"]
    for path in ("/", "/my/games", "/lobby", "/friends", "/games/orchard", "/games/orchard/rules", "/preferences"):
        assert "You're invited to Orchard with Ana : 2 players, 1 day per turn, unrated." in words(stranger, path) or (
            "You're invited to Orchard with Ana" in unescape(re.sub(r"<[^>]+>", "", stranger.get(path).text))
        ), path
    assert 'formaction="/games/orchard/lesson">Learn it first' in stranger.get("/lobby").text
    with monkeypatch.context() as patch:
        patch.setattr(site.game_lists, "learned_games", lambda _guest: {"orchard"})
        assert "Learn it first" not in stranger.get("/lobby").text
    assert "You're invited to" not in visitor.get("/").text
    assert stranger.post(f"{new}/accept", follow_redirects=False).headers["location"] == new
    found = site.tables.get(name_of(new)).table
    assert sorted(seat.name for seat in found.seats) == ["Ana", "Bea"]
    assert "You're invited to" not in stranger.get("/").text


def test_a_challenge_is_declined(visitor, stranger, friends, site):
    new = challenged(visitor, friends).headers["location"]
    stranger.post(f"{new}/decline")
    assert "You're invited to" not in stranger.get("/").text
    assert any("Bea declines the invitation." in line for line in log(visitor, new))


def test_only_friends_are_challenged_and_only_to_games_of_their_size(visitor, stranger, friends):
    assert challenged(visitor, "nonsense").status_code == 409
    wrong = challenged(visitor, friends, seats=9)
    assert wrong.status_code == 422
    assert "is for 2 to 6 players, not 9" in wrong.text
    stranger.post("/friends", data={"player": handles(stranger)[0], "do": "unfollow"})
    assert challenged(visitor, friends).status_code == 409


def test_challenges_have_a_limit(visitor, friends):
    answers = []
    for _ in range(31):
        answer = challenged(visitor, friends)
        answers.append(answer.status_code)
        if answer.status_code == 303:
            visitor.post(f"{answer.headers['location']}/close")
    assert answers == [303] * 30 + [429]


def test_a_friend_is_invited_to_an_open_seat(visitor, stranger, friends, site):
    new = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seat-2": "friend"})
    assert "Invite a friend" in visitor.get(new).text
    fields = {"seat": 2, "friend": friends}
    assert stranger.post(f"{new}/invite-friend", data=fields).status_code == 409, "her handle is another one"
    assert visitor.post(f"{new}/invite-friend", data=fields, follow_redirects=False).status_code == 303
    assert site.tables.get(name_of(new)).table.seats[2].name == "Bea"
    stranger.post(f"{new}/accept")
    assert [seat.kind for seat in site.tables.get(name_of(new)).table.seats] == [PERSON, OPEN, PERSON]
    again = visitor.post(f"{new}/invite-friend", data={"seat": 1, "friend": friends})
    assert "Bea is already in this game." in unescape(again.text)


def test_another_invitation_to_a_seat_ends_the_first(visitor, stranger, friends, site):
    new = visitor.open(**FRIENDS)
    with site.engine.begin() as db:
        row = {"handle": "h", "guest_name": "X", "other_name": "Cem", "created_at": 0.0}
        pairs = ((guest_of(visitor), "cem", "of-cem"), ("cem", guest_of(visitor), "of-ana"))
        db.execute(insert(schema.follow), [{**row, "guest": a, "other": b, "handle": h} for a, b, h in pairs])
    visitor.post(f"{new}/invite-friend", data={"seat": 1, "friend": friends})
    visitor.post(f"{new}/invite-friend", data={"seat": 1, "friend": "of-cem"})
    assert [(one.seat, one.guest) for one in site.lobby.listings.reservations_at(name_of(new))] == [(1, "cem")]
    assert "You're invited to" not in stranger.get("/").text


def test_a_friend_has_one_open_invitation_to_a_table(visitor, stranger, friends, site):
    new = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seat-2": "friend"})
    assert visitor.post(f"{new}/invite-friend", data={"seat": 1, "friend": friends}).status_code == 200
    again = visitor.post(f"{new}/invite-friend", data={"seat": 2, "friend": friends})
    assert (again.status_code, "Bea is already invited to this game." in unescape(again.text)) == (409, True)
    assert [one.seat for one in site.lobby.listings.reservations_at(name_of(new))] == [1]
    site.seats.add_bot(name_of(new), 1, guest_of(visitor), "easy")
    assert visitor.post(f"{new}/invite-friend", data={"seat": 2, "friend": friends}).status_code == 200


def test_of_two_simultaneous_invitations_of_a_friend_one_is_refused(visitor, stranger, friends, site, monkeypatch):
    new = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seat-2": "friend"})
    both, read = Barrier(2), site.lobby.listings.reservations_at

    def read_together(table):
        found = read(table)
        with suppress(BrokenBarrierError):
            both.wait(0.2)  # breaks if the other request waits for this one
        return found

    monkeypatch.setattr(site.lobby.listings, "reservations_at", read_together)
    with ThreadPoolExecutor(2) as threads:
        fields = [{"seat": seat, "friend": friends} for seat in (1, 2)]
        answers = threads.map(lambda form: visitor.post(f"{new}/invite-friend", data=form).status_code, fields)
    assert sorted(answers) == [200, 409]
    assert len(read(name_of(new))) == 1


def test_an_invitation_names_the_players_who_are_seated(visitor, stranger, friends, site):
    new = visitor.open(**{"seat-0": "me", "seat-1": "friend", "seat-2": "friend"})
    site.seats.join(name_of(new), 1, "cem", "Cem")
    visitor.post(f"{new}/invite-friend", data={"seat": 2, "friend": friends})
    assert "You're invited to Orchard with Ana , Cem : 3 players" in words(stranger, "/my/games")


def test_a_refused_challenge_keeps_the_choices(visitor, friends, monkeypatch):
    def refuse(*_args, **_facts):
        raise Conflict("You have too many games.")

    monkeypatch.setattr(visitor.app.state.site.tables, "create", refuse)
    answer = challenged(visitor, friends, clock="slow-24", unrated=1)
    assert answer.status_code == 409
    assert "You have too many games." in answer.text
    assert '<option value="slow-24" selected>' in answer.text


# --- blocks ----------------------------------------------------------------------------------------


@pytest.fixture(params=[True, False], ids=["blocked by host", "host is blocked"])
def apart(request, visitor, stranger, table):
    """Let one of Ana and Bea block the other."""
    one, seat = (visitor, 1) if request.param else (stranger, 0)
    one.post(f"{table}/player?seat={seat}", data={"do": "block"})


def test_a_block_keeps_two_players_apart(visitor, stranger, table, apart):
    listed = visitor.open(**FRIENDS, offered=1)
    (offer,) = offers(Visitor(visitor.app, headers={"Origin": ORIGIN}))
    assert offers(stranger) == []
    refused = stranger.post("/lobby/join", data={"offer": offer})
    assert (refused.status_code, "This game isn't open any more." in unescape(refused.text)) == (409, True)
    link = invitation(visitor, listed)
    assert "You can't take this seat." in unescape(stranger.get(link).text)
    assert stranger.post(link).status_code == 409
    assert [seat.kind for seat in visitor.app.state.site.tables.get(name_of(listed)).table.seats] == [PERSON, OPEN]
    matched = play(visitor)
    assert play(stranger) != matched


def test_a_block_looks_like_unfollowing_to_the_blocked_player(visitor, stranger, friends, table, site):
    """Bea's pages after Ana has blocked her are those after Ana has stopped following her."""
    pages = []
    for deed in ("unfollow", "block"):
        visitor.post(f"{table}/player?seat=1", data={"do": "follow"})
        visitor.post("/friends", data={"player": handles(visitor)[0], "do": deed})
        mine = handles(stranger)[0]
        challenge = challenged(stranger, mine)
        pages.append(
            [stranger.get("/friends").text, challenge.status_code, challenge.text]
            + [
                stranger.get(path).text
                for path in ("/lobby", f"{table}/chat", f"{table}/player?seat=0", "/account/export")
            ]
        )
    assert pages[0] == pages[1]


def test_blocked_players_read_on_but_are_not_read(visitor, stranger, table, site, monkeypatch):
    visitor.post(f"{table}/chat", data={"words": "Hello Bea"})
    stranger.post(f"{table}/chat", data={"words": "Grr"})
    assert "Grr" in visitor.get(f"{table}/chat").text
    visitor.post(f"{table}/chat/mute", data={"said": 2, "block": 1})
    assert "Grr" not in visitor.get(f"{table}/chat").text
    assert "Unblock" in visitor.get(f"{table}/chat").text
    assert "Hello Bea" in stranger.get(f"{table}/chat").text
    stranger.post(f"{table}/chat", data={"words": "Still here"})
    assert "Still here" in stranger.get(f"{table}/chat").text
    assert "Blocked players" in words(visitor)
    assert "Blocked" not in words(stranger)
    (blocked,) = re.findall(r'name="muted" value="([^"]+)"', visitor.get(f"{table}/chat").text)
    published = []
    monkeypatch.setattr(site.tables.broker, "publish", published.append)
    visitor.post(f"{table}/chat/mute", data={"muted": blocked})
    assert {invitations_topic(guest_of(one)) for one in (visitor, stranger)} < set(published), "their lobbies change"
    assert "Blocked players" not in words(visitor)


def test_invitations_of_blocked_players_are_not_seen_and_end_with_the_block(visitor, stranger, friends, table, site):
    new = challenged(visitor, friends).headers["location"]
    stranger.post(f"{table}/player?seat=0", data={"do": "block"})
    assert "You're invited to" not in stranger.get("/").text
    assert site.rematches.invitations(guest_of(stranger)) == []
    assert stranger.post(f"{new}/accept").status_code == 409
    assert "does not want" not in visitor.get(new).text, "she has not answered"
    (blocked,) = handles(stranger)
    stranger.post("/friends", data={"player": blocked, "do": "unblock"})
    assert "You're invited to" in stranger.get("/").text


def test_following_ends_a_block_and_wakes_both_players(visitor, stranger, table, site, monkeypatch):
    visitor.post(f"{table}/player?seat=1", data={"do": "block"})
    assert site.contacts.blocked_pairs(guest_of(stranger)) == {guest_of(visitor)}
    published = []
    monkeypatch.setattr(site.tables.broker, "publish", published.append)
    visitor.post(f"{table}/player?seat=1", data={"do": "follow"})
    assert not site.contacts.blocked_pairs(guest_of(stranger))
    assert {invitations_topic(guest_of(one)) for one in (visitor, stranger)} <= set(published)


def test_lobby_versions_are_cached_by_the_listed_players_who_are_left_out(visitor, stranger, site, monkeypatch):
    visitor.open(**FRIENDS, offered=1)
    lobby, hidden = site.lobby, {guest_of(visitor)}
    versions = [lobby.version(apart) for apart in ((), hidden)]
    reads = []
    monkeypatch.setattr(lobby, "_read", reads.append)
    assert [lobby.version(apart) for apart in ({"unlisted"}, {*hidden, "unlisted"})] == versions
    assert versions[0] != versions[1]
    assert not reads


def test_the_lobby_version_of_a_blocked_player_ignores_hidden_tables(visitor, stranger, table, site):
    lobby = site.lobby
    visitor.post(f"{table}/player?seat=1", data={"do": "block"})
    apart = lobby.apart_from(guest_of(stranger))
    before = lobby.version(apart)
    everyone = lobby.current().version
    visitor.open(**FRIENDS, offered=1)
    lobby.invalidate()
    assert lobby.version(apart) == before == lobby.current(guest_of(stranger)).version
    assert lobby.current().version != everyone
    assert f'data-mark="{before}"' in stranger.get("/lobby").text


def test_a_merge_deletes_follows_between_the_two_ids(site):
    for one, other in (("ana", "old"), ("old", "ana"), ("old", "bea"), ("bea", "old")):
        site.contacts.follow(one, one, other, other)
    site.personal_data.merge("old", "ana")
    assert [one.guest for one in site.contacts.following("ana")] == ["bea"]
    assert [one.guest for one in site.contacts.following("bea")] == ["ana"]
    site.personal_data.erase("ana")
    assert site.contacts.following("bea") == []


def test_a_merge_keeps_blocks_and_ends_friendships_against_them(site):
    contacts, mutes = site.contacts, schema.mute
    with site.engine.begin() as db:
        rows = [
            ("ana", "x", "h1", False),
            ("y", "ana", "h2", False),
            ("z", "ana", "h3", False),
            ("z", "old", "h4", False),
        ]
        keys = ("guest", "other", "handle", "blocked")
        db.execute(insert(mutes), [{**dict(zip(keys, row, strict=True)), "name": "N"} for row in rows])
    contacts.block("old", "x", "X")
    contacts.block("y", "old", "Old")
    contacts.block("old", "w", "W")
    for one, other in (("ana", "w"), ("w", "ana"), ("ana", "v"), ("v", "ana")):
        contacts.follow(one, one, other, other)
    site.personal_data.merge("old", "ana")
    assert {one.guest for one in contacts.blocked("ana")} == {"w", "x"}
    assert [one.guest for one in contacts.blocked("y")] == ["ana"]
    assert contacts.blocked("z") == []
    assert [one.guest for one in contacts.following("ana")] == ["v"]
    assert [one.guest for one in contacts.following("w")] == ["ana"], "as after a block: it looks like unfollowing"


def test_following_and_blocking_twice_change_nothing(site, monkeypatch):
    contacts = site.contacts
    monkeypatch.setattr(repository, "MAX_FOLLOWED", 1)
    for _ in range(2):
        contacts.follow("ana", "Ana", "bea", "Bea")
    assert len(contacts.following("ana")) == 1
    with pytest.raises(Conflict, match="the limit"):
        contacts.follow("ana", "Ana", "cem", "Cem")
    for name in ("Bea", "Beatrice"):
        contacts.block("ana", "bea", name)
    assert [one.name for one in contacts.blocked("ana")] == ["Beatrice"]
    assert contacts.following("ana") == []


def test_simultaneous_requests_of_a_guest_all_succeed(site):
    def change(number):
        site.contacts.block("ana", "bea", "Bea") if number % 2 else site.contacts.follow("ana", "Ana", "bea", "Bea")

    with ThreadPoolExecutor(8) as pool:
        list(pool.map(change, range(40)))


def test_an_erased_author_can_be_neither_muted_nor_blocked(visitor, stranger, table, site):
    stranger.post("/lobby/chat", data={"words": "Hello"})
    assert "Mute <bdi>Bea" in visitor.get("/lobby/chat").text
    stranger.post("/account/delete", data={"everything": "yes"})
    page = visitor.get("/lobby/chat").text
    assert ("(deleted)" in page, "/lobby/chat/mute" in page) == (True, False)
    for data in ({"said": 1}, {"said": 1, "block": 1}):
        assert "has left the site" in visitor.post("/lobby/chat/mute", data=data).text
    assert site.contacts.blocked(guest_of(visitor)) == []


def test_no_one_sits_down_beside_a_blocked_player_by_any_way(site):
    site.contacts.block("ana", "bea", "Bea")
    for seats, guest in (((ANA, NOBODY), "bea"), ((BEA, NOBODY), "ana")):
        with pytest.raises(Conflict, match="can't take this seat"):
            site.seats.join(opened(site, *seats), 1, guest, "X")
