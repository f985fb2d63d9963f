"""Measure how much of a position a linear map can read from its observation. A learner should reach at least that.

Ridge regressions on an observation predict each seat's points so far and the legal actions, in plays they were not
fitted on. Half of the plays are random, half greedy. If a regression fails, the tensor lacks information, or has it in
a form that needs more than a linear map, such as legality that depends on two things at once.

Legal actions are predicted for each question separately, because over all decisions the question alone would reveal
most of them. Action codes that are rarely legal, or rarely illegal, are left out.
"""

from collections.abc import Iterator
from dataclasses import dataclass, replace
from typing import TYPE_CHECKING, NamedTuple

import numpy as np
import numpy.typing as npt
from scipy.linalg import solve
from scipy.stats import rankdata

from almunia.bots import make

if TYPE_CHECKING:
    from almunia.library import Game
    from almunia.play.play import Observation

BOTS = ("random", "greedy")
PENALTIES = (1.0, 10.0, 100.0, 1000.0, 10000.0)  # of the ridge, for columns of variance 1 and the sum of squared errors
FOLDS = 4  # of the training plays, one of which selects the penalty
MIN_SHARE = 0.02  # of the decisions about a question
MIN_DECISIONS = 20  # a code is left out if it is legal, or illegal, less often than either limit
HELD_OUT_SHARE = 0.4  # of the plays
PLAYS, DECISIONS_PER_PLAY = 400, 50  # for the page of results

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Decisions of some plays, as arrays with a row for each decision."""

    observations: npt.NDArray[np.float32]  # (rows, tensor_size)
    masks: npt.NDArray[np.bool_]  # (rows, actions)
    points: Floats  # (rows, seats), as the seat to move knows them, its own first
    questions: npt.NDArray[np.int64]  # (rows,), the phase
    movers: npt.NDArray[np.int64]  # (rows,), the seat to move
    plays: npt.NDArray[np.int64]  # (rows,), number of the play

    def select(self, rows: npt.NDArray[np.bool_]) -> "Sample":
        """Return the rows where `rows`, a mask of shape (rows,), is true."""
        return Sample(*(array[rows] for array in vars(self).values()))

    def split(self) -> tuple["Sample", "Sample"]:
        """Return the training sample and the held-out sample. No play is in both."""
        is_held_out = np.random.default_rng(0).permutation(self.plays.max() + 1) < HELD_OUT_SHARE * (
            self.plays.max() + 1
        )
        return self.select(~is_held_out[self.plays]), self.select(is_held_out[self.plays])


class Legality(NamedTuple):
    """The quality of predicting legal actions by linear maps."""

    codes: int  # number of pairs of question and code
    covered: float  # share of the legal actions, in held-out plays, that have these codes or are always legal
    auc: float  # area under the ROC curve, mean over the pairs
    accuracy: float  # balanced accuracy, mean over the pairs


# --- decisions -----------------------------------------------------------------------------------


def draw_sample(game: "Game", seats: int, plays: int, decisions: int, seed: int = 0) -> Sample:
    """Draw some decisions of each of some plays, evenly spaced from start to end."""
    observations, numbers = list["Observation"](), list[int]()
    for number in range(plays):
        play = play_observations(game, seats, BOTS[number % len(BOTS)], seed + number)
        indexes = np.unique(np.linspace(0, len(play) - 1, min(decisions, len(play))).astype(int)).tolist()
        observations += [play[index] for index in indexes]
        numbers += [number] * len(indexes)
    return Sample(
        observations=np.array([observation.tensor() for observation in observations]),
        masks=np.array([observation.action_mask() for observation in observations]),
        points=np.array(
            [np.roll(observation.score_table()[:, 0], -observation.turn) for observation in observations], np.float64
        ),
        questions=np.array([observation.phase for observation in observations]),
        movers=np.array([observation.turn for observation in observations]),
        plays=np.array(numbers),
    )


def play_observations(game: "Game", seats: int, bot: str, seed: int) -> "list[Observation]":
    """Play a game and return the observation before each decision."""
    play, bots, observations = game.new(seats, seed), [make(bot, game, seed + seat) for seat in range(seats)], []
    while not play.over:
        observations.append(play.observe(play.turn))
        play.apply(bots[play.turn].choose(observations[-1]))
    return observations


# --- linear maps ------------------------------------------------------------------------------------


class Ridge:
    """Linear maps from observations to numbers, with the best penalty on their squared weights.

    The penalty is selected on a part of the plays; then the maps are fitted on all of them.
    """

    def __init__(self, train: Sample, targets: Floats) -> None:
        in_training = train.plays % FOLDS > 0
        inner, validation = Fit(train.observations[in_training], targets[in_training]), train.observations[~in_training]
        errors = [((inner.predict(validation, penalty) - targets[~in_training]) ** 2).sum() for penalty in PENALTIES]
        self._penalty, self._fit = PENALTIES[int(np.argmin(errors))], Fit(train.observations, targets)

    def predict(self, observations: npt.NDArray[np.float32]) -> Floats:
        """Return the predictions, of shape (rows, targets)."""
        return self._fit.predict(observations, self._penalty)


class Fit:
    """Linear maps for any penalty."""

    def __init__(self, observations: npt.NDArray[np.float32], targets: Floats) -> None:
        self._used = np.flatnonzero(np.ptp(observations, axis=0))
        inputs = observations[:, self._used]
        self._mean, self._scale, self._bias = inputs.mean(axis=0), inputs.std(axis=0), targets.mean(axis=0)
        inputs = (inputs - self._mean) / self._scale
        self._wide = len(self._used) > len(inputs)
        self._inputs = inputs if self._wide else None
        self._products = (inputs @ inputs.T if self._wide else inputs.T @ inputs).astype(np.float64)
        self._rhs = targets - self._bias if self._wide else (inputs.T @ (targets - self._bias)).astype(np.float64)

    def predict(self, observations: npt.NDArray[np.float32], penalty: float) -> Floats:
        """Return the predictions under this penalty, of shape (rows, targets)."""
        solution = solve(self._products + penalty * np.eye(len(self._products)), self._rhs, assume_a="pos")
        weights = self._inputs.T @ solution if self._inputs is not None else solution
        return ((observations[:, self._used] - self._mean) / self._scale) @ weights + self._bias


def explained_variance(train: Sample, held_out: Sample) -> list[float]:
    """Return the explained share of the variance of each seat's points (R²)."""
    predictions = Ridge(train, train.points).predict(held_out.observations)
    errors = ((predictions - held_out.points) ** 2).sum(axis=0)
    return (1 - errors / ((held_out.points - held_out.points.mean(axis=0)) ** 2).sum(axis=0)).tolist()


