"""Things that cannot be guessed: ids of tables and guests, and the links that invite to a seat."""

import re
from secrets import token_urlsafe

from itsdangerous import BadSignature, URLSafeSerializer

from .errors import NotFound

TOKEN = re.compile(r"[\w-]{1,64}", re.ASCII)  # what an id is made of


def table_token() -> str:
    """The id of a new table."""
    return token_urlsafe(12)


def guest_token() -> str:
    """The id of a new guest."""
    return token_urlsafe(18)


class Invitations:
    """Links to open seats. They are signed, so none needs to be stored."""

    def __init__(self, key: str) -> None:
        self._signer = URLSafeSerializer(key, salt="invitation")

    def write(self, table: str, seat: int) -> str:
        """The invitation to a seat."""
        return str(self._signer.dumps([table, seat]))

    def read(self, invitation: str) -> tuple[str, int]:
        """The table and seat of an invitation; NotFound if it is not one of ours."""
        try:
            table, seat = self._signer.loads(invitation)
        except (BadSignature, ValueError):
            raise NotFound("This invitation is not valid. It may have been cut off when it was copied.") from None
        return str(table), int(seat)
