"""Transports of notifications: push messages to browsers, email, and webhooks.

Push messages and webhooks go to public addresses only, against server-side request forgery. Each message resolves the
host again, checks the address, and connects to exactly that address.
"""

import hmac
import json
import logging
from base64 import urlsafe_b64encode
from collections.abc import Callable, Sequence
from contextlib import suppress
from functools import partial
from hashlib import sha256
from ipaddress import ip_address, ip_network
from socket import SHUT_RDWR, gaierror
from threading import Event, Timer
from time import monotonic
from typing import Any
from urllib.parse import urlsplit

from cryptography.hazmat.primitives.asymmetric import ec
from cryptography.hazmat.primitives.hashes import SHA256
from cryptography.hazmat.primitives.kdf.hkdf import HKDF
from cryptography.hazmat.primitives.serialization import Encoding, PublicFormat
from py_vapid import Vapid, VapidException
from requests import PreparedRequest, RequestException, Response
from requests_hardened import Config, HTTPSession
from requests_hardened.ip_filter import InvalidIPAddress, get_ip_address
from requests_hardened.ip_filter_adapter import IPFilterAdapter
from urllib3.connection import HTTPConnection, HTTPSConnection

from ..errors import BadRequest, RequestError
from ..mail import Mailer
from .channels import MAIL, PUSH, Channel
from .messages import TurnNotification, email_body, email_subject

MakeTimer = Callable[[Callable[[], None]], Timer]

log = logging.getLogger(__name__)
ANSWER_SECONDS = 5.0  # timeout to connect, and to answer
CONNECTION_SECONDS = 10.0  # longest life of a connection, also if a server sends single bytes
BATCH_SECONDS = 30.0  # for all messages of a delivery
PUSH_TTL_SECONDS = 24 * 3600  # for which a push service stores a message
MAX_URL_LENGTH = 1000
P256_ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of the curve P-256
EXPIRED_STATUSES = (404, 410)  # of push services, for subscriptions that have ended
# IPv4 addresses inside IPv6, and site-local addresses: public servers have none, but some systems connect to them.
INTERNAL_NETWORKS = tuple(map(ip_network, ("::/96", "::ffff:0:0:0/96", "fec0::/10")))
BAD_URL = "An alert needs an address that begins with https:// and is no longer than {} characters, not {!r}."
UNKNOWN_HOST = "There is no server called {!r}, or it cannot be found at the moment. Please check the address."
INTERNAL_HOST = "Alerts cannot be sent to {!r}, because it is not an address on the public internet."


class DeliveryError(Exception):
    """A message could not be delivered."""


class ChannelExpiredError(DeliveryError):
    """The browser has unsubscribed."""