def legality(train: Sample, held_out: Sample) -> Legality:
    """Predict the legal actions question by question, and return how well that works."""
    areas, accuracies, covered = list[float](), list[float](), 0
    for question in np.unique(train.questions).tolist():
        train_rows, test_rows = (
            train.select(train.questions == question),
            held_out.select(held_out.questions == question),
        )
        is_mixed = has_both_classes(train_rows.masks) & has_both_classes(test_rows.masks)
        covered += int(test_rows.masks[:, is_mixed | train_rows.masks.all(axis=0)].sum())
        if is_mixed.any():
            maps = Ridge(train_rows, train_rows.masks[:, is_mixed].astype(np.float64))
            predictions = maps.predict(test_rows.observations)
            areas += auc(predictions, test_rows.masks[:, is_mixed])
            cut = threshold(maps.predict(train_rows.observations), train_rows.masks[:, is_mixed])
            accuracies += balanced_accuracy(predictions > cut, test_rows.masks[:, is_mixed])
    return Legality(len(areas), covered / held_out.masks.sum(), float(np.mean(areas)), float(np.mean(accuracies)))


def has_both_classes(masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Return which codes are legal often enough and illegal often enough: a mask of shape (actions,)."""
    counts = masks.sum(axis=0)
    min_count = max(MIN_DECISIONS, MIN_SHARE * len(masks))
    return (counts >= min_count) & (len(masks) - counts >= min_count)


def auc(predictions: Floats, legal: npt.NDArray[np.bool_]) -> list[float]:
    """Return the area under the ROC curve of each code. Ties count half."""
    legal_count = legal.sum(axis=0)
    above = (rankdata(predictions, axis=0) * legal).sum(axis=0) - legal_count * (legal_count + 1) / 2
    return (above / (legal_count * (len(legal) - legal_count))).tolist()


def threshold(predictions: Floats, legal: npt.NDArray[np.bool_]) -> Floats:
    """Return the midpoint between the mean predictions for legal and for illegal actions, by code."""
    legal_mean, illegal_mean = (
        np.where(which, predictions, 0).sum(axis=0) / which.sum(axis=0) for which in (legal, ~legal)
    )
    return (legal_mean + illegal_mean) / 2


def balanced_accuracy(predicted: npt.NDArray[np.bool_], legal: npt.NDArray[np.bool_]) -> list[float]:
    """Return the mean of the two shares of correct predictions, for legal and for illegal actions, by code."""
    legal_hits, illegal_hits = (
        (which & (predicted == legal)).sum(axis=0) / which.sum(axis=0) for which in (legal, ~legal)
    )
    return ((legal_hits + illegal_hits) / 2).tolist()


# --- the page ------------------------------------------------------------------------------------------

HEAD = """\
Ridge regressions on observations, by `tools/linear_probe.py`: {plays} games, half random, half greedy, with {decisions}
decisions of each. The figures are for the {held:.0%} of the games that were held out. *Points*: the explained share of
the variance of the points so far (R²), as far as the seat to move knows them, for the worst seat. *Legal actions*: the
area under the ROC curve and the balanced accuracy, averaged over each code and question for which the code is legal,
and illegal, in 2% of the decisions or more. *Covered* is the share of legal actions that have such codes, or are always
legal there. In all columns higher is better, and 1 is perfect. Facts that depend on two things at once, such as where a
card fits, cannot be predicted by a linear map.

| game | seats | numbers | points | codes | covered | area | accuracy | area, all questions as one |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def results_table(games: "list[Game]") -> Iterator[str]:
    """Yield the table of results for these games, with the fewest and with the most seats."""
    yield HEAD.format(plays=PLAYS, decisions=DECISIONS_PER_PLAY, held=HELD_OUT_SHARE).rstrip()
    for game in games:
        for seats in game.meta.seats:
            drawn = draw_sample(game, seats, PLAYS, DECISIONS_PER_PLAY)
            points, result = explained_variance(*drawn.split()), legality(*drawn.split())
            merged = legality(*replace(drawn, questions=np.zeros_like(drawn.questions)).split())
            yield (
                f"| {game.name} | {seats} | {game.tensor_size} | {min(points):.4f} | {result.codes} "
                f"| {result.covered:.1%} | {result.auc:.3f} | {result.accuracy:.3f} | {merged.auc:.3f} |"
            )
