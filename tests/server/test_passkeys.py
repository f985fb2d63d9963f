"""Passkeys: created, used, named and removed; and attempts with passkeys of other accounts."""

from concurrent.futures import ThreadPoolExecutor
from threading import Barrier

import pytest

from almunia.server.errors import Conflict

from .accounts import PASSWORD, given, sign_in, who
from .authenticator import PRESENT, Authenticator
from .conftest import ORIGIN, Visitor
from .test_secrets import session_of

HOST = "testserver"
PAGES = "/account/passkeys"


def asked(visitor, *, make=False):
    """Return the options that the site sends for an authenticator."""
    return visitor.post(f"{PAGES}/options", data={"make": int(make)}).json()


def signed_up(visitor, key=None):
    """Create an account with a passkey, and return its authenticator."""
    key = key or Authenticator(HOST, ORIGIN)
    answer = visitor.post(f"{PAGES}/sign-up", data={"credential": key.make(asked(visitor, make=True))})
    assert "Your account is ready" in answer.text
    return key


def shown(visitor, credential, what="sign-in"):
    return visitor.post(f"{PAGES}/{what}", data={"credential": credential}, follow_redirects=False)


def test_a_guest_signs_up_and_in_with_a_passkey(visitor, stranger):
    visitor.post("/preferences", data={"name": "Ana"})
    table = visitor.open()
    guest = session_of(visitor)["guest"]
    key = signed_up(visitor)
    assert session_of(visitor)["guest"] == guest
    assert shown(stranger, key.show(asked(stranger))).status_code == 303
    assert who(stranger) == "Ana"
    assert table in stranger.get("/my/games").text


def test_tokens_of_a_guest_are_revoked_at_sign_up(visitor):
    """A token may have been created by another person with the same cookie."""
    visitor.post("/api-tokens", data={"label": "Planted"})
    guest, site = session_of(visitor)["guest"], visitor.app.state.site
    assert "will stop working" in visitor.get("/account").text
    signed_up(visitor)
    assert site.tokens.for_guest(guest) == []
    visitor.post("/api-tokens", data={"label": "Robot"})
    assert [token.label for token in site.tokens.for_guest(guest)] == ["Robot"]


def test_passkeys_can_be_named_and_removed(visitor, stranger):
    first = signed_up(visitor)
    second = Authenticator(HOST, ORIGIN)
    asking = asked(visitor, make=True)
    assert len(asking["excludeCredentials"]) == 1
    assert "ready" in visitor.post(f"{PAGES}/add", data={"credential": second.make(asking)}).text
    guest = session_of(visitor)["guest"]
    one, other = visitor.app.state.site.accounts.passkeys.for_guest(guest)
    visitor.post(f"{PAGES}/{one.id}/rename", data={"label": "Old phone"})
    assert "Old phone" in visitor.get("/account").text
    assert visitor.post(f"{PAGES}/{one.id}/remove").status_code == 200
    assert shown(stranger, first.show(asked(stranger))).status_code == 422
    assert shown(stranger, second.show(asked(stranger))).status_code == 303
    assert visitor.post(f"{PAGES}/{other.id}/remove").status_code == 409
    assert "only way to sign in" in visitor.post(f"{PAGES}/{other.id}/remove").text


def test_one_of_two_passkeys_removed_concurrently_remains(visitor):
    signed_up(visitor)
    asking = asked(visitor, make=True)
    visitor.post(f"{PAGES}/add", data={"credential": Authenticator(HOST, ORIGIN).make(asking)})
    accounts, guest = visitor.app.state.site.accounts, session_of(visitor)["guest"]
    account, start = accounts.repository.get(guest), Barrier(2)

    def remove(number):
        start.wait()
        try:
            accounts.passkeys.remove(account, number)
        except Conflict:
            return False
        return True

    with ThreadPoolExecutor(2) as pool:
        done = list(pool.map(remove, [one.id for one in accounts.passkeys.for_guest(guest)]))
    assert sorted(done) == [False, True]
    assert len(accounts.passkeys.for_guest(guest)) == 1


