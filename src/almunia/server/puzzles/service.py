"""Puzzles of the site: the puzzles in the games' files, the daily one, attempts and ratings.

A puzzle is named by its game and its number in the file, such as `oregon-12`. Its position is a table that exists in
memory alone, so its pages show what its seat may know, as at other tables. Guests solve puzzles without a rating, and
nothing is stored about them.
"""

import logging
import re
from collections.abc import Mapping
from datetime import UTC, date, datetime, timedelta
from functools import cache, lru_cache
from typing import NamedTuple

from ... import catalog
from ...core.contract import Meta
from ...errors import AlmuniaError
from ...library import Game, game
from ...puzzles import Puzzle, load_puzzles
from ..clock import Clock
from ..errors import BadRequest, NotFound
from ..ratings.ratings import Rating
from ..tables.builds import PLAIN_BUILD, GameBuilds
from ..tables.model import MOVE, PERSON, Seat, Table, TableEvent
from ..tables.state import TableState
from ..tables.viewer import Viewer
from .repository import Attempt, PuzzleRepository

ID_PATTERN = re.compile(r"(?P<game>[\w-]{1,64})-(?P<number>[1-9][0-9]{0,5})", re.ASCII)
MAX_CACHED_STATES = 64

log = logging.getLogger(__name__)


class SitePuzzle(NamedTuple):
    """A puzzle with its place in its game's file."""

    number: int
    puzzle: Puzzle

    @property
    def id(self) -> str:
        return f"{self.puzzle.game}-{self.number}"

    @property
    def themes(self) -> tuple[str, str]:
        """The kind of the best move and the stage of the game, as visitors read them."""
        return self.puzzle.theme.kind.lower().replace("_", " "), self.puzzle.theme.stage


@cache
def puzzles_of(name: str) -> Mapping[int, SitePuzzle]:
    """Return the puzzles of a game by number; if they cannot be loaded, log a warning, and return none."""
    try:
        found = load_puzzles(game(name, PLAIN_BUILD))
    except AlmuniaError as error:
        log.warning("The puzzles of %s cannot be used: %s", name, error)
        return {}
    return {number: SitePuzzle(number, puzzle) for number, puzzle in found.items()}


def games_with_puzzles() -> list[Meta]:
    return [meta for meta in catalog.all_games() if puzzles_of(meta.name)]


def find_puzzle(puzzle_id: str) -> SitePuzzle:
    """Return a puzzle by its id; raise NotFound if there is no such puzzle."""
    found = ID_PATTERN.fullmatch(puzzle_id)
    known = puzzles_of(found["game"]) if found and found["game"] in catalog.game_packages() else {}
    puzzle = known.get(int(found["number"])) if found else None
    if puzzle:
        return puzzle
    raise NotFound(f"There is no puzzle {puzzle_id[:40]!r}. The Puzzles page lists the games that have some.")


def viewer_of(state: TableState) -> Viewer:
    return Viewer(state.table.turn, (state.table.turn,))


