"""Pages of puzzles: the list of games and themes, and a puzzle with its answer."""

from collections import Counter
from dataclasses import dataclass
from functools import cached_property
from typing import Any, NamedTuple

from markupsafe import Markup
from starlette.requests import Request
from starlette.responses import Response

from ...core.contract import Meta
from ...core.english import pluralize
from ...play import panels as picture
from ...puzzles import REPEATS, STAGES, Answer
from ..clock import Clock
from ..errors import NotFound
from ..puzzles.service import PuzzleService, SitePuzzle, find_puzzle, games_with_puzzles, puzzles_of, viewer_of
from ..users.visitors import current_visitor
from .forms import FormFields, redirect
from .fragments import ShownFragments
from .game_analysis import with_preview
from .routing import FromRequest, Router
from .seat_cards import seat_fragment
from .sharing import Card
from .table import parse_previews, render_explanation, render_previews, render_text
from .table_page import TablePage
from .templating import VARY, is_partial, public_url, render

router = Router(prefix="/puzzles")
THEME_KEY = "puzzle_theme"  # the cookie's key of the theme that the visitor has chosen
RIGHT, WRONG, SOLUTION = "right", "wrong", "solution"  # verdicts on an answer, the last one after giving up


class PuzzlePage(TablePage):
    """The page of a puzzle for its seat. With an action `shown`, the board shows it, and nothing can be chosen."""

    shown: int | None = None

    @property
    def course_buttons(self) -> Markup:
        """No courses: an answer is a single action."""
        return Markup()

    @cached_property
    def panels(self) -> list[picture.RenderedPanel]:
        if self.shown is None:
            return self.history.panels
        return with_preview(picture.panels(self.history.view), self.history.view, self.shown)


class Chance(NamedTuple):
    """The worth of an action, in words."""

    words: str  # the action
    worth: str  # the chance to win with it, or the points with a single seat
    is_solution: bool
    is_chosen: bool


@dataclass(frozen=True)
class PuzzleRequest(FromRequest):
    """A request for a puzzle."""

    request: Request
    puzzles: PuzzleService
    clock: Clock
    puzzle_id: str

    @cached_property
    def puzzle(self) -> SitePuzzle:
        return find_puzzle(self.puzzle_id)

    @property
    def guest(self) -> str:
        return current_visitor(self.request).id

    @property
    def address(self) -> str:
        return f"/puzzles/{self.puzzle.id}"

    def view(self) -> PuzzlePage:
        state = self.puzzles.state(self.puzzle)
        return PuzzlePage(state, viewer_of(state), now=self.clock.now())

    def show(self, chosen: int | None = None, *, solution: bool = False) -> Response:
        """Render the puzzle, or the verdict on an action, or the solution."""
        view, facts = self.view(), self.facts()
        if solution or chosen is not None:
            facts |= verdict_facts(self.puzzle, view, chosen)
            view.shown = self.puzzle.puzzle.solution.action if chosen is None else chosen
        cards = [seat_fragment(card, view.icons, view.panels, len(view.seats) > 1, Markup()) for card in view.seats]
        facts |= {"view": view, "table": view.table, "game": view.game.meta, "seats": cards}
        facts |= {"kept": ShownFragments.of(self.request), "sure": "", "asks": not facts["verdict"]}
        facts |= {"title": f"Puzzle {self.puzzle.number}", "body": "_puzzle.html", "note": ""}
        title = f"{facts['title']}: {view.game.meta.title}"
        facts["card"] = Card(title, "Find the only good move.", public_url(self.request) + self.address)
        template = facts["body"] if is_partial(self.request) else "practice.html"
        return render(self.request, template, headers={"Vary": VARY}, **facts)

    def facts(self) -> dict[str, Any]:
        puzzles, puzzle, guest = self.puzzles, self.puzzle, self.guest
        daily, rated = puzzles.daily(), puzzles.is_rated(guest)
        theme = self.request.session.get(THEME_KEY, "")
        return {
            "puzzle": puzzle,
            "address": self.address,
            "theme": theme if theme in puzzle.themes else "",
            "is_daily": daily is not None and daily.id == puzzle.id,
            "attempt": puzzles.find_attempt(puzzle, guest),
            "rated": rated,
            "rating": puzzles.rating(puzzle.puzzle.game, guest) if rated else None,
            "puzzle_rating": puzzles.puzzle_rating(puzzle),
            "streak": puzzles.streak(guest) if rated else 0,
            "verdict": "",
        }


def verdict_facts(puzzle: SitePuzzle, view: TablePage, chosen: int | None) -> dict[str, Any]:
    """Return the template variables of an answer, or of the solution without one."""
    found, labels = puzzle.puzzle, {one.action: one.words for one in view.history.action_labels}
    verdict = SOLUTION if chosen is None else RIGHT if found.is_solved_by(chosen) else WRONG
    chances = [
        Chance(labels[one.action], worth_of(one, found.seats), found.is_solved_by(one.action), one.action == chosen)
        for one in found.answers
    ]
    return {
        "verdict": verdict,
        "chosen": labels.get(chosen, "") if chosen is not None else "",
        "why": why(puzzle, chosen),
        "chances": () if verdict == WRONG else chances,
        "gap": gap_words(puzzle),
        "simulations": REPEATS * max(found.simulations),
    }


