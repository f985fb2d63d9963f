"""Evolution of the weights of a game's evaluation by self-play of greedy bots.

In each round, every seat of every play has its own weights, scattered around the mean. The results are regressed on
the scatter and its squares, and the mean takes a Newton step for each weight, which is shrunk by the error of its
slope. All plays inform all weights at once. A third of the seats plays with old weights from an archive, because pure
self-play can go round in circles.
"""

import json
from collections.abc import Callable, Sequence
from dataclasses import dataclass, field
from pathlib import Path
from typing import Any

import numpy as np
import numpy.typing as npt

from ..core.kernels.play import MAX_DECISIONS
from ..core.weights import MAX_WEIGHT, complete_weights, weights_dict, weights_dtype
from ..core.workspaces import allocate_policy_scratch, wrap_all
from ..engine.state_dtype import copy_states
from ..errors import SetupError
from ..files import read_text, write
from ..library import Game
from ..validation import check_int, check_seed
from .executors import Executor, ThreadExecutor
from .kernels import weighted

ARCHIVE_SHARE = 1 / 3  # of the seats, which play with weights of the archive
ROUNDS_PER_ARCHIVE = 4  # after each of these, the archive gets the mean
MIN_SCATTER = 0.2  # the smallest scatter of a weight, as a share of the scatter that a weight of one point has
STEP_SHARE, MAX_STEP = 0.8, 1.2  # of the Newton step; the largest step, in units of the scatter
MIN_CURVATURE = 0.02  # of the value, whose range is 0 to 1
RIDGE = 1e-6  # keeps the regression solvable if a weight is never scattered
PLAYS_PER_CHUNK = 100

Numbers = npt.NDArray[np.float64]


