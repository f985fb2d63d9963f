"""Turn notifications: absent players get each once, through their channels, without hidden information."""

import base64
import hmac
import json
import re
import socket
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor
from contextlib import suppress
from datetime import UTC, datetime
from functools import partial
from hashlib import sha256
from http.server import BaseHTTPRequestHandler, ThreadingHTTPServer
from threading import Event, Semaphore, Thread
from types import SimpleNamespace
from unittest.mock import Mock

import http_ece
import pytest
from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from requests_hardened import ip_filter
from requests_hardened.ip_filter import InvalidIPAddress
from sqlalchemy.exc import OperationalError
from urllib3.util import connection

from almunia.bots.levels import DEFAULT_LEVEL
from almunia.server.errors import BadRequest
from almunia.server.limits import Limits
from almunia.server.notifications import transports
from almunia.server.notifications.channels import (
    MAIL,
    MAX_CHANNELS,
    MAX_FAILURES,
    PUSH,
    RETRY_SECONDS,
    WEBHOOK,
    Channel,
    PendingTurn,
)
from almunia.server.notifications.deliveries import Deliveries
from almunia.server.notifications.messages import TurnNotification, email_body, email_subject
from almunia.server.tables.clocks import CORRESPONDENCE, REALTIME, TimeControl
from almunia.server.tables.model import BOT, OPEN, PERSON, Seat
from almunia.server.tables.presence import visible_tab_topic

from ..clock import ManualClock
from ..waiting import TIMEOUT, wait_until
from .mailbox import ADDRESS, SENDER
from .seated import move

YOU = Seat(PERSON, "you", "Bea")
BEATS = 3600.0
HOUR = 3600.0


class Endpoint:
    """A server that keeps all POST requests, and responds with a chosen status and chosen headers."""

    def __init__(self) -> None:
        self.status, self.got, self.headers = 201, [], {}
        outer = self

        class Handler(BaseHTTPRequestHandler):
            def do_POST(self) -> None:
                body = self.rfile.read(int(self.headers["Content-Length"]))
                outer.got.append((self.path, {name.lower(): said for name, said in self.headers.items()}, body))
                self.send_response(outer.status)
                for name, value in outer.headers.items():
                    self.send_header(name, value)
                self.send_header("Content-Length", "0")
                self.end_headers()

            def log_message(self, *_args: object) -> None:
                pass

        self.server = ThreadingHTTPServer(("127.0.0.1", 0), Handler)
        self.address = f"http://127.0.0.1:{self.server.server_port}"


@pytest.fixture
def endpoint():
    """Yield a server on this machine."""
    found = Endpoint()
    Thread(target=found.server.serve_forever, daemon=True).start()
    yield found
    found.server.shutdown()
    found.server.server_close()


@pytest.fixture
def limits():
    """Return limits with which notifications are sent only when the test asks for that."""
    return Limits(notification_seconds=BEATS)


@pytest.fixture
def clock():
    """Return a clock for the site that stands still until a test moves it."""
    return ManualClock(1_800_000_000.0)


@pytest.fixture
def ana(start, box, clock):
    """Return a guest at a site that can send all kinds of notifications to this machine."""
    visitor = start(smtp=box.address, mail_from=SENDER, address=ADDRESS, allow_private_addresses=True)
    visitor.headers["Origin"] = ADDRESS
    visitor.base_url = ADDRESS
    visitor.post("/preferences", data={"name": "Ana"})
    visitor.open("orchard", **{"seat-0": "me", "seat-1": "friend", "unrated": 1})
    visitor.site = visitor.app.state.site
    [visitor.id] = {table.host for table in visitor.site.tables.store.for_guest(guest_at(visitor))}
    return visitor


def guest_at(visitor) -> str:
    """Return the id of the guest who opened the only table of a site."""
    with visitor.app.state.site.tables.store._engine.connect() as db:
        return db.exec_driver_sql("SELECT host FROM game_table").scalar_one()


def my_turn(ana, control=None, others=(YOU,), **more) -> str:
    """Open a table where it is Ana's turn, and return its id."""
    seats = (Seat(PERSON, ana.id, "Ana"), *others)
    kinds = {"time_control": control} if control else {}
    return ana.site.tables.create("orchard", seats, ana.id, **kinds, **more).id


def webhook(ana, endpoint) -> str:
    """Add a webhook for Ana, and return its secret."""
    page = ana.post("/notifications/webhook", data={"to": f"{endpoint.address}/hook"}).text
    return re.search(r'id="made" class="token" value="([^"]+)"', page)[1]


def look(visitor) -> None:
    """Send all notifications that are due, and wait until they are sent."""
    for one in visitor.site.notifications.dispatcher.run_once():
        one.result(TIMEOUT)


def test_a_turn_is_notified_once_without_secrets_of_the_game(ana, endpoint, clock):
    secret = webhook(ana, endpoint)
    table = my_turn(ana)
    look(ana)
    assert not endpoint.got  # Ana has two minutes to come by herself
    clock.advance(121)
    look(ana)
    clock.advance(10 * HOUR)
    look(ana)
    told = [json.loads(body) for _, _, body in endpoint.got]
    [mine] = [said for said in told if said["table"] == table]
    assert mine == {
        "event": "your turn",
        "game": "Orchard",
        "table": table,
        "link": f"{ADDRESS}/table/{table}",
        "text": f"It's your turn: Orchard, with Bea {ADDRESS}/table/{table}",
        "content": f"It's your turn: Orchard, with Bea {ADDRESS}/table/{table}",
    }
    for path, headers, body in endpoint.got:
        assert path == "/hook"
        signed = hmac.new(secret.encode(), body, sha256).hexdigest()
        assert headers["almunia-signature"] == f"sha256={signed}"


