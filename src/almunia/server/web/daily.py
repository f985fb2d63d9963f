"""Pages of the daily deals and their results."""

from typing import Any

from starlette.requests import Request
from starlette.responses import Response

from ... import catalog
from ..clock import Clock, format_duration
from ..daily import service
from ..daily.leagues import DIVISION_SIZE, MAX_ABSENCES, MOVES
from ..daily.service import DailyDealService, Deal
from ..errors import NotFound
from ..networks import HiddenNetworks
from ..users.visitors import current_visitor, ensure_visitor
from .forms import FormFields, redirect_to_table
from .routing import Router
from .templating import render

router = Router(prefix="/daily")
MAX_PAST_DEALS = 7  # previous deals with a link on the page of a deal


@router.get("")
def show_deals(request: Request, clock: Clock, daily_deals: DailyDealService) -> Response:
    guest, now = current_visitor(request).id, clock.now()
    running = (service.current_deal(game.name, now) for game in service.daily_games())
    deals = [deal_context(clock, daily_deals, deal, guest) for deal in running]
    return render(request, "daily_deals.html", deals=deals)


@router.post("")
def start_attempt(
    request: Request, clock: Clock, daily_deals: DailyDealService, networks: HiddenNetworks, form: FormFields
) -> Response:
    """Redirect to the guest's only attempt at a running deal; start one if there is none."""
    name = form.text("game")
    if name not in [meta.name for meta in service.daily_games()]:
        raise NotFound(f"There is no daily deal of {name[:40]!r}.")
    deal = service.current_deal(name, clock.now())
    table_id = daily_deals.start_attempt(deal, ensure_visitor(request), networks.hash_of(request))
    return redirect_to_table(table_id)


@router.get("/{deal}")
def show_deal(request: Request, clock: Clock, daily_deals: DailyDealService, deal: str) -> Response:
    """Render a deal, with its results if the guest may see them."""
    found, guest = service.get_deal(deal, clock.now()), current_visitor(request).id
    facts = deal_context(clock, daily_deals, found, guest)
    results = daily_deals.results(found, guest) if facts["open"] else None
    return render(request, "daily_deal.html", results=results, **facts)


@router.get("/{deal}/league")
def show_league(request: Request, clock: Clock, daily_deals: DailyDealService, deal: str) -> Response:
    """Render the league of a game in the week of a deal; NotFound for a deal of a day."""
    found, guest = service.get_deal(deal, clock.now()), current_visitor(request).id
    service.check_weekly(found)
    divisions = daily_deals.league(found, guest)
    facts = deal_context(clock, daily_deals, found, guest)
    facts |= {"divisions": divisions, "size": DIVISION_SIZE, "moves": MOVES, "absences": MAX_ABSENCES}
    return render(request, "league.html", **facts)


def deal_context(clock: Clock, daily_deals: DailyDealService, deal: Deal, guest: str) -> dict[str, Any]:
    tried = daily_deals.find_attempt(deal, guest) if guest else None
    meta, now = catalog.try_meta(deal.game), clock.now()
    return {
        "deal": deal,
        "over": deal.is_over(now),
        "ranked": daily_deals.is_ranked(deal, guest),
        "title": meta.title if meta else deal.game,
        "tried": tried,
        "open": daily_deals.may_see_results(deal, guest),
        "done": bool(tried and tried.finished_at is not None),
        "late": bool(tried and tried.finished_at is not None and tried.finished_at >= deal.ends.timestamp()),
        "left": format_duration(max(0.0, deal.ends.timestamp() - now)) or "less than a minute",
        "streak": daily_deals.streak(deal.game, guest) if guest else 0,
        "past": past_deals(deal),
    }


def past_deals(deal: Deal) -> list[Deal]:
    """Return the last MAX_PAST_DEALS deals before a deal, latest first."""
    found = [deal]
    for _ in range(MAX_PAST_DEALS):
        found.append(found[-1].previous)
    return found[1:]
