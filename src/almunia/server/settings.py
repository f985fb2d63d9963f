"""The settings of a site, from the command line and environment variables."""

import logging
import os
import re
import secrets
from contextlib import suppress
from dataclasses import dataclass
from pathlib import Path
from tempfile import mkstemp

from limits import parse

from ..engine.pool import cores
from ..errors import SetupError, one_of
from .addresses import MAX_PORT, POSTGRES, MetricsAddress, check_mail_settings, display_url, parse_database_url

log = logging.getLogger(__name__)
DATABASE_FILE = "almunia.sqlite3"
SECRET_FILE = "session.key"  # noqa: S105  the name of the file, not its content
IN_PROCESS, IN_WORKERS = "here", "worker"
MAX_TABLES = 1_000_000
MAX_RENDER_WORKERS, DEFAULT_RENDER_WORKERS = 64, 3
MIN_KEY_BYTES = 32  # bytes
MIN_KEY_CHARACTERS = 8  # different ones; a random key in hexadecimal has fewer only once in 10**8
OTHER_USERS = 0o077  # a file's permissions for all but its owner
MIN_PASSWORD_LENGTH = 8  # characters
MAX_OPERATOR_LENGTH = 300  # characters
TEXT, JSON = "text", "json"  # formats of the log
LOG_LEVELS = ("debug", "info", "warning", "error")
SITE_VARIABLES = (
    "DATA",
    "DATABASE",
    "BOTS",
    "RENDER_WORKERS",
    "PUBLIC_URL",
    "RATE_LIMIT",
    "CHAT_RATE_LIMIT",
    "TABLES",
    "BOT_TABLES",
    "SMTP",
    "MAIL_FROM",
    "INVITE_ONLY",
    "PASSWORD",
    "OPERATOR",
)
MONITORING_VARIABLES = "METRICS", "LOG", "LOG_LEVEL"
OTHER_VARIABLES = "CACHE", "COMPILE_QUIET", "COMPONENTS", "SITE", "TOKEN"  # read by other modules
VARIABLE_NAMES = sorted(f"ALMUNIA_{name}" for name in (*SITE_VARIABLES, *MONITORING_VARIABLES, *OTHER_VARIABLES))
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
    render_workers: str = "0"  # further processes that render pages
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
        folder = data or os.environ.get("ALMUNIA_DATA") or _user_data_folder()
        return cls(
            data=Path(folder).expanduser(),
            database=database or os.environ.get("ALMUNIA_DATABASE", ""),
            address=os.environ.get("ALMUNIA_PUBLIC_URL", "").rstrip("/"),
            posts=os.environ.get("ALMUNIA_RATE_LIMIT", cls.posts),
            chat=os.environ.get("ALMUNIA_CHAT_RATE_LIMIT", cls.chat),
            tables=os.environ.get("ALMUNIA_TABLES", "") or cls.tables,
            bot_tables=os.environ.get("ALMUNIA_BOT_TABLES", "") or cls.bot_tables,
            smtp=os.environ.get("ALMUNIA_SMTP", ""),
            mail_from=os.environ.get("ALMUNIA_MAIL_FROM", ""),
            invite_only=invite_only or os.environ.get("ALMUNIA_INVITE_ONLY", "") not in ("", "0"),
            password=os.environ.get("ALMUNIA_PASSWORD", ""),
            operator=os.environ.get("ALMUNIA_OPERATOR", "").strip(),
            metrics=os.environ.get("ALMUNIA_METRICS", ""),
            log_format=os.environ.get("ALMUNIA_LOG", cls.log_format),
            log_level=os.environ.get("ALMUNIA_LOG_LEVEL", cls.log_level),
            render_workers=os.environ.get("ALMUNIA_RENDER_WORKERS", "")
            or str(min(cores() - 1, DEFAULT_RENDER_WORKERS)),
            bots=bots or os.environ.get("ALMUNIA_BOTS", "") or IN_PROCESS,
        )

    @property
    def url(self) -> str:
        """The address of the database."""
        return self.database or f"sqlite:///{self.data / DATABASE_FILE}"

    @property
    def is_private(self) -> bool:
        """Whether strangers may not enter."""
        return self.invite_only or bool(self.password)

    @property
    def display_database(self) -> str:
        """The place of the tables, without a password."""
        return display_url(parse_database_url(self.url)) if self.database else str(self.data)

    @property
    def is_shared(self) -> bool:
        """Whether several processes can use the database at the same time."""
        return parse_database_url(self.url).get_backend_name() == POSTGRES

    @property
    def is_secure(self) -> bool:
        """Whether visitors reach the site by TLS."""
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
        """Raise SetupError, with the value and what to write instead, unless all settings can be used."""
        check_rate("ALMUNIA_RATE_LIMIT, the rate of requests,", self.posts, "240/minute")
        check_rate("ALMUNIA_CHAT_RATE_LIMIT, the rate of messages,", self.chat, "240/minute")
        check_rate("ALMUNIA_BOT_TABLES, the rate of tables with strong bots,", self.bot_tables, "60/hour")
        if not (self.tables.isascii() and self.tables.isdigit() and 0 < int(self.tables) <= MAX_TABLES):
            raise SetupError(
                f"ALMUNIA_TABLES cannot be {self.tables!r}; write how many running games one guest may have, from 1 to "
                f"{MAX_TABLES}."
            )
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
        if not (
            self.render_workers.isascii()
            and self.render_workers.isdigit()
            and int(self.render_workers) <= MAX_RENDER_WORKERS
        ):
            raise SetupError(
                f"ALMUNIA_RENDER_WORKERS cannot be {self.render_workers!r}; write how many processes draw pages, "
                f"beside the one that serves them, from 0 to {MAX_RENDER_WORKERS}."
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
        """Return the key that signs cookies and invitations, created once as a file that only its owner can read."""
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


def check_rate(what: str, rate: str, example: str) -> None:
    """Raise SetupError, with a description and an example, unless a rate is valid and positive."""
    try:
        most = parse(rate).amount
    except ValueError:
        raise SetupError(f"{what} cannot be {rate!r}; write it like {example}.") from None
    if most < 1:
        raise SetupError(f"{what} is {rate!r}, so all requests would be refused; write it like {example}.")


def check_log(form: str, level: str) -> None:
    """Raise SetupError, with the value and what to write instead, unless a log can have this format and level."""
    if form not in (TEXT, JSON):
        raise SetupError(f"ALMUNIA_LOG, what a line of the log is, cannot be {form!r}; write {TEXT} or {JSON}.")
    if level not in LOG_LEVELS:
        raise SetupError(
            f"ALMUNIA_LOG_LEVEL, the least that is logged, cannot be {level!r}; write one of {', '.join(LOG_LEVELS)}."
        )


def key_weakness(key: str) -> str:
    """Return why a signing key could be guessed; empty if it could not."""
    if len(key.encode()) < MIN_KEY_BYTES:
        return f"has {len(key.encode())} bytes and needs {MIN_KEY_BYTES}"
    if not key.isprintable():
        return "has unprintable characters"
    if len(set(key)) < MIN_KEY_CHARACTERS:
        return f"has {len(set(key))} different characters and needs {MIN_KEY_CHARACTERS}"
    return ""


def write_new_file(path: Path, text: str) -> None:
    """Create a complete file for its owner alone; if several processes do it, the first one's file stays."""
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