def test_the_next_turn_is_notified_again(ana, endpoint, clock):
    webhook(ana, endpoint)
    table = my_turn(ana)
    clock.advance(121)
    look(ana)
    before = len(endpoint.got)
    seat = 0
    for _ in range(40):  # until it is Ana's turn again
        now = ana.site.tables.get(table)
        if now.table.turn == 0 and seat == 1:
            break
        seat = now.table.turn
        history = now.history(seat)
        clock.advance(1)
        ana.site.tables.move(table, seat, int(history.view.legal_actions[0]), history.version)
    clock.advance(121)
    look(ana)
    assert len(endpoint.got) == before + 1


def test_a_guest_with_a_visible_tab_is_not_notified(ana, endpoint, clock, monkeypatch):
    webhook(ana, endpoint)
    table = my_turn(ana)
    monkeypatch.setattr(
        ana.site.presence, "is_here", lambda at, guest: (at, guest) == (visible_tab_topic(table), ana.id)
    )
    clock.advance(121)
    look(ana)
    monkeypatch.undo()
    assert all(json.loads(body)["table"] != table for _, _, body in endpoint.got)


def test_a_guest_with_a_hidden_tab_is_notified(ana, endpoint, clock, monkeypatch):
    webhook(ana, endpoint)
    table = my_turn(ana)
    monkeypatch.setattr(ana.site.presence, "is_here", lambda at, guest: (at, guest) == (table, ana.id))
    clock.advance(121)
    look(ana)
    assert table in [json.loads(body)["table"] for _, _, body in endpoint.got]


def test_turns_of_bots_and_other_players_are_not_notified(ana, endpoint, clock):
    webhook(ana, endpoint)
    clock.advance(121)
    look(ana)
    before = len(endpoint.got)  # the notifications about the first table
    my_turn(ana, others=(YOU,))
    ana.site.tables.create("orchard", (YOU, Seat(PERSON, ana.id, "Ana")), "you")
    ana.site.tables.create(
        "orchard", (Seat(PERSON, ana.id, "Ana", substitute_bot="easy"), Seat(BOT, "easy", "Easy bot")), ana.id
    )
    clock.advance(121)
    look(ana)
    assert len(endpoint.got) == before + 1


def test_live_and_slow_games_are_chosen_apart(ana, endpoint, clock):
    webhook(ana, endpoint)
    [way] = ana.site.notifications.channels.for_guest(ana.id)
    ana.post(f"/notifications/{way.id}/choose", data={"live": "1"})
    slow, live = my_turn(ana), my_turn(ana, TimeControl(REALTIME, 900, 20))
    clock.advance(31)
    look(ana)
    clock.advance(200)
    look(ana)
    told = [json.loads(body)["table"] for _, _, body in endpoint.got]
    assert live in told
    assert slow not in told


def test_slow_games_are_not_notified_on_vacation_or_outside_playing_hours(ana, endpoint, clock):
    webhook(ana, endpoint)
    clock.set(datetime(2027, 1, 15, 3, tzinfo=UTC).timestamp())
    seats = (Seat(PERSON, ana.id, "Ana", hours="UTC 8 22 1"), YOU)
    table = ana.site.tables.create("orchard", seats, ana.id).id
    live = ana.site.tables.create("orchard", seats, ana.id, time_control=TimeControl(REALTIME, 900, 20)).id
    clock.advance(600)
    look(ana)
    told = [json.loads(body)["table"] for _, _, body in endpoint.got]
    assert live in told, "whoever plays live now is awake"
    assert table not in told
    ana.post("/vacation", data={"begin": "1"})
    clock.advance(6 * HOUR)
    look(ana)
    assert table not in [json.loads(body)["table"] for _, _, body in endpoint.got]
    ana.post("/vacation", data={"begin": "0"})
    clock.advance(121)
    look(ana)
    assert [json.loads(body)["table"] for _, _, body in endpoint.got].count(table) == 1


def test_a_slow_clock_is_reminded_of_once_a_turn_when_a_quarter_of_it_is_left(ana, endpoint, clock):
    webhook(ana, endpoint)
    (channel,) = ana.site.notifications.channels.for_guest(ana.id)
    table = my_turn(ana, TimeControl(CORRESPONDENCE, 8 * 3600), rated=False)

    def play_round() -> None:
        for seat in (0, 1):
            while ana.site.tables.get(table).play.turn == seat:
                move(ana.site, table)

    def sent() -> list[str]:
        look(ana)
        return [
            said["text"] for said in (json.loads(body) for _, _, body in endpoint.got) if said["event"] == "reminder"
        ]

    clock.advance(121)
    look(ana)
    clock.advance(6 * HOUR - 122)
    assert not sent()
    clock.advance(1)
    reminder = f"Your time in Orchard ends in 2 hours: it's your turn, with Bea. {ADDRESS}/table/{table}"
    assert sent() == [reminder]
    clock.advance(HOUR)
    assert sent() == [reminder]
    play_round()
    clock.advance(121)
    look(ana)
    clock.advance(7 * HOUR)
    assert sent() == [reminder, reminder.replace("2 hours", "57 minutes")]
    clock.advance(HOUR)
    play_round()
    ana.post(f"/notifications/{channel.id}/choose", data={"slow": "1"})
    clock.advance(121)
    look(ana)
    clock.advance(7 * HOUR)
    assert len(sent()) == 2, "reminders are off"


