"""Addresses in settings: of the database, the mail server, and the metrics."""

import re
from typing import NamedTuple
from urllib.parse import SplitResult, unquote, urlsplit

from sqlalchemy import URL, make_url
from sqlalchemy.exc import ArgumentError

from ..errors import SetupError

SQLITE, POSTGRES = "sqlite", "postgresql"
DRIVERS = {"postgres": "postgresql+psycopg", POSTGRES: "postgresql+psycopg"}  # by the scheme of an address
SMTP_PORTS = {"smtp": 587, "smtps": 465}
MAIL_ADDRESS = re.compile(r"[A-Za-z0-9.!#$%&'*+/=?^_`{|}~-]{1,64}@(?:[A-Za-z0-9-]{1,63}\.)+[A-Za-z0-9-]{2,63}")
MAX_MAIL_ADDRESS = 254  # characters
MAX_PORT = 65535


def parse_database_url(url: str) -> URL:
    """Return the parts of a database address; SetupError unless it names SQLite or PostgreSQL."""
    try:
        place = make_url(url)
    except (ArgumentError, ValueError):
        raise SetupError(
            "The database address cannot be read. Write it like sqlite:////path/to/file or "
            "postgresql://name:password@host/database, or leave ALMUNIA_DATABASE empty."
        ) from None
    place = place.set(drivername=DRIVERS.get(place.drivername, place.drivername))
    if secret := place.query.get("password"):  # PostgreSQL takes it there as well, but `display_url` would not hide it
        secret = secret if isinstance(secret, str) else secret[-1]
        place = place.difference_update_query(["password"]).set(password=secret)
    if place.drivername.partition("+")[0] not in (SQLITE, POSTGRES):
        raise SetupError(f"A database of {place.drivername!r} cannot be used: tables are kept in SQLite or PostgreSQL.")
    return place


def display_url(place: URL) -> str:
    """Return a database address with its password hidden and without its driver."""
    return place.set(drivername=place.get_backend_name()).render_as_string()


class MailServer(NamedTuple):
    """A server that sends mail, as ALMUNIA_SMTP names it."""

    host: str
    port: int
    encrypted: bool  # from the first byte; if not, as soon as the server offers it
    user: str = ""
    password: str = ""

    @classmethod
    def read(cls, text: str) -> "MailServer":
        """Return the server of an address; SetupError, without quoting the address, if it cannot be read."""
        try:
            place: SplitResult = urlsplit(text)
            host, port = place.hostname, place.port or SMTP_PORTS[place.scheme]
        except (ValueError, KeyError):
            host = None
        if not host or place.path not in ("", "/") or place.query or place.fragment:
            raise SetupError(
                "ALMUNIA_SMTP cannot be read. Write it like smtp://user:password@mail.example.org:587 or "
                "smtps://user:password@mail.example.org, with special characters in percent encoding (@ as %40), "
                "or leave it empty."
            )
        user, password = unquote(place.username or ""), unquote(place.password or "")
        return cls(host, port, place.scheme == "smtps", user, password)


def check_mail_settings(smtp: str, sender: str, address: str) -> None:
    """Raise SetupError if mail is on and its server or sender is invalid, or the site's address is missing."""
    if not smtp:
        return
    MailServer.read(smtp)
    if not is_mail_address(sender):
        raise SetupError(
            f"ALMUNIA_MAIL_FROM cannot be {sender!r}; write the address that mails come from, "
            "like games@play.example.org."
        )
    if not address:
        raise SetupError("ALMUNIA_SMTP needs ALMUNIA_PUBLIC_URL as well, because mails link to the site.")


def is_mail_address(text: str) -> bool:
    return len(text) <= MAX_MAIL_ADDRESS and MAIL_ADDRESS.fullmatch(text) is not None


class MetricsAddress(NamedTuple):
    """The address at which metrics are served."""

    host: str
    port: int

    @classmethod
    def read(cls, text: str) -> "MetricsAddress":
        """Return the address for `host:port`, or for a port on 127.0.0.1; SetupError if the port is invalid."""
        host, _, port = text.rpartition(":")
        if not (port.isascii() and port.isdigit() and 0 < int(port) <= MAX_PORT):
            raise SetupError(
                f"ALMUNIA_METRICS cannot be {text!r}; write where Prometheus finds the metrics like 127.0.0.1:9100, "
                "or leave it empty."
            )
        return cls(host.strip("[]") or "127.0.0.1", int(port))

    def check_apart(self, port: int) -> None:
        """Raise SetupError if the site itself is served at this port: visitors must not reach the metrics."""
        if self.port == port:
            raise SetupError(
                f"ALMUNIA_METRICS names port {port}, at which the site itself is served; choose another port, such as "
                "127.0.0.1:9100."
            )
