"""Accounts: sign-up, sign-in, sign-out, merging a guest, passwords, addresses, links and sessions."""

import json
from concurrent.futures import ThreadPoolExecutor

import pytest
from sqlalchemy import select, text
from starlette.requests import Request

from almunia.server.auth import passkeys
from almunia.server.auth.passwords import validate_password
from almunia.server.auth.sessions import STREAM_CACHE_SECONDS, device_name
from almunia.server.errors import BadRequest
from almunia.server.storage import schema
from almunia.server.users.visitors import COOKIE_SECONDS
from almunia.server.web.middleware.authentication import session_has_ended

from ..serving import settled
from .accounts import ADDRESS, MAIL, PASSWORD, SENDER, come, deliver, given, mailed, sign_in, sign_up, twice, who
from .conftest import Visitor
from .test_lobby import FRIENDS, name_of
from .test_missed_changes import statements
from .test_secrets import session_of

FIREFOX = "Mozilla/5.0 (X11; Linux x86_64; rv:140.0) Gecko/20100101 Firefox/140.0"


@pytest.fixture
def ana(start, box):
    """Return a guest of a site that sends mail."""
    visitor = start(smtp=box.address, mail_from=SENDER, address=ADDRESS)
    visitor.headers["Origin"] = ADDRESS
    visitor.base_url = ADDRESS
    visitor.post("/preferences", data={"name": "Ana"})
    return visitor


def site_of(visitor):
    return visitor.app.state.site


# --- sign-up --------------------------------------------------------------------------------------


def test_a_guest_who_signs_up_keeps_games_and_preferences(ana, box):
    table = ana.open(**FRIENDS)
    ana.post("/preferences", data={"theme": "dark", "pace": "fast"})
    ana.post("/api-tokens", data={"label": "Robot"})
    guest = session_of(ana)["guest"]
    sign_up(ana, box)
    assert session_of(ana)["guest"] == guest
    assert who(ana) == "Ana"
    assert table in ana.get("/my/games").text
    assert site_of(ana).tokens.for_guest(guest) == []  # the guest's tokens do not act for the account
    phone = come(ana)
    assert sign_in(phone).status_code == 303
    assert (session_of(phone)["theme"], session_of(phone)["pace"], who(phone)) == ("dark", "fast", "Ana")
    assert table in phone.get("/my/games").text
    assert "You are watching" not in phone.get(table).text


def test_preferences_of_an_account_apply_on_all_devices(ana, box):
    sign_up(ana, box)
    phone = come(ana)
    sign_in(phone)
    phone.post("/preferences", data={"name": "Anna", "theme": "light"})
    assert who(ana) == "Anna"
    assert session_of(ana)["theme"] == "light"


def test_games_of_the_browser_move_to_the_account_at_sign_in(ana, box):
    sign_up(ana, box)
    phone = come(ana)
    table = phone.open(**FRIENDS)
    phone.post("/api-tokens", data={"label": "Robot"})
    before = session_of(phone)["guest"]
    answer = sign_in(phone)
    assert answer.headers["location"] == "/account?came=1&left=0&rated=0"
    assert "1 game from this browser moved" in phone.get(answer.headers["location"]).text
    assert table in ana.get("/my/games").text
    assert phone.act(table).status_code in (303, 403)  # it recognizes the player
    assert site_of(ana).tokens.for_guest(before) == []
    state = site_of(ana).tables.get(name_of(table))
    assert state.table.host == session_of(ana)["guest"]


def test_profile_and_alerts_of_a_browser_do_not_move_to_the_account_at_sign_in(ana, box):
    sign_up(ana, box)
    library = come(ana)
    library.post("/profile", data={"page": 1, "results": 1})
    stranger = session_of(library)["guest"]
    site_of(ana).notifications.channels.add(
        stranger, "X", "webhook", "https://planted.example.org/", {"secret": "s"}, "planted"
    )
    shown = f"/players/{site_of(ana).profiles.get(stranger).handle}"
    assert library.get(shown).status_code == 200
    sign_in(library)
    assert come(ana).get(shown).status_code == 404
    guest = session_of(ana)["guest"]
    assert site_of(ana).profiles.get(guest).visible_parts == []
    assert site_of(ana).notifications.channels.for_guest(guest) == []


