"""Who asks: a guest, by one of their tokens. Cookies count for nothing here. And how requests wait for a thread."""

from collections.abc import Callable, Coroutine
from typing import Annotated, Any

from fastapi import Depends
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.requests import Request
from starlette.responses import Response

from ..context import Site
from ..errors import Unauthorized
from .tokens import Token

NOBODY = "This needs a token, in the header Authorization: Bearer TOKEN. You can make one on the page /programs."
UNKNOWN = "This token is not valid. It may have been revoked, or cut short when it was copied."
bearer = HTTPBearer(auto_error=False, scheme_name="token", description="A token from the page /programs of the site.")


async def site_of(request: Request) -> Site:
    """The site that is asked."""
    site: Site = request.app.state.site
    return site


def caller_of(request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]) -> Token:
    """The token that was sent, and with it the guest; Unauthorized if it is none, or was revoked.

    Forbidden if it asks about a table at which this guest may not look yet: somebody's try at a deal that runs.
    """
    if given is None:
        raise Unauthorized(NOBODY)
    site: Site = request.app.state.site
    found = site.tokens.find(given.credentials)
    if found is None:
        raise Unauthorized(UNKNOWN)
    if table := request.path_params.get("table_id"):
        site.dailies.check_look(table, found.player)
    return found


Here = Annotated[Site, Depends(site_of)]
Caller = Annotated[Token, Depends(caller_of)]


class InTurn(APIRoute):
    """A route whose function runs in a thread. Its requests wait for a place there with all others of the site."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        """Return what answers a request."""
        answer = super().get_route_handler()

        async def in_turn(request: Request) -> Response:
            await request.body()  # which is kept: a slow one holds no place
            site: Site = request.app.state.site
            async with site.threads.place(request):
                return await answer(request)

        return in_turn
