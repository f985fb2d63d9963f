"""The page of notification channels, and the pages of the links in emails."""

import re
from base64 import urlsafe_b64decode
from dataclasses import dataclass
from secrets import token_urlsafe
from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ..errors import BadRequest, NotFound, RequestError
from ..mail import MAIL_DISABLED, Mailer, validate_address
from ..notifications.channels import MAIL, MAX_CHANNELS, PUSH, WEBHOOK, Channel
from ..notifications.messages import TurnNotification, confirmation_email
from ..notifications.services import Notifications
from ..notifications.transports import DeliveryError
from ..rate_limits import MailRateLimit
from ..settings import Settings
from ..tables.clocks import PlayingHours
from ..users.visitors import Visitor, current_visitor, ensure_visitor, validate_label
from .forms import FormFields, read_hours, redirect
from .routing import FormPage, Router, shows_errors
from .templating import STATIC, render

router = Router(prefix="/notifications")
HOURS_FORM = "hours"  # the form of the hours of notifications
PUSH_KEY_BYTES = {"p256dh": 65, "auth": 16}  # bytes of the keys that a browser sends: a point of P-256, and a secret
BASE64_PATTERN = re.compile(r"(?:[A-Za-z0-9_-]{4}){0,25}[A-Za-z0-9_-]{2,4}={0,2}")
INVALID_LINK = "This link is no longer valid. Its alert was removed, or the link was cut off when it was copied."
NO_PUSH_KEYS = "This browser didn't provide an address for push messages. Please try again."
UNCONFIRMED = "This address has not been confirmed. Open the link in the email that we sent to it, then test."
TEST_NOT_SENT = "The test message did not get through. Please check the address."


@dataclass(frozen=True)
class NotificationsPage(FormPage):
    request: Request
    settings: Settings
    mailer: Mailer
    notifications: Notifications
    form: FormFields

    def render(
        self, kind: str = "", wrong: RequestError | None = None, to: str = "", made: str = "", sent: str = ""
    ) -> Response:
        """Render the page: with an error in the form of `kind`, a new secret `made`, or a tested channel `sent`."""
        guest = current_visitor(self.request).id
        channels = self.notifications.channels.for_guest(guest) if guest else []
        facts: dict[str, Any] = {"made": made, "sent": sent, "to": {kind: to}}
        facts |= {
            "wrong": {kind: str(wrong)} if wrong else {},
            "ways": channels,
            "full": len(channels) >= MAX_CHANNELS,
            "most": MAX_CHANNELS,
        }
        facts |= {"key": self.notifications.transports.public_key, "mail": self.mailer.is_enabled}
        headers = {"Cache-Control": "no-store"} if made else None
        return render(self.request, "notifications.html", wrong.status if wrong else 200, headers, **facts)

    def render_error(self, where: str, error: RequestError) -> Response:
        return self.render(where, error, to=self.form.text("to"))

    @shows_errors(PUSH)
    def add_push(self) -> Response:
        """Add this browser as a channel and redirect to the page, or render the page with an error."""
        keys = {name: self.form.text(name) for name in PUSH_KEY_BYTES}
        if any(decoded_size(keys[name]) != size for name, size in PUSH_KEY_BYTES.items()):
            raise BadRequest(NO_PUSH_KEYS, 422)
        target = self.notifications.transports.check_url(self.form.text("endpoint"))
        label, guest = validate_label(self.form.text("label", "This browser")), ensure_visitor(self.request)
        self.notifications.channels.add(guest.id, guest.name, PUSH, target, keys, label)
        return redirect("/notifications")

    @shows_errors(WEBHOOK)
    def add_webhook(self) -> Response:
        """Add a webhook, and render the page with its secret or with an error."""
        target, guest = self.notifications.transports.check_url(self.form.text("to")), ensure_visitor(self.request)
        keys, host = {"secret": token_urlsafe(24)}, target.split("/")[2]
        self.notifications.channels.add(guest.id, guest.name, WEBHOOK, target, keys, host)
        return self.render(made=keys["secret"])

    def send_test(self, channel: str) -> Response:
        """Send a test message, and render the page with the result."""
        self.notifications.test_limit.consume(self.request)
        chosen = self.notifications.channels.get(current_visitor(self.request).id, channel)
        if not chosen.confirmed:
            return self.render(chosen.kind, BadRequest(UNCONFIRMED, 422))
        sample = TurnNotification("test", "Almunia", (), f"{self.settings.address}/notifications", sample=True)
        try:
            self.notifications.transports.send(chosen, [sample], self.notifications.dispatcher.stop_link(chosen))
        except DeliveryError:
            return self.render(chosen.kind, BadRequest(TEST_NOT_SENT, 422))
        return self.render(sent=chosen.label)


