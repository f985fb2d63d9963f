"""Links that invite to a seat."""

from itsdangerous import BadSignature, URLSafeSerializer

from ..errors import NotFound


class Invitations:
    """Links to open seats. They are signed, so none needs to be stored."""

    def __init__(self, key: str) -> None:
        self._signer = URLSafeSerializer(key, salt="invitation")

    def create(self, table: str, seat: int) -> str:
        """The invitation to a seat."""
        return str(self._signer.dumps([table, seat]))

    def parse(self, invitation: str) -> tuple[str, int]:
        """The table and seat of an invitation; NotFound if it is not one of ours."""
        try:
            table, seat = self._signer.loads(invitation)
        except (BadSignature, ValueError):
            raise NotFound("This invitation is not valid. It may have been cut off when it was copied.") from None
        return str(table), int(seat)