def test_nothing_is_notified_outside_the_chosen_hours(ana, endpoint, clock):
    webhook(ana, endpoint)
    hours = {"hours-first": 8, "hours-last": 22, "hours-zone": "Europe/Berlin", "hours-weekends": 1}
    assert ana.post("/notifications/hours", data=hours).status_code == 200
    ana.post("/notifications/webhook", data={"to": f"{endpoint.address}/another"})
    assert [way.hours for way in ana.site.notifications.channels.for_guest(ana.id)] == ["Europe/Berlin 8 22 1"] * 2
    clock.set(datetime(2027, 1, 15, 6, 30, tzinfo=UTC).timestamp())
    my_turn(ana)
    my_turn(ana, TimeControl(REALTIME, 900, 20))
    clock.advance(1700)
    look(ana)
    assert not endpoint.got
    clock.advance(200)
    look(ana)
    assert len(endpoint.got) == 4, "two ways tell of two games, in the morning"
    answer = ana.post("/notifications/hours", data={**hours, "hours-zone": "Nowhere/Land"})
    assert answer.status_code == 422
    assert "no time zone" in answer.text


def test_concurrent_threads_notify_a_turn_once(ana, endpoint, clock):
    webhook(ana, endpoint)
    my_turn(ana)
    clock.advance(121)
    found = ana.site.notifications.channels.pending_turns(clock.now(), 10)
    with ThreadPoolExecutor(4) as pool:
        telling = [pool.submit(ana.site.notifications.dispatcher._notify, *found[0]) for _ in range(4)]
    for one in telling:
        one.result()
    told = [json.loads(body)["table"] for _, _, body in endpoint.got]
    assert sorted(told) == sorted(turn.table for turn in found[0][1])


# --- slow servers ---------------------------------------------------------------------------------


def test_slow_servers_of_a_guest_do_not_delay_other_guests(ana, endpoint, clock, monkeypatch):
    """The number of the guest's channels does not matter, and a delivery in progress is not started again."""
    go, send = Event(), ana.site.notifications.transports.send
    for number in range(MAX_CHANNELS):
        ana.site.notifications.channels.add(
            "slow", "Slow", WEBHOOK, f"{endpoint.address}/{number}", {"secret": "s"}, "Hook"
        )
    for _ in range(3):
        ana.site.tables.create("orchard", (Seat(PERSON, "slow", "Slow"), YOU), "slow")
    clock.advance(1)
    webhook(ana, endpoint)
    table = my_turn(ana)
    clock.advance(121)

    def wait_or_send(way, *given):
        return send(way, *given) if way.guest == ana.id else go.wait(TIMEOUT)

    monkeypatch.setattr(ana.site.notifications.transports, "send", wait_or_send)
    begun = ana.site.notifications.dispatcher.run_once()
    wait_until(lambda: sum(one.done() for one in begun) == 1, "Ana has been told")
    assert table in [json.loads(body)["table"] for _, _, body in endpoint.got]
    assert ana.site.notifications.dispatcher.run_once() == []
    go.set()
    for one in begun:
        one.result(TIMEOUT)
    look(ana)
    assert len(begun) == MAX_CHANNELS + 1


def test_pending_turns_are_shared_among_guests(ana, endpoint, clock):
    for _ in range(5):
        ana.site.tables.create("orchard", (Seat(PERSON, "many", "Many"), YOU), "many")
    ana.site.notifications.channels.add("many", "Many", WEBHOOK, f"{endpoint.address}/many", {"secret": "s"}, "Hook")
    clock.advance(1)
    ana.site.notifications.channels.add("few", "Few", WEBHOOK, f"{endpoint.address}/few", {"secret": "s"}, "Hook")
    ana.site.tables.create("orchard", (Seat(PERSON, "few", "Few"), YOU), "few")
    clock.advance(121)
    found = {
        way.guest: (way.id, len(turns)) for way, turns in ana.site.notifications.channels.pending_turns(clock.now(), 3)
    }
    assert {guest: count for guest, (_, count) in found.items()} == {"many": 2, "few": 1}
    [(way, turns)] = ana.site.notifications.channels.pending_turns(clock.now(), 3, {found["few"][0]})
    assert (way.guest, len(turns)) == ("many", 3)


def test_a_turn_that_has_passed_is_not_notified(ana, endpoint, clock):
    webhook(ana, endpoint)
    table = my_turn(ana)
    clock.advance(121)
    [(way, turns)] = ana.site.notifications.channels.pending_turns(clock.now(), 10)
    ana.site.seats.resign(table, 0, ana.id, DEFAULT_LEVEL)
    ana.site.notifications.dispatcher._notify(way, turns)
    told = [json.loads(body)["table"] for _, _, body in endpoint.got]
    assert len(told) == len(turns) - 1
    assert table not in told


def test_guests_take_turns():
    deliveries, go, order = Deliveries(ThreadPoolExecutor(1)), Event(), []
    first = deliveries.add("way", "before", lambda: go.wait(TIMEOUT))
    for way, guest in (("one", "ana"), ("two", "ana"), ("three", "bea")):
        last = deliveries.add(way, guest, partial(order.append, way))
    assert deliveries.channels == {"way", "one", "two", "three"}
    go.set()
    first.result(TIMEOUT)
    last.result(TIMEOUT)
    wait_until(lambda: not deliveries.channels, "all is delivered")
    assert order == ["one", "three", "two"]
    deliveries.close()


