"""Alerts in a browser: a push message is shown and leads to the table, and a tab that nobody sees is known as such."""

import json

import pytest

from almunia.server.play.presence import screen

from .test_access import violations

pytestmark = pytest.mark.browser
SHOWN = "async () => (await self.registration.getNotifications()).map((one) => [one.title, one.body, one.data.path])"
# Chromium opens no window for a click that is made up, so the test hears where one would lead.
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


def waited_for(page, look):
    """What there is to see, as soon as there is something."""
    for _ in range(200):
        if found := look():
            return found
        page.wait_for_timeout(50)
    raise AssertionError("nothing came in ten seconds")


def test_a_push_message_is_shown_and_leads_to_the_table(come, address, open_table, whole_browser):
    page = come(within=whole_browser)
    page.context.grant_permissions(["notifications"], origin=address)
    table = open_table(page)
    page.goto("/alerts")
    assert violations(page) == []
    session = page.context.new_cdp_session(page)
    found = []
    session.on("ServiceWorker.workerRegistrationUpdated", lambda event: found.extend(event["registrations"]))
    session.send("ServiceWorker.enable")
    with page.context.expect_event("serviceworker") as coming:
        page.evaluate("navigator.serviceWorker.register('/alerts/worker.js', {scope: '/'})")
    page.evaluate("navigator.serviceWorker.ready.then(() => true)")
    worker = coming.value
    said = {"title": "Your turn in Orchard", "body": "Orchard, with Ann", "tag": "x", "link": f"{address}{table}"}
    number = found[-1]["registrationId"]
    for _ in range(2):  # the second one takes the place of the first
        message = {"origin": address, "registrationId": number, "data": json.dumps(said)}
        session.send("ServiceWorker.deliverPushMessage", message)
    shown = waited_for(page, lambda: worker.evaluate(SHOWN))
    assert shown == [["Your turn in Orchard", "Orchard, with Ann", table]]
    assert worker.evaluate(CLICK) == table
    assert worker.evaluate(SHOWN) == [], "what was clicked is gone"


def test_the_site_knows_whether_a_table_is_seen(come, running, open_table):
    site, _ = running
    page = come()
    table = open_table(page)
    place = screen(table.rpartition("/")[2])

    def turn(state, said):
        with page.expect_request(lambda request: request.url.endswith(f"{table}/stream{said}")):
            page.evaluate(
                """(state) => {
                  Object.defineProperty(document, "visibilityState", { value: state, configurable: true });
                  document.dispatchEvent(new Event("visibilitychange"));
                }""",
                state,
            )

    def seen():
        return any(at == place for at, _ in site.presence.streams)

    waited_for(page, seen)
    for state, said in (("hidden", "?hidden=1"), ("visible", ""), ("hidden", "?hidden=1")):
        turn(state, said)
        waited_for(page, lambda wanted=(state == "visible"): seen() == wanted)
