"""Attacks on accounts: guessing, enumeration, cross-site forms, and ways past the site's password."""

import re
from functools import partial
from itertools import product
from unittest.mock import Mock

import pytest
from argon2 import extract_parameters
from sqlalchemy.exc import OperationalError
from starlette.routing import Mount, Route

from almunia.errors import SetupError
from almunia.server import first_invitation
from almunia.server.settings import Settings
from almunia.server.storage import schema

from ..attack.target import routes_in
from ..tiers import rest
from .accounts import ADDRESS, MAIL, PASSWORD, SENDER, deliver, given, sign_in, twice, who
from .conftest import ORIGIN, Visitor
from .test_lobby import FRIENDS, name_of
from .test_secrets import session_of

NOBODY = "bea@example.org"  # an address without an account, as long as MAIL
CLOSED = [{"invite_only": True}, {"password": "open sesame"}]


# --- guessing ---------------------------------------------------------------------------------------


def test_password_guesses_are_limited_without_locking_out_the_owner(visitor, stranger):
    given(visitor)
    assert sign_in(visitor).status_code == 303
    visitor.post("/account/sign-out")
    codes = [sign_in(stranger, password=f"guess {number}").status_code for number in range(12)]
    assert codes == [422] * 9 + [429] * 3  # the device has not signed in to this account before
    assert sign_in(stranger).status_code == 429  # the right password, too
    assert sign_in(visitor).status_code == 303  # this device has signed in before


def test_sign_in_attempts_per_address_are_limited(visitor):
    codes = [sign_in(visitor, f"a{number}@example.org").status_code for number in range(42)]
    assert codes == [422] * 40 + [429] * 2


def test_sign_in_attempts_are_limited_by_ipv6_network(visitor):
    many = [Visitor(visitor.app, headers={"Origin": ORIGIN}, client=(f"2001:db8::{n:x}", 1)) for n in range(1, 43)]
    codes = [sign_in(one, f"a{number}@example.org").status_code for number, one in enumerate(many)]
    assert codes == [422] * 40 + [429] * 2
    beside = Visitor(visitor.app, headers={"Origin": ORIGIN}, client=("2001:db8:0:1::1", 1))
    assert sign_in(beside).status_code == 422


def test_secrets_of_links_are_not_logged(start, monkeypatch, caplog):
    visitor = start()
    links = visitor.app.state.site.accounts.links
    written = links.create("device", given(visitor))
    outside = Visitor(visitor.app, raise_server_exceptions=False)
    for fault in (RuntimeError("x"), OperationalError("x", {}, Exception("x"))):
        monkeypatch.setattr(links, "find", Mock(side_effect=fault))
        assert outside.get(f"/account/link/{written}").status_code in (500, 503)
    assert "/account/link/{link}" in caplog.text
    assert written not in caplog.text


def test_password_confirmations_of_a_session_are_limited(visitor):
    given(visitor)
    sign_in(visitor)
    codes = [visitor.post("/account/confirm-identity", data={"password": f"guess {n}"}).status_code for n in range(11)]
    assert codes[-1] == 429
    assert set(codes[:-2]) == {422}


# --- enumeration ------------------------------------------------------------------------------------


@pytest.fixture
def site(start, box):
    """Return a visitor to a site that sends mail, where one of two addresses has an account."""
    visitor = start(smtp=box.address, mail_from=SENDER, address=ADDRESS, argon2_memory_kib=4096)
    visitor.headers["Origin"] = ADDRESS
    visitor.base_url = ADDRESS
    visitor.headers["Accept-Encoding"] = "identity"
    given(visitor)
    return visitor


def plainly(answer, mail):
    """Return the parts of a response to compare, without the address in the form and the value of the cookie."""
    headers = {name: value for name, value in answer.headers.items() if name != "set-cookie"}
    return answer.status_code, headers, answer.text.replace(mail, "MAIL"), bool(answer.headers.get("set-cookie"))


@pytest.mark.parametrize("address", ["/account/sign-in", "/account/reset", "/account/sign-up"])
def test_forms_do_not_reveal_who_has_an_account(site, address):
    site.post("/preferences", data={"name": "Cem"})
    known, unknown = (
        site.post(address, data={"mail": mail, "password": "a wrong one"}, follow_redirects=False)
        for mail in (MAIL, NOBODY)
    )
    assert plainly(known, MAIL) == plainly(unknown, NOBODY)
    assert len(known.content) == len(unknown.content)


