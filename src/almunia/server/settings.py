"""The settings of a site, from the command line and environment variables."""

import logging
import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass, fields
from pathlib import Path
from tempfile import mkstemp
from typing import Any

from limits import parse

from ..errors import SetupError, one_of
from .addresses import MAX_PORT, POSTGRES, MetricsAddress, check_mail_settings, display_url, parse_database_url

log = logging.getLogger(__name__)
DATABASE_FILE = "almunia.sqlite3"
SECRET_FILE = "session.key"  # noqa: S105  the name of the file, not its content
IN_PROCESS, IN_WORKERS = "here", "worker"
MAX_TABLES = 1_000_000
MIN_KEY_BYTES = 32
MIN_KEY_CHARACTERS = 8  # different ones; a random key in hexadecimal has fewer only once in 10**8
OTHER_USERS = 0o077  # a file's permissions for all but its owner
MIN_PASSWORD_LENGTH = 8  # characters
MAX_OPERATOR_LENGTH = 300  # characters
TEXT, JSON = "text", "json"  # formats of the log
LOG_LEVELS = ("debug", "info", "warning", "error")
WITHOUT_VARIABLE = {"allow_private_addresses", "workers", "argon2_memory_kib", "compiled"}  # fields of Settings
RENAMED_VARIABLES = {"address": "PUBLIC_URL", "posts": "RATE_LIMIT", "chat": "CHAT_RATE_LIMIT", "log_format": "LOG"}
OTHER_VARIABLES = "CACHE", "COMPILE_QUIET", "COMPONENTS", "SITE", "TOKEN"  # read by other modules
SHARED_DATABASE_ADVICE = "keep the tables in PostgreSQL, such as --database postgresql://name:password@host/almunia."
SITE_ADDRESS = re.compile(r"https?://([\w.-]+|\[[0-9A-Fa-f:.]+\])(:(?P<port>\d{1,5}))?", re.ASCII)  # without a path