def decoded_size(key: str) -> int:
    """Return the number of bytes that a base64url key encodes; -1 if it is empty, too long or not base64url."""
    if not BASE64_PATTERN.fullmatch(key):
        return -1
    return len(urlsafe_b64decode(key.rstrip("=") + "=" * (-len(key.rstrip("=")) % 4)))


@router.get("")
def show_notifications(page: NotificationsPage) -> Response:
    return page.render()


@router.get("/worker.js")
def send_service_worker() -> Response:
    """Return the service worker for the whole site, which shows push messages."""
    headers = {"Service-Worker-Allowed": "/", "Cache-Control": "no-cache"}
    script = STATIC.joinpath("push-service-worker.js").read_bytes()
    return Response(script, headers=headers, media_type="text/javascript")


@router.post("/push", outbound=True)
def add_push(page: NotificationsPage) -> Response:
    return page.add_push()


@router.post("/webhook", outbound=True)
def add_webhook(page: NotificationsPage) -> Response:
    return page.add_webhook()


@router.post("/mail")
@shows_errors(MAIL)
def add_mail(page: NotificationsPage, mail_rate: MailRateLimit) -> Response:
    """Add an email address as a channel, and ask its owner for confirmation."""
    if not page.mailer.is_enabled:
        raise BadRequest(MAIL_DISABLED, 422)
    to, guest = validate_address(page.form.text("to")), ensure_visitor(page.request)
    mail_rate.consume(page.request)
    mail_rate.consume_for(to.casefold())
    channel = page.notifications.channels.add(guest.id, guest.name, MAIL, to, {}, to, confirmed=False)
    page.mailer.send(to, *confirmation_email(page.notifications.dispatcher.confirmation_link(channel)))
    return redirect("/notifications")


@router.post("/hours")
def set_hours(page: NotificationsPage, visitor: Visitor) -> Response:
    """Set the hours of notifications. Messages at other hours wait until these hours begin."""
    try:
        page.notifications.channels.set_hours(visitor.id, PlayingHours.parse(read_hours(page.form) or ""))
    except BadRequest as error:
        return page.render(HOURS_FORM, BadRequest(str(error), 422))
    return redirect("/notifications")


@router.post("/{channel}/choose")
def set_games(visitor: Visitor, notifications: Notifications, channel: str, form: FormFields) -> Response:
    games = (form.has(name) for name in ("live", "slow", "reminders"))
    notifications.channels.set_games(visitor.id, channel, *games)
    return redirect("/notifications")


@router.post("/{channel}/test", outbound=True)
def test_channel(page: NotificationsPage, channel: str) -> Response:
    return page.send_test(channel)


@router.post("/{channel}/remove")
def remove_channel(visitor: Visitor, notifications: Notifications, channel: str) -> Response:
    notifications.channels.remove(notifications.channels.get(visitor.id, channel).id)
    return redirect("/notifications")


@router.get("/confirm/{signed}")
def ask_to_confirm(request: Request, notifications: Notifications, signed: str) -> Response:
    """Ask the owner of a mailbox to confirm, by a button: mail scanners follow links."""
    return render_question(request, "confirm", signed, notifications.dispatcher.read_confirmation_link(signed))


@router.post("/confirm/{signed}")
def confirm_address(request: Request, notifications: Notifications, signed: str) -> Response:
    channel = notifications.dispatcher.read_confirmation_link(signed)
    if channel is None:
        raise NotFound(INVALID_LINK)
    notifications.channels.confirm(channel.id)
    return render_done(request, "confirm", channel)


@router.get("/stop/{signed}")
def ask_to_stop(request: Request, notifications: Notifications, signed: str) -> Response:
    """Ask whether to remove a channel, or say that it was removed before."""
    number = notifications.dispatcher.read_stop_link(signed)
    channel = notifications.channels.find(number) if number else None
    if number and channel is None:
        return render_done(request, "stop", None)
    return render_question(request, "stop", signed, channel)


@router.post("/stop/{signed}")
def stop_channel(request: Request, notifications: Notifications, signed: str) -> Response:
    """Remove a channel for the holder of a stop link. A second request does no harm."""
    number = notifications.dispatcher.read_stop_link(signed)
    if number is None:
        raise NotFound(INVALID_LINK)
    channel = notifications.channels.find(number)
    notifications.channels.remove(number)
    return render_done(request, "stop", channel)


def render_question(request: Request, what: str, signed: str, channel: Channel | None) -> Response:
    """Render the page with the button that follows a link; NotFound without a channel."""
    if channel is None:
        raise NotFound(INVALID_LINK)
    return render(request, "notification_link.html", what=what, to=channel.label, signed=signed, done="")


def render_done(request: Request, done: str, channel: Channel | None) -> Response:
    """Render the page after a link was followed; `channel` is None if it does not exist any more."""
    to = channel.label if channel else ""
    return render(request, "notification_link.html", done=done, to=to, signed="", what="")
