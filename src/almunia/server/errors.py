"""What can be wrong with a request: each with its status, and a sentence for whoever sent it."""

from ..errors import AlmuniaError

UNPROCESSABLE = 422  # the status of an answer to what can be read, and cannot be so


class RequestError(AlmuniaError):
    """A request that cannot be done."""

    status = 400
    wait = 0  # seconds that the next request should wait

    def __init__(self, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status or self.status


class BadRequest(RequestError):
    """The request cannot be read."""


class Unauthorized(RequestError):
    """Nobody knows who sends this."""

    status = 401


class Forbidden(RequestError):
    """Not for this guest, or not now."""

    status = 403


class NotFound(RequestError):
    """There is nothing at this address."""

    status = 404


class Conflict(RequestError):
    """Too late: the table has moved on."""

    status = 409


class TooManyRequests(RequestError):
    """More requests than one guest or address may send."""

    status = 429

    def __init__(self, sentence: str, wait: int = 5) -> None:
        super().__init__(sentence)
        self.wait = wait


class Unavailable(RequestError):
    """What is asked for cannot be used at present."""

    status = 503


class ConfirmationRequired(AlmuniaError):
    """An act that is to be confirmed first, as its sentence says: whoever chose it wants to be asked."""
