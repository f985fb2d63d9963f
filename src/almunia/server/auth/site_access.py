"""Access to a closed site: by an account, an invitation, or the password of the site."""

from collections.abc import Mapping
from hashlib import sha256
from hmac import compare_digest, digest
from typing import Any

from ..settings import Settings
from .accounts import Account, AccountRepository
from .api_tokens import ApiTokens

INVITED_KEY = "invited"  # in the cookie of an invited visitor
UNLOCKED_KEY = "unlocked"  # in the cookie of a visitor who has entered the password of the site
SITE_CLOSED = "This site is closed. Sign in, or ask a player here for an invitation."


class SiteAccess:
    """Decides who may enter the site. An open site admits every visitor."""

    def __init__(self, settings: Settings, key: str, accounts: AccountRepository, tokens: ApiTokens) -> None:
        self._settings, self._key = settings, key
        self._accounts, self._tokens = accounts, tokens

    @property
    def has_password(self) -> bool:
        return bool(self._settings.password)

    def admits(self, account: Account | None, session: Mapping[str, Any]) -> bool:
        """Whether a visitor with this account and cookie may enter."""
        if not self._settings.is_private:
            return True
        if self.has_password:
            sent = session.get(UNLOCKED_KEY, "")
            return isinstance(sent, str) and compare_digest(sent.encode(), self.password_token().encode())
        return account is not None or session.get(INVITED_KEY) is True

    def admits_api_client(self, authorization: str) -> bool:
        """Whether an API client may enter a closed site, by the token in its header."""
        kind, _, written = authorization.partition(" ")
        token = self._tokens.authenticate(written) if kind.lower() == "bearer" else None
        return token is not None and (self.has_password or self._accounts.get(token.player) is not None)

    def password_token(self) -> str:
        """Return the token for the cookie of a visitor who knows the password. A new password changes the token."""
        return digest(self._key.encode(), self._settings.password.encode(), sha256).hex()

    def is_password(self, text: str) -> bool:
        wanted, given = (sha256(word.encode(errors="replace")).digest() for word in (self._settings.password, text))
        return compare_digest(wanted, given)
