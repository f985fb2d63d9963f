"""Mail: invitations to a seat, where the site has been given a server that sends them.

A mail says who invites to which game, and the link. It tells nothing of a game.
"""

import logging
from concurrent.futures import Future, ThreadPoolExecutor
from email.message import EmailMessage
from email.policy import SMTP as LINES
from email.utils import formataddr, formatdate, make_msgid
from smtplib import SMTP, SMTP_SSL, SMTPException
from ssl import create_default_context
from threading import BoundedSemaphore

from .addresses import MailServer, is_mail_address
from .errors import BadRequest, TooManyRequests, Unavailable
from .monitoring.metrics import MAILS as SENT
from .networks import is_loopback

log = logging.getLogger(__name__)
SECONDS = 15.0  # for which a server may keep us waiting
WAITING = 20  # mails, at most, that wait to be sent
OFF = "This site cannot send mail. Please send the link yourself."
UNSENT = "The invitation could not be sent. Please send the link yourself."


def checked_address(text: str) -> str:
    """An address to which mail can be sent; BadRequest if it is none."""
    text = text.strip()
    if not is_mail_address(text):
        raise BadRequest(f"{text[:60]!r} is not an email address. Write one, like ann@example.org.", 422)
    return text


def invitation(host: str, game: str, link: str) -> tuple[str, str]:
    """The subject and text of an invitation."""
    text = (
        f"{host} invites you to a game of {game} on Almunia.\n\n"
        f"Open this link to take your seat. You need no account:\n\n{link}\n\n"
        f"If you don't know {host}, please ignore this mail. You won't get another one unless somebody invites you.\n"
    )
    return f"{host} invites you to {game}", text


class Mailer:
    """Sends mail, one after the other, in a thread of its own."""

    def __init__(self, smtp: str, sender: str) -> None:
        self._server = MailServer.read(smtp) if smtp else None
        self._sender = sender
        self._room = BoundedSemaphore(WAITING)
        self._thread = ThreadPoolExecutor(1, "mail")

    @property
    def on(self) -> bool:
        """Can mail be sent?"""
        return self._server is not None

    def close(self) -> None:
        """Send nothing more."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def send(self, to: str, subject: str, text: str, stop: str = "") -> "Future[None]":
        """Send a mail; the future is done when the server has taken it, and holds Broken if it has not.

        Where mails `stop` that come again and again, they say so in a way that mail programs know.
        """
        if self._server is None:
            raise Unavailable(OFF)
        mail = self.written(to, subject, text, stop)
        if not self._room.acquire(blocking=False):
            raise TooManyRequests("Too many mails are waiting to be sent. Please try again later.")
        try:
            sending = self._thread.submit(deliver, self._server, mail)
        except RuntimeError:  # the site closes
            self._room.release()
            raise Unavailable(UNSENT) from None
        sending.add_done_callback(lambda _: self._room.release())
        return sending

    def written(self, to: str, subject: str, text: str, stop: str = "") -> EmailMessage:
        """A mail; BadRequest if what stands at its head could become another line of it."""
        mail = EmailMessage(LINES)
        try:
            mail["From"] = formataddr(("Almunia", self._sender))
            mail["To"] = checked_address(to)
            mail["Subject"] = subject
            mail["Date"] = formatdate()
            mail["Message-ID"] = make_msgid(domain=self._sender.partition("@")[2])
            mail["Auto-Submitted"] = "auto-generated"
            if stop:
                mail["List-Unsubscribe"] = f"<{stop}>"
                mail["List-Unsubscribe-Post"] = "List-Unsubscribe=One-Click"
            mail.set_content(text)
            if any("".join(value.splitlines()) != value for value in map(str, mail.values())):
                raise ValueError  # =?utf-8?q?=0a?= stood there, which is read as the end of a line
        except ValueError:
            raise BadRequest("A mail cannot be written with these words.", 422) from None
        return mail


def deliver(server: MailServer, mail: EmailMessage) -> None:
    """Hand a mail to its server; Unavailable, and a line in the log without any address, if that cannot be."""
    try:
        with connected(server) as line:
            line.send_message(mail)
        SENT.labels("yes").inc()
    except (OSError, SMTPException) as error:
        SENT.labels("no").inc()
        log.warning("A mail could not be sent by %s: %s", server.host, type(error).__name__)
        raise Unavailable(UNSENT) from None


def connected(server: MailServer) -> SMTP:
    """A line to a server, encrypted if it can be; a password goes over no other line that leaves this machine."""
    line: SMTP = (
        SMTP_SSL(server.host, server.port, timeout=SECONDS, context=create_default_context())
        if server.encrypted
        else SMTP(server.host, server.port, timeout=SECONDS)
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
    """Is a mail server on this machine?"""
    return host == "localhost" or (host[:1].isdigit() and is_loopback(host)) or host == "::1"
