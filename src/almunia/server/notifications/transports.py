"""Hands alerts on: to browsers as push messages, to mailboxes, and to webhooks.

Whatever address a guest has given, nothing is sent to one inside: to this machine, or to networks that aren't public.
That is looked at again with each message, once its name is resolved, and the connection goes just there.
"""

import hmac
import json
import logging
from base64 import urlsafe_b64encode
from collections.abc import Callable, Sequence
from concurrent.futures import TimeoutError as TooSlow
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
from .messages import TurnNotification, letter, subject

MakeTimer = Callable[[Callable[[], None]], Timer]

log = logging.getLogger(__name__)
SECONDS = 5.0  # for which a server may keep us waiting, to connect and to answer
CONNECTION_SECONDS = 10.0  # after which a line is cut, however busily a server sends bytes one by one
BATCH_SECONDS = 30.0  # for all messages of one look to the same place: others wait as well
POSTING = 60.0  # seconds for which a mail may wait for others before it
A_DAY = 24 * 3600  # seconds for which a push service keeps a message
LONGEST = 1000  # characters of an address
ORDER = 0xFFFFFFFF00000000FFFFFFFFFFFFFFFFBCE6FAADA7179E84F3B9CAC2FC632551  # of the curve P-256
GONE = (404, 410)  # what push services answer for browsers that are no longer there
# Addresses of IPv4 as IPv6 once wrote or translates them, and those of sites: nobody has one, some systems read them.
INNER = tuple(map(ip_network, ("::/96", "::ffff:0:0:0/96", "fec0::/10")))
NO_PLACE = "An alert needs an address that begins with https:// and is no longer than {} characters, not {!r}."
UNKNOWN = "There is no server called {!r}, or it cannot be found at the moment. Please check the address."
INSIDE = "Alerts cannot be sent to {!r}: it is not an address on the public internet."


class DeliveryError(Exception):
    """A message could not be handed on."""

    def __init__(self, gone: bool = False) -> None:
        super().__init__()
        self.gone = gone  # is there nobody any more to whom it could be?


class TimeoutMixin:
    """A connection that is cut after a while: timeouts of sockets begin anew with each byte that comes."""

    sock: Any

    def __init__(self, *args: Any, make_timer: MakeTimer, **kwargs: Any) -> None:
        super().__init__(*args, **kwargs)
        self._make_timer = make_timer

    def connect(self) -> None:
        """Open it; from now on the time runs."""
        super().connect()  # type: ignore[misc]  # of the connection that it is mixed into
        self._was_cut = Event()
        self._end = self._make_timer(partial(cut, self.sock, self._was_cut))
        self._end.daemon = True
        self._end.start()

    def getresponse(self) -> Any:
        """Return the answer, once its head has come; TimeoutError if the head may have been cut."""
        answer = super().getresponse()  # type: ignore[misc]
        if self._was_cut.is_set():
            answer.close()
            raise TimeoutError
        return answer

    def close(self) -> None:
        """Close it."""
        if end := getattr(self, "_end", None):
            end.cancel()
        super().close()  # type: ignore[misc]


class Plain(TimeoutMixin, HTTPConnection):
    """Such a connection without encryption."""


class Secure(TimeoutMixin, HTTPSConnection):
    """Such a connection by TLS."""


def cut(line: Any, was_cut: Event) -> None:
    """Let whoever waits for a line wait no longer."""
    was_cut.set()
    with suppress(OSError):  # closed meanwhile
        line.shutdown(SHUT_RDWR)


class Adapter(IPFilterAdapter):  # type: ignore[misc]  # its library says nothing of types
    """Connects to addresses on the public internet alone, and not for long."""

    def __init__(self, *, safe: bool, inside: bool, make_timer: MakeTimer) -> None:
        super().__init__(is_https_proto=safe, allow_loopback=inside)
        self._inside = inside
        self._make = partial(Secure if safe else Plain, make_timer=make_timer)

    def build_connection_pool_key_attributes(self, *args: Any, **kwargs: Any) -> Any:
        """Where a request goes; InvalidIPAddress if that is inside."""
        place, more = super().build_connection_pool_key_attributes(*args, **kwargs)
        check_outer(place["host"].strip("[]"), self._inside)
        return place, more

    def get_connection_with_tls_context(self, *args: Any, **kwargs: Any) -> Any:
        """The connections of a place."""
        pool = super().get_connection_with_tls_context(*args, **kwargs)
        pool.ConnectionCls = self._make
        return pool


class Session(HTTPSession):  # type: ignore[misc]
    """Sends requests, and reads nothing of an answer but its head."""

    def __init__(self, config: Config, *, inside: bool, make_timer: MakeTimer) -> None:
        super().__init__(config)
        self.mount("https://", Adapter(safe=True, inside=inside, make_timer=make_timer))
        self.mount("http://", Adapter(safe=False, inside=inside, make_timer=make_timer))
        self.trust_env = False  # a proxy would look up names by itself

    def send(self, request: PreparedRequest, **kwargs: Any) -> Response:
        """Send a request."""
        answer = super().send(request, **{**kwargs, "stream": True})
        answer._content = b""  # noqa: SLF001  # what else comes could have no end
        answer.close()
        return answer