@dataclass
class Evolution:
    """An evolution of weights: its settings, and the means after each round.

    The numbers of a set are in one array, in the order of WEIGHTS. With the same settings, the rounds are the same,
    also after an interruption. Raise SetupError for a game without WEIGHTS, and for invalid settings.
    """

    game: Game
    seats: Sequence[int]  # numbers of seats, of which each round has the next, and again from the first
    plays: int = 4000  # in each round
    seed: int = 0
    scatter_share: float = 0.2  # the scatter of a weight, its standard deviation, as a share of its number
    own: Numbers = field(init=False)  # the game's own weights
    means: list[Numbers] = field(default_factory=list)

    def __post_init__(self) -> None:
        self.seats = [self.game.check_seats(seats) for seats in self.seats]
        if not self.seats:
            raise SetupError("Give at least one number of seats.")
        self.plays, self.seed = check_int("plays", self.plays, 100), check_seed(self.seed)
        if not 0 < self.scatter_share <= 1:
            raise SetupError(f"The share of the scatter is above 0, and at most 1, not {self.scatter_share!r}.")
        self.own = np.concatenate([np.ravel(part) for part in complete_weights(self.game, {}).values()]).astype(float)

    @property
    def settings(self) -> dict[str, Any]:
        settings = {name: getattr(self, name) for name in ("seats", "plays", "seed", "scatter_share")}
        return settings | {"own": self.own.astype(int).tolist()}

    @property
    def sigmas(self) -> Numbers:
        """The scatter of each weight."""
        smallest = max(1.0, MIN_SCATTER * self.scatter_share * self.game.bots.VALUE_SCALE)
        return np.maximum(self.scatter_share * np.abs(self.own), smallest)

    @property
    def archive(self) -> list[Numbers]:
        """The old weights: the game's own, and the means after every few rounds."""
        return [self.own, *map(np.rint, self.means[ROUNDS_PER_ARCHIVE - 1 :: ROUNDS_PER_ARCHIVE])]

    @property
    def result(self) -> dict[str, Any]:
        """The weights by name: the average of the means after the last half of the rounds; before, the game's own."""
        numbers = np.rint(np.mean(self.means[len(self.means) // 2 :] or [self.own], 0))
        return self.by_name(numbers)

    def by_name(self, numbers: Numbers) -> dict[str, Any]:
        return weights_dict(numbers.astype(np.int64).view(weights_dtype(self.game)))

    def run_round(self, executor: Executor | None = None) -> None:
        """Play a round, and append the new mean."""
        rng = np.random.default_rng([self.seed, len(self.means)])
        mean, sigmas, archive = self.means[-1] if self.means else self.own, self.sigmas, self.archive
        shape = self.plays, self.seats[len(self.means) % len(self.seats)]
        numbers = np.rint(mean + sigmas * rng.normal(size=(*shape, len(mean)))).clip(-MAX_WEIGHT, MAX_WEIGHT)
        deviations = (numbers - mean) / sigmas
        member = np.where(
            rng.random(shape) < ARCHIVE_SHARE * (shape[1] > 1), rng.integers(len(archive), size=shape), -1
        )
        for k, old in enumerate(archive):
            numbers[member == k], deviations[member == k] = old, 0
        is_member = (member[..., None] == np.arange(len(archive))).astype(float)
        points = self.play(numbers, rng.integers(0, 2**63, (self.plays, 2), np.int64), executor)
        step = newton_steps(deviations, is_member, points)
        self.means.append((mean + STEP_SHARE * sigmas * step).clip(-MAX_WEIGHT, MAX_WEIGHT))

    def play(self, numbers: Numbers, seeds: npt.NDArray[np.int64], executor: Executor | None) -> Numbers:
        """Play with the weights `numbers` (plays, seats, weights), and return the points (plays, seats)."""
        game, dtype = self.game, weights_dtype(self.game)
        records = np.ascontiguousarray(numbers, np.int64).view(dtype)[..., 0]
        tables = np.zeros((*records.shape, len(game.rules.SCORES)), np.int64)
        blank, kernel = game.empty_state({}), game.kernel(weighted)

        def run(start: int) -> None:
            part, work = slice(start, start + PLAYS_PER_CHUNK), allocate_policy_scratch(game)
            states = np.concatenate([copy_states(blank), copy_states(blank)])
            arrays = game.wrap(seeds[part]), game.wrap(records[part]), wrap_all(game, work)
            kernel.play_weighted(game.wrap(states), records.shape[1], *arrays, MAX_DECISIONS, game.wrap(tables[part]))

        for _ in (executor or ThreadExecutor()).map_unordered(run, range(0, len(seeds), PLAYS_PER_CHUNK)):
            pass
        return tables[:, :, 0].astype(float)

    # --- files ------------------------------------------------------------------------

    def save(self, path: Path) -> None:
        """Write the result and all that is needed to continue."""
        means = [mean.tolist() for mean in self.means]
        content = {"game": self.game.name, "weights": self.result, "settings": self.settings, "means": means}
        write(path, json.dumps(content, indent=1) + "\n")

    def resume(self, path: Path) -> None:
        """Continue the evolution in a file. Raise SetupError if it has other settings, or is no such file."""
        try:
            content = json.loads(read_text(path))
            game, settings = content["game"], content["settings"]
            means = [np.array(mean, float) for mean in content["means"]]
            fits = all(mean.shape == self.own.shape and np.isfinite(mean).all() for mean in means)
        except (OSError, ValueError, TypeError, KeyError):
            raise SetupError(f"{str(path)!r} is no file of an evolution of weights: name a new file.") from None
        if (game, settings) != (self.game.name, self.settings) or not fits:
            raise SetupError(
                f"{str(path)!r} has an evolution of the game {game!r} with the settings {settings}, not of "
                f"{self.game.name!r} with {self.settings}: name a new file, or give the same settings."
            )
        self.means = means


def newton_steps(deviations: Numbers, is_member: Numbers, points: Numbers) -> Numbers:
    """Return the step of each weight in units of its scatter, by a regression of the results.

    Args:
        deviations: (plays, seats, weights), from the mean, in units of the scatter.
        is_member: (plays, seats, archive), 1 where a seat plays with these weights of the archive.
        points: (plays, seats).
    """
    plays, seats, size = deviations.shape
    rows, values = [], []
    for seat in range(seats if seats != 2 else 1):  # with two seats, the second has the opposite result
        others = [other for other in range(seats) if other != seat]

        def beyond(array: Numbers, seat: int = seat, others: list[int] = others) -> Numbers:
            return array[:, seat] - (array[:, others].mean(1) if others else 0)

        parts = beyond(deviations), beyond(deviations**2), beyond(is_member), np.ones((plays, 1))
        rows.append(np.hstack(parts))
        values.append(outcome(points, seat, others))
    table, value = np.concatenate(rows), np.concatenate(values)
    inverse = np.linalg.inv(table.T @ table + RIDGE * np.eye(table.shape[1]))
    coefficients = inverse @ (table.T @ value)
    variance = (value - table @ coefficients).var() * (seats / (seats - 1) if seats > 2 else 1)
    errors = inverse.diagonal()[:size] * variance  # squared standard errors
    slopes, curvatures = coefficients[:size], coefficients[size : 2 * size]
    shrunk = slopes**3 / (slopes**2 + errors + 1e-30)
    return (shrunk / np.maximum(-2 * curvatures, MIN_CURVATURE)).clip(-MAX_STEP, MAX_STEP)


def outcome(points: Numbers, seat: int, others: list[int]) -> Numbers:
    """Return the value of each play for a seat, 0 to 1: half the share of the win, half a logistic value of the lead.

    Alone, only the points count, compared with the mean.
    """
    lead = points[:, seat] - (points[:, others].max(1) if others else points.mean())
    smooth = 1 / (1 + np.exp(-2 * lead / max(lead.std(), 1e-9)))
    if not others:
        return np.asarray(smooth)
    top = points == points.max(1, keepdims=True)
    return np.asarray((top[:, seat] / top.sum(1) + smooth) / 2)


def evolve(
    evolution: Evolution,
    rounds: int,
    path: Path,
    executor: Executor | None = None,
    progress: Callable[[int], None] = lambda _done: None,
) -> None:
    """Run rounds until there are `rounds` of them, and save after each.

    If the file exists, its evolution is continued. `progress` is called with the number of rounds so far. Raise
    SetupError if the file cannot be continued or written.
    """
    if path.exists():
        evolution.resume(path)
    progress(len(evolution.means))
    while len(evolution.means) < rounds:
        evolution.run_round(executor)
        evolution.save(path)
        progress(len(evolution.means))
