"""The page of alerts: how a guest is told that it's their turn; and the links in mails that confirm and stop."""

import re
from asyncio import to_thread
from base64 import urlsafe_b64decode
from secrets import token_urlsafe

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ..errors import BadRequest, NotFound, RequestError
from ..mail import OFF, Mailer, checked_address
from ..notifications.channels import MAIL, MOST, PUSH, WEBHOOK, Channel
from ..notifications.messages import TurnNotification, confirming
from ..notifications.services import Notifications
from ..notifications.transports import DeliveryError
from ..rate_limits import MailRateLimit
from ..settings import Settings
from ..tables.clocks import PlayingHours
from ..users.visitors import checked_label, guest_of, welcome
from .forms import SEE_OTHER, FormFields, read_hours
from .routing import Router
from .templating import STATIC, render

# What waits for servers of others does so in threads of its own (`to_thread`): the few that answer pages are for all.
router = Router(prefix="/alerts")
HOURS = "hours"  # the form that says when messages may come
KEYS = {"p256dh": 65, "auth": 16}  # bytes of the keys that a browser sends: a point of P-256, and a secret
BASE64 = re.compile(r"(?:[A-Za-z0-9_-]{4}){0,25}[A-Za-z0-9_-]{2,4}={0,2}")
NO_LINK = (
    "This link is no longer valid: the alert it belongs to has been removed already, or it was cut off when copied."
)
NO_BROWSER = "This browser has not said how push messages can be sent to it. Please try again."
UNCONFIRMED = "This address has not been confirmed. Open the link in the mail that was sent to it, then test."
UNSENT = "The test message did not get through. Please check the address."


@router.get("")
def alerts(request: Request, mailer: Mailer, alerts: Notifications) -> Response:
    """Render the page of a guest's alerts."""
    return show(request, mailer, alerts)


@router.get("/worker.js")
def worker() -> Response:
    """Return the service worker, which shows push messages while no page is open, with the whole site as its scope."""
    headers = {"Service-Worker-Allowed": "/", "Cache-Control": "no-cache"}
    script = STATIC.joinpath("push-service-worker.js").read_bytes()
    return Response(script, headers=headers, media_type="text/javascript")


@router.post("/push")
async def add_push(request: Request, mailer: Mailer, alerts: Notifications, form: FormFields) -> Response:
    """Send push messages to the browser that asks for it."""
    return await to_thread(added_push, request, mailer, alerts, form)


def added_push(request: Request, mailer: Mailer, alerts: Notifications, form: FormFields) -> Response:
    """Add the browser, if messages can be sent there; render the page, or redirect to it."""
    try:
        keys = {name: form.text(name) for name in KEYS}
        if any(size_of(keys[name]) != size for name, size in KEYS.items()):
            raise BadRequest(NO_BROWSER, 422)
        target, label = (
            alerts.senders.checked(form.text("endpoint")),
            checked_label(form.text("label", "This browser")),
        )
        guest = welcome(request)
        alerts.ways.add(guest.id, guest.name, PUSH, target, keys, label)
    except RequestError as error:
        return show(request, mailer, alerts, PUSH, error)
    return RedirectResponse("/alerts", SEE_OTHER)


def size_of(key: str) -> int:
    """Return the number of bytes of a key that is written in base64 for addresses; -1 if it is not."""
    if not BASE64.fullmatch(key):
        return -1
    return len(urlsafe_b64decode(key.rstrip("=") + "=" * (-len(key.rstrip("=")) % 4)))


@router.post("/mail")
def add_mail(
    request: Request, mailer: Mailer, mail_rate: MailRateLimit, alerts: Notifications, form: FormFields
) -> Response:
    """Send mail to an address, once its owner has confirmed it."""
    to = form.text("to")
    try:
        if not mailer.on:
            raise BadRequest(OFF, 422)
        to, guest = checked_address(to), welcome(request)
        mail_rate.hit(request)
        mail_rate.hit_for(to.casefold())
        way = alerts.ways.add(guest.id, guest.name, MAIL, to, {}, to, confirmed=False)
        mailer.send(to, *confirming(alerts.herald.confirmation(way)))
    except RequestError as error:
        return show(request, mailer, alerts, MAIL, error, to=to)
    return RedirectResponse("/alerts", SEE_OTHER)


@router.post("/webhook")
async def add_webhook(request: Request, mailer: Mailer, alerts: Notifications, form: FormFields) -> Response:
    """Send messages to a webhook."""
    return await to_thread(added_webhook, request, mailer, alerts, form)


def added_webhook(request: Request, mailer: Mailer, alerts: Notifications, form: FormFields) -> Response:
    """Add the webhook, if messages can be sent there, and render the page with its secret."""
    to = form.text("to")
    try:
        target, guest = alerts.senders.checked(to), welcome(request)
        secret = token_urlsafe(24)
        way = alerts.ways.add(guest.id, guest.name, WEBHOOK, target, {"secret": secret}, target.split("/")[2])
    except RequestError as error:
        return show(request, mailer, alerts, WEBHOOK, error, to=to)
    return show(request, mailer, alerts, made=way.keys["secret"])


