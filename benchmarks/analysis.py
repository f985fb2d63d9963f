"""Compare the chances that an analysis states with the results of plays, by game and number of seats.

Bots of different strengths play, and a sample of their decisions is searched as `almunia analyse` does. One half of the
plays fits the game's `WIN_CHANCE`. The other half tests it: of the decisions with a chance of about 70%, about 70%
should belong to a later winner. Plays without a single winner count as a share of a win for each winner.

Luck is measured in plays of greedy bots. It should be near 0 on average, and explain a part of the results.
"""

import argparse
import sys
from collections import defaultdict
from collections.abc import Iterator, Sequence
from random import Random
from statistics import fmean, pstdev
from time import thread_time
from typing import NamedTuple

import numpy as np
import numpy.typing as npt

from almunia.analysis import DEFAULT_SIMULATIONS, Analyst, analyse_play
from almunia.arena.bench import SEED, Figure
from almunia.bots.factory import make
from almunia.bots.search.win_chance import MAX_UTILITY, WinChance
from almunia.cli.arguments import int_arg, positive_int_arg
from almunia.cli.commands.bench import collect, print_figures, selected_games
from almunia.library import Game, game
from almunia.luck import HALF_INTERVAL, Balance, Floats, LuckMeter, SeatLuck, win_shares
from benchmarks.command import make_parser, run_command

PLAYERS = ("greedy,epsilon=0.3", "greedy", "search:40")  # each seat draws one
SAMPLED_SHARE = 1 / 12  # of the decisions
BINS = 5
COMPARED_LEVELS = ("easy", "medium", "hard")
ANALYSED_PLAYS = 24  # in which every choice is judged
TARGET_SECONDS = 60.0
LUCK_SEATS = 4  # or the most of a game
LUCK_PLAYS = 60
LUCK_SAMPLES = 60  # determinizations of a position
FIGURES_PER_GAME = 30
NEWTON_STEPS = 25


class Samples(NamedTuple):
    """Sampled decisions, with the share of a win that their seats had at the end."""

    play: npt.NDArray[np.int64]  # (n,), the number of the play
    turns: npt.NDArray[np.int64]  # (n,), finished before the decision
    utility: npt.NDArray[np.float64]  # (n,), of the best action, 0 to 1
    won: npt.NDArray[np.float64]  # (n,), 0 to 1
    length: npt.NDArray[np.int64]  # (n,), turns of the whole play

    def of(self, chosen: npt.NDArray[np.bool_]) -> "Samples":
        return Samples._make(column[chosen] for column in self)


def sample(this: Game, seats: int, plays: int, seed: int) -> Samples:
    """Let bots play, and search a sample of their decisions."""
    rng, rows = Random(seed), list[tuple[float, ...]]()
    bots = {spec: make(spec, this, seed=seed) for spec in PLAYERS}
    for bot in bots.values():
        bot.prepare(seats)
    analyst = Analyst(this, seats, DEFAULT_SIMULATIONS, threads=1)
    for number in range(plays):
        play, lineup = this.new(seats, seed + number), [rng.choice(PLAYERS) for _ in range(seats)]
        found = []
        while not play.over:
            observation = play.observe(play.turn)
            if len(play.legal_actions) > 1 and rng.random() < SAMPLED_SHARE:
                utility = analyst.ranked(observation, rng.getrandbits(62))[0].value
                found.append((play.turn, play.turns, utility))
            play.apply(bots[lineup[play.turn]].choose(observation))
        shares = win_shares(play.outcome.ranks if play.outcome else ())
        rows += [(number, turns, utility, shares[seat], play.turns) for seat, turns, utility in found]
    return Samples(*map(np.array, zip(*rows, strict=True)))