def test_a_wrong_password_takes_as_long_with_and_without_an_account(site, monkeypatch):
    monkeypatch.setattr(site.app.state.site.accounts.login_attempts, "consume", lambda *_: None)
    passwords = site.app.state.site.accounts.passwords
    hasher = Mock(wraps=passwords._hasher)
    monkeypatch.setattr(passwords, "_hasher", hasher)
    for mail in (MAIL, NOBODY):
        sign_in(site, mail, "a wrong one")
    known, unknown = (extract_parameters(call.args[0]) for call in hasher.verify.call_args_list)
    assert known == unknown, "as much is computed; a hash takes most of the time of an answer"


def test_reset_mails_are_sent_in_the_background(site, box, monkeypatch):
    """Writing a mail first would reveal, by the time of the response, that the address has an account."""
    post = site.app.state.site.accounts.emails
    written = []
    monkeypatch.setattr(post._mailer.executor, "submit", written.append)
    for mail in (MAIL, NOBODY):
        assert site.post("/account/reset", data={"mail": mail}).status_code == 200
    assert len(written) == 2
    assert box.mails == []


def test_reset_mails_per_address_are_limited(site, box):
    for _ in range(5):
        assert site.post("/account/reset", data={"mail": MAIL}).status_code == 200
    deliver(site.app.state.site)
    assert len(box.mails) == 3


# --- forms of other sites -----------------------------------------------------------------------------


def own_routes(app, method):
    """Return the paths of the account routes that accept a method."""
    found = [route for route in routes_in(app.routes) if isinstance(route, Route) and method in route.methods]
    return [route.path for route in found if route.path.startswith(("/account", "/unlock", "/privacy"))]


def test_forms_from_other_sites_are_refused(visitor):
    given(visitor)
    sign_in(visitor)
    paths = own_routes(visitor.app, "POST")
    assert len(paths) >= 18
    for path in paths:
        address = re.sub(r"{\w+}", "x", path)
        for headers in ({"Origin": "https://evil.example"}, {"Origin": "null"}, {"Origin": ""}):
            answer = visitor.post(address, data={"sure": 1}, headers=headers)
            assert answer.status_code == 403, path
            assert "did not come from a page of this site" in answer.text
    assert who(visitor) == "Ana"


def contents(site):
    """Return all rows of a site's database, by table."""
    with site.engine.connect() as db:
        tables = schema.metadata.sorted_tables
        return {table.name: sorted(map(repr, db.execute(table.select()))) for table in tables}


def test_get_requests_change_nothing(visitor, clock):
    """A page of another site can make a browser send a GET request with its cookie."""
    site = visitor.app.state.site
    guest = given(visitor)
    sign_in(visitor)
    links = [site.accounts.links.create("invite"), site.accounts.links.create("device", guest), "x"]
    paths = own_routes(visitor.app, "GET")
    assert {"/account", "/account/link/{link}", "/account/export"} <= {*paths}
    before = contents(site)
    assert before["account"]
    for path, link, method in product(paths, links, ("GET", "HEAD")):
        answer = visitor.request(method, re.sub(r"{\w+}", link, path))
        assert answer.status_code < 500, path
        assert contents(site) == before, (method, path)
    assert who(visitor) == "Ana"
    assert visitor.get("/account/delete").status_code == 405


# --- closed sites ---------------------------------------------------------------------------------------


# The list in docs/host.md. Anyone can open these addresses of a closed site.
PUBLIC = {
    "/health",
    "/health/ready",
    "/manifest.webmanifest",
    "/privacy",
    "/unlock",
    "/account",
    "/account/sign-in",
    "/account/sign-out",
}
PUBLIC |= {"/account/reset", "/account/passkeys/options", "/account/passkeys/sign-in"}
PUBLIC_FOLDERS = "/static/", "/account/link/", "/notifications/confirm/", "/notifications/stop/"


def every_address(app):
    """Yield the path and the method of every route of the site and of the API."""
    for route in routes_in(app.routes):
        if isinstance(route, Mount):
            prefix = route.path
            inner = routes_in(app.state.api.routes) if prefix.startswith("/api") else []
            yield from ((prefix + one.path, method) for one in inner for method in one.methods)
        else:
            yield from ((route.path, method) for method in route.methods)


