"""Tournaments: the list, standings, and entering."""

from typing import Annotated

from fastapi import APIRouter, Depends, Path

from ..tournaments.service import TournamentService, TournamentState
from .auth import CurrentToken, FairThreads, provide
from .schemas import TournamentDetail, TournamentFacts, TournamentGame, TournamentPlace, Tournaments

router = APIRouter(prefix="/tournaments", tags=["tournaments"], route_class=FairThreads)
TournamentsDep = Annotated[TournamentService, Depends(provide(TournamentService))]
TournamentId = Annotated[str, Path(description="The last part of the address `/tournaments/ID`.")]


@router.get("")
def list_tournaments(tournaments: TournamentsDep, caller: CurrentToken) -> Tournaments:
    """Return public tournaments, and those that you host or play in, the latest first."""
    return Tournaments(tournaments=[TournamentFacts(**vars(one)) for one in tournaments.listed(caller.player)])


@router.get("/{tournament}")
def read_tournament(tournaments: TournamentsDep, caller: CurrentToken, tournament: TournamentId) -> TournamentDetail:
    """Return a tournament with its standings and games."""
    return tournament_detail(tournaments.get(tournament), caller.player)


@router.post("/{tournament}/enter")
def enter_tournament(tournaments: TournamentsDep, caller: CurrentToken, tournament: TournamentId) -> TournamentDetail:
    """Enter a tournament. A second request changes nothing."""
    tournaments.enter(tournament, caller.player, caller.display_name)
    return tournament_detail(tournaments.get(tournament), caller.player)


def tournament_detail(state: TournamentState, guest: str) -> TournamentDetail:
    """Return a tournament with its standings and games, as a guest sees it."""
    own = state.entrant_of(guest)
    standings = [
        TournamentPlace(
            stage=stage.name,
            number=one.player + 1,
            name=state.entrants[one.player].name,
            mine=own is not None and own.number == one.player,
            place=one.place,
            points=one.points,
            opponents=one.opponents,
            wins=one.wins,
            share=one.share,
        )
        for stage in state.stages
        for one in stage.standings(state.games)
    ]
    games = [
        TournamentGame(
            round=game.round,
            table=game.table or None,
            players=[number + 1 for number in game.players],
            points=[score.points for score in game.scores] or None,
        )
        for game in state.games
    ]
    return TournamentDetail(**vars(state.tournament), standings=standings, games=games)
