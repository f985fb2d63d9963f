"""The pages of the analysis board, on which readers of a table try moves.

The address of a board has its position, the number of its guess, and the tried actions. So nothing is stored.
"""

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from ...play.play import Play
from ..clock import Clock
from ..daily.service import DailyDealService
from ..errors import Conflict, NotFound
from ..hashes import short_hash
from ..tables.analysis_board import MAX_TRIED, board_play, board_state, guesses_cards
from ..tables.service import TableService, check_dealt, check_position
from ..tables.state import TableState
from ..tables.timeline import Timeline, timeline_of
from ..tables.viewer import Viewer, replayed_seat
from ..users.visitors import current_visitor, shared_screen_seat
from .forms import FormFields, redirect
from .fragments import ShownFragments
from .routing import FromRequest, Router
from .seat_cards import seat_fragment
from .table import parse_actions, parse_codes, parse_previews, render_explanation, render_previews, render_text
from .table_page import TablePage
from .table_renderer import render_scoring
from .templating import VARY, is_partial, render

router = Router(prefix="/table/{table_id}/try/{at}/{guess}/{tried}")
NOTHING_TRIED = "start"  # in place of the tried actions
MAX_GUESS = 999_999


class BoardPage(TablePage):
    """The page of an analysis board."""

    @cached_property
    def version(self) -> str:
        """The version of the page. The same address may later show another position, if a move is taken back."""
        return f"{super().version}.{short_hash(self.observation.to_state())}"


@dataclass(frozen=True)
class BoardRequest(FromRequest):
    """A request for an analysis board."""

    request: Request
    tables: TableService
    daily_deals: DailyDealService
    clock: Clock
    table_id: str
    at: int
    guess: int
    tried: str

    @cached_property
    def table_state(self) -> TableState:
        state = self.tables.get(self.table_id)
        self.daily_deals.check_over(state.table)
        if not state.table.finished:
            check_dealt(state.table)
        if not 0 <= self.guess <= MAX_GUESS:
            raise NotFound(f"Guesses have the numbers 0 to {MAX_GUESS}, so there is no guess {self.guess}.")
        return state

    @cached_property
    def seat(self) -> int:
        guest, looking = current_visitor(self.request).id, shared_screen_seat(self.request, self.table_id)
        return replayed_seat(self.table_state, None, guest, looking)

    @cached_property
    def timeline(self) -> Timeline:
        found = timeline_of(self.table_state, self.seat)
        check_position(found.last, self.at)
        return found

    @property
    def actions(self) -> list[int]:
        """The actions that have been tried."""
        error = NotFound(f"Tried moves are numbers with commas, or {NOTHING_TRIED!r}, not {self.tried[:40]!r}.")
        return [] if self.tried == NOTHING_TRIED else parse_codes(self.tried, error, MAX_TRIED)

    def address(self, actions: Sequence[int], guess: int | None = None) -> str:
        """Return the address of the board with other tried actions, and perhaps another guess."""
        guess, tried = self.guess if guess is None else guess, ",".join(map(str, actions)) or NOTHING_TRIED
        return f"/table/{self.table_id}/try/{self.at}/{guess}/{tried}"

    @cached_property
    def start(self) -> Play:
        """The play with which the board begins."""
        return board_play(self.table_state, self.timeline, self.at, self.seat, self.guess)

    @cached_property
    def board(self) -> TableState:
        state = self.table_state
        entries = state.history(self.seat).log_entries
        known = zip(entries, self.timeline.numbered(entries), strict=True)
        seen = [entry for entry, one in known if one.action_count <= self.at]
        return board_state(state, self.start, seen, self.actions)

    @property
    def viewer(self) -> Viewer:
        """The seat to move; a reader plays in all seats."""
        return Viewer(self.board.play.turn, tuple(range(self.board.play.seats)))

    @cached_property
    def view(self) -> BoardPage:
        return BoardPage(self.board, self.viewer, now=self.clock.now())

    @property
    def is_guessed(self) -> bool:
        """Whether the board shows guesses of hidden information."""
        return not self.table_state.table.finished and guesses_cards(self.start.observe(self.seat), self.start)

    def show(self, headers: Mapping[str, str] | None = None) -> Response:
        view, actions = self.view, self.actions
        several = len(view.seats) > 1
        cards = [seat_fragment(card, view.icons, view.panels, several, Markup()) for card in view.seats]
        facts: dict[str, Any] = {"view": view, "table": view.table, "game": view.game.meta, "seats": cards}
        facts |= {"kept": ShownFragments.of(self.request), "sure": "", "asks": view.my_turn, "at": self.at}
        facts |= {"address": self.address(actions), "title": "Trying moves", "body": "_analysis_board.html"}
        facts |= {"back": f"/table/{self.table_id}/replay?at={self.at}", "count": len(actions)}
        facts["undo"] = self.address(actions[:-1]) if actions else ""
        facts["again"] = self.address([], (self.guess + 1) % (MAX_GUESS + 1)) if self.is_guessed else ""
        facts["note"] = "Hidden cards are guessed" if facts["again"] else "Trying moves"
        template = facts["body"] if is_partial(self.request) else "practice.html"
        return render(self.request, template, headers={"Vary": VARY, **(headers or {})}, **facts)


@router.get("")
def show_board(asked: BoardRequest, scoring: int | None = None) -> Response:
    """Render a board, or a scoring in its log."""
    if scoring is not None:
        return render_scoring(asked.request, asked.board, asked.viewer, scoring)
    return asked.show()


@router.post("/move")
def try_move(asked: BoardRequest, form: FormFields) -> Response:
    """Show the board after one more move, at its address."""
    actions = [*asked.actions, *parse_actions(form)]
    if len(actions) > MAX_TRIED:
        raise Conflict(f"You can try {MAX_TRIED} moves on a board. Undo some of them first.")
    address = asked.address(actions)
    after = replace(asked, tried=address.rpartition("/")[2])
    after.board  # noqa: B018 - raises RequestError if the move is not possible
    return after.show({"HX-Push-Url": address}) if is_partial(asked.request) else redirect(address)


@router.get("/previews/{actions}")
def show_previews(asked: BoardRequest, actions: str) -> Response:
    """Return previews of actions in the main picture."""
    return render_previews(asked.request, asked.view, parse_previews(actions))


@router.get("/explain")
def explain_illegal(
    asked: BoardRequest, panel: str = "", x: str = "", y: str = "", seen: int | None = None
) -> Response:
    """Return why a point of a picture cannot be chosen, as at a table."""
    return render_explanation(asked.request, asked.view, panel, x, y, seen)


@router.get("/text")
def show_text(asked: BoardRequest) -> Response:
    """Return the position as text, as the seat to move sees it."""
    return render_text(asked.view)