def worth_of(answer: Answer, seats: int) -> str:
    """Return the chance to win with an answer; with a single seat, its points."""
    return f"{answer.chance:.0%}" if seats > 1 else pluralize(round(answer.lead), "point")


def why(puzzle: SitePuzzle, chosen: int | None) -> str:
    """Return a sentence that compares the best answer with the chosen one, or with the best wrong one."""
    found = puzzle.puzzle
    is_right = chosen is None or found.is_solved_by(chosen)
    other = found.answers[found.solutions] if is_right else found.answer(chosen or 0)
    best = worth_of(found.solution, found.seats)
    gain = f"win about {best} of the time" if found.seats > 1 else f"reach about {best}"
    whose = "the next best one" if is_right else "yours"
    than = f"; with {whose}, {worth_of(other, found.seats)}" if other else ""
    return f"With the best move, you {gain}{than}."


def gap_words(puzzle: SitePuzzle) -> str:
    """Return the gap between the solution and other moves with its interval, in percentage points."""
    low, gap, high = (
        round(100 * one) for one in (puzzle.puzzle.interval[0], puzzle.puzzle.gap, puzzle.puzzle.interval[1])
    )
    return f"{pluralize(gap, 'percentage point')} ({low} to {high})"


# --- pages -----------------------------------------------------------------------------------------


@router.get("")
def show_puzzles(request: Request, puzzles: PuzzleService) -> Response:
    """Render the games with their themes, and the puzzle of the day."""
    guest = current_visitor(request).id
    rated, daily = puzzles.is_rated(guest), puzzles.daily()
    games = [game_facts(puzzles, meta, guest) for meta in games_with_puzzles()]
    streak = puzzles.streak(guest) if rated else 0
    facts: dict[str, Any] = {"games": games, "daily": daily, "day": puzzles.today(), "streak": streak, "rated": rated}
    return render(request, "puzzles.html", **facts)


def game_facts(puzzles: PuzzleService, meta: Meta, guest: str) -> dict[str, Any]:
    found = puzzles_of(meta.name).values()
    tried = puzzles.tried(meta.name, guest) if guest else {}
    kinds = Counter(one.themes[0] for one in found)
    stages = Counter(one.themes[1] for one in found)
    return {
        "meta": meta,
        "count": len(found),
        "tried": len(tried),
        "solved": sum(tried.values()),
        "rating": puzzles.rating(meta.name, guest) if tried else None,
        "themes": [*kinds.most_common(), *((stage, stages[stage]) for stage in STAGES if stages[stage])],
    }


@router.get("/next")
def show_next(request: Request, puzzles: PuzzleService, game: str = "", theme: str = "", after: int = 0) -> Response:
    """Redirect to a game's next puzzle of a theme for the visitor. The links of its page stay in this theme."""
    puzzle = puzzles.next(game, theme, after, current_visitor(request).id)
    request.session.pop(THEME_KEY, None)
    if theme:
        request.session[THEME_KEY] = theme
    return redirect(f"/puzzles/{puzzle.id}")


@router.get("/{puzzle_id}")
def show_puzzle(asked: PuzzleRequest, move: int | None = None, solution: int = 0) -> Response:
    """Render a puzzle; with `move` or `solution`, what is said of a move, or the solution.

    Nothing is said while an attempt of the visitor could still be rated.
    """
    if (move is None and not solution) or not asked.puzzles.may_see_solution(asked.puzzle, asked.guest):
        return asked.show()
    if move is not None and move not in asked.view().legal_actions:
        raise NotFound(f"Action {move} is not possible in this puzzle.")
    return asked.show(move, solution=bool(solution))


@router.post("/{puzzle_id}/move")
def answer(asked: PuzzleRequest, form: FormFields) -> Response:
    """Answer with a move."""
    action = form.number("action")
    asked.puzzles.answer(asked.puzzle, action, asked.guest)
    return asked.show(action) if is_partial(asked.request) else redirect(f"{asked.address}?move={action}")


@router.post("/{puzzle_id}/solution")
def give_up(asked: PuzzleRequest) -> Response:
    """Show the solution, which is a failed attempt if it is the first one."""
    asked.puzzles.answer(asked.puzzle, None, asked.guest)
    return asked.show(solution=True) if is_partial(asked.request) else redirect(f"{asked.address}?solution=1")


@router.get("/{puzzle_id}/previews/{actions}")
def show_previews(asked: PuzzleRequest, actions: str) -> Response:
    """Return previews of actions in the main picture."""
    return render_previews(asked.request, asked.view(), parse_previews(actions))


@router.get("/{puzzle_id}/explain")
def explain_illegal(
    asked: PuzzleRequest, panel: str = "", x: str = "", y: str = "", seen: int | None = None
) -> Response:
    """Return why the solver cannot choose a point of a picture, as at a table."""
    return render_explanation(asked.request, asked.view(), panel, x, y, seen)


@router.get("/{puzzle_id}/text")
def show_text(asked: PuzzleRequest) -> Response:
    """Return the position as text, as the solver sees it."""
    return render_text(asked.view())