def test_guests_with_slow_servers_share_one_thread():
    """The number of slow guests does not matter. A guest whose server is fast again is no longer slow."""
    go, now, begun = Event(), [0.0], []
    deliveries = Deliveries(ThreadPoolExecutor(2), slow_seconds=5.0, timer=lambda: now[0])

    def deliver(guest, seconds):
        begun.append(guest)
        now[0] += seconds
        assert seconds or go.wait(TIMEOUT)

    for guest in ("ana", "bea"):
        deliveries.add(guest, guest, partial(deliver, guest, 6.0)).result(TIMEOUT)
    begun.clear()
    slow = [deliveries.add(guest, guest, partial(deliver, guest, 0.0)) for guest in ("ana", "bea")]
    deliveries.add("cleo", "cleo", partial(deliver, "cleo", 1.0)).result(TIMEOUT)
    wait_until(lambda: len(begun) == 2, "both have begun")
    assert sorted(begun) == ["ana", "cleo"]
    go.set()
    for one in slow:
        one.result(TIMEOUT)
    assert deliveries._slow == {}
    deliveries.close()


@pytest.mark.parametrize(
    ("fault", "level"), [(ZeroDivisionError(), "ERROR"), (OperationalError("", {}, Exception("away")), "WARNING")]
)
def test_a_delivery_that_fails_is_in_the_log(fault, level, caplog):
    deliveries = Deliveries(ThreadPoolExecutor(1))
    assert deliveries.add("one", "ana", Mock(side_effect=fault)).result(TIMEOUT) is None
    assert deliveries.add("one", "ana", bool).result(TIMEOUT) is None, "the thread goes on"
    [record] = caplog.records
    assert (record.levelname, "could not be delivered" in record.message) == (level, True)
    deliveries.close()


# --- push messages --------------------------------------------------------------------------------


def test_a_push_message_is_enciphered_for_its_browser(ana, endpoint, clock):
    private, secret = ec.generate_private_key(ec.SECP256R1()), b"0123456789abcdef"
    public = private.public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    fields = {"endpoint": f"{endpoint.address}/push", "p256dh": coded(public), "auth": coded(secret)}
    ana.post("/notifications/push", data={**fields, "label": "Phone"})
    table = my_turn(ana)
    clock.advance(121)
    look(ana)
    said = [http_ece.decrypt(body, private_key=private, auth_secret=secret) for _, _, body in endpoint.got]
    mine = next(json.loads(one) for one in said if table.encode() in one)
    assert mine == {
        "title": "Your turn in Orchard",
        "body": "Orchard, with Bea",
        "tag": table,
        "link": f"{ADDRESS}/table/{table}",
    }
    headers = endpoint.got[0][1]
    assert ana.site.notifications.transports.public_key in headers["authorization"]
    assert not any(b"Orchard" in body for _, _, body in endpoint.got)


@pytest.mark.parametrize("status", [404, 410])
def test_a_browser_that_has_unsubscribed_is_removed(ana, endpoint, clock, status):
    keys = {"p256dh": coded(public_point()), "auth": coded(b"0" * 16)}
    ana.post("/notifications/push", data={"endpoint": f"{endpoint.address}/push", **keys})
    my_turn(ana)
    endpoint.status = status
    clock.advance(121)
    look(ana)
    assert not ana.site.notifications.channels.for_guest(ana.id)


def test_stored_invalid_push_keys_count_as_failures(ana, endpoint, clock):
    keys = {"p256dh": "\u00e9\u00e9\u00e9", "auth": "AA"}  # invalid keys, from before the site checked them
    ana.site.notifications.channels.add(ana.id, "Ana", "push", f"{endpoint.address}/push", keys, "Browser")
    my_turn(ana)
    clock.advance(121)
    look(ana)
    assert not endpoint.got
    assert [way.failures for way in ana.site.notifications.channels.for_guest(ana.id)] == [1]


GOOD_KEYS = {"p256dh": base64.urlsafe_b64encode(b"\x04" + bytes(64)).decode().rstrip("="), "auth": "A" * 22}


@pytest.mark.parametrize(
    "odd",
    [
        *({"p256dh": odd} for odd in ("\u00e9", "\u00e9\u00e9\u00e9", "AA", "B" * 86, "", "+" * 87)),
        *({"auth": odd} for odd in ("\u00e9", "!", "A" * 21, "A" * 400)),
    ],
)
def test_invalid_push_keys_are_refused(ana, endpoint, odd):
    fields = {"endpoint": f"{endpoint.address}/push", **GOOD_KEYS}
    refused = ana.post("/notifications/push", data={**fields, **odd})
    assert refused.status_code == 422
    assert "provide an address for push messages" in refused.text
    assert ana.site.notifications.channels.for_guest(ana.id) == []
    assert ana.post("/notifications/push", data=fields, follow_redirects=False).status_code == 303


# --- mail -----------------------------------------------------------------------------------------


def links(mail) -> list[str]:
    """Return the addresses in a mail."""
    return re.findall(r"https://\S+", mail.get_content())


def confirmed(ana, box, clock) -> None:
    """Add a confirmed mail channel for Ana."""
    ana.post("/notifications/mail", data={"to": "ana@example.org"})
    drain(ana.site.mailer)
    assert len(box.mails) == 1
    clock.advance(200)
    look(ana)
    assert len(box.mails) == 1  # the owner of the mailbox has not confirmed it
    [link] = links(box.mails[0][1])
    assert "Send emails" in ana.get(link).text
    assert not ana.site.notifications.channels.for_guest(ana.id)[
        0
    ].confirmed  # a GET confirms nothing, because mail scanners open links
    assert "send an email to" in ana.post(link).text


