"""Mails about accounts. They are written after the answer, so that nobody can tell from it who has an account."""

import logging
from collections.abc import Callable
from concurrent.futures import ThreadPoolExecutor

from limits import parse
from limits.strategies import RateLimiter

from ...errors import AlmuniaError
from ..mail import Mailer
from .accounts import Account, AccountRepository, plain
from .one_time_links import NEW_MAIL, OLD_MAIL, RESET, SIGN_UP, OneTimeLinks

log = logging.getLogger(__name__)
EACH = "3/hour"  # mails of one kind that an address gets; links hold as long, so the last ones do still
FOOT = "\n\nIf it was not you, please ignore this mail: nothing happens without the link.\n"
ALARM = (
    "\n\nIf it was not you, somebody else can use your account: set a new password at once. Then, on the "
    "page of your account, end all other sessions, and remove passkeys and tokens that you don't know.\n"
)


class AccountEmails:
    """Writes mails about accounts, one after the other, in a thread of its own."""

    def __init__(
        self, mailer: Mailer, people: AccountRepository, links: OneTimeLinks, address: str, limiter: RateLimiter
    ) -> None:
        self._mailer, self._people, self._links, self._address = mailer, people, links, address
        self._thread = ThreadPoolExecutor(1, "post")
        self._limiter, self._rate = limiter, parse(EACH)

    def close(self) -> None:
        """Write nothing more."""
        self._thread.shutdown(wait=False, cancel_futures=True)

    def settle(self) -> None:
        """Wait until everything is written that was to be."""
        self._thread.submit(bool).result()

    # --- to whoever has no account, or cannot get in ----------------------------------------

    def sign_up(self, mail: str, guest: str, name: str, preferences: dict[str, str]) -> None:
        """The link by which an account is made; whoever has one is told so."""
        self._later("sign up", mail, lambda: self._sign_up(mail, guest, name, preferences))

    def _sign_up(self, mail: str, guest: str, name: str, preferences: dict[str, str]) -> None:
        made = self._links.make(SIGN_UP, guest, mail=plain(mail), name=name, preferences=preferences)
        if self._people.with_mail(mail):  # the link is kept all the same, for an export says how many there are
            link = f"{self._address}/account"
            text = f"Somebody, probably you, wants an account on Almunia. You have one already. Sign in here:\n\n{link}"
            self._send(mail, "You have an account on Almunia", text + FOOT)
            return
        link = self._to(made)
        text = f"Open this link to make your account on Almunia. It works once, within a day:\n\n{link}"
        self._send(mail, "Your account on Almunia", text + FOOT)

    def reset(self, mail: str) -> None:
        """The link by which a new password is set; nothing to whoever has no account."""
        self._later("reset", mail, lambda: self._reset(mail))

    def _reset(self, mail: str) -> None:
        account = self._people.with_mail(mail)
        if account:
            link = self._to(self._links.make(RESET, account.guest))
            text = f"Open this link to set a new password on Almunia. It works once, within an hour:\n\n{link}"
            self._send(account.mail, "A new password for Almunia", text + FOOT)

    # --- to whoever has one -----------------------------------------------------------------

    def change(self, account: Account, mail: str) -> None:
        """The links by which the old and the new address say that they belong together."""
        self._later("change", mail, lambda: self._change(account, mail))

    def _change(self, account: Account, mail: str) -> None:
        taken = self._people.with_mail(mail)
        made = self._links.make(NEW_MAIL, account.guest, mail=plain(mail))  # even if nobody gets it, as above
        if account.mail:
            link = self._to(self._links.make(OLD_MAIL, account.guest, mail=plain(mail)))
            about = f"Your account on Almunia is to get the address {mail}. Open this link to agree, within a day:"
            self._send(account.mail, "Another address for your account on Almunia", f"{about}\n\n{link}{ALARM}")
        if taken:
            text = "Somebody wants to use this address for their account on Almunia, but it belongs to another one.\n"
            self._send(mail, "This address has an account on Almunia", text)
            return
        link = self._to(made)
        about = "Open this link to use this address for your account on Almunia. It works once, within a day:"
        self._send(mail, "Your address on Almunia", f"{about}\n\n{link}{FOOT}")

    def tell(self, mail: str, what: str) -> None:
        """Tell somebody what has just become of their account."""
        if mail:
            self._later("tell", mail, lambda: self._send(mail, "Your account on Almunia", what + ALARM))

    # --- writing ----------------------------------------------------------------------------

    def _later(self, kind: str, mail: str, write: Callable[[], None]) -> None:
        def writing() -> None:
            try:
                if kind == "tell" or self._limiter.hit(self._rate, kind, plain(mail)):
                    write()
            except AlmuniaError as error:
                log.warning("A mail about an account was not sent: %s", error)
            except Exception:
                log.exception("A mail about an account was not sent.")

        self._thread.submit(writing)

    def _to(self, written: str) -> str:
        return f"{self._address}/account/link/{written}"

    def _send(self, mail: str, subject: str, text: str) -> None:
        self._mailer.send(mail, subject, text)
