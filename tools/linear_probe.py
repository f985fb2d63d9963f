"""How much of a position can be read off its observation by a linear map, which no learner should fall short of.

From the numbers of an observation alone, ridge regressions say each seat's points so far and which actions are legal,
in plays they were not fitted on. Half of the plays are random, half greedy. Where a regression fails, a tensor lacks
something, or has it in a form that takes more than a linear map: legality that depends on two things at once does.

What is legal is said question by question, for over all decisions the question alone would give most of it away. Codes
that are rarely legal there, or rarely not, are left out.
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
    from almunia.core.game import Game
    from almunia.core.play import Observation

BOTS = ("random", "greedy")
PENALTIES = (1.0, 10.0, 100.0, 1000.0, 10000.0)  # of ridges, for columns of variance 1 and the sum of errors
PARTS = 4  # of the plays that are fitted on, of which one finds out the penalty
RARE = 0.02  # of the decisions about a question, and
FEW = 20  # decisions: a code is left out that is legal, or is not, less often than both
HELD_OUT = 0.4  # of the plays
PLAYS, EACH = 400, 50  # and decisions of each of them, for the page of results

Floats = npt.NDArray[np.float64]


@dataclass(frozen=True)
class Sample:
    """Decisions of some plays: arrays with a row for each."""

    observations: npt.NDArray[np.float32]  # (rows, tensor_size)
    masks: npt.NDArray[np.bool_]  # (rows, actions)
    points: Floats  # (rows, seats), as far as the seat that decides knows them, its own first
    questions: npt.NDArray[np.int64]  # (rows,), the phase
    movers: npt.NDArray[np.int64]  # (rows,), the seat that decides
    plays: npt.NDArray[np.int64]  # (rows,), which play

    def of(self, rows: npt.NDArray[np.bool_]) -> "Sample":
        """Some of the rows."""
        return Sample(*(array[rows] for array in vars(self).values()))

    def parted(self) -> tuple["Sample", "Sample"]:
        """Those of the plays to fit on, and those of the plays to judge by."""
        held_out = np.random.default_rng(0).permutation(self.plays.max() + 1) < HELD_OUT * (self.plays.max() + 1)
        return self.of(~held_out[self.plays]), self.of(held_out[self.plays])


class Legality(NamedTuple):
    """How well linear maps tell of some codes whether they are legal."""

    codes: int  # how many pairs of a question and a code were looked at
    share: float  # of what is legal in the plays held out, those of the codes looked at or always legal
    area: float  # under the receiver operating characteristic, the mean over these
    accuracy: float  # mean of the shares of legal and of illegal ones that are told right, the mean over these


# --- decisions -----------------------------------------------------------------------------------


def sample(game: "Game", seats: int, plays: int, each: int, seed: int = 0) -> Sample:
    """So many decisions of each of so many plays, evenly from their beginning to their end."""
    seen, numbers = list["Observation"](), list[int]()
    for number in range(plays):
        course = played(game, seats, BOTS[number % len(BOTS)], seed + number)
        kept = np.unique(np.linspace(0, len(course) - 1, min(each, len(course))).astype(int)).tolist()
        seen += [course[place] for place in kept]
        numbers += [number] * len(kept)
    return Sample(
        observations=np.array([one.tensor() for one in seen]),
        masks=np.array([one.action_mask() for one in seen]),
        points=np.array([np.roll(one.score_table()[:, 0], -one.turn) for one in seen], np.float64),
        questions=np.array([one.phase for one in seen]),
        movers=np.array([one.turn for one in seen]),
        plays=np.array(numbers),
    )


def played(game: "Game", seats: int, bot: str, seed: int) -> "list[Observation]":
    """What the seats saw before each decision of a play."""
    play, bots, course = game.new(seats, seed), [make(bot, game, seed + seat) for seat in range(seats)], []
    while not play.over:
        course.append(play.observe(play.turn))
        play.apply(bots[play.turn].choose(course[-1]))
    return course


# --- linear maps ------------------------------------------------------------------------------------


class Ridge:
    """Linear maps from observations to some numbers, with that penalty on their squares which does best.

    That is found out by a part of the plays, before the maps are fitted on all of them.
    """

    def __init__(self, fitted: Sample, wanted: Floats) -> None:
        trial = fitted.plays % PARTS > 0
        inner, tried = Fit(fitted.observations[trial], wanted[trial]), fitted.observations[~trial]
        errors = [((inner.told(tried, penalty) - wanted[~trial]) ** 2).sum() for penalty in PENALTIES]
        self._penalty, self._fit = PENALTIES[int(np.argmin(errors))], Fit(fitted.observations, wanted)

    def told(self, observations: npt.NDArray[np.float32]) -> Floats:
        """What the maps say of other observations."""
        return self._fit.told(observations, self._penalty)


class Fit:
    """Linear maps for any penalty."""

    def __init__(self, observations: npt.NDArray[np.float32], wanted: Floats) -> None:
        self._used = np.flatnonzero(np.ptp(observations, axis=0))
        inputs = observations[:, self._used]
        self._mean, self._scale, self._bias = inputs.mean(axis=0), inputs.std(axis=0), wanted.mean(axis=0)
        inputs = (inputs - self._mean) / self._scale
        self._wide = len(self._used) > len(inputs)
        self._inputs = inputs if self._wide else None
        self._products = (inputs @ inputs.T if self._wide else inputs.T @ inputs).astype(np.float64)
        self._wanted = wanted - self._bias if self._wide else (inputs.T @ (wanted - self._bias)).astype(np.float64)

    def told(self, observations: npt.NDArray[np.float32], penalty: float) -> Floats:
        """What the maps under this penalty say of observations."""
        found = solve(self._products + penalty * np.eye(len(self._products)), self._wanted, assume_a="pos")
        weights = self._inputs.T @ found if self._inputs is not None else found
        return ((observations[:, self._used] - self._mean) / self._scale) @ weights + self._bias


def explained(fitted: Sample, judged: Sample) -> list[float]:
    """The share of the variance of each seat's points that is explained."""
    told = Ridge(fitted, fitted.points).told(judged.observations)
    errors = ((told - judged.points) ** 2).sum(axis=0)
    return (1 - errors / ((judged.points - judged.points.mean(axis=0)) ** 2).sum(axis=0)).tolist()


