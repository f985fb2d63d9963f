"""Invitations: signed links to open seats."""

from itsdangerous import BadSignature, URLSafeSerializer

from ..errors import NotFound


class Invitations:
    """Signed links to open seats, which the site does not store."""

    def __init__(self, key: str) -> None:
        self._signer = URLSafeSerializer(key, salt="invitation")

    def create(self, table: str, seat: int) -> str:
        return str(self._signer.dumps([table, seat]))

    def parse(self, invitation: str) -> tuple[str, int]:
        """Return the table and the seat of an invitation; NotFound if this site did not sign it."""
        try:
            table, seat = self._signer.loads(invitation)
        except (BadSignature, ValueError):
            raise NotFound("This invitation is not valid. It may have been cut off when it was copied.") from None
        return str(table), int(seat)
