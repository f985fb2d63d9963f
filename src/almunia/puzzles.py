"""Puzzles: positions in which one action is clearly best, found in plays and stored in a file of their game.

A puzzle is a position in which a player chose badly. Searches of two sizes, each repeated with other seeds, must agree
on the solution and that every other action costs a lot of the chance to win, and one far larger search confirms it.
They know what the seat to move may know. So all worlds that this seat cannot tell apart have the same solution. Two
actions that are equally good, such as a symmetric card turned either way, are one solution.

The file has one puzzle a line, as JSON. A puzzle's number is its line, so puzzles are appended and never reordered.
"""

import json
from collections.abc import Iterable, Iterator, Mapping, Sequence
from dataclasses import asdict, dataclass, fields
from itertools import chain, islice
from math import sqrt
from statistics import mean, stdev
from typing import NamedTuple, Self

from . import bots
from .analysis import GOOD, INACCURACY, VERDICTS, Analyst, JudgedAction
from .core.loaded import LoadedGame
from .errors import RecordError, SetupError
from .files import read_text
from .play.play import Play
from .validation import MAX_SEED

FILE = "puzzles.jsonl"
DEFAULT_SIMULATIONS = 400  # of the smaller searches; `WIN_CHANCE` is fitted to searches of this size
DEEPER = 4  # times as many simulations have the larger searches, and a quarter as many the first look at a choice
REPEATS = 5  # searches of each size
CONFIRMING = 32  # times as many simulations has the search that confirms a puzzle
STUDENT_T = 2.776  # half-width of a 95% interval of the mean of REPEATS values, in standard errors
MAX_LOSS = VERDICTS[GOOD]  # of the chance to win, by an action of the solution
MIN_GAP = VERDICTS[INACCURACY]  # of the chance to win, that each other action loses
MAX_SOLUTIONS = 2  # actions of a solution
MIN_ACTIONS = 4  # legal ones; among fewer, a guess is too often right
MAX_ANSWERS = 4  # actions that are compared
STAGES = ("opening", "middle", "end")  # thirds of a play, by its actions
SEED_STRIDE = 0x9E3779B97F4A7C15  # between the seeds of two plays


class Answer(NamedTuple):
    """An action of a puzzle, with means over the larger searches."""

    action: int  # its code
    words: str
    chance: float  # to win, 0 to 1; with a single seat, against an equal opponent who chooses the best action
    lead: float  # in points over the best other seat at the end of the search; with a single seat, its points


class Theme(NamedTuple):
    kind: str  # of the best action, as the game's CODES name it
    stage: str  # one of STAGES


@dataclass(frozen=True)
class Puzzle:
    """A position with its solution and where it comes from."""

    game: str  # its name
    rules: int  # the version of the game's rules
    components: str  # the hash of its component tables
    seats: int
    seed: int  # of the play
    options: dict[str, str]
    players: tuple[str, ...]  # names by seat, such as the specs of bots; may be empty
    actions: tuple[int, ...]  # that lead to the position, by their codes
    answers: tuple[Answer, ...]  # that were compared, the best first
    solutions: int  # the number of answers that are right, which are the first ones
    gap: float  # between the chances of the best answer and of the best wrong one
    interval: tuple[float, float]  # of the gap, 95%
    simulations: tuple[int, int]  # of the smaller and of the larger searches
    theme: Theme

    @property
    def solution(self) -> Answer:
        """The best answer."""
        return self.answers[0]

    def is_solved_by(self, action: int) -> bool:
        return any(answer.action == action for answer in self.answers[: self.solutions])

    def answer(self, action: int) -> Answer | None:
        """Return what is known of an action; None if it was not among the actions that were compared."""
        return next((answer for answer in self.answers if answer.action == action), None)

    def fits(self, game: LoadedGame) -> bool:
        """Return whether the installed rules and component tables are those of the puzzle."""
        return (self.rules, self.components) == (game.meta.rules_version, game.components_hash)

    def play(self, game: LoadedGame) -> Play:
        """Return the play in the puzzle's position.

        Raises:
            SetupError: the game does not take the seats, seed or options.
            IllegalAction: the actions cannot be played, because the puzzle does not fit the game.
        """
        play = Play.start(game, self.seats, self.seed, self.options)
        for action in self.actions:
            play.apply(action)
        return play

    def to_json(self) -> str:
        """Return the puzzle as a line of a file."""
        return json.dumps(asdict(self), ensure_ascii=False, separators=(",", ":"))

    @classmethod
    def from_json(cls, line: str) -> Self:
        """Return the puzzle in a line of a file. Raise RecordError if the line is no puzzle."""
        try:
            data = json.loads(line)
            if not isinstance(data, dict) or data.keys() != {field.name for field in fields(cls)}:
                raise ValueError(f"its fields are not {', '.join(field.name for field in fields(cls))}")
            data["answers"] = tuple(Answer(*answer) for answer in data["answers"])
            data["theme"] = Theme(*data["theme"])
            for name in ("players", "actions", "interval", "simulations"):
                data[name] = tuple(data[name])
            return cls(**data)
        except (ValueError, TypeError) as error:
            raise RecordError(f"This is no puzzle: {error}.") from None


