"""Errors of requests, each with a sentence for the sender."""

from ..errors import AlmuniaError

UNPROCESSABLE = 422  # the status for a value that can be read but not accepted


class RequestError(AlmuniaError):
    """A request that cannot be fulfilled."""

    status = 400
    wait = 0  # seconds until the next request

    def __init__(self, sentence: str, status: int | None = None) -> None:
        super().__init__(sentence)
        self.status = status or self.status


class BadRequest(RequestError):
    """The request is invalid."""


class Unauthorized(RequestError):
    """The sender is not authenticated."""

    status = 401


class Forbidden(RequestError):
    """The sender may not do this, or not now."""

    status = 403


class NotFound(RequestError):
    """The request names something that does not exist."""

    status = 404


class Conflict(RequestError):
    """The request conflicts with the present state."""

    status = 409


class TooManyRequests(RequestError):
    """The request exceeds a rate or a limit."""

    status = 429

    def __init__(self, sentence: str, wait: int = 5) -> None:
        super().__init__(sentence)
        self.wait = wait


class Unavailable(RequestError):
    """A service that the request needs is not available."""

    status = 503


class ConfirmationRequired(AlmuniaError):
    """The player must confirm this move first; the message asks for the confirmation.

    If `can_wait`, a page may instead confirm the move itself after the player had time to take it back.
    """

    def __init__(self, sentence: str, *, can_wait: bool = False) -> None:
        super().__init__(sentence)
        self.can_wait = can_wait
