"""Analysis of plays: what each choice cost, judged by a search from what its seat could know.

A search says which action is best and how likely the seat wins with it. The game's `WIN_CHANCE` turns the utilities of
the search into chances, fitted to results: of all choices with a chance of 70%, about seven of ten lead to a win.
"""

from collections import Counter
from collections.abc import Callable, Iterable, Sequence
from dataclasses import dataclass
from itertools import repeat
from math import exp
from typing import Any, NamedTuple

from .bots.search import ActionAnalysis, SearchBot
from .bots.search.kernels.ismcts import win_probability
from .bots.search.settings import search_settings
from .bots.search.win_chance import WinChance
from .bots.spec import Budget
from .core.loaded import LoadedGame
from .errors import SetupError
from .luck import Balance, Luck, LuckMeter
from .play.play import Observation, Play
from .validation import check_int, check_seed

ANALYSIS_VERSION = 4  # to be raised when the same play gets another analysis; a site analyses its games again then
DEFAULT_SIMULATIONS = 400  # for a decision; `WIN_CHANCE` is fitted to searches of this size
MAX_SIMULATIONS = 1_000_000
GOOD, FAIR, INACCURACY, MISTAKE, BLUNDER = "good", "fair", "inaccuracy", "mistake", "blunder"
VERDICTS = {GOOD: 0.02, FAIR: 0.05, INACCURACY: 0.1, MISTAKE: 0.2, BLUNDER: 1.0}  # the greatest loss of each
ACCURACY_DECAY = 4.35  # of the accuracy of a choice with its loss; lichess.org uses about the same


@dataclass(frozen=True)
class Decision:
    """A choice between several legal actions."""

    number: int  # of the action in the play, from 1
    seat: int  # that chose
    action: int  # that was chosen, by its code
    best: int  # the best action by the search, by its code
    chance: float | None  # to win with the best action, 0 to 1; None with a single seat
    lead: float  # in points over the best other seat at the end of the search; with a single seat, its points
    lost_chance: float  # by the choice, 0 to 1; with a single seat, against an equal opponent
    lost_points: float  # by the choice, at least 0

    @property
    def verdict(self) -> str:
        """One of VERDICTS."""
        return next(verdict for verdict, limit in VERDICTS.items() if self.lost_chance <= limit)

    @property
    def accuracy(self) -> float:
        """100 for a choice that costs nothing; it falls exponentially with the lost chance."""
        return 100 * exp(-ACCURACY_DECAY * self.lost_chance)


@dataclass(frozen=True)
class SeatAnalysis:
    """The decisions of a seat, together."""

    seat: int  # from 0
    decisions: tuple[Decision, ...]  # in order of play

    @property
    def accuracy(self) -> float | None:
        """The mean accuracy, 0 to 100; None without decisions."""
        found = [decision.accuracy for decision in self.decisions]
        return sum(found) / len(found) if found else None

    @property
    def verdicts(self) -> dict[str, int]:
        """The number of decisions with each verdict."""
        counts = Counter(decision.verdict for decision in self.decisions)
        return {verdict: counts[verdict] for verdict in VERDICTS}

    @property
    def lost_points(self) -> float:
        """The sum over the decisions."""
        return sum(decision.lost_points for decision in self.decisions)

    def costliest(self, count: int | None = 3) -> tuple[Decision, ...]:
        """Return the decisions that cost most, the costliest first, without good ones; None returns all of them."""
        costly = [decision for decision in self.decisions if decision.verdict != GOOD]
        return tuple(sorted(costly, key=lambda decision: (-decision.lost_chance, decision.number))[:count])


