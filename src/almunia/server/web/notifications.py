"""The page of notification channels, and the pages of the links in emails."""

import re
from asyncio import to_thread
from base64 import urlsafe_b64decode
from secrets import token_urlsafe

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..errors import BadRequest, NotFound, RequestError
from ..mail import MAIL_DISABLED, Mailer, validate_address
from ..notifications.channels import MAIL, MAX_CHANNELS, PUSH, WEBHOOK, Channel
from ..notifications.messages import TurnNotification, confirmation_email
from ..notifications.services import Notifications
from ..notifications.transports import DeliveryError
from ..rate_limits import MailRateLimit
from ..settings import Settings
from ..tables.clocks import PlayingHours
from ..users.visitors import current_visitor, ensure_visitor, validate_label
from .forms import SEE_OTHER, FormFields, read_hours
from .routing import Router
from .templating import STATIC, render

# Handlers that wait for other servers run in `to_thread`, so that they do not occupy the threads that serve pages.
router = Router(prefix="/alerts")
HOURS_FORM = "hours"  # the form of the hours of notifications
PUSH_KEY_BYTES = {"p256dh": 65, "auth": 16}  # bytes of the keys that a browser sends: a point of P-256, and a secret
BASE64_PATTERN = re.compile(r"(?:[A-Za-z0-9_-]{4}){0,25}[A-Za-z0-9_-]{2,4}={0,2}")
INVALID_LINK = (
    "This link is no longer valid: the alert it belongs to has been removed already, or it was cut off when copied."
)
NO_PUSH_KEYS = "This browser has not said how push messages can be sent to it. Please try again."
UNCONFIRMED = "This address has not been confirmed. Open the link in the mail that was sent to it, then test."
TEST_NOT_SENT = "The test message did not get through. Please check the address."


@router.get("")
def show_notifications(request: Request, mailer: Mailer, notifications: Notifications) -> Response:
    """Render the channels of a guest."""
    return render_notifications(request, mailer, notifications)


@router.get("/worker.js")
def send_service_worker() -> Response:
    """Return the service worker for the whole site. It shows push messages while no page is open."""
    headers = {"Service-Worker-Allowed": "/", "Cache-Control": "no-cache"}
    script = STATIC.joinpath("push-service-worker.js").read_bytes()
    return Response(script, headers=headers, media_type="text/javascript")


@router.post("/push")
async def add_push(request: Request, mailer: Mailer, notifications: Notifications, form: FormFields) -> Response:
    """Add the browser of the request as a channel."""
    return await to_thread(store_push, request, mailer, notifications, form)


def store_push(request: Request, mailer: Mailer, notifications: Notifications, form: FormFields) -> Response:
    """Add the browser, if messages can be sent there; render the page, or redirect to it."""
    try:
        keys = {name: form.text(name) for name in PUSH_KEY_BYTES}
        if any(decoded_size(keys[name]) != size for name, size in PUSH_KEY_BYTES.items()):
            raise BadRequest(NO_PUSH_KEYS, 422)
        target, label = (
            notifications.transports.check_url(form.text("endpoint")),
            validate_label(form.text("label", "This browser")),
        )
        guest = ensure_visitor(request)
        notifications.channels.add(guest.id, guest.name, PUSH, target, keys, label)
    except RequestError as error:
        return render_notifications(request, mailer, notifications, PUSH, error)
    return RedirectResponse("/alerts", SEE_OTHER)


def decoded_size(key: str) -> int:
    """Return the number of bytes of a key that is written in base64 for addresses; -1 if it is not."""
    if not BASE64_PATTERN.fullmatch(key):
        return -1
    return len(urlsafe_b64decode(key.rstrip("=") + "=" * (-len(key.rstrip("=")) % 4)))


@router.post("/mail")
def add_mail(
    request: Request, mailer: Mailer, mail_rate: MailRateLimit, notifications: Notifications, form: FormFields
) -> Response:
    """Add an email address as a channel, and ask its owner for confirmation."""
    to = form.text("to")
    try:
        if not mailer.is_enabled:
            raise BadRequest(MAIL_DISABLED, 422)
        to, guest = validate_address(to), ensure_visitor(request)
        mail_rate.consume(request)
        mail_rate.consume_for(to.casefold())
        channel = notifications.channels.add(guest.id, guest.name, MAIL, to, {}, to, confirmed=False)
        mailer.send(to, *confirmation_email(notifications.dispatcher.confirmation_link(channel)))
    except RequestError as error:
        return render_notifications(request, mailer, notifications, MAIL, error, to=to)
    return RedirectResponse("/alerts", SEE_OTHER)


@router.post("/webhook")
async def add_webhook(request: Request, mailer: Mailer, notifications: Notifications, form: FormFields) -> Response:
    """Add a webhook as a channel."""
    return await to_thread(store_webhook, request, mailer, notifications, form)


def store_webhook(request: Request, mailer: Mailer, notifications: Notifications, form: FormFields) -> Response:
    """Add the webhook, if messages can be sent there, and render the page with its secret."""
    to = form.text("to")
    try:
        target, guest = notifications.transports.check_url(to), ensure_visitor(request)
        secret = token_urlsafe(24)
        channel = notifications.channels.add(
            guest.id, guest.name, WEBHOOK, target, {"secret": secret}, target.split("/")[2]
        )
    except RequestError as error:
        return render_notifications(request, mailer, notifications, WEBHOOK, error, to=to)
    return render_notifications(request, mailer, notifications, made=channel.keys["secret"])