@router.post("/hours")
def rest(request: Request, mailer: Mailer, alerts: Notifications, form: FormFields) -> Response:
    """Set the hours at which messages may come. Others wait until these hours begin."""
    try:
        alerts.ways.rest(guest_of(request).id, PlayingHours.parse(read_hours(form) or ""))
    except BadRequest as error:
        return show(request, mailer, alerts, HOURS, BadRequest(str(error), 422))
    return RedirectResponse("/alerts", SEE_OTHER)


@router.post("/{way}/choose")
def choose(request: Request, alerts: Notifications, way: str, form: FormFields) -> Response:
    """Set for which games a way is used."""
    alerts.ways.choose(guest_of(request).id, way, form.has("live"), form.has("slow"))
    return RedirectResponse("/alerts", SEE_OTHER)


@router.post("/{way}/test")
async def test(request: Request, settings: Settings, mailer: Mailer, alerts: Notifications, way: str) -> Response:
    """Send a message, to see if it arrives."""
    return await to_thread(tested, request, settings, mailer, alerts, way)


def tested(request: Request, settings: Settings, mailer: Mailer, alerts: Notifications, way: str) -> Response:
    """Send the message, and render the page with the result."""
    alerts.rate.hit(request)
    chosen = alerts.ways.own(guest_of(request).id, way)
    if not chosen.confirmed:
        return show(request, mailer, alerts, chosen.kind, BadRequest(UNCONFIRMED, 422))
    sample = TurnNotification("test", "Almunia", (), f"{settings.address}/alerts", sample=True)
    try:
        alerts.senders.send(chosen, [sample], alerts.herald.stop(chosen))
    except DeliveryError:
        return show(request, mailer, alerts, chosen.kind, BadRequest(UNSENT, 422))
    return show(request, mailer, alerts, sent=chosen.label)


@router.post("/{way}/remove")
def remove(request: Request, alerts: Notifications, way: str) -> Response:
    """Remove a way."""
    alerts.ways.remove(alerts.ways.own(guest_of(request).id, way).id)
    return RedirectResponse("/alerts", SEE_OTHER)


@router.get("/confirm/{signed}")
def ask_to_confirm(request: Request, alerts: Notifications, signed: str) -> Response:
    """Ask the owner of a mailbox to confirm, by a button: mail scanners follow links."""
    return ask(request, "confirm", signed, alerts.herald.confirmed(signed))


@router.post("/confirm/{signed}")
def confirm(request: Request, alerts: Notifications, signed: str) -> Response:
    """Confirm an address."""
    way = alerts.herald.confirmed(signed)
    if way is None:
        raise NotFound(NO_LINK)
    alerts.ways.confirm(way.id)
    return render(request, "notification_link.html", done="confirm", to=way.label, signed="", what="")


@router.get("/stop/{signed}")
def ask_to_stop(request: Request, alerts: Notifications, signed: str) -> Response:
    """Ask whether to stop a way. If it was stopped before, say so."""
    number = alerts.herald.stopped(signed)
    way = alerts.ways.find(number) if number else None
    if number and way is None:
        return stopped(request, None)
    return ask(request, "stop", signed, way)


@router.post("/stop/{signed}")
def stop(request: Request, alerts: Notifications, signed: str) -> Response:
    """Stop a way for a holder of the link from its mails. Stopping it twice does no harm."""
    number = alerts.herald.stopped(signed)
    if number is None:
        raise NotFound(NO_LINK)
    way = alerts.ways.find(number)
    alerts.ways.remove(number)
    return stopped(request, way)


def stopped(request: Request, way: Channel | None) -> Response:
    """A page that says that nothing more is sent by a way, or that it had been stopped before."""
    return render(request, "notification_link.html", done="stop", to=way.label if way else "", signed="", what="")


def ask(request: Request, what: str, signed: str, way: Channel | None) -> Response:
    """A page with the button that follows a link in a mail."""
    if way is None:
        raise NotFound(NO_LINK)
    return render(request, "notification_link.html", what=what, to=way.label, signed=signed, done="")


def show(
    request: Request,
    mailer: Mailer,
    alerts: Notifications,
    kind: str = "",
    wrong: RequestError | None = None,
    to: str = "",
    made: str = "",
    sent: str = "",
) -> Response:
    """Render the page, with what is wrong with the form of a kind, a new secret, or what was sent."""
    guest = guest_of(request).id
    ways = alerts.ways.of(guest) if guest else []
    facts = {"wrong": {kind: str(wrong)} if wrong else {}, "to": {kind: to}, "made": made, "sent": sent}
    status = wrong.status if wrong else 200
    key, mail, full = alerts.senders.public_key, mailer.on, len(ways) >= MOST
    headers = {"Cache-Control": "no-store"} if made else None
    return render(
        request, "notifications.html", status, headers, ways=ways, key=key, mail=mail, full=full, most=MOST, **facts
    )
