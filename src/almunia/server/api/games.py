"""Games and their interfaces for bots."""

from fastapi import APIRouter

from ... import catalog
from .auth import BuildsDep, FairThreads
from .schemas import GameDetail, GameFacts, GameName, Games
from .serializers import game_detail, game_facts

router = APIRouter(prefix="/games", tags=["games"], route_class=FairThreads)


@router.get("")
def list_games() -> Games:
    """Return all games, with their options. This needs no token."""
    return Games(games=[GameFacts(**game_facts(meta)) for meta in catalog.all_games()])


@router.get("/{name}")
def game(builds: BuildsDep, name: GameName) -> GameDetail:
    """Return a game, with its actions and observations. This needs no token."""
    return game_detail(builds.find(name))