def test_a_seat_at_a_table_of_the_account_stays_with_the_browser(ana, box):
    sign_up(ana, box)
    table = ana.open(**FRIENDS)
    phone = come(ana)
    phone.post("/preferences", data={"name": "Bea"})
    invitation = site_of(ana).invitations.create(name_of(table), 1)
    phone.post(f"/join/{invitation}")
    before = session_of(phone)["guest"]
    answer = sign_in(phone)
    assert answer.headers["location"] == "/account?came=0&left=1&rated=0"
    assert "1 game couldn't be moved" in phone.get(answer.headers["location"]).text
    assert [seat.player for seat in site_of(ana).tables.get(name_of(table)).table.seats][1] == before
    phone.post("/account/sign-out")
    assert session_of(phone)["guest"] == before
    assert table in phone.get("/my/games").text


def test_a_running_rated_game_of_a_guest_does_not_move_to_the_account(ana, box):
    sign_up(ana, box)
    phone = come(ana)
    seats = {"seat-0": "me", "seat-1": "bot-easy"}
    table, casual = phone.open(**seats), phone.open(**seats, unrated=1)
    before = session_of(phone)["guest"]
    answer = sign_in(phone)
    assert answer.headers["location"] == "/account?came=1&left=0&rated=1"
    assert (
        "A rated game that you started as a guest can't be moved to your account. Sign out"
        in phone.get(answer.headers["location"]).text
    )
    assert table not in (page := phone.get("/my/games").text)
    assert casual in page
    assert not sign_in(phone).headers["location"].startswith("/account"), "a second time, and nothing is to be said"
    phone.post("/account/sign-out")
    assert session_of(phone)["guest"] == before
    phone.finish(table)
    assert sign_in(phone).headers["location"] == "/account?came=1&left=0&rated=0"


def test_a_game_between_a_guest_and_its_account_counts_once(ana, box):
    sign_up(ana, box)
    table = ana.open(**FRIENDS, unrated=1)
    phone = come(ana)
    phone.post(f"/join/{site_of(ana).invitations.create(name_of(table), 1)}")
    while "finale" not in ana.get(table).text:
        for visitor in (ana, phone):
            seat, seen, actions = visitor.seen(table)
            if actions:
                visitor.answer(table, {"action": actions[0], "seat": seat, "seen": seen})
    before, after = session_of(phone)["guest"], session_of(ana)["guest"]
    sign_in(phone)
    profiles = site_of(ana).profiles
    assert [one.games for one in profiles.game_stats(after)] == [1]
    assert [one.name for one in profiles.opponents(after, public=False)] == ["Guest"]
    assert [one.games for one in profiles.game_stats(before)] == [1]  # the guest's seat keeps its result


@pytest.mark.parametrize("end", ["deleted", "ended elsewhere"])
def test_the_guest_of_a_browser_returns_when_the_session_ends(ana, box, end):
    sign_up(ana, box)
    table = ana.open(**FRIENDS)
    phone = come(ana)
    phone.post(f"/join/{site_of(ana).invitations.create(name_of(table), 1)}")
    before = session_of(phone)["guest"]
    sign_in(phone)
    if end == "deleted":
        phone.post("/account/delete", data={"everything": "yes"})
    else:
        ana.post("/account/sessions/others/end")
    assert who(phone) == ""
    assert session_of(phone)["guest"] == before
    assert table in phone.get("/my/games").text


def test_a_sign_up_link_opened_in_another_browser_makes_the_account_of_the_guest(ana, box):
    table = ana.open(**FRIENDS)
    ana.post("/api-tokens", data={"label": "Planted"})
    guest = session_of(ana)["guest"]
    site_of(ana).notifications.channels.add(
        guest, "Ana", "webhook", "https://planted.example.org/", {"secret": "s"}, "planted"
    )
    ana.post("/profile", data={"page": 1, "results": 1})
    ana.post("/account/sign-up", data={"mail": MAIL})
    phone = come(ana)
    link = mailed(ana, box)
    assert "another browser, where your name is <bdi>Ana</bdi>" in phone.get(link).text
    phone.post(link, data=twice(PASSWORD))
    assert session_of(phone)["guest"] == guest
    assert table in phone.get("/my/games").text
    assert site_of(ana).tokens.for_guest(guest) == []  # another person may have requested the link
    assert site_of(ana).notifications.channels.for_guest(guest) == []
    assert site_of(ana).profiles.get(guest).visible_parts == []  # the settings of the other browser do not count
    assert who(ana) == ""
    assert table not in ana.get("/my/games").text


def test_without_mail_accounts_need_passkeys(visitor):
    assert "Send the link" not in visitor.get("/account").text
    assert visitor.post("/account/sign-up", data={"mail": MAIL}).status_code == 409
    assert visitor.post("/account/reset", data={"mail": MAIL}).status_code == 409


