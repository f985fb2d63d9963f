"""Measure the search on one core: simulations per second, and how far decisions overshoot a budget in seconds.

Every timed run begins with a new tree, since a full tree grows no further. Speeds count processor time, and runs of
Almunia and OpenSpiel alternate, so that a busy machine does not change the ratio. OpenSpiel's searches are measured if
it is installed: pip install open_spiel.
"""

import sys
from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from random import Random
from statistics import fmean
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time

from almunia.arena.bench import SEED, Figure, early_play, run_python
from almunia.bots.search import SearchBot
from almunia.bots.search.settings import search_settings, tree_settings
from almunia.bots.search.workers import BeamWorker, TreeWorker, Worker
from almunia.bots.spec import Budget
from almunia.library import Game, game
from almunia.play.play import Play
from benchmarks.command import make_parser, measure_games
from benchmarks.openspiel_search import Peer, peers

FIGURES_PER_GAME = 15
RUN_BUDGET = Budget(seconds=0.5)  # of one repeat
# Without knowledge of the game: playouts choose any legal action, to the end.
FULL_PLAYOUTS = {
    "rollout_decisions": 100_000.0,
    "rollout_candidates": 1.0,
    "prior_visits": 0.0,
    "initial_width": 10_000.0,
}
BUDGETS = {"100ms": 0.1, "1s": 1.0}  # in seconds
TARGET_OVERSHOOT = 5.0  # percent
PLAYOUTS = 50  # for the mean length

FIRST_DECISION = """
from time import perf_counter
import almunia
from almunia.bots import make
game = almunia.game({name!r})
play = game.new({seats}, seed=1)
while len(play.legal_actions) == 1:
    play.apply(play.legal_actions[0])
observation = play.observe(play.turn)
start = perf_counter()
make("search:1", game, seed=1).choose(observation)
print(perf_counter() - start)
"""


def measure(name: str, repeats: int = 5) -> Iterator[Figure]:
    """Yield every figure of one game's search as it is measured."""
    bench = SearchBench(game(name), repeats)
    yield from bench.starts()
    yield from bench.speeds(peers())
    yield from bench.overshoots()


