"""Emails about accounts. A thread writes them after the response, whose time would show who has an account."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from limits import parse
from limits.strategies import RateLimiter

from ...errors import AlmuniaError
from ..mail import Mailer
from .accounts import Account, AccountRepository, normalize_email
from .one_time_links import NEW_MAIL, OLD_MAIL, RESET, SIGN_UP, OneTimeLinks

log = logging.getLogger(__name__)
RATE_PER_ADDRESS = "3/hour"  # emails of one kind to an address; every link is valid for at least an hour
FOOTER = "\n\nIf it was not you, please ignore this mail: nothing happens without the link.\n"
SECURITY_FOOTER = (
    "\n\nIf it was not you, another person can use your account: set a new password at once. Then, on the "
    "page of your account, end all other sessions, and remove passkeys and tokens that you don't know.\n"
)


class AccountEmails:
    """Writes emails about accounts in one thread."""

    def __init__(
        self, mailer: Mailer, people: AccountRepository, links: OneTimeLinks, address: str, limiter: RateLimiter
    ) -> None:
        self._mailer, self._accounts, self._links, self._address = mailer, people, links, address
        self._thread = ThreadPoolExecutor(1, "post")
        self._limiter, self._rate = limiter, parse(RATE_PER_ADDRESS)

    def close(self) -> None:
        """Stop the thread, and drop emails that wait."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def wait_until_idle(self) -> None:
        """Wait until the thread has written every email in its queue."""
        self._thread.submit(bool).result()

    # --- signing up and resetting a password ------------------------------------------------

    def send_sign_up(self, mail: str, guest: str, name: str, preferences: dict[str, str]) -> None:
        """Send a link that creates an account, or a notice if the address has an account."""
        self._enqueue("sign up", mail, lambda: self._write_sign_up(mail, guest, name, preferences))

    def _write_sign_up(self, mail: str, guest: str, name: str, preferences: dict[str, str]) -> None:
        made = self._links.create(SIGN_UP, guest, mail=normalize_email(mail), name=name, preferences=preferences)
        if self._accounts.find_by_email(mail):  # the link exists in both cases, since an export counts links
            link = f"{self._address}/account"
            text = (
                f"You or another person asked for an account on Almunia. You have one already. Sign in here:\n\n{link}"
            )
            self._send(mail, "You have an account on Almunia", text + FOOTER)
            return
        link = self._link_url(made)
        text = f"Open this link to make your account on Almunia. It works once, within a day:\n\n{link}"
        self._send(mail, "Your account on Almunia", text + FOOTER)

    def send_reset(self, mail: str) -> None:
        """Send a link that sets a new password, if the address has an account."""
        self._enqueue("reset", mail, lambda: self._write_reset(mail))

    def _write_reset(self, mail: str) -> None:
        account = self._accounts.find_by_email(mail)
        if account:
            link = self._link_url(self._links.create(RESET, account.guest))
            text = f"Open this link to set a new password on Almunia. It works once, within an hour:\n\n{link}"
            self._send(account.mail, "A new password for Almunia", text + FOOTER)

    # --- to players with an account ---------------------------------------------------------

    def send_email_change(self, account: Account, mail: str) -> None:
        """Send links to the old and the new address; each must confirm the change."""
        self._enqueue("change", mail, lambda: self._write_email_change(account, mail))

    def _write_email_change(self, account: Account, mail: str) -> None:
        taken = self._accounts.find_by_email(mail)
        made = self._links.create(
            NEW_MAIL, account.guest, mail=normalize_email(mail)
        )  # also if it is not sent, as above
        if account.mail:
            link = self._link_url(self._links.create(OLD_MAIL, account.guest, mail=normalize_email(mail)))
            about = f"Your account on Almunia is to get the address {mail}. Open this link to agree, within a day:"
            self._send(
                account.mail, "Another address for your account on Almunia", f"{about}\n\n{link}{SECURITY_FOOTER}"
            )
        if taken:
            text = "A player wants to use this address for their account on Almunia, but it belongs to another one.\n"
            self._send(mail, "This address has an account on Almunia", text)
            return
        link = self._link_url(made)
        about = "Open this link to use this address for your account on Almunia. It works once, within a day:"
        self._send(mail, "Your address on Almunia", f"{about}\n\n{link}{FOOTER}")

    def send_security_notice(self, mail: str, what: str) -> None:
        """Send a notice of a change to an account, if it has an address."""
        if mail:
            self._enqueue("tell", mail, lambda: self._send(mail, "Your account on Almunia", what + SECURITY_FOOTER))

    # --- writing ----------------------------------------------------------------------------

    def _enqueue(self, kind: str, mail: str, write: Callable[[], None]) -> None:
        def writing() -> None:
            try:
                if kind == "tell" or self._limiter.hit(self._rate, kind, normalize_email(mail)):
                    write()
            except AlmuniaError as error:
                log.warning("A mail about an account was not sent: %s", error)
            except Exception:
                log.exception("A mail about an account was not sent.")

        self._thread.submit(writing)

    def _link_url(self, written: str) -> str:
        return f"{self._address}/account/link/{written}"

    def _send(self, mail: str, subject: str, text: str) -> None:
        self._mailer.send(mail, subject, text)