def load_puzzles(game: LoadedGame) -> dict[int, Puzzle]:
    """Return the puzzles of a game that fit its rules and component tables, by their numbers from 1.

    Raise RecordError, with the number of the line, if a line of the game's file is no puzzle.
    """
    file = game.file(FILE)
    found: dict[int, Puzzle] = {}
    for number, line in enumerate(read_text(file).splitlines() if file.is_file() else (), 1):
        try:
            puzzle = Puzzle.from_json(line)
        except RecordError as error:
            raise RecordError(f"Line {number} of the {FILE} of {game.meta.title}: {error}") from None
        if puzzle.fits(game):
            found[number] = puzzle
    return found


# --- search for puzzles ---------------------------------------------------------------------------


def bot_plays(game: LoadedGame, seats: int | None, spec: str, seed: int, options: Mapping[str, str]) -> Iterator[Play]:
    """Yield finished plays between bots without end, each with another deal.

    Raise SetupError for seats, options or a spec that cannot be used.
    """
    while True:
        play = Play.start(game, seats, seed, options)
        players = [bots.make(spec, game, (seed + seat) % (MAX_SEED + 1)) for seat in range(play.seats)]
        while not play.over:
            play.apply(players[play.turn].choose(play.observe(play.turn)))
        yield play
        seed = (seed + SEED_STRIDE) % (MAX_SEED + 1)