@dataclass(frozen=True)
class PlayAnalysis:
    """All decisions of a play, in order."""

    game: str  # its name
    simulations: int  # of the search for each decision
    seed: int  # of the searches
    seats: tuple[SeatAnalysis, ...]  # in order
    luck: Luck | None = None  # None if it was not measured

    @classmethod
    def of(
        cls,
        game: str,
        simulations: int,
        seed: int,
        seats: int,
        decisions: Iterable[Decision],
        luck: Luck | None = None,
    ) -> "PlayAnalysis":
        """Return the analysis with these decisions of all seats, in order of play."""
        by_seat: list[list[Decision]] = [[] for _ in range(seats)]
        for decision in decisions:
            by_seat[decision.seat].append(decision)
        return cls(game, simulations, seed, tuple(map(SeatAnalysis, range(seats), map(tuple, by_seat))), luck)

    @property
    def decisions(self) -> tuple[Decision, ...]:
        """The decisions of all seats, in order of play."""
        every = (decision for seat in self.seats for decision in seat.decisions)
        return tuple(sorted(every, key=lambda decision: decision.number))

    @property
    def chances(self) -> tuple[tuple[float, ...], ...]:
        """The chances of all seats at each decision, which add up to 1; no rows with a single seat.

        Each seat has the chance of its latest decision, or an equal share before its first one, divided by their sum.
        """
        if len(self.seats) == 1:
            return ()
        latest, rows = [1 / len(self.seats)] * len(self.seats), []
        for decision in self.decisions:
            assert decision.chance is not None
            latest[decision.seat] = decision.chance
            rows.append(tuple(chance / sum(latest) for chance in latest))
        return tuple(rows)


def lead_of(analysis: ActionAnalysis, seat: int) -> float:
    """Return the points that a seat is ahead of the best other seat; with a single seat, its points."""
    others = [score for other, score in enumerate(analysis.scores) if other != seat]
    return analysis.scores[seat] - max(others, default=0.0)


class JudgedAction(NamedTuple):
    """An action and what a search expects of it."""

    action: int  # its code
    chance: float  # to win, 0 to 1; with a single seat, against an equal opponent who chooses the best action
    lead: float  # in points, as in `Decision`
    lost_chance: float  # against the best action, 0 to 1


class Analyst:
    """Judges decisions of one game with one number of seats."""

    def __init__(self, game: LoadedGame, seats: int, simulations: int, threads: int) -> None:
        spec, budget = f"search:{simulations}", Budget(simulations=simulations)
        self._bot = SearchBot(spec, game, 0, budget, {}, threads)
        self._bot.prepare(seats)
        self._seats, self._chance = seats, WinChance.of(game, seats)
        self._lead_scale = search_settings(game, {})["lead_scale"]

    def ranked(self, observation: Observation, seed: int) -> list[ActionAnalysis]:
        """Search, and return the analyses of the actions of the seat to move, the best first."""
        self._bot.start(seed)
        return self._bot.analyse(observation)

    def judge(self, play: Play, action: int, seed: int) -> Decision:
        """Return the decision of the seat to move for an action, from what this seat may know."""
        seat, observation = play.turn, play.observe(play.turn)
        best, *_ = self.ranked(observation, seed)
        chosen = best if action == best.action else self._bot.examine(observation, action)
        return Decision(
            number=len(play.actions) + 1,
            seat=seat,
            action=action,
            best=best.action,
            chance=self._chance.at(best.value, play.turns) if self._seats > 1 else None,
            lead=lead_of(best, seat),
            lost_chance=self._lost_chance(best, chosen, play.turns),
            lost_points=max(0.0, lead_of(best, seat) - lead_of(chosen, seat)),
        )

    def compare(self, play: Play, others: int, seed: int) -> list[JudgedAction]:
        """Return the best action of the seat to move, and the `others` actions that were visited next most.

        Each of these others gets a quarter of the simulations again, so that its value does not come from a few visits.
        Actions that the search has not considered come last.
        """
        observation = play.observe(play.turn)
        best, *rest = self.ranked(observation, seed)
        order = dict.fromkeys([*(one.action for one in rest), *observation.legal_actions])
        order.pop(best.action, None)
        examined = [best, *(self._bot.examine(observation, action) for action in list(order)[:others])]
        best_chance = self._chance.at(best.value, play.turns) if self._seats > 1 else win_probability(0.0, 1.0)
        return [
            JudgedAction(one.action, best_chance - lost, lead_of(one, play.turn), lost)
            for one in examined
            for lost in (self._lost_chance(best, one, play.turns),)
        ]

    def _lost_chance(self, best: ActionAnalysis, chosen: ActionAnalysis, turns: int) -> float:
        if self._seats > 1:
            return max(0.0, self._chance.at(best.value, turns) - self._chance.at(chosen.value, turns))
        lost_points = max(0.0, best.value - chosen.value)  # the values of a single seat are points
        return win_probability(lost_points, self._lead_scale) - win_probability(0.0, 1.0)


