"""People: your own profile and ratings, leaderboards, and daily deals, each as its page shows it to you."""

from fastapi import APIRouter

from ..context import Site
from ..people import daily
from ..people.daily import Deal
from ..people.profiles import Rated
from ..rating import ratings
from .caller import Caller, Here, InTurn
from .models import DailyDeal, DailyDeals, GameName, Leader, Leaders, Page, Profile, RatingFacts, Reached, RecordFacts

router = APIRouter(tags=["people"], route_class=InTurn)


@router.get("/profile")
def read_profile(site: Here, caller: Caller) -> Profile:
    """Your ratings and results, and what of them others may see."""
    records = [RecordFacts(**one._asdict()) for one in site.profiles.records(caller.player)]
    rated = [rating_facts(one) for one in site.profiles.ratings(caller.player)]
    return Profile(shown=site.profiles.of(caller.player).shown, ratings=rated, results=records)


@router.get("/leaderboards/{name}")
def read_leaderboard(site: Here, caller: Caller, name: GameName, page: Page = 1) -> Leaders:
    """Accounts that want to be on the leaderboard of a game, by what their strength is at least, and bots beside."""
    game = site.game(name).name
    found, pages = site.profiles.leaders(game, page, caller.player)
    leaders = [
        Leader(place=one.place, name=one.name, rating=one.rating.points, doubt=one.rating.doubt, mine=one.mine)
        for one in found
    ]
    return Leaders(leaders=leaders, bots={spec: one.points for spec, one in ratings.of_bots(game).items()}, pages=pages)


@router.get("/daily")
def list_daily(site: Here, caller: Caller) -> DailyDeals:
    """The daily deals that run, with what was reached in those that you have played to their ends with an account."""
    now = site.clock.now()
    deals = [daily.current(meta.name, now) for meta in daily.daily_games()]
    return DailyDeals(deals=[deal_facts(site, deal, caller.player) for deal in deals])


def rating_facts(one: Rated) -> RatingFacts:
    """A rating, as pages show it."""
    return RatingFacts(game=one.game, rating=one.rating.points, doubt=one.rating.doubt, games=one.games)


def deal_facts(site: Site, deal: Deal, guest: str) -> DailyDeal:
    """A deal that runs: nothing that depends on others, before the guest may know all of it."""
    tried = site.dailies.tried(deal, guest)
    open_ = site.dailies.may_know(deal, guest)
    results = site.dailies.results(deal, guest) if open_ else []
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