def fit(samples: Samples) -> WinChance:
    """Return the logistic regression of wins on the log-odds of utilities, by Newton's method.

    A negative slope, which says that a better position wins less, counts as 0.
    """
    length = float(np.mean([samples.length[samples.play == play][0] for play in np.unique(samples.play)]))
    inner = np.clip(samples.utility, 1 - MAX_UTILITY, MAX_UTILITY)
    log_odds, progress = np.log(inner / (1 - inner)), np.minimum(1, samples.turns / length)
    columns = np.stack([np.ones_like(log_odds), log_odds * (1 - progress), log_odds * progress], axis=1)
    weights = np.array([0.0, 1.0, 1.0])
    for _ in range(NEWTON_STEPS):
        chance = 1 / (1 + np.exp(-columns @ weights))
        curvature = columns.T @ (columns * (chance * (1 - chance))[:, None])
        weights = weights + np.linalg.solve(curvature, columns.T @ (samples.won - chance))
    intercept, first_slope, last_slope = (round(float(weight), 3) for weight in weights)
    return WinChance(intercept, max(0.0, first_slope), max(0.0, last_slope), round(length, 1))


def reliability(samples: Samples, chance: WinChance) -> Iterator[tuple[float, int, list[float]]]:
    """Yield the mean chance of decisions with similar chances, their number, and the share of wins in each play."""
    stated = chance.at_all(samples.utility, samples.turns)
    for low in np.arange(BINS) / BINS:
        inside = (stated >= low) & (stated < low + 1 / BINS)
        if inside.any():
            plays = np.unique(samples.play[inside])
            won = [float(samples.won[inside & (samples.play == play)].mean()) for play in plays]
            yield float(stated[inside].mean()), int(inside.sum()), won


def measure(name: str, plays: int, seed: int) -> Iterator[Figure]:
    """Yield the figures of one game: accuracies, the time, luck, and the wins for each number of seats."""
    this = game(name)
    yield from accuracies(this, max(2, this.meta.seats[0]), min(plays, ANALYSED_PLAYS), seed)
    yield from luck_figures(this, min(LUCK_SEATS, this.meta.seats[1]), min(plays, LUCK_PLAYS), seed)
    for seats in range(max(2, this.meta.seats[0]), this.meta.seats[1] + 1):
        samples = sample(this, seats, plays, seed)
        everything = fit(samples)
        print(f"{name}: WIN_CHANCE[{seats}] = {tuple(vars(everything).values())}", file=sys.stderr)
        fitted = fit(samples.of(samples.play % 2 == 0))
        for stated, count, won in reliability(samples.of(samples.play % 2 == 1), fitted):
            what = f"{seats} seats, stated {stated:.0%} ({count:,} decisions of {len(won)} plays)"
            yield Figure(what, "% won", [100 * share for share in mean_interval(won)])


def accuracies(this: Game, seats: int, plays: int, seed: int) -> Iterator[Figure]:
    """Let levels play against each other. Yield the accuracy of each, and the seconds of an analysis."""
    rng, found, times = Random(seed), defaultdict[str, list[float]](list), list[float]()
    bots = {level: make(level, this, seed=seed) for level in COMPARED_LEVELS}
    for bot in bots.values():
        bot.prepare(seats)
    analyse_play(this.new(seats, seed), 1)  # compiles
    for number in range(plays):
        play, lineup = this.new(seats, seed + number), rng.sample(COMPARED_LEVELS, seats)
        while not play.over:
            play.apply(bots[lineup[play.turn]].choose(play.observe(play.turn)))
        start = thread_time()
        analysis = analyse_play(play)
        times.append(thread_time() - start)
        for seat in analysis.seats:
            found[lineup[seat.seat]].append(seat.accuracy or 0.0)
    for level in COMPARED_LEVELS:
        yield Figure(f"accuracy of {level}, with {seats} seats", "of 100", list(mean_interval(found[level], 100.0)))
    yield Figure(f"analysis of a game of {seats}", "s", times, TARGET_SECONDS)


