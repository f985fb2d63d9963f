"""The replay of a finished table: each position, from any seat's view."""

from dataclasses import replace
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from ... import bots
from ...play import panels as picture
from ..jobs.analysis_queue import AnalysisQueue, AnalysisState
from ..tables.rendering import isolate_bidi
from ..tables.service import TableService, check_position, require_finished
from ..tables.state import TableState
from ..tables.viewer import Viewer, viewed_seat
from ..users.visitors import current_visitor
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
from .table_page import layout_of
from .table_renderer import render_scoring
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
    table_id: str,
    at: int = 0,
    seat: int | None = None,
    scoring: int | None = None,
    better: int = 0,
) -> Response:
    """Render a position of a finished table, or a scoring.

    With `better`, the position shows the move that an expert prefers, if the analysis has one.
    """
    state = require_finished(tables.get(table_id))
    guest = current_visitor(request).id
    shown = viewed_seat(state, seat, guest)
    if scoring is not None:
        return render_scoring(request, state, Viewer(shown, ()), scoring)
    last = len(state.play.actions)
    check_position(state, at)
    analysis = analysis_facts(state, analyses, shown)
    facts = position_facts(state, at, shown, analysis["analysis"], better=bool(better))
    facts |= {"at": at, "last": last, "kept": ShownFragments.of(request), **analysis}
    facts["levels"] = bots.LEVELS
    facts["times"] = times_of(history_of_play(state.play).turns, len(state.table.seats), state.move_times)
    facts["name_of"] = lambda of: state.table.seats[of].name
    facts["held"] = next(iter(state.table.seats_of(guest)), max(0, shown))  # the seat in which the guest plays on
    return render(request, "_replay.html" if is_partial(request) else "replay.html", headers={"Vary": VARY}, **facts)


def position_facts(state: TableState, at: int, seat: int, analysis: AnalysisState, *, better: bool) -> dict[str, Any]:
    """Return the variables of the template for a position."""
    play = state.play_at(at)
    view = play.observe(seat)
    entries = tuple(one for one in state.history(seat).log_entries if one.action_count <= at)
    table = state.table if at == len(state.play.actions) else replace(state.table, status="running")
    log = list(groups(entries))
    panels, icons = picture.panels(view), icons_of(play.game)
    decision, names = decision_at(analysis, at + 1), isolate_bidi(one.name for one in table.seats)
    shown = decision if better and decision and decision.seat == seat else None
    if shown:
        panels = with_preview(panels, view, shown.best)
    cards = seat_cards(table, view, Viewer(seat, ()), lambda of: table.seats[of].name, entries, live=False)
    several = len(table.seats) > 1
    links = [view_link(state, at, card) if several else Markup() for card in cards]
    return {
        "table": state.table,
        "over": play.over,
        "game": play.game.meta,
        "seat": seat,
        "panels": {panel.name: panel for panel in panels},
        "layout": layout_of(panels, len(table.seats)),
        "icon_set": icons,
        "words": view.board(),
        "cards": cards,
        "seats": [seat_fragment(card, icons, panels, several, link) for card, link in zip(cards, links, strict=True)],
        "log": log,
        "now": [group for group in log if group.number == at],
        "turns": turn_starts(state),
        "better": describe(state, names, shown) if shown else None,
        "costly": costly_numbers(analysis),
    }


def view_link(state: TableState, at: int, card: SeatCard) -> Markup:
    """Return a link to the same position as a seat saw it."""
    current = Markup(' aria-current="true"') if card.is_viewed else ""
    return VIEW_LINK.format(table=state.table.id, at=at, card=card, current=current)


def turn_starts(state: TableState) -> list[int]:
    """Return the positions at which another seat is to move, something is revealed, or the play begins or ends."""
    play = state.play_at(0)
    starts, was = [0], (play.turn, play.reveals)
    for number, action in enumerate(state.play.actions, 1):
        play.apply(action)
        if (play.turn, play.reveals) != was or play.over:
            starts.append(number)
            was = (play.turn, play.reveals)
    return starts