def analyse_play(
    play: Play,
    simulations: int = DEFAULT_SIMULATIONS,
    seed: int = 0,
    threads: int = 1,
    progress: Callable[[int, int], Any] = lambda _done, _all: None,
) -> PlayAnalysis:
    """Judge every choice of a play between several actions, from what its seat could know, and measure its luck.

    Args:
        play: a play that was started from a seed, such as `replay(record)`; it may go on.
        simulations: the simulations of the search for each decision, 1 to 1,000,000.
        seed: the seed of the searches. The same seed, simulations and threads give the same analysis.
        threads: the number of threads that search in parallel.
        progress: called with the number of actions that are done, and of all actions.

    Raises:
        SetupError: `play` is no play, or was not started from a seed, or another argument is invalid.
    """
    if not isinstance(play, Play):
        raise SetupError(f"A play is analysed, such as replay(record), not {play!r:.80}.")
    check_int("simulations", simulations, 1, MAX_SIMULATIONS)
    check_seed(seed)
    if play.seed is None:
        raise SetupError("Only a play that was started from a seed can be analysed, because it is played again.")
    again = Play.start(play.game, play.seats, play.seed, play.options)
    analyst = Analyst(play.game, play.seats, simulations, threads)
    decisions: list[Decision] = []
    meter = LuckMeter(again, seed=seed)
    for number, action in enumerate(play.actions):
        if len(again.legal_actions) > 1:
            decisions.append(analyst.judge(again, action, seed))
        meter.apply(again, action)
        progress(number + 1, len(play.actions))
    return PlayAnalysis.of(play.game.name, simulations, seed, play.seats, decisions, meter.result(again))


class Words(NamedTuple):
    """A choice and the best action in the words of records."""

    chosen: str
    best: str


def words_of_decisions(analysis: PlayAnalysis, play: Play) -> dict[int, Words]:
    """Return the words of each decision of an analysed play, by its number."""
    assert play.seed is not None
    decisions, words = {decision.number: decision for decision in analysis.decisions}, {}
    again = Play.start(play.game, play.seats, play.seed, play.options)
    for number, action in enumerate(play.actions, 1):
        if decision := decisions.get(number):
            words[number] = Words(again.action_to_string(action), again.action_to_string(decision.best))
        again.apply(action)
    return words


def analysis_data(analysis: PlayAnalysis, play: Play, names: Sequence[str]) -> dict[str, Any]:
    """Return an analysis of a play as data for JSON, with the names of the players. Seats count from 1."""
    words = words_of_decisions(analysis, play)
    return {
        "game": analysis.game,
        "simulations": analysis.simulations,
        "seed": analysis.seed,
        "seats": [
            {
                "seat": seat.seat + 1,
                "name": names[seat.seat],
                "accuracy": None if seat.accuracy is None else round(seat.accuracy, 1),
                "lost_points": round(seat.lost_points, 2),
                **seat.verdicts,
            }
            for seat in analysis.seats
        ],
        "luck": luck_data(analysis.luck) if analysis.luck else None,
        "decisions": [
            decision_data(decision, words[decision.number], chances)
            for decision, chances in zip(analysis.decisions, analysis.chances or repeat(()), strict=False)
        ],
    }


def luck_data(luck: Luck) -> dict[str, Any]:
    return {
        "seats": [
            {
                "seat": number,
                "points": balance_data(seat.points),
                "chance": seat.chance and balance_data(seat.chance),
            }
            for number, seat in enumerate(luck.seats, 1)
        ],
        "draws": [
            {
                "number": draw.number,
                "points": [round(one, 2) for one in draw.points],
                "chances": [round(one, 4) for one in draw.chances],
            }
            for draw in luck.draws
        ],
    }


def balance_data(balance: Balance) -> dict[str, float | None]:
    found = {**balance._asdict(), "choices": balance.choices}
    return {name: None if number is None else round(number, 4) for name, number in found.items()}


def decision_data(decision: Decision, words: Words, chances: Sequence[float]) -> dict[str, Any]:
    chance = decision.chance
    return {
        "number": decision.number,
        "seat": decision.seat + 1,
        "action": words.chosen,
        "best": words.best,
        "chance": None if chance is None else round(chance, 4),
        "chances": [round(one, 4) for one in chances],
        "lead": round(decision.lead, 2),
        "lost_chance": round(decision.lost_chance, 4),
        "lost_points": round(decision.lost_points, 2),
        "verdict": decision.verdict,
    }
