"""The caller of an API request: the guest of its token, with views of tables."""

from typing import Annotated

from fastapi import Depends
from starlette.requests import Request

from ..auth.api_tokens import ApiToken
from ..clock import Clock
from ..errors import UNPROCESSABLE, BadRequest
from ..lobby.invitations import Invitations
from ..services import service_of
from ..settings import Settings
from ..tables.model import Table
from ..tables.presence import Presence
from ..tables.service import TableService, own_seats
from ..tables.state import TableState
from ..tables.table_view import TableView
from .auth import CurrentToken
from .positions import view_of
from .schemas import TableFacts, ViewerKind
from .serializers import table_facts


class Caller:
    """The guest who sent a request with a token."""

    def __init__(self, request: Request, token: ApiToken) -> None:
        self._request, self.guest, self.name = request, token.player, token.display_name
        self.tables, self.presence = service_of(request, TableService), service_of(request, Presence)
        self._clock = service_of(request, Clock)

    def view(self, table_id: str, viewer: ViewerKind = "seat") -> TableView:
        """Return a table as the caller or a spectator sees it; NotFound if there is no such table."""
        return view_of(self.tables.get(table_id), self.guest, viewer, now=self._clock.now())

    def view_after(self, state: TableState) -> TableView:
        """Mark the caller present, and return the caller's view after a change."""
        self.presence.touch(state.table.id, self.guest)
        return view_of(state, self.guest, now=self._clock.now())

    def describe(self, view: TableView) -> TableFacts:
        url = self._request.url
        address = service_of(self._request, Settings).address or f"{url.scheme}://{url.netloc}"
        return table_facts(service_of(self._request, Invitations), view, address, self._clock.now())

    def describe_after(self, state: TableState) -> TableFacts:
        """Mark the caller present, and return a table after a change."""
        return self.describe(self.view_after(state))

    def own_seat(self, table_id: str, asked: int | None) -> int:
        """Return the seat `asked`, or else the caller's only seat, from 0. `asked` counts from 1.

        Raises:
            Forbidden: the caller has no seat, or not this one.
            BadRequest: the caller has several seats, and `asked` is None.
        """
        held = self.own_seats(self.tables.get(table_id).table, asked)
        if asked is not None:
            return asked - 1
        if len(held) > 1:
            several = ", ".join(str(seat + 1) for seat in held)
            raise BadRequest(f"You have several seats in this game. Name one of them: {several}.", UNPROCESSABLE)
        return held[0]

    def own_seats(self, table: Table, asked: int | None) -> tuple[int, ...]:
        """Return the caller's seats; Forbidden without any, or without the seat `asked`, which counts from 1."""
        return own_seats(table, self.guest, None if asked is None else asked - 1)


async def caller_of(request: Request, token: CurrentToken) -> Caller:
    return Caller(request, token)


CallerDep = Annotated[Caller, Depends(caller_of)]