def drain(mailer) -> None:
    mailer.executor.submit(bool).result()


def test_mails_collect_turns_and_are_sent_once_an_hour_at_most(ana, box, clock):
    confirmed(ana, box, clock)
    first, second = my_turn(ana), my_turn(ana)
    clock.advance(121)
    look(ana)
    assert len(box.mails) == 2
    to, mail = box.mails[1]
    assert to == ["ana@example.org"]
    assert mail["Subject"] == "Your turn in 3 games"
    assert {f"{ADDRESS}/table/{first}", f"{ADDRESS}/table/{second}"} < set(links(mail))
    third = my_turn(ana)
    for _ in range(5):
        clock.advance(600)
        look(ana)
    assert len(box.mails) == 2
    clock.advance(700)
    look(ana)
    assert len(box.mails) == 3
    assert box.mails[2][1]["Subject"] == "Your turn in Orchard"
    assert f"{ADDRESS}/table/{third}" in links(box.mails[2][1])


def test_mails_use_the_current_name_of_the_guest(ana, box, clock):
    confirmed(ana, box, clock)
    my_turn(ana)
    ana.post("/preferences", data={"name": "Annabel"})
    clock.advance(121)
    look(ana)
    assert "Hello Annabel" in box.mails[1][1].get_content()


def test_confirmation_mails_contain_no_text_of_the_guest(ana, box):
    ana.post("/preferences", data={"name": "Win at evil.example"})
    ana.post("/notifications/mail", data={"to": "bea@example.org"})
    drain(ana.site.mailer)
    [(_, mail)] = box.mails
    assert "evil" not in mail.as_string()


def test_a_refused_form_shows_one_error(visitor):
    hours = {"hours-first": 8, "hours-last": 8}
    for path, fields in (("mail", {"to": "a@example.org"}), ("hours", hours)):
        answer = visitor.post(f"/notifications/{path}", data=fields)
        assert answer.status_code == 422
        assert answer.text.count('role="alert"') == 1


def test_unsubscribing_needs_a_post_request(ana, box, clock):
    confirmed(ana, box, clock)
    my_turn(ana)
    clock.advance(121)
    look(ana)
    mail = box.mails[1][1]
    link = mail["List-Unsubscribe"].strip("<>")
    assert mail["List-Unsubscribe-Post"] == "List-Unsubscribe=One-Click"
    assert link in links(mail)
    assert "Stop these alerts" in ana.get(link).text
    assert ana.site.notifications.channels.for_guest(ana.id)
    del ana.headers["Origin"]  # a mail program sends neither an origin nor cookies
    ana.cookies.clear()
    assert ana.post(link, data={"List-Unsubscribe": "One-Click"}).status_code == 200
    assert not ana.site.notifications.channels.for_guest(ana.id)
    assert ana.post(link, data={"List-Unsubscribe": "One-Click"}).status_code == 200
    again = ana.get(link)
    assert again.status_code == 200
    assert "already been stopped" in again.text


def test_a_test_notification_is_labelled_as_a_test(ana, box, endpoint):
    webhook(ana, endpoint)
    ana.post("/notifications/mail", data={"to": "ana@example.org"})
    drain(ana.site.mailer)
    ana.post(f"/notifications/confirm/{box.mails[0][1].get_content().split('/notifications/confirm/')[1].split()[0]}")
    for way in ana.site.notifications.channels.for_guest(ana.id):
        assert "on its way" in ana.post(f"/notifications/{way.id}/test").text
    mail = box.mails[1][1]
    assert mail["Subject"] == "A test of your alerts"
    assert "this is a test" in mail.get_content()
    assert "Orchard" not in mail.get_content()
    [(_, _, body)] = endpoint.got
    said = json.loads(body)
    assert (said["event"], said["text"]) == ("test", f"This is a test of your alerts. {ADDRESS}/notifications")


def test_a_turn_is_not_notified_before_the_deal(ana, endpoint, clock):
    webhook(ana, endpoint)
    clock.advance(121)
    look(ana)
    endpoint.got.clear()
    table = my_turn(ana, others=(Seat(OPEN, "", "Anybody"),))
    clock.advance(1000)
    look(ana)
    assert endpoint.got == []
    ana.site.seats.join(table, 1, "bea", "Bea")
    clock.advance(121)
    look(ana)
    assert [json.loads(body)["table"] for _, _, body in endpoint.got] == [table]


def test_games_without_other_people_are_notified_only_with_a_clock(ana, endpoint, clock):
    webhook(ana, endpoint)
    bot = Seat(BOT, "greedy", "Greedy bot")
    loud = {table.id for table in ana.site.tables.store.for_guest(ana.id)}
    my_turn(ana, others=())
    my_turn(ana, others=(bot,))
    loud |= {my_turn(ana, others=(bot, YOU)), my_turn(ana, TimeControl(CORRESPONDENCE, 86_400), (bot,))}
    loud.add(my_turn(ana, others=(Seat(OPEN, "", "Anybody"),), rated=False))
    clock.advance(121)
    look(ana)
    assert {json.loads(body)["table"] for _, _, body in endpoint.got} == loud


