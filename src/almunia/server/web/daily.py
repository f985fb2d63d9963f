"""Pages of the daily deals: those that run, and what was reached in each."""

from typing import Any

from starlette.requests import Request
from starlette.responses import RedirectResponse, Response

from ... import catalog
from ..clock import Clock, format_duration
from ..daily import service
from ..daily.service import DailyDealService, Deal
from ..errors import NotFound
from ..networks import HiddenNetworks
from ..users.visitors import guest_of, welcome
from .forms import SEE_OTHER, FormFields
from .routing import Router
from .templating import render

router = Router(prefix="/daily")
PAST = 7  # deals before the one that runs, to which its page leads


@router.get("")
def deals(request: Request, clock: Clock, dailies: DailyDealService) -> Response:
    """Render the deals that run now."""
    guest, now = guest_of(request).id, clock.now()
    running = [service.current(game.name, now) for game in service.daily_games()]
    return render(request, "daily_deals.html", deals=[standing(clock, dailies, deal, guest) for deal in running])


@router.post("")
def play(
    request: Request, clock: Clock, dailies: DailyDealService, networks: HiddenNetworks, form: FormFields
) -> Response:
    """Redirect to the guest's only try at a deal that runs."""
    name = form.text("game")
    if name not in [meta.name for meta in service.daily_games()]:
        raise NotFound(f"There is no daily deal of {name[:40]!r}.")
    deal = service.current(name, clock.now())
    return RedirectResponse(f"/table/{dailies.play(deal, welcome(request), networks.hash_of(request))}", SEE_OTHER)


@router.get("/{deal}")
def one(request: Request, clock: Clock, dailies: DailyDealService, deal: str) -> Response:
    """Render the results of a deal, as far as the guest may know them."""
    found, guest = service.named(deal, clock.now()), guest_of(request).id
    facts = standing(clock, dailies, found, guest)
    results = dailies.results(found, guest) if facts["open"] else None
    return render(request, "daily_deal.html", results=results, **facts)


def standing(clock: Clock, dailies: DailyDealService, deal: Deal, guest: str) -> dict[str, Any]:
    """Return what a page says of a deal. It depends on other guests only if the reader may know their results."""
    tried = dailies.tried(deal, guest) if guest else None
    meta, now = catalog.try_meta(deal.game), clock.now()
    return {
        "deal": deal,
        "over": deal.is_over(now),
        "ranked": dailies.is_ranked(deal, guest),
        "title": meta.title if meta else deal.game,
        "tried": tried,
        "open": dailies.may_know(deal, guest),
        "done": bool(tried and tried.finished is not None),
        "late": bool(tried and tried.finished is not None and tried.finished >= deal.ends.timestamp()),
        "left": format_duration(max(0.0, deal.ends.timestamp() - now)) or "less than a minute",
        "streak": dailies.streak(deal.game, guest) if guest else 0,
        "past": earlier(deal),
    }


def earlier(deal: Deal) -> list[Deal]:
    """The deals that ran before, the latest first."""
    found = [deal]
    for _ in range(PAST):
        found.append(found[-1].before)
    return found[1:]