# --- passwords --------------------------------------------------------------------------------------


@pytest.mark.parametrize(
    ("password", "again", "why"),
    [
        ("short", "short", "at least 10"),
        ("x" * 201, "x" * 201, "at most 200"),
        ("ababababab", "ababababab", "very few characters"),
        ("ana@example.org", "ana@example.org", "your name or address"),
        ("five small olive trees", "five small olive tree", "not the same"),
    ],
)
def test_passwords_that_are_refused(password, again, why):
    with pytest.raises(BadRequest, match=why):
        validate_password(password, again, "Ana", MAIL)


def test_a_lone_surrogate_in_a_password_is_hashed_and_verified(visitor):
    passwords = visitor.app.state.site.accounts.passwords
    assert not passwords.verify(passwords.hash(PASSWORD), "\ud800" + PASSWORD)
    assert passwords.verify(passwords.hash("\ud800" + PASSWORD), "\ud800" + PASSWORD)


def test_passwords_and_secrets_are_not_stored_in_the_database(ana, box):
    sign_up(ana, box)
    ana.post("/account/reset", data={"mail": MAIL})
    link = mailed(ana, box).rpartition("/")[2]
    device = ana.post("/account/device").text
    secrets = [PASSWORD, link.partition("-")[2], session_of(ana)["session"].partition("-")[2]]
    secrets.append(device.split("/account/link/")[1].partition("-")[2][:43])
    everything = dump(ana)
    assert "$argon2id$" in everything
    for secret in secrets:
        assert len(secret) > 20
        assert secret not in everything


def dump(visitor):
    with site_of(visitor).accounts.repository.engine.connect() as db:
        return "\n".join(
            str(tuple(row)) for table in schema.metadata.sorted_tables for row in db.execute(select(table))
        )


def test_a_changed_password_ends_all_other_sessions_at_once(ana, box):
    sign_up(ana, box)
    stolen = come(ana)
    stolen.cookies.update(ana.cookies)
    phone = come(ana)
    sign_in(phone)
    assert who(stolen) == who(phone) == "Ana"
    assert phone.post("/account/password", data=twice("another long password")).status_code == 200
    assert who(phone) == "Ana"
    assert who(stolen) == who(ana) == ""
    assert "You were signed out" in ana.get("/my/games").text
    assert "You were signed out" in ana.get("/").text
    assert "You were signed out" in ana.get("/account").text
    assert "You were signed out" not in ana.get("/my/games").text
    assert session_of(ana).get("guest") is None
    assert sign_in(ana).status_code == 422
    assert sign_in(ana, password="another long password").status_code == 303  # noqa: S106
    assert "was changed" in box.mails[-1][1].get_content()


def test_sensitive_changes_need_a_recent_proof_of_identity(ana, box):
    sign_up(ana, box)
    ana.app.state.site.clock.advance(11 * 60)
    wanted = [("/account/password", twice("another long password")), ("/account/mail", {"mail": "b@example.org"})]
    wanted += [
        ("/account/device", {}),
        ("/account/delete", {"everything": "yes"}),
        ("/account/passkeys/options", {"make": 1}),
    ]
    for address, fields in wanted:
        answer = ana.post(address, data=fields)
        assert answer.status_code == 403, address
        assert "confirm that it" in answer.text
    assert ana.post("/account/confirm-identity", data={"password": "wrong"}).status_code == 422
    assert ana.post("/account/confirm-identity", data={"password": PASSWORD}).status_code == 200
    assert ana.post("/account/device").status_code == 200


# --- reset --------------------------------------------------------------------------------------------


def test_a_password_reset_ends_sessions_and_works_once(ana, box):
    sign_up(ana, box)
    phone = come(ana)
    phone.post("/account/reset", data={"mail": MAIL})
    first = mailed(ana, box)
    phone.post("/account/reset", data={"mail": MAIL})
    second = mailed(ana, box)
    assert first != second
    assert phone.get(second).status_code == 200  # opening the link changes nothing
    assert phone.post(second, data=twice("tiny")).status_code == 422  # a refused password changes nothing
    assert phone.post(second, data=twice("a password of today")).status_code == 200
    assert who(phone) == "Ana"
    assert who(ana) == ""
    for link in (first, second):
        assert phone.get(link).status_code == 404
        assert phone.post(link, data=twice("a password of tomorrow")).status_code == 404
    assert sign_in(ana, password="a password of today").status_code == 303  # noqa: S106


