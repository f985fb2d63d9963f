"""Helpers for tests of accounts: a site that sends mail, and visitors who sign up and sign in."""

import re

from almunia.server.auth import accounts
from almunia.server.site import Site

from .conftest import Visitor

SENDER = "games@play.example.org"
ADDRESS = "https://play.example.org"
MAIL, PASSWORD = "ana@example.org", "five small olive trees"
LINK = re.compile(rf"{ADDRESS}(/account/link/\S+)")


def come(site_of: Visitor, **headers: str) -> Visitor:
    """Return a new visitor to the site of another visitor, over HTTPS."""
    return Visitor(site_of.app, headers={"Origin": ADDRESS, **headers}, base_url=ADDRESS)


def deliver(site: Site) -> None:
    """Wait until the site has written its mails about accounts and handed them to the mail server."""
    for _ in range(2):  # the mail is queued, then sent
        site.mailer.executor.submit(bool).result()


def mailed(visitor: Visitor, box, to: str = MAIL) -> str:
    """Return the link in the last mail to an address."""
    deliver(visitor.app.state.site)
    texts = [mail.get_content() for whom, mail in box.mails if whom == [to]]
    return LINK.search(texts[-1])[1]


def twice(password: str) -> dict[str, str]:
    """Return the fields of a form with a new password."""
    return {"password": password, "twice": password}


def sign_up(visitor: Visitor, box, mail: str = MAIL, password: str = PASSWORD) -> None:
    assert visitor.post("/account/sign-up", data={"mail": mail}).status_code == 200
    answer = visitor.post(mailed(visitor, box, mail), data=twice(password), follow_redirects=False)
    assert answer.headers["location"].startswith("/account?done=made"), answer.text


def sign_in(visitor: Visitor, mail: str = MAIL, password: str = PASSWORD, **fields: str):
    return visitor.post("/account/sign-in", data={"mail": mail, "password": password, **fields}, follow_redirects=False)


def given(
    visitor: Visitor,
    mail: str = MAIL,
    password: str = PASSWORD,
    guest: str = "ana",
    name: str = "Ana",
    made: float | None = None,
) -> str:
    """Create an account for a guest id directly in the database."""
    site = visitor.app.state.site
    with site.accounts.repository.engine.begin() as db:
        kept = site.accounts.passwords.hash(password) if password else ""
        accounts.create_account(db, guest, name, {}, mail, kept, now=site.clock.now() if made is None else made)
    return guest


def who(visitor: Visitor) -> str:
    """Return the name of the account in the navigation; empty for a guest."""
    found = re.search(r'class="who-am-i">([^<]*)<', visitor.get("/privacy").text)
    return found[1] if found else ""