@pytest.mark.parametrize("closed", rest(CLOSED, CLOSED[0]), ids=["invite", "password"])
def test_routes_of_a_closed_site_refuse_strangers(start, closed):
    inside = start()
    table = name_of(inside.open(**FRIENDS))
    inside.post("/api-tokens", data={"label": "Robot"})
    stranger = start(posts="1000000/minute", **closed)
    values = {"table_id": table, "name": "orchard", "invitation": "x", "link": "x"}
    tried = 0
    for path, method in every_address(stranger.app):
        address = re.sub(r"{(\w+)(?::\w+)?}", lambda found: values.get(found[1], "0"), path)
        if address in PUBLIC or address.startswith(PUBLIC_FOLDERS):
            continue
        for tail in ("", "/", "?back=/"):
            answer = stranger.request(method, address + tail, data={"quick": 1} if method == "POST" else None)
            tried += 1
            if answer.history:
                assert answer.url.path in ("/account", "/unlock"), address
                assert "Orchard" not in answer.text
            else:
                assert answer.status_code in (401, 405), (address, answer.status_code)
    assert tried > 200
    for address in ("/health", "/health/ready"):  # a reverse proxy checks these; without them it would serve no one
        assert stranger.get(address).json()["status"] == "ok"
    assert stranger.post("/account/passkeys/options", data={"make": 1}).status_code in (401, 403)


ODD = "/static/../tables", "/static/%2e%2e/tables", "//tables", "/account/link/../../tables", "/%2ftables"


@pytest.mark.parametrize("path", ODD)
def test_odd_addresses_do_not_open_a_closed_site(start, path):
    stranger = start(invite_only=True)
    answer = stranger.get(path)
    assert "No games yet" not in answer.text


def test_an_account_or_an_invitation_opens_a_closed_site(start):
    host = start()
    given(host)
    sign_in(host)
    table = host.open(**FRIENDS)
    guest = start(invite_only=True)
    assert "site is closed" in guest.get("/my/games").text
    assert guest.post("/preferences", data={"name": "Cem"}).status_code == 401
    assert guest.get("/join/nothing", follow_redirects=False).status_code == 303
    invitation = guest.app.state.site.invitations.create(name_of(table), 1)
    assert guest.post(f"/join/{invitation}", data={"name": "Cem"}).status_code == 200
    assert "Cem" in guest.get("/my/games").text
    other = Visitor(guest.app, headers={"Origin": ORIGIN})
    assert other.get(f"/join/{invitation}", follow_redirects=False).headers["location"].startswith("/account")  # used
    assert sign_in(other).status_code == 303
    assert "My games" in other.get("/my/games").text


def test_an_invitation_to_a_closed_game_does_not_open_a_closed_site(start):
    host = start()
    table = host.open(**FRIENDS)
    stranger = start(invite_only=True)
    invitation = stranger.app.state.site.invitations.create(name_of(table), 1)
    host.post(f"{table}/close")
    assert "See the game" in host.get(f"/join/{invitation}").text
    assert "Sit down" not in host.get(f"/join/{invitation}").text
    assert stranger.get(f"/join/{invitation}", follow_redirects=False).headers["location"].startswith("/account")
    assert stranger.get("/lobby", follow_redirects=False).status_code == 303


def test_a_closed_site_shows_strangers_no_menu_or_preferences(start):
    stranger = start(invite_only=True)
    for path in ("/account", "/account/reset", "/privacy"):
        assert 'action="/preferences"' not in stranger.get(path).text, path
        assert 'href="/lobby"' not in stranger.get(path).text, path
    assert "animation speed" not in stranger.get("/account").text
    refused = stranger.post("/preferences", data={"name": "Cem"})
    assert refused.status_code == 401
    assert 'href="/account">Sign in' in refused.text
    assert "My games" not in refused.text
    inside = start()
    assert 'action="/preferences"' in inside.get("/privacy").text
    assert "animation speed" in inside.get("/account").text


def test_the_sign_in_form_has_a_password_once_an_account_exists(start):
    stranger = start(invite_only=True)
    assert 'name="password"' not in stranger.get("/account").text
    given(stranger)
    assert 'name="password"' in stranger.get("/account").text
    assert "Forgot your password?" not in stranger.get("/account").text  # a reset needs mail


def test_a_site_with_a_password_links_strangers_to_the_password_form(start):
    stranger = start(password="open sesame")  # noqa: S106
    shown = stranger.get("/account").text
    assert 'href="/unlock">Enter password' in shown
    assert "ask a player here for an invitation" not in shown
    assert 'href="/unlock">Enter password' in stranger.post("/preferences", data={"name": "Cem"}).text


def test_an_invite_link_opens_a_closed_site_once(start):
    stranger = start(invite_only=True)
    link = f"/account/link/{stranger.app.state.site.accounts.links.create('invite')}"
    assert "Enter" in stranger.get(link).text
    assert stranger.get("/lobby", follow_redirects=False).status_code == 303
    stranger.post(link)
    assert stranger.get("/lobby", follow_redirects=False).status_code == 200
    other = Visitor(stranger.app, headers={"Origin": ORIGIN})
    assert other.post(link).status_code == 404
    assert other.get("/lobby", follow_redirects=False).status_code == 303


