"""How fast the search is and how well it keeps to its time, measured on one core.

Every timed run begins a fresh tree, for a tree that is full grows no more. Speeds are counted in the
processor's time, and ours and OpenSpiel's take turns, so that a busy machine does not change the ratio.
"""

from collections.abc import Callable, Iterator, Sequence
from functools import cached_property
from random import Random
from statistics import fmean
from tempfile import TemporaryDirectory
from time import perf_counter, thread_time
from typing import TYPE_CHECKING

from ...bots.search import Search
from ...bots.search.settings import settings_of, tree_settings
from ...bots.search.workers import BeamWorker, TreeWorker, Worker
from ...bots.spec import Budget
from ...library import game
from ...play.play import Play
from .games import SEED, Figure, a_few_in, fresh

if TYPE_CHECKING:
    from ...library import Game
    from .openspiel import Peer

RUN = Budget(seconds=0.5)  # of one repeat of a speed
FULL_PLAYOUTS = {
    "ahead": 100_000.0,
    "tries": 1.0,
    "trust": 0.0,
    "narrow": 10_000.0,
}  # no knowledge: any legal action, until the play is over
BUDGETS = {"100ms": 0.1, "1s": 1.0}  # in seconds
LATE = 5.0  # percent
PLAYOUTS = 50  # that are counted

FIRST_DECISION = """
from time import perf_counter
import almunia
from almunia.bots import make
game = almunia.game({name!r})
play = game.new({seats}, seed=1)
while len(play.legal) == 1:
    play.apply(play.legal[0])
observation = play.observe(play.turn)
start = perf_counter()
make("search:1", game, seed=1).choose(observation)
print(perf_counter() - start)
"""


def measure(name: str, repeats: int = 5, peers: Sequence["Peer"] = ()) -> Iterator[Figure]:
    """Every figure of one game's search, one after the other as it is found; `peers` are measured beside it."""
    bench = SearchBench(game(name), repeats)
    yield from bench.starts()
    yield from bench.speeds(peers)
    yield from bench.times()