def test_passkeys_and_programs_survive_a_reset_and_the_page_lists_them(ana, box):
    sign_up(ana, box)
    site, guest = site_of(ana), session_of(ana)["guest"]
    ana.post("/api-tokens", data={"label": "Robot"})
    facts = {"credential": "c", "key": b"k", "sign_count": 0}
    with site.accounts.repository.engine.begin() as db:
        passkeys.add_passkey(db, guest, "Phone", facts, site.clock.now())
    phone = come(ana)
    phone.post("/account/reset", data={"mail": MAIL})
    page = phone.post(mailed(ana, box), data=twice("a password of today")).text
    assert "passkeys, tokens and alerts still work" in page
    assert 'value="Phone"' in page
    assert '<a href="/api-tokens">1 program</a>' in page
    deliver(site)
    assert "remove passkeys and tokens that you don't recognise" in box.mails[-1][1].get_content().replace("\n", " ")


@pytest.mark.parametrize("same", [True, False], ids=["one link", "two links"])
def test_one_of_two_concurrent_resets_succeeds(ana, box, same):
    guest = given(ana)
    made = [site_of(ana).accounts.links.create("reset", guest) for _ in range(2)]
    links = [f"/account/link/{made[0 if same else number]}" for number in range(2)]
    words = ["the first new password", "the second new password"]
    with ThreadPoolExecutor(2) as both:
        done = list(both.map(lambda n: come(ana).post(links[n], data=twice(words[n])).status_code, range(2)))
    assert sorted(done) == [200, 404]
    assert sign_in(come(ana), password=words[done.index(200)]).status_code == 303
    assert sign_in(come(ana), password=words[done.index(404)]).status_code == 422


def test_an_account_link_expires_after_an_hour(ana, box):
    guest = given(ana)
    links = {kind: f"/account/link/{site_of(ana).accounts.links.create(kind, guest)}" for kind in ("reset", "device")}
    assert ana.get(links["reset"]).status_code == 200
    assert ana.get(links["reset"][:-1] + ("a" if links["reset"][-1] != "a" else "b")).status_code == 404
    ana.app.state.site.clock.advance(3601)
    for link in links.values():
        assert come(ana).get(link).status_code == 404
        assert come(ana).post(link, data=twice(PASSWORD)).status_code == 404


def test_the_page_of_a_link_is_not_cached_and_sends_no_referrer(ana):
    answer = ana.get(f"/account/link/{site_of(ana).accounts.links.create('device', given(ana))}")
    assert answer.headers["cache-control"] == "no-store"
    assert answer.headers["referrer-policy"] == "strict-origin", "no address, but where its form comes from"


# --- changes of address -----------------------------------------------------------------------------------


@pytest.mark.parametrize("order", [(0, 1), (1, 0)])
def test_a_change_of_address_needs_both_addresses(ana, box, order):
    sign_up(ana, box)
    new = "Ana@new.example.org"
    ana.post("/account/mail", data={"mail": new})
    links = mailed(ana, box), mailed(ana, box, new)
    first, last = (links[number] for number in order)
    ana.post(first)
    assert site_of(ana).accounts.repository.find_by_email(MAIL)
    assert ana.post(first).status_code == 404
    ana.post(last)
    assert site_of(ana).accounts.repository.find_by_email(MAIL) is None
    assert sign_in(come(ana), new.upper()).status_code == 303


@pytest.mark.parametrize("form", ["/account/mail", "/account/sign-up"])
def test_an_export_does_not_reveal_who_has_an_account(ana, box, form):
    sign_up(ana, box)
    given(ana, "bea@example.org", guest="bea")
    told = []
    for mail in ("bea@example.org", "cem@example.org"):
        before = len(links_of(ana)) if form.endswith("up") else 0  # a new change of address ends the previous one
        ana.post(form, data={"mail": mail})
        told.append(links_of(ana)[before:])
    assert told[0] == told[1] != []


def links_of(visitor) -> list[str]:
    """Return the kinds of the links in an export, the oldest first."""
    site_of(visitor).mailer.executor.submit(bool).result()
    links = visitor.get("/account/export").json()["account"]["links"]
    return [one["kind"] for one in sorted(links, key=lambda one: one["created_at"])]