@router.post("/hours")
def set_hours(request: Request, mailer: Mailer, notifications: Notifications, form: FormFields) -> Response:
    """Set the hours of notifications. Messages at other hours wait until these hours begin."""
    try:
        notifications.channels.set_hours(current_visitor(request).id, PlayingHours.parse(read_hours(form) or ""))
    except BadRequest as error:
        return render_notifications(request, mailer, notifications, HOURS_FORM, BadRequest(str(error), 422))
    return RedirectResponse("/alerts", SEE_OTHER)


@router.post("/{channel}/choose")
def set_games(request: Request, notifications: Notifications, channel: str, form: FormFields) -> Response:
    """Set which games a channel announces."""
    notifications.channels.set_games(current_visitor(request).id, channel, form.has("live"), form.has("slow"))
    return RedirectResponse("/alerts", SEE_OTHER)


@router.post("/{channel}/test")
async def test_channel(
    request: Request, settings: Settings, mailer: Mailer, notifications: Notifications, channel: str
) -> Response:
    """Send a test message."""
    return await to_thread(send_test, request, settings, mailer, notifications, channel)


def send_test(
    request: Request, settings: Settings, mailer: Mailer, notifications: Notifications, channel: str
) -> Response:
    """Send the message, and render the page with the result."""
    notifications.test_limit.consume(request)
    chosen = notifications.channels.get(current_visitor(request).id, channel)
    if not chosen.confirmed:
        return render_notifications(request, mailer, notifications, chosen.kind, BadRequest(UNCONFIRMED, 422))
    sample = TurnNotification("test", "Almunia", (), f"{settings.address}/alerts", sample=True)
    try:
        notifications.transports.send(chosen, [sample], notifications.dispatcher.stop_link(chosen))
    except DeliveryError:
        return render_notifications(request, mailer, notifications, chosen.kind, BadRequest(TEST_NOT_SENT, 422))
    return render_notifications(request, mailer, notifications, sent=chosen.label)


@router.post("/{channel}/remove")
def remove_channel(request: Request, notifications: Notifications, channel: str) -> Response:
    """Remove a channel."""
    notifications.channels.remove(notifications.channels.get(current_visitor(request).id, channel).id)
    return RedirectResponse("/alerts", SEE_OTHER)


@router.get("/confirm/{signed}")
def ask_to_confirm(request: Request, notifications: Notifications, signed: str) -> Response:
    """Ask the owner of a mailbox to confirm, by a button: mail scanners follow links."""
    return render_question(request, "confirm", signed, notifications.dispatcher.read_confirmation_link(signed))


@router.post("/confirm/{signed}")
def confirm_address(request: Request, notifications: Notifications, signed: str) -> Response:
    """Confirm an address."""
    channel = notifications.dispatcher.read_confirmation_link(signed)
    if channel is None:
        raise NotFound(INVALID_LINK)
    notifications.channels.confirm(channel.id)
    return render(request, "notification_link.html", done="confirm", to=channel.label, signed="", what="")


@router.get("/stop/{signed}")
def ask_to_stop(request: Request, notifications: Notifications, signed: str) -> Response:
    """Ask whether to remove a channel, or say that it was removed before."""
    number = notifications.dispatcher.read_stop_link(signed)
    channel = notifications.channels.find(number) if number else None
    if number and channel is None:
        return render_stopped(request, None)
    return render_question(request, "stop", signed, channel)


@router.post("/stop/{signed}")
def stop_channel(request: Request, notifications: Notifications, signed: str) -> Response:
    """Remove a channel for the holder of a stop link. A second request does no harm."""
    number = notifications.dispatcher.read_stop_link(signed)
    if number is None:
        raise NotFound(INVALID_LINK)
    channel = notifications.channels.find(number)
    notifications.channels.remove(number)
    return render_stopped(request, channel)


def render_stopped(request: Request, channel: Channel | None) -> Response:
    """Render the page after a channel was removed, now or before."""
    return render(
        request, "notification_link.html", done="stop", to=channel.label if channel else "", signed="", what=""
    )


def render_question(request: Request, what: str, signed: str, channel: Channel | None) -> Response:
    """Render the page with the button that follows a link."""
    if channel is None:
        raise NotFound(INVALID_LINK)
    return render(request, "notification_link.html", what=what, to=channel.label, signed=signed, done="")


def render_notifications(
    request: Request,
    mailer: Mailer,
    notifications: Notifications,
    kind: str = "",
    wrong: RequestError | None = None,
    to: str = "",
    made: str = "",
    sent: str = "",
) -> Response:
    """Render the page, with an error of the form of a kind, a new secret, or the channel of a test message."""
    guest = current_visitor(request).id
    channels = notifications.channels.for_guest(guest) if guest else []
    facts = {"wrong": {kind: str(wrong)} if wrong else {}, "to": {kind: to}, "made": made, "sent": sent}
    status = wrong.status if wrong else 200
    key, mail, full = notifications.transports.public_key, mailer.is_enabled, len(channels) >= MAX_CHANNELS
    headers = {"Cache-Control": "no-store"} if made else None
    return render(
        request,
        "notifications.html",
        status,
        headers,
        ways=channels,
        key=key,
        mail=mail,
        full=full,
        most=MAX_CHANNELS,
        **facts,
    )