def first(visitor):
    """Return the invitation that the command prints when it starts a site."""
    site = visitor.app.state.site
    return first_invitation(site.settings, site.accounts, ORIGIN)


def test_a_closed_site_without_accounts_prints_a_link_for_its_operator(start):
    visitor = start(invite_only=True)
    told = first(visitor)
    visitor.post(told.split(ORIGIN)[1].strip())
    assert visitor.get("/lobby", follow_redirects=False).status_code == 200
    given(visitor)
    assert first(visitor) == ""
    assert first(start()) == ""


def test_a_closed_site_refuses_programs_of_guests_without_an_account(start):
    from ..attack.target import token_of

    visitor = start(invite_only=True)
    headers = {"Authorization": f"Bearer {token_of(visitor.app.state.site, 'cem')}"}
    assert visitor.get("/api/v1/tables", headers=headers).status_code == 401
    given(visitor, guest="cem")
    assert visitor.get("/api/v1/tables", headers=headers).status_code == 200


def test_an_invited_guest_without_an_account_cannot_make_tokens(start):
    host, guest = start(), start(invite_only=True)
    invitation = guest.app.state.site.invitations.create(name_of(host.open(**FRIENDS)), 1)
    guest.post(f"/join/{invitation}", data={"name": "Cem"})
    assert "your programs need an account" in guest.get("/api-tokens").text
    assert "Make a token" not in guest.get("/api-tokens").text
    refused = guest.post("/api-tokens", data={"label": "Robot"})
    assert refused.status_code == 403
    assert "Your new token" not in refused.text


def test_a_site_with_a_password_is_unlocked_by_it(start):
    visitor = start(password="open sesame")  # noqa: S106
    assert visitor.post("/unlock", data={"password": "open"}).status_code == 422
    assert visitor.get("/", follow_redirects=False).headers["location"] == "/unlock?back=/"
    answer = visitor.post("/unlock", data={"password": "open sesame", "back": "/lobby"}, follow_redirects=False)
    assert answer.headers["location"] == "/lobby"
    assert visitor.get("/lobby").status_code == 200
    given(visitor)
    assert sign_in(visitor).status_code == 303
    assert visitor.get("/lobby", follow_redirects=False).status_code == 200  # still unlocked
    other = start(password="close sesame")  # noqa: S106
    other.cookies.update(visitor.cookies)
    assert other.get("/lobby", follow_redirects=False).status_code == 303  # a new password locks all browsers
    stranger = Visitor(visitor.app, headers={"Origin": ORIGIN})
    codes = [stranger.post("/unlock", data={"password": f"guess {number}"}).status_code for number in range(41)]
    assert codes[-1] == 429


def test_guesses_of_the_site_password_do_not_lock_out_newcomers(start):
    visitor = start(password="open sesame")  # noqa: S106
    come = partial(Visitor, visitor.app, headers={"Origin": ORIGIN})
    guessing = [come(client=(f"203.0.113.{number % 5}", 50_000)) for number in range(60)]
    codes = [one.post("/unlock", data={"password": "a guess"}).status_code for one in guessing]
    assert codes == [422] * 60
    newcomer = come(client=("198.51.100.7", 50_000))
    assert newcomer.post("/unlock", data={"password": "open sesame"}, follow_redirects=False).status_code == 303
    assert newcomer.get("/lobby", follow_redirects=False).status_code == 200


def test_an_open_site_has_no_password(visitor):
    assert visitor.post("/unlock", data={"password": ""}).status_code == 404
    assert visitor.get("/").status_code == 200


def test_settings_of_closed_sites_are_checked(tmp_path, monkeypatch):
    with pytest.raises(SetupError, match="not both"):
        Settings(tmp_path, invite_only=True, password="open sesame").check()  # noqa: S106
    with pytest.raises(SetupError, match="has 4 characters and needs 8"):
        Settings(tmp_path, password="open").check()  # noqa: S106
    monkeypatch.setenv("ALMUNIA_INVITE_ONLY", "1")
    assert Settings.from_environment(tmp_path).invite_only
    monkeypatch.setenv("ALMUNIA_INVITE_ONLY", "0")
    monkeypatch.setenv("ALMUNIA_PASSWORD", "open sesame")
    assert not Settings.from_environment(tmp_path).invite_only
    assert Settings.from_environment(tmp_path).is_private
    assert Settings.from_environment(tmp_path, invite_only=True).invite_only


def test_a_stranger_sees_no_session_of_a_closed_site(start):
    stranger = start(invite_only=True)
    stranger.get("/account")
    assert session_of(stranger) == {}
    assert PASSWORD not in stranger.post("/account/reset", data=twice(PASSWORD)).text