def test_a_change_to_a_taken_address_does_not_reveal_its_account(ana, box):
    sign_up(ana, box)
    given(ana, "bea@example.org", guest="bea")
    page = ana.post("/account/mail", data={"mail": "bea@example.org"}).text
    other = ana.post("/account/mail", data={"mail": "cem@example.org"}).text
    assert page.replace("bea@", "cem@") == other
    deliver(site_of(ana))
    told = [mail.get_content() for whom, mail in box.mails if whom == ["bea@example.org"]]
    assert "belongs to another account" in told[0]
    assert "/account/link/" not in told[0]
    ana.post(mailed(ana, box))  # the old address confirms
    assert site_of(ana).accounts.repository.find_by_email("bea@example.org").guest == "bea"


# --- sessions -----------------------------------------------------------------------------------------------


def test_sessions_are_listed_and_ended(ana, box):
    sign_up(ana, box)
    phone, tablet = come(ana, **{"User-Agent": FIREFOX}), come(ana)
    sign_in(phone)
    sign_in(tablet)
    page = ana.get("/account").text
    assert "Firefox on Linux" in page
    assert page.count("last seen") == 3
    for place in ("/notifications", "/profile", "/my/games#name-heading"):
        assert f'href="{place}"' in page
    firefox = next(
        one for one in site_of(ana).accounts.sessions.for_guest(session_of(ana)["guest"]) if "Firefox" in one.device
    )
    assert ana.post(f"/account/sessions/{firefox.id}/end").status_code == 200
    assert (who(phone), who(tablet), who(ana)) == ("", "Ana", "Ana")
    ana.post("/account/sessions/others/end")
    assert (who(tablet), who(ana)) == ("", "Ana")
    stranger = come(ana)
    given(ana, "bea@example.org", guest="bea")
    sign_in(stranger, "bea@example.org")
    mine = site_of(ana).accounts.sessions.for_guest(session_of(ana)["guest"])[0]
    assert stranger.post(f"/account/sessions/{mine.id}/end").status_code == 404
    assert who(ana) == "Ana"


@pytest.mark.parametrize("which", ["others", "one"])
def test_links_requested_by_a_session_end_with_that_session(ana, box, which):
    sign_up(ana, box)
    thief = come(ana)
    sign_in(thief)
    link = thief.post("/account/device").text.split('value="https://play.example.org')[1].partition('"')[0]
    thief.post("/account/mail", data={"mail": "thief@example.org"})
    change = mailed(ana, box, "thief@example.org")
    found = site_of(ana).accounts.sessions.for_guest(session_of(ana)["guest"])
    theirs = next(one for one in found if one.id not in session_of(ana)["session"])
    ana.post(f"/account/sessions/{'others' if which == 'others' else theirs.id}/end")
    assert come(ana).post(link).status_code == 404
    assert come(ana).post(change).status_code == 404


def test_a_session_that_is_not_used_ends(ana, box):
    sign_up(ana, box)
    ana.app.state.site.clock.advance(91 * 24 * 3600)
    assert who(ana) == ""


def test_a_session_that_was_signed_out_is_dead(ana, box):
    sign_up(ana, box)
    stolen = come(ana)
    stolen.cookies.update(ana.cookies)
    ana.post("/account/sign-out")
    assert who(stolen) == who(ana) == ""
    assert "You were signed out" not in ana.get("/my/games").text  # the user ended this session, so no notice


def test_a_session_cookie_is_replaced_at_sign_in_and_sign_up(ana, box):
    """An attacker who knows a guest's cookie cannot use it after the guest has signed in or signed up."""
    attacker = come(ana)
    attacker.cookies.update(ana.cookies)
    sign_up(ana, box)
    assert who(attacker) == ""
    assert "guest" not in session_of(attacker)
    phone = come(ana)
    phone.post("/preferences", data={"name": "Planted"})
    attacker.cookies.update(phone.cookies)
    sign_in(phone)
    assert who(attacker) == ""
    first = session_of(phone)["session"]
    sign_in(phone)
    assert session_of(phone)["session"] != first
    assert first.partition("-")[0] not in {
        one.id for one in site_of(ana).accounts.sessions.for_guest(session_of(ana)["guest"])
    }


def test_a_link_signs_another_device_in_once(ana, box):
    sign_up(ana, box)
    link = ana.post("/account/device").text.split('value="https://play.example.org')[1].partition('"')[0]
    phone, other = come(ana), come(ana)
    assert who(phone) == ""
    assert phone.post(link).status_code == 200
    assert who(phone) == "Ana"
    assert other.post(link).status_code == 404
    assert who(other) == ""
    assert phone.post("/account/password", data=twice("another long password")).status_code == 403  # not verified


