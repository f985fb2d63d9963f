"""The caller's profile and ratings, leaderboards and daily deals."""

from typing import Annotated

from fastapi import APIRouter, Path

from ..daily import service
from ..daily.service import DailyDealService, Deal
from ..ratings import ratings
from .auth import BuildsDep, ClockDep, CurrentToken, DailiesDep, FairThreads, ProfilesDep
from .schemas import (
    DailyDeal,
    DailyDeals,
    GameName,
    Leader,
    Leaders,
    League,
    LeaguePlace,
    Page,
    Profile,
    RatingFacts,
    Reached,
    RecordFacts,
)

DEAL = "A deal as `/daily` names it, such as `caylus-2026-W48`."
router = APIRouter(tags=["people"], route_class=FairThreads)


@router.get("/profile")
def read_profile(profiles: ProfilesDep, caller: CurrentToken) -> Profile:
    """Return your ratings and results, and which parts of your profile are public."""
    records = [RecordFacts(**one._asdict()) for one in profiles.game_stats(caller.player)]
    rated = [
        RatingFacts(game=one.game, rating=one.rating.points, doubt=one.rating.uncertainty, games=one.games)
        for one in profiles.ratings(caller.player)
    ]
    return Profile(shown=profiles.get(caller.player).visible_parts, ratings=rated, results=records)


@router.get("/leaderboards/{name}")
def read_leaderboard(
    builds: BuildsDep, profiles: ProfilesDep, caller: CurrentToken, name: GameName, page: Page = 1
) -> Leaders:
    """Return a page of a game's leaderboard, by the lower bound of the rating, and the ratings of bots."""
    game = builds.find(name).name
    found, pages = profiles.leaderboard(game, page, caller.player)
    leaders = [
        Leader(place=one.place, name=one.name, rating=one.rating.points, doubt=one.rating.uncertainty, mine=one.mine)
        for one in found
    ]
    bots = {spec: one.points for spec, one in ratings.bot_ratings(game).items()}
    return Leaders(leaders=leaders, bots=bots, pages=pages)


@router.get("/daily")
def list_daily(clock: ClockDep, daily_deals: DailiesDep, caller: CurrentToken) -> DailyDeals:
    """Return the running daily deals, with the results of each deal that you have finished with an account."""
    now = clock.now()
    deals = [service.current_deal(meta.name, now) for meta in service.daily_games()]
    return DailyDeals(deals=[deal_facts(daily_deals, deal, caller.player) for deal in deals])


@router.get("/daily/{deal}/league")
def read_league(
    clock: ClockDep, daily_deals: DailiesDep, caller: CurrentToken, deal: Annotated[str, Path(description=DEAL)]
) -> League:
    """Return the divisions of a game's league in the week of a deal; the results only if you may see them."""
    found = service.get_deal(deal, clock.now())
    service.check_weekly(found)
    return League(
        divisions=[
            [
                LeaguePlace(
                    name=one.name,
                    mine=one.mine,
                    place=one.line.place,
                    points=one.line.points,
                    change=one.line.change,
                )
                for one in division
            ]
            for division in daily_deals.league(found, caller.player)
        ]
    )


def deal_facts(daily_deals: DailyDealService, deal: Deal, guest: str) -> DailyDeal:
    """Return a running deal, with its results if the guest may see them."""
    tried = daily_deals.find_attempt(deal, guest)
    results = daily_deals.results(deal, guest) if daily_deals.may_see_results(deal, guest) else None
    return DailyDeal(
        deal=deal.name,
        game=deal.game,
        ends=deal.ends.timestamp(),
        table=tried.table if tried else None,
        finished=tried is not None and tried.finished_at is not None,
        results=None if results is None else [Reached(**one._asdict()) for one in results],
    )