class PuzzleService:
    def __init__(self, repository: PuzzleRepository, builds: GameBuilds, clock: Clock) -> None:
        self._repository, self._builds, self._clock = repository, builds, clock
        self._cached_state = lru_cache(MAX_CACHED_STATES)(make_state)

    # --- puzzles --------------------------------------------------------------------------

    def today(self) -> date:
        return datetime.fromtimestamp(self._clock.now(), UTC).date()

    def daily(self) -> SitePuzzle | None:
        """Return the puzzle of the day, another game each day; None without any puzzles."""
        games, day = games_with_puzzles(), self.today().toordinal()
        if not games:
            return None
        puzzles = list(puzzles_of(games[day % len(games)].name).values())
        return puzzles[day // len(games) % len(puzzles)]

    def state(self, puzzle: SitePuzzle) -> TableState:
        """Return the puzzle's position as the state of a table, cached."""
        return self._cached_state(self._builds.get(puzzle.puzzle.game), puzzle.number)

    def next(self, name: str, theme: str, after: int, guest: str) -> SitePuzzle:
        """Return a game's next puzzle of a theme: one that the account has not tried, with a rating near its own.

        Without an account, and when all have been tried, it is the puzzle after the number `after`. Raise NotFound
        if the game has no puzzle of this theme. An empty theme means all.
        """
        found = [one for one in puzzles_of(name).values() if theme in ("", *one.themes)]
        if not found:
            of_theme = f" of the theme {theme[:40]!r}" if theme else ""
            raise NotFound(f"There is no puzzle of {name[:40]!r}{of_theme}.")
        if self.is_rated(guest):
            tried, ratings = self._repository.tried_puzzles(guest, name), self._repository.puzzle_ratings(name)
            own = self._repository.solver_rating(guest, name)
            if fresh := [one for one in found if one.number not in tried]:
                return min(fresh, key=lambda one: abs(ratings.get(one.number, Rating()).mu - own.mu))
        return next((one for one in found if one.number > after), found[0])

    # --- attempts -------------------------------------------------------------------------

    def is_rated(self, guest: str) -> bool:
        """Return whether the guest has an account, and so a rating."""
        return self._repository.has_account(guest)

    def find_attempt(self, puzzle: SitePuzzle, guest: str) -> Attempt | None:
        return self._repository.find_attempt(guest, puzzle.puzzle.game, puzzle.number) if guest else None

    def may_see_solution(self, puzzle: SitePuzzle, guest: str) -> bool:
        """Return whether nothing is at stake: the guest has no account, or has tried the puzzle before."""
        return not self.is_rated(guest) or self.find_attempt(puzzle, guest) is not None

    def answer(self, puzzle: SitePuzzle, action: int | None, guest: str) -> bool:
        """Save an answer, or None for giving up, and return whether it is right.

        Raise BadRequest if the action is not possible in the position.
        """
        legal = self.state(puzzle).play.legal_actions
        if action is not None and action not in legal:
            raise BadRequest(f"Action {action} is not possible in this puzzle. Choose one that it lists.")
        daily, solved = self.daily(), action is not None and puzzle.puzzle.is_solved_by(action)
        day = self.today().isoformat() if daily and daily.id == puzzle.id else ""
        self._repository.save_attempt(
            guest,
            puzzle.puzzle.game,
            puzzle.number,
            day=day,
            action=action,
            solved=solved,
            now=self._clock.now(),
        )
        return solved

    def rating(self, name: str, guest: str) -> Rating:
        return self._repository.solver_rating(guest, name)

    def puzzle_rating(self, puzzle: SitePuzzle) -> Rating:
        return self._repository.puzzle_ratings(puzzle.puzzle.game).get(puzzle.number, Rating())

    def tried(self, name: str, guest: str) -> Mapping[int, bool]:
        """Return whether the guest solved each tried puzzle of a game at the first attempt, by number."""
        return self._repository.tried_puzzles(guest, name)

    def streak(self, guest: str) -> int:
        """Return how many days in a row the guest has solved the daily puzzle, up to today or yesterday."""
        days, day, count = self._repository.solved_days(guest), self.today(), 0
        if day.isoformat() not in days:
            day -= timedelta(days=1)
        while day.isoformat() in days:
            day, count = day - timedelta(days=1), count + 1
        return count


def make_state(build: Game, number: int) -> TableState:
    """Return the state of a table that is in the position of a puzzle. Its players are called by their seats."""
    found = puzzles_of(build.name)[number]
    puzzle, play = found.puzzle, build.start(found.puzzle.seats, found.puzzle.seed, found.puzzle.options)
    events = []
    for action in puzzle.actions:
        events.append(TableEvent(play.turn, MOVE, action))
        play.apply(action)
    table = Table(
        id=f"puzzle-{found.id}",
        game=puzzle.game,
        rules=puzzle.rules,
        components=puzzle.components,
        options=puzzle.options,
        seed=puzzle.seed,
        seats=tuple(Seat(PERSON, "", f"Player {seat + 1}") for seat in range(puzzle.seats)),
        host="",
        turn=play.turn,
    )
    return TableState.from_events(table, events, build)