def check_outer(ip: Any, inside: bool) -> None:
    """InvalidIPAddress if nobody on the public internet has such an address."""
    address = ip_address(str(ip))
    if not inside and any(address in net for net in INNER):
        raise InvalidIPAddress(address)


class Transports:
    """All that messages are handed on by."""

    def __init__(
        self,
        key: str,
        mailer: Mailer,
        address: str,
        *,
        inside: bool = False,
        answer_seconds: float = SECONDS,
        batch_seconds: float = BATCH_SECONDS,
        timer: Callable[[float, Callable[[], None]], Timer] = Timer,
    ) -> None:
        self._mailer, self._address, self._inside = mailer, address, inside
        self._answer_seconds, self._batch_seconds = answer_seconds, batch_seconds
        self._make_timer = partial(timer, CONNECTION_SECONDS)
        self._vapid = Vapid(vapid_key(key))
        self._config = Config(
            ip_filter_enable=True,
            ip_filter_allow_loopback_ips=inside,
            never_redirect=True,
            default_timeout=(answer_seconds, answer_seconds),
            user_agent_override="Almunia",
        )

    @property
    def public_key(self) -> str:
        """By which browsers know whose messages they take."""
        point = self._vapid.public_key.public_bytes(Encoding.X962, PublicFormat.UncompressedPoint)
        return urlsafe_b64encode(point).decode().rstrip("=")

    def checked(self, place: str) -> str:
        """An address of the web to which messages can be sent; BadRequest, with status 422, if they cannot."""
        place = place.strip()
        try:
            parts = urlsplit(place)
            host, port = parts.hostname, parts.port or 443
        except ValueError:
            host = None
        schemes = ("https", "http") if self._inside else ("https",)
        plain = place.isprintable() and " " not in place and len(place) <= LONGEST
        if not host or not plain or parts.scheme not in schemes or parts.username is not None:
            raise BadRequest(NO_PLACE.format(LONGEST, place[:40]), 422)
        try:
            ip, _ = get_ip_address(host, port, allow_loopback=self._inside)
            check_outer(ip, self._inside)
        except gaierror:
            raise BadRequest(UNKNOWN.format(host[:60]), 422) from None
        except (InvalidIPAddress, UnicodeError):
            raise BadRequest(INSIDE.format(host[:60]), 422) from None
        return place

    def send(self, way: Channel, turns: Sequence[TurnNotification], stop: str = "") -> None:
        """Tell of turns that wait, with the link by which a mail says how to `stop`; Unsent if that cannot be."""
        if way.kind == MAIL:
            self._mail(way, turns, stop)
            return
        with Session(self._config, inside=self._inside, make_timer=self._make_timer) as session:
            end = monotonic() + self._batch_seconds
            for turn in turns:
                if monotonic() >= end:
                    raise DeliveryError
                (self._push if way.kind == PUSH else self._post)(session, way, turn)

    def _mail(self, way: Channel, turns: Sequence[TurnNotification], stop: str) -> None:
        try:
            text = letter(way.called, turns, stop)
            self._mailer.send(way.target, subject(turns), text, stop=stop).result(POSTING)
        except (RequestError, TooSlow):
            raise DeliveryError from None

    def _push(self, session: Session, way: Channel, turn: TurnNotification) -> None:
        from pywebpush import WebPushException, webpush  # takes 8 MB, and many sites never send any

        said = {"title": turn.headline, "body": str(turn), "tag": turn.table, "link": turn.link}
        try:
            webpush(
                {"endpoint": way.target, "keys": way.keys},
                json.dumps(said),
                vapid_private_key=self._vapid,
                vapid_claims={"sub": self._address or "https://example.org"},
                ttl=A_DAY,
                timeout=self._answer_seconds,
                requests_session=session,
            )
        except WebPushException as error:
            raise DeliveryError(gone=error.response is not None and error.response.status_code in GONE) from None
        except (RequestException, VapidException, ValueError, TypeError, LookupError):  # also keys that are none
            raise DeliveryError from None

    def _post(self, session: Session, way: Channel, turn: TurnNotification) -> None:
        event = "test" if turn.sample else "your turn"
        said = {"event": event, "game": turn.title, "table": turn.table, "link": turn.link}
        words = f"{turn.words} {turn.link}"
        body = json.dumps({**said, "text": words, "content": words}).encode()  # two names that chats know
        signed = hmac.new(way.keys["secret"].encode(), body, sha256).hexdigest()
        headers = {"Content-Type": "application/json", "Almunia-Signature": f"sha256={signed}"}
        try:
            answer = session.post(way.target, data=body, headers=headers)
            if not answer.ok or answer.is_redirect:
                raise DeliveryError
        except RequestException:
            raise DeliveryError from None


def vapid_key(key: str) -> ec.EllipticCurvePrivateKey:
    """The key by which push messages are signed, which follows from the site's own."""
    drawn = HKDF(algorithm=SHA256(), length=40, salt=None, info=b"push messages").derive(key.encode())
    return ec.derive_private_key(int.from_bytes(drawn, "big") % (ORDER - 1) + 1, ec.SECP256R1())