class SearchBench:
    """The search of one game, in trees by the fewest that are several, and in beams by one alone."""

    def __init__(self, this: "Game", repeats: int) -> None:
        self.game, self.repeats = this, repeats
        fewest, most = this.meta.seats
        self.seats = min(max(2, fewest), most)

    def starts(self) -> Iterator[Figure]:
        """The first decision with the rules at hand and nothing of the search compiled yet, and with everything."""
        code = FIRST_DECISION.format(name=self.game.name, seats=self.seats)
        with TemporaryDirectory() as folder:
            cold, warm = (float(fresh(code, folder)) for _ in range(2))
        yield Figure("first decision, cold: compile the search", "s", [cold])
        yield Figure("first decision, warm: with the code at hand", "s", [warm])

    # --- speed ------------------------------------------------------------------------------------

    def speeds(self, peers: Sequence["Peer"]) -> Iterator[Figure]:
        """Simulations a second as the game sets its search, and with full random playouts beside those of peers."""
        if self.seats > 1:
            (own,) = in_turn([self.tree({})], self.repeats)
            yield Figure("simulations, the game's own settings", "simulations/s", own, higher_is_better=True)
            yield from self.full_playouts(peers)
        if self.game.meta.seats[0] == 1:
            (alone,) = in_turn([self.beams()], self.repeats)
            yield Figure("beams, alone", "beams/s", alone, higher_is_better=True)

    def full_playouts(self, peers: Sequence["Peer"]) -> Iterator[Figure]:
        """Simulations that play to the end at random, how long that is, and the same of each peer with the ratio."""
        ours, *theirs = in_turn([self.tree(FULL_PLAYOUTS), *(peer.simulate for peer in peers)], self.repeats)
        yield Figure("simulations, full random playouts", "simulations/s", ours, higher_is_better=True)
        yield length("length of such a playout", self.playout)
        for peer, runs in zip(peers, theirs, strict=True):
            yield Figure(f"for comparison: {peer.what}", "simulations/s", runs, higher_is_better=True)
            yield length(f"length of a playout: {peer.what}", peer.playout)
            times = [mine / other for mine, other in zip(ours, runs, strict=True)]
            yield Figure(f"ratio to {peer.what}", "times", times, peer.goal, higher_is_better=True)

    def tree(self, given: dict[str, float]) -> Callable[[], int]:
        """What grows a tree for a while, with these settings, and returns the number of simulations."""
        worker = TreeWorker(self.game, tree_settings(settings_of(self.game, given)), self.seats, SEED)
        return from_scratch(worker, self.midway)

    def beams(self) -> Callable[[], int]:
        """What compares all candidates of a single player for a while, and returns the number of beams."""
        settings = settings_of(self.game, {})
        worker = BeamWorker(self.game, settings, 1, SEED)
        return from_scratch(worker, to_choice(a_few_in(self.game, 1)))

    def playout(self, seed: int) -> int:
        """Play on at random until the play is over; returns the number of decisions."""
        return len(random_actions(self.midway.observe(self.midway.turn).redeal(seed), seed))

    # --- time -------------------------------------------------------------------------------------

    def times(self) -> Iterator[Figure]:
        """How far decisions go past their budget in seconds."""
        for budget in BUDGETS:
            late = self.overshoots(budget)
            yield Figure(f"search:{budget}, mean overshoot", "%", [fmean(late)], LATE)
            yield Figure(f"search:{budget}, worst overshoot", "%", [max(late)], LATE)

    def overshoots(self, budget: str) -> list[float]:
        """How far each of a handful of decisions goes past its budget, in percent, if all of it is used."""
        bot, late, play = Search(budget, self.game, SEED, Budget.parse(budget)), list[float](), self.halfway()
        bot.ready(play.seats)
        while len(late) < self.repeats:
            play = self.halfway() if to_choice(play).over else play
            observation = play.observe(play.turn)
            start = perf_counter()
            best, *_ = bot.analyse(observation)
            late.append(((perf_counter() - start) / BUDGETS[budget] - 1) * 100)
            play.apply(best.action)
        return late

    # --- positions --------------------------------------------------------------------------------

    @cached_property
    def midway(self) -> Play:
        """A play a few decisions in, with a choice to make."""
        return to_choice(a_few_in(self.game, self.seats))

    def halfway(self) -> Play:
        """A play in its middle."""
        play = self.midway.copy()
        actions = random_actions(play.copy(), SEED)
        for action in actions[: len(actions) // 2]:
            play.apply(action)
        return play


# --- ways to measure ------------------------------------------------------------------------------


def from_scratch(worker: Worker, play: Play) -> Callable[[], int]:
    """What lets a worker think for a while, having forgotten what it knew."""
    observation = play.observe(play.turn)

    def run() -> int:
        worker.stand_on(observation)
        return worker.think(RUN)

    return run


def in_turn(calls: Sequence[Callable[[], int]], repeats: int) -> list[list[float]]:
    """How much each of the calls does in a second of the processor's time, once each in every repeat."""
    for call in calls:
        call()  # so that everything has been compiled and touched
    rows = [[per_second(call) for call in calls] for _ in range(repeats)]
    return [list(column) for column in zip(*rows, strict=True)]


def per_second(call: Callable[[], int]) -> float:
    """How much a call that counts what it does would do in a second of the processor's time."""
    start = thread_time()
    done = call()
    return done / (thread_time() - start)


def length(what: str, playout: Callable[[int], int]) -> Figure:
    """How many decisions a playout takes, without which no ratio between two games can be judged."""
    return Figure(what, "decisions", [float(playout(seed)) for seed in range(PLAYOUTS)])


# --- plays ----------------------------------------------------------------------------------------


def to_choice(play: Play) -> Play:
    """The same play, where there is a choice next."""
    while len(play.legal) == 1:
        play.apply(play.legal[0])
    return play


def random_actions(play: Play, seed: int) -> list[int]:
    """Play on at random until the play is over; returns what was done."""
    rng, actions = Random(seed), []
    while legal := play.legal:
        actions.append(rng.choice(legal))
        play.apply(actions[-1])
    return actions