class TimeoutMixin:
    """A connection with a limit on its whole life. Timeouts of sockets start again with each byte."""

    sock: Any

    def __init__(self, *args: Any, make_timer: MakeTimer, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._make_timer = make_timer

    def connect(self) -> None:
        super().connect()  # type: ignore[misc]  # of the connection that it is mixed into
        self._was_cut = Event()
        self._end = self._make_timer(partial(shut_down, self.sock, self._was_cut))
        self._end.daemon = True
        self._end.start()

    def getresponse(self) -> Any:
        """Return the response after its head; TimeoutError if the head may be incomplete."""
        answer = super().getresponse()  # type: ignore[misc]
        if self._was_cut.is_set():
            answer.close()
            raise TimeoutError
        return answer

    def close(self) -> None:
        if end := getattr(self, "_end", None):
            end.cancel()
        super().close()  # type: ignore[misc]


class PlainConnection(TimeoutMixin, HTTPConnection):
    """An unencrypted connection with a limited life."""


class TLSConnection(TimeoutMixin, HTTPSConnection):
    """A TLS connection with a limited life."""


def shut_down(sock: Any, was_cut: Event) -> None:
    """Shut a socket down, so that a thread that waits for it continues."""
    was_cut.set()
    with suppress(OSError):  # closed meanwhile
        sock.shutdown(SHUT_RDWR)


class PublicAddressAdapter(IPFilterAdapter):  # type: ignore[misc]  # the library has no types
    """An adapter whose connections have a limited life, and go only to public addresses unless `allow_private`."""

    def __init__(self, *, safe: bool, allow_private: bool, make_timer: MakeTimer) -> None:
        super().__init__(is_https_proto=safe, allow_loopback=allow_private)
        self._allow_private = allow_private
        self._make = partial(TLSConnection if safe else PlainConnection, make_timer=make_timer)

    def build_connection_pool_key_attributes(self, *args: Any, **kwargs: Any) -> Any:
        """Return the keys of a connection pool; InvalidIPAddress if the target is not allowed."""
        target, more = super().build_connection_pool_key_attributes(*args, **kwargs)
        check_public_address(target["host"].strip("[]"), self._allow_private)
        return target, more

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> Any:
        """Return a connection pool that makes connections with a limited life."""
        pool = super().get_connection_with_tls_context(*args, **kwargs)
        pool.ConnectionCls = self._make
        return pool


class DeliverySession(HTTPSession):  # type: ignore[misc]
    """A session that reads only the head of responses."""

    def __init__(self, config: Config, *, allow_private: bool, make_timer: MakeTimer) -> None:
        super().__init__(config)
        for prefix, safe in (("https://", True), ("http://", False)):
            self.mount(prefix, PublicAddressAdapter(safe=safe, allow_private=allow_private, make_timer=make_timer))
        self.trust_env = False  # a proxy would resolve names itself

    def send(self, request: PreparedRequest, **kwargs: Any) -> Response:
        """Send a request, and close the connection after the head of the response."""
        answer = super().send(request, **{**kwargs, "stream": True})
        answer._content = b""  # noqa: SLF001  # the body could be endless
        answer.close()
        return answer


def check_public_address(ip: Any, allow_private: bool) -> None:
    """Raise InvalidIPAddress for an address in INTERNAL_NETWORKS, unless `allow_private`."""
    address = ip_address(str(ip))
    if not allow_private and any(address in net for net in INTERNAL_NETWORKS):
        raise InvalidIPAddress(address)


class Transports:
    """Sends notifications by push message, email and webhook."""

    def __init__(
        self,
        key: str,
        mailer: Mailer,
        address: str,
        *,
        allow_private: bool = False,
        answer_seconds: float = ANSWER_SECONDS,
        batch_seconds: float = BATCH_SECONDS,
        timer: Callable[[float, Callable[[], None]], Timer] = Timer,
    ) -> None:
        self._mailer, self._address, self._allow_private = mailer, address, allow_private
        self._answer_seconds, self._batch_seconds = answer_seconds, batch_seconds
        self._make_timer = partial(timer, CONNECTION_SECONDS)
        self._vapid = Vapid(vapid_key(key))
        self._config = Config(
            ip_filter_enable=True,
            ip_filter_allow_loopback_ips=allow_private,
            never_redirect=True,
            default_timeout=(answer_seconds, answer_seconds),
            user_agent_override="Almunia",
        )

    @property
    def public_key(self) -> str:
        """The VAPID public key, as unpadded base64url, by which the push service verifies the sender."""
        point = self._vapid.public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return urlsafe_b64encode(point).decode().rstrip("=")

    def check_url(self, url: str) -> str:
        """Return a valid URL for messages; BadRequest with status 422 if it is invalid, unknown or not public."""
        url = url.strip()
        try:
            parts = urlsplit(url)
            host, port = parts.hostname, parts.port or 443
        except ValueError:
            host = None
        schemes = ("https", "http") if self._allow_private else ("https",)
        plain = url.isprintable() and " " not in url and len(url) <= MAX_URL_LENGTH
        if not host or not plain or parts.scheme not in schemes or parts.username is not None:
            raise BadRequest(BAD_URL.format(MAX_URL_LENGTH, url[:40]), 422)
        try:
            ip, _ = get_ip_address(host, port, allow_loopback=self._allow_private)
            check_public_address(ip, self._allow_private)
        except gaierror:
            raise BadRequest(UNKNOWN_HOST.format(host[:60]), 422) from None
        except (InvalidIPAddress, UnicodeError):
            raise BadRequest(INTERNAL_HOST.format(host[:60]), 422) from None
        return url

    def send(self, channel: Channel, turns: Sequence[TurnNotification], stop: str = "") -> None:
        """Send notifications of turns; DeliveryError if a message fails. An email includes the link `stop`."""
        if channel.kind == MAIL:
            self._mail(channel, turns, stop)
            return
        with DeliverySession(self._config, allow_private=self._allow_private, make_timer=self._make_timer) as session:
            end = monotonic() + self._batch_seconds
            for turn in turns:
                if monotonic() >= end:
                    raise DeliveryError
                (self._push if channel.kind == PUSH else self._post)(session, channel, turn)

    def _mail(self, channel: Channel, turns: Sequence[TurnNotification], stop: str) -> None:
        try:
            self._mailer.send_now(
                channel.target, email_subject(turns), email_body(channel.display_name, turns, stop), stop
            )
        except RequestError:
            raise DeliveryError from None

    def _push(self, session: DeliverySession, channel: Channel, turn: TurnNotification) -> None:
        from pywebpush import WebPushException, webpush  # takes 8 MB, and many sites never send a push message

        payload = {"title": turn.headline, "body": str(turn), "tag": turn.table, "link": turn.link}
        try:
            webpush(
                {"endpoint": channel.target, "keys": channel.keys},
                json.dumps(payload),
                vapid_private_key=self._vapid,
                vapid_claims={"sub": self._address or "https://example.org"},
                ttl=PUSH_TTL_SECONDS,
                timeout=self._answer_seconds,
                requests_session=session,
            )
        except WebPushException as error:
            status = error.response.status_code if error.response is not None else 0
            raise (ChannelExpiredError if status in EXPIRED_STATUSES else DeliveryError) from None
        except (RequestException, VapidException, ValueError, TypeError, LookupError):  # also for malformed keys
            raise DeliveryError from None

    def _post(self, session: DeliverySession, channel: Channel, turn: TurnNotification) -> None:
        event = (
            "test"
            if turn.sample
            else "invitation"
            if turn.is_invitation
            else "reminder"
            if turn.seconds_left
            else "your turn"
        )
        payload = {"event": event, "game": turn.title, "table": turn.table, "link": turn.link}
        text = f"{turn.text} {turn.link}"
        body = json.dumps({**payload, "text": text, "content": text}).encode()  # the two names that chat services read
        signed = hmac.new(channel.keys["secret"].encode(), body, sha256).hexdigest()
        headers = {"Content-Type": "application/json", "Almunia-Signature": f"sha256={signed}"}
        try:
            answer = session.post(channel.target, data=body, headers=headers)
            if not answer.ok or answer.is_redirect:
                raise DeliveryError
        except RequestException:
            raise DeliveryError from None


def vapid_key(key: str) -> ec.EllipticCurvePrivateKey:
    """Return the key that signs push messages, derived from the site's key."""
    derived = HKDF(algorithm=SHA256(), length=40, salt=None, info=b"push messages").derive(key.encode())
    return ec.derive_private_key(int.from_bytes(derived, "big") % (P256_ORDER - 1) + 1, ec.SECP256R1())