def luck_figures(this: Game, seats: int, plays: int, seed: int) -> Iterator[Figure]:
    """Measure the luck in plays of greedy bots. Yield its mean, its spread, its intervals, and what it explains."""
    bot, found = make("greedy", this, seed=seed), list[tuple[SeatLuck, ...]]()
    bot.prepare(seats)
    for number in range(plays):
        play, again = this.new(seats, seed + number), this.new(seats, seed + number)
        while not play.over:
            play.apply(bot.choose(play.observe(play.turn)))
        meter = LuckMeter(again, LUCK_SAMPLES, seed=seed + plays + number * LUCK_SAMPLES)
        for action in play.actions:
            meter.apply(again, action)
        found.append(meter.result(again).seats)
    luck, points, errors = columns_of([[seat.points for seat in one] for one in found])
    half = HALF_INTERVAL * luck.mean(axis=1).std(ddof=1) / plays**0.5
    what = f"luck with {seats} seats"
    yield Figure(f"{what}, mean ±{half:.2f}", "points", [float(luck.mean())])
    yield Figure(f"{what}, standard deviation", "points", [float(luck.std())])
    yield Figure(f"{what}, half of an interval at {LUCK_SAMPLES} samples", "points", [float(errors.mean())])
    slope, share = explained(luck, points, errors)
    yield Figure(f"{what}, share of the variance of points", "%", [100 * share])
    if this.bots.LUCK_HORIZON:
        turns, weight = this.bots.LUCK_HORIZON
        print(f"{this.name}: LUCK_HORIZON = {(turns, round(weight * slope, 2))}", file=sys.stderr)
    chances = [[seat.chance for seat in one if seat.chance] for one in found]
    if chances[0]:
        _, share = explained(*columns_of(chances))
        yield Figure(f"{what}, share of the variance of wins", "%", [100 * share])


def columns_of(balances: Sequence[Sequence[Balance]]) -> tuple[Floats, Floats, Floats]:
    """Return luck, results and errors of luck, each (plays, seats)."""
    rows = np.array([[(each.luck, each.result, each.luck_error) for each in one] for one in balances], np.float64)
    luck, results, errors = np.moveaxis(rows, 2, 0)
    return luck, results, errors


def explained(luck: Floats, results: Floats, errors: Floats) -> tuple[float, float]:
    """Return the slope of the regression of results on luck, and the share of the variance of results that it explains.

    All arrays have the shape (plays, seats). The mean of each seat counts as 0. The slope is that on exact luck: the
    variance of its errors is subtracted.
    """
    x, y = (rows - rows.mean(axis=0) for rows in (luck, results))
    both, variance = float((x * y).sum()), float((x * x).sum())
    return both / (variance - float(((errors / HALF_INTERVAL) ** 2).sum())), both**2 / (variance * float((y * y).sum()))


def mean_interval(values: Sequence[float], most: float = 1.0) -> tuple[float, float, float]:
    """Return the lower end, the mean and the upper end of a 95% interval for the mean, between 0 and `most`."""
    mean, half = fmean(values), 1.96 * (pstdev(values) / len(values) ** 0.5)
    return max(0.0, mean - half), mean, min(most, mean + half)


def main(argv: Sequence[str] | None = None) -> int:
    parser = make_parser(__file__, __doc__, repeats=False)
    parser.add_argument(
        "--plays", type=positive_int_arg, default=120, metavar="N", help="for each number of seats (default: 120)"
    )
    parser.add_argument("--seed", type=int_arg, default=SEED, metavar="N", help=f"of deals and bots (default: {SEED})")

    def run(args: argparse.Namespace) -> None:
        names = selected_games(args.games)
        measured = ((name, figure) for name in names for figure in measure(name, args.plays, args.seed))
        print_figures(args, collect(measured, FIGURES_PER_GAME * len(names)))

    return run_command(parser, run, argv)


if __name__ == "__main__":
    sys.exit(main())