def test_an_unconfirmed_address_cannot_be_tested(ana, box):
    ana.post("/notifications/mail", data={"to": "ana@example.org"})
    drain(ana.site.mailer)
    [way] = ana.site.notifications.channels.for_guest(ana.id)
    answer = ana.post(f"/notifications/{way.id}/test")
    assert answer.status_code == 422
    assert "<h1>Alerts</h1>" in answer.text
    assert answer.text.count('role="alert"') == 1
    assert "has not been confirmed" in answer.text


def test_forged_links_and_links_for_other_purposes_are_not_found(ana, box, clock):
    ana.post("/notifications/mail", data={"to": "ana@example.org"})
    drain(ana.site.mailer)
    [way] = ana.site.notifications.channels.for_guest(ana.id)
    confirm, stop = (
        ana.site.notifications.dispatcher.confirmation_link(way),
        ana.site.notifications.dispatcher.stop_link(way),
    )
    confirming, stopping = (link.rpartition("/")[2] for link in (confirm, stop))
    for made_up in ("confirm/x", f"confirm/{stopping}", f"confirm/{confirming[:-1]}", f"stop/{confirming}", "stop/x"):
        assert ana.post(f"/notifications/{made_up}").status_code == 404
        assert ana.get(f"/notifications/{made_up}").status_code == 404
    assert not ana.site.notifications.channels.for_guest(ana.id)[0].confirmed


# --- refused addresses ----------------------------------------------------------------------------

INSIDE = (
    *("https://127.0.0.1/", "https://[::1]/", "https://localhost/x", "https://10.1.2.3/", "https://192.168.0.1/"),
    *(
        "https://169.254.169.254/latest/meta-data",
        "https://[::ffff:10.0.0.1]/",
        "https://0.0.0.0/",
        "https://2130706433/",
    ),
    *(
        "https://0177.0.0.1/",
        "https://0x7f.1/",
        "https://127.1/",
        "https://[::127.0.0.1]/",
        "https://[64:ff9b::7f00:1]/",
    ),
    *("https://1.1.1.1/\r\nX: y", "https://1.1.1.1/a b", "https://1.1.1.1\t/", "https://100.64.0.1/"),
    *("http://example.org/", "ftp://example.org/", "https://me:pw@example.org/", "https:///x", "x", "https://[x/", ""),
)


@pytest.mark.parametrize("place", INSIDE)
def test_private_addresses_are_refused(visitor, place):
    for path, fields in (("webhook", {"to": place}), ("push", {"endpoint": place, "p256dh": "x", "auth": "y"})):
        answer = visitor.post(f"/notifications/{path}", data=fields)
        assert answer.status_code == 422
        assert 'role="alert"' in answer.text


@pytest.fixture
def names(monkeypatch):
    """Return a dict from host names to addresses, which replaces DNS at sites that start later."""
    known = {}

    def getaddrinfo(host, port, *args, **kwargs):
        if host.endswith(".example.org") and host not in known:
            raise socket.gaierror
        return socket.getaddrinfo(known.get(host, host), port, *args, **kwargs)

    for module in (ip_filter, connection):
        monkeypatch.setattr(module, "socket", SimpleNamespace(**{**vars(socket), "getaddrinfo": getaddrinfo}))
    return known


def test_an_unknown_host_is_reported_as_not_found(names, start):
    answer = start().post("/notifications/webhook", data={"to": "https://hook.example.org/x"})
    assert answer.status_code == 422
    assert "cannot be found" in answer.text


def test_a_host_that_resolves_to_a_private_address_later_is_not_contacted(names, start, endpoint):
    visitor = start()
    transports = visitor.app.state.site.notifications.transports
    port = endpoint.server.server_port
    names["hook.example.org"] = "93.184.215.14"
    assert transports.check_url(f"https://hook.example.org:{port}/") == f"https://hook.example.org:{port}/"
    names["hook.example.org"] = "127.0.0.1"
    visitor.open("orchard")
    site, guest = visitor.app.state.site, guest_at(visitor)
    way = site.notifications.channels.add(
        guest, "Ana", WEBHOOK, f"http://hook.example.org:{port}/", {"secret": "s"}, "hook"
    )
    answer = visitor.post(f"/notifications/{way.id}/test")
    assert answer.status_code == 422
    assert "did not get through" in answer.text
    assert not endpoint.got


def test_a_redirect_is_not_followed(ana, endpoint, clock):
    webhook(ana, endpoint)
    endpoint.status, endpoint.headers = 307, {"Location": f"{endpoint.address}/inside"}
    [way] = ana.site.notifications.channels.for_guest(ana.id)
    assert "did not get through" in ana.post(f"/notifications/{way.id}/test").text
    assert [path for path, _, _ in endpoint.got] == ["/hook"]


# --- failures -------------------------------------------------------------------------------------


def test_failed_deliveries_are_retried_with_delays_until_the_limit(ana, endpoint, clock):
    webhook(ana, endpoint)
    clock.advance(121)
    endpoint.status = 500
    for count, pause in enumerate(RETRY_SECONDS, 1):
        look(ana)
        assert len(endpoint.got) == count
        clock.advance(pause - 1)
        look(ana)
        assert len(endpoint.got) == count
        clock.advance(1)
    look(ana)
    assert len(endpoint.got) == MAX_FAILURES
    [way] = ana.site.notifications.channels.for_guest(ana.id)
    assert "this alert is paused" in ana.get("/notifications").text
    endpoint.status = 200
    ana.post(f"/notifications/{way.id}/choose", data={"live": "1", "slow": "1"})
    look(ana)
    assert len(endpoint.got) == MAX_FAILURES + 1
    assert ana.site.notifications.channels.for_guest(ana.id)[0].failures == 0


