"""Workers of a search with an evaluator."""

from collections.abc import Mapping
from typing import Any

import numpy as np

from ...core.loaded import LoadedGame
from ...core.weights import Weights
from ...core.workspaces import allocate, wrap_all
from ...engine.checked import CheckedArray
from ...errors import SetupError
from ...play.play import Play
from .evaluators import Evaluator, KernelEvaluator, PlayEvaluator, as_batch
from .kernels import puct
from .kernels.puct import NO_ROW, Leaves, is_share
from .kernels.tree import FULL
from .settings import puct_settings, tree_settings
from .workers import TreeWorker


class EvaluatorWorker(TreeWorker):
    """A worker whose leaves an evaluator values. `kernel` is the game's copy of `kernels.puct`."""

    def __init__(
        self,
        game: LoadedGame,
        settings: Mapping[str, float],
        seats: int,
        seed: int,
        kernel: Any,
        batch_size: int,
        weights: Weights | None = None,
    ) -> None:
        self._puct, values = kernel, puct_settings(settings, seats)
        values = values._replace(lead_scale=values.lead_scale * game.bots.VALUE_SCALE)
        leaves = allocate(Leaves, game, leaves=batch_size, seats=seats)
        self.leaves = leaves._replace(parts=leaves.observations.view(game.tensor_dtype)[:, 0])
        self._puct_arguments = wrap_all(game, self.leaves), values
        super().__init__(game, tree_settings(settings), seats, seed, weights)

    def _check_leaves(self) -> None:
        """Raise SetupError if the evaluator's values or policy of a leaf cannot be used."""
        row = int(self.leaves.invalid[0])
        if row == NO_ROW:
            return
        values = self.leaves.values[row]
        if not np.isfinite(values).all():
            raise SetupError(f"An evaluator's values are finite numbers, not {values.tolist()}.")
        if len(values) > 1 and not all(is_share(value) for value in values):
            raise SetupError(
                f"An evaluator's values are 0 to 1 with several seats (1 is a sure win), not {values.tolist()}. "
                "Scale others: (value + 1) / 2 for values of -1 to 1."
            )
        legal = self.leaves.masks[row].nonzero()[0]
        weights = dict(zip(legal.tolist(), self.leaves.policies[row, legal].tolist(), strict=True))
        raise SetupError(
            "An evaluator's policy has finite weights of at least 0, and those of the legal actions have a positive "
            f"sum. By legal action, the weights are {weights}."
        )


class PythonEvaluatorWorker(EvaluatorWorker):
    """A worker that hands leaves to an evaluator in Python, up to `batch_size` at a time."""

    def __init__(
        self,
        game: LoadedGame,
        settings: Mapping[str, float],
        seats: int,
        seed: int,
        evaluator: Evaluator | PlayEvaluator,
        weights: Weights | None = None,
    ) -> None:
        self._evaluator, self.batch_size = evaluator, int(settings["batch_size"])
        super().__init__(game, settings, seats, seed, game.kernel(puct), self.batch_size, weights)

    def simulate(self, simulations: int, used: float) -> int:
        """Call the evaluator once, unless no leaf is reached. Return the number of simulations, at most `simulations`.

        Raise SetupError if the evaluator's values or policies cannot be used.
        """
        while True:
            done = self._run(simulations)
            if self.tree.status[0] == FULL:
                self._make_room()
            if done:
                return done

    def _run(self, simulations: int) -> int:
        tree, (leaves, values) = self._wrapped_tree, self._puct_arguments
        done = self._puct.collect(simulations, self._root, self._seat, tree, self._wrapped_work, leaves, values)
        if count := int(self.leaves.count[0]):
            self._evaluate(count)
        self._puct.finish(tree, self._wrapped_work, leaves)
        self._check_leaves()
        return int(done)

    def _evaluate(self, count: int) -> None:
        """Write the evaluator's values and policies of the first `count` leaves into their rows."""
        leaves = self.leaves
        if isinstance(self._evaluator, PlayEvaluator):
            plays = [Play(self._game, leaves.states[row : row + 1].copy()) for row in range(count)]
            given = self._evaluator.evaluate_plays(plays)
        else:
            given = self._evaluator.evaluate(leaves.observations[:count], leaves.masks[:count].view(np.bool_))
        if not isinstance(given, tuple) or len(given) != 2:
            raise SetupError(f"An evaluator returns a tuple (values, policies), not {given!r}.")
        leaves.values[:count] = as_batch("values", given[0], (count, leaves.values.shape[1]))
        leaves.policies[:count] = as_batch("policies", given[1], (count, leaves.policies.shape[1]))


class KernelEvaluatorWorker(EvaluatorWorker):
    """A worker whose evaluator runs in the machine code of the search, so `check_bounds` must accept it before."""

    def __init__(
        self,
        game: LoadedGame,
        settings: Mapping[str, float],
        seats: int,
        seed: int,
        evaluator: KernelEvaluator,
        weights: Weights | None = None,
    ) -> None:
        scratch = np.zeros(evaluator.scratch_size, np.float32)
        self._evaluator_arguments = tuple(map(game.wrap, evaluator.weights)), game.wrap(scratch)
        kernel = game.linked_kernel(puct, evaluator=evaluator.module)
        super().__init__(game, settings, seats, seed, kernel, batch_size=1, weights=weights)

    def _run(self, simulations: int) -> int:
        place = self._root, self._seat, self._wrapped_tree, self._wrapped_work
        done = self._puct.simulate(simulations, *place, *self._puct_arguments, *self._evaluator_arguments)
        self._check_leaves()
        return int(done)


def check_bounds(game: LoadedGame, evaluator: KernelEvaluator, seats: int) -> None:
    """Raise SetupError if the evaluator uses an index outside of an array, which machine code does not notice.

    It runs once in checked Python, with all numbers of an observation 1 and all actions legal. Other errors are left to
    the compiler.
    """
    numbers, actions = game.tensor_size, game.rules.ACTIONS
    observation, values, policy = (CheckedArray(np.ones(size, np.float32)) for size in (numbers, seats, actions))
    mask, scratch = CheckedArray(np.ones(actions, np.uint8)), CheckedArray(np.zeros(evaluator.scratch_size, np.float32))
    weights = tuple(map(CheckedArray, evaluator.weights))
    try:
        game.checked(evaluator.module).evaluate(observation, mask, values, policy, weights, scratch)
    except IndexError as error:
        shapes = ", ".join(str(weight.shape) for weight in evaluator.weights) or "none"
        raise SetupError(
            f"The compiled evaluator {evaluator.module.__name__} uses an index outside of an array: {error} It gets "
            f"{numbers} numbers, {actions} actions, {seats} seats, {evaluator.scratch_size} scratch numbers, and "
            f"weights of the shapes {shapes}."
        ) from error
    except Exception:  # noqa: BLE001 - not every function that compiles runs in checked Python
        return
