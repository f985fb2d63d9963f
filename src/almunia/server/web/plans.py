"""Pages of plans: planning ahead on a copy of the position, and repeated answers."""

import re
from dataclasses import dataclass, replace
from functools import cached_property
from typing import Any

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from ..clock import Clock
from ..errors import Conflict, NotFound
from ..tables.planning import MAX_STEPS, PlannedPosition, PlanService, may_repeat_answers, recent_answers
from ..tables.service import TableService, own_seats
from ..tables.state import TableState
from ..tables.viewer import Viewer
from ..users.visitors import Visitor, current_visitor
from .forms import FormFields, redirect, redirect_to_table
from .fragments import ShownFragments
from .routing import FromRequest, Router
from .seat_cards import seat_fragment
from .table import parse_previews, render_explanation, render_previews, render_text
from .table_page import TablePage
from .table_renderer import TableRenderer
from .templating import VARY, is_partial, render

router = Router(prefix="/table/{table_id}")
LINE = re.compile(rf"[0-9]{{1,9}}(-[0-9]{{1,9}}){{0,{MAX_STEPS}}}")  # the version of the page, and actions


class PlanPage(TablePage):
    """The page of a position on the copy, where the planner chooses for every seat."""

    @cached_property
    def my_turn(self) -> bool:
        return bool(self.history.legal)

    @property
    def explains_illegal(self) -> bool:
        return super().explains_illegal and self.observation.turn == self.viewer.seat


@dataclass(frozen=True)
class PlanRequest(FromRequest):
    """A request for a planned position, whose address has the line: `5-12-3` are two actions after version 5."""

    request: Request
    tables: TableService
    plans: PlanService
    renderer: TableRenderer
    clock: Clock
    table_id: str
    line: str

    @property
    def guest(self) -> str:
        return current_visitor(self.request).id

    @cached_property
    def numbers(self) -> tuple[int, list[int]]:
        """The version at which the plan begins, and its actions; NotFound if the address is invalid."""
        if not LINE.fullmatch(self.line):
            raise NotFound(f"A plan has a version and up to {MAX_STEPS} actions, as numbers with hyphens.")
        seen, *actions = map(int, self.line.split("-"))
        return seen, actions

    @cached_property
    def state(self) -> TableState:
        return self.tables.get(self.table_id)

    @cached_property
    def position(self) -> PlannedPosition:
        return self.plans.position(self.state, self.guest, *self.numbers)

    def view(self) -> PlanPage:
        owner = self.position.owner
        return PlanPage(self.position.state, Viewer(owner, (owner,)), now=self.clock.now())

    def address(self, line: str) -> str:
        return f"/table/{self.table_id}/plan/{line}"

    def show(self) -> Response:
        view, found = self.view(), self.position
        cards = [seat_fragment(card, view.icons, view.panels, len(view.seats) > 1, Markup()) for card in view.seats]
        facts: dict[str, Any] = {"view": view, "table": view.table, "game": view.game.meta, "seats": cards}
        facts |= {"kept": ShownFragments.of(self.request), "sure": "", "asks": view.my_turn}
        facts |= {"title": "Plan ahead", "body": "_plan.html", "note": ""}
        before = self.line.rpartition("-")[0]
        facts |= {
            "address": self.address(self.line),
            "back": self.address(before) if before else f"/table/{self.table_id}",
            "found": found,
            "is_own": found.state.play.turn == found.owner,
            "may_go_on": len(found.line) < MAX_STEPS,
        }
        headers = {"Vary": VARY, "Cache-Control": "private, no-cache"}
        if is_partial(self.request):
            return render(self.request, "_plan.html", headers={**headers, "HX-Replace-Url": facts["address"]}, **facts)
        return render(self.request, "practice.html", headers=headers, **facts)


@router.get("/plan/{line}")
def show_plan(asked: PlanRequest) -> Response:
    """Render a planned position; the table with the reason if it can't be planned any more."""
    try:
        return asked.show()
    except Conflict as error:
        return asked.renderer.show(asked.request, asked.state, str(error), error.status)


@router.post("/plan/{line}/move")
def plan_move(asked: PlanRequest, form: FormFields) -> Response:
    """Go on with an action of the seat to move on the copy. Nothing is stored."""
    line = f"{asked.line}-{form.number('action')}"
    return replace(asked, line=line).show() if is_partial(asked.request) else redirect(asked.address(line))


@router.post("/plan/{line}/save")
def save_plan(asked: PlanRequest) -> Response:
    asked.plans.add_line(asked.table_id, asked.guest, *asked.numbers)
    return redirect_to_table(asked.table_id)


@router.get("/plan/{line}/previews/{actions}")
def show_previews(asked: PlanRequest, actions: str) -> Response:
    """Return previews of actions in the main picture of a planned position."""
    return render_previews(asked.request, asked.view(), parse_previews(actions))


@router.get("/plan/{line}/explain")
def explain_illegal(asked: PlanRequest, panel: str = "", x: str = "", y: str = "", seen: int | None = None) -> Response:
    """Return why the planner cannot choose a point of a picture, as at a table."""
    return render_explanation(asked.request, asked.view(), panel, x, y, seen)


@router.get("/plan/{line}/text")
def show_text(asked: PlanRequest) -> Response:
    """Return a planned position as text, as the planner sees it."""
    return render_text(asked.view())


# --- repeated answers ------------------------------------------------------------------------------


@router.get("/answers")
def show_answers(
    request: Request, tables: TableService, plans: PlanService, visitor: Visitor, table_id: str
) -> Response:
    """Render the visitor's last answers to each kind of question, with the repeated ones."""
    state = tables.get(table_id)
    held = own_seats(state.table, visitor.id)
    may_repeat = may_repeat_answers(state.table, held)
    facts: dict[str, Any] = {
        "table": state.table,
        "game": state.play.game.meta,
        "address": f"/table/{table_id}",
        "recent": recent_answers(state, held[0]) if may_repeat else (),
        "repeated": plans.of_player(state.table, visitor.id, held[0]).answers,
        "may_repeat": may_repeat,
    }
    return render(request, "answers.html", **facts)


@router.post("/answers")
def repeat_answer(plans: PlanService, visitor: Visitor, form: FormFields, table_id: str) -> Response:
    """Repeat one of the visitor's last answers, until another question is answered or until the end of the game."""
    plans.repeat_answer(table_id, visitor.id, form.text("answer"), lasts=form.text("lasts") == "1")
    return redirect_to_table(table_id)


@router.post("/plans/remove")
def remove_plan(plans: PlanService, visitor: Visitor, form: FormFields, table_id: str) -> Response:
    plans.remove(table_id, visitor.id, form.text("key"))
    return redirect_to_table(table_id)
