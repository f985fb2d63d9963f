"""Accounts in a browser: a passkey is created, used and removed, and the pages are accessible."""

import re
from urllib.parse import urlsplit

import pytest
from playwright.sync_api import expect

from almunia.server.auth import accounts
from almunia.server.auth.one_time_links import DEVICE, RESET

from .test_access import violations

pytestmark = pytest.mark.browser


def authenticator(page):
    """Add a virtual authenticator to a page, and return its CDP session and its id."""
    session = page.context.new_cdp_session(page)
    session.send("WebAuthn.enable")
    options = {"protocol": "ctap2", "transport": "internal", "hasResidentKey": True, "hasUserVerification": True}
    options |= {"isUserVerified": True, "automaticPresenceSimulation": True}
    return session, session.send("WebAuthn.addVirtualAuthenticator", {"options": options})["authenticatorId"]


def test_a_passkey_from_the_first_day_to_the_last(come, address, watched):
    port = urlsplit(address).port
    watched.expected = ("409",)  # the last passkey cannot be removed
    watched.address = local = f"http://localhost:{port}"  # passkeys need a host name
    page = come(base_url=local)
    session, key = authenticator(page)
    page.request.post("/preferences", form={"name": "Ana"}, headers={"Origin": local})
    page.goto("/account")
    assert violations(page) == []
    page.get_by_role("button", name="Make an account with a passkey").click()
    expect(page.get_by_role("status")).to_contain_text("Your account is ready")
    expect(page.get_by_role("navigation")).to_contain_text("Ana")
    assert violations(page) == []
    (made,) = session.send("WebAuthn.getCredentials", {"authenticatorId": key})["credentials"]
    assert made["rpId"] == "localhost"

    page.get_by_role("button", name="Sign out").click()
    expect(page.get_by_role("navigation")).to_contain_text("Sign in")
    page.get_by_role("button", name="Sign in with a passkey").focus()
    page.keyboard.press("Enter")
    expect(page.get_by_role("navigation")).to_contain_text("Ana")

    page.goto("/account")
    page.get_by_role("button", name=re.compile("^Remove")).click()
    expect(page.get_by_role("alert")).to_contain_text("only way to sign in")
    session.send("WebAuthn.clearCredentials", {"authenticatorId": key})
    page.get_by_role("button", name="Add a passkey").click()
    expect(page.get_by_role("status")).to_contain_text("Your passkey is ready")
    page.get_by_role("button", name=re.compile("^Remove")).first.click()
    expect(page.get_by_role("status")).to_contain_text("was removed")
    expect(page.get_by_role("button", name=re.compile("^Remove"))).to_have_count(1)

    page.get_by_role("button", name="Make a link").click()
    link = page.locator("#link").input_value()
    page.get_by_role("button", name="Copy").click()  # a headless browser has no clipboard
    expect(page.locator("#link")).to_be_focused()
    assert page.locator("#link").evaluate("field => field.selectionEnd - field.selectionStart") == len(link)
    page.evaluate("navigator.clipboard.writeText = async (words) => { window.written = words; }")
    page.get_by_role("button", name="Copy").click()
    expect(page.get_by_role("button", name="Copied")).to_be_visible()
    assert page.evaluate("window.written") == link


def test_account_links_work_in_a_browser(come, running):
    site, _ = running
    with site.accounts.repository.engine.begin() as db:
        accounts.create_account(
            db, "bea", "Bea", {}, "bea@example.org", site.accounts.passwords.hash("five small olive trees"), now=1.0
        )
    page = come()
    page.goto(f"/account/link/{site.accounts.links.create(RESET, 'bea')}")
    for field in page.locator("input[type=password]").all():
        field.fill("seven tall almond trees")
    page.get_by_role("button", name="Set the password").click()
    expect(page.get_by_role("status")).to_contain_text("Your password was changed")
    other = come()
    other.goto(f"/account/link/{site.accounts.links.create(DEVICE, 'bea')}")
    other.get_by_role("button", name="Sign in").click()
    expect(other.get_by_role("status")).to_contain_text("You are signed in")
    expect(other.get_by_role("navigation")).to_contain_text("Bea")


@pytest.mark.exhaustive
@pytest.mark.parametrize("look", ["light", "dark"])
def test_account_pages_fit_a_phone_and_are_accessible(come, look):
    page = come(360, 740, {"theme": look})
    for path in ("/account", "/privacy", "/account/reset", "/unlock"):
        page.goto(path)
        assert violations(page) == [], path
        assert page.evaluate("document.documentElement.scrollWidth") <= 360, path