@dataclass(frozen=True)
class Settings:
    """The settings of a site."""

    data: Path  # the folder of the database and the session key
    database: str = ""  # the address of a database, for SQLAlchemy; SQLite in the data folder if empty
    address: str = ""  # where visitors reach the site, such as https://play.example.org
    posts: str = "240/minute"  # rate of requests that change something, per guest and per network
    chat: str = "20/minute"  # rate of messages per guest; a network may send four times as many
    tables: str = "200"  # running games of one guest, at most
    bot_tables: str = "60/hour"  # rate of new tables with searching bots, per network
    smtp: str = ""  # the mail server, such as smtp://user:password@host:port; none if empty
    mail_from: str = ""  # the sender's address of mails
    metrics: str = ""  # the address of the metrics for Prometheus, such as 127.0.0.1:9100; none if empty
    log_format: str = "text"  # the format of the log: text or json
    log_level: str = "warning"  # the lowest level that is logged
    allow_private_addresses: bool = False  # notifications may go to this machine; for tests only
    workers: int = 2  # threads for bots
    bots: str = IN_PROCESS  # the processes in which bots move: this one, or those of `almunia bot-worker`
    invite_only: bool = False  # admit only visitors with an account or an invitation
    operator: str = ""  # the site's administrator and contact, for the privacy page
    password: str = ""  # admit only visitors who know it; public if empty
    argon2_memory_kib: int = 19_456  # memory for hashing a password
    compiled: bool = True  # compile games in the background

    @classmethod
    def from_environment(
        cls, data: str | Path | None = None, database: str = "", bots: str = "", *, invite_only: bool = False
    ) -> "Settings":
        """Return the settings from arguments and environment variables, such as ALMUNIA_DATA; arguments win.

        Logs a warning for each unknown variable that begins with ALMUNIA_.
        """
        for name in sorted(name for name in os.environ if name.startswith("ALMUNIA_") and name not in VARIABLE_NAMES):
            log.warning("%s is no setting. There are %s", name, one_of(VARIABLE_NAMES, name))
        given: dict[str, Any] = {field: os.environ[name] for field, name in VARIABLES.items() if os.environ.get(name)}
        given |= {field: text for field, text in (("data", data), ("database", database), ("bots", bots)) if text}
        given["data"] = Path(given.get("data") or _user_data_folder()).expanduser()
        given["address"], given["operator"] = given.get("address", "").rstrip("/"), given.get("operator", "").strip()
        given["invite_only"] = invite_only or given.get("invite_only", "0") != "0"
        return cls(**given)

    @property
    def url(self) -> str:
        """The address of the database."""
        return self.database or f"sqlite:///{self.data / DATABASE_FILE}"

    @property
    def is_private(self) -> bool:
        """Whether visitors need an account, an invitation or a password."""
        return self.invite_only or bool(self.password)

    @property
    def display_database(self) -> str:
        """The address of the database without its password, or the data folder."""
        return display_url(parse_database_url(self.url)) if self.database else str(self.data)

    @property
    def is_shared(self) -> bool:
        """Whether several processes may serve a site with this database: whether it is PostgreSQL."""
        return parse_database_url(self.url).get_backend_name() == POSTGRES

    @property
    def is_secure(self) -> bool:
        """Whether the public address uses TLS."""
        return self.address.startswith("https://")

    def create_data_folder(self) -> None:
        """Create the data folder; raise SetupError if that fails."""
        try:
            self.data.mkdir(parents=True, exist_ok=True)
        except OSError as error:
            reason = "it is a file" if self.data.is_file() else error.strerror
            raise SetupError(
                f"The data folder {self.data} cannot be created ({reason}); choose another with --data or ALMUNIA_DATA."
            ) from None

    def check(self) -> None:
        """Raise SetupError if a setting is invalid. Does not check the data folder or the database."""
        check_rate("ALMUNIA_RATE_LIMIT, the rate of requests,", self.posts, "240/minute")
        check_rate("ALMUNIA_CHAT_RATE_LIMIT, the rate of messages,", self.chat, "240/minute")
        check_rate("ALMUNIA_BOT_TABLES, the rate of tables with strong bots,", self.bot_tables, "60/hour")
        check_number("ALMUNIA_TABLES", self.tables, 1, MAX_TABLES, "the number of running games per guest")
        place = SITE_ADDRESS.fullmatch(self.address)
        if self.address and not (place and int(place["port"] or 0) <= MAX_PORT):
            raise SetupError(
                f"ALMUNIA_PUBLIC_URL cannot be {self.address!r}; write where people reach the site like "
                "https://play.example.org, or leave it empty."
            )
        check_mail_settings(self.smtp, self.mail_from, self.address)
        if self.invite_only and self.password:
            raise SetupError(
                "A site has either a password (ALMUNIA_PASSWORD) or invitations (--invite-only), not both."
            )
        if self.password and len(self.password) < MIN_PASSWORD_LENGTH:
            raise SetupError(
                f"ALMUNIA_PASSWORD has {len(self.password)} characters and needs {MIN_PASSWORD_LENGTH}; choose "
                "a longer one, or leave it empty for a public site."
            )
        if len(self.operator) > MAX_OPERATOR_LENGTH or not self.operator.isprintable():
            raise SetupError(
                f"ALMUNIA_OPERATOR can have at most {MAX_OPERATOR_LENGTH} characters on one line; write who runs the "
                "site and how to reach them, such as Ann Example, games@example.org."
            )
        check_log(self.log_format, self.log_level)
        if self.metrics:
            MetricsAddress.read(self.metrics)
        if self.bots not in (IN_PROCESS, IN_WORKERS):
            raise SetupError(f"ALMUNIA_BOTS cannot be {self.bots!r}; write {IN_PROCESS} or {IN_WORKERS}.")
        if self.bots == IN_WORKERS and not self.is_shared:
            raise SetupError(f"Bots can run in other processes only with a shared database: {SHARED_DATABASE_ADVICE}")

    def session_key(self) -> str:
        """Return the key that signs cookies and invitations. If the file of the key is missing, it is created.

        Raises:
            SetupError: the file cannot be read or written, or its key is weak.
        """
        path = self.data / SECRET_FILE
        try:
            if not path.exists():
                write_new_file(path, secrets.token_urlsafe(48))
            key = path.read_text("utf-8").strip()
        except UnicodeDecodeError:
            raise SetupError(self._no_key(path, "is no text")) from None
        except OSError as error:
            raise SetupError(
                f"The data folder {self.data} cannot be used ({error.strerror}); "
                "choose another with --data or ALMUNIA_DATA."
            ) from None
        if wrong := key_weakness(key):
            raise SetupError(self._no_key(path, wrong))
        if os.name == "posix" and path.stat().st_mode & OTHER_USERS:
            log.warning(
                "The session key in %s can be read by other users of this machine, who could sign in as any account. "
                "Make it readable by its owner only: chmod 600 %s",
                path,
                path,
            )
        return key

    def _no_key(self, path: Path, what: str) -> str:
        return (
            f"The session key in {path} {what}. Remove the file, and the site creates a new key. Then guests lose "
            "their seats, and earlier invitations are not valid any more."
        )


