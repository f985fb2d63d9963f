"""The replay of a table, position by position.

A finished game can be seen from each seat. During the game, its readers look back at what they have seen themselves.
"""

from dataclasses import replace
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from ... import bots
from ...play import panels as picture
from ..daily.service import DailyDealService
from ..jobs.analysis_queue import AnalysisQueue, AnalysisState
from ..tables.analysis_board import may_try_moves
from ..tables.rendering import isolate_bidi
from ..tables.service import TableService, check_dealt, check_position
from ..tables.state import TableState
from ..tables.timeline import Timeline, timeline_of
from ..tables.viewer import Viewer, replayed_seat, viewer_of
from ..users.visitors import current_visitor, shared_screen_seat
from .fragments import ShownFragments
from .game_analysis import (
    analysis_facts,
    costly_numbers,
    decision_at,
    describe,
    with_preview,
)
from .game_icons import icons_of
from .game_summary import history_of_play
from .game_times import times_of
from .log import groups
from .routing import Router
from .seat_cards import SeatCard, seat_cards, seat_fragment
from .sharing import card_of
from .table_page import layout_of
from .table_renderer import TableRenderer, render_scoring
from .templating import VARY, is_partial, render

router = Router()
VIEW_LINK = Markup(
    '<a class="see" href="/table/{table}/replay?at={at}&amp;seat={card.seat}"{current} '
    'title="See what {card.name} saw">View<span class="visually-hidden"> of <bdi>{card.name}</bdi></span></a>'
)


@router.get("/table/{table_id}/replay")
def replay(
    request: Request,
    tables: TableService,
    analyses: AnalysisQueue,
    daily_deals: DailyDealService,
    renderer: TableRenderer,
    table_id: str,
    at: int | None = None,
    seat: int | None = None,
    scoring: int | None = None,
    better: int = 0,
) -> Response:
    """Render a position of a table, or a scoring.

    Without `at`, it is the start of a finished game, and the latest position of a running one. With `better`, the
    position shows the move that an expert prefers, if the analysis has one.
    """
    state = tables.get(table_id)
    guest, looking = current_visitor(request).id, shared_screen_seat(request, table_id)
    shown = replayed_seat(state, seat, guest, looking)
    if not state.table.finished:
        check_dealt(state.table)
    if scoring is not None:
        return render_scoring(request, state, Viewer(shown, ()), scoring)
    timeline = timeline_of(state, shown)
    at = at if at is not None else 0 if state.table.finished else timeline.last
    check_position(timeline.last, at)
    analysis = analysis_facts(state, analyses, shown)
    facts = position_facts(state, timeline, at, shown, analysis["analysis"], better=bool(better))
    facts |= {"at": at, "last": timeline.last, "kept": ShownFragments.of(request), **analysis}
    facts["present"] = renderer.view(state, viewer_of(state, guest, looking))
    facts["card"] = card_of(request, state, at if state.table.finished else None)
    is_open_deal = daily_deals.is_running(state.table)
    facts["try_moves"] = may_try_moves(state.table) and not (facts["over"] or is_open_deal)
    facts["levels"] = bots.LEVELS
    facts["times"] = None
    if state.table.finished:  # the time of each move would count the secret ones
        facts["times"] = times_of(history_of_play(state.play).turns, len(state.table.seats), state.move_times)
    facts["name_of"] = lambda of: state.table.seats[of].name
    facts["held"] = next(iter(state.table.seats_of(guest)), max(0, shown))  # the seat in which the guest plays on
    return render(request, "_replay.html" if is_partial(request) else "replay.html", headers={"Vary": VARY}, **facts)


def position_facts(
    state: TableState, timeline: Timeline, at: int, seat: int, analysis: AnalysisState, *, better: bool
) -> dict[str, Any]:
    """Return the variables of the template for a position."""
    view = state.play_at(timeline.counts[at]).observe(seat)
    entries = tuple(one for one in timeline.numbered(state.history(seat).log_entries) if one.action_count <= at)
    table = state.table if at == timeline.last else replace(state.table, status="running")
    log = list(groups(entries))
    panels, icons = picture.panels(view), icons_of(view.game)
    decision, names = decision_at(analysis, at + 1), isolate_bidi(one.name for one in table.seats)
    shown = decision if better and decision and decision.seat == seat else None
    if shown:
        panels = with_preview(panels, view, shown.best)
    cards = seat_cards(table, view, Viewer(seat, ()), lambda of: table.seats[of].name, entries, live=False)
    several = len(table.seats) > 1
    links = [view_link(state, at, card) if several and state.table.finished else Markup() for card in cards]
    return {
        "table": state.table,
        "over": view.over,
        "game": view.game.meta,
        "seat": seat,
        "panels": {panel.name: panel for panel in panels},
        "layout": layout_of(panels, len(table.seats)),
        "icon_set": icons,
        "words": view.board(),
        "cards": cards,
        "seats": [seat_fragment(card, icons, panels, several, link) for card, link in zip(cards, links, strict=True)],
        "log": log,
        "now": [group for group in log if group.number == at],
        "turns": timeline.turns,
        "better": describe(state, names, shown) if shown else None,
        "costly": costly_numbers(analysis),
    }


def view_link(state: TableState, at: int, card: SeatCard) -> Markup:
    """Return a link to the same position as a seat saw it."""
    current = Markup(' aria-current="true"') if card.is_viewed else ""
    return VIEW_LINK.format(table=state.table.id, at=at, card=card, current=current)
