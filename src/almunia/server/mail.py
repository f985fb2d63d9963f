"""Email, if the settings name an SMTP server. No email reveals anything of a position."""

import logging
from concurrent.futures import Executor, Future
from email.message import EmailMessage
from email.policy import SMTP as SMTP_POLICY
from email.utils import formataddr, formatdate, make_msgid
from smtplib import SMTP, SMTP_SSL, SMTPException
from ssl import create_default_context
from threading import BoundedSemaphore

from .addresses import MailServer, is_mail_address
from .errors import BadRequest, TooManyRequests, Unavailable
from .monitoring.metrics import MAILS
from .networks import is_loopback

log = logging.getLogger(__name__)
TIMEOUT_SECONDS = 15.0  # of each wait for the server
MAX_WAITING = 20  # emails in the queue
MAIL_DISABLED = "This site cannot send email. Please send the link yourself."
NOT_SENT = "The invitation could not be sent. Please send the link yourself."


def validate_address(text: str) -> str:
    """Return an email address without blanks around it; raise BadRequest, with status 422, if it is invalid."""
    text = text.strip()
    if not is_mail_address(text):
        raise BadRequest(f"{text[:60]!r} is not an email address. Write it like ann@example.org.", 422)
    return text


def invitation_email(host: str, game: str, link: str) -> tuple[str, str]:
    """Return subject and text of an invitation."""
    text = (
        f"{host} invites you to a game of {game} on Almunia.\n\n"
        f"Open this link to take your seat. You don't need an account:\n\n{link}\n\n"
        f"If you don't know {host}, please ignore this email. You only get another one if a player invites you again.\n"
    )
    return f"{host} invites you to {game}", text


class Mailer:
    """Sends emails by the SMTP server of the settings."""

    def __init__(self, smtp: str, sender: str, executor: Executor) -> None:
        self._server = MailServer.read(smtp) if smtp else None
        self._sender = sender
        self._slots = BoundedSemaphore(MAX_WAITING)
        self.executor = executor  # makes one call at a time

    @property
    def is_enabled(self) -> bool:
        return self._server is not None

    def send(self, to: str, subject: str, text: str, stop: str = "") -> "Future[None]":
        """Queue an email. The returned future completes when the server accepts it, or fails with Unavailable.

        `stop` is the link to unsubscribe, which becomes a List-Unsubscribe header.

        Raises:
            Unavailable: the site sends no mail, or shuts down.
            BadRequest: the address or a header is invalid.
            TooManyRequests: too many emails wait to be sent.
        """
        if self._server is None:
            raise Unavailable(MAIL_DISABLED)
        mail = self.compose(to, subject, text, stop)
        if not self._slots.acquire(blocking=False):
            raise TooManyRequests("Too many emails are waiting to be sent. Please try again later.")
        try:
            sending = self.executor.submit(deliver, self._server, mail)
        except RuntimeError:  # the site shuts down
            self._slots.release()
            raise Unavailable(NOT_SENT) from None
        sending.add_done_callback(lambda _: self._slots.release())
        return sending

    def send_now(self, to: str, subject: str, text: str, stop: str) -> None:
        """Send an email in this thread, without waiting for the queue; RequestError if that fails."""
        if self._server is None:
            raise Unavailable(MAIL_DISABLED)
        deliver(self._server, self.compose(to, subject, text, stop))

    def compose(self, to: str, subject: str, text: str, stop: str = "") -> EmailMessage:
        """Return a message; BadRequest if the address or a header is invalid."""
        mail = EmailMessage(SMTP_POLICY)
        try:
            mail["From"] = formataddr(("Almunia", self._sender))
            mail["To"] = validate_address(to)
            mail["Subject"] = subject
            mail["Date"] = formatdate()
            mail["Message-ID"] = make_msgid(domain=self._sender.partition("@")[2])
            mail["Auto-Submitted"] = "auto-generated"
            if stop:
                mail["List-Unsubscribe"] = f"<{stop}>"
                mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
            mail.set_content(text)
            if any("".join(value.splitlines()) != value for value in map(str, mail.values())):
                raise ValueError  # an encoded line feed such as =?utf-8?q?=0a?= ends a header line
        except ValueError:
            raise BadRequest("This text cannot be sent as an email.", 422) from None
        return mail


def deliver(server: MailServer, mail: EmailMessage) -> None:
    """Send a message by a server; on failure raise Unavailable, and log a line without email addresses."""
    try:
        with connect(server) as line:
            line.send_message(mail)
        MAILS.labels("yes").inc()
    except (OSError, SMTPException) as error:
        MAILS.labels("no").inc()
        log.warning("A mail could not be sent by %s: %s", server.host, type(error).__name__)
        raise Unavailable(NOT_SENT) from None


def connect(server: MailServer) -> SMTP:
    """Return a connection to a server, encrypted if possible.

    Raises SMTPException instead of sending a password to another host without encryption.
    """
    line: SMTP = (
        SMTP_SSL(server.host, server.port, timeout=TIMEOUT_SECONDS, context=create_default_context())
        if server.encrypted
        else SMTP(server.host, server.port, timeout=TIMEOUT_SECONDS)
    )
    try:
        line.ehlo()
        safe = server.encrypted
        if not safe and line.has_extn("starttls"):
            line.starttls(context=create_default_context())
            line.ehlo()
            safe = True
        if server.user:
            if not safe and not is_local(server.host):
                raise SMTPException("the server offers no encryption, so the password is not sent")
            line.login(server.user, server.password)
    except BaseException:
        line.close()
        raise
    return line


def is_local(host: str) -> bool:
    return host == "localhost" or (host[:1].isdigit() and is_loopback(host)) or host == "::1"
