"""Authentication of API clients by tokens, dependencies on services, and threads of requests."""

from collections.abc import Awaitable, Callable, Coroutine
from typing import Annotated, Any, TypeVar

from fastapi import Depends
from fastapi.routing import APIRoute
from fastapi.security import HTTPAuthorizationCredentials, HTTPBearer
from starlette.requests import Request
from starlette.responses import Response

from ..auth.api_tokens import ApiToken, ApiTokens
from ..clock import Clock
from ..daily.service import DailyDealService
from ..errors import Unauthorized
from ..jobs.analysis_queue import AnalysisQueue
from ..lobby.invitations import Invitations
from ..lobby.rematches import Rematches
from ..lobby.service import LobbyService
from ..networks import HiddenNetworks
from ..puzzles.service import PuzzleService
from ..services import service_of
from ..tables.builds import GameBuilds
from ..tables.seats import SeatService
from ..threads import Threads
from ..users.game_lists import GameLists
from ..users.profiles import Profiles

T = TypeVar("T")

bearer = HTTPBearer(auto_error=False, scheme_name="token", description="A token from the page /api-tokens of the site.")


def provide(kind: type[T]) -> Callable[[Request], Awaitable[T]]:
    """Return a dependency that gives a route the service of a type."""

    async def provided(request: Request) -> T:
        return service_of(request, kind)

    return provided


def current_token(request: Request, given: Annotated[HTTPAuthorizationCredentials | None, Depends(bearer)]) -> ApiToken:
    """Return the token of a request.

    Raises:
        Unauthorized: there is no token, or it is not valid.
        Forbidden: the request's table is another guest's attempt at a daily deal that the caller may not see.
    """
    if given is None:
        raise Unauthorized(
            "This request needs a token, in the header Authorization: Bearer TOKEN. Make one on the page /api-tokens."
        )
    found = service_of(request, ApiTokens).authenticate(given.credentials)
    if found is None:
        raise Unauthorized("This token is not valid. It may have been revoked, or cut off when it was copied.")
    if table := request.path_params.get("table_id"):
        service_of(request, DailyDealService).check_can_view(table, found.player)
    return found


SeatsDep = Annotated[SeatService, Depends(provide(SeatService))]
BuildsDep = Annotated[GameBuilds, Depends(provide(GameBuilds))]
LobbyDep = Annotated[LobbyService, Depends(provide(LobbyService))]
GameListsDep = Annotated[GameLists, Depends(provide(GameLists))]
RematchesDep = Annotated[Rematches, Depends(provide(Rematches))]
ProfilesDep = Annotated[Profiles, Depends(provide(Profiles))]
AnalysesDep = Annotated[AnalysisQueue, Depends(provide(AnalysisQueue))]
DailiesDep = Annotated[DailyDealService, Depends(provide(DailyDealService))]
PuzzlesDep = Annotated[PuzzleService, Depends(provide(PuzzleService))]
InvitationsDep = Annotated[Invitations, Depends(provide(Invitations))]
HiddenNetworksDep = Annotated[HiddenNetworks, Depends(provide(HiddenNetworks))]
ClockDep = Annotated[Clock, Depends(provide(Clock))]
CurrentToken = Annotated[ApiToken, Depends(current_token)]


class FairThreads(APIRoute):
    """A route whose function runs in a thread, when the fair queue of the site's requests has a free slot."""

    def get_route_handler(self) -> Callable[[Request], Coroutine[Any, Any, Response]]:
        answer = super().get_route_handler()

        async def in_turn(request: Request) -> Response:
            await request.body()  # first, so that a slow client does not occupy a thread
            async with service_of(request, Threads).slot(request):
                return await answer(request)

        return in_turn