class PuzzleFinder:
    """Finds puzzles in plays of one game with one number of seats."""

    def __init__(self, game: LoadedGame, seats: int, simulations: int = DEFAULT_SIMULATIONS) -> None:
        self.simulations = simulations, DEEPER * simulations
        self._game = game
        self._analysts = [Analyst(game, seats, size, threads=1) for size in self.simulations]
        self._first_look = Analyst(game, seats, max(1, simulations // DEEPER), threads=1)
        self._last_look = Analyst(game, seats, CONFIRMING * simulations, threads=1)

    def find(self, play: Play, players: Sequence[str] = ()) -> Iterator[Puzzle]:
        """Yield the puzzles of a play, at most one of each theme.

        Raise SetupError if the play was not started from a seed.
        """
        if play.seed is None:
            raise SetupError("Only a play that was started from a seed has puzzles, because it is played again.")
        again, themes = Play.start(play.game, play.seats, play.seed, play.options), set[Theme]()
        for number, action in enumerate(play.actions):
            stage = STAGES[len(STAGES) * number // len(play.actions)]
            puzzle = self._judge(again, action, stage, players)
            if puzzle and puzzle.theme not in themes:
                themes.add(puzzle.theme)
                yield puzzle
            again.apply(action)

    def _judge(self, play: Play, action: int, stage: str, players: Sequence[str]) -> Puzzle | None:
        """Return the puzzle in the position of `play`, in which the player chose `action`; None if it is none."""
        if len(play.legal_actions) < MIN_ACTIONS or self._first_look.judge(play, action, 0).lost_chance < MIN_GAP:
            return None
        smaller = self._compare(play, self._analysts[0])
        larger = self._compare(play, self._analysts[1]) if smaller else None
        if not (smaller and larger) or set(smaller.solutions) != set(larger.solutions) or action in larger.solutions:
            return None
        if not self._is_alone(play, larger.solutions) or not self._is_confirmed(play, larger.solutions):
            return None
        kind, _ = self._game.rules.CODES.split(larger.solutions[0])
        return Puzzle(
            game=play.game.name,
            rules=play.game.meta.rules_version,
            components=play.game.components_hash,
            seats=play.seats,
            seed=play.seed or 0,
            options={name: value for name, value in play.options.items() if value},
            players=tuple(players),
            actions=tuple(play.actions),
            answers=larger.answers(play),
            solutions=len(larger.solutions),
            gap=round(mean(larger.gaps), 4),
            interval=larger.interval,
            simulations=self.simulations,
            theme=Theme(kind, stage),
        )

    def _is_alone(self, play: Play, solutions: Sequence[int]) -> bool:
        """Return whether no other legal action is as good: searches consider some of them alone."""
        return are_alone(solutions, self._analysts[0].compare(play, len(play.legal_actions), 0))

    def _is_confirmed(self, play: Play, solutions: Sequence[int]) -> bool:
        return are_alone(solutions, self._last_look.compare(play, MAX_ANSWERS - 1, 0))

    def _compare(self, play: Play, analyst: Analyst) -> "Comparison | None":
        """Return the searches of one size; None if too many actions are good, or the gap is not clear."""
        searches: list[list[JudgedAction]] = []
        for seed in range(1, REPEATS + 1):
            searches.append(analyst.compare(play, MAX_ANSWERS - 1, seed))
            if sum(one.lost_chance < MIN_GAP for one in searches[-1]) > MAX_SOLUTIONS:
                return None
        comparison = Comparison(searches)
        return comparison if comparison.interval[0] >= MIN_GAP else None


def are_alone(solutions: Sequence[int], judged: Sequence[JudgedAction]) -> bool:
    """Return whether every other action loses much of the chance to win."""
    return all(one.action in solutions or one.lost_chance >= MIN_GAP for one in judged)


class Comparison:
    """Several searches of one position."""

    def __init__(self, searches: Sequence[Sequence[JudgedAction]]) -> None:
        self._judged: dict[int, list[JudgedAction]] = {}
        for one in chain(*searches):
            self._judged.setdefault(one.action, []).append(one)
        losses = {action: mean(one.lost_chance for one in judged) for action, judged in self._judged.items()}
        self._losses, self._order = losses, sorted(losses, key=lambda action: losses[action])
        self.solutions = tuple(action for action in self._order if losses[action] <= MAX_LOSS)  # the best first
        self.gaps = [  # the chance that the best wrong action loses, by each search
            min((one.lost_chance for one in search if one.action not in self.solutions), default=0.0)
            for search in searches
        ]

    @property
    def interval(self) -> tuple[float, float]:
        """The 95% interval of the mean gap."""
        width = STUDENT_T * stdev(self.gaps) / sqrt(len(self.gaps))
        return round(mean(self.gaps) - width, 4), round(mean(self.gaps) + width, 4)

    def answers(self, play: Play) -> tuple[Answer, ...]:
        """Return the MAX_ANSWERS best actions, the best first, with means over the searches that judged them."""
        best = mean(one.chance for one in self._judged[self._order[0]])
        return tuple(
            Answer(
                action,
                play.action_to_string(action),
                round(best - self._losses[action], 4),
                round(mean(one.lead for one in self._judged[action]), 2),
            )
            for action in self._order[:MAX_ANSWERS]
        )


def find_puzzles(
    plays: Iterable[tuple[Play, Sequence[str]]], count: int, simulations: int = DEFAULT_SIMULATIONS
) -> Iterator[Puzzle]:
    """Yield up to `count` puzzles from plays with the names of their players.

    The same plays and simulations give the same puzzles. Raise SetupError if a play was not started from a seed.
    """
    finders: dict[tuple[LoadedGame, int], PuzzleFinder] = {}

    def found() -> Iterator[Puzzle]:
        for play, players in plays:
            key = play.game, play.seats
            if key not in finders:
                finders[key] = PuzzleFinder(*key, simulations)
            yield from finders[key].find(play, players)

    return islice(found(), count)