@pytest.mark.parametrize(
    ("agent", "device"),
    [
        (FIREFOX, "Firefox on Linux"),
        ("Mozilla/5.0 (Windows NT 10.0) AppleWebKit/537.36 Chrome/140.0 Safari/537.36 Edg/140.0", "Edge on Windows"),
        ("Mozilla/5.0 (iPhone; CPU iPhone OS 18_0 like Mac OS X) Version/18.0 Safari/604.1", "Safari on iPhone"),
        ("<script>", "A browser"),
        ("", "A browser"),
    ],
)
def test_devices(agent, device):
    assert device_name(agent) == device


def test_the_stream_of_a_page_uses_its_cached_session(ana, box, clock):
    """Streams use the cached session for STREAM_CACHE_SECONDS, even while others sign in."""
    sign_up(ana, box)
    site, counts = site_of(ana), []
    page = Request({"type": "http", "session": session_of(ana), "auth_context": None})
    for seconds in (0, 15, 15, 15, 15, STREAM_CACHE_SECONDS, 15):
        clock.advance(seconds)
        site.accounts.sessions.invalidate("somebody else")
        with statements(site.engine) as found:
            assert not settled(session_has_ended(page, site.accounts.sessions))
        counts.append(len(found))
    assert counts[1:5] == [0, 0, 0, 0]
    assert counts[5] > 0
    assert counts[6] == 0


def test_a_cached_session_survives_actions_of_other_guests(ana, box, clock):
    """A cached session stays valid when other guests sign in, sign out or change preferences."""
    sign_up(ana, box)
    bea = come(ana)
    given(ana, "bea@example.org", guest="bea", name="Bea")
    deeds = (
        lambda: sign_in(bea, "bea@example.org"),
        lambda: bea.post("/preferences", data={"theme": "dark"}),
        lambda: bea.post("/account/sign-out"),
    )
    assert who(ana) == "Ana"
    for deed in deeds:
        assert deed().status_code < 400
        with statements(site_of(ana).engine) as found:
            assert who(ana) == "Ana"
        assert [one for one in found if "FROM login_session" in one or "FROM account" in one] == []


@pytest.mark.parametrize("seconds", [60, 366 * 24 * 3600])
def test_guests_keep_their_identity_if_the_clock_is_set_back(start, clock, seconds):
    clock.set(1_800_000_000.0)
    visitor = start()
    table = visitor.open("orchard", **{"seat-0": "me", "seat-1": "friend"})
    guest = session_of(visitor)["guest"]
    clock.advance(-seconds)
    assert visitor.seen(table)[0] == 0, "the seat is still theirs"
    assert visitor.post("/preferences", data={"name": "Ana"}).status_code == 200
    assert session_of(visitor)["guest"] == guest


def test_a_cookie_is_valid_for_ten_years(start, clock):
    visitor = start()
    table = visitor.open("orchard", **{"seat-0": "me", "seat-1": "friend"})
    clock.advance(COOKIE_SECONDS)
    assert visitor.seen(table)[0] == 0
    clock.advance(1)
    assert visitor.seen(table)[0] == -1, "a spectator"


def test_the_cookie_of_an_account_is_as_strict_as_that_of_a_guest(ana, box):
    sign_up(ana, box)
    cookie = sign_in(ana).headers["set-cookie"].lower()
    assert all(word in cookie for word in ("httponly", "samesite=lax", "secure"))
    assert json.dumps(session_of(ana)).find(PASSWORD) == -1


def test_sign_in_redirects_to_pages_of_the_site_only(ana, box):
    given(ana)
    assert sign_in(come(ana), back="/lobby").headers["location"] == "/lobby"
    assert sign_in(come(ana), back="//evil.example").headers["location"] == "/"


def test_the_second_of_two_sign_up_links_is_refused(ana, box):
    ana.post("/account/sign-up", data={"mail": MAIL})
    first = mailed(ana, box)
    ana.post("/account/sign-up", data={"mail": MAIL})
    second = mailed(ana, box)
    assert ana.post(first, data=twice(PASSWORD)).status_code == 200
    late = ana.post(second, data=twice("another long password"))
    assert late.status_code == 409
    assert sign_in(come(ana)).status_code == 303
    with site_of(ana).accounts.repository.engine.connect() as db:
        assert db.execute(text("SELECT count(*) FROM account")).scalar() == 1


def test_a_guest_without_an_account_has_no_session(visitor: Visitor):
    table = visitor.open()
    assert "in" not in session_of(visitor)
    assert table in visitor.get("/my/games").text
