"""Puzzles: one by its id or that of the day, and answers to them."""

from fastapi import APIRouter

from ..errors import NotFound
from ..puzzles.service import SitePuzzle, find_puzzle, viewer_of
from ..tables.table_view import TableView
from .auth import ClockDep, CurrentToken, FairThreads, PuzzlesDep
from .positions import legal
from .schemas import PuzzleAnswer, PuzzleChance, PuzzleFacts, PuzzleId, PuzzleVerdict

DAILY = "daily"  # stands for the id of the puzzle of the day
router = APIRouter(prefix="/puzzles", tags=["puzzles"], route_class=FairThreads)


def named_puzzle(puzzles: PuzzlesDep, puzzle: PuzzleId) -> SitePuzzle:
    """Return a puzzle by its id; NotFound if there is none."""
    if puzzle != DAILY:
        return find_puzzle(puzzle)
    daily = puzzles.daily()
    if daily is None:
        raise NotFound("This site has no puzzles.")
    return daily


@router.get("/{puzzle}")
def read_puzzle(clock: ClockDep, puzzles: PuzzlesDep, caller: CurrentToken, puzzle: PuzzleId) -> PuzzleFacts:
    """Return a puzzle: its position as its seat sees it, with the legal actions."""
    found = named_puzzle(puzzles, puzzle)
    state = puzzles.state(found)
    view = TableView(state, viewer_of(state), now=clock.now())
    return PuzzleFacts(
        puzzle=found.id,
        game=found.puzzle.game,
        seat=view.viewer.seat + 1,
        tried=puzzles.find_attempt(found, caller.player) is not None,
        legal=legal(view),
        observation=view.observation.to_dict(),
        text=view.observation.describe(),
    )


@router.post("/{puzzle}/answer")
def answer_puzzle(puzzles: PuzzlesDep, caller: CurrentToken, puzzle: PuzzleId, given: PuzzleAnswer) -> PuzzleVerdict:
    """Answer a puzzle. The first answer with an account changes your rating."""
    found, guest = named_puzzle(puzzles, puzzle), caller.player
    solved = puzzles.answer(found, given.action, guest)
    chances = [
        PuzzleChance(
            action=one.action,
            words=one.words,
            chance=one.chance if found.puzzle.seats > 1 else None,
            points=one.lead,
            solves=found.puzzle.is_solved_by(one.action),
        )
        for one in found.puzzle.answers
    ]
    rated = puzzles.is_rated(guest)
    rating = puzzles.rating(found.puzzle.game, guest)
    return PuzzleVerdict(
        puzzle=found.id,
        solved=solved,
        answers=chances,
        gap=found.puzzle.gap,
        interval=list(found.puzzle.interval),
        themes=list(found.themes),
        rating=rating.points if rated else None,
        doubt=rating.uncertainty if rated else None,
        streak=puzzles.streak(guest),
    )