VARIABLES = {
    field.name: f"ALMUNIA_{RENAMED_VARIABLES.get(field.name, field.name.upper())}"
    for field in fields(Settings)
    if field.name not in WITHOUT_VARIABLE
}
VARIABLE_NAMES = sorted([*VARIABLES.values(), *(f"ALMUNIA_{name}" for name in OTHER_VARIABLES)])


def check_number(name: str, text: str, lowest: int, highest: int, what: str) -> None:
    """Raise SetupError unless a text is an integer from `lowest` to `highest`."""
    if not (text.isascii() and text.isdigit() and lowest <= int(text) <= highest):
        raise SetupError(f"{name} cannot be {text!r}; write {what}, from {lowest} to {highest}.")


def check_rate(what: str, rate: str, example: str) -> None:
    """Raise SetupError unless a rate is valid and positive."""
    try:
        most = parse(rate).amount
    except ValueError:
        raise SetupError(f"{what} cannot be {rate!r}; write it like {example}.") from None
    if most < 1:
        raise SetupError(f"{what} is {rate!r}, so all requests would be refused; write it like {example}.")


def check_log(form: str, level: str) -> None:
    """Raise SetupError unless a log can have this format and level."""
    if form not in (TEXT, JSON):
        raise SetupError(f"ALMUNIA_LOG, the format of the log, cannot be {form!r}; write {TEXT} or {JSON}.")
    if level not in LOG_LEVELS:
        raise SetupError(
            f"ALMUNIA_LOG_LEVEL, the lowest level to log, cannot be {level!r}; write one of {', '.join(LOG_LEVELS)}."
        )


def key_weakness(key: str) -> str:
    """Return a weakness of a signing key in words; empty if none is found."""
    if len(key.encode()) < MIN_KEY_BYTES:
        return f"has {len(key.encode())} bytes and needs {MIN_KEY_BYTES}"
    if not key.isprintable():
        return "has unprintable characters"
    if len(set(key)) < MIN_KEY_CHARACTERS:
        return f"has {len(set(key))} different characters and needs {MIN_KEY_CHARACTERS}"
    return ""


def write_new_file(path: Path, text: str) -> None:
    """Create a file that only its owner can read. An existing file stays as it is."""
    handle, name = mkstemp(dir=path.parent, prefix=path.name)
    try:
        with os.fdopen(handle, "w", encoding="utf-8") as file:
            file.write(text)
            file.flush()
            os.fsync(file.fileno())
        with suppress(FileExistsError):
            os.link(name, path)
    finally:
        Path(name).unlink()


def _user_data_folder() -> Path:
    from platformdirs import user_data_path

    return user_data_path("almunia", appauthor=False)
