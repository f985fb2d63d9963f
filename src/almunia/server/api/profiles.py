"""People: your own profile and ratings, leaderboards, and daily deals, each as its page shows it to you."""

from fastapi import APIRouter

from ..daily import service
from ..daily.service import DailyDealService, Deal
from ..ratings import ratings
from ..users.profiles import GameRating
from .auth import BuildsDep, Caller, ClockDep, DailiesDep, FairThreads, ProfilesDep
from .schemas import DailyDeal, DailyDeals, GameName, Leader, Leaders, Page, Profile, RatingFacts, Reached, RecordFacts

router = APIRouter(tags=["people"], route_class=FairThreads)


@router.get("/profile")
def read_profile(profiles: ProfilesDep, caller: Caller) -> Profile:
    """Your ratings and results, and what of them others may see."""
    records = [RecordFacts(**one._asdict()) for one in profiles.records(caller.player)]
    rated = [rating_facts(one) for one in profiles.ratings(caller.player)]
    return Profile(shown=profiles.of(caller.player).shown, ratings=rated, results=records)


@router.get("/leaderboards/{name}")
def read_leaderboard(
    builds: BuildsDep, profiles: ProfilesDep, caller: Caller, name: GameName, page: Page = 1
) -> Leaders:
    """Accounts that want to be on the leaderboard of a game, by what their strength is at least, and bots beside."""
    game = builds.find(name).name
    found, pages = profiles.leaders(game, page, caller.player)
    leaders = [
        Leader(place=one.place, name=one.name, rating=one.rating.points, doubt=one.rating.uncertainty, mine=one.mine)
        for one in found
    ]
    return Leaders(
        leaders=leaders, bots={spec: one.points for spec, one in ratings.bot_ratings(game).items()}, pages=pages
    )


@router.get("/daily")
def list_daily(clock: ClockDep, dailies: DailiesDep, caller: Caller) -> DailyDeals:
    """The daily deals that run, with what was reached in those that you have played to their ends with an account."""
    now = clock.now()
    deals = [service.current(meta.name, now) for meta in service.daily_games()]
    return DailyDeals(deals=[deal_facts(dailies, deal, caller.player) for deal in deals])


def rating_facts(one: GameRating) -> RatingFacts:
    """A rating, as pages show it."""
    return RatingFacts(game=one.game, rating=one.rating.points, doubt=one.rating.uncertainty, games=one.games)


def deal_facts(dailies: DailyDealService, deal: Deal, guest: str) -> DailyDeal:
    """Return a deal that runs. It depends on other guests only if the guest may know their results."""
    tried = dailies.tried(deal, guest)
    open_ = dailies.may_know(deal, guest)
    results = dailies.results(deal, guest) if open_ else []
    reached = [
        Reached(name=one.name, place=one.place, points=one.points, bot=one.bot, mine=one.mine) for one in results
    ]
    return DailyDeal(
        deal=deal.name,
        game=deal.game,
        ends=deal.ends.timestamp(),
        table=tried.table if tried else None,
        finished=tried is not None and tried.finished is not None,
        results=reached if open_ else None,
    )