@pytest.fixture
def dripping():
    """Yield a server that sends the chosen bytes and one byte more, and then waits for the end of the connection."""
    line = socket.create_server(("127.0.0.1", 0))
    found = Mock(said=b"", address=f"http://127.0.0.1:{line.getsockname()[1]}/", dripped=Event())

    def serve() -> None:
        with suppress(OSError), line.accept()[0] as other:
            other.recv(10_000)
            other.sendall(found.said + b"a")
            found.dripped.set()
            while other.recv(10_000):
                pass

    serving = Thread(target=serve, daemon=True)
    serving.start()
    yield found
    serving.join(TIMEOUT)
    line.close()


class ManualTimer:
    """A timer that a test fires."""

    def __init__(self, seconds: float, act: Callable[[], None]) -> None:
        self.seconds, self.up, self.started, self.cancelled = seconds, act, False, False

    def start(self) -> None:
        self.started = True

    def cancel(self) -> None:
        self.cancelled = True


@pytest.mark.parametrize("kind", [WEBHOOK, PUSH])
@pytest.mark.parametrize(
    ("said", "taken"),
    [(b"HTTP/1.1 201 Created\r\nX: ", False), (b"HTTP/1.1 201 Created\r\nContent-Length: 1000000000\r\n\r\n", True)],
)
def test_a_slow_response_is_cut_off_at_the_timeout(dripping, kind, said, taken):
    """If the head of a response does not end, the connection is closed at the timeout.

    The body of a response is not read.
    """
    dripping.said = said
    timers: list[ManualTimer] = []

    def timer(seconds: float, act: Callable[[], None]) -> ManualTimer:
        timers.append(ManualTimer(seconds, act))
        return timers[-1]

    sender = transports.Transports("k" * 50, None, ADDRESS, allow_private=True, answer_seconds=2 * TIMEOUT, timer=timer)
    keys = browser_keys() if kind == PUSH else {"secret": "s"}
    way = Channel("1", "ana", "Ana", kind, dripping.address, keys, "x", True, True, True, 0, 0.0)
    with ThreadPoolExecutor(1) as pool:
        telling = pool.submit(sender.send, way, [TurnNotification("t", "T", (), "l")])
        assert dripping.dripped.wait(TIMEOUT)
        [end] = timers
        assert (end.seconds, end.started) == (transports.CONNECTION_SECONDS, True)
        if taken:
            telling.result(TIMEOUT)
        else:
            assert not telling.done()
            end.up()
            with pytest.raises(transports.DeliveryError):
                telling.result(TIMEOUT)
        assert end.cancelled


def browser_keys() -> dict[str, str]:
    """Return new keys as a browser sends them."""
    point = (
        ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    )
    return {name: base64.urlsafe_b64encode(key).decode() for name, key in (("p256dh", point), ("auth", bytes(16)))}


def test_a_slow_batch_of_notifications_is_interrupted(endpoint):
    sender = transports.Transports("k" * 50, None, ADDRESS, allow_private=True, batch_seconds=-1.0)
    way = Channel("1", "ana", "Ana", WEBHOOK, endpoint.address, {"secret": "s"}, "x", True, True, True, 0, 0.0)
    with pytest.raises(transports.DeliveryError):
        sender.send(way, [TurnNotification("t", "T", (), "l")])


def test_dns_lookups_do_not_block_other_pages(start, monkeypatch):
    looking, found = Semaphore(0), Event()

    def slowly(*_args: object, **_kinds: object) -> None:
        looking.release()
        found.wait(TIMEOUT)
        raise socket.gaierror

    monkeypatch.setattr(transports, "get_ip_address", slowly)
    visitor = start()
    with ThreadPoolExecutor(5) as pool:
        asked = [
            pool.submit(visitor.post, "/notifications/webhook", data={"to": "https://slow.example.org/"})
            for _ in range(4)
        ]
        assert looking.acquire(timeout=TIMEOUT)
        page = pool.submit(visitor.get, "/privacy")
        try:
            assert page.result(TIMEOUT / 2).status_code == 200
        finally:
            found.set()
    assert [one.result().status_code for one in asked] == [422] * 4


@pytest.mark.parametrize("place", ["[fec0::1]", "[::ffff:0:127.0.0.1]", "[::127.0.0.1]"])
def test_odd_spellings_of_private_addresses_are_refused(place):
    way = Channel("1", "ana", "Ana", WEBHOOK, f"https://{place}/", {"secret": "s"}, "x", True, True, True, 0, 0.0)
    sender = transports.Transports("k" * 50, None, ADDRESS)
    with pytest.raises(BadRequest, match="public internet"):
        sender.check_url(way.target)
    with pytest.raises(transports.DeliveryError) as found:
        sender.send(way, [TurnNotification("t", "T", (), "l")])
    assert isinstance(found.value.__context__, InvalidIPAddress)


def test_guests_cannot_change_alerts_of_others(ana, endpoint, start):
    webhook(ana, endpoint)
    [way] = ana.site.notifications.channels.for_guest(ana.id)
    ana.cookies.clear()
    ana.post("/preferences", data={"name": "Bea"})
    for what in ("choose", "test", "remove"):
        assert ana.post(f"/notifications/{way.id}/{what}").status_code == 404
    assert way.target not in ana.get("/notifications").text
    assert ana.site.notifications.channels.for_guest(way.guest) == [way]
    assert not endpoint.got


