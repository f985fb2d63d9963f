"""Emails about accounts, written in another thread, so that the response time does not show who has an account."""

import logging
from collections.abc import Callable

from limits import parse

from ...errors import AlmuniaError
from ..mail import Mailer
from ..storage.rate_limits import RateLimiter
from .accounts import Account, AccountRepository, normalize_email
from .one_time_links import NEW_MAIL, OLD_MAIL, RESET, SIGN_UP, OneTimeLinks

log = logging.getLogger(__name__)
RATE_PER_ADDRESS = "3/hour"  # emails of one kind to an address; every link is valid for at least an hour
ADDRESS_TAKEN = "A player wants to use this address for their account on Almunia, but it belongs to another account.\n"
NOTICE = "notice"  # the kind of emails without this limit
FOOTER = "\n\nIf it wasn't you, please ignore this email. Nothing happens unless you open the link.\n"
SECURITY_FOOTER = (
    "\n\nIf it wasn't you, another person can get into your account. Set a new password at once. Then open "
    "your account page, end all other sessions, and remove passkeys and tokens that you don't recognise.\n"
)


class AccountEmails:
    """Writes emails about accounts in the mailer's executor. Failures are logged; emails above a rate are dropped."""

    def __init__(
        self, mailer: Mailer, accounts: AccountRepository, links: OneTimeLinks, address: str, limiter: RateLimiter
    ) -> None:
        self._mailer, self._accounts, self._links, self._address = mailer, accounts, links, address
        self._limiter, self._rate = limiter, parse(RATE_PER_ADDRESS)

    def send_sign_up(self, mail: str, guest: str, name: str, preferences: dict[str, str]) -> None:
        """Send a link that creates an account, or a notice if the address has an account."""

        def write() -> None:
            # The link exists in both cases, since an export counts links.
            link = self._create_link(SIGN_UP, guest, mail=normalize_email(mail), name=name, preferences=preferences)
            if self._accounts.find_by_email(mail):
                about = "You or another person asked for an account on Almunia. You already have one. Sign in here:"
                self._send(mail, "You have an account on Almunia", about, f"{self._address}/account")
            else:
                about = "Open this link to make your account on Almunia. It works once, within a day:"
                self._send(mail, "Your account on Almunia", about, link)

        self._enqueue("sign up", mail, write)

    def send_reset(self, mail: str) -> None:
        """Send a link that sets a new password, if the address has an account."""

        def write() -> None:
            if account := self._accounts.find_by_email(mail):
                link = self._create_link(RESET, account.guest)
                about = "Open this link to set a new password on Almunia. It works once, within an hour:"
                self._send(account.mail, "A new password for Almunia", about, link)

        self._enqueue("reset", mail, write)

    def send_email_change(self, account: Account, mail: str) -> None:
        """Send a link to the new address, and a link to the old address if there is one.

        If an account has the new address, that address gets a notice instead of a link.
        """

        def write() -> None:
            taken = self._accounts.find_by_email(mail)
            link = self._create_link(NEW_MAIL, account.guest, mail=normalize_email(mail))  # also if it is not sent
            if account.mail:
                agree = self._create_link(OLD_MAIL, account.guest, mail=normalize_email(mail))
                about = f"Change the address of your account to {mail}? To confirm, open this link within a day:"
                self._send(account.mail, "New address for your account on Almunia", about, agree, SECURITY_FOOTER)
            if taken:
                self._mailer.send(mail, "This address has an account on Almunia", ADDRESS_TAKEN)
            else:
                about = "Open this link to use this address for your account on Almunia. It works once, within a day:"
                self._send(mail, "Your address on Almunia", about, link)

        self._enqueue("change", mail, write)

    def send_security_notice(self, mail: str, what: str) -> None:
        """Send a notice of a change to an account, unless `mail` is empty."""
        if mail:
            text = what + SECURITY_FOOTER
            self._enqueue(NOTICE, mail, lambda: self._mailer.send(mail, "Your account on Almunia", text))

    def _enqueue(self, kind: str, mail: str, write: Callable[[], object]) -> None:
        def run() -> None:
            try:
                if kind == NOTICE or self._limiter.hit(self._rate, kind, normalize_email(mail)):
                    write()
            except AlmuniaError as error:
                log.warning("A mail about an account was not sent: %s", error)
            except Exception:
                log.exception("A mail about an account was not sent.")

        self._mailer.executor.submit(run)

    def _create_link(self, kind: str, guest: str, **facts: object) -> str:
        return f"{self._address}/account/link/{self._links.create(kind, guest, **facts)}"

    def _send(self, mail: str, subject: str, about: str, link: str, footer: str = FOOTER) -> None:
        self._mailer.send(mail, subject, f"{about}\n\n{link}{footer}")