def legality(fitted: Sample, judged: Sample) -> Legality:
    """How well it is told, question by question, what is legal."""
    areas, accuracies, covered = list[float](), list[float](), 0
    for question in np.unique(fitted.questions).tolist():
        known, asked = fitted.of(fitted.questions == question), judged.of(judged.questions == question)
        varied = mixed(known.masks) & mixed(asked.masks)
        covered += int(asked.masks[:, varied | known.masks.all(axis=0)].sum())
        if varied.any():
            maps = Ridge(known, known.masks[:, varied].astype(np.float64))
            told = maps.told(asked.observations)
            areas += area(told, asked.masks[:, varied])
            middle = border(maps.told(known.observations), known.masks[:, varied])
            accuracies += balanced(told > middle, asked.masks[:, varied])
    return Legality(len(areas), covered / judged.masks.sum(), float(np.mean(areas)), float(np.mean(accuracies)))


def mixed(masks: npt.NDArray[np.bool_]) -> npt.NDArray[np.bool_]:
    """Which codes are often enough legal, and often enough not."""
    often = masks.sum(axis=0)
    least = max(FEW, RARE * len(masks))
    return (often >= least) & (len(masks) - often >= least)


def area(told: Floats, true: npt.NDArray[np.bool_]) -> list[float]:
    """How often one that is legal is held for likelier than one that is not, by code; equals count half."""
    legal = true.sum(axis=0)
    above = (rankdata(told, axis=0) * true).sum(axis=0) - legal * (legal + 1) / 2
    return (above / (legal * (len(true) - legal))).tolist()


def border(told: Floats, true: npt.NDArray[np.bool_]) -> Floats:
    """The middle between what is said on average of those that are legal, and of those that are not, by code."""
    legal, others = (np.where(which, told, 0).sum(axis=0) / which.sum(axis=0) for which in (true, ~true))
    return (legal + others) / 2


def balanced(said: npt.NDArray[np.bool_], true: npt.NDArray[np.bool_]) -> list[float]:
    """The mean of the shares of legal and of illegal ones that are told right, by code."""
    legal, others = ((which & (said == true)).sum(axis=0) / which.sum(axis=0) for which in (true, ~true))
    return ((legal + others) / 2).tolist()


# --- the page ------------------------------------------------------------------------------------------

HEAD = """\
Ridge regressions on the numbers of an observation alone, by `tools/linear_probe.py`: {plays} games, half random, half
greedy, {each} decisions of each; the figures are those of the {held:.0%} of the games that nothing was fitted on.
*Points*: the share of the variance of the points so far that is explained (R²; the seat for which it is least), as far
as the seat to move knows them. *Legal actions*: for each code and question for which it is legal, and not, in 2% of the
decisions or more, the area under the ROC curve and the balanced accuracy, on average; *covered* is the share of legal
actions that are of such codes, or always legal there. 1 is best in all columns. What depends on two things at once,
such as where a card fits, no linear map can tell: there a learner needs more than that.

| game | seats | numbers | points | codes | covered | area | accuracy | area, all questions as one |
| --- | --- | --- | --- | --- | --- | --- | --- | --- |
"""


def table(games: "list[Game]") -> Iterator[str]:
    """What is found out about the observations of these games, with the fewest seats and with the most."""
    yield HEAD.format(plays=PLAYS, each=EACH, held=HELD_OUT).rstrip()
    for game in games:
        for seats in game.meta.seats:
            taken = sample(game, seats, PLAYS, EACH)
            points, told = explained(*taken.parted()), legality(*taken.parted())
            whole = legality(*replace(taken, questions=np.zeros_like(taken.questions)).parted())
            yield (
                f"| {game.name} | {seats} | {game.tensor_size} | {min(points):.4f} | {told.codes} | {told.share:.1%} "
                f"| {told.area:.3f} | {told.accuracy:.3f} | {whole.area:.3f} |"
            )