def test_channels_per_guest_are_limited(ana, endpoint):
    for number in range(MAX_CHANNELS):
        assert ana.post("/notifications/webhook", data={"to": f"{endpoint.address}/{number}"}).status_code == 200
    answer = ana.post("/notifications/webhook", data={"to": f"{endpoint.address}/more"})
    assert answer.status_code == 409
    assert "which is the limit" in answer.text
    assert len(ana.site.notifications.channels.for_guest(ana.id)) == MAX_CHANNELS


def test_a_push_channel_belongs_to_the_latest_guest_of_its_browser(ana):
    ways = ana.site.notifications.channels
    ways.add("one", "One", PUSH, "https://push.example.org/a", {}, "Browser")
    ways.add("two", "Two", PUSH, "https://push.example.org/a", {}, "Browser")
    assert not ways.for_guest("one")
    assert len(ways.for_guest("two")) == 1
    ways.add("one", "One", MAIL, "ana@example.org", {}, "Mail")
    ways.add("two", "Two", MAIL, "ana@example.org", {}, "Mail")
    assert len(ways.for_guest("one")) == 1


def test_channels_are_exported_and_erased(ana, endpoint, clock):
    webhook(ana, endpoint)
    table = my_turn(ana)
    clock.advance(121)
    look(ana)
    [way] = ana.site.notifications.channels.for_guest(ana.id)
    [kept] = ana.site.personal_data.export(ana.id)["alerts"]
    assert kept["target"] == way.target
    assert "secret" not in json.dumps(kept)
    assert not ana.site.notifications.channels.claim(way, PendingTurn(table, "orchard", 0, 0.0))
    ana.site.notifications.channels.remove_all(ana.id)
    assert not ana.site.notifications.channels.for_guest(ana.id)
    assert not ana.site.notifications.channels.pending_turns(clock.now() + HOUR, 10)


def coded(key: bytes) -> str:
    """Encode a key like browsers do."""
    return base64.urlsafe_b64encode(key).decode().rstrip("=")


def public_point() -> bytes:
    """Return the public key of a new key pair."""
    return (
        ec.generate_private_key(ec.SECP256R1()).public_key().public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
    )


def test_invitations_are_notified_once_and_not_from_blocked_hosts(ana, endpoint, box, clock):
    webhook(ana, endpoint)
    site, free = ana.site, Seat(OPEN, "", "Ana")
    tables = {}
    for host in ("eva", "cem", "dan"):
        tables[host] = site.tables.create("orchard", (Seat(PERSON, host, host.title()), free), host, rated=False).id
        site.lobby.listings.reserve(tables[host], {1: ana.id}, "")
    site.contacts.block(ana.id, "cem", "Cem")
    site.seats.join(tables["dan"], 1, "bea", "Bea")
    for _ in range(2):
        clock.advance(121)
        look(ana)
    found = [said for said in (json.loads(body) for _, _, body in endpoint.got) if said["event"] == "invitation"]
    assert [(said["table"], said["text"]) for said in found] == [
        (tables["eva"], f"You're invited to Orchard with Eva. {ADDRESS}/table/{tables['eva']}")
    ]


def test_a_repeated_invitation_to_a_table_is_not_notified_again(ana, endpoint, clock):
    webhook(ana, endpoint)
    site, seats = ana.site, (Seat(PERSON, "eva", "Eva"), *[Seat(OPEN, "", "Ana")] * 2)
    table = site.tables.create("orchard", seats, "eva", rated=False).id
    for seat in (1, 2):
        site.lobby.listings.reserve(table, {seat: ana.id}, "")
        clock.advance(121)
        look(ana)
        site.rematches.decline(table, ana.id)
    assert [json.loads(body)["event"] for _, _, body in endpoint.got].count("invitation") == 1


def test_a_mail_has_turns_and_invitations():
    turn = TurnNotification("t", "Orchard", ("Bea",), "https://x/1")
    invitation = TurnNotification("u", "Oregon", ("Cem",), "https://x/2", is_invitation=True)
    assert email_subject([invitation]) == "You're invited to Oregon with Cem"
    assert email_subject([turn, invitation]) == "News from 2 games"
    body = email_body("Ana", [turn, invitation], "stop")
    assert (
        "it's your turn:\n\nOrchard, with Bea\nhttps://x/1\n\nYou're invited to Oregon with Cem.\nhttps://x/2\n" in body
    )
    assert "turn" not in email_body("Ana", [invitation], "stop")


def test_the_alerts_of_one_game_can_be_turned_off(ana, endpoint, clock):
    webhook(ana, endpoint)
    quiet, loud = my_turn(ana), my_turn(ana)
    assert ana.post(f"/table/{quiet}/alerts", data={"muted": 1}, follow_redirects=False).status_code == 303
    assert "Turn on alerts for this game" in ana.get("/my/games").text
    clock.advance(121)
    look(ana)
    told = [json.loads(body)["table"] for _, _, body in endpoint.got]
    assert loud in told
    assert quiet not in told
    ana.post(f"/table/{quiet}/alerts", data={"muted": 0})
    look(ana)
    assert quiet in [json.loads(body)["table"] for _, _, body in endpoint.got]
    other = ana.site.tables.create("orchard", (YOU, Seat(PERSON, "eva", "Eva")), "you").id
    assert ana.post(f"/table/{other}/alerts", data={"muted": 1}).status_code == 403