class SearchBench:
    """The search of one game: tree search with two players, and beam search with one if the game allows it."""

    def __init__(self, this: Game, repeats: int) -> None:
        self.game, self.repeats = this, repeats
        fewest, most = this.meta.seats
        self.seats = min(max(2, fewest), most)

    def starts(self) -> Iterator[Figure]:
        """Yield the seconds of a first decision, before and after the search is compiled."""
        code = FIRST_DECISION.format(name=self.game.name, seats=self.seats)
        with TemporaryDirectory() as folder:
            cold, warm = (float(run_python(code, folder)) for _ in range(2))
        yield Figure("first decision, cold: compile the search", "s", [cold])
        yield Figure("first decision, warm: with the code at hand", "s", [warm])

    # --- speed ------------------------------------------------------------------------------------

    def speeds(self, peers: Sequence[Peer]) -> Iterator[Figure]:
        """Yield simulations per second with the game's own settings, and with full playouts compared with peers."""
        if self.seats > 1:
            (own,) = alternate([self.tree_search({})], self.repeats)
            yield Figure("simulations, the game's own settings", "simulations/s", own, higher_is_better=True)
            yield from self.full_playouts(peers)
        if self.game.meta.seats[0] == 1:
            (solo,) = alternate([self.beam_search()], self.repeats)
            yield Figure("beams, alone", "beams/s", solo, higher_is_better=True)

    def full_playouts(self, peers: Sequence[Peer]) -> Iterator[Figure]:
        """Yield simulations per second with random playouts to the end, their length, and the ratio to each peer."""
        searches = [self.tree_search(FULL_PLAYOUTS), *(peer.simulate for peer in peers)]
        ours, *theirs = alternate(searches, self.repeats)
        yield Figure("simulations, full random playouts", "simulations/s", ours, higher_is_better=True)
        yield playout_length("length of such a playout", self.playout)
        for peer, runs in zip(peers, theirs, strict=True):
            yield Figure(f"for comparison: {peer.what}", "simulations/s", runs, higher_is_better=True)
            yield playout_length(f"length of a playout: {peer.what}", peer.playout)
            ratios = [mine / other for mine, other in zip(ours, runs, strict=True)]
            yield Figure(f"ratio to {peer.what}", "times", ratios, peer.goal, higher_is_better=True)

    def tree_search(self, settings: dict[str, float]) -> Callable[[], int]:
        """Return a function that searches in a new tree with these settings, and returns the number of simulations."""
        worker = TreeWorker(self.game, tree_settings(search_settings(self.game, settings)), self.seats, SEED)
        return cold_search(worker, self.early_play)

    def beam_search(self) -> Callable[[], int]:
        """Return a function that compares all candidates of one player, and returns the number of beams."""
        worker = BeamWorker(self.game, search_settings(self.game, {}), 1, SEED)
        return cold_search(worker, skip_forced(early_play(self.game, 1)))

    def playout(self, seed: int) -> int:
        """Play at random to the end. Return the number of decisions."""
        position = self.early_play
        return len(random_actions(position.observe(position.turn).determinize(seed), seed))

    # --- time -------------------------------------------------------------------------------------

    def overshoots(self) -> Iterator[Figure]:
        """Yield the mean and worst overshoot of each budget in seconds."""
        for budget in BUDGETS:
            percent = self.overshoot(budget)
            yield Figure(f"search:{budget}, mean overshoot", "%", [fmean(percent)], TARGET_OVERSHOOT)
            yield Figure(f"search:{budget}, worst overshoot", "%", [max(percent)], TARGET_OVERSHOOT)

    def overshoot(self, budget: str) -> list[float]:
        """Return the overshoot of the budget by each of `repeats` decisions, in percent."""
        bot, percent, play = SearchBot(budget, self.game, SEED, Budget.parse(budget)), list[float](), self.middle_play()
        bot.prepare(play.seats)
        while len(percent) < self.repeats:
            play = self.middle_play() if skip_forced(play).over else play
            observation = play.observe(play.turn)
            start = perf_counter()
            best, *_ = bot.analyse(observation)
            percent.append(((perf_counter() - start) / BUDGETS[budget] - 1) * 100)
            play.apply(best.action)
        return percent

    # --- positions --------------------------------------------------------------------------------

    @cached_property
    def early_play(self) -> Play:
        """A play after a few decisions, with more than one legal action."""
        return skip_forced(early_play(self.game, self.seats))

    def middle_play(self) -> Play:
        """Return a play after half of its decisions."""
        play = self.early_play.copy()
        actions = random_actions(play.copy(), SEED)
        for action in actions[: len(actions) // 2]:
            play.apply(action)
        return play


# --- ways to measure ------------------------------------------------------------------------------


def cold_search(worker: Worker, play: Play) -> Callable[[], int]:
    """Return a function that lets a worker search with a new tree, and returns the number of simulations."""
    observation = play.observe(play.turn)

    def run() -> int:
        worker.set_root(observation)
        return worker.think(RUN_BUDGET)

    return run


def alternate(calls: Sequence[Callable[[], int]], repeats: int) -> list[list[float]]:
    """Return the rates of each call. Each repeat measures all calls in turn."""
    for call in calls:
        call()  # compiles, and touches the memory
    rows = [[per_second(call) for call in calls] for _ in range(repeats)]
    return [list(column) for column in zip(*rows, strict=True)]


def per_second(call: Callable[[], int]) -> float:
    """Return the count that a call returns, per second of this thread's processor time."""
    start = thread_time()
    count = call()
    return count / (thread_time() - start)


def playout_length(what: str, playout: Callable[[int], int]) -> Figure:
    """Return the numbers of decisions of playouts. A ratio of speeds between two games depends on them."""
    return Figure(what, "decisions", [float(playout(seed)) for seed in range(PLAYOUTS)])


# --- plays ----------------------------------------------------------------------------------------


def skip_forced(play: Play) -> Play:
    """Make all forced decisions of a play, in place, until there is a choice. Return the play."""
    while len(play.legal_actions) == 1:
        play.apply(play.legal_actions[0])
    return play


def random_actions(play: Play, seed: int) -> list[int]:
    """Play at random to the end, in place. Return the actions."""
    rng, actions = Random(seed), []
    while legal := play.legal_actions:
        actions.append(rng.choice(legal))
        play.apply(actions[-1])
    return actions


def main(argv: Sequence[str] | None = None) -> int:
    """Measure the games and print the figures. Return the exit code."""
    return measure_games(make_parser(__file__, __doc__), measure, FIGURES_PER_GAME, argv)


if __name__ == "__main__":
    sys.exit(main())
