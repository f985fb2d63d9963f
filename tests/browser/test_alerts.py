"""Alerts in a browser: a push message is shown and leads to the table, and the site knows whether a tab is visible."""

import json
import re

import pytest
from playwright.sync_api import expect

from almunia.server.tables.presence import visible_tab_topic

from .settling import await_true, settle
from .sharing import play_out
from .test_access import violations

pytestmark = pytest.mark.browser
exhaustive = pytest.mark.exhaustive
HIDDEN = 5000  # milliseconds until a hidden page reports that it is hidden
SHOWN = "async () => (await self.registration.getNotifications()).map((one) => [one.title, one.body, one.data.path])"
# Chromium opens no window for a synthetic click, so the test records the address.
CLICK = """async () => {
  const [one] = await self.registration.getNotifications();
  let opened = null;
  self.clients.openWindow = async (path) => { opened = path; };
  const click = new NotificationEvent("notificationclick", { notification: one });
  const waited = [];
  click.waitUntil = (work) => waited.push(work);
  self.dispatchEvent(click);
  await Promise.all(waited);
  return opened;
}"""


@exhaustive
def test_a_push_message_is_shown_and_leads_to_the_table(come, address, open_table, whole_browser):
    page = come(within=whole_browser)
    page.context.grant_permissions(["notifications"], origin=address)
    table = open_table(page)
    page.goto("/notifications")
    assert violations(page) == []
    session = page.context.new_cdp_session(page)
    found = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(event["registrations"]))
    session.send("ServiceWorker.enable")
    with page.context.expect_event("serviceworker") as coming:
        page.evaluate("navigator.serviceWorker.register('/notifications/worker.js', {scope: '/'})")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    worker = coming.value
    said = {"title": "Your turn in Orchard", "tag": "x", "link": f"{address}{table}"}
    await_true(page, lambda: found, "the browser has not told of the registration")
    number = found[-1]["registrationId"]
    for body in ("Orchard, with Bea", "Orchard, with Ann"):  # the second notification replaces the first
        said["body"] = body
        message = {"origin": address, "registrationId": number, "data": json.dumps(said)}
        session.send("ServiceWorker.deliverPushMessage", message)
    alert = ["Your turn in Orchard", "Orchard, with Ann", table]
    await_true(page, lambda: worker.evaluate(SHOWN) == [alert], "the second message is not the only one shown")
    assert worker.evaluate(CLICK) == table
    assert worker.evaluate(SHOWN) == [], "what was clicked is gone"


def test_the_header_follows_the_games_that_wait(come, running, tables, open_table):
    site, _ = running
    page = come()
    table = site.tables.get(open_table(page).rpartition("/")[2]).table
    page.goto("/puzzles/oregon-1")
    badge, icon = page.locator(".turns"), page.locator('link[rel="icon"]')
    expect(badge).to_have_text("Your turn in 1 game")
    expect(icon).to_have_attribute("href", re.compile("/icon-turn.svg"))
    other = site.tables.create("orchard", table.seats, table.host)
    expect(badge).to_have_text("Your turn in 2 games")
    for one in (table, other):
        play_out(tables, one.id)
    expect(badge).to_be_hidden()
    expect(page).to_have_title("Puzzle 1 · Oregon · Almunia")
    expect(icon).to_have_attribute("href", re.compile("/icon.svg"))
    site.tables.create("orchard", table.seats, table.host)
    expect(badge).to_have_text("Your turn in 1 game")
    expect(page).to_have_title("● Your turn · Puzzle 1 · Oregon · Almunia")
    page.locator("#table svg [data-action]:not(.away)").first.click()
    page.keyboard.press("Enter")
    expect(page.locator(".answered")).to_be_visible()
    expect(icon).to_have_attribute("href", re.compile("/icon-turn.svg"))


def test_the_site_knows_whether_a_table_is_seen(come, running, open_table):
    site, _ = running
    page = come(frozen=True)
    table = open_table(page)
    settle(page)
    place = visible_tab_topic(table.rpartition("/")[2])

    def turn(state, said):
        with page.expect_request(lambda request: request.url.endswith(f"{table}/stream{said}")):
            page.evaluate(
                """(state) => {
                  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
                  document.dispatchEvent(new Event("visibilitychange"));
                }""",
                state,
            )
            page.clock.run_for(HIDDEN)

    def seen():
        return any(at == place for at, _ in site.presence.streams)

    assert seen()
    for state, said in (("hidden", "?hidden=1"), ("visible", ""), ("hidden", "?hidden=1")):
        turn(state, said)
        settle(page)
        await_true(page, lambda wanted=(state == "visible"): seen() == wanted, f"the site does not know: {state}")