def test_passkeys_of_others_cannot_be_changed(visitor, stranger):
    signed_up(visitor)
    signed_up(stranger)
    (one,) = visitor.app.state.site.accounts.passkeys.for_guest(session_of(visitor)["guest"])
    assert stranger.post(f"{PAGES}/{one.id}/rename", data={"label": "Mine"}).status_code == 404
    assert stranger.post(f"{PAGES}/{one.id}/remove").status_code == 404


def test_a_response_is_accepted_once(visitor, stranger):
    key = signed_up(visitor)
    before = dict(stranger.cookies)
    credential = key.show(asked(stranger))
    waiting = dict(stranger.cookies)
    assert shown(stranger, credential).status_code == 303
    other = Visitor(visitor.app, headers={"Origin": ORIGIN})
    other.cookies.update(waiting)  # an eavesdropper has copied the request
    assert shown(other, credential).status_code == 404
    other.cookies.clear()
    other.cookies.update(before)
    assert shown(other, credential).status_code == 422
    assert who(other) == ""


def test_a_response_to_another_challenge_is_refused(visitor, stranger):
    key = signed_up(visitor)
    old = asked(stranger)
    asked(stranger)
    assert shown(stranger, key.show(old)).status_code == 422


def test_a_challenge_expires(visitor, stranger):
    key = signed_up(visitor)
    credential = key.show(asked(stranger))
    visitor.app.state.site.clock.advance(301)
    assert shown(stranger, credential).status_code == 404


@pytest.mark.parametrize(
    "odd",
    [
        {"origin": "https://testserver.evil.example"},
        {"origin": "http://testserver:8000"},
        {"host": "evil.example"},
        {"flags": PRESENT},  # without user verification
        {"flags": 0},
        {"handle": b"of somebody else"},
        {"count": -1},  # a cloned passkey with a lower counter
    ],
    ids=lambda odd: next(iter(odd)),
)
def test_a_tampered_response_is_refused(visitor, stranger, odd):
    key = signed_up(visitor)
    for _ in range(2):
        assert shown(stranger, key.show(asked(stranger))).status_code == 303
        stranger.cookies.clear()
    for name, value in odd.items():
        setattr(key, name, value)
    answer = shown(stranger, key.show(asked(stranger)))
    assert answer.status_code == 422
    assert "not accepted" in answer.text
    assert who(stranger) == ""


ODD = ["", "{}", "[]", "null", '{"id": 1}', '{"id": "\\u0000", "response": {}}', "x", 5000 * "["]


@pytest.mark.parametrize("credential", ODD, ids=range(len(ODD)))
def test_an_invalid_response_is_refused(visitor, credential):
    for what, make in (("sign-in", False), ("sign-up", True)):
        asked(visitor, make=make)
        assert shown(visitor, credential, what).status_code == 422


def test_a_passkey_of_another_account_does_not_confirm_the_identity(visitor, stranger):
    signed_up(visitor)
    other = signed_up(stranger)
    answer = shown(visitor, other.show(asked(visitor)), "confirm-identity")
    assert answer.status_code == 403
    assert "belongs to another account" in answer.text


def test_a_passkey_confirms_the_identity(visitor):
    key = signed_up(visitor)
    visitor.app.state.site.clock.advance(601)
    assert visitor.post("/account/device").status_code == 403
    assert shown(visitor, key.show(asked(visitor)), "confirm-identity").status_code == 303
    assert visitor.post("/account/device").status_code == 200


def test_one_passkey_makes_one_account(visitor, stranger):
    key = signed_up(visitor)
    answer = shown(stranger, key.make(asked(stranger, make=True)), "sign-up")
    assert answer.status_code == 409
    assert "already belongs to an account" in answer.text
    assert who(stranger) == ""


def test_options_of_a_challenge_do_not_reveal_accounts(visitor, stranger):
    """The request for options names no account, so the options reveal none."""
    before = asked(stranger)
    signed_up(visitor)
    after = asked(stranger)
    assert {**before, "challenge": ""} == {**after, "challenge": ""}


def test_a_passkey_can_be_added_to_an_account_with_a_password(visitor, stranger):
    given(visitor)
    sign_in(visitor)
    key = Authenticator(HOST, ORIGIN)
    visitor.post(f"{PAGES}/add", data={"credential": key.make(asked(visitor, make=True))})
    assert shown(stranger, key.show(asked(stranger))).status_code == 303
    assert PASSWORD not in stranger.get("/account").text
